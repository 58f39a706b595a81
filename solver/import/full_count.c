/* Counts full opponent halves.
 *
 * Take a mover half m and one of its pits. Against every opponent half, the move from this pit
 * leads to the same row: the row of the half that the sowing leaves of m. So for each m the program
 * reads at most six rows. The place of a child in its row (score_order.h) depends only on the
 * opponent half and on the number of seeds that are dropped there, and so do the captures. Both are
 * computed once for each block and each number t of dropped seeds:
 *
 *     place      for full half i: the place of the half with the t seeds added, minus the least
 *                place in the table
 *     quiet      the full halves from which nothing is captured if the last of the t seeds
 *                falls on them
 *     capture    the captures from the other full halves, except grand slams
 *
 * Mover halves of different blocks that have the same first pits need the same rows of lower
 * levels. So the items are visited in the order of struct wari_column_walk, and most chunks of
 * lower levels that were decoded are still in the cache when they are needed again.
 *
 * Positions in which a move is a grand slam, and positions without a move, are rare. They are
 * evaluated one by one, by the functions of game/. */
#include "solver/import/full_count.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "db/probe/probe.h"
#include "index/half.h"
#include "solver/kernel/kernel.h"
#include "solver/level/column_walk.h"
#include "solver/rows/sow.h"

enum {
    ITEMS_AT_ONCE = 128, /* items that are counted in one call; enough to keep all threads busy */
    ALONE = 1 << 14, /* if there are fewer positions, one thread counts all of them, because waking
                      * the other threads would take as long */
};

struct capture {
    uint32_t parent; /* number of the full half */
    uint32_t column; /* number of the opponent's half after the capture */
};

/* The tables for the moves that drop a given number of seeds. Each full half is in exactly one of
 * the lists `capture`, `quiet` and `slam`, which share one array. */
struct drop {
    uint32_t *place; /* [full half]: place (score_order.h), minus `first`, of the half with the
                      * dropped seeds added, before captures. If the move is quiet, this is
                      * the place of the child in its row of the score file */
    uint32_t first, count;   /* all these places are from `first` to first + count - 1 */
    struct capture *capture; /* sorted by the number of captured seeds, then by column */
    uint32_t captures[WARI_SEEDS_MAX + 1]; /* [n]: index after the last capture of n seeds */
    uint32_t *quiet, quiets; /* full halves from which nothing is captured, and their number */
    uint32_t *slam, slams;   /* full halves that a grand slam empties, and their number */
};

/* The tables of a block. */
struct block {
    uint32_t parents;                /* number of full halves */
    uint8_t (*half)[WARI_HALF_PITS]; /* [parent] */
    int drops;
    struct drop drop[WARI_SOWN_MAX + 1];
};

struct item {
    int block;
    uint32_t first, end; /* columns */
};

/* The memory of one thread. */
struct thread {
    struct wari_full_counter *counter;
    int8_t *row;                        /* a part of a row of the score file */
    int8_t *best;                       /* [parent]: value of the best move so far */
    bool *slow;                         /* [parent]: value_of_position() evaluates the position,
                                         * because a move is a grand slam or there is no move */
    int8_t lower[WARI_CHUNK_POSITIONS]; /* values of a lower level */
    uint64_t histogram[2 * WARI_SEEDS_MAX + 1];
};

struct wari_full_counter {
    const struct wari_full_count *count;
    int seeds;
    struct wari_column_walk walk;
    struct block block[WARI_SEEDS_MAX + 1];
    struct thread *thread;
    atomic_bool failed;
    enum wari_status status; /* of the first thread that failed */
    struct wari_error error;
};

static uint32_t full_halves(int block)
{
    return block < WARI_HALF_PITS ? 0 : wari_half_count(block - WARI_HALF_PITS);
}

static uint32_t items_of_block(int seeds, int block)
{
    const uint32_t columns = wari_half_count(seeds - block);
    return (columns + WARI_ITEM_COLUMNS - 1) / WARI_ITEM_COLUMNS;
}

