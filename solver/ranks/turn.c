/* Turns of distributed levels: dense sweeps, the capture pass, full halves for the histogram; see
 * distributed.h.
 */
#include "solver/ranks/turn.h"

#include <omp.h>
#include <string.h>

#include "solver/item/first_codes.h"
#include "solver/item/histogram.h"
#include "solver/ranks/rounds.h"

/* ---- Items ---------------------------------------------------------------------------------- */

/* Where an item's children are: here, or in what the others sent. */
struct finder {
    const struct wari_distributed *distributed;
    struct wari_worker *worker;
    const struct wari_item *item;
    const int8_t *in;
    uint64_t *cursor; /* [rank]: the next stretch that came from there */
    struct wari_need needs[WARI_SOWN_MAX + 1];
};

static int find_sources(void *context, uint32_t column, struct wari_source sources[WARI_HALF_PITS])
{
    struct finder *finder = context;
    const struct wari_distributed *distributed = finder->distributed;
    const struct wari_level *level = distributed->level;
    const struct wari_item *item = finder->item;
    const wari_sowing *sowings = *wari_item_sowings(level, finder->worker, item, column);
    int count = 0;

    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        if (sowings[pit] == WARI_NO_SOWING)
            continue;
        const int sown = wari_sowing_sown(sowings[pit]);
        const int child = level->layout.seeds - item->block - sown;
        const uint32_t row = wari_sowing_row(sowings[pit]);
        const struct wari_need *need = &finder->needs[sown];
        const int8_t *cells;
        if (need->columns == 0)
            continue;
        if (row - level->held.share.first_row[child] < level->held.share.rows[child]) {
            cells = wari_held_row(level, item, child, row);
        } else {
            uint64_t *at = &finder->cursor[wari_ranks_owner(&distributed->ranks, child, row)];
            /* Only what the strips need was sent: the row itself would begin before that. */
            cells = (const int8_t *)((uintptr_t)(finder->in + *at) - need->first);
            *at += need->columns;
        }
        sources[count++] = (struct wari_source){
            .row = cells,
            .gather = wari_item_gather(level, item, sown),
            .last = wari_sowing_last(sowings[pit]),
        };
    }
    return count;
}

static void find_begin(struct finder *finder, const struct wari_distributed *distributed,
                       struct wari_worker *worker, const struct wari_round *rows,
                       const struct wari_item *item, uint32_t i)
{
    const size_t ranks = (size_t)distributed->net->ranks;

    finder->distributed = distributed;
    finder->worker = worker;
    finder->item = item;
    finder->in = rows->in;
    finder->cursor = distributed->cursors + (size_t)omp_get_thread_num() * ranks;
    memcpy(finder->cursor, rows->from + i * ranks, ranks * sizeof *finder->cursor);
    wari_item_needs(distributed->level, item, finder->needs);
}

/* ---- Tiles ---------------------------------------------------------------------------------- */

/* A patch whose rows are held here goes where it belongs. */
static void settle(struct wari_distributed *distributed, struct wari_worker *worker,
                   const struct wari_job *job, const struct wari_merge *merge,
                   struct wari_tally *tally)
{
    if (wari_level_stopped(distributed->level))
        return;
    if (job->sweep)
        wari_merge_patch(distributed->level, worker, merge, job->sweep, tally);
    else
        wari_first_codes_write(distributed->level, merge);
}

/* Goes through a tile's pieces that one rank holds: a strip, or the rows of it that it has. */
struct pieces {
    const struct wari_item *item;
    uint32_t next, end; /* rows */
    struct wari_merge merge;
};

static struct pieces pieces_of(const struct wari_distributed *distributed,
                               const struct wari_item *item, int rank)
{
    const uint32_t *first = distributed->ranks.first_row[item->block];
    const uint32_t begin = item->first_strip * WARI_STRIP;
    const uint32_t end = begin + item->strips * WARI_STRIP;

    return (struct pieces){
        .item = item,
        .next = first[rank] > begin ? first[rank] : begin,
        .end = first[rank + 1] < end ? first[rank + 1] : end,
        .merge = {.block = item->block,
                  .first_column = item->first_column,
                  .columns = item->columns},
    };
}

static bool next_piece(struct pieces *pieces)
{
    const uint32_t strip_end = (pieces->next / WARI_STRIP + 1) * WARI_STRIP;
    const uint32_t until = pieces->end < strip_end ? pieces->end : strip_end;

    if (pieces->next >= pieces->end)
        return false;
    pieces->merge.first_row = pieces->next;
    pieces->merge.rows = until - pieces->next;
    pieces->next = until;
    return true;
}

static size_t piece_bytes(const struct wari_merge *piece)
{
    return ((size_t)piece->rows * piece->columns + 63) / 64 * 64;
}

