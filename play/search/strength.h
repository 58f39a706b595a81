/* Opponents by name, from one that a child beats upwards. They err as people do: each looks ahead a
 * few moves and misjudges what it sees there, more or less, but the same position always alike.
 */
#ifndef PLAY_STRENGTH_STRENGTH_H
#define PLAY_STRENGTH_STRENGTH_H

#include "game/wari_game.h"

struct wari_strength {
    const char *name;
    int depth; /* moves that it looks ahead; 0: this level is full strength, and not played here */
    int noise; /* standard deviation of its misjudgement of 48 seeds, hundredths of a seed */
};

/* All of them, the weakest first, then one without a name. Static storage. */
const struct wari_strength *wari_strengths(void);

/* The level of this name; NULL: there is none. */
const struct wari_strength *wari_strength_find(const char *name);

/* The pit (0..5) that the level plays; the position has a move. Another seed misjudges otherwise.
 * No state: any number of threads may call this at once. */
int wari_strength_move(const struct wari_strength *level, struct wari_variant variant,
                       const struct wari_position *position, uint64_t seed);

#endif
