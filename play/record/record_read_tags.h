/* The tags of a game being read. */
#ifndef PLAY_RECORD_RECORD_READ_TAGS_H
#define PLAY_RECORD_RECORD_READ_TAGS_H

#include "play/record/reading.h"

/* Reads the pairs in brackets from the cursor on. */
WARI_MUST_CHECK enum wari_status wari_reading_tags(struct wari_reading *reading);

/* Whether the value of a tag Variant is a name of rules: one of this program, or as Oware programs
 * write it. */
bool wari_reading_knows_rules(const char *value);

/* Finds out from the tags under which rules the game was played and from where, and begins it. */
WARI_MUST_CHECK enum wari_status wari_reading_begin_game(struct wari_reading *reading);

#endif
