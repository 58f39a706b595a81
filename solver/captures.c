/* The best capture or end of every position: all of its value that lies outside the level.
 *
 * One pass before the sweeps, over the solved levels below. For one mover half and pit, all parents
 * of a segment that capture the same number of seeds find their children in one row of one level,
 * so the lists of tables.h are walked front to back. Ends (no legal move) depend on all six pits
 * together: a position has none exactly if every pit that holds seeds is barred, by feeding or as
 * an illegal slam.
 */
#include "solver/level.h"

#include <string.h>

/* One mover half against one segment of opponent halves. */
struct line {
    const struct wari_level *level;
    const struct wari_item *item;
    uint32_t segment;
    int moves;                   /* pits that hold seeds */
    int barred;                  /* of these, sowings that do not feed an empty row */
    bool illegal_slams;          /* some parent of the segment has one */
    uint8_t slams[WARI_SEGMENT]; /* illegal slams of each parent; valid if illegal_slams */
    int8_t *best;
};

static void raise(int8_t *best, int value)
{
    if (value > *best)
        *best = (int8_t)value;
}

static void captures_of_pit(const struct line *line, wari_sowing sowing,
                            const struct wari_gather *gather)
{
    const int sown = wari_sowing_sown(sowing);
    const int block = line->level->layout.seeds - line->item->block - sown;
    const struct wari_capture *capture = gather->capture + gather->first_capture[line->segment];
    const struct wari_capture *end = gather->capture + gather->first_capture[line->segment + 1];

    while (capture < end) {
        const int captured = capture->captured;
        const struct wari_solved *below =
            &line->level->solved[line->level->layout.seeds - captured];
        const int8_t *row = below->values + below->layout.block_offset[block] +
                            (uint64_t)wari_sowing_row(sowing) * below->layout.columns[block];
        do {
            raise(&line->best[capture->place], captured - row[capture->column]);
            capture++;
        } while (capture < end && capture->captured == captured);
    }
}

/* The value of `warri`'s extra move: mover half m' against an empty row, the same player to move.
 */
static int moves_again(const struct line *line, wari_sowing sowing)
{
    const int captured = line->item->block + wari_sowing_sown(sowing);
    const int seeds = line->level->layout.seeds - captured;
    uint8_t half[WARI_HALF_PITS];

    wari_row_unrank(seeds, wari_sowing_row(sowing), half);
    return captured + line->level->solved[seeds].values[wari_half_rank(half)];
}

static int slam_value(const struct line *line, wari_sowing sowing, enum wari_slam rule)
{
    const int seeds = line->level->layout.seeds;
    const int captured = line->item->block + wari_sowing_sown(sowing);

    switch (rule) {
    case WARI_SLAM_MOVES_AGAIN:
        return moves_again(line, sowing);
    case WARI_SLAM_LOSES:
        return -seeds;
    case WARI_SLAM_DRAWS:
        return 0;
    case WARI_SLAM_GIVES_REST:
        return captured - (seeds - captured);
    case WARI_SLAM_WINS_ALL:
        return seeds;
    case WARI_SLAM_ILLEGAL:
    case WARI_SLAM_NO_CAPTURE:
        break; /* no value: barred, or a quiet move */
    }
    return WARI_NO_CAPTURE;
}

static void slams_of_pit(struct line *line, wari_sowing sowing, const struct wari_gather *gather,
                         enum wari_slam rule)
{
    const uint32_t first = gather->first_slam[line->segment];
    const uint32_t end = gather->first_slam[line->segment + 1];

    if (first == end)
        return;
    if (rule == WARI_SLAM_ILLEGAL) {
        if (!line->illegal_slams)
            memset(line->slams, 0, sizeof line->slams);
        line->illegal_slams = true;
        for (uint32_t i = first; i < end; i++)
            line->slams[gather->slam[i]]++;
    } else {
        const int value = slam_value(line, sowing, rule);
        for (uint32_t i = first; i < end; i++)
            raise(&line->best[gather->slam[i]], value);
    }
}

