/* The estimate assumes that a position takes as long as a position of the previous level. Progress
 * within a level is not used, because the number of sweeps that a level needs is not known in
 * advance.
 */
#include "tools/verify/time_left.h"

#include "db/catalogue/catalogue.h"
#include "index/level.h"

void time_left_begin(struct time_left *left, int known, int seeds_max)
{
    *left = (struct time_left){.known = known, .seeds_max = seeds_max, .level = -1};
}

double time_left_at(struct time_left *left, int seeds, double now)
{
    uint64_t positions = 0;

    if (seeds != left->level) {
        if (left->level >= left->known)
            left->rate = (now - left->began) / (double)wari_level_positions(left->level);
        left->level = seeds;
        left->began = now;
    }
    if (left->rate <= 0)
        return -1;
    for (int n = seeds; n <= left->seeds_max; n = wari_catalogue_next(n))
        positions += wari_level_positions(n);
    const double seconds = (double)positions * left->rate - (now - left->began);
    return seconds > 0 ? seconds : 0;
}
