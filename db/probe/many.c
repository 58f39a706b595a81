/* Values of many positions at once: each chunk is decoded once for all positions that lie in it.
 *
 * Positions are questions. One that its level's file holds is a place in a chunk; any other one
 * asks what its moves lead to, which are further questions. So a batch goes three ways:
 *
 *     ask      the questions, and behind each of them in the array those that it asks itself
 *     look up  places, sorted by chunk
 *     fold     from the last question to the first, each into the one that asked it
 *
 * Where the array is full the rest of a question is answered by looking ahead one by one, so that
 * memory is bounded whatever the positions are.
 */
#include <stdatomic.h>

#include "db/probe/probe.h"

enum {
    QUESTIONS = 1 << 18,         /* of a batch: 16 MB; larger ones hardly share more chunks */
    FAMILY = 1 + WARI_HALF_PITS, /* a question and one for each of its moves */
    PIECES = 64,                 /* of a batch: more than threads that share the work */
    DIGIT_BITS = 8,              /* places are sorted by so many bits at a time */
    DIGITS = 1 << DIGIT_BITS,
};

struct question {
    struct wari_move by; /* the question is about by.next, what this move leads to */
    uint32_t parent;     /* who asked; of a position that was given: its number in the batch */
    int8_t value;
    bool given;
};

struct place {
    uint32_t chunk; /* as the cache counts */
    uint32_t question;
    uint16_t cell;
    uint8_t seeds;
};

struct batch {
    struct wari_db *db;
    struct question *questions;
    struct place *places, *sorted; /* `sorted` is room to sort in */
    size_t count, room, places_count;
    atomic_int status; /* of the first piece that failed, whose error this is: */
    struct wari_error error;
};

/* ---- Asking --------------------------------------------------------------------------------- */

static enum wari_status ask_moves(struct batch *batch, size_t at, struct wari_error *error)
{
    struct question *question = &batch->questions[at];
    struct wari_moves moves;
    if (batch->count + WARI_HALF_PITS > batch->room) {
        int value = 0;
        enum wari_status status = wari_value_by_moves(batch->db, &question->by.next, &value, error);
        question->value = (int8_t)value;
        return status;
    }
    wari_moves(batch->db->catalogue.variant.rules, &question->by.next, &moves);
    question->value = (int8_t)(moves.count == 0 ? moves.end_value : -WARI_SEEDS_MAX);
    for (int i = 0; i < moves.count; i++) {
        const struct wari_move *move = &moves.list[i];
        if (!move->ends)
            batch->questions[batch->count++] =
                (struct question){.by = *move, .parent = (uint32_t)at};
        else if (wari_move_value(move, 0) > question->value)
            question->value = (int8_t)wari_move_value(move, 0);
    }
    return WARI_OK;
}

static enum wari_status ask(struct batch *batch, size_t at, struct wari_error *error)
{
    const struct wari_db *db = batch->db;
    const struct wari_position *position = &batch->questions[at].by.next;
    const int seeds = wari_seeds(position);
    if (!wari_position_stored(position))
        return ask_moves(batch, at, error);
    const uint64_t rank = wari_layout_rank(&db->layout[seeds], position);
    if (rank >= wari_held_positions(db, seeds))
        return ask_moves(batch, at, error);
    batch->places[batch->places_count++] = (struct place){
        .chunk = (uint32_t)(db->first_chunk[seeds] + rank / WARI_CHUNK_POSITIONS),
        .question = (uint32_t)at,
        .cell = (uint16_t)(rank % WARI_CHUNK_POSITIONS),
        .seeds = (uint8_t)seeds,
    };
    return WARI_OK;
}

/* As many positions as there is room for, one at least: *taken. `done`: those of earlier batches.
 * What is checked is the copy that is used: an array of Python's may change meanwhile. */
static enum wari_status ask_all(struct batch *batch, const struct wari_position *positions,
                                size_t done, size_t count, size_t *taken, struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    batch->count = 0;
    batch->places_count = 0;
    *taken = 0;
    while (*taken < count && batch->count + FAMILY <= batch->room && status == WARI_OK) {
        const struct wari_position position = positions[*taken];
        struct wari_error why = {0};
        int seeds;
        status = wari_check_covered(batch->db, &position, &seeds, &why);
        if (status != WARI_OK)
            return wari_fail(error, status, "position %zu of the array, from 0: %s", done + *taken,
                             why.text);
        size_t at = batch->count++;
        batch->questions[at] =
            (struct question){.by = {.next = position}, .parent = (uint32_t)*taken, .given = true};
        for (; at < batch->count && status == WARI_OK; at++)
            status = ask(batch, at, error);
        ++*taken;
    }
    return status;
}

/* ---- Looking up ----------------------------------------------------------------------------- */