/* What the mover gets where no move is legal. */
static int end_value(const struct line *line, const struct wari_rules_info *rules)
{
    const int seeds = line->level->layout.seeds;
    const int theirs = line->item->block;

    if (line->moves == 0)
        return -seeds;
    if (theirs == 0 || rules->stuck == WARI_STUCK_TAKES_ALL)
        return seeds;
    return seeds - theirs - theirs;
}

static void ends(const struct line *line, const struct wari_rules_info *rules)
{
    if (line->barred == line->moves) {
        memset(line->best, end_value(line, rules), WARI_SEGMENT);
    } else if (line->illegal_slams) {
        for (int place = 0; place < WARI_SEGMENT; place++)
            if (line->slams[place] + line->barred == line->moves)
                line->best[place] = (int8_t)end_value(line, rules);
    }
}

void wari_best_captures(const struct wari_level *level, const struct wari_item *item,
                        uint32_t segment, int8_t best[WARI_GROUP][WARI_SEGMENT])
{
    const struct wari_rules_info *rules = wari_rules_info(level->tables->rules);

    memset(best, WARI_NO_CAPTURE, item->columns * (size_t)WARI_SEGMENT);
    for (uint32_t column = 0; column < item->columns; column++) {
        const wari_sowing *sowings = wari_item_sowings(level, item, column);
        struct line line = {.level = level, .item = item, .segment = segment, .best = best[column]};

        for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
            if (sowings[pit] == WARI_NO_SOWING)
                continue;
            const int sown = wari_sowing_sown(sowings[pit]);
            line.moves++;
            if (sown == 0 && item->block == 0)
                line.barred++;
            if (!wari_sowing_last(sowings[pit]))
                continue;
            const struct wari_gather *gather = wari_item_gather(level, item, sown);
            captures_of_pit(&line, sowings[pit], gather);
            slams_of_pit(&line, sowings[pit], gather, rules->slam);
        }
        ends(&line, rules);
    }
}

/* Turns a segment's captures round and writes them into the level, with the first values. */
static void write_captures(struct wari_level *level, const struct wari_item *item, uint32_t segment,
                           int8_t best[WARI_GROUP][WARI_SEGMENT])
{
    const uint32_t pitch = level->layout.columns[item->block];
    int8_t turned[WARI_GROUP * WARI_GROUP];

    for (uint32_t place = 0; place < WARI_SEGMENT; place += WARI_GROUP) {
        const uint32_t first_row = segment * WARI_SEGMENT + place;
        if (first_row >= item->rows)
            break;
        level->kernel->transpose(&best[0][place], turned);
        for (uint32_t row = 0; row < WARI_GROUP && first_row + row < item->rows; row++) {
            const uint64_t at = level->offset[item->block] + (uint64_t)(first_row + row) * pitch +
                                item->first_column;
            const int8_t *cells = turned + row * WARI_GROUP;
            memcpy(level->captures + at, cells, item->columns);
            for (uint32_t column = 0; column < item->columns; column++)
                level->values[at + column] = cells[column] > 0 ? cells[column] : 0;
        }
    }
}

void wari_capture_pass(struct wari_level *level)
{
#pragma omp parallel num_threads(level->threads)
    for (int block = 0; block <= level->layout.seeds; block++) {
        const uint32_t items = wari_item_count(level, WARI_PARENTS_ROWS, block);
#pragma omp for schedule(dynamic) nowait
        for (uint32_t i = 0; i < items; i++) {
            const struct wari_item item = wari_item_at(level, WARI_PARENTS_ROWS, block, i);
            int8_t best[WARI_GROUP][WARI_SEGMENT] = {{0}};
            for (uint32_t segment = item.first_segment;
                 segment < item.end_segment && !wari_level_stopped(level); segment++) {
                wari_best_captures(level, &item, segment, best);
                write_captures(level, &item, segment, best);
            }
        }
    }
}
