/* Computes the best capture or end of positions: the part of their value that comes from outside
 * the level.
 *
 * Consider one mover half, one pit and one band of parents. All parents that capture the same
 * number of seeds have their children in one row of one lower level. So the lists of captures
 * (tables.h) and the child rows are read from front to back. Ends (positions without a legal move)
 * depend on all six pits together: no move is legal if and only if each move either is a grand slam
 * that the rules forbid or leaves the opponent's empty row without seeds. */
#include "solver/level/captures.h"

#include <string.h>

/* One mover half and one band of opponent halves. */
struct line {
    const struct wari_level *level;
    struct wari_worker *worker;
    const struct wari_item *item;
    uint32_t band;
    uint32_t rows; /* rows of the band, rounded up to whole strips */
    int moves;     /* number of pits with seeds */
    int barred;    /* number of moves that are illegal because they do not feed an empty row */
    int slamming;  /* number of moves that are an illegal slam for some parent of the band */
    bool failed;   /* true if a lower level could not be read */
    int8_t *best;
};

/* Stores a number in any case, so that compilers need no branch. A branch would wait for the value,
 * which often comes from memory, and the processor would often predict it wrongly. */
static void raise_to(int8_t *best, int value)
{
    const int8_t before = *best;
    *best = value > before ? (int8_t)value : before;
}

static void captures_of_pit(struct line *line, int pit, wari_sowing sowing,
                            const struct wari_gather *gather)
{
    const int n = line->level->layout.seeds;
    const int block = n - line->item->block - wari_sowing_sown(sowing);
    const uint32_t child_row = wari_sowing_row(sowing);
    const struct wari_capture *capture = gather->capture + gather->first_capture[line->band];
    const struct wari_capture *end = gather->capture + gather->first_capture[line->band + 1];

    while (capture < end) {
        const int captured = capture->captured;
        const uint64_t row =
            wari_lower_cache_row(line->level->lower_cache, n - captured, block, child_row);
        struct wari_lower_values chunk = {0};
        do {
            const uint64_t at = row + capture->column;
            if (at - chunk.first >= chunk.positions) {
                const struct wari_lower_values *next = wari_reader_at(
                    line->worker->reader, wari_stream(pit, captured), n - captured, at);
                if (!next) {
                    line->failed = true;
                    return;
                }
                chunk = *next;
            }
            raise_to(&line->best[capture->row], captured - chunk.values[at - chunk.first]);
            capture++;
        } while (capture < end && capture->captured == captured);
    }
}

/* Reads the value of a single stored position of a lower level. Returns false if it cannot be read.
 */
static bool single_value(const struct wari_level *level, struct wari_worker *worker, int seeds,
                         uint64_t at, int *value)
{
    const struct wari_lower_values *chunk =
        wari_reader_at(worker->reader, WARI_STREAM_SINGLE, seeds, at);

    if (!chunk) {
        atomic_store_explicit(&level->workers->failed, true, memory_order_relaxed);
        return false;
    }
    *value = chunk->values[at - chunk->first];
    return true;
}

/* Computes the value of a slam in `warri`. After the slam the same player moves again, with the
 * mover half that the slam leaves and an empty opponent half. */
static bool moves_again(const struct wari_level *level, struct wari_worker *worker,
                        wari_sowing sowing, int captured, int *value)
{
    const int seeds = level->layout.seeds - captured;
    uint8_t half[WARI_HALF_PITS];

    wari_row_unrank(seeds, wari_sowing_row(sowing), half);
    if (!single_value(level, worker, seeds, wari_half_rank(half), value))
        return false;
    *value += captured;
    return true;
}

/* Computes the value of a slam that takes `captured` seeds. It is WARI_NO_CAPTURE if the rules
 * forbid slams or regard them as quiet moves. */
static bool slam_value(const struct wari_level *level, struct wari_worker *worker,
                       wari_sowing sowing, int captured, int *value)
{
    const int seeds = level->layout.seeds;

    *value = WARI_NO_CAPTURE;
    switch (wari_get_rules_info(level->tables->rules)->slam) {
    case WARI_SLAM_MOVES_AGAIN:
        return moves_again(level, worker, sowing, captured, value);
    case WARI_SLAM_LOSES:
        *value = -seeds;
        break;
    case WARI_SLAM_DRAWS:
        *value = 0;
        break;
    case WARI_SLAM_GIVES_REST:
        *value = captured - (seeds - captured);
        break;
    case WARI_SLAM_WINS_ALL:
        *value = seeds;
        break;
    case WARI_SLAM_ILLEGAL:
    case WARI_SLAM_NO_CAPTURE:
        break;
    }
    return true;
}

static void slams_of_pit(struct line *line, wari_sowing sowing, const struct wari_gather *gather,
                         enum wari_slam rule)
{
    const uint32_t first = gather->first_slam[line->band];
    const uint32_t end = gather->first_slam[line->band + 1];
    int value;

    if (first == end)
        return;
    if (rule == WARI_SLAM_ILLEGAL) {
        line->slamming++;
    } else if (slam_value(line->level, line->worker, sowing,
                          line->item->block + wari_sowing_sown(sowing), &value)) {
        for (uint32_t i = first; i < end; i++)
            raise_to(&line->best[gather->slam[i]], value);
    } else {
        line->failed = true;
    }
}

