/* One level while it is solved: its cells, what is known of them, and the passes over it.
 *
 * In memory the blocks of the level stand in index order with WARI_BLOCK_PADDING unused bytes
 * behind each, so that kernels that read a few bytes behind a row never touch a block that another
 * thread writes:
 *
 *     values:    block 0 | pad | block 1 | pad | ... | block n | pad     one byte a cell
 *     captures:  the same layout: best capture or end, WARI_NO_CAPTURE for none
 *
 * A pass goes over the blocks one after the other with a barrier between. Work within a block is
 * cut into items: up to 64 mover halves by a run of opponent halves. An item reads rows of other
 * blocks and writes its own cells; only where children lie in the block itself (exactly when t =
 * mover's seeds - opponent's seeds) the new cells go to `scratch` and are copied behind the
 * barrier. So no cell is ever read and written at once, and every run does the same work.
 *
 * **Stamps** say in which sweep a cell last changed: one byte for each 64 cells of a row, and one
 * for each row. A line (one mover half by 256 opponent halves) whose sources carry only old stamps
 * is skipped.
 */
#ifndef SOLVER_LEVEL_H
#define SOLVER_LEVEL_H

#include <stdatomic.h>

#include "index/level.h"
#include "solver/kernel.h"

enum {
    WARI_BLOCK_PADDING = 64,
    WARI_NO_CAPTURE = -128,
    WARI_STAMP_LAST = 250, /* then stamps start anew with a dense sweep */
};

/* A level that is solved: its values in index order. */
struct wari_solved {
    struct wari_layout layout;
    int8_t *values;
};

/* Where the threads of a sweep wait for each other. OpenMP's own barrier spins for about a
 * millisecond; on a machine with other work a sweep's few dozen barriers then cost a hundred times
 * what they should. This one spins briefly and gives its processor away. */
struct wari_team_barrier {
    _Atomic uint32_t arrived;
    _Atomic uint32_t round;
};

struct wari_level {
    const struct wari_tables *tables;
    const struct wari_kernel_ops *kernel;
    const struct wari_host *host;
    const struct wari_solved *solved; /* [0 .. seeds - 1] */
    const atomic_bool *stop;          /* NULL, or: skip all work once it is true */
    int threads;
    struct wari_layout layout;
    uint64_t offset[WARI_SEEDS_MAX + 2]; /* of the blocks, with padding */
    int8_t *values;
    int8_t *captures;
    int8_t *floor;          /* cycle rule `own`, while hopes are swept: the proved values */
    int8_t *scratch;        /* one block: for blocks that are their own children */
    uint64_t *scratch_rows; /* changed rows of the scratch block as bits, a word a patch */
    uint32_t stamp_columns[WARI_SEEDS_MAX + 1]; /* stamps a row */
    uint64_t stamp_offset[WARI_SEEDS_MAX + 1];  /* of a block's stamps */
    uint64_t row_stamp_offset[WARI_SEEDS_MAX + 1];
    uint8_t *stamps;             /* each written by one item only */
    _Atomic uint8_t *row_stamps; /* these by several, with the same value */
    _Atomic uint8_t block_stamp[WARI_SEEDS_MAX + 1];
    struct wari_team_barrier barrier;
    int order[WARI_SEEDS_MAX + 1]; /* the i-th block to have its turn in a sweep */
    int turn[WARI_SEEDS_MAX + 1];  /* of a block: its place in `order` */
    int sweep;                     /* number of the current one, also its stamp */
    struct wari_level_measure *measure;
};

/* Bytes that a level needs while it is solved, solved levels below and tables not counted. */
uint64_t wari_level_bytes(int seeds, enum wari_cycle cycle);

/* Allocates everything for level `seeds`. The fields tables, kernel, host, solved, stop, threads
 * and measure are the caller's to set before. On failure nothing stays allocated. */
WARI_MUST_CHECK enum wari_status wari_level_init(struct wari_level *level, int seeds,
                                                 enum wari_cycle cycle, struct wari_error *error);

