/* Distributes rows and work over ranks; see ranks.h. Invariants: the rows of a block that the ranks
 * own follow each other without gaps, and every item belongs to exactly one rank. */
#include "solver/cluster/ranks.h"

#include <string.h>

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Computes the end of the rows of each rank in a block. `all` is the number of bytes of blocks 0 to
 * `block`. The ends are such that ranks 0 to r together own about (r + 1) / ranks->active of these
 * bytes, as soon as enough blocks have been distributed. before[r] is the number of bytes that
 * ranks 0 to r - 1 own in all blocks so far.
 */
static void distribute_block(struct wari_ranks *ranks, int block, uint64_t all, uint64_t *before)
{
    const uint32_t rows = ranks->layout.rows[block];
    const uint64_t pitch = wari_level_pitch(ranks->layout.columns[block]);
    uint32_t *first = ranks->first_row[block];

    first[0] = 0;
    for (int rank = 1; rank <= ranks->count; rank++) {
        const uint64_t part =
            rank < ranks->active ? all / (uint64_t)ranks->active * (uint64_t)rank : all;
        const uint64_t wanted = part > before[rank] ? (part - before[rank] + pitch / 2) / pitch : 0;
        first[rank] = wanted < rows ? (uint32_t)wanted : rows;
        if (first[rank] < first[rank - 1])
            first[rank] = first[rank - 1];
        before[rank] += first[rank] * pitch;
    }
}

/* Returns the number of ranks, at most `count`, over which a level is distributed. */
static int active_ranks(int seeds, int count)
{
    /* Least number of cells of a rank; with fewer, messages take longer than computing. */
    enum { RANK_CELLS_MIN = 1 << 14 };
    const uint64_t wanted = wari_level_positions(seeds) / RANK_CELLS_MIN + 1;

    return wanted < (uint64_t)count ? (int)wanted : count;
}

enum wari_status wari_ranks_distribute(struct wari_ranks *ranks, const struct wari_host *host,
                                       int seeds, int count, struct wari_error *error)
{
    const size_t entries = (size_t)count + 1;
    const size_t blocks = (size_t)seeds + 1;
    uint64_t *before, all = 0;
    void *memory;
    enum wari_status status =
        wari_allocate(host, entries * sizeof *before + blocks * entries * sizeof(uint32_t),
                      "the ranks' shares of a level", &memory, error);

    memset(ranks, 0, sizeof *ranks);
    if (status != WARI_OK)
        return status;
    ranks->host = host;
    ranks->count = count;
    ranks->active = active_ranks(seeds, count);
    wari_layout_init(&ranks->layout, seeds);
    before = memory;
    memset(before, 0, entries * sizeof *before);
    for (int block = 0; block <= seeds; block++) {
        ranks->first_row[block] = (uint32_t *)(before + entries) + (size_t)block * entries;
        all += ranks->layout.rows[block] * (uint64_t)wari_level_pitch(ranks->layout.columns[block]);
        distribute_block(ranks, block, all, before);
    }
    return WARI_OK;
}

void wari_ranks_free(struct wari_ranks *ranks)
{
    if (ranks->first_row[0])
        wari_release(ranks->host, (uint64_t *)(void *)ranks->first_row[0] - (ranks->count + 1));
    memset(ranks, 0, sizeof *ranks);
}

void wari_ranks_partition(const struct wari_ranks *ranks, int rank,
                          struct wari_partition *partition)
{
    memset(partition, 0, sizeof *partition);
    for (int block = 0; block <= ranks->layout.seeds; block++) {
        const uint32_t *first = ranks->first_row[block];
        partition->first_row[block] = first[rank];
        partition->rows[block] = first[rank + 1] - first[rank];
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

/* ---- Memory ---------------------------------------------------------------------------------- */

/* A buffer has a 32nd of the size of a rank's partition, so that there are enough rounds to
 * overlap. It has at most 16 MiB, which is enough to hide the latency of messages, and at least the
 * size that an item needs. */
uint64_t wari_ranks_buffer(int seeds, int ranks)
{
    const uint64_t most = UINT64_C(16) << 20, each = (uint64_t)ranks << 10;
    const uint64_t least = each > UINT64_C(128) << 10 ? each : UINT64_C(128) << 10;
    const uint64_t wanted = wari_level_positions(seeds) / (uint64_t)active_ranks(seeds, ranks) / 32;

    return wanted < least ? least : wanted > most ? most : wanted;
}

/* A partition may be larger than the average, because rows are not divided. Usually the excess is
 * about one row of the blocks that are distributed last, which have short rows. If there are too
 * few short rows to even out the differences, the excess may be one of the longest rows. The result
 * includes more than two of the longest rows for this. */
uint64_t wari_ranks_bytes(int seeds, int ranks, int threads)
{
    const uint64_t all = wari_level_bytes(seeds), many = (uint64_t)ranks;
    const uint64_t busy = (uint64_t)active_ranks(seeds, ranks);
    const uint64_t longest = wari_level_pitch(wari_half_count(seeds));
    const uint64_t level = (all + busy - 1) / busy;
    const uint64_t rows = 2 * (longest + longest / 8);
    const uint64_t paddings = (uint64_t)(seeds + 2) * 3 * 2 * WARI_BLOCK_PADDING;
    const uint64_t lists =
        4 * 2 * many * WARI_ROUND_ITEMS + (uint64_t)threads * many + 4 * 4 * (many + 1) + many + 1;
    /* The memory of Open MPI itself. With 2 to 7 ranks it took 14 to 18 MB, of which 12 MB are its
     * code. */
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

/* ---- Work ------------------------------------------------------------------------------------ */

struct wari_work wari_work_of(const struct wari_ranks *ranks, enum wari_parents parents, int block,
                              uint32_t bands)
{
    const uint32_t stored = ranks->layout.rows[block];
    const uint32_t rows = parents == WARI_PARENTS_ROWS ? stored : wari_half_count(block) - stored;

    return (struct wari_work){wari_item_cut_of(parents, block, ranks->layout.columns[block], rows,
                                               bands * WARI_BAND_STRIPS),
                              ranks->active};
}

/* Returns the number of items of all ranks before `rank`. */
static uint64_t items_before(const struct wari_work *work, int rank)
{
    const uint64_t all = work->cut.items;

    return rank < work->ranks ? all * (uint64_t)rank / (uint64_t)work->ranks : all;
}

uint32_t wari_work_count(const struct wari_work *work, int rank)
{
    return (uint32_t)(items_before(work, rank + 1) - items_before(work, rank));
}

struct wari_item wari_work_item(const struct wari_work *work, int rank, uint32_t i)
{
    const uint64_t turned =
        i + (uint64_t)work->cut.items_of_columns * (uint64_t)rank / (uint64_t)work->ranks;

    return wari_item_at(
        &work->cut, (uint32_t)(items_before(work, rank) + turned % wari_work_count(work, rank)));
}
