/* One level while it is solved: its cells, what is known of them, and the passes over it.
 *
 * In memory the blocks of the level stand in index order, each row of 56 cells or more begins at a
 * cache line, and behind each block come WARI_BLOCK_PADDING unused bytes, so that kernels that read
 * a few bytes behind a row never touch a block that another thread writes:
 *
 *     cells:   block 0 | pad | block 1 | pad | ... | block n | pad     one code (cell.h) a cell
 *
 * A sweep goes over the blocks one after the other with a barrier between. Work within a block is
 * cut into items: up to 64 mover halves by a run of opponent halves. An item reads rows of other
 * blocks and writes its own cells; where children lie in the block itself (exactly when t = mover's
 * seeds - opponent's seeds), they are read from a copy in `scratch` that is made before. So no cell
 * is ever read and written at once, and such a pass does the same in every run.
 *
 * When few cells change, **events** tell which (events.h). They come to a cell in an order that
 * depends on the threads: values end up the same, but the number of cells looked at may differ.
 */
#ifndef SOLVER_LEVEL_H
#define SOLVER_LEVEL_H

#include <stdatomic.h>
#include <string.h>

#include "index/level.h"
#include "solver/item/full_halves.h"
#include "solver/kernel/kernel.h"
#include "solver/level/measure.h"
#include "solver/level/team.h"

enum {
    WARI_BLOCK_PADDING = 64,
    WARI_ITEM_STRIPS = 128, /* of an item at most: its tile of 64 columns is half a MiB */
    WARI_PARTS_SHIFT = 56,
};

/* In memory; see wari_level.events_share. */
#define WARI_EVENTS_SHARE 0.008
#define WARI_CELLS_SHARE 0.006

/* The rows of each block that are held: all of them, or those that one rank of several has. */
struct wari_share {
    uint32_t first_row[WARI_SEEDS_MAX + 1];
    uint32_t rows[WARI_SEEDS_MAX + 1];
};

struct wari_level {
    const struct wari_tables *tables;
    const struct wari_kernel_ops *kernel;
    const struct wari_host *host;
    struct wari_lower *lower;
    struct wari_team *team;
    const atomic_bool *stop; /* NULL, or: skip all work once it is true */
    struct wari_layout layout;
    struct wari_share share;
    struct wari_cells codes;             /* of values, or, in a shrink, of hopes */
    uint32_t pitch[WARI_SEEDS_MAX + 1];  /* bytes from row to row of a block */
    uint64_t offset[WARI_SEEDS_MAX + 2]; /* of the blocks */
    void *memory; /* of the cells, before they were moved up to a cache line */
    int8_t *cells;
    uint64_t won;    /* in a shrink: sum of all values above 0, as they were before it */
    int8_t *scratch; /* one block: as it was, for blocks that hold children of their own; behind
                      * the pages */
    uint64_t scratch_bytes;
    double events_share; /* once so few of the cells change in a sweep, the next leaves events, */
    double cells_share;  /* and below this only cells with events are computed after it */
    uint32_t parts;      /* of a block, for events */
    uint64_t parts_a_row[WARI_SEEDS_MAX + 1]; /* of a block: with WARI_PARTS_SHIFT bits behind the
                                               * point, rounded up */
    uint32_t first_part; /* that events are left for: 0, except where levels are dealt to ranks */
    struct wari_page *pages; /* of events */
    uint32_t page_count;
    _Atomic uint32_t next_page;
    struct wari_team_barrier barrier;
    int order[WARI_SEEDS_MAX + 1]; /* the i-th block to have its turn in a sweep */
    int turn[WARI_SEEDS_MAX + 1];  /* of a block: its place in `order`, or in those of a stream */
    struct wari_level_measure *measure;
    struct wari_checkpoint *checkpoint; /* NULL: none are written or looked for */
    struct wari_full_halves full_halves;
    bool counted; /* stored cells have been, for the next histogram: counts[v + 48] */
    uint64_t counts[2 * WARI_SEEDS_MAX + 1];
    struct wari_stream *stream; /* NULL, or the level is streamed (stream.h): then cells, scratch
                                 * and offset are not used */
};

/* All rows of all blocks. */
void wari_share_whole(struct wari_share *share, int seeds);

/* Bytes that a level, or a share of it, needs while it is solved; cache of lower levels, tables and
 * team not counted. And with as little room for events as will do: then some more sweeps have to
 * look at all cells. */
uint64_t wari_level_bytes(int seeds);
uint64_t wari_level_least(int seeds);

/* What wari_level.events_share is where it has so many bytes. */
double wari_level_events_share(int seeds, uint64_t bytes);
uint64_t wari_share_bytes(int seeds, const struct wari_share *share);

/* The parts that blocks are divided into for events, 1 to WARI_PARTS_MAX; for a level that is made.
 */
void wari_level_set_parts(struct wari_level *level, uint32_t parts);

/* Bytes from row to row of a block with so many columns. */
uint32_t wari_level_pitch(uint32_t columns);

/* Allocates everything for level `seeds`. The fields tables, kernel, host, lower, team, stop and
 * measure are the caller's to set before. On failure nothing stays allocated. */
