/* Memory of a level while it is solved, and the items that passes are cut into. */
#include "solver/level.h"

#include <string.h>
#include <sys/mman.h>

/* An item holds at most this many segments, so that a block of few columns still gives every
 * thread something to do. */
enum { SEGMENTS_AN_ITEM = 32 };

static uint32_t groups_of(uint32_t columns)
{
    return (columns + WARI_GROUP - 1) / WARI_GROUP;
}

static uint32_t segments_of(uint32_t rows)
{
    return (rows + WARI_SEGMENT - 1) / WARI_SEGMENT;
}

/* ---- Items ---------------------------------------------------------------------------------- */

static uint32_t parent_rows(const struct wari_level *level, enum wari_parents parents, int block)
{
    return level->tables->gather[parents][block][0].parents;
}

static uint32_t runs_of(uint32_t rows)
{
    return (segments_of(rows) + SEGMENTS_AN_ITEM - 1) / SEGMENTS_AN_ITEM;
}

uint32_t wari_item_count(const struct wari_level *level, enum wari_parents parents, int block)
{
    return groups_of(level->layout.columns[block]) * runs_of(parent_rows(level, parents, block));
}

struct wari_item wari_item_at(const struct wari_level *level, enum wari_parents parents, int block,
                              uint32_t i)
{
    const uint32_t rows = parent_rows(level, parents, block);
    const uint32_t runs = runs_of(rows);
    const uint32_t columns = level->layout.columns[block];
    const uint32_t first_column = i / runs * WARI_GROUP;
    const uint32_t first_segment = i % runs * SEGMENTS_AN_ITEM;
    const uint32_t segments = segments_of(rows);

    return (struct wari_item){
        .parents = parents,
        .block = block,
        .first_column = first_column,
        .columns = columns - first_column < WARI_GROUP ? columns - first_column : WARI_GROUP,
        .first_segment = first_segment,
        .end_segment = segments - first_segment < SEGMENTS_AN_ITEM
                           ? segments
                           : first_segment + SEGMENTS_AN_ITEM,
        .rows = rows,
    };
}

int wari_item_sources(const struct wari_level *level, const struct wari_item *item, uint32_t column,
                      struct wari_source sources[WARI_HALF_PITS])
{
    const wari_sowing *sowings = wari_item_sowings(level, item, column);
    int count = 0;

    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        if (sowings[pit] == WARI_NO_SOWING)
            continue;
        const int sown = wari_sowing_sown(sowings[pit]);
        if (sown == 0 && item->block == 0)
            continue; /* feeding: a move must reach an empty row */
        const int child = level->layout.seeds - item->block - sown;
        const uint32_t row = wari_sowing_row(sowings[pit]);
        sources[count++] = (struct wari_source){
            .row =
                level->values + level->offset[child] + (uint64_t)row * level->layout.columns[child],
            .gather = wari_item_gather(level, item, sown),
            .last = wari_sowing_last(sowings[pit]),
            .since = wari_news_since(level, item->block, child),
            .stamps = wari_row_has_news(level, item->block, child, row)
                          ? level->stamps + level->stamp_offset[child] +
                                (uint64_t)row * level->stamp_columns[child]
                          : NULL,
        };
    }
    return count;
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

/* The cells of the largest block that holds children of its own: mover a, opponent b seeds, and a
 * move that sows a - b. */
static uint64_t scratch_cells(const struct wari_layout *layout)
{
    uint64_t most = 0;

    for (int s = 0; 2 * s <= layout->seeds; s++) {
        const int sown = layout->seeds - 2 * s;
        const uint64_t cells = (uint64_t)layout->rows[s] * layout->columns[s];
        if (sown <= WARI_SOWN_MAX && wari_seeds_to_sow(sown) <= layout->seeds - s && cells > most)
            most = cells;
    }
    return most;
}

/* A word for each patch of 64 by 64 cells, of the block where that is most. */
static uint64_t scratch_words(const struct wari_layout *layout)
{
    uint64_t most = 0;

    for (int s = 0; 2 * s <= layout->seeds; s++) {
        const uint64_t words = (uint64_t)segments_of(layout->rows[s]) * WARI_SEGMENT_WORDS *
                               groups_of(layout->columns[s]);
        if (words > most)
            most = words;
    }
    return most;
}

static void count_stamps(struct wari_level *level, uint64_t *stamps, uint64_t *row_stamps)
{
    const struct wari_layout *layout = &level->layout;

    *stamps = 0;
    *row_stamps = 0;
    for (int s = 0; s <= layout->seeds; s++) {
        level->stamp_columns[s] = groups_of(layout->columns[s]);
        level->stamp_offset[s] = *stamps;
        level->row_stamp_offset[s] = *row_stamps;
        *stamps += (uint64_t)layout->rows[s] * level->stamp_columns[s];
        *row_stamps += layout->rows[s];
    }
}

