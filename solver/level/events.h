/* Events: notifications of parents that a child changed.
 *
 * A cell that changes pushes an **event** for each of its parents (notify.h). Events wait in lists.
 * There is one list for each block, each range of its rows, and each thread that pushes events.
 * Only this thread appends to the list. After a barrier, only the thread that computes the range
 * reads the list. So no two threads use the same list at once. A list is a chain of buffers from a
 * common pool; a thread that has read a buffer keeps the buffer for its own events. If the pool is
 * empty events are lost, and the next sweep has to compute every cell.
 */
#ifndef SOLVER_LEVEL_EVENTS_H
#define SOLVER_LEVEL_EVENTS_H

#include "solver/level/workers.h"

/* The parent, and the change of its child:
 *
 *     63        40 39           16 15        8 7           0
 *     +-----------+---------------+-----------+-------------+
 *     | parent row| parent column | new code  | old code    |
 *     +-----------+---------------+-----------+-------------+
 */
typedef uint64_t wari_event;

/* Stands for an old code that is not known. No cell has this code. */
#define WARI_CODE_UNKNOWN WARI_NO_QUIET

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
    WARI_EVENT_BUFFER_CAPACITY = 31, /* a buffer has 256 bytes: four cache lines */
    WARI_EVENT_RANGES_SHIFT = 56,    /* fractional bits of ranges_per_row */
};

struct wari_event_buffer {
    uint32_t next, count;
    wari_event event[WARI_EVENT_BUFFER_CAPACITY];
};

#define WARI_NO_EVENT_BUFFER UINT32_MAX

/* Default values of leave_share and only_share in struct wari_events, chosen so that the pool is
 * just large enough. The pool has space for 0.015 events a cell (size.c), and a cell that changes
 * has 3 or 4 parents.
 *
 * In a cluster, a dense sweep pushes events only for half of the parents (notify.h), so it fills
 * the pool if it changes 0.008 of the cells. An event-driven sweep pushes events for all parents,
 * but changes only 0.77 times as many cells as the sweep before. In memory, a dense sweep pushes
 * events for more than half of the parents, but changes only about half as many cells as the sweep
 * before (cost.c). */
#define WARI_LEAVE_EVENTS_BELOW 0.008
#define WARI_EVENTS_ONLY_BELOW 0.006

/* The events of a level. */
struct wari_events {
    struct wari_event_buffer *buffer; /* the pool */
    uint32_t buffer_count;
    _Atomic uint32_t next_buffer; /* index of the first buffer that was never used */
    double leave_share; /* a dense sweep pushes events if the last sweep changed a smaller share of
                         * the cells */
    double only_share;  /* sweeps become event-driven after a sweep that pushed events and changed a
                         * smaller share of the cells */
    uint32_t ranges;    /* number of ranges into which the rows of each block are divided */
    uint64_t ranges_per_row[WARI_SEEDS_MAX + 1]; /* [block]: number of ranges divided by number of
                                                  * rows, as a fixed-point number with
                                                  * WARI_EVENT_RANGES_SHIFT fractional bits, rounded
                                                  * up */
    uint32_t first_range; /* number of the first range; always 0 unless several processes solve the
                           * level */
};

/* Sets the number of ranges in each block, 1 to WARI_EVENT_RANGES_MAX. */
void wari_events_set_ranges(struct wari_events *events, const struct wari_layout *layout,
                            uint32_t ranges);

/* Empties all lists and returns all buffers to the pool. */
void wari_clear_events(struct wari_events *events, struct wari_workers *workers);

/* Returns true if events were lost since they were last cleared. */
bool wari_events_lost(const struct wari_workers *workers);

/* Returns the range that a row of a block belongs to. */
static inline uint32_t wari_event_range_of(const struct wari_events *events, int block,
                                           uint32_t row)
{
    return events->first_range +
           (uint32_t)(row * events->ranges_per_row[block] >> WARI_EVENT_RANGES_SHIFT);
}

/* Returns the number of the list for a range of a block. */
static inline uint32_t wari_event_list_of(int block, uint32_t range)
{
    return (uint32_t)block * WARI_EVENT_RANGES_MAX + range;
}

/* The list of changes that a worker has deferred (wari_sweep_cells()). */
#define WARI_EVENT_LIST_DEFERRED (WARI_EVENT_LISTS - 1)

/* Appends an event to a list. If no buffer is left, the event is lost and false is returned. */
bool wari_push_event(struct wari_events *events, struct wari_worker *worker, uint32_t list,
                     wari_event event);

/* Removes the first buffer from a list of `owner` and returns its number; WARI_NO_EVENT_BUFFER if
 * the list is empty. */
uint32_t wari_take_event_buffer(struct wari_events *events, struct wari_worker *owner,
                                uint32_t list);

/* Hands over a buffer from wari_take_event_buffer() to `worker`, which will use the buffer for its
 * own events. */
void wari_give_event_buffer(struct wari_events *events, struct wari_worker *worker,
                            uint32_t buffer);

#endif
