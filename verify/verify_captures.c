/* Checks captures, in the order of the lower levels. Each lower level is read once, one slice of
 * complete rows at a time, and each slice is compared with all positions of the current level
 * from which a capture leads into it. So the lower levels need no more memory than one slice.
 *
 * A position in block b of the lower level (b seeds on the side of the opponent, who has just
 * captured) is reached from block n - b - t of the current level by dropping t seeds into the other
 * half. The rows of that block in which t seeds capture the right number, and the columns that they
 * reach, do not depend on the column: a task lists them once and then goes through all columns. Two
 * tasks may reach the same position from two of its pits, so each change of a mark or a bound is a
 * single atomic operation.
 *
 * Grand slams are handled in verify_ends.c. */
#include "verify/verify_steps.h"

#include <string.h>

#include "index/half.h"
#include "verify/verify_level.h"
#include "verify/verify_pass.h"
#include "verify/verify_read.h"

enum {
    CAPTURE_MIN = 2,
    CAPTURE_MAX = 18,
    /* Number of halves in a task; about 30 of them capture a given number of seeds. */
    HALVES_PER_TASK = 256,
    ROUTES = (WARI_SEEDS_MAX + 1) * (WARI_SEEDS_MAX + 1),
};

/* A source of captures: block n - below - t of the current level, dropping t seeds. */
struct route {
    uint8_t below; /* block of the lower level */
    uint8_t t;
    uint64_t first_task;
};

struct slice {
    int captured;
    struct wari_layout lower;
    uint64_t first, end; /* cells of the lower level; complete rows */
    int routes;
    uint64_t tasks;
    struct route route[ROUTES];
};

/* A row that captures exactly slice->captured seeds, and the column that it reaches. */
struct entry {
    struct wari_verify_row row;
    uint32_t column;
};

/* ---- One task ---- */

static int list_entries(struct wari_verify_level *level, const struct slice *slice, int t,
                        int block, uint64_t group, struct entry entries[HALVES_PER_TASK])
{
    uint8_t half[WARI_HALF_PITS];
    int count = 0;

    wari_half_unrank(block, (uint32_t)(group * HALVES_PER_TASK), half);
    for (int i = 0; i < HALVES_PER_TASK; i++) {
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

/* Returns true if one of the eight bytes equals `byte`. */
static bool has_byte(const uint8_t bytes[8], uint8_t byte)
{
    const uint64_t ones = UINT64_MAX / 255;
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    word ^= ones * byte;
    return (word - ones) & ~word & ones << 7;
}

/* Computes the range of rows of a block that are in the slice. */
static void rows_in_slice(const struct slice *slice, int block, uint64_t *from, uint64_t *to)
{
    const uint64_t begin = slice->lower.block_offset[block];
    const uint64_t end = slice->lower.block_offset[block + 1];
    const uint64_t columns = slice->lower.columns[block];
    *from = slice->first > begin ? (slice->first - begin) / columns : 0;
    *to = ((slice->end < end ? slice->end : end) - begin) / columns;
}

static void enter_all(struct wari_verify_level *level, const struct slice *slice,
                      const struct route *route, const struct entry *entries, int count)
{
    const int seeds = route->below + route->t;
    const struct wari_verify_column *columns = level->proof->columns.of[seeds];
    const uint32_t last = wari_half_count(seeds);
    const uint8_t sown = route->t | WARI_VERIFY_LANDS;
    const uint64_t below_columns = slice->lower.columns[route->below];
    const uint64_t block = slice->lower.block_offset[route->below];
    uint64_t from, to;

    rows_in_slice(slice, route->below, &from, &to);
    for (uint32_t column = 0; column < last; column++) {
        if (!has_byte(columns[column].sown, sown))
            continue;
        for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
            const uint64_t row = columns[column].row[pit];
            if (columns[column].sown[pit] != sown || row < from || row >= to)
                continue;
            const int8_t *values =
                level->proof->lower_values + (block + row * below_columns - slice->first);
            for (int i = 0; i < count; i++)
                wari_verify_enter(level, &entries[i].row, column,
                                  slice->captured - values[entries[i].column]);
        }
    }
}

static void do_task(struct wari_verify_level *level, const void *context, uint64_t task,
                    struct wari_verify_pass_result *result)
{
    const struct slice *slice = context;
    struct entry entries[HALVES_PER_TASK];
    int low = 0, high = slice->routes - 1;

    (void)result;
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

/* Sets the end of the slice: as many complete rows from slice->first as fit into `capacity`
 * bytes, at least one. */
static void end_slice(struct slice *slice, uint64_t capacity)
{
    const uint64_t most = slice->first + capacity;
    slice->end = slice->first;
    for (int s = 0; s <= slice->lower.seeds; s++) {
        const uint64_t begin = slice->lower.block_offset[s];
        const uint64_t end = slice->lower.block_offset[s + 1];
        if (end <= slice->first)
            continue;
        if (end <= most) {
            slice->end = end;
            continue;
        }
        if (most > begin)
            slice->end = begin + (most - begin) / slice->lower.columns[s] * slice->lower.columns[s];
        return;
    }
}

/* Lists all blocks of the current level from which captures lead into the slice. */
static void list_routes(struct slice *slice, int seeds)
{
    slice->routes = 0;
    slice->tasks = 0;
    for (int b = 0; b <= slice->lower.seeds; b++) {
        if (slice->lower.block_offset[b + 1] <= slice->first ||
            slice->lower.block_offset[b] >= slice->end)
            continue;
        for (int t = 1; t <= seeds - b; t++) {
            slice->route[slice->routes++] = (struct route){(uint8_t)b, (uint8_t)t, slice->tasks};
            slice->tasks +=
                (wari_half_count(seeds - b - t) + HALVES_PER_TASK - 1) / HALVES_PER_TASK;
        }
    }
}

/* Enters all captures of slice->captured seeds. */
static enum wari_status enter_captures(struct wari_verify_level *level, struct slice *slice,
                                       const struct wari_level_reader *reader)
{
    struct wari_verify_proof *proof = level->proof;
    const int seeds = level->layout.seeds;
    const uint64_t positions = wari_level_positions(slice->lower.seeds);
    enum wari_status status = WARI_OK;

    for (slice->first = 0; slice->first < positions && status == WARI_OK;
         slice->first = slice->end) {
        struct wari_verify_pass_result result = {0};
        end_slice(slice, proof->lower_bytes);
        status = wari_verify_read_lower(proof, reader, slice->lower.seeds, slice->first,
                                        slice->end - slice->first, proof->lower_values);
        if (status != WARI_OK)
            break;
        list_routes(slice, seeds);
        status = wari_verify_pass(level, do_task, slice, slice->tasks, NULL, &result);
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

    wari_verify_progress(level->proof->verify, seeds, "captures", 0);
    for (int captured = CAPTURE_MIN;
         captured <= CAPTURE_MAX && captured <= seeds && status == WARI_OK; captured++) {
        struct wari_level_reader *reader;
        slice.captured = captured;
        wari_layout_init(&slice.lower, seeds - captured);
        status = wari_verify_open(level->proof, seeds - captured, &reader);
        if (status != WARI_OK)
            return status;
        status = enter_captures(level, &slice, reader);
        wari_level_reader_close(reader);
        left -= left / 3; /* the next lower level has about two thirds of the positions */
        wari_verify_progress(level->proof->verify, seeds, "captures",
                             1 - (double)left / (double)all);
    }
    if (status == WARI_OK)
        wari_verify_progress(level->proof->verify, seeds, "captures", 1);
    return status;
}
