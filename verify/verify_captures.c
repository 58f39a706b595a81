/* Captures, in the order of the levels below: these are read once, a slice of whole rows at a time,
 * and each slice is held against all positions of the level at hand that a capture leads from into
 * it. So the levels below need no more room than one slice.
 *
 * A row of block b, b seeds in front of the player to move next, is reached from block n - b - t by
 * dropping t seeds. Which rows of that block capture so many seeds with t, and which column they
 * reach, depends on the rows alone and is listed once for a task; then all columns are gone
 * through. Two tasks may come to one position, by two of its pits: what they enter is marked,
 * raised or lowered in one step each.
 *
 * Grand slams are not among these captures (verify_ends.c).
 */
#include "verify/verify_captures.h"

#include <string.h>

#include "index/half.h"
#include "verify/verify_pass.h"
#include "verify/verify_read.h"
#include "verify/verify_worth.h"

enum {
    CAPTURE_LEAST = 2,
    CAPTURE_MOST = 18,
    GROUP = 256, /* halves of a task: some 30 of them capture so and so many seeds */
    ROUTES = (WARI_SEEDS_MAX + 1) * (WARI_SEEDS_MAX + 1),
};

/* From which block, by how many seeds. */
struct route {
    uint8_t below; /* block of the level below */
    uint8_t t;
    uint64_t first_task;
};

struct slice {
    int captured;
    struct wari_layout below;
    uint64_t first, end; /* cells of the level below; whole rows */
    int routes;
    uint64_t tasks;
    struct route route[ROUTES];
};

/* A row that captures as many seeds as the slice is about, and what it reaches. */
struct entry {
    struct wari_verify_row row;
    uint32_t column;
};

/* ---- One task ---- */

static int list_entries(struct wari_verify_level *level, const struct slice *slice, int t,
                        int block, uint64_t group, struct entry entries[GROUP])
{
    uint8_t half[WARI_HALF_PITS];
    int count = 0;

    wari_half_unrank(block, (uint32_t)(group * GROUP), half);
    for (int i = 0; i < GROUP; i++) {
        uint8_t after[WARI_HALF_PITS];
        memcpy(after, half, sizeof after);
        wari_verify_sow(after, t);
        if (wari_verify_capture(after, t) == slice->captured && wari_half_seeds(after) > 0)
            entries[count++] =
                (struct entry){wari_verify_row(level, block, half), wari_half_rank(after)};
        if (!wari_half_next(half))
            break;
    }
    return count;
}

/* Whether one of eight bytes is `byte`. */
static bool has_byte(const uint8_t bytes[8], uint8_t byte)
{
    const uint64_t ones = UINT64_MAX / 255;
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    word ^= ones * byte;
    return (word - ones) & ~word & ones << 7;
}

/* The rows of a block that are in the slice. */
static void rows_in_slice(const struct slice *slice, int block, uint64_t *from, uint64_t *to)
{
    const uint64_t begin = slice->below.block_offset[block];
    const uint64_t end = slice->below.block_offset[block + 1];
    const uint64_t columns = slice->below.columns[block];
    *from = slice->first > begin ? (slice->first - begin) / columns : 0;
    *to = ((slice->end < end ? slice->end : end) - begin) / columns;
}

static void enter_all(struct wari_verify_level *level, const struct slice *slice,
                      const struct route *route, const struct entry *entries, int count)
{
    const int seeds = route->below + route->t;
    const struct wari_verify_column *columns = level->run->columns.of[seeds];
    const uint32_t last = wari_half_count(seeds);
    const uint8_t sown = route->t | WARI_VERIFY_LANDS;
    const uint64_t below_columns = slice->below.columns[route->below];
    const uint64_t block = slice->below.block_offset[route->below];
    uint64_t from, to;

    rows_in_slice(slice, route->below, &from, &to);
    for (uint32_t column = 0; column < last; column++) {
        if (!has_byte(columns[column].sown, sown))
            continue;
        for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
            const uint64_t row = columns[column].row[pit];
            if (columns[column].sown[pit] != sown || row < from || row >= to)
                continue;
            const int8_t *values = level->run->below + (block + row * below_columns - slice->first);
            for (int i = 0; i < count; i++)
                wari_verify_enter(level, &entries[i].row, column,
                                  slice->captured - values[entries[i].column]);
        }
    }
}

