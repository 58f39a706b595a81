/* Quiet moves, counts: third part of (a). */
#ifndef VERIFY_LOCAL_VERIFY_MOVES_H
#define VERIFY_LOCAL_VERIFY_MOVES_H

#include "verify/verify_found.h"
#include "verify/verify_level.h"

/* Needs all captures and ends to be entered. Notes every position whose value is not the best of
 * its moves; `expected` of these is left at 0. Counts all placements, full ones too, against the
 * catalogue, and tells of a wrong count in `text` (room for `size`). Marks are then on positions
 * that are not proved yet: neither 0 nor attained by a capture or end that is worth something. */
WARI_MUST_CHECK enum wari_status wari_verify_moves(struct wari_verify_level *level,
                                                   struct wari_verify_found *found, char *text,
                                                   size_t size);

#endif
