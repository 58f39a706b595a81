/* The best capture or end of every position: all of its value that lies outside the level.
 *
 * One pass before the sweeps, over the solved levels below. For one mover half and pit, all parents
 * of a segment that capture the same number of seeds find their children in one row of one level,
 * so the lists of tables.h are walked front to back. Ends (no legal move) depend on all six pits
 * together: a position has none exactly if every pit that holds seeds is barred, by feeding or as
 * an illegal slam.
 */
#include "solver/stream.h"

#include <omp.h>
#include <string.h>

/* One mover half against one segment of opponent halves. */
struct line {
    const struct wari_level *level;
    struct wari_worker *worker;
    const struct wari_item *item;
    uint32_t segment;
    int moves;                   /* pits that hold seeds */
    int barred;                  /* of these, sowings that do not feed an empty row */
    bool illegal_slams;          /* some parent of the segment has one */
    bool failed;                 /* a lower level could not be read */
    uint8_t slams[WARI_SEGMENT]; /* illegal slams of each parent; valid if illegal_slams */
    int8_t *best;
};

static void raise(int8_t *best, int value)
{
    if (value > *best)
        *best = (int8_t)value;
}

static void captures_of_pit(struct line *line, int pit, wari_sowing sowing,
                            const struct wari_gather *gather)
{
    const int n = line->level->layout.seeds;
    const int block = n - line->item->block - wari_sowing_sown(sowing);
    const struct wari_capture *capture = gather->capture + gather->first_capture[line->segment];
    const struct wari_capture *end = gather->capture + gather->first_capture[line->segment + 1];

    while (capture < end) {
        const int captured = capture->captured;
        const uint64_t row =
            wari_lower_row(line->level->lower, n - captured, block, wari_sowing_row(sowing));
        struct wari_stretch stretch = {0};
        do {
            const uint64_t at = row + capture->column;
            if (at - stretch.first >= stretch.positions) {
                const struct wari_stretch *next = wari_reader_at(
                    line->worker->reader, wari_stream(pit, captured), n - captured, at);
                if (!next) {
                    line->failed = true;
                    return;
                }
                stretch = *next;
            }
            raise(&line->best[capture->place], captured - stretch.values[at - stretch.first]);
            capture++;
        } while (capture < end && capture->captured == captured);
    }
}

/* The value of a single stored position of a lower level. */
static bool single_value(const struct wari_level *level, struct wari_worker *worker, int seeds,
                         uint64_t at, int *value)
{
    const struct wari_stretch *stretch =
        wari_reader_at(worker->reader, WARI_STREAM_SINGLE, seeds, at);

    if (!stretch) {
        atomic_store_explicit(&level->team->failed, true, memory_order_relaxed);
        return false;
    }
    *value = stretch->values[at - stretch->first];
    return true;
}

/* The value of `warri`'s extra move: mover half m' against an empty row, the same player to move.
 */
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

/* The value of a slam that takes all of `captured` seeds; WARI_NO_CAPTURE where it has none:
 * barred, or a quiet move. */
static bool slam_value(const struct wari_level *level, struct wari_worker *worker,
                       wari_sowing sowing, int captured, int *value)
{
    const int seeds = level->layout.seeds;

    *value = WARI_NO_CAPTURE;
    switch (wari_rules_info(level->tables->rules)->slam) {
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
    const uint32_t first = gather->first_slam[line->segment];
    const uint32_t end = gather->first_slam[line->segment + 1];
    int value;

    if (first == end)
        return;
    if (rule == WARI_SLAM_ILLEGAL) {
        if (!line->illegal_slams)
            memset(line->slams, 0, sizeof line->slams);
        line->illegal_slams = true;
        for (uint32_t i = first; i < end; i++)
            line->slams[gather->slam[i]]++;
    } else if (slam_value(line->level, line->worker, sowing,
                          line->item->block + wari_sowing_sown(sowing), &value)) {
        for (uint32_t i = first; i < end; i++)
            raise(&line->best[gather->slam[i]], value);
    } else {
        line->failed = true;
    }
}

/* What the mover gets where no move is legal. */
static int end_value(const struct wari_level *level, int theirs, int moves)
{
    const int seeds = level->layout.seeds;

    if (moves == 0)
        return -seeds;
    if (theirs == 0 || wari_rules_info(level->tables->rules)->stuck == WARI_STUCK_TAKES_ALL)
        return seeds;
    return seeds - theirs - theirs;
}

static void ends(const struct line *line)
{
    const int value = end_value(line->level, line->item->block, line->moves);

    if (line->barred == line->moves) {
        memset(line->best, value, WARI_SEGMENT);
    } else if (line->illegal_slams) {
        for (int place = 0; place < WARI_SEGMENT; place++)
            if (line->slams[place] + line->barred == line->moves)
                line->best[place] = (int8_t)value;
    }
}

bool wari_best_captures(const struct wari_level *level, struct wari_worker *worker,
                        const struct wari_item *item, uint32_t column, uint32_t segment,
                        int8_t best[WARI_SEGMENT])
{
    const enum wari_slam slam_rule = wari_rules_info(level->tables->rules)->slam;
    const wari_sowing *sowings = wari_item_sowings(level, item, column);
    struct line line = {
        .level = level, .worker = worker, .item = item, .segment = segment, .best = best};

    memset(best, WARI_NO_CAPTURE, WARI_SEGMENT);
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
        atomic_store_explicit(&level->team->failed, true, memory_order_relaxed);
    else
        ends(&line);
    return !line.failed;
}

bool wari_best_capture_at(const struct wari_level *level, struct wari_worker *worker, int block,
                          uint32_t row, uint32_t column, int *best)
{
    const int n = level->layout.seeds;
    const enum wari_slam slam_rule = wari_rules_info(level->tables->rules)->slam;
    const wari_sowing *sowings =
        level->tables->sowings[n - block] + (size_t)column * WARI_HALF_PITS;
    int moves = 0, barred = 0;
    uint8_t half[WARI_HALF_PITS], after[WARI_HALF_PITS];

    *best = WARI_NO_CAPTURE;
    wari_row_unrank(block, row, half);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        int value = WARI_NO_CAPTURE;
        if (sowings[pit] == WARI_NO_SOWING)
            continue;
        const int sown = wari_sowing_sown(sowings[pit]);
        moves++;
        if (sown == 0 && block == 0)
            barred++;
        if (!wari_sowing_last(sowings[pit]))
            continue;
        memcpy(after, half, sizeof after);
        wari_drop(after, sown);
        const struct wari_landing landing = wari_land(after, sown);
        if (landing.slam) {
            if (slam_rule == WARI_SLAM_ILLEGAL)
                barred++;
            if (!slam_value(level, worker, sowings[pit], landing.captured, &value))
                return false;
        } else if (landing.captured > 0) {
            const uint64_t at = wari_lower_row(level->lower, n - landing.captured, n - block - sown,
                                               wari_sowing_row(sowings[pit])) +
                                landing.column;
            if (!single_value(level, worker, n - landing.captured, at, &value))
                return false;
            value = landing.captured - value;
        }
        if (value > *best)
            *best = value;
    }
    if (barred == moves)
        *best = end_value(level, block, moves);
    return true;
}

