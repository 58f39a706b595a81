/* A position of one level takes about as long as one of the level before, while the share of a part
 * of the proof says little: how often its sweeps have to go through a level shows in the end only.
 */
#include "tools/verify/verify_left.h"

#include "db/catalogue/catalogue.h"
#include "index/level.h"

void verify_left_begin(struct verify_left *left, int known, int seeds_max)
{
    *left = (struct verify_left){.known = known, .seeds_max = seeds_max, .level = -1};
}

double verify_left_at(struct verify_left *left, int seeds, double now)
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
    const double rest = (double)positions * left->rate - (now - left->began);
    return rest > 0 ? rest : 0;
}
