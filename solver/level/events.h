/* Events: cells that changed, on their way to their parents.
 *
 * A cell that changes leaves an **event** with each of its parents (notify.h). Events wait in
 * lists, by parent block and **part** of its rows, and by the thread that left them, so that
 * threads neither leave nor take events at the same place: a list is written by its thread only,
 * and read, by the thread that has that part to compute, behind a barrier. Lists are chains of
 * pages from a pool that all share; a thread keeps the pages it has read for its own use. Where the
 * pool is used up, events are lost: the next sweep then has to look at every cell.
 */
#ifndef SOLVER_EVENTS_H
#define SOLVER_EVENTS_H

#include "solver/level/workers.h"

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

enum {
    WARI_EVENT_BUFFER_CAPACITY = 31 /* 256 bytes: four cache lines */,
    WARI_EVENT_RANGES_SHIFT = 56
};

struct wari_event_buffer {
    uint32_t next, count;
    wari_event event[WARI_EVENT_BUFFER_CAPACITY];
};

#define WARI_NO_EVENT_BUFFER UINT32_MAX

/* In memory; see struct wari_events. There is room for 0.015 events a cell (size.c), and a cell
 * that changes has 3 or 4 parents: a dense sweep tells half of them, those whose turn has passed,
 * so 0.008 of the cells fill it; the sweep after it tells all, but changes 0.77 times as many cells
 * (cost.c). */
#define WARI_LEAVE_EVENTS_BELOW 0.008
#define WARI_EVENTS_ONLY_BELOW 0.006

/* The events of a level. */
struct wari_events {
    struct wari_event_buffer *buffer;
    uint32_t buffer_count;
    _Atomic uint32_t next_buffer;
    double leave_share; /* once so few of the cells change in a sweep, the next leaves events, */
    double only_share;  /* and below this only cells with events are computed after it */
    uint32_t ranges;    /* of a block */
    uint64_t ranges_per_row[WARI_SEEDS_MAX + 1]; /* of a block: with WARI_EVENT_RANGES_SHIFT bits
                                                  * behind the point, rounded up */
    uint32_t first_range; /* that events are left for: 0, except where levels are dealt to ranks */
};

/* The parts that blocks are divided into, 1 to WARI_EVENT_RANGES_MAX. */
void wari_events_set_ranges(struct wari_events *events, const struct wari_layout *layout,
                            uint32_t parts);

/* Empties all lists and gives all pages back. */
void wari_clear_events(struct wari_events *events, struct wari_workers *workers);

/* Whether some were lost since they were last forgotten. */
bool wari_events_lost(const struct wari_workers *workers);

/* The part of a block that a row belongs to, 0 .. parts - 1. */
static inline uint32_t wari_event_range_of(const struct wari_events *events, int block,
                                           uint32_t row)
{
    return events->first_range +
           (uint32_t)(row * events->ranges_per_row[block] >> WARI_EVENT_RANGES_SHIFT);
}

/* The list of a part of a block; of what a worker puts aside (of any block). */
static inline uint32_t wari_event_list_of(int block, uint32_t part)
{
    return (uint32_t)block * WARI_EVENT_RANGES_MAX + part;
}
#define WARI_EVENT_LIST_DEFERRED (WARI_EVENT_LISTS - 1)

/* Leaves an event in a list. False, and it is lost, if there is no room. */
bool wari_push_event(struct wari_events *events, struct wari_worker *worker, uint32_t list,
                     wari_event event);

/* Takes the first page from `owner`'s list, WARI_NO_EVENT_BUFFER if it is empty, and puts a page
 * that was taken to those that `worker` can use. */
uint32_t wari_take_event_buffer(struct wari_events *events, struct wari_worker *owner,
                                uint32_t list);
void wari_give_event_buffer(struct wari_events *events, struct wari_worker *worker, uint32_t page);

#endif
