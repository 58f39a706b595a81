/* Values in bulk: prints one value for each line of input.
 *
 * A level file is decoded in chunks of many thousand positions, and decoding takes most of the time
 * of a look-up. Therefore lines are collected into a batch, the look-ups of the batch are sorted
 * into the order of the files, and each chunk is decoded once for all of its look-ups. A position
 * whose opponent row is full is not stored in the files: its moves are looked up instead. A batch
 * also ends when no further input is available, so that a program that waits for answers before it
 * sends the next query gets them.
 *
 * Invariant: every look-up in the batch is in a level that the database has. So a look-up fails
 * only for reasons that end the whole command, such as a damaged file.
 */
#include "tools/query/query_values.h"

#include <stdio.h>
#include <stdlib.h>

#include "index/half.h"
#include "index/level.h"
#include "tools/common/report.h"

enum {
    LOOKUPS_MAX = 1 << 20, /* maximum number of look-ups in a batch. They take 33 MB. If all
                            * positions are random ones of level 24, each chunk has about 20 */
    NO_VALUE = INT8_MIN,
    UNSORTED_BITS = 12, /* the sort ignores these low bits: 2^12 positions are less than a chunk */
    RADIX_BITS = 11,    /* bits that each pass of the radix sort processes */
};

/* The look-up of one position, and what its value contributes to a line of input. */
struct lookup {
    uint64_t number; /* number of the position, counted through all levels */
    uint32_t line;   /* index of the line in the batch */
    int8_t seeds;    /* the level */
    int8_t gain;     /* seeds captured by the move to this position; 0 if there was no move */
    int8_t sign;     /* sign of the value: -1 if the player to move in this position is not the
                      * player to move in the line's position */
};

struct batch {
    struct wari_db *db;
    struct wari_info info;
    struct lookup *lookups;
    struct lookup *sorted; /* scratch array of the sort, of the same size */
    int8_t *values;        /* [line]: the best value so far; NO_VALUE means none */
    size_t lookup_count, line_count;
    uint64_t last;                      /* number of the position that was added last */
    bool ascending;                     /* the numbers were added in ascending order */
    uint64_t differing;                 /* bits that are not the same in all numbers */
    uint64_t first[WARI_SEEDS_MAX + 1]; /* the number of each level's first position */
    struct wari_layout layouts[WARI_SEEDS_MAX + 1];
};

enum wari_status query_report_failure(enum wari_status status, const char *what, uint64_t number,
                                      const struct wari_error *reason,
                                      struct query_failures *failures, struct wari_error *error)
{
    if (status == WARI_BAD_INPUT)
        failures->bad++;
    else if (status == WARI_NOT_COVERED)
        failures->uncovered++;
    else if (status != WARI_OK)
        *error = *reason;
    if (status != WARI_BAD_INPUT && status != WARI_NOT_COVERED)
        return status;
    fflush(stdout); /* keeps answers and messages in order on a terminal */
    const bool hint = status == WARI_NOT_COVERED && failures->uncovered == 1 && failures->hint;
    report_note("query", "%s %llu: %s%s", what, (unsigned long long)number, reason->text,
                hint ? failures->hint : "");
    return WARI_OK;
}

/* ---- Collecting a batch ---- */

static void add_lookup(struct batch *batch, const struct wari_position *position, int gain,
                       int sign)
{
    int seeds = wari_seeds(position);
    uint64_t number = batch->first[seeds] + wari_layout_rank(&batch->layouts[seeds], position);
    if (batch->lookup_count > 0) {
        batch->ascending &= number >= batch->last;
        batch->differing |= number ^ batch->last;
    }
    batch->last = number;
    batch->lookups[batch->lookup_count++] = (struct lookup){
        number, (uint32_t)batch->line_count, (int8_t)seeds, (int8_t)gain, (int8_t)sign};
}

static void raise_value(int8_t *best, int value)
{
    if (*best == NO_VALUE || value > *best)
        *best = (int8_t)value;
}

/* Adds the moves of a position that is not stored in the files. */
static void add_moves(struct batch *batch, const struct wari_position *position)
{
    struct wari_moves moves;
    wari_find_moves(batch->info.variant.rules, position, &moves);
    if (moves.count == 0)
        raise_value(&batch->values[batch->line_count], moves.end_value);
    for (int i = 0; i < moves.count; i++) {
        const struct wari_move *move = &moves.list[i];
        if (move->ends)
            raise_value(&batch->values[batch->line_count], move->end_value);
        else
            add_lookup(batch, &move->next, move->captured, move->again ? 1 : -1);
    }
}

/* Adds a line. Positions that the database does not cover are detected here, so that messages are
 * printed in the order of the lines. */
static enum wari_status add_line(struct batch *batch, const struct line *line, uint64_t number,
                                 struct query_failures *failures, struct wari_error *error)
{
    struct wari_setup setup;
    struct wari_error reason; /* not initialized: that would take as long as reading the line */
    bool present;
    int unused;
    enum wari_status status = line_position(line, &setup, &present, &reason);
    if (status == WARI_OK && !present)
        return WARI_OK;

    batch->values[batch->line_count] = NO_VALUE;
    if (status == WARI_OK) {
        int seeds = wari_seeds(&setup.position);
        if (seeds > batch->info.seeds_max || !wari_level_exists(seeds))
            status = wari_probe(batch->db, &setup.position, &unused, &reason);
        else if (wari_position_stored(&setup.position))
            add_lookup(batch, &setup.position, 0, 1);
        else
            add_moves(batch, &setup.position);
    }
    batch->line_count++;
    if (status == WARI_OK)
        return WARI_OK;
    return query_report_failure(status, "line", number, &reason, failures, error);
}

