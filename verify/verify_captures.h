/* Moves that leave the level at hand, or end the game: first part of (a). */
#ifndef VERIFY_LOCAL_VERIFY_CAPTURES_H
#define VERIFY_LOCAL_VERIFY_CAPTURES_H

#include "verify/verify_level.h"

/* Enters every capture into the level, from the levels below. */
WARI_MUST_CHECK enum wari_status wari_verify_captures(struct wari_verify_level *level);

#endif