/* Frees all but the values, which are moved together into index order and returned; the caller
 * releases them. */
int8_t *wari_level_take_values(struct wari_level *level);

/* Frees everything that is still there. */
void wari_level_destroy(struct wari_level *level);

/* ---- Items ---------------------------------------------------------------------------------- */

/* A run of segments of one block by a group of its columns. */
struct wari_item {
    enum wari_parents parents;
    int block; /* seeds on the opponent's side */
    uint32_t first_column, columns;
    uint32_t first_segment, end_segment;
    uint32_t rows; /* of the block, for these parents */
};

/* Items of a block, and the i-th of them. */
uint32_t wari_item_count(const struct wari_level *level, enum wari_parents parents, int block);
struct wari_item wari_item_at(const struct wari_level *level, enum wari_parents parents, int block,
                              uint32_t i);

/* The sowings of a column's mover half: six, WARI_NO_SOWING for an empty pit. */
static inline const wari_sowing *wari_item_sowings(const struct wari_level *level,
                                                   const struct wari_item *item, uint32_t column)
{
    return level->tables->sowings[level->layout.seeds - item->block] +
           (size_t)(item->first_column + column) * WARI_HALF_PITS;
}

/* The gather for a sowing of an item's mover half. */
static inline const struct wari_gather *wari_item_gather(const struct wari_level *level,
                                                         const struct wari_item *item, int sown)
{
    return &level->tables->gather[item->parents][item->block][sown];
}

static inline bool wari_level_stopped(const struct wari_level *level)
{
    return level->stop && atomic_load_explicit(level->stop, memory_order_relaxed);
}

/* ---- Passes --------------------------------------------------------------------------------- */

/* best[column][place]: the best capture or end of the parents of one segment of an item;
 * WARI_NO_CAPTURE where there is none. */
void wari_best_captures(const struct wari_level *level, const struct wari_item *item,
                        uint32_t segment, int8_t best[WARI_GROUP][WARI_SEGMENT]);

/* Fills `captures`, and `values` with max(capture, 0). */
void wari_capture_pass(struct wari_level *level);

enum wari_sweep_kind { WARI_GROW, WARI_SHRINK };

/* Sweeps until nothing changes. Calls report (unless NULL) after every sweep with the share of
 * cells that changed in it. */
typedef void wari_sweep_report(void *context, enum wari_sweep_kind kind, int sweep, double changed);
void wari_sweep_to_fixed_point(struct wari_level *level, enum wari_sweep_kind kind,
                               wari_sweep_report *report, void *context);

/* Cycle rule `own`: one shrink; true if it raised a value. */
bool wari_shrink(struct wari_level *level, wari_sweep_report *report, void *context);

/* Counts all placements of the level by value (the stored cells, and the full opponent halves
 * through their moves): histogram[v + 48]. */
void wari_level_histogram(const struct wari_level *level,
                          uint64_t histogram[2 * WARI_SEEDS_MAX + 1]);

/* Stamps of block `child` from which on they are news to block `parent`: what changed since the
 * parent's last turn did so in this sweep if the child block's turn comes first, else in the
 * previous one. */
static inline uint8_t wari_news_since(const struct wari_level *level, int parent, int child)
{
    return (uint8_t)(level->turn[child] < level->turn[parent] ? level->sweep : level->sweep - 1);
}

static inline bool wari_row_has_news(const struct wari_level *level, int parent, int child,
                                     uint32_t row)
{
    return atomic_load_explicit(&level->row_stamps[level->row_stamp_offset[child] + row],
                                memory_order_relaxed) >= wari_news_since(level, parent, child);
}

/* Fills sources with the quiet moves of an item's column, stamps included; returns their
 * number. */
int wari_item_sources(const struct wari_level *level, const struct wari_item *item, uint32_t column,
                      struct wari_source sources[WARI_HALF_PITS]);

#endif
