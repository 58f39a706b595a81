/* How long a proof will still take. */
#ifndef TOOLS_VERIFY_LEFT_H
#define TOOLS_VERIFY_LEFT_H

/* Times are in seconds of any clock that never goes back. */
struct verify_left {
    int known, seeds_max; /* levels known..seeds_max are proved, those below only read */
    int level;            /* at hand; -1: none yet */
    double began;         /* the level at hand */
    double rate;          /* seconds a position of the level before it; 0: unknown */
};

void verify_left_begin(struct verify_left *left, int known, int seeds_max);

/* To be called whenever a level begins, and later at will. What is left at time `now`, at the speed
 * of the last level that was proved, which is the largest; below 0 as long as there is none. */
double verify_left_at(struct verify_left *left, int seeds, double now);

#endif