WARI_MUST_CHECK enum wari_status wari_level_init(struct wari_level *level, int seeds,
                                                 enum wari_cycle cycle, struct wari_error *error);
/* The same within `bytes`, wari_level_least() or more. */
WARI_MUST_CHECK enum wari_status wari_level_init_within(struct wari_level *level, int seeds,
                                                        enum wari_cycle cycle, uint64_t bytes,
                                                        struct wari_error *error);
/* The same for a share of the level. */
WARI_MUST_CHECK enum wari_status wari_level_init_share(struct wari_level *level, int seeds,
                                                       enum wari_cycle cycle,
                                                       const struct wari_share *share,
                                                       struct wari_error *error);
/* The same for a level that is streamed within `bytes` of memory (stream.h), from a file `name` in
 * the folder `scratch`. `idle`: bytes more that others do not need while cells are swept. */
WARI_MUST_CHECK enum wari_status wari_level_init_streamed(struct wari_level *level, int seeds,
                                                          enum wari_cycle cycle, uint64_t bytes,
                                                          uint64_t idle, const char *scratch,
                                                          const char *name,
                                                          struct wari_error *error);

void wari_level_destroy(struct wari_level *level);

/* Where a row that is held begins, in `cells`. */
static inline uint64_t wari_level_place(const struct wari_level *level, int block, uint32_t row)
{
    return level->offset[block] +
           (uint64_t)(row - level->share.first_row[block]) * level->pitch[block];
}

/* Copies values in index order, from position `first` on, all of them in rows that are held. For
 * any number of threads at once, when the level is solved. Where a streamed level cannot be read,
 * the team has failed. */
void wari_level_values(const struct wari_level *level, uint64_t first, size_t count,
                       int8_t *values);

/* Whether to skip all work: on request, or because a lower level could not be read. */
static inline bool wari_level_stopped(const struct wari_level *level)
{
    return (level->stop && atomic_load_explicit(level->stop, memory_order_relaxed)) ||
           atomic_load_explicit(&level->team->failed, memory_order_relaxed);
}

/* A row of the block that has its turn. Streamed: the row is in the window. */
int8_t *wari_level_row(const struct wari_level *level, int block, uint32_t row);

/* ---- Items ---------------------------------------------------------------------------------- */

/* A run of strips of one block by a group of its columns. */
struct wari_item {
    enum wari_parents parents;
    int block; /* seeds on the opponent's side */
    uint32_t first_column, columns;
    uint32_t first_strip, strips; /* first_strip: a multiple of WARI_SEGMENT_STRIPS */
    uint32_t rows;                /* of the block, for these parents */
};

/* Items of a block, and the i-th of them. */
uint32_t wari_item_count(const struct wari_level *level, enum wari_parents parents, int block);
struct wari_item wari_item_at(const struct wari_level *level, enum wari_parents parents, int block,
                              uint32_t i);

/* The sowings of an item's columns, from one of them on: [column][pit], WARI_NO_SOWING for an empty
 * pit. They stay until the worker is asked for those of an item with other columns. */
const wari_sowing (*wari_item_sowings(const struct wari_level *level, struct wari_worker *worker,
                                      const struct wari_item *item,
                                      uint32_t column))[WARI_HALF_PITS];

/* The gather for a sowing of an item's mover half. */
static inline const struct wari_gather *wari_item_gather(const struct wari_level *level,
                                                         const struct wari_item *item, int sown)
{
    return &level->tables->gather[item->parents][item->block][sown];
}

/* Fills sources with the quiet moves of an item's column; returns their number. `own`: NULL, or
 * where children in the item's own block are to be read. */
int wari_item_sources(const struct wari_level *level, struct wari_worker *worker,
                      const struct wari_item *item, uint32_t column, const int8_t *own,
                      struct wari_source sources[WARI_HALF_PITS]);

/* Rows of a strip of an item: WARI_STRIP, or fewer in the last one. */
static inline uint32_t wari_strip_rows(const struct wari_item *item, uint32_t strip)
{
    const uint32_t left = item->rows - strip * WARI_STRIP;

    return left < WARI_STRIP ? left : WARI_STRIP;
}

/* Strips of a segment of an item's block: WARI_SEGMENT_STRIPS, or fewer in the last one. */
static inline uint32_t wari_segment_strips(const struct wari_item *item, uint32_t segment)
{
    const uint32_t left = (item->rows - segment * WARI_SEGMENT + WARI_STRIP - 1) / WARI_STRIP;

    return left < WARI_SEGMENT_STRIPS ? left : WARI_SEGMENT_STRIPS;
}

/* Copies the cells of one row and group. Nearly all have 64: a copy of fixed size is one
 * instruction. */
static inline void wari_copy_group(int8_t *to, const int8_t *from, uint32_t columns)
{
    if (columns == WARI_GROUP)
        memcpy(to, from, WARI_GROUP);
    else
        memcpy(to, from, columns);
}

/* Whether some children of a block's cells are in the block itself. */
bool wari_holds_own_children(const struct wari_layout *layout, int block);

#endif
