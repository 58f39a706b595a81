/* Answers in bulk: the value alone, a line for each line of input.
 *
 * A level file is read in blocks of many thousand positions, and most of the time of a probe goes
 * into decoding one. So lines are gathered into a batch, its look-ups are put in the order of the
 * files, and each block is decoded once for all of them. A position whose opponent row is full is
 * not in the files: its moves are looked up instead. Those who wait for answers before they ask
 * again get them: a batch also ends where the input would have to be waited for.
 *
 * What always holds: a look-up that is in the batch is of a level that the database has. So it
 * fails only if the whole run does.
 */
#include "tools/query/query_values.h"

#include <stdio.h>
#include <stdlib.h>

#include "index/level.h"
#include "tools/common/report.h"

enum {
    BATCH = 1 << 20, /* look-ups: many for each block of the largest levels; 33 MB */
    NO_VALUE = INT8_MIN,
    NEIGHBOURS = 12, /* look-ups are sorted by their places in 2^12 positions, less than a block */
    DIGIT = 11,      /* bits sorted by at a time */
};

/* A place in the files, and what the value there means for the line it is needed for. */
struct lookup {
    uint64_t place; /* among the positions of all levels */
    uint32_t slot;  /* of the answer in the batch */
    int8_t seeds;   /* the level */
    int8_t gain;    /* captured on the way to this position */
    int8_t sign;    /* of its value: -1 if the other side moves there */
};

struct batch {
    struct wari_db *db;
    struct wari_info info;
    struct lookup *lookups;
    struct lookup *sorted; /* room for as many */
    int8_t *values;        /* best so far of each line; NO_VALUE: none */
    size_t lookup_count, line_count;
    uint64_t last;                      /* the place added last, */
    bool ascending;                     /* and whether all came in the order of the files */
    uint64_t mixed;                     /* bits in which places differ */
    uint64_t first[WARI_SEEDS_MAX + 1]; /* the place of each level's first position */
    struct wari_layout layouts[WARI_SEEDS_MAX + 1];
};

/* ---- Gathering ---- */

static void add_lookup(struct batch *batch, const struct wari_position *position, int gain,
                       int sign)
{
    int seeds = wari_seeds(position);
    uint64_t place = batch->first[seeds] + wari_layout_rank(&batch->layouts[seeds], position);
    if (batch->lookup_count > 0) {
        batch->ascending &= place >= batch->last;
        batch->mixed |= place ^ batch->last;
    }
    batch->last = place;
    batch->lookups[batch->lookup_count++] = (struct lookup){
        place, (uint32_t)batch->line_count, (int8_t)seeds, (int8_t)gain, (int8_t)sign};
}

static void raise_value(int8_t *best, int value)
{
    if (*best == NO_VALUE || value > *best)
        *best = (int8_t)value;
}

