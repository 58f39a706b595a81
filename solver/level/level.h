/* One level while it is solved: its cells, where they are, and what is known of them.
 *
 * Rows that a process holds in memory stand in index order, each row of 56 cells or more begins at
 * a cache line, and behind each block come WARI_BLOCK_PADDING unused bytes, so that kernels that
 * read a few bytes behind a row never touch a block that another thread writes:
 *
 *     cells:   block 0 | pad | block 1 | pad | ... | block n | pad     one code (cell.h) a cell
 *
 * A sweep goes over the blocks one after the other with a barrier between. Work within a block is
 * cut into items (item.h). An item reads rows of other blocks and writes its own cells; where
 * children lie in the block itself (exactly when t = mover's seeds - opponent's seeds), they are
 * read from a copy, `copy`, that is made before. So no cell is ever read and written at once, and
 * such a pass does the same in every run.
 *
 * When few cells change, **events** tell which (events.h). They come to a cell in an order that
 * depends on the threads: values end up the same, but the number of cells looked at may differ.
 */
#ifndef SOLVER_LEVEL_H
#define SOLVER_LEVEL_H

#include <stdatomic.h>

#include "index/level.h"
#include "solver/level/backend.h"
#include "solver/level/events.h"
#include "solver/level/full_halves.h"
#include "solver/level/size.h"
#include "solver/level/statistics.h"
#include "solver/level/workers.h"

/* Memory that levels of a build have one after the other. */
struct wari_level_buffer {
    void *memory;
    uint64_t bytes;
};

/* What a process holds of a level in memory, a byte a cell. */
struct wari_resident {
    const struct wari_level_buffer *buffer; /* NULL, or for the arrays, if there is enough; */
    struct wari_partition partition;
    uint32_t pitch[WARI_SEEDS_MAX + 1];  /* bytes from row to row of a block */
    uint64_t offset[WARI_SEEDS_MAX + 2]; /* of the blocks */
    void *memory;                        /* theirs if not */
    int8_t *cells;
    int8_t *copy; /* of one block, as it was: for blocks that have children of their own; behind the
                   * pages of events */
    uint64_t copy_bytes;
};

/* Blocks and their turns in a sweep. */
struct wari_order {
    int block[WARI_SEEDS_MAX + 1]; /* the i-th block to have its turn */
    int turn[WARI_SEEDS_MAX + 1];  /* of a block: its place in that order */
};

/* How far solving has come, and who is to know. */
struct wari_level_progress {
    struct wari_level_statistics *statistics;
    struct wari_checkpoint *checkpoint; /* NULL: none are written or looked for */
    /* Called after each sweep, with the share of cells that it changed, and when another phase
     * begins; NULL: nobody is. */
    void (*report)(void *context, enum wari_phase phase, int sweep, double changed);
    void *context;
    bool begun; /* the first bound is */
    bool found; /* a checkpoint, that takes the place of captures and was not gone on from yet: */
    enum wari_sweep_kind kind; /* the sweeps in which it was written */
    int threshold;             /* the one at hand, or of the checkpoint; 0: none */
    uint64_t won; /* while hopes shrink: the sum of all values above 0 as they were before */
};

struct wari_level {
    const struct wari_tables *tables;
    const struct wari_kernel_ops *kernel;
    const struct wari_host *host;
    struct wari_lower_cache *lower_cache;
    struct wari_workers *workers;
    const atomic_bool *stop; /* NULL, or: skip all work once it is true */
    struct wari_layout layout;
    struct wari_cells codes; /* of values, or, while hopes shrink, of hopes */
    struct wari_order order;
    struct wari_resident resident;
    struct wari_events events;
    struct wari_full_halves full_halves;
    struct wari_level_progress progress;
    const struct wari_backend *backend; /* NULL: not opened */
    void *backend_data;                 /* what the road has beside all that */
};

/* For roads. Fills in all that follows from the number of seeds, for a level that has no cells yet.
 * The fields tables, kernel, host, lower, team, stop, course and resident.buffer are the caller's
 * to set before. */
void wari_level_begin(struct wari_level *level, int seeds, enum wari_cycle cycle);

/* Closes a level; allowed for one that was not opened. */
void wari_level_close(struct wari_level *level);

/* A row that is resident. */
static inline int8_t *wari_level_row(const struct wari_level *level, int block, uint32_t row)
{
    const struct wari_resident *resident = &level->resident;

    return resident->cells + resident->offset[block] +
           (uint64_t)(row - resident->partition.first_row[block]) * resident->pitch[block];
}

/* Whether to skip all work: on request, or because a lower level could not be read. */
static inline bool wari_level_stopped(const struct wari_level *level)
{
    return (level->stop && atomic_load_explicit(level->stop, memory_order_relaxed)) ||
           atomic_load_explicit(&level->workers->failed, memory_order_relaxed);
}

/* Copies values in index order, as wari_backend.values says: of rows of codes that `row_of` finds,
 * or NULL, where they cannot be read and nothing more is copied. */
typedef const int8_t *wari_row_of(const struct wari_level *level, int block, uint32_t row);
void wari_level_values(const struct wari_level *level, wari_row_of *row_of, uint64_t first,
                       size_t count, int8_t *values);

/* The sum of a number over all processes that hold the level. Collective. */
uint64_t wari_level_sum(const struct wari_level *level, uint64_t number);

/* Whether any of them has to stop; if so, they all do. Collective. */
bool wari_level_all_stopped(struct wari_level *level);

/* At the end of a pass that reads the levels below. */
void wari_level_release_readers(struct wari_level *level);

#endif