static void do_task(struct wari_verify_level *level, const void *context, uint64_t task,
                    struct wari_verify_tally *tally)
{
    const struct slice *slice = context;
    struct entry entries[GROUP];
    int low = 0, high = slice->routes - 1;

    (void)tally;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (slice->route[middle].first_task <= task)
            low = middle;
        else
            high = middle - 1;
    }
    const struct route *route = &slice->route[low];
    const int block = level->layout.seeds - route->below - route->t;
    const int count =
        list_entries(level, slice, route->t, block, task - route->first_task, entries);
    if (count > 0)
        enter_all(level, slice, route, entries, count);
}

/* ---- Slices ---- */

/* As many whole rows from slice->first on as there is room for, at least one. */
static void end_slice(struct slice *slice, uint64_t room)
{
    const uint64_t most = slice->first + room;
    slice->end = slice->first;
    for (int s = 0; s <= slice->below.seeds; s++) {
        const uint64_t begin = slice->below.block_offset[s];
        const uint64_t end = slice->below.block_offset[s + 1];
        if (end <= slice->first)
            continue;
        if (end <= most) {
            slice->end = end;
            continue;
        }
        if (most > begin)
            slice->end = begin + (most - begin) / slice->below.columns[s] * slice->below.columns[s];
        return;
    }
}

/* All blocks of the level at hand that captures lead from into the slice. */
static void list_routes(struct slice *slice, int seeds)
{
    slice->routes = 0;
    slice->tasks = 0;
    for (int b = 0; b <= slice->below.seeds; b++) {
        if (slice->below.block_offset[b + 1] <= slice->first ||
            slice->below.block_offset[b] >= slice->end)
            continue;
        for (int t = 1; t <= seeds - b; t++) {
            slice->route[slice->routes++] = (struct route){(uint8_t)b, (uint8_t)t, slice->tasks};
            slice->tasks += (wari_half_count(seeds - b - t) + GROUP - 1) / GROUP;
        }
    }
}

/* All captures of so many seeds. */
static enum wari_status enter_captures(struct wari_verify_level *level, struct slice *slice,
                                       const struct wari_level_reader *reader)
{
    struct wari_verify_run *run = level->run;
    const int seeds = level->layout.seeds;
    const uint64_t positions = wari_level_positions(slice->below.seeds);
    enum wari_status status = WARI_OK;

    for (slice->first = 0; slice->first < positions && status == WARI_OK;
         slice->first = slice->end) {
        struct wari_verify_tally tally = {0};
        end_slice(slice, run->below_bytes);
        status = wari_verify_read_below(run, reader, slice->below.seeds, slice->first,
                                        slice->end - slice->first, run->below);
        if (status != WARI_OK)
            break;
        list_routes(slice, seeds);
        status = wari_verify_pass(level, do_task, slice, slice->tasks, NULL, &tally);
    }
    return status;
}

enum wari_status wari_verify_captures(struct wari_verify_level *level)
{
    const int seeds = level->layout.seeds;
    const uint64_t all = wari_level_positions(seeds);
    struct slice slice;
    uint64_t left = all;
    enum wari_status status = WARI_OK;

    wari_verify_progress(level->run->verify, seeds, "captures", 0);
    for (int captured = CAPTURE_LEAST;
         captured <= CAPTURE_MOST && captured <= seeds && status == WARI_OK; captured++) {
        struct wari_level_reader *reader;
        slice.captured = captured;
        wari_layout_init(&slice.below, seeds - captured);
        status = wari_verify_open(level->run, seeds - captured, &reader);
        if (status != WARI_OK)
            return status;
        status = enter_captures(level, &slice, reader);
        wari_level_reader_close(reader);
        left -= left / 3; /* about as large as the levels below are to each other */
        wari_verify_progress(level->run->verify, seeds, "captures", 1 - (double)left / (double)all);
    }
    if (status == WARI_OK)
        wari_verify_progress(level->run->verify, seeds, "captures", 1);
    return status;
}
