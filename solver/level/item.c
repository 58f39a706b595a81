/* How blocks are cut into items, and where the children of an item's cells are. */
#include "solver/level/item.h"

#include "solver/rows/sowings.h"

/* A block is cut into at least this many items, if it has that many segments, so that threads do
 * not wait long for the last one. */
enum { ITEMS_WANTED = 32 };

static uint32_t groups_of(uint32_t columns)
{
    return (columns + WARI_GROUP - 1) / WARI_GROUP;
}

/* Strips of an item: whole segments, as many as leave enough items. */
static uint32_t strips_an_item(uint32_t strips, uint32_t groups)
{
    uint32_t run = WARI_ITEM_STRIPS;

    while (run > WARI_SEGMENT_STRIPS && (strips + run - 1) / run * groups < ITEMS_WANTED)
        run /= 2;
    return run;
}

uint32_t wari_item_count(const struct wari_level *level, enum wari_parents parents, int block)
{
    const uint32_t strips = level->tables->gather[parents][block][0].strips;
    const uint32_t groups = groups_of(level->layout.columns[block]);
    const uint32_t run = strips_an_item(strips, groups);

    return groups * ((strips + run - 1) / run);
}

struct wari_item wari_item_at(const struct wari_level *level, enum wari_parents parents, int block,
                              uint32_t i)
{
    const struct wari_gather *gather = &level->tables->gather[parents][block][0];
    const uint32_t columns = level->layout.columns[block];
    const uint32_t run = strips_an_item(gather->strips, groups_of(columns));
    const uint32_t runs = (gather->strips + run - 1) / run;
    const uint32_t first_column = i / runs * WARI_GROUP;
    const uint32_t first_strip = i % runs * run;

    return (struct wari_item){
        .parents = parents,
        .block = block,
        .first_column = first_column,
        .columns = columns - first_column < WARI_GROUP ? columns - first_column : WARI_GROUP,
        .first_strip = first_strip,
        .strips = gather->strips - first_strip < run ? gather->strips - first_strip : run,
        .rows = gather->parents,
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
            continue; /* feeding: a move must reach an empty row */
        const int child = level->layout.seeds - item->block - sown;
        sources[count++] = (struct wari_source){
            .row = child_row(level, item, child, wari_sowing_row(sowings[pit])),
            .gather = wari_item_gather(level, item, sown),
            .last = wari_sowing_last(sowings[pit]),
        };
    }
    return count;
}

uint32_t wari_item_key(int seeds, uint32_t column)
{
    enum { SORTED_PITS = 3, PIT_BITS = 6 };
    uint8_t half[WARI_HALF_PITS];
    uint32_t key = 0;

    wari_half_unrank(seeds, column, half);
    for (int pit = 0; pit < SORTED_PITS; pit++)
        key = key << PIT_BITS | half[pit];
    return key;
}
