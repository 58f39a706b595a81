/* Checks captures, in the order of the lower levels. The lower levels are read once, one slice at
 * a time, and each slice is compared with all positions of the current level from which a capture
 * leads into it. A slice consists of complete rows of one or several levels, as many as fit into
 * the buffer. So the lower levels need no more memory than one slice.
 *
 * Take a move that drops t seeds into an opponent half, the last of them the last seed of the move.
 * How many seeds it captures, and which column of the lower level it reaches, depends on t and on
 * this half alone. A task takes some halves of a block and lists, for each t and each number of
 * seeds, the halves from which t seeds capture that number. Then the task goes through all columns.
 * The column and one of its pits determine t and the row of the lower level. All halves of a list
 * read their values from this one row.
 *
 * Every row of the current level belongs to one task, so no two threads change the same cell.
 *
 * Grand slams are handled in verify_ends.c. */
#include "verify/verify_steps.h"

#include <string.h>

#include "index/half.h"
#include "verify/verify_level.h"
#include "verify/verify_pass.h"
#include "verify/verify_read.h"

enum {
    CAPTURE_MIN = 2,     /* fewest seeds that a move can capture */
    CAPTURE_MAX = 18,    /* most seeds that a move can capture: 3 from each of 6 pits */
    CAPTURE_PIT_MIN = 2, /* fewest seeds in a pit that is captured */
    CAPTURE_PIT_MAX = 3, /* most seeds in a pit that is captured */
    /* Number of halves in a task. For each t, the list of the halves from which t seeds capture two
     * seeds has about 20 halves. */
    HALVES_PER_TASK = 256,
};

/* The part of a slice that belongs to one lower level. */
struct part {
    struct wari_layout lower;
    uint64_t first, end;  /* cells `first` to `end` - 1 of the lower level: complete rows */
    const int8_t *values; /* values of these cells */
};

struct slice {
    struct part part[CAPTURE_MAX + 1]; /* [number of seeds captured] */
    /* [block]: number of the first task of a block of the current level. The last entry that is
     * used is the number of all tasks. */
    uint64_t first_task[WARI_SEEDS_MAX + 2];
};

/* A row of the current level, and the column that it reaches by a capture. */
struct entry {
    uint32_t row; /* index in task->row */
    uint32_t column;
};

/* The entries of a task for all moves that drop the same number of seeds and capture the same
 * number of seeds. These moves lead to one block of one lower level. */
struct batch {
    int captured;         /* number of captured seeds */
    uint32_t begin, end;  /* the batch has the entries task->entry[begin] to task->entry[end - 1] */
    uint32_t from, to;    /* rows of the lower block that are in the slice: `from` to `to` - 1 */
    uint64_t columns;     /* number of columns of the lower block */
    const int8_t *values; /* values of the lower block, from row `from` on */
};

struct task {
    struct wari_verify_level *level;
    const struct slice *slice;
    int block;
    int halves;
    uint8_t half[HALVES_PER_TASK][WARI_HALF_PITS];
    struct wari_verify_row row[HALVES_PER_TASK];
    uint32_t entries;
    struct entry entry[WARI_SEEDS_MAX * HALVES_PER_TASK];
    /* Moves that drop t seeds have batches first_batch[t] to first_batch[t + 1] - 1. */
    int first_batch[WARI_SEEDS_MAX + 2];
    struct batch batch[WARI_SEEDS_MAX * (CAPTURE_MAX + 1)];
};

/* ---- One task ---- */

static void list_halves(struct task *task, uint32_t first)
{
    uint8_t half[WARI_HALF_PITS];

    wari_half_unrank(task->block, first, half);
    task->halves = 0;
    do {
        memcpy(task->half[task->halves], half, sizeof half);
        task->row[task->halves++] = wari_verify_row(task->level, task->block, half);
    } while (task->halves < HALVES_PER_TASK && wari_half_next(half));
}

/* Finds the rows of a block that are in a slice, and their values. Returns false if there are
 * none. */
static bool find_rows(const struct part *part, int block, struct batch *batch)
{
    if (part->first == part->end || block > part->lower.seeds ||
        part->end <= part->lower.block_offset[block] ||
        part->first >= part->lower.block_offset[block + 1])
        return false;
    const uint64_t begin = part->lower.block_offset[block];
    const uint64_t end = part->lower.block_offset[block + 1];
    const uint64_t from = part->first > begin ? part->first : begin;
    const uint64_t to = part->end < end ? part->end : end;
    batch->columns = part->lower.columns[block];
    batch->from = (uint32_t)((from - begin) / batch->columns);
    batch->to = (uint32_t)((to - begin) / batch->columns);
    batch->values = part->values + (from - part->first);
    return from < to;
}

