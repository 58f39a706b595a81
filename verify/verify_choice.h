/* Which of the inner loops a proof runs. */
#ifndef VERIFY_STRIP_VERIFY_CHOICE_H
#define VERIFY_STRIP_VERIFY_CHOICE_H

#include "verify/verify_look.h"

/* Those that this processor has instructions for, the slowest first; NULL behind the last. */
const struct wari_verify_look *wari_verify_look_listed(int number);

/* wari_verify_strip_fill() for a strip that is looked at with the fastest. */
void wari_verify_look_at(struct wari_verify_strip *strip, const struct wari_verify_level *level,
                         const struct wari_verify_piece *piece);

#endif