/* Copies rows of a patch, column by column, between pitches. */
static void copy_columns(int8_t *to, size_t to_pitch, const int8_t *from, size_t from_pitch,
                         const struct wari_merge *piece)
{
    for (uint32_t column = 0; column < piece->columns; column++)
        memcpy(to + column * to_pitch, from + column * from_pitch, piece->rows);
}

/* What a thread is at. */
struct thread {
    struct wari_distributed *distributed;
    struct wari_worker *worker;
    const struct wari_job *job;
    struct wari_tally *tally;
};

/* Sends a computed tile on its way, or settles what is held here. */
static void ship(const struct thread *thread, const struct wari_item *item,
                 struct wari_round *tiles, uint32_t i)
{
    const uint32_t begin = item->first_strip * WARI_STRIP;
    const uint32_t end = begin + item->strips * WARI_STRIP;
    int8_t turned[WARI_PATCH] __attribute__((aligned(64)));

    for (int rank = wari_ranks_owner(&thread->distributed->ranks, item->block, begin);
         rank < thread->distributed->net->ranks &&
         thread->distributed->ranks.first_row[item->block][rank] < end;
         rank++) {
        int8_t *out =
            tiles->out + tiles->to[i * (size_t)thread->distributed->net->ranks + (size_t)rank];
        struct pieces pieces = pieces_of(thread->distributed, item, rank);
        while (next_piece(&pieces)) {
            struct wari_merge *piece = &pieces.merge;
            const uint32_t place = piece->first_row % WARI_STRIP;
            const int8_t *tile = thread->worker->tile +
                                 (size_t)((piece->first_row - begin) / WARI_STRIP) * WARI_PATCH;
            if (rank != thread->distributed->net->rank) {
                copy_columns(out, piece->rows, tile + place, WARI_STRIP, piece);
                out += piece_bytes(piece);
                continue;
            }
            piece->worst = tile;
            if (place > 0) {
                memset(turned, 0, sizeof turned);
                copy_columns(turned, WARI_STRIP, tile + place, WARI_STRIP, piece);
                piece->worst = turned;
            }
            settle(thread->distributed, thread->worker, thread->job, piece, thread->tally);
        }
    }
}

/* Settles what came from a rank's item. */
static void receive(struct wari_distributed *distributed, struct wari_worker *worker,
                    const struct wari_job *job, const struct wari_item *item, const int8_t *in,
                    struct wari_tally *tally)
{
    struct pieces pieces = pieces_of(distributed, item, distributed->net->rank);
    int8_t whole[WARI_PATCH] __attribute__((aligned(64)));

    while (next_piece(&pieces)) {
        struct wari_merge *piece = &pieces.merge;
        piece->worst = in;
        if (piece->rows < WARI_STRIP || piece->columns < WARI_GROUP) {
            memset(whole, 0, sizeof whole);
            copy_columns(whole, WARI_STRIP, in, piece->rows, piece);
            piece->worst = whole;
        }
        settle(distributed, worker, job, piece, tally);
        in += piece_bytes(piece);
    }
}

/* ---- Rounds --------------------------------------------------------------------------------- */

static void compute_item(const struct thread *thread, const struct wari_item *item, uint32_t i,
                         const struct wari_round *rows)
{
    struct wari_distributed *distributed = thread->distributed;
    struct wari_worker *worker = thread->worker;
    const struct wari_job *job = thread->job;
    const uint32_t first = item->first_strip / WARI_SEGMENT_STRIPS;
    const uint32_t segments = (item->strips + WARI_SEGMENT_STRIPS - 1) / WARI_SEGMENT_STRIPS;
    struct finder finder;

    if (job->sweep || job->histogram)
        find_begin(&finder, distributed, worker, rows, item, i);
    if (job->sweep)
        wari_compute_item(distributed->level, worker, item, find_sources, &finder, thread->tally);
    else if (job->histogram)
        wari_count_segment(distributed->level, worker, item,
                           &(struct wari_finder){find_sources, &finder}, job->histogram);
    for (uint32_t segment = 0; !job->sweep && !job->histogram && segment < segments; segment++)
        if (!wari_first_codes(distributed->level, worker, item, first + segment,
                              worker->tile + (size_t)segment * WARI_SEGMENT_STRIPS * WARI_PATCH))
            return;
}

/* What is on its way goes on when the main thread looks at it. */
static void push(struct wari_distributed *distributed)
{
    if (omp_get_thread_num() != 0)
        return;
    for (int i = 0; i < 2; i++) {
        wari_exchange_push(&distributed->rows[i].exchange);
        wari_exchange_push(&distributed->tiles[i].exchange);
    }
}

