/* Finds the parents of changed cells, and pushes events for them. */
#include "solver/level/notify.h"

void wari_boards_of_cells(const struct wari_level *level, int block, const wari_event *cell,
                          uint32_t count, struct wari_board *boards)
{
    for (uint32_t i = 0; i < count; i++)
        boards[i] = wari_board_of(
            level->tables, level->layout.seeds,
            (struct wari_coordinates){block, wari_event_row(cell[i]), wari_event_column(cell[i])});
}

static void notify(struct wari_level *level, struct wari_worker *worker, int block,
                   wari_event change, const struct wari_board *board, bool passed)
{
    const int seeds = level->layout.seeds;
    struct wari_coordinates parents[WARI_PARENTS_MAX];
    const int count = wari_parents_of_board(level->tables, seeds, block, board, parents, NULL);

    for (int i = 0; i < count; i++) {
        const struct wari_coordinates *parent = &parents[i];
        if (passed && level->turn[parent->block] > level->turn[block])
            continue;
        wari_push_event(
            &level->events, worker,
            wari_event_list_of(parent->block,
                               wari_event_range_of(&level->events, parent->block, parent->row)),
            wari_event_of(parent->row, parent->column, wari_event_code(change),
                          wari_event_before(change)));
    }
}

void wari_notify_parents(struct wari_level *level, struct wari_worker *worker, int block,
                         const struct wari_changes *changes, bool passed)
{
    for (uint32_t i = 0; i < changes->count; i++)
        notify(level, worker, block, changes->change[i], &changes->board[i], passed);
}
