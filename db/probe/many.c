/* Finds the values of many positions at once. Each chunk is decoded once for all positions that
 * are in it.
 *
 * Every position is a query. If its level's file holds the value, the query needs a lookup in a
 * chunk. Otherwise it needs the values of the positions after its moves, which become further
 * queries. A batch is processed in three steps:
 *
 *      add       the queries, each followed in the array by the queries for its moves
 *      look up   the values of lookups, sorted by chunk
 *      fold      the queries, from the last to the first: the value of a query becomes the value of
 *                a move in its parent, the query for the position before the move
 *
 * When the array is full, the remaining moves of a query are looked up one by one. So the memory
 * is bounded whatever the positions are. */
#include <stdatomic.h>

#include "db/probe/probe.h"

enum {
    QUERIES = 1 << 18, /* queries of a batch, which take 16 MB; larger batches would hardly share
                        * more chunks */
    QUERY_AND_MOVES = 1 + WARI_HALF_PITS, /* number of queries that a position and its moves may
                                           * need */
    RANGES = 64,    /* ranges of a batch; more than the number of threads that share the work */
    DIGIT_BITS = 8, /* number of bits that each pass of the sort processes */
    DIGITS = 1 << DIGIT_BITS,
};

struct query {
    struct wari_move by; /* the move whose result is queried: the query is for the value of
                          * by.next */
    uint32_t parent; /* index of the parent query; for a position of the caller, its number in the
                      * batch */
    int8_t value;
    bool given;
};

struct lookup {
    uint32_t chunk; /* number of the chunk, as in the cache */
    uint32_t query;
    uint16_t cell;
    uint8_t seeds;
};

struct batch {
    struct wari_db *db;
    struct query *queries;
    struct lookup *lookups, *sorted; /* `sorted` is scratch space for sorting `lookups` */
    size_t count, capacity, lookups_count;
    atomic_int status; /* status of the first range that failed; `error` has its text */
    struct wari_error error;
};

/* ---- Adding --------------------------------------------------------------------------------- */

static enum wari_status expand(struct batch *batch, size_t at, struct wari_error *error)
{
    struct query *query = &batch->queries[at];
    struct wari_moves moves;
    if (batch->count + WARI_HALF_PITS > batch->capacity) {
        int value = 0;
        enum wari_status status = wari_value_by_moves(batch->db, &query->by.next, &value, error);
        query->value = (int8_t)value;
        return status;
    }
    wari_find_moves(batch->db->catalogue.variant.rules, &query->by.next, &moves);
    query->value = (int8_t)(moves.count == 0 ? moves.end_value : -WARI_SEEDS_MAX);
    for (int i = 0; i < moves.count; i++) {
        const struct wari_move *move = &moves.list[i];
        if (!move->ends)
            batch->queries[batch->count++] = (struct query){.by = *move, .parent = (uint32_t)at};
        else if (wari_move_value(move, 0) > query->value)
            query->value = (int8_t)wari_move_value(move, 0);
    }
    return WARI_OK;
}

static enum wari_status add_query(struct batch *batch, size_t at, struct wari_error *error)
{
    const struct wari_db *db = batch->db;
    const struct wari_position *position = &batch->queries[at].by.next;
    const int seeds = wari_seeds(position);
    if (!wari_position_stored(position))
        return expand(batch, at, error);
    const uint64_t rank = wari_layout_rank(&db->layout[seeds], position);
    if (rank >= wari_held_positions(db, seeds))
        return expand(batch, at, error);
    batch->lookups[batch->lookups_count++] = (struct lookup){
        .chunk = (uint32_t)(db->first_chunk[seeds] + rank / WARI_CHUNK_POSITIONS),
        .query = (uint32_t)at,
        .cell = (uint16_t)(rank % WARI_CHUNK_POSITIONS),
        .seeds = (uint8_t)seeds,
    };
    return WARI_OK;
}

/* Adds as many positions as there is capacity for, at least one, and sets *taken to their
 * number. `done` is the number of positions in earlier batches. Each position is checked after
 * it was copied, because another thread could change the caller's array (a Python array, for
 * example) in the meantime. */
static enum wari_status add_queries(struct batch *batch, const struct wari_position *positions,
                                    size_t done, size_t count, size_t *taken,
                                    struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    batch->count = 0;
    batch->lookups_count = 0;
    *taken = 0;
    while (*taken < count && batch->count + QUERY_AND_MOVES <= batch->capacity &&
           status == WARI_OK) {
        const struct wari_position position = positions[*taken];
        struct wari_error why = {0};
        int seeds;
        status = wari_check_covered(batch->db, &position, &seeds, &why);
        if (status != WARI_OK)
            return wari_fail(error, status, "positions[%zu]: %s", done + *taken, why.text);
        size_t at = batch->count++;
        batch->queries[at] =
            (struct query){.by = {.next = position}, .parent = (uint32_t)*taken, .given = true};
        for (; at < batch->count && status == WARI_OK; at++)
            status = add_query(batch, at, error);
        ++*taken;
    }
    return status;
}

/* ---- Looking up ----------------------------------------------------------------------------- */