/* Returns the value of a position without a legal move. */
static int end_value(const struct wari_level *level, int theirs, int moves)
{
    const int seeds = level->layout.seeds;

    if (moves == 0)
        return -seeds;
    if (theirs == 0 || wari_get_rules_info(level->tables->rules)->stuck == WARI_STUCK_TAKES_ALL)
        return seeds;
    return seeds - theirs - theirs;
}

/* Sets the value of ends. A position has no legal move if each of its moves is barred or an illegal
 * slam. The slams of each single parent are counted only if barred + slamming reaches `moves`,
 * which is rare. */
static void set_ends(const struct line *line, const wari_sowing *sowings)
{
    const int value = end_value(line->level, line->item->block, line->moves);
    uint8_t slams[WARI_BAND_ROWS];

    if (line->barred == line->moves)
        memset(line->best, value, line->rows);
    if (line->slamming == 0 || line->barred + line->slamming < line->moves)
        return;
    memset(slams, 0, line->rows);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        if (sowings[pit] == WARI_NO_SOWING || !wari_sowing_last(sowings[pit]))
            continue;
        const struct wari_gather *gather =
            wari_item_gather(line->level, line->item, wari_sowing_sown(sowings[pit]));
        for (uint32_t i = gather->first_slam[line->band]; i < gather->first_slam[line->band + 1];
             i++)
            if (++slams[gather->slam[i]] + line->barred == line->moves)
                line->best[gather->slam[i]] = (int8_t)value;
    }
}

bool wari_best_captures(const struct wari_level *level, struct wari_worker *worker,
                        const struct wari_item *item, uint32_t column, uint32_t band,
                        int8_t best[WARI_BAND_ROWS])
{
    const enum wari_slam slam_rule = wari_get_rules_info(level->tables->rules)->slam;
    const wari_sowing *sowings = *wari_item_sowings(level, worker, item, column);
    struct line line = {.level = level,
                        .worker = worker,
                        .item = item,
                        .band = band,
                        .rows = WARI_STRIP * wari_band_strips(item, band),
                        .best = best};

    memset(best, WARI_NO_CAPTURE, line.rows);
    for (int pit = 0; pit < WARI_HALF_PITS && !line.failed; pit++) {
        if (sowings[pit] == WARI_NO_SOWING)
            continue;
        const int sown = wari_sowing_sown(sowings[pit]);
        line.moves++;
        if (sown == 0 && item->block == 0)
            line.barred++;
        if (!wari_sowing_last(sowings[pit]))
            continue;
        const struct wari_gather *gather = wari_item_gather(level, item, sown);
        captures_of_pit(&line, pit, sowings[pit], gather);
        slams_of_pit(&line, sowings[pit], gather, slam_rule);
    }
    if (line.failed)
        atomic_store_explicit(&level->workers->failed, true, memory_order_relaxed);
    else
        set_ends(&line, sowings);
    return !line.failed;
}

/* The result of a single move. */
struct single {
    int value; /* WARI_NO_CAPTURE if it captures nothing */
    bool barred;
};

/* Evaluates a move against an opponent half with `block` seeds. Returns false if a lower level
 * cannot be read. */
static bool single_move(const struct wari_level *level, struct wari_worker *worker, int block,
                        const uint8_t half[WARI_HALF_PITS], wari_sowing sowing, struct single *move)
{
    const int n = level->layout.seeds, sown = wari_sowing_sown(sowing);
    uint8_t after[WARI_HALF_PITS];

    *move = (struct single){WARI_NO_CAPTURE, sown == 0 && block == 0};
    if (!wari_sowing_last(sowing))
        return true;
    memcpy(after, half, sizeof after);
    wari_drop(after, sown);
    const struct wari_landing landing = wari_land(after, sown);
    if (landing.slam) {
        move->barred = wari_get_rules_info(level->tables->rules)->slam == WARI_SLAM_ILLEGAL;
        return slam_value(level, worker, sowing, landing.captured, &move->value);
    }
    if (landing.captured > 0) {
        const int left = n - landing.captured;
        const uint64_t row = wari_lower_cache_row(level->lower_cache, left, n - block - sown,
                                                  wari_sowing_row(sowing));
        if (!single_value(level, worker, left, row + landing.column, &move->value))
            return false;
        move->value = landing.captured - move->value;
    }
    return true;
}

bool wari_best_capture_at(const struct wari_level *level, struct wari_worker *worker, int block,
                          uint32_t row, uint32_t column, int *best)
{
    wari_sowing sowings[WARI_HALF_PITS];
    int moves = 0, barred = 0;
    uint8_t half[WARI_HALF_PITS];

    *best = WARI_NO_CAPTURE;
    wari_sow_halves(&level->tables->halves, level->layout.seeds - block, column, 1, &sowings);
    wari_row_unrank(block, row, half);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        struct single move;
        if (sowings[pit] == WARI_NO_SOWING)
            continue;
        if (!single_move(level, worker, block, half, sowings[pit], &move))
            return false;
        moves++;
        barred += move.barred;
        if (move.value > *best)
            *best = move.value;
    }
    if (barred == moves)
        *best = end_value(level, block, moves);
    return true;
}

int8_t wari_resolve_query(const struct wari_level *level, struct wari_worker *worker,
                          struct wari_coordinates cell, int8_t worst, int8_t code)
{
    int best;

    if (!wari_best_capture_at(level, worker, cell.block, cell.row, cell.column, &best))
        return code;
    if (best == WARI_NO_CAPTURE)
        best = level->codes.none;
    return level->codes.upper ? wari_upper_resolved(&level->codes, worst, best)
                              : wari_cell_resolved(&level->codes, worst, best);
}
