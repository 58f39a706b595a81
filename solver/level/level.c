/* Memory of a level while it is solved, and the items that passes are cut into. */
#include "solver/level/events.h"
#include "solver/rows/sowings.h"
#include "solver/scratch/stream.h"
#include "solver/system/huge_pages.h"

#include <string.h>

/* A block is cut into at least this many items, if it has that many segments, so that threads do
 * not wait long for the last one. */
enum { ITEMS_WANTED = 32 };

/* A byte of events for so many cells: one event for 66 cells, 3 or 4 events for a cell that
 * changes. Where memory is short a quarter of that does: five sweeps more look at all cells. */
enum { EVENT_SHARE = 8, EVENT_SHARE_LEAST = 32 };

static uint32_t groups_of(uint32_t columns)
{
    return (columns + WARI_GROUP - 1) / WARI_GROUP;
}

/* ---- Items ---------------------------------------------------------------------------------- */

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

int8_t *wari_level_row(const struct wari_level *level, int block, uint32_t row)
{
    return level->cells + wari_level_place(level, block, row);
}

/* `own`: NULL, or where the block is read from. */
static const int8_t *child_row(const struct wari_level *level, int block, uint32_t row,
                               const int8_t *own)
{
    if (level->stream)
        return wari_pieces_row(&level->stream->pieces, block, row);
    return own ? own + (uint64_t)row * level->pitch[block]
               : level->cells + wari_level_place(level, block, row);
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
                      const struct wari_item *item, uint32_t column, const int8_t *own,
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
            .row = child_row(level, child, wari_sowing_row(sowings[pit]),
                             child == item->block ? own : NULL),
            .gather = wari_item_gather(level, item, sown),
            .last = wari_sowing_last(sowings[pit]),
        };
    }
    return count;
}

bool wari_holds_own_children(const struct wari_layout *layout, int block)
{
    const int sown = layout->seeds - 2 * block;

    return sown >= 0 && sown <= WARI_SOWN_MAX && wari_seeds_to_sow(sown) <= layout->seeds - block;
}

/* n, 0, n-1, 1, ... */
static void order_blocks(struct wari_level *level)
{
    const int n = level->layout.seeds;

    for (int turn = 0; turn <= n; turn++) {
        const int block = turn % 2 == 0 ? n - turn / 2 : turn / 2;
        level->order[turn] = block;
        level->turn[block] = turn;
    }
}

/* ---- Memory --------------------------------------------------------------------------------- */

/* Bytes from row to row. Long rows begin at a cache line: 1 to 5 % more cells at 12 to 20 seeds,
 * but a patch then touches one line a row, not two, and threads never write into the same line. */
uint32_t wari_level_pitch(uint32_t columns)
{
    enum { LINE = 64, LONG = 56 };

    return columns < LONG ? columns : (columns + LINE - 1) / LINE * LINE;
}

/* Sizes of a level's arrays. */
struct sizes {
    uint64_t cells, scratch, pages;
};

void wari_share_whole(struct wari_share *share, int seeds)
{
    memset(share, 0, sizeof *share);
    for (int s = 0; s <= seeds; s++)
        share->rows[s] = wari_row_count(s);
}

static struct sizes lay_out(struct wari_level *level, int seeds, const struct wari_share *share)
{
    struct wari_layout *layout = &level->layout;
    struct sizes sizes = {0};

    wari_layout_init(layout, seeds);
    level->share = *share;
    for (int s = 0; s <= seeds; s++) {
        uint64_t bytes;
        level->pitch[s] = wari_level_pitch(layout->columns[s]);
        bytes = (uint64_t)share->rows[s] * level->pitch[s];
        level->offset[s] =
            (sizes.cells + WARI_BLOCK_PADDING - 1) / WARI_BLOCK_PADDING * WARI_BLOCK_PADDING;
        sizes.cells = level->offset[s] + bytes + WARI_BLOCK_PADDING;
        if (wari_holds_own_children(layout, s) && bytes + WARI_BLOCK_PADDING > sizes.scratch)
            sizes.scratch = bytes + WARI_BLOCK_PADDING;
    }
    sizes.pages = sizes.cells / EVENT_SHARE / sizeof(struct wari_page);
    level->offset[seeds + 1] = sizes.cells;
    return sizes;
}

