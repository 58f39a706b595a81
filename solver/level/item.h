/* Items: what a worker takes on at a time.
 *
 * An item is up to WARI_ITEM_COLUMNS columns of a block by a run of strips, of WARI_STRIP rows
 * each. Its smallest children fit into the worker's tile.
 */
#ifndef SOLVER_LEVEL_ITEM_H
#define SOLVER_LEVEL_ITEM_H

#include <string.h>

#include "solver/level/level.h"

/* A run of strips of one block by a group of its columns. */
struct wari_item {
    enum wari_parents parents;
    int block; /* seeds on the opponent's side */
    uint32_t first_column, columns;
    uint32_t first_strip, strips; /* first_strip: a multiple of WARI_RANGE_STRIPS */
    uint32_t rows;                /* of the block, for these parents */
};

/* How a block is cut into items: its columns into groups, and these into runs of strips. */
struct wari_item_cut {
    enum wari_parents parents;
    int block;
    uint32_t columns, rows; /* rows: parents of this kind */
    uint32_t run;           /* strips that an item has at most, a multiple of WARI_RANGE_STRIPS */
    uint32_t runs, items;   /* runs of a group; items of the block */
};
struct wari_item_cut wari_item_cut_of(enum wari_parents parents, int block, uint32_t columns,
                                      uint32_t rows, uint32_t run);

/* Into as many items as the threads of a team need, if the block has as many segments. */
struct wari_item_cut wari_items_of_block(const struct wari_level *level, enum wari_parents parents,
                                         int block);

/* The i-th item, group by group. */
struct wari_item wari_item_at(const struct wari_item_cut *cut, uint32_t i);

/* The full halves of some columns of a block, of one group, as an item. */
struct wari_item wari_item_of_full(const struct wari_level *level, int block, uint32_t first_column,
                                   uint32_t columns);

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

/* Where a row of a child block is in memory; and where it is if it is resident. */
typedef const int8_t *wari_child_row(const struct wari_level *level, const struct wari_item *item,
                                     int child, uint32_t row);

static inline const int8_t *wari_resident_row(const struct wari_level *level,
                                              const struct wari_item *item, int child, uint32_t row)
{
    const struct wari_resident *resident = &level->resident;

    if (child == item->block && item->parents == WARI_PARENTS_ROWS)
        return resident->copy +
               (uint64_t)(row - resident->partition.first_row[child]) * resident->pitch[child];
    return wari_level_row(level, child, row);
}

/* Fills sources with the quiet moves of an item's column; returns their number. */
int wari_item_sources(const struct wari_level *level, struct wari_worker *worker,
                      const struct wari_item *item, uint32_t column, wari_child_row *child_row,
                      struct wari_source sources[WARI_HALF_PITS]);

/* Rows of a strip of an item: WARI_STRIP, or fewer in the last one. */
static inline uint32_t wari_strip_rows(const struct wari_item *item, uint32_t strip)
{
    const uint32_t left = item->rows - strip * WARI_STRIP;

    return left < WARI_STRIP ? left : WARI_STRIP;
}

/* Places and strips of a segment of an item's block: fewer in the last one. */
static inline uint32_t wari_range_rows(const struct wari_item *item, uint32_t segment)
{
    const uint32_t left = item->rows - segment * WARI_RANGE_ROWS;

    return left < WARI_RANGE_ROWS ? left : WARI_RANGE_ROWS;
}

static inline uint32_t wari_range_strips(const struct wari_item *item, uint32_t segment)
{
    return (wari_range_rows(item, segment) + WARI_STRIP - 1) / WARI_STRIP;
}

/* Copies the cells of one row and group, or of some groups. Nearly all have 64: a copy of fixed
 * size is one instruction. */
static inline void wari_copy_group(int8_t *to, const int8_t *from, uint32_t columns)
{
    if (columns == WARI_ITEM_COLUMNS)
        memcpy(to, from, WARI_ITEM_COLUMNS);
    else
        memcpy(to, from, columns);
}

#endif