/* One digit after the other, from the lowest. */
static void sort_places(struct batch *batch)
{
    uint32_t most = 0;
    for (size_t i = 0; i < batch->places_count; i++)
        most = batch->places[i].chunk > most ? batch->places[i].chunk : most;
    for (int shift = 0; shift < 32 && most >> shift > 0; shift += DIGIT_BITS) {
        size_t begin[DIGITS + 1] = {0};
        for (size_t i = 0; i < batch->places_count; i++)
            begin[(batch->places[i].chunk >> shift) % DIGITS + 1]++;
        for (int digit = 0; digit < DIGITS; digit++)
            begin[digit + 1] += begin[digit];
        for (size_t i = 0; i < batch->places_count; i++)
            batch->sorted[begin[(batch->places[i].chunk >> shift) % DIGITS]++] = batch->places[i];

        struct place *sorted = batch->sorted;
        batch->sorted = batch->places;
        batch->places = sorted;
    }
}

/* The places from `from` on that lie in one chunk: the end of them. */
static size_t end_of_chunk(const struct batch *batch, size_t from)
{
    size_t end = from;
    while (end < batch->places_count && batch->places[end].chunk == batch->places[from].chunk)
        end++;
    return end;
}

static enum wari_status look_up(const struct batch *batch, size_t from, size_t end,
                                struct wari_error *error)
{
    int8_t values[WARI_CHUNK_POSITIONS];
    const struct place *places = batch->places;
    size_t first = places[from].cell, last = first;
    for (size_t i = from; i < end; i++) {
        first = places[i].cell < first ? places[i].cell : first;
        last = places[i].cell > last ? places[i].cell : last;
    }
    const struct wari_piece piece = {
        places[from].seeds, places[from].chunk - batch->db->first_chunk[places[from].seeds], first,
        last - first + 1};
    enum wari_status status = wari_piece_values(batch->db, &piece, values, first == last, error);
    for (size_t i = from; i < end && status == WARI_OK; i++)
        batch->questions[places[i].question].value = values[places[i].cell - first];
    return status;
}

/* Where piece `piece` of PIECES begins: with a chunk. */
static size_t begin_of_piece(const struct batch *batch, size_t piece)
{
    const size_t at = batch->places_count * piece / PIECES;
    const bool inside = at > 0 && at < batch->places_count &&
                        batch->places[at].chunk == batch->places[at - 1].chunk;
    return inside ? end_of_chunk(batch, at) : at;
}

static void look_up_piece(void *argument, size_t piece)
{
    struct batch *batch = argument;
    const size_t end = begin_of_piece(batch, piece + 1);
    size_t next;
    for (size_t at = begin_of_piece(batch, piece); at < end; at = next) {
        struct wari_error error = {0};
        int none = WARI_OK;
        if (atomic_load(&batch->status) != WARI_OK)
            return;
        next = end_of_chunk(batch, at);
        enum wari_status status = look_up(batch, at, next, &error);
        if (status != WARI_OK && atomic_compare_exchange_strong(&batch->status, &none, (int)status))
            batch->error = error;
    }
}

static enum wari_status look_up_all(struct batch *batch, struct wari_error *error)
{
    const struct wari_host *host = batch->db->host;
    sort_places(batch);
    atomic_store(&batch->status, WARI_OK);
    if (host->run != NULL)
        host->run(host->context, look_up_piece, batch, PIECES);
    else
        for (size_t piece = 0; piece < PIECES; piece++)
            look_up_piece(batch, piece);
    const enum wari_status status = (enum wari_status)atomic_load(&batch->status);
    return status == WARI_OK ? WARI_OK : wari_fail(error, status, "%s", batch->error.text);
}

/* ---- Folding -------------------------------------------------------------------------------- */

static void fold(struct batch *batch, int8_t *values)
{
    for (size_t i = batch->count; i-- > 0;) {
        const struct question *question = &batch->questions[i];
        if (question->given) {
            values[question->parent] = question->value;
            continue;
        }
        const int worth = wari_move_value(&question->by, question->value);
        int8_t *best = &batch->questions[question->parent].value;
        *best = (int8_t)(worth > *best ? worth : *best);
    }
}

/* ---- All of it ------------------------------------------------------------------------------ */

static enum wari_status make_room(struct batch *batch, size_t count, void **memory,
                                  struct wari_error *error)
{
    const size_t each = sizeof *batch->questions + 2 * sizeof *batch->places;
    batch->room = count < QUESTIONS / FAMILY ? count * FAMILY : QUESTIONS;
    enum wari_status status = wari_allocate(batch->db->host, batch->room * each,
                                            "the questions of an array", memory, error);
    if (status != WARI_OK)
        return status;
    batch->questions = *memory;
    batch->places = (struct place *)(batch->questions + batch->room);
    batch->sorted = batch->places + batch->room;
    return WARI_OK;
}

enum wari_status wari_probe_many(struct wari_db *db, const struct wari_position *positions,
                                 size_t count, int8_t *values, struct wari_error *error)
{
    struct batch batch = {.db = db};
    void *memory = NULL;
    size_t taken;
    if (count == 0)
        return WARI_OK;
    enum wari_status status = make_room(&batch, count, &memory, error);
    for (size_t done = 0; done < count && status == WARI_OK; done += taken) {
        status = ask_all(&batch, positions + done, done, count - done, &taken, error);
        if (status == WARI_OK)
            status = look_up_all(&batch, error);
        if (status == WARI_OK)
            fold(&batch, values + done);
    }
    wari_release(db->host, memory);
    return status;
}