/* Computes for each half how many seeds are captured if t seeds are dropped into it, and the column
 * that the half becomes. The number is 0 for grand slams, too. */
static void capture_all(const struct task *task, int t, uint8_t captured[HALVES_PER_TASK],
                        uint32_t column[HALVES_PER_TASK])
{
    const int last = (t - 1) % WARI_HALF_PITS, dropped = (t - 1) / WARI_HALF_PITS + 1;

    for (int i = 0; i < task->halves; i++) {
        const int seeds = task->half[i][last] + dropped;
        captured[i] = 0;
        if (seeds < CAPTURE_PIT_MIN || seeds > CAPTURE_PIT_MAX)
            continue;
        uint8_t after[WARI_HALF_PITS];
        memcpy(after, task->half[i], sizeof after);
        wari_verify_sow(after, t);
        const int taken = wari_verify_capture(after, t);
        if (wari_half_seeds(after) == 0)
            continue;
        captured[i] = (uint8_t)taken;
        column[i] = wari_half_rank(after);
    }
}

/* Lists the batches of moves that drop t seeds. Returns their number. */
static int list_batches(struct task *task, int t, struct batch *batches)
{
    const int below = task->level->layout.seeds - task->block - t;
    uint8_t captured[HALVES_PER_TASK];
    uint32_t column[HALVES_PER_TASK];
    int count = 0;

    for (int c = CAPTURE_MIN; c <= CAPTURE_MAX; c++) {
        struct batch batch = {.captured = c};
        if (!find_rows(&task->slice->part[c], below, &batch))
            continue;
        if (count == 0)
            capture_all(task, t, captured, column);
        batches[count++] = batch;
    }
    for (int i = 0; i < count; i++) {
        struct batch *batch = &batches[i];
        batch->begin = task->entries;
        for (int half = 0; half < task->halves; half++) {
            if (captured[half] == batch->captured)
                task->entry[task->entries++] = (struct entry){(uint32_t)half, column[half]};
        }
        batch->end = task->entries;
    }
    return count;
}

static void enter_batch(const struct task *task, const struct batch *batch, uint32_t column,
                        uint32_t row)
{
    const int8_t *values = batch->values + (row - batch->from) * batch->columns;

    for (uint32_t i = batch->begin; i < batch->end; i++) {
        const struct entry *entry = &task->entry[i];
        wari_verify_enter(task->level, &task->row[entry->row], column,
                          batch->captured - values[entry->column]);
    }
}

static void enter_all(const struct task *task)
{
    const int seeds = task->level->layout.seeds - task->block;
    const struct wari_verify_column *columns = task->level->proof->columns.of[seeds];
    const uint32_t count = wari_half_count(seeds);

    for (uint32_t column = 0; column < count; column++) {
        for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
            const uint8_t sown = columns[column].sown[pit];
            const uint32_t row = columns[column].row[pit];
            if (sown == WARI_VERIFY_NO_MOVE || !(sown & WARI_VERIFY_LANDS))
                continue;
            const int t = sown & ~WARI_VERIFY_LANDS;
            for (int i = task->first_batch[t]; i < task->first_batch[t + 1]; i++) {
                const struct batch *batch = &task->batch[i];
                if (row >= batch->from && row < batch->to)
                    enter_batch(task, batch, column, row);
            }
        }
    }
}

static void do_task(struct wari_verify_level *level, const void *context, uint64_t number,
                    struct wari_verify_pass_result *result)
{
    const struct slice *slice = context;
    const int seeds = level->layout.seeds;
    struct task task;

    (void)result;
    task.level = level;
    task.slice = slice;
    task.block = 0;
    task.entries = 0;
    while (number >= slice->first_task[task.block + 1])
        task.block++;
    list_halves(&task, (uint32_t)(number - slice->first_task[task.block]) * HALVES_PER_TASK);
    task.first_batch[0] = task.first_batch[1] = 0;
    for (int t = 1; t <= seeds - task.block; t++)
        task.first_batch[t + 1] =
            task.first_batch[t] + list_batches(&task, t, &task.batch[task.first_batch[t]]);
    if (task.entries > 0)
        enter_all(&task);
}

