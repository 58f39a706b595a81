/* Estimates how long a proof will still take. */
#ifndef TOOLS_VERIFY_TIME_LEFT_H
#define TOOLS_VERIFY_TIME_LEFT_H

/* Times are in seconds of a monotonic clock. */
struct time_left {
    int known;     /* first level that is proved; lower levels are only read */
    int seeds_max; /* last level */
    int level;     /* the current level; -1 means that none has begun */
    double began;  /* when the current level began */
    double rate;   /* seconds per position of the previous level; 0 means not known yet */
};

void time_left_begin(struct time_left *left, int known, int seeds_max);

/* Estimates the time that is left at time `now`, from the speed of the previous level, which is the
 * largest proved so far. Returns a negative number if no level has been proved yet. Must be called
 * when a level begins, and may be called at any later time. */
double time_left_at(struct time_left *left, int seeds, double now);

#endif
