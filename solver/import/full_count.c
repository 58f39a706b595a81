/* Counts full opponent halves, block by block.
 *
 * All moves of a mover half m lead to one row for each pit, the row of what the sowing leaves of m,
 * whatever the opponent half is. So for each m the program reads at most six rows. Where a child is
 * in its row depends only on the opponent half and on the number of seeds that are dropped there;
 * so do the captures. Both are computed once for each block:
 *
 *     drop[t].place[i]    place of full half i plus t dropped seeds, in a row of the score file
 *     drop[t].quiet       the full halves from which nothing is captured if the last of the t seeds
 *                         falls on them
 *     drop[t].capture     the captures from the others
 *
 * Positions in which a move is a grand slam, and positions without a move, are rare. They are
 * evaluated one by one, by the functions of game/. */
#include "solver/import/full_count.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "db/probe/probe.h"
#include "solver/rows/sow.h"

enum {
    COLUMNS_AT_ONCE = 16, /* mover halves that a thread claims at once */
    ALONE = 1 << 14,      /* a block of fewer positions is counted by one thread: waking the others
                           * would take as long */
};

struct capture {
    uint32_t parent; /* number of the full half */
    uint32_t column; /* number of the opponent's half after the capture */
    uint32_t captured;
};

struct drop {
    uint32_t *place;
    uint32_t *quiet, quiets;
    uint32_t *slam, slams;
    struct capture *capture;
    uint32_t captures;
};

/* A block while it is counted. */
struct counting {
    const struct wari_full_count *count;
    int block, mover_seeds;
    uint32_t parents;                /* number of full halves */
    uint8_t (*half)[WARI_HALF_PITS]; /* [parent] */
    int drops;
    struct drop drop[WARI_SOWN_MAX + 1];
    atomic_uint_fast64_t done;
    atomic_bool failed;
    enum wari_status status; /* of the first thread that failed */
    struct wari_error error;
};

/* The memory of one thread. */
struct thread {
    struct counting *counting;
    int8_t *row;                        /* a row of the score file */
    int8_t *best;                       /* [parent]: value of the best move so far */
    bool *slow;                         /* [parent]: evaluate the position by itself */
    int8_t lower[WARI_CHUNK_POSITIONS]; /* values of a lower level */
    uint64_t histogram[2 * WARI_SEEDS_MAX + 1];
};

static uint32_t full_halves(int block)
{
    return block < WARI_HALF_PITS ? 0 : wari_half_count(block - WARI_HALF_PITS);
}

uint64_t wari_full_count_positions(int seeds, int block)
{
    return (uint64_t)full_halves(block) * wari_half_count(seeds - block);
}

/* ---- Memory --------------------------------------------------------------------------------- */

/* Returns 1 more than the greatest number of seeds that a move drops in the block. */
static int count_drops(int seeds, int block)
{
    int drops = 1;
    while (drops <= WARI_SOWN_MAX && wari_pair_occurs(seeds, block, drops))
        drops++;
    return drops;
}

static uint64_t drop_bytes(uint32_t parents)
{
    return (uint64_t)parents * (3 * sizeof(uint32_t) + sizeof(struct capture));
}

uint64_t wari_full_count_bytes(int seeds, int threads)
{
    uint64_t most = 0;
    for (int block = WARI_HALF_PITS; block <= seeds; block++) {
        const uint32_t parents = full_halves(block);
        const uint64_t bytes = (uint64_t)count_drops(seeds, block) * drop_bytes(parents) +
                               (uint64_t)parents * (WARI_HALF_PITS + 2 * (uint64_t)threads);
        most = bytes > most ? bytes : most;
    }
    return most + (uint64_t)threads * (sizeof(struct thread) + wari_half_count(seeds));
}

/* ---- Tables of a block ---------------------------------------------------------------------- */