uint64_t wari_full_count_items(int seeds)
{
    uint64_t items = 0;
    for (int block = WARI_HALF_PITS; block <= seeds; block++)
        items += items_of_block(seeds, block);
    return items;
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

/* Returns the memory of the tables for one number of dropped seeds (struct drop). Each full half is
 * in exactly one of the lists `capture`, `quiet` and `slam`. These lists share one array, which has
 * space for a capture of every full half: `capture` is at its start, `slam` at its end, and `quiet`
 * directly before `slam`. */
static uint64_t drop_bytes(uint32_t parents)
{
    return (uint64_t)parents * (sizeof(uint32_t) + sizeof(struct capture));
}

/* Returns the memory of the tables of a block, a multiple of 8. */
static uint64_t block_bytes(int seeds, int block)
{
    const uint32_t parents = full_halves(block);
    const uint64_t bytes = (uint64_t)count_drops(seeds, block) * drop_bytes(parents) +
                           (uint64_t)parents * WARI_HALF_PITS;
    return (bytes + 7) / 8 * 8;
}

static uint64_t thread_bytes(int seeds)
{
    return wari_half_count(seeds) + 2 * (uint64_t)full_halves(seeds);
}

uint64_t wari_full_count_bytes(int seeds, int threads)
{
    uint64_t bytes = sizeof(struct wari_full_counter) +
                     (uint64_t)threads * (sizeof(struct thread) + thread_bytes(seeds));
    for (int block = WARI_HALF_PITS; block <= seeds; block++)
        bytes += block_bytes(seeds, block);
    return bytes;
}

/* ---- Tables of a block ---------------------------------------------------------------------- */

static int by_column(const void *one, const void *other)
{
    const struct capture *a = one, *b = other;
    return a->column < b->column ? -1 : a->column > b->column;
}

/* Drops `sown` seeds on a full half. Returns the captures, and stores the place of the half before
 * the captures in *place. */
static struct wari_landing land(const struct block *block, uint32_t parent, int sown,
                                uint32_t *place)
{
    uint8_t half[WARI_HALF_PITS];

    memcpy(half, block->half[parent], sizeof half);
    wari_drop(half, sown);
    *place = wari_score_place(half);
    return sown > 0 ? wari_land(half, sown) : (struct wari_landing){0};
}

/* Lists the captures, sorted by the number of captured seeds, then by column. At the call,
 * drop->captures[n] is the number of captures of n seeds. */
static void list_captures(const struct block *block, int sown, struct drop *drop)
{
    uint32_t next[WARI_SEEDS_MAX + 1], place;

    for (int captured = 1; captured <= WARI_SEEDS_MAX; captured++)
        drop->captures[captured] += drop->captures[captured - 1];
    for (int captured = 0; captured <= WARI_SEEDS_MAX; captured++)
        next[captured] = captured > 0 ? drop->captures[captured - 1] : 0;
    for (uint32_t i = 0; i < block->parents; i++) {
        const struct wari_landing landing = land(block, i, sown, &place);
        if (landing.captured > 0 && !landing.slam)
            drop->capture[next[landing.captured]++] = (struct capture){i, landing.column};
    }
    for (int captured = 1; captured <= WARI_SEEDS_MAX; captured++)
        qsort(drop->capture + drop->captures[captured - 1],
              drop->captures[captured] - drop->captures[captured - 1], sizeof *drop->capture,
              by_column);
}

/* Fills in the tables for moves that drop `sown` seeds. */
static void find_drop(const struct block *block, int sown, struct drop *drop)
{
    uint32_t least = UINT32_MAX, greatest = 0;
    uint32_t *end = (uint32_t *)(drop->capture + block->parents);

    for (uint32_t i = 0; i < block->parents; i++) {
        const struct wari_landing landing = land(block, i, sown, &drop->place[i]);
        least = drop->place[i] < least ? drop->place[i] : least;
        greatest = drop->place[i] > greatest ? drop->place[i] : greatest;
        if (landing.slam)
            drop->slams++;
        else if (landing.captured > 0)
            drop->captures[landing.captured]++;
        else
            drop->quiets++;
    }
    list_captures(block, sown, drop);
    drop->slam = end - drop->slams;
    drop->quiet = drop->slam - drop->quiets;
    drop->slams = drop->quiets = 0;
    for (uint32_t i = 0; i < block->parents; i++) {
        uint32_t place;
        const struct wari_landing landing = land(block, i, sown, &place);
        if (landing.slam)
            drop->slam[drop->slams++] = i;
        else if (landing.captured == 0)
            drop->quiet[drop->quiets++] = i;
        drop->place[i] -= least;
    }
    drop->first = least;
    drop->count = greatest - least + 1;
}

/* Lists the full halves: takes each half with six seeds fewer, and adds a seed to each pit. */
static void list_halves(struct block *block, int seeds)
{
    uint8_t half[WARI_HALF_PITS];

    wari_half_first(seeds - WARI_HALF_PITS, half);
    for (uint32_t i = 0; i < block->parents; i++) {
        for (int pit = 0; pit < WARI_HALF_PITS; pit++)
            block->half[i][pit] = (uint8_t)(half[pit] + 1);
        (void)wari_half_next(half);
    }
}

/* Makes the tables of a block in `memory`. */
static void make_block(struct wari_full_counter *counter, int number, char *memory)
{
    struct block *block = &counter->block[number];

    block->parents = full_halves(number);
    block->drops = count_drops(counter->seeds, number);
    for (int sown = 0; sown < block->drops; sown++, memory += drop_bytes(block->parents)) {
        block->drop[sown].capture = (struct capture *)(void *)memory;
        block->drop[sown].place = (uint32_t *)(void *)(block->drop[sown].capture + block->parents);
    }
    block->half = (void *)memory;
    list_halves(block, number);
    for (int sown = 0; sown < block->drops; sown++)
        find_drop(block, sown, &block->drop[sown]);
}

/* Makes all tables in `memory`. */
static void make_tables(struct wari_full_counter *counter, char *memory)
{
    char *start[WARI_SEEDS_MAX + 1];

    for (int block = WARI_HALF_PITS; block <= counter->seeds; block++) {
        start[block] = memory;
        memory += block_bytes(counter->seeds, block);
    }
    for (int i = 0; i < counter->count->threads; i++) {
        struct thread *thread = &counter->thread[i];
        thread->counter = counter;
        thread->row = (int8_t *)memory;
        thread->best = thread->row + wari_half_count(counter->seeds);
        thread->slow = (bool *)(thread->best + full_halves(counter->seeds));
        memory += thread_bytes(counter->seeds);
    }
#pragma omp parallel for num_threads(counter->count->threads)                                      \
    schedule(dynamic) if (counter->seeds > 14)
    for (int block = WARI_HALF_PITS; block <= counter->seeds; block++)
        make_block(counter, block, start[block]);
}

enum wari_status wari_full_counter_create(struct wari_full_counter **result,
                                          const struct wari_full_count *count, uint64_t skip,
                                          struct wari_error *error)
{
    const int seeds = count->file->layout.seeds;
    const size_t threads = (size_t)count->threads * sizeof(struct thread);
    uint32_t number;
    void *memory;
    int block;
    enum wari_status status =
        wari_allocate(count->file->host, (size_t)wari_full_count_bytes(seeds, count->threads),
                      "counting a level", &memory, error);

    *result = NULL;
    if (status != WARI_OK)
        return status;
    struct wari_full_counter *counter = memory;
    memset(counter, 0, sizeof *counter + threads);
    counter->count = count;
    counter->seeds = seeds;
    counter->thread = (struct thread *)(counter + 1);
    make_tables(counter, (char *)memory + sizeof *counter + threads);
    counter->walk.layout = &count->file->layout;
    for (int each = WARI_HALF_PITS; each <= seeds; each++)
        counter->walk.items[each] = 1;
    wari_column_walk_begin(&counter->walk);
    while (skip > 0 && wari_column_walk_next(&counter->walk, &block, &number))
        skip--;
    *result = counter;
    return WARI_OK;
}

void wari_full_counter_destroy(struct wari_full_counter *counter)
{
    if (counter)
        wari_release(counter->count->file->host, counter);
}

/* ---- Positions ------------------------------------------------------------------------------ */

/* Evaluates a position by the rules, move by move. */
static enum wari_status value_of_position(const struct wari_full_count *count,
                                          const struct wari_position *position, int *best,
                                          struct wari_error *error)
{
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

/* Raises the values of the positions in which the move captures `captured` seeds. `left` is the
 * mover half after the sowing. All captures with values in the same chunk are looked up at once. */
static enum wari_status add_captures(struct thread *thread, const struct drop *drop, int captured,
                                     const uint8_t left[WARI_HALF_PITS], struct wari_error *error)
{
    struct wari_db *db = thread->counter->count->db;
    const int seeds = thread->counter->seeds - captured, block = wari_half_seeds(left);
    const struct wari_layout *layout = &db->layout[seeds];
    const uint64_t row =
        layout->block_offset[block] + (uint64_t)wari_row_rank(left) * layout->columns[block];
    const uint64_t held = wari_held_positions(db, seeds);
    const struct capture *capture = drop->capture + drop->captures[captured - 1];
    const struct capture *all = drop->capture + drop->captures[captured], *end;
    enum wari_status status = WARI_OK;

    for (; capture < all && row + capture->column < held && status == WARI_OK; capture = end) {
        const uint64_t at = row + capture->column;
        const size_t offset = at % WARI_CHUNK_POSITIONS;
        for (end = capture + 1; end < all && row + end->column < held &&
                                end->column - capture->column < WARI_CHUNK_POSITIONS - offset;)
            end++;
        const struct wari_value_range range = {seeds, at / WARI_CHUNK_POSITIONS, offset,
                                               end[-1].column - capture->column + 1};
        status = wari_range_values(db, &range, thread->lower, false, error);
        for (const struct capture *each = capture; each < end && status == WARI_OK; each++)
            raise_to(&thread->best[each->parent],
                     captured - thread->lower[each->column - capture->column]);
    }
    for (; capture < all && status == WARI_OK; capture++) { /* values left out of a packed file */
        struct wari_position position;
        int value = 0;
        wari_layout_unrank(layout, row + capture->column, &position);
        status = wari_value_by_moves(db, &position, &value, error);
        raise_to(&thread->best[capture->parent], captured - value);
    }
    return status;
}

/* Applies the move from one pit of a mover half to all full halves: raises the value of each
 * position to that of this move if it is lower, or marks the position in thread->slow if the move
 * is a grand slam. */
static enum wari_status add_move(struct thread *thread, const struct block *block,
                                 const uint8_t mover[WARI_HALF_PITS], int pit,
                                 struct wari_error *error)
{
    uint8_t left[WARI_HALF_PITS];

    memcpy(left, mover, sizeof left);
    const wari_sowing sowing = wari_sow(left, pit);
    const struct drop *drop = &block->drop[wari_sowing_sown(sowing)];
    const bool last = wari_sowing_last(sowing);
    int8_t *best = thread->best;
    enum wari_status status = WARI_OK;

    if (!last || drop->quiets > 0)
        status = wari_score_file_row(thread->counter->count->file, left, drop->first, drop->count,
                                     thread->row, error);
    if (status != WARI_OK)
        return status;
    if (!last) {
        for (uint32_t i = 0; i < block->parents; i++)
            raise_to(&best[i], -thread->row[drop->place[i]]);
        return WARI_OK;
    }
    for (uint32_t i = 0; i < drop->quiets; i++)
        raise_to(&best[drop->quiet[i]], -thread->row[drop->place[drop->quiet[i]]]);
    for (uint32_t i = 0; i < drop->slams; i++)
        thread->slow[drop->slam[i]] = true;
    for (int captured = 1; captured <= thread->counter->seeds && status == WARI_OK; captured++)
        if (drop->captures[captured] > drop->captures[captured - 1])
            status = add_captures(thread, drop, captured, left, error);
    return status;
}

/* Counts all positions with one mover half. */
static enum wari_status count_column(struct thread *thread, const struct block *block,
                                     const uint8_t mover[WARI_HALF_PITS], struct wari_error *error)
{
    enum wari_status status = WARI_OK;

    memset(thread->best, INT8_MIN, block->parents);
    memset(thread->slow, wari_half_seeds(mover) == 0, block->parents);
    for (int pit = 0; pit < WARI_HALF_PITS && status == WARI_OK; pit++)
        if (mover[pit] > 0)
            status = add_move(thread, block, mover, pit, error);
    for (uint32_t i = 0; i < block->parents && status == WARI_OK; i++) {
        int value = thread->best[i];
        if (thread->slow[i]) {
            struct wari_position position;
            memcpy(position.pits, mover, WARI_HALF_PITS);
            memcpy(position.pits + WARI_HALF_PITS, block->half[i], WARI_HALF_PITS);
            status = value_of_position(thread->counter->count, &position, &value, error);
        }
        if (status == WARI_OK)
            thread->histogram[value + WARI_SEEDS_MAX]++;
    }
    return status;
}

/* ---- Items ---------------------------------------------------------------------------------- */

static bool is_stopped(const struct wari_full_counter *counter)
{
    const atomic_bool *stop = counter->count->stop;
    return atomic_load_explicit(&counter->failed, memory_order_relaxed) ||
           (stop && atomic_load_explicit(stop, memory_order_relaxed));
}

static void count_item(struct thread *thread, const struct item *item)
{
    struct wari_full_counter *counter = thread->counter;
    uint8_t mover[WARI_HALF_PITS];
    struct wari_error error;

    wari_half_unrank(counter->seeds - item->block, item->first, mover);
    for (uint32_t column = item->first; column < item->end && !is_stopped(counter); column++) {
        const enum wari_status status =
            count_column(thread, &counter->block[item->block], mover, &error);
        if (status != WARI_OK) {
#pragma omp critical(full_count)
            if (!atomic_load(&counter->failed)) {
                counter->status = status;
                counter->error = error;
                atomic_store(&counter->failed, true);
            }
            return;
        }
        (void)wari_half_next(mover);
    }
}

/* Finds the next items. Returns the number of items, and sets *positions to the number of their
 * positions. */
static int next_items(struct wari_full_counter *counter, struct item items[ITEMS_AT_ONCE],
                      uint64_t *positions)
{
    int found = 0, block;
    uint32_t number;

    *positions = 0;
    while (found < ITEMS_AT_ONCE && wari_column_walk_next(&counter->walk, &block, &number)) {
        const uint32_t first = number * WARI_ITEM_COLUMNS;
        const uint32_t left = counter->walk.layout->columns[block] - first;
        const uint32_t columns = left < WARI_ITEM_COLUMNS ? left : WARI_ITEM_COLUMNS;
        items[found++] = (struct item){block, first, first + columns};
        *positions += (uint64_t)columns * counter->block[block].parents;
    }
    return found;
}

enum wari_status wari_full_counter_next(struct wari_full_counter *counter, uint64_t *items,
                                        uint64_t *histogram, struct wari_error *error)
{
    const struct wari_full_count *count = counter->count;
    struct item list[ITEMS_AT_ONCE];
    uint64_t positions;
    const int found = next_items(counter, list, &positions);

#pragma omp parallel for num_threads(count->threads) schedule(dynamic) if (positions > ALONE)
    for (int i = 0; i < found; i++)
        if (!is_stopped(counter))
            count_item(&counter->thread[omp_get_thread_num()], &list[i]);
    if (atomic_load(&counter->failed)) {
        if (error)
            *error = counter->error;
        return counter->status;
    }
    if (is_stopped(counter))
        return wari_fail(error, WARI_INTERRUPTED, "stopped on request at level %d", counter->seeds);
    for (int i = 0; i < count->threads; i++) {
        for (int value = 0; value <= 2 * WARI_SEEDS_MAX; value++)
            histogram[value] += counter->thread[i].histogram[value];
        memset(counter->thread[i].histogram, 0, sizeof counter->thread[i].histogram);
    }
    *items += (uint64_t)found;
    return WARI_OK;
}
