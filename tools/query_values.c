/* Answers in bulk: the value alone, a line for each line of input.
 *
 * A level file is read in blocks of many thousand positions, and most of the time of a probe goes
 * into decoding one. So lines are gathered into a batch, its probes are put in the order of the
 * files, and each block is decoded once for all of them. A position whose opponent row is full is
 * not in the files: its moves are probed instead. Whoever waits for answers before he asks again
 * gets them: a batch also ends where the input would have to be waited for.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "index/level.h"
#include "tools/query.h"
#include "tools/report.h"

enum {
    BATCH = 1 << 20, /* probes: many for each block of the largest levels; 40 MB */
    NO_VALUE = INT8_MIN,
};

/* A position to be looked up, and what the answer means for the line it was asked for. */
struct lookup {
    uint64_t order; /* level, then place in the level's file */
    uint32_t slot;  /* of the answer in the batch */
    int8_t gain;    /* captured on the way to this position */
    int8_t sign;    /* of its value: -1 if the other side moves there */
    struct wari_position position;
};

struct batch {
    struct lookup *lookups;
    int8_t *values;    /* best so far of each line; NO_VALUE: none */
    uint64_t *numbers; /* of the lines; 0: has no answer, and the message is printed */
    size_t lookup_count, line_count;
    struct wari_layout layouts[WARI_SEEDS_MAX + 1];
};

static void add_lookup(struct batch *batch, const struct wari_position *position, int gain,
                       int sign)
{
    enum { ORDER_BITS = 56 }; /* no level has 2^56 positions */
    int seeds = wari_seeds(position);
    uint64_t order = (uint64_t)seeds << ORDER_BITS;
    if (wari_position_stored(position))
        order |= wari_layout_rank(&batch->layouts[seeds], position);
    batch->lookups[batch->lookup_count++] =
        (struct lookup){order, (uint32_t)batch->line_count, (int8_t)gain, (int8_t)sign, *position};
}

static void raise_value(int8_t *best, int value)
{
    if (*best == NO_VALUE || value > *best)
        *best = (int8_t)value;
}

/* Adds a position that has no place in the files, through its moves. */
static void add_moves(struct batch *batch, enum wari_rules rules,
                      const struct wari_position *position)
{
    struct wari_moves moves;
    wari_moves(rules, position, &moves);
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
static enum wari_status add_line(struct batch *batch, struct wari_db *db, const struct line *line,
                                 uint64_t number, struct query_count *count,
                                 struct wari_error *error)
{
    struct wari_setup setup;
    struct wari_info info;
    struct wari_error reason = {0};
    bool present;
    int unused;
    enum wari_status status = query_read(line, &setup, &present, &reason);
    if (status == WARI_OK && !present)
        return WARI_OK;

    batch->values[batch->line_count] = NO_VALUE;
    batch->numbers[batch->line_count] = number;
    wari_info(db, &info);
    if (status == WARI_OK && wari_seeds(&setup.position) > info.seeds_max)
        status = wari_probe(db, &setup.position, &unused, &reason);
    else if (status == WARI_OK && wari_position_stored(&setup.position))
        add_lookup(batch, &setup.position, 0, 1);
    else if (status == WARI_OK)
        add_moves(batch, info.variant.rules, &setup.position);
    batch->line_count++;
    return query_forgive(status, "line", number, &reason, count, error);
}

static int by_order(const void *one, const void *other)
{
    uint64_t a = ((const struct lookup *)one)->order;
    uint64_t b = ((const struct lookup *)other)->order;
    return (a > b) - (a < b);
}

/* Probes everything and prints the batch. */
static enum wari_status finish_batch(struct batch *batch, struct wari_db *db,
                                     struct query_count *count, struct wari_error *error)
{
    qsort(batch->lookups, batch->lookup_count, sizeof *batch->lookups, by_order);
    for (size_t i = 0; i < batch->lookup_count; i++) {
        const struct lookup *lookup = &batch->lookups[i];
        uint64_t *number = &batch->numbers[lookup->slot];
        struct wari_error reason = {0};
        int value;
        if (*number == 0)
            continue;
        enum wari_status status = wari_probe(db, &lookup->position, &value, &reason);
        if (status == WARI_OK) {
            raise_value(&batch->values[lookup->slot], lookup->gain + lookup->sign * value);
            continue;
        }
        status = query_forgive(status, "line", *number, &reason, count, error);
        if (status != WARI_OK)
            return status;
        *number = 0;
    }
    for (size_t i = 0; i < batch->line_count; i++) {
        if (batch->values[i] == NO_VALUE || batch->numbers[i] == 0)
            puts("?");
        else
            printf("%d\n", batch->values[i]);
    }
    fflush(stdout); /* a failure is seen by the caller and at the end */
    batch->lookup_count = batch->line_count = 0;
    return WARI_OK;
}

static enum wari_status answer_lines(struct batch *batch, struct wari_db *db,
                                     struct line_reader *reader, struct query_count *count,
                                     struct wari_error *error)
{
    struct line line;
    bool found = true;
    while (!report_output_lost()) {
        enum wari_status status = WARI_OK;
        bool full = batch->lookup_count + WARI_HALF_PITS > BATCH || batch->line_count == BATCH;
        if (full || (batch->line_count > 0 && lines_would_wait(reader)))
            status = finish_batch(batch, db, count, error);
        if (status == WARI_OK)
            status = lines_next(reader, &line, &found, error);
        if (status == WARI_OK && !found)
            return finish_batch(batch, db, count, error);
        if (status == WARI_OK)
            status = add_line(batch, db, &line, reader->number, count, error);
        if (status != WARI_OK)
            return status;
    }
    return WARI_OK;
}

enum wari_status query_values(struct wari_db *db, struct line_reader *reader,
                              struct query_count *count, struct wari_error *error)
{
    enum wari_status status;
    struct batch *batch = calloc(1, sizeof *batch);
    if (!batch)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for a batch of positions");
    batch->lookups = malloc(BATCH * sizeof *batch->lookups);
    batch->values = malloc(BATCH * sizeof *batch->values);
    batch->numbers = malloc(BATCH * sizeof *batch->numbers);
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++)
        wari_layout_init(&batch->layouts[seeds], seeds);
    if (batch->lookups && batch->values && batch->numbers)
        status = answer_lines(batch, db, reader, count, error);
    else
        status = wari_fail(error, WARI_NO_MEMORY, "not enough memory for a batch of positions");
    free(batch->lookups);
    free(batch->values);
    free(batch->numbers);
    free(batch);
    return status;
}
