/* Cells that changed, on their way to their parents: for late sweeps, which compute nothing else.
 *
 * A cell that changes leaves an **event** with each of its parents. Events wait in lists, by parent
 * block and **part** of its rows, and by the thread that left them, so that threads neither leave
 * nor take events at the same place: a list is written by its thread only, and read, by whoever has
 * that part to compute, behind a barrier. Lists are chains of pages from a pool that all share; a
 * thread keeps the pages it has read for its own use. Where the pool is used up, events are lost:
 * the next sweep then has to look at every cell.
 */
#ifndef SOLVER_EVENTS_H
#define SOLVER_EVENTS_H

#include "solver/level/level.h"
#include "solver/rows/moves.h"

/* What became of a child, and for whom:
 *
 *     63        40 39           16 15        8 7           0
 *     +-----------+---------------+-----------+-------------+
 *     | parent row| parent column | its code  | code before |
 *     +-----------+---------------+-----------+-------------+
 */
typedef uint64_t wari_event;

#define WARI_CODE_UNKNOWN WARI_NO_QUIET /* as code before: no cell's */

static inline wari_event wari_event_of(uint32_t row, uint32_t column, int8_t code, int8_t before)
{
    return (uint64_t)row << 40 | (uint64_t)column << 16 | (uint64_t)(uint8_t)code << 8 |
           (uint8_t)before;
}

static inline uint32_t wari_event_row(wari_event event)
{
    return (uint32_t)(event >> 40);
}

static inline uint32_t wari_event_column(wari_event event)
{
    return (uint32_t)(event >> 16) & 0xffffff;
}

static inline int8_t wari_event_code(wari_event event)
{
    return (int8_t)(uint8_t)(event >> 8);
}

static inline int8_t wari_event_before(wari_event event)
{
    return (int8_t)(uint8_t)event;
}

enum { WARI_PAGE_EVENTS = 31 };

struct wari_page {
    uint32_t next, count;
    wari_event event[WARI_PAGE_EVENTS];
};

#define WARI_NO_PAGE UINT32_MAX

/* Empties all lists and gives all pages back. */
void wari_forget_events(struct wari_level *level);

/* Whether some were lost since they were last forgotten. */
bool wari_events_lost(const struct wari_level *level);

/* The part of a block that a row belongs to, 0 .. level->parts - 1. */
static inline uint32_t wari_part_of(const struct wari_level *level, int block, uint32_t row)
{
    return level->first_part + (uint32_t)(row * level->parts_a_row[block] >> WARI_PARTS_SHIFT);
}

/* The list of a part of a block; of what a worker puts aside (of any block). */
static inline uint32_t wari_list_of(int block, uint32_t part)
{
    return (uint32_t)block * WARI_PARTS_MAX + part;
}
#define WARI_LIST_ASIDE (WARI_LISTS - 1)

/* A page for the caller's own use; WARI_NO_PAGE if there is none. How many each worker can have at
 * least, while none of them is at work. */
uint32_t wari_new_page(struct wari_level *level, struct wari_worker *worker);
uint32_t wari_pages_left(const struct wari_level *level);

/* Leaves an event in a list. False, and it is lost, if there is no room. */
bool wari_put_event(struct wari_level *level, struct wari_worker *worker, uint32_t list,
                    wari_event event);

/* Leaves events with the parents of a cell that changed; `change`: an event for the cell itself.
 * `passed`: only with those whose block has
 * had its turn in this sweep, or has it now. */
void wari_tell_parents(struct wari_level *level, struct wari_worker *worker, int block,
                       wari_event change, bool passed);

/* The halves of cells of a block, told by events for them. */
void wari_boards_of(const struct wari_tables *tables, int seeds, int block, const wari_event *cell,
                    uint32_t count, struct wari_board *boards);

/* Cells of a block that changed, as events for them, and their halves. */
struct wari_changes {
    const wari_event *change;
    const struct wari_board *board;
    uint32_t count;
};

/* Leaves events with the parents of all of them, as wari_tell_parents() does. */
void wari_tell_changes(struct wari_level *level, struct wari_worker *worker, int block,
                       const struct wari_changes *changes, bool passed);

/* Takes the first page from `owner`'s list, WARI_NO_PAGE if it is empty, and puts a page that was
 * taken to those that `worker` can use. */
uint32_t wari_take_page(struct wari_level *level, struct wari_worker *owner, uint32_t list);
void wari_give_page(struct wari_level *level, struct wari_worker *worker, uint32_t page);

#endif
