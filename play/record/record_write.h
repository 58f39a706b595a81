/* Writing records. */
#ifndef PLAY_RECORD_RECORD_WRITE_H
#define PLAY_RECORD_RECORD_WRITE_H

#include "play/record/record.h"

/* Appends the record as OGN: tags (the roster first), a blank line, moves with captures and
 * comments, the result, a blank line. Result is, in this order, what the game's end says, what the
 * record says if that is a score, "*". */
WARI_MUST_CHECK enum wari_status wari_record_write(const struct wari_record *record,
                                                   struct wari_text *text,
                                                   struct wari_error *error);

#endif