/* Parts of a block: as many as give each some work, but no more lists than there are events for. */
static uint32_t parts_of(uint64_t cells)
{
    enum { CELLS_A_PART = 1 << 18 };
    const uint64_t parts = cells / CELLS_A_PART + 1;

    return parts < WARI_PARTS_MAX ? (uint32_t)parts : WARI_PARTS_MAX;
}

/* So that the part of a row takes no division. Rounded up by one, a row's is off by less than
 * 2^22 / 2^56, and so stays below the next whole number if that is at least 1 / 2^22 away. */
void wari_level_set_parts(struct wari_level *level, uint32_t parts)
{
    level->parts = parts;
    for (int s = 0; s <= level->layout.seeds; s++)
        level->parts_a_row[s] = ((uint64_t)parts << WARI_PARTS_SHIFT) / level->layout.rows[s] + 1;
}

static uint64_t all_of(const struct sizes *sizes)
{
    return sizes->cells + sizes->scratch + sizes->pages * sizeof(struct wari_page);
}

static uint64_t least_pages(const struct sizes *sizes)
{
    return (sizes->pages * EVENT_SHARE + EVENT_SHARE_LEAST - 1) / EVENT_SHARE_LEAST;
}

uint64_t wari_level_bytes(int seeds)
{
    struct wari_share share;

    wari_share_whole(&share, seeds);
    return wari_share_bytes(seeds, &share);
}

uint64_t wari_share_bytes(int seeds, const struct wari_share *share)
{
    struct wari_level level;
    const struct sizes sizes = lay_out(&level, seeds, share);

    return all_of(&sizes);
}

uint64_t wari_level_least(int seeds)
{
    struct wari_share share;
    struct wari_level level;
    struct sizes sizes;

    wari_share_whole(&share, seeds);
    sizes = lay_out(&level, seeds, &share);
    sizes.pages = least_pages(&sizes);
    return all_of(&sizes);
}

/* Leaves as many pages as `bytes` have room for; returns what share of the pages that is. */
static double limit(struct sizes *sizes, uint64_t bytes)
{
    const uint64_t wanted = sizes->pages, least = least_pages(sizes);
    const uint64_t all = all_of(sizes), more = all > bytes ? all - bytes : 0;
    const uint64_t taken = (more + sizeof(struct wari_page) - 1) / sizeof(struct wari_page);

    if (taken == 0 || wanted == 0)
        return 1;
    sizes->pages = wanted > least + taken ? wanted - taken : least;
    return (double)sizes->pages / (double)wanted;
}

double wari_level_events_share(int seeds, uint64_t bytes)
{
    struct wari_share share;
    struct wari_level level;
    struct sizes sizes;

    wari_share_whole(&share, seeds);
    sizes = lay_out(&level, seeds, &share);
    return WARI_EVENTS_SHARE * limit(&sizes, bytes);
}

static enum wari_status allocate(const struct wari_level *level, uint64_t bytes, const char *what,
                                 void *pointer_to_pointer, struct wari_error *error)
{
    void *memory;
    enum wari_status status;

    if (bytes > SIZE_MAX)
        return wari_fail(error, WARI_NO_MEMORY, "%s would not fit into the address space", what);
    status = wari_allocate(level->host, (size_t)bytes, what, &memory, error);
    memcpy(pointer_to_pointer, &memory, sizeof memory);
    if (status == WARI_OK)
        wari_ask_for_huge_pages(memory, bytes);
    return status;
}

/* The same, beginning at a cache line. */
static enum wari_status allocate_cells(struct wari_level *level, uint64_t bytes,
                                       struct wari_error *error)
{
    enum { LINE = 64 };
    const enum wari_status status =
        allocate(level, bytes + LINE - 1, "the cells of a level", &level->memory, error);

    level->cells = (int8_t *)(((uintptr_t)level->memory + LINE - 1) / LINE * LINE);
    return status;
}