static void compute_round(struct wari_distributed *distributed, const struct wari_rounds *turn,
                          const struct wari_job *job, uint32_t round, struct wari_tally *tally)
{
    const uint32_t items = wari_round_items(turn, distributed->net->rank, round);
    uint64_t changed = 0, cells = 0, bytes = 0;

#pragma omp parallel num_threads(distributed->threads) reduction(+ : changed, cells, bytes)
    {
        struct wari_tally mine = {0};
        const struct thread thread = {
            distributed, &distributed->level->team->worker[omp_get_thread_num()], job, &mine};
#pragma omp for schedule(dynamic)
        for (uint32_t i = 0; i < items; i++) {
            const struct wari_item item = wari_round_item(turn, distributed->net->rank, round, i);
            if (wari_level_stopped(distributed->level))
                continue;
            compute_item(&thread, &item, i, &distributed->rows[round % 2]);
            if (!job->histogram)
                ship(&thread, &item, &distributed->tiles[round % 2], i);
            push(distributed);
        }
        changed += mine.changed;
        cells += mine.cells;
        bytes += mine.bytes;
    }
    tally->changed += changed;
    tally->cells += cells;
    tally->bytes += bytes;
}

static void merge_round(struct wari_distributed *distributed, const struct wari_rounds *turn,
                        const struct wari_job *job, uint32_t round, struct wari_tally *tally)
{
    const int tasks = distributed->net->ranks * (int)turn->batch;
    const struct wari_round *tiles = &distributed->tiles[round % 2];
    uint64_t changed = 0, cells = 0, bytes = 0;

#pragma omp parallel num_threads(distributed->threads) reduction(+ : changed, cells, bytes)
    {
        struct wari_worker *worker = &distributed->level->team->worker[omp_get_thread_num()];
        struct wari_tally mine = {0};
#pragma omp for schedule(dynamic)
        for (int task = 0; task < tasks; task++) {
            const int rank = task / (int)turn->batch;
            const uint32_t i = (uint32_t)task % turn->batch;
            if (rank == distributed->net->rank || i >= wari_round_items(turn, rank, round))
                continue;
            const struct wari_item item = wari_round_item(turn, rank, round, i);
            receive(distributed, worker, job, &item, tiles->in + tiles->from[task], &mine);
            push(distributed);
        }
        changed += mine.changed;
        cells += mine.cells;
        bytes += mine.bytes;
    }
    tally->changed += changed;
    tally->cells += cells;
    tally->bytes += bytes;
}

static void begin_rows(struct wari_distributed *distributed, const struct wari_rounds *turn,
                       uint32_t round)
{
    struct wari_round *rows = &distributed->rows[round % 2];

    wari_pack_rows(distributed, turn, round, rows);
    wari_exchange_begin(&rows->exchange, distributed->net);
}

/* Keeps the rows held of a block as they are, for those of its cells that are children of others.
 */
static void keep_block(const struct wari_distributed *distributed, int block)
{
    struct wari_level *level = distributed->level;
    const uint64_t pitch = level->held.pitch[block];
    const int8_t *from = level->held.cells + level->held.offset[block];

    if (!wari_holds_own_children(&level->layout, block))
        return;
#pragma omp parallel for num_threads(distributed->threads) schedule(static)
    for (uint32_t row = 0; row < level->held.share.rows[block]; row++)
        memcpy(level->held.kept + row * pitch, from + row * pitch, pitch);
}

void wari_distributed_turn(struct wari_distributed *distributed, int block,
                           const struct wari_job *job, struct wari_tally *tally)
{
    const struct wari_rounds *turn =
        &distributed->turn[job->histogram ? WARI_PARENTS_FULL : WARI_PARENTS_ROWS][block];
    const bool rows = job->sweep || job->histogram, tiles = !job->histogram;
    const enum wari_cargo cargo = job->histogram ? WARI_CARGO_COUNT : WARI_CARGO_ROWS;

    for (int i = 0; i < 2; i++) {
        distributed->rows[i].exchange.cargo = cargo;
        distributed->tiles[i].exchange.cargo = job->sweep ? WARI_CARGO_TILES : WARI_CARGO_CODES;
    }
    if (job->sweep)
        keep_block(distributed, block);
    if (rows && turn->rounds > 0)
        begin_rows(distributed, turn, 0);
    for (uint32_t round = 0; round < turn->rounds; round++) {
        if (rows)
            wari_exchange_end(&distributed->rows[round % 2].exchange);
        if (rows && round + 1 < turn->rounds)
            begin_rows(distributed, turn, round + 1);
        if (tiles)
            wari_place_tiles(distributed, turn, round, &distributed->tiles[round % 2]);
        compute_round(distributed, turn, job, round, tally);
        if (!tiles)
            continue;
        if (round > 0)
            wari_exchange_end(&distributed->tiles[(round - 1) % 2].exchange);
        wari_exchange_begin(&distributed->tiles[round % 2].exchange, distributed->net);
        if (round > 0)
            merge_round(distributed, turn, job, round - 1, tally);
    }
    if (tiles && turn->rounds > 0) {
        wari_exchange_end(&distributed->tiles[(turn->rounds - 1) % 2].exchange);
        merge_round(distributed, turn, job, turn->rounds - 1, tally);
    }
}
