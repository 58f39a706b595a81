/* One level while it is solved: its cells, where they are stored, and the state of solving.
 *
 * Resident rows are stored in index order. Each row of 56 cells or more begins at a cache line.
 * WARI_BLOCK_PADDING unused bytes follow each block, so that kernels that read a few bytes beyond a
 * row never touch a block that another thread writes:
 *
 *     cells:   block 0 | pad | block 1 | pad | ... | block n | pad     a code (cell.h) per cell
 *
 * A **dense sweep** computes all cells: a part of a block at a time, with a barrier after each
 * part. In the memory backend, such a part consists of the cells of one patch
 * (memory/memory_dense.c) in one block; in a cluster it is a whole block. Threads divide a part
 * into items (item.h). Each item writes its own cells and reads their children, most of which are
 * in other blocks. A block contains children of its own cells if a move can drop exactly (mover's
 * seeds - opponent's seeds) seeds on the opponent's side. If other threads may write such a child
 * at the same time, the child is read from a copy of its row that was made before. So no cell is
 * read and written at the same time, and with the same number of threads a dense sweep gives the
 * same result in every run.
 *
 * When few cells change, **events** notify their parents (events.h). The order in which events
 * reach a cell depends on the threads. The values do not depend on this order, but the number of
 * computed cells may depend on it.
 */
#ifndef SOLVER_LEVEL_LEVEL_H
#define SOLVER_LEVEL_LEVEL_H

#include <stdatomic.h>

#include "index/level.h"
#include "solver/level/backend.h"
#include "solver/level/events.h"
#include "solver/level/full_halves.h"
#include "solver/level/size.h"
#include "solver/level/statistics.h"
#include "solver/level/workers.h"

/* Memory that the levels of a build use one after the other. */
struct wari_level_buffer {
    void *memory;
    uint64_t bytes;
};

/* The part of a level that this process stores in memory, one byte a cell. */
struct wari_resident {
    const struct wari_level_buffer *buffer; /* memory that is used for the arrays if it is large
                                             * enough; may be NULL */
    void *memory;                           /* memory allocated for the arrays if `buffer` is not
                                             * used; otherwise NULL */
    struct wari_partition partition;
    uint32_t pitch[WARI_SEEDS_MAX + 1];  /* [block]: bytes from one row to the next */
    uint64_t offset[WARI_SEEDS_MAX + 2]; /* [block]: offset in `cells`; the last entry is the end of
                                          * the last block */
    int8_t *cells;
    int8_t *copy; /* copy of the current block, or of some of its rows, if it contains children of
                     its own cells; stored after the events */
    uint64_t copy_bytes;
};

/* The sorted moves of all mover halves of the level. Dense sweeps that push no events do not need
 * the event buffers. These sweeps keep the moves in that memory, if it is large enough, so that
 * they need not sort them again in each sweep. */
struct wari_kept_moves {
    struct wari_sorted_moves *groups;   /* [first[seeds] + half / WARI_ITEM_COLUMNS]; NULL if no
                                         * moves are kept */
    uint32_t first[WARI_SEEDS_MAX + 2]; /* [seeds]: index of the first group with this number of
                                         * seeds; the last entry is the number of groups */
};

/* The progress of solving, and the callback that reports it. */
struct wari_level_progress {
    struct wari_level_statistics *statistics;
    struct wari_checkpoint *checkpoint; /* NULL if no checkpoints are written or read */
    /* Called after each sweep, with wari_solve_changed() of it, and when another phase
     * begins. May be NULL. */
    void (*report)(void *context, enum wari_phase phase, int sweep, double changed);
    void *context;
    bool begun; /* the first threshold was begun */
    bool found; /* a checkpoint was loaded but not yet resumed; it replaces the capture pass */
    enum wari_sweep_kind kind; /* the kind of sweeps during which the checkpoint was written */
    int threshold;             /* the current threshold, or the threshold of the checkpoint; 0 if
                                * there is none */
    uint64_t won; /* sum of all values above 0, computed before upper bounds began to shrink; used
                     while they shrink */
};

struct wari_level {
    const struct wari_tables *tables;
    const struct wari_kernel_ops *kernel;
    const struct wari_host *host;
    struct wari_lower_cache *lower_cache;
    struct wari_workers *workers;
    const atomic_bool *stop; /* passes stop once it is true; NULL if no stop can be requested */
    struct wari_layout layout;
    struct wari_cells codes; /* the codes of values, or of upper bounds while these shrink */
    /* The order in which event-driven sweeps compute the blocks. Dense sweeps use the same order,
     * except in the memory backend. */
    int block_order[WARI_SEEDS_MAX + 1];
    /* [block]: a dense sweep computes a block before all blocks with a larger number. Blocks with
     * the same number are computed together. */
    int turn[WARI_SEEDS_MAX + 1];
    struct wari_resident resident;
    struct wari_events events;
    struct wari_kept_moves kept_moves;
    struct wari_full_halves full_halves;
    struct wari_level_progress progress;
    const struct wari_backend *backend; /* NULL if the level is not open */
    void *backend_data;
};

/* Fills in all fields that follow from the number of seeds and the cycle rule. Backends call it.
 * The caller has to set the fields tables, kernel, host, lower_cache, workers, stop, progress and
 * resident.buffer before. */
void wari_level_begin(struct wari_level *level, int seeds, enum wari_cycle cycle);

/* Closes a level. Does nothing if it is not open. */
void wari_level_close(struct wari_level *level);

/* Returns the cells of a resident row. */
static inline int8_t *wari_level_row(const struct wari_level *level, int block, uint32_t row)
{
    const struct wari_resident *resident = &level->resident;

    return resident->cells + resident->offset[block] +
           (uint64_t)(row - resident->partition.first_row[block]) * resident->pitch[block];
}

/* Returns true if all work has to be skipped: after a stop request or a failure of a worker. */
static inline bool wari_level_stopped(const struct wari_level *level)
{
    return (level->stop && atomic_load_explicit(level->stop, memory_order_relaxed)) ||
           atomic_load_explicit(&level->workers->failed, memory_order_relaxed);
}

/* Returns the codes of a row, or NULL if they cannot be read. */
typedef const int8_t *wari_row_of(const struct wari_level *level, int block, uint32_t row);

/* Implements wari_backend.values for rows of codes that `row_of` finds. Stops copying at a row that
 * cannot be read. */
void wari_level_values(const struct wari_level *level, wari_row_of *row_of, uint64_t first,
                       size_t count, int8_t *values);

/* Returns the sum of a number over all processes that solve the level. Collective. */
uint64_t wari_level_sum(const struct wari_level *level, uint64_t number);

/* Returns true if any process has to stop; then all processes stop. Collective. */
bool wari_level_all_stopped(struct wari_level *level);

/* Unpins all chunks of lower levels; called at the end of a pass that reads lower levels. */
void wari_level_release_readers(struct wari_level *level);

#endif