/* ---- Slices ---- */

/* The first cell of the next slice: cell `first` of the level to which a capture of `captured`
 * seeds leads. */
struct cursor {
    int captured;
    uint64_t first;
    struct wari_level_reader *reader; /* NULL if the level is not open */
};

/* Sets part->end so that the part has as many complete rows as fit into `capacity` bytes, one byte
 * for each cell. */
static void end_part(struct part *part, uint64_t capacity)
{
    const uint64_t most = part->first + capacity;
    part->end = part->first;
    for (int s = 0; s <= part->lower.seeds; s++) {
        const uint64_t begin = part->lower.block_offset[s];
        const uint64_t end = part->lower.block_offset[s + 1];
        const uint64_t columns = part->lower.columns[s];
        if (end <= part->first)
            continue;
        if (end > most) {
            if (most > begin && begin + (most - begin) / columns * columns > part->first)
                part->end = begin + (most - begin) / columns * columns;
            return;
        }
        part->end = end;
    }
}

/* Reads the next slice, and moves the cursor to its end. */
static enum wari_status read_slice(struct wari_verify_level *level, struct slice *slice,
                                   struct cursor *cursor)
{
    struct wari_verify_proof *proof = level->proof;
    const int seeds = level->layout.seeds;
    int8_t *values = proof->lower_values;
    uint64_t left = proof->lower_bytes;

    for (int c = CAPTURE_MIN; c <= CAPTURE_MAX; c++)
        slice->part[c].first = slice->part[c].end = 0;
    while (cursor->captured <= CAPTURE_MAX && cursor->captured <= seeds) {
        struct part *part = &slice->part[cursor->captured];
        const int lower = seeds - cursor->captured;
        enum wari_status status = WARI_OK;
        wari_layout_init(&part->lower, lower);
        part->first = cursor->first;
        part->values = values;
        end_part(part, left);
        const uint64_t count = part->end - part->first;
        if (count == 0)
            return WARI_OK;
        if (cursor->reader == NULL)
            status = wari_verify_open(proof, lower, &cursor->reader);
        if (status == WARI_OK)
            status =
                wari_verify_read_lower(proof, cursor->reader, lower, part->first, count, values);
        if (status != WARI_OK)
            return status;
        values += count;
        left -= count;
        cursor->first = part->end;
        if (part->end < wari_level_positions(lower))
            return WARI_OK;
        wari_level_reader_close(cursor->reader);
        *cursor = (struct cursor){.captured = cursor->captured + 1};
    }
    return WARI_OK;
}

static void number_tasks(struct slice *slice, int seeds)
{
    slice->first_task[0] = 0;
    for (int s = 0; s < seeds; s++)
        slice->first_task[s + 1] =
            slice->first_task[s] + (wari_half_count(s) + HALVES_PER_TASK - 1) / HALVES_PER_TASK;
}

enum wari_status wari_verify_captures(struct wari_verify_level *level)
{
    const struct wari_verify *verify = level->proof->verify;
    const int seeds = level->layout.seeds;
    struct cursor cursor = {.captured = CAPTURE_MIN};
    enum wari_status status = WARI_OK;
    struct slice slice;
    uint64_t all = 0, done = 0;

    for (int c = CAPTURE_MIN; c <= CAPTURE_MAX && c <= seeds; c++)
        all += wari_level_positions(seeds - c);
    number_tasks(&slice, seeds);
    wari_verify_progress(verify, seeds, "captures", 0);
    while (done < all && status == WARI_OK) {
        struct wari_verify_pass_result result = {0};
        status = read_slice(level, &slice, &cursor);
        if (status == WARI_OK)
            status =
                wari_verify_pass(level, do_task, &slice, slice.first_task[seeds], NULL, &result);
        for (int c = CAPTURE_MIN; c <= CAPTURE_MAX; c++)
            done += slice.part[c].end - slice.part[c].first;
        if (status == WARI_OK)
            wari_verify_progress(verify, seeds, "captures", (double)done / (double)all);
    }
    if (cursor.reader)
        wari_level_reader_close(cursor.reader);
    if (status == WARI_OK && all == 0)
        wari_verify_progress(verify, seeds, "captures", 1);
    return status;
}