/* Adds a position that has no place in the files, through its moves. */
static void add_moves(struct batch *batch, const struct wari_position *position)
{
    struct wari_moves moves;
    wari_moves(batch->info.variant.rules, position, &moves);
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

/* Adds a line. Positions that the database does not cover are told apart here, so that their
 * messages come in the order of the lines. */
static enum wari_status add_line(struct batch *batch, const struct line *line, uint64_t number,
                                 struct query_count *count, struct wari_error *error)
{
    struct wari_setup setup;
    struct wari_error reason; /* not cleared: that would take as long as reading the line */
    bool present;
    int unused;
    enum wari_status status = line_position(line, &setup, &present, &reason);
    if (status == WARI_OK && !present)
        return WARI_OK;

    batch->values[batch->line_count] = NO_VALUE;
    if (status == WARI_OK) {
        int seeds = wari_seeds(&setup.position);
        if (seeds > batch->info.seeds_max || seeds == WARI_SEEDS_MAX - 1)
            status = wari_probe(batch->db, &setup.position, &unused, &reason);
        else if (wari_position_stored(&setup.position))
            add_lookup(batch, &setup.position, 0, 1);
        else
            add_moves(batch, &setup.position);
    }
    batch->line_count++;
    if (status == WARI_OK)
        return WARI_OK;
    return query_forgive(status, "line", number, &reason, count, error);
}

/* ---- Answering ---- */

/* Deals the look-ups out by one digit of their places; equal ones stay in order. */
static void deal(const struct lookup *from, struct lookup *to, size_t count, int shift)
{
    enum { DIGITS = 1 << DIGIT };
    size_t next[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++)
        next[(from[i].place >> shift) % DIGITS]++;
    for (int digit = 0; digit < DIGITS; digit++) {
        size_t here = next[digit];
        next[digit] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[next[(from[i].place >> shift) % DIGITS]++] = from[i];
}

/* Puts the look-ups in the order of the files, digit by digit, the lowest first; digits in which no
 * two differ are passed over. */
static void sort_lookups(struct batch *batch)
{
    for (int shift = NEIGHBOURS; !batch->ascending && batch->mixed >> shift != 0; shift += DIGIT) {
        struct lookup *sorted = batch->sorted;
        if ((batch->mixed >> shift) % (1 << DIGIT) == 0)
            continue;
        deal(batch->lookups, sorted, batch->lookup_count, shift);
        batch->sorted = batch->lookups;
        batch->lookups = sorted;
    }
}

static void clear(struct batch *batch)
{
    batch->lookup_count = batch->line_count = 0;
    batch->ascending = true;
    batch->mixed = 0;
}

/* Writes a value and a newline; returns where the text ends. */
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
    enum { LONGEST = 4 }; /* "-48\n" */
    char text[1 << 12];
    char *end = text;
    for (size_t i = 0; i < count; i++) {
        if (values[i] == NO_VALUE) {
            *end++ = '?';
            *end++ = '\n';
        } else {
            end = write_value(end, values[i]);
        }
        if (end > text + sizeof text - LONGEST || i + 1 == count) {
            fwrite(text, 1, (size_t)(end - text), stdout);
            end = text;
        }
    }
    fflush(stdout); /* a failure is seen by the caller and at the end */
}

/* Looks everything up and prints the batch. */
static enum wari_status finish_batch(struct batch *batch, struct wari_error *error)
{
    sort_lookups(batch);
    for (size_t i = 0; i < batch->lookup_count; i++) {
        const struct lookup *lookup = &batch->lookups[i];
        int8_t value;
        enum wari_status status =
            wari_values(batch->db, lookup->seeds, lookup->place - batch->first[lookup->seeds], 1,
                        &value, error);
        if (status != WARI_OK)
            return status;
        raise_value(&batch->values[lookup->slot], lookup->gain + lookup->sign * value);
    }
    print_values(batch->values, batch->line_count);
    clear(batch);
    return WARI_OK;
}

static enum wari_status answer_lines(struct batch *batch, struct line_reader *reader,
                                     struct query_count *count, struct wari_error *error)
{
    struct line line;
    bool found = true;
    while (!report_output_lost()) {
        enum wari_status status = WARI_OK;
        bool full = batch->lookup_count + WARI_HALF_PITS > BATCH || batch->line_count == BATCH;
        if (full || (batch->line_count > 0 && lines_would_wait(reader)))
            status = finish_batch(batch, error);
        if (status == WARI_OK)
            status = lines_next(reader, &line, &found, error);
        if (status == WARI_OK && !found)
            return finish_batch(batch, error);
        if (status == WARI_OK)
            status = add_line(batch, &line, reader->number, count, error);
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
                              struct query_count *count, struct wari_error *error)
{
    enum wari_status status;
    struct batch *batch = calloc(1, sizeof *batch);
    if (!batch)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for a batch of positions");
    batch->db = db;
    wari_info(db, &batch->info);
    number_levels(batch);
    clear(batch);
    batch->lookups = malloc(BATCH * sizeof *batch->lookups);
    batch->sorted = malloc(BATCH * sizeof *batch->sorted);
    batch->values = malloc(BATCH * sizeof *batch->values);
    if (batch->lookups && batch->sorted && batch->values)
        status = answer_lines(batch, reader, count, error);
    else
        status = wari_fail(error, WARI_NO_MEMORY, "not enough memory for a batch of positions");
    free(batch->lookups);
    free(batch->sorted);
    free(batch->values);
    free(batch);
    return status;
}