static void clear_pointers(struct wari_level *level)
{
    level->memory = NULL;
    level->cells = level->scratch = NULL;
    level->pages = NULL;
    level->full_halves.host = NULL;
    level->full_halves.whole = false;
    level->stream = NULL;
}

/* Everything but memory. */
static struct sizes begin(struct wari_level *level, int seeds, enum wari_cycle cycle,
                          const struct wari_share *share)
{
    const struct sizes sizes = lay_out(level, seeds, share);

    clear_pointers(level);
    atomic_init(&level->barrier.arrived, 0);
    atomic_init(&level->barrier.round, 0);
    wari_cells_init(&level->codes, seeds, cycle);
    order_blocks(level);
    level->scratch_bytes = sizes.scratch;
    level->page_count = (uint32_t)sizes.pages;
    wari_level_set_parts(level, parts_of(sizes.cells));
    level->first_part = 0;
    level->events_share = WARI_EVENTS_SHARE;
    level->cells_share = WARI_CELLS_SHARE;
    return sizes;
}

enum wari_status wari_level_init_streamed(struct wari_level *level, int seeds,
                                          enum wari_cycle cycle, uint64_t bytes, uint64_t idle,
                                          const char *scratch, const char *name,
                                          struct wari_error *error)
{
    struct wari_share share;

    wari_share_whole(&share, seeds);
    begin(level, seeds, cycle, &share);
    return wari_stream_create(level, cycle, bytes, idle, scratch, name, error);
}

static enum wari_status make_arrays(struct wari_level *level, const struct sizes *sizes,
                                    struct wari_error *error)
{
    const uint64_t pages = sizes->pages * sizeof(struct wari_page);
    enum wari_status status = allocate_cells(level, sizes->cells, error);

    if (status == WARI_OK)
        status = allocate(level, pages + sizes->scratch + 1, "the changes of a level",
                          &level->pages, error);
    if (status != WARI_OK)
        wari_level_destroy(level);
    else
        level->scratch = (int8_t *)level->pages + pages;
    return status;
}

enum wari_status wari_level_init(struct wari_level *level, int seeds, enum wari_cycle cycle,
                                 struct wari_error *error)
{
    return wari_level_init_within(level, seeds, cycle, UINT64_MAX, error);
}

enum wari_status wari_level_init_within(struct wari_level *level, int seeds, enum wari_cycle cycle,
                                        uint64_t bytes, struct wari_error *error)
{
    struct wari_share share;
    struct sizes sizes;
    double left;

    wari_share_whole(&share, seeds);
    sizes = begin(level, seeds, cycle, &share);
    left = limit(&sizes, bytes);
    level->page_count = (uint32_t)sizes.pages;
    level->events_share *= left; /* the fewer pages, the fewer cells may leave events */
    level->cells_share *= left;
    return make_arrays(level, &sizes, error);
}

enum wari_status wari_level_init_share(struct wari_level *level, int seeds, enum wari_cycle cycle,
                                       const struct wari_share *share, struct wari_error *error)
{
    const struct sizes sizes = begin(level, seeds, cycle, share);

    return make_arrays(level, &sizes, error);
}

void wari_level_values(const struct wari_level *level, uint64_t first, size_t count, int8_t *values)
{
    const struct wari_layout *layout = &level->layout;
    int block = 0;

    if (level->stream) {
        wari_stream_values(level, first, count, values);
        return;
    }
    while (count > 0) {
        while (first >= layout->block_offset[block + 1])
            block++;
        const uint64_t place = first - layout->block_offset[block];
        const uint32_t columns = layout->columns[block];
        const uint32_t column = (uint32_t)(place % columns);
        const size_t run = columns - column < count ? columns - column : count;
        const int8_t *cells =
            level->cells + wari_level_place(level, block, (uint32_t)(place / columns)) + column;
        level->kernel->look_up(level->codes.value, cells, run, values);
        values += run;
        first += run;
        count -= run;
    }
}

void wari_level_destroy(struct wari_level *level)
{
    wari_full_halves_close(level);
    wari_stream_destroy(level);
    wari_release(level->host, level->memory);
    wari_release(level->host, level->pages);
    clear_pointers(level);
}
