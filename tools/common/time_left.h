/* Estimates the remaining time of a command that solves or proves one level after the other. */
#ifndef TOOLS_COMMON_TIME_LEFT_H
#define TOOLS_COMMON_TIME_LEFT_H

#include "db/wari.h"

/* Times are in seconds of a monotonic clock. */
struct time_left {
    /* The planned work of each level, in seconds or in any other unit; 0 for levels that are not
     * solved or proved. The caller fills this in before the first call of time_left_at(). */
    double planned[WARI_SEEDS_MAX + 1];

    double work;    /* planned work of the levels that are finished */
    double seconds; /* time that the work of these levels took */

    /* The current level. */
    int level;       /* -1 means that none has begun */
    double began;    /* when the command began to work on it */
    double skipped;  /* share of the work of this level, 0 to 1, that an earlier command did */
    double share;    /* share of the work of this level that is done, 0 to 1 */
    double reported; /* when that share was reported */
};

/* Begins without any planned work. `trust` is the number of seconds for which the plan is trusted:
 * the estimate is computed as if that many seconds of work had already been done and had taken the
 * planned time. It must be 0 if the plan is not in seconds; then nothing is known before a level is
 * finished. */
void time_left_begin(struct time_left *left, double trust);

/* Estimates the time that is left at time `now`, from the planned work and from the time that the
 * work has taken so far. `share` is the share of the work of this level that is done, 0 to 1; 0 if
 * that is not known. Returns a negative number if nothing is known yet, and 0 if the command takes
 * longer than planned. Must be called when a level begins, and may be called at any later time. */
double time_left_at(struct time_left *left, int level, double share, double now);

/* Records that an earlier command did this share of the work of the current level. */
void time_left_skip(struct time_left *left, double share, double now);

enum { TIME_LEFT_TEXT = 64 };

/* Writes the result of time_left_at(): "about 14 s left in all", "longer than planned", or "" if
 * nothing is known. Returns `text`. */
const char *time_left_text(double seconds, char text[TIME_LEFT_TEXT]);

#endif
