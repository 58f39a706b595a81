/* Opponents of different strength, by name. A child who has just learned the rules beats the
 * weakest. The opponents err like people: each searches a few moves ahead and misjudges the
 * resulting positions to some degree, but always misjudges the same position in the same way. */
#ifndef PLAY_SEARCH_STRENGTH_H
#define PLAY_SEARCH_STRENGTH_H

#include "game/wari_game.h"

struct wari_strength {
    const char *name;
    int depth; /* search depth in moves; 0 means full strength, which this module does not play */
    int noise; /* standard deviation of the opponent's misjudgement of a board with 48 seeds, in
                  hundredths of a seed */
};

/* Returns an array of all levels of play, the weakest first, in static storage. The last element
 * has no name and is not a level. */
const struct wari_strength *wari_strengths(void);

/* Returns the level of play with this name; NULL if there is none. */
const struct wari_strength *wari_strength_find(const char *name);

/* Returns the pit (0..5) that this level of play chooses. The position must have a legal move. The
 * misjudgements depend on `seed`. Stateless: any number of threads may call it at once. */
int wari_strength_move(const struct wari_strength *level, struct wari_variant variant,
                       const struct wari_position *position, uint64_t seed);

#endif
