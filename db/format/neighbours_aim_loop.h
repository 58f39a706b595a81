/* The loop that says where neighbours are, for vectors of AIM_CELLS cells: every kernel is made of
 * it, so that all of them give the same. Those for instructions that not every processor has define
 * AIM_NAME, AIM_CELLS, and AIM_TARGET, an attribute. Without these it is the portable one.
 *
 * A neighbour is there if it is decoded by then: further back in the cell's own lane, or not
 * further on than the cell is in the lane before it. Where it is not there another one stands in
 * for it: the first that is there, the last one, or the cell before, so that the sum over all is
 * not drawn to any of them.
 */
#include <string.h>

#include "db/format/neighbours_aim.h"

#ifndef AIM_NAME
#define AIM_NAME wari_aim_portable
#define AIM_CELLS 8 /* what every processor with vectors has; plain code elsewhere */
#define AIM_TARGET
#endif

typedef int16_t aim_cells __attribute__((vector_size(2 * AIM_CELLS))); /* compared: -1 or 0 */

/* Writes a vector's worth of cells more than the part has at most, of which there is room. */
AIM_TARGET void AIM_NAME(struct wari_neighbours *neighbours, const struct wari_part *part,
                         size_t length)
{
    const aim_cells none = {0};
    const aim_cells lane = none + (int16_t)(part->lane > 0 ? length : WARI_NO_LANE);
    const aim_cells above = none + part->above;
    aim_cells done, before;

    for (int i = 0; i < AIM_CELLS; i++)
        done[i] = (int16_t)(part->at - part->lane + (size_t)i);
    before = done + (int16_t)part->lane;
    if (part->at == part->lane)
        before[0] = 0;

    for (uint32_t i = 0; i < part->cells; i += AIM_CELLS) {
        const aim_cells next = done + (int16_t)(part->lane + 1);
        aim_cells absent[WARI_NEIGHBOURS];
        aim_cells found[WARI_NEIGHBOURS]; /* 0 where absent */
        aim_cells first = before;
        aim_cells last = before;
#pragma GCC unroll 5
        for (int k = 0; k < WARI_NEIGHBOURS; k++) {
            aim_cells distance = above;
            if (k < WARI_NEIGHBOURS - 1)
                memcpy(&distance, neighbours->rows.columns.distance[k] + part->skip + i,
                       sizeof distance);
            absent[k] = distance - (lane & (distance >= lane)) > done;
            found[k] = (next - distance) & ~absent[k];
            last = found[k] | (last & absent[k]);
        }
#pragma GCC unroll 5
        for (int k = WARI_NEIGHBOURS - 1; k >= 0; k--)
            first = found[k] | (first & absent[k]);
        const aim_cells stand_in[WARI_NEIGHBOURS] = {first, last, before, first, last};
#pragma GCC unroll 5
        for (int k = 0; k < WARI_NEIGHBOURS; k++) {
            const aim_cells target = found[k] | (stand_in[k] & absent[k]);
            memcpy(neighbours->target[k] + part->at + i, &target, sizeof target);
        }
        done += AIM_CELLS;
        before = done + (int16_t)part->lane;
    }
}
