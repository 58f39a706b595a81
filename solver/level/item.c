/* The division of blocks into items, and the children of the cells of an item. */
#include "solver/level/item.h"

/* A block is divided into at least 32 items, if it is large enough, so that threads do not wait
 * long for the last item. */
enum { ITEMS_MIN = 32 };

struct wari_item_cut wari_item_cut_of(enum wari_parents parents, int block, uint32_t columns,
                                      uint32_t rows, uint32_t item_strips)
{
    const uint32_t items_of_columns =
        (rows + item_strips * WARI_STRIP - 1) / (item_strips * WARI_STRIP);

    return (struct wari_item_cut){
        .parents = parents,
        .block = block,
        .columns = columns,
        .rows = rows,
        .item_strips = item_strips,
        .items_of_columns = items_of_columns,
        .items = (columns + WARI_ITEM_COLUMNS - 1) / WARI_ITEM_COLUMNS * items_of_columns,
    };
}

/* Halves the number of strips in an item until there are enough items. */
struct wari_item_cut wari_items_of_block(const struct wari_level *level, enum wari_parents parents,
                                         int block)
{
    const uint32_t rows = level->tables->gather[parents][block][0].parents;
    const uint32_t columns = level->layout.columns[block];
    uint32_t item_strips = WARI_ITEM_STRIPS_MAX;
    struct wari_item_cut cut = wari_item_cut_of(parents, block, columns, rows, item_strips);

    while (item_strips > WARI_BAND_STRIPS && cut.items < ITEMS_MIN) {
        item_strips /= 2;
        cut = wari_item_cut_of(parents, block, columns, rows, item_strips);
    }
    return cut;
}

struct wari_item wari_item_at(const struct wari_item_cut *cut, uint32_t i)
{
    const uint32_t first_column = i / cut->items_of_columns * WARI_ITEM_COLUMNS;
    const uint32_t first_strip = i % cut->items_of_columns * cut->item_strips;
    const uint32_t columns = cut->columns - first_column;
    const uint32_t strips = (cut->rows + WARI_STRIP - 1) / WARI_STRIP - first_strip;

    return (struct wari_item){
        .parents = cut->parents,
        .block = cut->block,
        .first_column = first_column,
        .columns = columns < WARI_ITEM_COLUMNS ? columns : WARI_ITEM_COLUMNS,
        .first_strip = first_strip,
        .strips = strips < cut->item_strips ? strips : cut->item_strips,
        .rows = cut->rows,
        .copied_rows = cut->parents == WARI_PARENTS_ROWS ? cut->rows : 0,
    };
}

struct wari_item wari_item_of_full(const struct wari_level *level, int block, uint32_t first_column,
                                   uint32_t columns)
{
    const struct wari_gather *gather = &level->tables->gather[WARI_PARENTS_FULL][block][0];

    return (struct wari_item){.parents = WARI_PARENTS_FULL,
                              .block = block,
                              .first_column = first_column,
                              .columns = columns,
                              .strips = gather->strips,
                              .rows = gather->parents};
}

const wari_sowing (*wari_item_sowings(const struct wari_level *level, struct wari_worker *worker,
                                      const struct wari_item *item,
                                      uint32_t column))[WARI_HALF_PITS]
{
    struct wari_sown *sown = &worker->sown;
    const int seeds = level->layout.seeds - item->block;

    if (sown->seeds != seeds || sown->first != item->first_column || sown->count != item->columns) {
        sown->seeds = seeds;
        sown->first = item->first_column;
        sown->count = item->columns;
        wari_sow_halves(&level->tables->halves, seeds, sown->first, sown->count, sown->sowing);
    }
    return (const wari_sowing(*)[WARI_HALF_PITS])sown->sowing + column;
}

int wari_item_sources(const struct wari_level *level, struct wari_worker *worker,
                      const struct wari_item *item, uint32_t column, wari_child_row *child_row,
                      struct wari_source sources[WARI_HALF_PITS])
{
    const wari_sowing *sowings = *wari_item_sowings(level, worker, item, column);
    int count = 0;

    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        if (sowings[pit] == WARI_NO_SOWING)
            continue;
        const int sown = wari_sowing_sown(sowings[pit]);
        if (sown == 0 && item->block == 0)
            continue; /* feeding: an opponent's empty row must get seeds */
        const int child = level->layout.seeds - item->block - sown;
        sources[count++] = (struct wari_source){
            .row = child_row(level, item, child, wari_sowing_row(sowings[pit])),
            .gather = wari_item_gather(level, item, sown),
            .last = wari_sowing_last(sowings[pit]),
        };
    }
    return count;
}