/* Turns a segment's captures round and writes the cells' first codes into the level. */
static void write_codes(struct wari_level *level, const struct wari_item *item, uint32_t segment,
                        const int8_t *tile)
{
    const uint32_t pitch = level->pitch[item->block];
    const uint32_t end = item->first_strip + item->strips;
    const uint32_t first = segment * WARI_SEGMENT_STRIPS;
    uint32_t strip = first > item->first_strip ? first : item->first_strip;
    int8_t turned[WARI_PATCH];

    for (; strip < first + WARI_SEGMENT_STRIPS && strip < end; strip++) {
        const uint32_t rows = wari_strip_rows(item, strip);
        int8_t *cells = wari_code_row(level, item->block, strip * WARI_STRIP) + item->first_column;
        level->kernel->transpose(tile + (strip - first) * (size_t)WARI_PATCH, turned);
        for (uint32_t row = 0; row < rows; row++)
            wari_copy_group(cells + (uint64_t)row * pitch, turned + row * WARI_GROUP,
                            item->columns);
    }
}

/* wari_cell_start() for a strip. Both for c > 0 and for value 0 the code is `zero` + c. */
static void start_cells(const struct wari_cells *codes, const int8_t best[WARI_STRIP],
                        int8_t cells[WARI_STRIP])
{
    for (int i = 0; i < WARI_STRIP; i++)
        cells[i] = (int8_t)(codes->zero + (best[i] > codes->none ? best[i] : codes->none));
}

void wari_captures_of_item(struct wari_level *level, struct wari_worker *worker,
                           const struct wari_item *item)
{
    const uint32_t first = item->first_strip / WARI_SEGMENT_STRIPS;
    const uint32_t end =
        (item->first_strip + item->strips + WARI_SEGMENT_STRIPS - 1) / WARI_SEGMENT_STRIPS;
    int8_t best[WARI_SEGMENT];

    for (uint32_t segment = first; segment < end && !wari_level_stopped(level); segment++) {
        for (uint32_t column = 0; column < item->columns; column++) {
            int8_t *tile = worker->tile + column * WARI_STRIP;
            if (!wari_best_captures(level, worker, item, column, segment, best))
                return;
            for (int strip = 0; strip < WARI_SEGMENT_STRIPS; strip++)
                start_cells(&level->codes, best + strip * WARI_STRIP, tile + strip * WARI_PATCH);
        }
        write_codes(level, item, segment, worker->tile);
    }
}

void wari_capture_pass(struct wari_level *level)
{
    if (level->stream) {
        wari_stream_captures(level);
        return;
    }
#pragma omp parallel num_threads(level->team->threads)
    {
        struct wari_worker *worker = &level->team->worker[omp_get_thread_num()];
        for (int block = 0; block <= level->layout.seeds; block++) {
            const uint32_t items = wari_item_count(level, WARI_PARENTS_ROWS, block);
#pragma omp for schedule(dynamic) nowait
            for (uint32_t i = 0; i < items; i++) {
                const struct wari_item item = wari_item_at(level, WARI_PARENTS_ROWS, block, i);
                wari_captures_of_item(level, worker, &item);
            }
        }
        wari_reader_release(worker->reader);
    }
}
