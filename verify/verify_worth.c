/* Where a hope is bounded by captures: a mover with fewer seeds in its row can turn away from a
 * surplus of the other side by any capture that costs less. */
#include "verify/verify_worth.h"

#include "index/half.h"

struct wari_verify_row wari_verify_row(struct wari_verify_level *level, int block,
                                       const uint8_t pits[WARI_HALF_PITS])
{
    const uint32_t columns = level->layout.columns[block];
    struct wari_verify_row row = {.full = wari_half_full(pits)};

    if (row.full) {
        uint8_t less[WARI_HALF_PITS];
        for (int pit = 0; pit < WARI_HALF_PITS; pit++)
            less[pit] = (uint8_t)(pits[pit] - 1);
        row.first = level->full_offset[block] + (uint64_t)wari_half_rank(less) * columns;
        row.cells = level->full + row.first;
        return row;
    }
    const uint32_t number = wari_row_rank(pits);
    row.first = level->layout.block_offset[block] + (uint64_t)number * columns;
    row.cells = level->cells + row.first;
    if (level->hopes.bytes && wari_verify_lead(level, block) < 0) {
        row.hopes = wari_verify_hope_row(&level->hopes, block, number);
        row.whole = level->hopes.whole[block];
    }
    return row;
}

void wari_verify_exceed(struct wari_verify_level *level, uint64_t cell)
{
    if (level->wrong)
        wari_verify_add(level->wrong, cell);
    else
        atomic_store_explicit(&level->exceeded, true, memory_order_relaxed);
}
