/* Distributes rows and work over ranks; see ranks.h. What always holds: the ranks' rows of a block
 * follow each other without a gap, and every unit of work is some rank's, once. */
#include "solver/deal/ranks.h"

#include <string.h>

/* ---- Rows ----------------------------------------------------------------------------------- */

static uint64_t missing(uint64_t level, uint64_t load)
{
    return level > load ? level - load : 0;
}

/* The least level to which `bytes` more can fill all loads. */
static uint64_t fill_level(const uint64_t *load, int count, uint64_t bytes)
{
    uint64_t low = 0, high = bytes;

    for (int rank = 0; rank < count; rank++)
        if (high < load[rank] + bytes)
            high = load[rank] + bytes;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        uint64_t room = 0;
        for (int rank = 0; rank < count && room < bytes; rank++)
            room += missing(middle, load[rank]);
        if (room >= bytes)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Gives each rank as many rows of a block as it has room for below the fill level. */
static void deal_block(struct wari_ranks *ranks, int block, uint64_t *load)
{
    const uint32_t rows = ranks->layout.rows[block];
    const uint64_t pitch = wari_level_pitch(ranks->layout.columns[block]);
    const uint64_t level = fill_level(load, ranks->busy, rows * pitch);
    uint32_t *first = ranks->first_row[block];
    uint64_t all = 0, room = 0;

    for (int rank = 0; rank < ranks->busy; rank++)
        all += missing(level, load[rank]);
    first[0] = 0;
    for (int rank = ranks->busy; rank < ranks->count; rank++)
        first[rank + 1] = rows;
    for (int rank = 0; rank < ranks->busy; rank++) {
        room += missing(level, load[rank]);
        first[rank + 1] = (uint32_t)((rows * room + all / 2) / all);
        load[rank] += (first[rank + 1] - first[rank]) * pitch;
    }
}

int wari_ranks_busy(int seeds, int count)
{
    enum { LEAST = 1 << 14 }; /* cells of a rank: below that, a turn is a handful of messages */
    const uint64_t wanted = wari_level_positions(seeds) / LEAST + 1;

    return wanted < (uint64_t)count ? (int)wanted : count;
}

enum wari_status wari_ranks_distribute(struct wari_ranks *ranks, const struct wari_host *host,
                                       int seeds, int count, struct wari_error *error)
{
    const size_t entries = (size_t)count + 1;
    const size_t blocks = (size_t)seeds + 1;
    uint64_t *load;
    void *memory;
    enum wari_status status =
        wari_allocate(host, entries * sizeof *load + blocks * entries * sizeof(uint32_t),
                      "the ranks' shares of a level", &memory, error);

    memset(ranks, 0, sizeof *ranks);
    if (status != WARI_OK)
        return status;
    ranks->host = host;
    ranks->count = count;
    ranks->busy = wari_ranks_busy(seeds, count);
    wari_layout_init(&ranks->layout, seeds);
    load = memory;
    memset(load, 0, entries * sizeof *load);
    for (int block = 0; block <= seeds; block++) {
        ranks->first_row[block] = (uint32_t *)(load + entries) + (size_t)block * entries;
        deal_block(ranks, block, load);
    }
    return WARI_OK;
}

void wari_ranks_free(struct wari_ranks *ranks)
{
    if (ranks->first_row[0])
        wari_release(ranks->host, (uint64_t *)(void *)ranks->first_row[0] - (ranks->count + 1));
    memset(ranks, 0, sizeof *ranks);
}

void wari_ranks_share(const struct wari_ranks *ranks, int rank, struct wari_share *share)
{
    memset(share, 0, sizeof *share);
    for (int block = 0; block <= ranks->layout.seeds; block++) {
        const uint32_t *first = ranks->first_row[block];
        share->first_row[block] = first[rank];
        share->rows[block] = first[rank + 1] - first[rank];
    }
}

int wari_ranks_owner(const struct wari_ranks *ranks, int block, uint32_t row)
{
    const uint32_t *first = ranks->first_row[block];
    int low = 0, high = ranks->count - 1; /* first[low] <= row < first[high + 1] */

    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (first[middle] <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* ---- Memory --------------------------------------------------------------------------------- */

/* A 32nd of a rank's share, so that there are rounds enough to overlap; no more than what hides the
 * time of a message, no less than what an item needs. */
uint64_t wari_ranks_buffer(int seeds, int ranks)
{
    const uint64_t most = UINT64_C(16) << 20, each = (uint64_t)ranks << 10;
    const uint64_t least = each > UINT64_C(128) << 10 ? each : UINT64_C(128) << 10;
    const uint64_t wanted =
        wari_level_positions(seeds) / (uint64_t)wari_ranks_busy(seeds, ranks) / 32;

    return wanted < least ? least : wanted > most ? most : wanted;
}

/* The ranks' shares differ by a row of the blocks that were distributed last, and, where there are
 * few rows, by one of the longest. */
uint64_t wari_ranks_bytes(int seeds, int ranks, int threads)
{
    const uint64_t all = wari_level_bytes(seeds), many = (uint64_t)ranks;
    const uint64_t busy = (uint64_t)wari_ranks_busy(seeds, ranks);
    const uint64_t longest = wari_level_pitch(wari_half_count(seeds));
    const uint64_t level = (all + busy - 1) / busy;
    const uint64_t rows = 2 * (longest + longest / 8);
    const uint64_t paddings = (uint64_t)(seeds + 2) * 3 * 2 * WARI_BLOCK_PADDING;
    const uint64_t lists =
        4 * 2 * many * WARI_ROUND_ITEMS + (uint64_t)threads * many + 4 * 4 * (many + 1) + many + 1;
    /* Open MPI itself: 14 to 18 MB measured with 2 to 7 ranks, of which 12 are its code. */
    const uint64_t library = (UINT64_C(20) << 20) + many * (64 << 10);
    const uint64_t table = wari_level_positions(seeds) / (8 * UINT64_C(512)) + 4096;

    return level +
           (ranks == 1   ? 0
            : rows < all ? rows
                         : all) +
           paddings + WARI_ROUND_BUFFERS * (wari_ranks_buffer(seeds, ranks) + WARI_ROUND_SLACK) +
           library + lists * sizeof(uint64_t) +
           (uint64_t)(seeds + 1) * (many + 1) * sizeof(uint32_t) + table;
}

/* ---- Work ----------------------------------------------------------------------------------- */

struct wari_work wari_work_of(const struct wari_ranks *ranks, enum wari_parents parents, int block,
                              uint32_t run)
{
    const uint32_t stored = ranks->layout.rows[block];
    const uint32_t rows = parents == WARI_PARENTS_ROWS ? stored : wari_half_count(block) - stored;
    const uint32_t columns = ranks->layout.columns[block];

    return (struct wari_work){
        .parents = parents,
        .block = block,
        .ranks = ranks->busy,
        .columns = columns,
        .rows = rows,
        .groups = (columns + WARI_GROUP - 1) / WARI_GROUP,
        .segments = (rows + WARI_SEGMENT - 1) / WARI_SEGMENT,
        .run = run,
    };
}

/* A rank's units: number u is segment u % segments of group u / segments. Items lie in a grid of
 * `runs` cells a group; the first and last of a rank may have a part of a cell only. */
struct units {
    uint64_t first, end;
    uint64_t first_cell, end_cell;
    uint32_t runs;
};

static uint64_t cell_of(const struct wari_work *work, uint32_t runs, uint64_t unit)
{
    return unit / work->segments * runs + unit % work->segments / work->run;
}

static struct units units_of(const struct wari_work *work, int rank)
{
    const uint64_t all = (uint64_t)work->groups * work->segments;
    struct units units = {
        .first = all * (uint64_t)rank / (uint64_t)work->ranks,
        .end = all * ((uint64_t)rank + 1) / (uint64_t)work->ranks,
        .runs = (work->segments + work->run - 1) / work->run,
    };

    if (rank < work->ranks && units.first < units.end) {
        units.first_cell = cell_of(work, units.runs, units.first);
        units.end_cell = cell_of(work, units.runs, units.end - 1) + 1;
    }
    return units;
}

uint32_t wari_work_count(const struct wari_work *work, int rank)
{
    const struct units units = units_of(work, rank);

    return (uint32_t)(units.end_cell - units.first_cell);
}

struct wari_item wari_work_item(const struct wari_work *work, int rank, uint32_t i)
{
    const struct units units = units_of(work, rank);
    const uint64_t count = units.end_cell - units.first_cell;
    const uint64_t turned =
        (i + (uint64_t)units.runs * (uint64_t)rank / (uint64_t)work->ranks) % count;
    const uint64_t cell = units.first_cell + turned;
    const uint64_t group = cell / units.runs;
    uint64_t from = group * work->segments + cell % units.runs * work->run;
    uint64_t to = from + work->run;
    const uint32_t strips = (work->rows + WARI_STRIP - 1) / WARI_STRIP;
    struct wari_item item = {.parents = work->parents, .block = work->block, .rows = work->rows};

    if (to > (group + 1) * work->segments)
        to = (group + 1) * work->segments;
    if (from < units.first)
        from = units.first;
    if (to > units.end)
        to = units.end;
    item.first_column = (uint32_t)group * WARI_GROUP;
    item.columns = work->columns - item.first_column < WARI_GROUP
                       ? work->columns - item.first_column
                       : WARI_GROUP;
    item.first_strip = (uint32_t)(from % work->segments) * WARI_SEGMENT_STRIPS;
    item.strips = (uint32_t)(to - from) * WARI_SEGMENT_STRIPS;
    if (item.strips > strips - item.first_strip)
        item.strips = strips - item.first_strip;
    return item;
}

/* ---- How much travels ------------------------------------------------------------------------ */

/* The half of a parent, by its number among those of its kind. */
static void parent_half(const struct wari_item *item, uint32_t row, uint8_t half[WARI_HALF_PITS])
{
    if (item->parents == WARI_PARENTS_ROWS) {
        wari_row_unrank(item->block, row, half);
        return;
    }
    /* Full halves come in the order of halves with a seed less in each pit. */
    wari_half_unrank(item->block - WARI_HALF_PITS, row, half);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++)
        half[pit]++;
}

static uint32_t child_column(const struct wari_item *item, uint32_t row, int sown)
{
    uint8_t half[WARI_HALF_PITS];

    parent_half(item, row, half);
    wari_drop(half, sown);
    return wari_half_rank(half);
}

struct wari_need wari_work_need(const struct wari_item *item, int sown)
{
    const uint32_t from = item->first_strip * WARI_STRIP, to = from + item->strips * WARI_STRIP;
    const uint32_t end = to < item->rows ? to : item->rows;
    const uint32_t first = child_column(item, from, sown);

    return (struct wari_need){first, child_column(item, end - 1, sown) + 1 - first};
}

int wari_pit_sows(int pit, int seeds)
{
    int sown = 0;

    for (int at = pit; seeds > 0;) {
        at = (at + 1) % WARI_PITS;
        if (at == pit)
            continue;
        sown += at >= WARI_HALF_PITS;
        seeds--;
    }
    return sown;
}

/* Halves with `seeds` seeds that have `count` of them in one given pit. */
static uint64_t halves_with(int seeds, int count)
{
    const int left = seeds - count;

    return wari_half_count(left) - (left > 0 ? wari_half_count(left - 1) : 0);
}

/* Bytes of child rows that a column of a block needs on average, if all of its parents are
 * computed. */
static double bytes_of_column(const struct wari_work *work, int seeds)
{
    const int mine = seeds - work->block;
    const struct wari_item all = {
        .parents = work->parents,
        .block = work->block,
        .strips = (work->rows + WARI_STRIP - 1) / WARI_STRIP,
        .rows = work->rows,
    };
    double bytes = 0;

    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        for (int count = 1; count <= mine; count++) {
            const int sown = wari_pit_sows(pit, count);
            if (sown > 0 || work->block > 0)
                bytes += (double)halves_with(mine, count) * wari_work_need(&all, sown).columns;
        }
    }
    return bytes / wari_half_count(mine);
}

struct wari_pace wari_ranks_pace(const struct wari_ranks *ranks, enum wari_parents parents,
                                 int block, uint64_t buffer)
{
    const uint32_t longest =
        parents == WARI_PARENTS_ROWS ? WARI_ITEM_STRIPS / WARI_SEGMENT_STRIPS : 1;
    struct wari_pace pace = {longest, 1};
    const struct wari_work work = wari_work_of(ranks, parents, block, 1);
    double segment; /* bytes for one group and one segment */

    if (work.rows == 0)
        return pace;
    segment = bytes_of_column(&work, ranks->layout.seeds) * WARI_GROUP / work.segments;
    while (pace.run > 1 && segment * pace.run > (double)buffer / 4)
        pace.run /= 2;
    if (pace.run > work.segments)
        pace.run = work.segments;
    while (pace.batch < WARI_ROUND_ITEMS &&
           segment * pace.run * pace.batch * 2 <= (double)buffer / 2)
        pace.batch *= 2;
    return pace;
}
