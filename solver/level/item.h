/* Items: the units of work of a thread.
 *
 * An item is up to WARI_ITEM_COLUMNS columns of a block by up to WARI_ITEM_STRIPS_MAX strips of
 * WARI_STRIP rows each. The smallest children of its cells fit into the worker's tile.
 */
#ifndef SOLVER_LEVEL_ITEM_H
#define SOLVER_LEVEL_ITEM_H

#include <string.h>

#include "solver/level/level.h"

struct wari_item {
    enum wari_parents parents;
    int block; /* seeds on the opponent's side */
    uint32_t first_column, columns;
    uint32_t first_strip, strips; /* in the capture pass, first_strip is a multiple of
                                   * WARI_BAND_STRIPS */
    uint32_t rows; /* number of rows of the whole block: its stored rows with WARI_PARENTS_ROWS, its
                    * full opponent halves with WARI_PARENTS_FULL */
    uint32_t first_copied, copied_rows; /* children in these rows of `block` are read from
                                         * resident.copy (level.h) */
};

/* The division of a block into items: first the items of the first WARI_ITEM_COLUMNS columns, with
 * up to `item_strips` strips in each item; then the items of the next WARI_ITEM_COLUMNS columns,
 * and so on. */
struct wari_item_cut {
    enum wari_parents parents;
    int block;
    uint32_t columns, rows;    /* rows: number of opponent halves of the kind `parents` */
    uint32_t item_strips;      /* maximum number of strips of an item; a multiple of
                                * WARI_BAND_STRIPS */
    uint32_t items_of_columns; /* number of items that have the same columns */
    uint32_t items;            /* number of items of the block */
};
struct wari_item_cut wari_item_cut_of(enum wari_parents parents, int block, uint32_t columns,
                                      uint32_t rows, uint32_t item_strips);

/* Returns a division into enough items to keep all threads busy, if the block is large enough. */
struct wari_item_cut wari_items_of_block(const struct wari_level *level, enum wari_parents parents,
                                         int block);

/* Returns the i-th item. */
struct wari_item wari_item_at(const struct wari_item_cut *cut, uint32_t i);

/* Returns an item of all full halves of a block, for up to WARI_ITEM_COLUMNS columns. */
struct wari_item wari_item_of_full(const struct wari_level *level, int block, uint32_t first_column,
                                   uint32_t columns);

/* Returns the sowings of an item's columns, from `column` on: [column][pit], WARI_NO_SOWING for an
 * empty pit. The sowings stay valid until the function is called for the same worker with other
 * columns. */
const wari_sowing (*wari_item_sowings(const struct wari_level *level, struct wari_worker *worker,
                                      const struct wari_item *item,
                                      uint32_t column))[WARI_HALF_PITS];

/* Returns the gather for a move of an item's mover half that drops `sown` seeds. */
static inline const struct wari_gather *wari_item_gather(const struct wari_level *level,
                                                         const struct wari_item *item, int sown)
{
    return &level->tables->gather[item->parents][item->block][sown];
}

/* Returns true if row `row` of block `child` is read from resident.copy. */
static inline bool wari_item_copied(const struct wari_item *item, int child, uint32_t row)
{
    return child == item->block && row - item->first_copied < item->copied_rows;
}

/* Returns the address of the cells of row `row` of block `child`. wari_resident_row() implements it
 * for resident rows. */
typedef const int8_t *wari_child_row(const struct wari_level *level, const struct wari_item *item,
                                     int child, uint32_t row);

static inline const int8_t *wari_resident_row(const struct wari_level *level,
                                              const struct wari_item *item, int child, uint32_t row)
{
    const struct wari_resident *resident = &level->resident;

    if (wari_item_copied(item, child, row))
        return resident->copy +
               (uint64_t)(row - resident->partition.first_row[child]) * resident->pitch[child];
    return wari_level_row(level, child, row);
}

/* Fills `sources` with the quiet moves of an item's column. Returns their number. */
int wari_item_sources(const struct wari_level *level, struct wari_worker *worker,
                      const struct wari_item *item, uint32_t column, wari_child_row *child_row,
                      struct wari_source sources[WARI_HALF_PITS]);

/* Returns the number of rows in a strip: WARI_STRIP, or fewer in the last one. */
static inline uint32_t wari_strip_rows(const struct wari_item *item, uint32_t strip)
{
    const uint32_t left = item->rows - strip * WARI_STRIP;

    return left < WARI_STRIP ? left : WARI_STRIP;
}

/* Return the number of rows and strips in a band: WARI_BAND_ROWS and WARI_BAND_STRIPS, or fewer in
 * the last band. */
static inline uint32_t wari_band_rows(const struct wari_item *item, uint32_t band)
{
    const uint32_t left = item->rows - band * WARI_BAND_ROWS;

    return left < WARI_BAND_ROWS ? left : WARI_BAND_ROWS;
}

static inline uint32_t wari_band_strips(const struct wari_item *item, uint32_t band)
{
    return (wari_band_rows(item, band) + WARI_STRIP - 1) / WARI_STRIP;
}

/* Copies up to WARI_ITEM_COLUMNS cells of a row. Nearly always there are exactly WARI_ITEM_COLUMNS
 * cells, and a copy of a fixed size is a single instruction. */
static inline void wari_copy_row(int8_t *to, const int8_t *from, uint32_t columns)
{
    if (columns == WARI_ITEM_COLUMNS)
        memcpy(to, from, WARI_ITEM_COLUMNS);
    else
        memcpy(to, from, columns);
}

#endif
