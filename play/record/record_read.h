/* Reading records. A reader takes a whole text and hands out its games one by one. A game that
 * cannot be read costs a complaint with line and column, not the games behind it. */
#ifndef PLAY_RECORD_RECORD_READ_H
#define PLAY_RECORD_RECORD_READ_H

#include "play/record/record_reader.h"

/* The next game that can be read; *found is false at the end of the text, and *record then holds
 * nothing. Otherwise the record is the caller's, to be given to wari_record_free(). Only
 * WARI_NO_MEMORY is a failure (*record then holds nothing). */
WARI_MUST_CHECK enum wari_status wari_record_next(struct wari_record_reader *reader,
                                                  struct wari_record *record, bool *found,
                                                  struct wari_error *error);

#endif
