/* Ends of the game, and grand slams: second part of (a). */
#ifndef VERIFY_LOCAL_VERIFY_ENDS_H
#define VERIFY_LOCAL_VERIFY_ENDS_H

#include "verify/verify_level.h"

/* Enters into the level every end, every slam that ends the game, and every slam after which the
 * player who slammed moves again. */
WARI_MUST_CHECK enum wari_status wari_verify_ends(struct wari_verify_level *level);

#endif