/* ---- Answering a batch ---- */

/* Sorts the look-ups by one digit of their numbers. The sort is stable. */
static void sort_by_digit(const struct lookup *from, struct lookup *to, size_t count, int shift)
{
    enum { BUCKETS = 1 << RADIX_BITS };
    size_t next[BUCKETS] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++)
        next[(from[i].number >> shift) % BUCKETS]++;
    for (int digit = 0; digit < BUCKETS; digit++) {
        size_t here = next[digit];
        next[digit] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[next[(from[i].number >> shift) % BUCKETS]++] = from[i];
}

/* Sorts the look-ups into the order of the files: a radix sort from the lowest digit up, which
 * skips digits that are the same in all numbers. */
static void sort_lookups(struct batch *batch)
{
    for (int shift = UNSORTED_BITS; !batch->ascending && batch->differing >> shift != 0;
         shift += RADIX_BITS) {
        struct lookup *sorted = batch->sorted;
        if ((batch->differing >> shift) % (1 << RADIX_BITS) == 0)
            continue;
        sort_by_digit(batch->lookups, sorted, batch->lookup_count, shift);
        batch->sorted = batch->lookups;
        batch->lookups = sorted;
    }
}

static void clear(struct batch *batch)
{
    batch->lookup_count = batch->line_count = 0;
    batch->ascending = true;
    batch->differing = 0;
}

/* Writes a value and a newline. Returns the end of the text. */
static char *write_value(char *text, int value)
{
    if (value < 0)
        *text++ = '-';
    int size = value < 0 ? -value : value;
    if (size >= 10)
        *text++ = (char)('0' + size / 10);
    *text++ = (char)('0' + size % 10);
    *text++ = '\n';
    return text;
}

static void print_values(const int8_t *values, size_t count)
{
    enum { VALUE_BYTES_MAX = 4 }; /* "-48\n" */
    char text[1 << 12];
    char *end = text;
    for (size_t i = 0; i < count; i++) {
        if (values[i] == NO_VALUE) {
            *end++ = '?';
            *end++ = '\n';
        } else {
            end = write_value(end, values[i]);
        }
        if (end > text + sizeof text - VALUE_BYTES_MAX || i + 1 == count) {
            fwrite(text, 1, (size_t)(end - text), stdout);
            end = text;
        }
    }
    fflush(stdout); /* a failure is detected by the caller and by report_finish() */
}

/* Looks up all positions of the batch and prints the values of its lines. */
static enum wari_status finish_batch(struct batch *batch, struct wari_error *error)
{
    sort_lookups(batch);
    for (size_t i = 0; i < batch->lookup_count; i++) {
        const struct lookup *lookup = &batch->lookups[i];
        int8_t value;
        enum wari_status status =
            wari_values(batch->db, lookup->seeds, lookup->number - batch->first[lookup->seeds], 1,
                        &value, error);
        if (status != WARI_OK)
            return status;
        raise_value(&batch->values[lookup->line], lookup->gain + lookup->sign * value);
    }
    print_values(batch->values, batch->line_count);
    clear(batch);
    return WARI_OK;
}

static enum wari_status answer_lines(struct batch *batch, struct line_reader *reader,
                                     struct query_failures *failures, struct wari_error *error)
{
    struct line line;
    bool found = true;
    while (!report_output_lost()) {
        enum wari_status status = WARI_OK;
        bool full =
            batch->lookup_count + WARI_HALF_PITS > LOOKUPS_MAX || batch->line_count == LOOKUPS_MAX;
        if (full || (batch->line_count > 0 && lines_would_wait(reader)))
            status = finish_batch(batch, error);
        if (status == WARI_OK)
            status = lines_next(reader, &line, &found, error);
        if (status == WARI_OK && !found)
            return finish_batch(batch, error);
        if (status == WARI_OK)
            status = add_line(batch, &line, reader->number, failures, error);
        if (status != WARI_OK)
            return status;
    }
    return WARI_OK;
}

static void number_levels(struct batch *batch)
{
    uint64_t first = 0;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        wari_layout_init(&batch->layouts[seeds], seeds);
        batch->first[seeds] = first;
        first += wari_level_positions(seeds);
    }
}

enum wari_status query_values(struct wari_db *db, struct line_reader *reader,
                              struct query_failures *failures, struct wari_error *error)
{
    enum wari_status status;
    struct batch *batch = calloc(1, sizeof *batch);
    if (!batch)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for a batch of positions");
    batch->db = db;
    wari_get_info(db, &batch->info);
    number_levels(batch);
    clear(batch);
    batch->lookups = malloc(LOOKUPS_MAX * sizeof *batch->lookups);
    batch->sorted = malloc(LOOKUPS_MAX * sizeof *batch->sorted);
    batch->values = malloc(LOOKUPS_MAX * sizeof *batch->values);
    if (batch->lookups && batch->sorted && batch->values)
        status = answer_lines(batch, reader, failures, error);
    else
        status = wari_fail(error, WARI_NO_MEMORY, "not enough memory for a batch of positions");
    free(batch->lookups);
    free(batch->sorted);
    free(batch->values);
    free(batch);
    return status;
}