/* Sorts by one digit after the other, the lowest first. */
static void sort_lookups(struct batch *batch)
{
    uint32_t most = 0;
    for (size_t i = 0; i < batch->lookups_count; i++)
        most = batch->lookups[i].chunk > most ? batch->lookups[i].chunk : most;
    for (int shift = 0; shift < 32 && most >> shift > 0; shift += DIGIT_BITS) {
        size_t begin[DIGITS + 1] = {0};
        for (size_t i = 0; i < batch->lookups_count; i++)
            begin[(batch->lookups[i].chunk >> shift) % DIGITS + 1]++;
        for (int digit = 0; digit < DIGITS; digit++)
            begin[digit + 1] += begin[digit];
        for (size_t i = 0; i < batch->lookups_count; i++)
            batch->sorted[begin[(batch->lookups[i].chunk >> shift) % DIGITS]++] = batch->lookups[i];

        struct lookup *sorted = batch->sorted;
        batch->sorted = batch->lookups;
        batch->lookups = sorted;
    }
}

/* Returns the index after the last lookup, counting from `from`, that is in the same chunk as
 * lookup `from`. */
static size_t end_of_chunk(const struct batch *batch, size_t from)
{
    size_t end = from;
    while (end < batch->lookups_count && batch->lookups[end].chunk == batch->lookups[from].chunk)
        end++;
    return end;
}

static enum wari_status look_up(const struct batch *batch, size_t from, size_t end,
                                struct wari_error *error)
{
    int8_t values[WARI_CHUNK_POSITIONS];
    const struct lookup *lookups = batch->lookups;
    size_t first = lookups[from].cell, last = first;
    for (size_t i = from; i < end; i++) {
        first = lookups[i].cell < first ? lookups[i].cell : first;
        last = lookups[i].cell > last ? lookups[i].cell : last;
    }
    const struct wari_value_range range = {
        lookups[from].seeds, lookups[from].chunk - batch->db->first_chunk[lookups[from].seeds],
        first, last - first + 1};
    enum wari_status status = wari_range_values(batch->db, &range, values, first == last, error);
    for (size_t i = from; i < end && status == WARI_OK; i++)
        batch->queries[lookups[i].query].value = values[lookups[i].cell - first];
    return status;
}

/* Returns the index of the first lookup of range `range`; there are RANGES ranges. They begin at
 * chunk boundaries. */
static size_t begin_of_range(const struct batch *batch, size_t range)
{
    const size_t at = batch->lookups_count * range / RANGES;
    const bool inside = at > 0 && at < batch->lookups_count &&
                        batch->lookups[at].chunk == batch->lookups[at - 1].chunk;
    return inside ? end_of_chunk(batch, at) : at;
}

static void look_up_range(void *argument, size_t range)
{
    struct batch *batch = argument;
    const size_t end = begin_of_range(batch, range + 1);
    size_t next;
    for (size_t at = begin_of_range(batch, range); at < end; at = next) {
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
    sort_lookups(batch);
    atomic_store(&batch->status, WARI_OK);
    if (host->run != NULL)
        host->run(host->context, look_up_range, batch, RANGES);
    else
        for (size_t range = 0; range < RANGES; range++)
            look_up_range(batch, range);
    const enum wari_status status = (enum wari_status)atomic_load(&batch->status);
    return status == WARI_OK ? WARI_OK : wari_fail(error, status, "%s", batch->error.text);
}

/* ---- Folding -------------------------------------------------------------------------------- */

static void fold(struct batch *batch, int8_t *values)
{
    for (size_t i = batch->count; i-- > 0;) {
        const struct query *query = &batch->queries[i];
        if (query->given) {
            values[query->parent] = query->value;
            continue;
        }
        const int worth = wari_move_value(&query->by, query->value);
        int8_t *best = &batch->queries[query->parent].value;
        *best = (int8_t)(worth > *best ? worth : *best);
    }
}

/* ---- Batches -------------------------------------------------------------------------------- */

static enum wari_status allocate_arrays(struct batch *batch, size_t count, void **memory,
                                        struct wari_error *error)
{
    const size_t each = sizeof *batch->queries + 2 * sizeof *batch->lookups;
    batch->capacity = count < QUERIES / QUERY_AND_MOVES ? count * QUERY_AND_MOVES : QUERIES;
    enum wari_status status = wari_allocate(batch->db->host, batch->capacity * each,
                                            "the queries for an array of positions", memory, error);
    if (status != WARI_OK)
        return status;
    batch->queries = *memory;
    batch->lookups = (struct lookup *)(batch->queries + batch->capacity);
    batch->sorted = batch->lookups + batch->capacity;
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
    enum wari_status status = allocate_arrays(&batch, count, &memory, error);
    for (size_t done = 0; done < count && status == WARI_OK; done += taken) {
        status = add_queries(&batch, positions + done, done, count - done, &taken, error);
        if (status == WARI_OK)
            status = look_up_all(&batch, error);
        if (status == WARI_OK)
            fold(&batch, values + done);
    }
    wari_release(db->host, memory);
    return status;
}
