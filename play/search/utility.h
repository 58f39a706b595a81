/* The utility of a result: the number that a search maximises. It is the seeds that a side still
 * gets minus those that the other side still gets, in hundredths of a seed. If the search plays for
 * the result of the game, a bonus is added for a won game and subtracted for a lost one. Then a
 * certain win with few seeds is worth more than an uncertain one with many.
 *
 * The **lead** of a side is the number of seeds that it has captured minus those of the other side.
 * The bonus depends on the lead at the end of the game. An estimate of this lead may have the wrong
 * sign. If its error is normally distributed, the expected bonus is the bonus times
 * erf(estimate / (standard deviation sqrt(2))). The functions use a straight line with nearly the
 * same slope at 0, limited to the bonus. */
#ifndef PLAY_SEARCH_UTILITY_H
#define PLAY_SEARCH_UTILITY_H

#include <stdbool.h>

#include "game/wari_game.h"

struct wari_utility {
    int win; /* the bonus of a won game, in hundredths of a seed; 0 if only seeds count */
    int certain[WARI_SEEDS_MAX + 1]; /* [seeds on the board]: smallest estimate of the final lead
                                      * for which the full bonus is added, in hundredths of a seed;
                                      * at least 1 */
};

/* Sets the utility of a variant. `result` is true if the search plays for the result. In rule sets
 * where a slam decides the game whatever the score, only seeds count. */
void wari_utility_init(struct wari_utility *utility, struct wari_variant variant, bool result);

/* Returns the utility of an exact value for a side with this lead. The utility for the other side
 * is the same with the opposite sign. */
int wari_utility_of_value(const struct wari_utility *utility, int lead, int value);

/* Returns the utility of an estimate (in hundredths of a seed) of a position with `seeds` seeds,
 * for a side with this lead. */
int wari_utility_of_estimate(const struct wari_utility *utility, int lead, int seeds, int estimate);

/* Returns the estimate that has this utility: the inverse of wari_utility_of_estimate(), except for
 * rounding. */
int wari_utility_to_estimate(const struct wari_utility *utility, int lead, int seeds, int score);

#endif
