/* Functions of a level that do not depend on its backend. */
#include "solver/level/level.h"

/* Sets block_order and turn: the blocks from the first and last ones to the middle, n, 0, n-1, 1,
 * ... The memory backend replaces turn. A move leads from block s to block n-s or slightly below
 * it, so changes alternate between the two blocks of a pair. Any other order gives the same values.
 */
static void order_blocks(struct wari_level *level, int seeds)
{
    for (int turn = 0; turn <= seeds; turn++) {
        const int block = turn % 2 == 0 ? seeds - turn / 2 : turn / 2;
        level->block_order[turn] = block;
        level->turn[block] = turn;
    }
}

void wari_level_begin(struct wari_level *level, int seeds, enum wari_cycle cycle)
{
    wari_layout_init(&level->layout, seeds);
    wari_cells_init(&level->codes, seeds, cycle);
    order_blocks(level, seeds);
    level->full_halves.temporary.host = NULL;
    level->resident.memory = NULL;
    level->resident.cells = level->resident.copy = NULL;
    level->events.buffer = NULL;
    level->events.first_range = 0;
    level->kept_moves.groups = NULL;
    level->backend_data = NULL;
}

void wari_level_close(struct wari_level *level)
{
    if (!level->backend)
        return;
    level->backend->close(level);
    level->backend = NULL;
}

void wari_level_values(const struct wari_level *level, wari_row_of *row_of, uint64_t first,
                       size_t count, int8_t *values)
{
    const struct wari_layout *layout = &level->layout;
    int block = 0;

    while (count > 0) {
        while (first >= layout->block_offset[block + 1])
            block++;
        const uint64_t place = first - layout->block_offset[block];
        const uint32_t columns = layout->columns[block];
        const uint32_t column = (uint32_t)(place % columns);
        const size_t run = columns - column < count ? columns - column : count;
        const int8_t *cells = row_of(level, block, (uint32_t)(place / columns));
        if (!cells)
            return;
        level->kernel->look_up(level->codes.value, cells + column, run, values);
        values += run;
        first += run;
        count -= run;
    }
}

uint64_t wari_level_sum(const struct wari_level *level, uint64_t number)
{
    return level->backend->sum ? level->backend->sum(level, number) : number;
}

bool wari_level_all_stopped(struct wari_level *level)
{
    if (wari_level_sum(level, wari_level_stopped(level)) == 0)
        return false;
    atomic_store_explicit(&level->workers->failed, true, memory_order_relaxed);
    return true;
}

void wari_level_release_readers(struct wari_level *level)
{
    for (int i = 0; i < level->workers->count; i++)
        wari_reader_release(level->workers->worker[i].reader);
}