static int by_address(const void *one, const void *other)
{
    const struct capture *a = one, *b = other;
    if (a->captured != b->captured)
        return a->captured < b->captured ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

/* Fills in the tables for moves that drop `sown` seeds. */
static void find_drop(struct counting *counting, int sown)
{
    struct drop *drop = &counting->drop[sown];

    for (uint32_t i = 0; i < counting->parents; i++) {
        uint8_t half[WARI_HALF_PITS];
        struct wari_landing landing = {0};
        memcpy(half, counting->half[i], sizeof half);
        wari_drop(half, sown);
        drop->place[i] = wari_score_place(half);
        if (sown > 0)
            landing = wari_land(half, sown);
        if (landing.slam)
            drop->slam[drop->slams++] = i;
        else if (landing.captured > 0)
            drop->capture[drop->captures++] =
                (struct capture){i, landing.column, (uint32_t)landing.captured};
        else
            drop->quiet[drop->quiets++] = i;
    }
    qsort(drop->capture, drop->captures, sizeof *drop->capture, by_address);
}

/* Lists the full halves: each is any half with six seeds fewer, and a seed more in each pit. */
static void list_halves(struct counting *counting)
{
    uint8_t half[WARI_HALF_PITS];

    wari_half_first(counting->block - WARI_HALF_PITS, half);
    for (uint32_t i = 0; i < counting->parents; i++) {
        for (int pit = 0; pit < WARI_HALF_PITS; pit++)
            counting->half[i][pit] = (uint8_t)(half[pit] + 1);
        (void)wari_half_next(half);
    }
}

/* Divides `memory` into the tables of the block, and fills them in. */
static void make_tables(struct counting *counting, char *memory)
{
    const uint32_t parents = counting->parents;

    for (int sown = 0; sown < counting->drops; sown++) {
        struct drop *drop = &counting->drop[sown];
        drop->capture = (struct capture *)(void *)memory;
        drop->place = (uint32_t *)(void *)(drop->capture + parents);
        drop->quiet = drop->place + parents;
        drop->slam = drop->quiet + parents;
        memory += drop_bytes(parents);
    }
    counting->half = (void *)memory;
    list_halves(counting);
#pragma omp parallel for num_threads(counting->count->threads)                                     \
    schedule(dynamic) if (parents > ALONE / 64)
    for (int sown = 0; sown < counting->drops; sown++)
        find_drop(counting, sown);
}

/* ---- Positions ------------------------------------------------------------------------------ */

/* Evaluates a position by the rules, move by move. */
static enum wari_status value_of_position(const struct counting *counting,
                                          const struct wari_position *position, int *best,
                                          struct wari_error *error)
{
    const struct wari_full_count *count = counting->count;
    enum wari_status status = WARI_OK;
    struct wari_moves moves;

    wari_find_moves(count->rules, position, &moves);
    *best = moves.count == 0 ? moves.end_value : -WARI_SEEDS_MAX;
    for (int i = 0; i < moves.count && status == WARI_OK; i++) {
        const struct wari_move *move = &moves.list[i];
        int next = 0;
        if (!move->ends && wari_seeds(&move->next) == count->file->layout.seeds)
            status = wari_score_file_value(count->file, &move->next, &next, error);
        else if (!move->ends)
            status = wari_probe(count->db, &move->next, &next, error);
        const int value = wari_move_value(move, next);
        *best = value > *best ? value : *best;
    }
    return status;
}

static void raise_to(int8_t *best, int value)
{
    if (value > *best)
        *best = (int8_t)value;
}

/* Raises the values of the positions in which the move captures. `left` is what the sowing leaves
 * of the mover half. */
static enum wari_status add_captures(struct thread *thread, const struct drop *drop,
                                     const uint8_t left[WARI_HALF_PITS], struct wari_error *error)
{
    struct wari_db *db = thread->counting->count->db;
    const int seeds = thread->counting->count->file->layout.seeds;
    const int block = wari_half_seeds(left);
    enum wari_status status = WARI_OK;

    for (uint32_t i = 0; i < drop->captures && status == WARI_OK;) {
        const struct capture *first = &drop->capture[i];
        const int lower = seeds - (int)first->captured;
        const struct wari_layout *layout = &db->layout[lower];
        const uint64_t row =
            layout->block_offset[block] + (uint64_t)wari_row_rank(left) * layout->columns[block];
        const uint64_t at = row + first->column, chunk = at / WARI_CHUNK_POSITIONS;
        const uint64_t held = wari_held_positions(db, lower);
        uint32_t end = i + 1;
        while (end < drop->captures && drop->capture[end].captured == first->captured &&
               (row + drop->capture[end].column) / WARI_CHUNK_POSITIONS == chunk &&
               (at >= held) == (row + drop->capture[end].column >= held))
            end++;
        if (at < held) {
            const struct wari_value_range range = {lower, chunk, at % WARI_CHUNK_POSITIONS,
                                                   drop->capture[end - 1].column - first->column +
                                                       1};
            status = wari_range_values(db, &range, thread->lower, false, error);
        }
        for (; i < end && status == WARI_OK; i++) {
            const struct capture *capture = &drop->capture[i];
            int value = thread->lower[capture->column - first->column];
            if (at >= held) { /* the value is left out of a packed file */
                struct wari_position position;
                wari_layout_unrank(layout, row + capture->column, &position);
                status = wari_value_by_moves(db, &position, &value, error);
            }
            raise_to(&thread->best[capture->parent], (int)capture->captured - value);
        }
    }
    return status;
}

/* Raises the values of all positions with a mover half by one of its moves. */
static enum wari_status add_move(struct thread *thread, const uint8_t mover[WARI_HALF_PITS],
                                 int pit, struct wari_error *error)
{
    const struct counting *counting = thread->counting;
    uint8_t left[WARI_HALF_PITS];

    memcpy(left, mover, sizeof left);
    const wari_sowing sowing = wari_sow(left, pit);
    const struct drop *drop = &counting->drop[wari_sowing_sown(sowing)];
    const bool last = wari_sowing_last(sowing);
    int8_t *best = thread->best;
    const enum wari_status status =
        wari_score_file_row(counting->count->file, left, thread->row, error);
    if (status != WARI_OK)
        return status;
    if (!last) {
        for (uint32_t i = 0; i < counting->parents; i++)
            raise_to(&best[i], -thread->row[drop->place[i]]);
        return WARI_OK;
    }
    for (uint32_t i = 0; i < drop->quiets; i++)
        raise_to(&best[drop->quiet[i]], -thread->row[drop->place[drop->quiet[i]]]);
    for (uint32_t i = 0; i < drop->slams; i++)
        thread->slow[drop->slam[i]] = true;
    return add_captures(thread, drop, left, error);
}

/* Counts all positions with one mover half. */
static enum wari_status count_column(struct thread *thread, const uint8_t mover[WARI_HALF_PITS],
                                     struct wari_error *error)
{
    const struct counting *counting = thread->counting;
    enum wari_status status = WARI_OK;

    memset(thread->best, INT8_MIN, counting->parents);
    memset(thread->slow, counting->mover_seeds == 0, counting->parents);
    for (int pit = 0; pit < WARI_HALF_PITS && status == WARI_OK; pit++)
        if (mover[pit] > 0)
            status = add_move(thread, mover, pit, error);
    for (uint32_t i = 0; i < counting->parents && status == WARI_OK; i++) {
        int value = thread->best[i];
        if (thread->slow[i]) {
            struct wari_position position;
            memcpy(position.pits, mover, WARI_HALF_PITS);
            memcpy(position.pits + WARI_HALF_PITS, counting->half[i], WARI_HALF_PITS);
            status = value_of_position(counting, &position, &value, error);
        }
        if (status == WARI_OK)
            thread->histogram[value + WARI_SEEDS_MAX]++;
    }
    return status;
}

/* ---- A block -------------------------------------------------------------------------------- */

static bool is_stopped(const struct counting *counting)
{
    const atomic_bool *stop = counting->count->stop;
    return atomic_load_explicit(&counting->failed, memory_order_relaxed) ||
           (stop && atomic_load_explicit(stop, memory_order_relaxed));
}

static void count_columns(struct thread *thread, uint32_t first, uint32_t end)
{
    struct counting *counting = thread->counting;
    uint8_t mover[WARI_HALF_PITS];
    struct wari_error error;

    wari_half_unrank(counting->mover_seeds, first, mover);
    for (uint32_t column = first; column < end && !is_stopped(counting); column++) {
        const enum wari_status status = count_column(thread, mover, &error);
        if (status != WARI_OK) {
#pragma omp critical(full_count)
            if (!atomic_load(&counting->failed)) {
                counting->status = status;
                counting->error = error;
                atomic_store(&counting->failed, true);
            }
            return;
        }
        (void)wari_half_next(mover);
    }
    const uint64_t done = (uint64_t)(end - first) * counting->parents;
    const uint64_t before = atomic_fetch_add(&counting->done, done);
    if (omp_get_thread_num() == 0 && counting->count->advance)
        counting->count->advance(counting->count->context, before + done);
}

static void count_block(struct counting *counting, struct thread *threads)
{
    const uint32_t columns = wari_half_count(counting->mover_seeds);
    const uint64_t positions = (uint64_t)columns * counting->parents;
    const int used = counting->count->threads;

#pragma omp parallel for num_threads(used) schedule(dynamic) if (positions > ALONE)
    for (uint32_t first = 0; first < columns; first += COLUMNS_AT_ONCE) {
        const uint32_t left = columns - first;
        if (!is_stopped(counting))
            count_columns(&threads[omp_get_thread_num()], first,
                          first + (left < COLUMNS_AT_ONCE ? left : COLUMNS_AT_ONCE));
    }
}

enum wari_status wari_full_count_block(const struct wari_full_count *count, int block,
                                       uint64_t *histogram, struct wari_error *error)
{
    const struct wari_host *host = count->file->host;
    const int seeds = count->file->layout.seeds;
    struct counting counting = {.count = count,
                                .block = block,
                                .mover_seeds = seeds - block,
                                .parents = full_halves(block),
                                .drops = count_drops(seeds, block)};
    const size_t threads_bytes = (size_t)count->threads * sizeof(struct thread);
    const size_t row_bytes = wari_half_count(seeds);
    void *memory;
    enum wari_status status =
        wari_allocate(host, (size_t)wari_full_count_bytes(seeds, count->threads),
                      "counting a level", &memory, error);
    if (status != WARI_OK)
        return status;

    struct thread *threads = memory;
    char *rest = (char *)memory + threads_bytes;
    memset(threads, 0, threads_bytes);
    make_tables(&counting, rest);
    rest = (char *)(counting.half + counting.parents);
    for (int i = 0; i < count->threads; i++) {
        threads[i].counting = &counting;
        threads[i].row = (int8_t *)rest;
        threads[i].best = threads[i].row + row_bytes;
        threads[i].slow = (bool *)(threads[i].best + counting.parents);
        rest = (char *)(threads[i].slow + counting.parents);
    }
    count_block(&counting, threads);
    for (int i = 0; i < count->threads; i++)
        for (int value = 0; value <= 2 * WARI_SEEDS_MAX; value++)
            histogram[value] += threads[i].histogram[value];
    wari_release(host, memory);
    if (atomic_load(&counting.failed)) {
        if (error)
            *error = counting.error;
        return counting.status;
    }
    if (count->stop && atomic_load_explicit(count->stop, memory_order_relaxed))
        return wari_fail(error, WARI_INTERRUPTED, "stopped on request at level %d", seeds);
    return WARI_OK;
}