static uint64_t padded_cells(struct wari_level *level)
{
    for (int s = 0; s <= level->layout.seeds + 1; s++)
        level->offset[s] = level->layout.block_offset[s] + (uint64_t)s * WARI_BLOCK_PADDING;
    return level->offset[level->layout.seeds + 1];
}

uint64_t wari_level_bytes(int seeds, enum wari_cycle cycle)
{
    struct wari_level level;
    uint64_t stamps, row_stamps;

    wari_layout_init(&level.layout, seeds);
    count_stamps(&level, &stamps, &row_stamps);
    return padded_cells(&level) * (cycle == WARI_OWN ? 3 : 2) + scratch_cells(&level.layout) +
           scratch_words(&level.layout) * sizeof(uint64_t) + stamps + row_stamps;
}

static enum wari_status allocate(const struct wari_level *level, uint64_t bytes, const char *what,
                                 void *pointer_to_pointer, struct wari_error *error)
{
    const uintptr_t huge = UINT64_C(2) << 20;
    void *memory;
    enum wari_status status;

    if (bytes > SIZE_MAX)
        return wari_fail(error, WARI_NO_MEMORY, "%s would not fit into the address space", what);
    status = wari_allocate(level->host, (size_t)bytes, what, &memory, error);
    memcpy(pointer_to_pointer, &memory, sizeof memory);
#ifdef MADV_HUGEPAGE
    if (status == WARI_OK && bytes > 4 * huge) {
        const uintptr_t from = ((uintptr_t)memory + huge - 1) / huge * huge;
        const uintptr_t to = ((uintptr_t)memory + bytes) / huge * huge;
        /* advice: where it is not taken, only speed suffers */
        (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
    }
#endif
    return status;
}

enum wari_status wari_level_init(struct wari_level *level, int seeds, enum wari_cycle cycle,
                                 struct wari_error *error)
{
    uint64_t cells, stamps, row_stamps;
    enum wari_status status;

    wari_layout_init(&level->layout, seeds);
    level->values = level->captures = level->floor = level->scratch = NULL;
    level->scratch_rows = NULL;
    level->stamps = NULL;
    level->row_stamps = NULL;
    level->sweep = 0;
    atomic_init(&level->barrier.arrived, 0);
    atomic_init(&level->barrier.round, 0);
    order_blocks(level);
    count_stamps(level, &stamps, &row_stamps);
    cells = padded_cells(level);
    status = allocate(level, cells, "the values of a level", &level->values, error);
    if (status == WARI_OK)
        status = allocate(level, cells, "the captures of a level", &level->captures, error);
    if (status == WARI_OK && cycle == WARI_OWN)
        status = allocate(level, cells, "the proved values of a level", &level->floor, error);
    if (status == WARI_OK)
        status = allocate(level, scratch_cells(&level->layout) + 1, "a scratch block",
                          &level->scratch, error);
    if (status == WARI_OK)
        status = allocate(level, scratch_words(&level->layout) * sizeof(uint64_t) + 1,
                          "the changes of a scratch block", &level->scratch_rows, error);
    if (status == WARI_OK)
        status = allocate(level, stamps, "the stamps of a level", &level->stamps, error);
    if (status == WARI_OK)
        status =
            allocate(level, row_stamps, "the row stamps of a level", &level->row_stamps, error);
    if (status != WARI_OK)
        wari_level_destroy(level);
    else
        for (int s = 0; s <= seeds; s++) /* nobody uses what padding holds, but it is read */
            memset(level->values + level->offset[s + 1] - WARI_BLOCK_PADDING, 0,
                   WARI_BLOCK_PADDING);
    return status;
}

int8_t *wari_level_take_values(struct wari_level *level)
{
    int8_t *values = level->values;

    for (int s = 0; s <= level->layout.seeds; s++)
        memmove(values + level->layout.block_offset[s], values + level->offset[s],
                level->layout.block_offset[s + 1] - level->layout.block_offset[s]);
    level->values = NULL;
    wari_level_destroy(level);
    return values;
}

void wari_level_destroy(struct wari_level *level)
{
    wari_release(level->host, level->values);
    wari_release(level->host, level->captures);
    wari_release(level->host, level->floor);
    wari_release(level->host, level->scratch);
    wari_release(level->host, level->scratch_rows);
    wari_release(level->host, level->stamps);
    wari_release(level->host, (void *)level->row_stamps);
    level->values = level->captures = level->floor = level->scratch = NULL;
    level->scratch_rows = NULL;
    level->stamps = NULL;
    level->row_stamps = NULL;
}
