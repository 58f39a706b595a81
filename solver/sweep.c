/* Sweeps v(p) = max(best capture or end, max over quiet moves of -v(child)) to the fixed point.
 *
 * Blocks have their turns from the outside in (n, 0, n-1, 1, ... seeds on the opponent's side): a
 * move leads from block s to block n-s or a little below it, so news goes to and fro between the
 * two blocks of a pair. What always holds while growing: every value lies between 0 and the true
 * one, so cells may be updated in place in any order and the fixed point is the same. Whether a
 * line can be skipped follows from the order alone.
 */
#include "solver/level.h"

#include <omp.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "solver/clock.h"

enum {
    CELLS_FOR_THREADS = 500000, /* a sweep that follows one of fewer is not worth its barriers */
    SWEEPS_ALONE = 6, /* by one thread, after a sweep in which a team got too little done */
};

struct tally {
    uint64_t changed; /* cells */
    uint64_t cells;   /* computed */
    uint64_t bytes;   /* loaded and stored */
    double busy;      /* seconds of processor time spent on items, by all threads */
};

/* An item's mover halves with their sources. */
struct group {
    uint64_t candidates; /* columns with news in the row of a source */
    int count[WARI_GROUP];
    struct wari_source source[WARI_GROUP][WARI_HALF_PITS];
};

static bool holds_own_children(const struct wari_level *level, int block)
{
    const int sown = level->layout.seeds - 2 * block;

    return sown >= 0 && sown <= WARI_SOWN_MAX &&
           wari_seeds_to_sow(sown) <= level->layout.seeds - block;
}

/* Every thread of the team must come to the same answer, so only blocks that a move reaches may be
 * looked at: the block itself, whose stamp other threads may be setting, is among them only if it
 * holds children of its own, and then its stamps wait for the barrier. */
static bool any_source_changed(const struct wari_level *level, int block)
{
    const int mine = level->layout.seeds - block;

    for (int sown = 0; sown <= WARI_SOWN_MAX && wari_seeds_to_sow(sown) <= mine; sown++) {
        const int child = mine - sown;
        if (atomic_load_explicit(&level->block_stamp[child], memory_order_relaxed) >=
            wari_news_since(level, block, child))
            return true;
    }
    return false;
}

static bool column_has_news(const struct wari_level *level, const struct wari_item *item,
                            uint32_t column)
{
    const wari_sowing *sowings = wari_item_sowings(level, item, column);

    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        if (sowings[pit] == WARI_NO_SOWING)
            continue;
        const int child = level->layout.seeds - item->block - wari_sowing_sown(sowings[pit]);
        if (wari_row_has_news(level, item->block, child, wari_sowing_row(sowings[pit])))
            return true;
    }
    return false;
}

static void find_sources(const struct wari_level *level, const struct wari_item *item, bool dense,
                         struct group *group)
{
    group->candidates = 0;
    for (uint32_t column = 0; column < item->columns; column++) {
        if (!dense && !column_has_news(level, item, column))
            continue;
        group->candidates |= UINT64_C(1) << column;
        group->count[column] = wari_item_sources(level, item, column, group->source[column]);
    }
}

/* Where an item's segment keeps its changed rows while they are in the scratch block. */
static uint64_t scratch_word(const struct wari_item *item, uint32_t segment)
{
    const uint32_t segments = (item->rows + WARI_SEGMENT - 1) / WARI_SEGMENT;

    return ((uint64_t)item->first_column / WARI_GROUP * segments + segment) * WARI_SEGMENT_WORDS;
}

static void stamp_rows(struct wari_level *level, const struct wari_item *item, uint32_t first_row,
                       uint64_t rows)
{
    const int block = item->block;
    const uint8_t stamp = (uint8_t)level->sweep;

    for (; rows != 0; rows &= rows - 1) {
        const uint64_t row = first_row + (uint32_t)__builtin_ctzll(rows);
        level->stamps[level->stamp_offset[block] + row * level->stamp_columns[block] +
                      item->first_column / WARI_GROUP] = stamp;
        atomic_store_explicit(&level->row_stamps[level->row_stamp_offset[block] + row], stamp,
                              memory_order_relaxed);
    }
    atomic_store_explicit(&level->block_stamp[block], stamp, memory_order_relaxed);
}

/* Merges what was computed for a segment, patch by patch. */
static void merge_segment(struct wari_level *level, const struct wari_item *item, uint32_t segment,
                          enum wari_sweep_kind kind, const int8_t *worst, uint64_t columns,
                          struct tally *tally)
{
    const int block = item->block;
    const bool own_children = holds_own_children(level, block);
    const uint32_t pitch = level->layout.columns[block];

    for (uint32_t word = 0; word < WARI_SEGMENT_WORDS; word++) {
        const uint32_t first_row = segment * WARI_SEGMENT + word * WARI_GROUP;
        if (first_row >= item->rows)
            break;
        const uint64_t at = level->offset[block] + (uint64_t)first_row * pitch + item->first_column;
        const struct wari_patch patch = {
            .worst = worst + word * WARI_GROUP,
            .values = level->values + at,
            .captures = level->captures + at,
            .floor = level->floor ? level->floor + at : NULL,
            .out = own_children ? level->scratch + (at - level->offset[block]) : level->values + at,
            .pitch = pitch,
            .rows =
                item->rows - first_row < WARI_GROUP ? (int)(item->rows - first_row) : WARI_GROUP,
            .width = (int)item->columns,
            .columns = columns,
            .surplus = level->layout.seeds - 2 * block,
        };
        const uint64_t rows = kind == WARI_GROW ? level->kernel->grow(&patch, &tally->changed)
                                                : level->kernel->shrink(&patch, &tally->changed);
        if (own_children)
            level->scratch_rows[scratch_word(item, segment) + word] = rows;
        else if (rows != 0)
            stamp_rows(level, item, first_row, rows);
        tally->cells += (uint64_t)patch.rows * (uint64_t)__builtin_popcountll(columns);
        tally->bytes += (uint64_t)patch.rows * item->columns * (kind == WARI_GROW ? 2 : 3) +
                        (uint64_t)__builtin_popcountll(rows) * item->columns;
    }
}

static uint64_t columns_with_news(const struct wari_level *level, const struct group *group,
                                  uint32_t segment, bool dense)
{
    uint64_t columns = group->candidates;

    for (uint64_t left = dense ? 0 : columns; left != 0; left &= left - 1) {
        const uint32_t column = (uint32_t)__builtin_ctzll(left);
        if (!level->kernel->news(group->source[column], group->count[column], segment))
            columns &= ~(left & -left);
    }
    return columns;
}

/* Asks for the cells that merge_segment() will need: one or two cache lines in each of many rows,
 * which no hardware foresees. */
static void fetch_cells(const struct wari_level *level, const struct wari_item *item,
                        uint32_t segment)
{
    const uint32_t pitch = level->layout.columns[item->block];
    const uint32_t first_row = segment * WARI_SEGMENT;
    const uint32_t end_row =
        item->rows - first_row < WARI_SEGMENT ? item->rows : first_row + WARI_SEGMENT;

    for (uint32_t row = first_row; row < end_row; row++) {
        const uint64_t at = level->offset[item->block] + (uint64_t)row * pitch + item->first_column;
        __builtin_prefetch(level->values + at, 0, 2);
        __builtin_prefetch(level->values + at + item->columns - 1, 0, 2);
        __builtin_prefetch(level->captures + at, 0, 2);
        __builtin_prefetch(level->captures + at + item->columns - 1, 0, 2);
    }
}

/* Asks for the stretches of child rows that the next line will gather from, while the one before it
 * is being computed: each is a dozen cache lines at a new place. */
static void fetch_children(const struct group *group, uint32_t column, uint32_t segment)
{
    for (int i = 0; i < group->count[column]; i++) {
        const struct wari_source *source = &group->source[column][i];
        const struct wari_span span = source->gather->span[segment];
        for (uint32_t at = span.first; at <= span.last; at++)
            __builtin_prefetch(source->row + at * 64, 0, 3);
    }
}

static void sweep_item(struct wari_level *level, const struct wari_item *item,
                       enum wari_sweep_kind kind, bool dense, struct tally *tally)
{
    struct group group;
    int8_t worst[WARI_GROUP][WARI_SEGMENT];

    if (holds_own_children(level, item->block))
        memset(level->scratch_rows + scratch_word(item, item->first_segment), 0,
               (item->end_segment - item->first_segment) * WARI_SEGMENT_WORDS * sizeof(uint64_t));
    find_sources(level, item, dense, &group);
    if (group.candidates == 0)
        return;
    memset(worst, 0, sizeof worst); /* columns that are skipped are read, then dropped */
    for (uint32_t segment = item->first_segment; segment < item->end_segment; segment++) {
        const uint64_t columns = columns_with_news(level, &group, segment, dense);
        if (columns == 0)
            continue;
        fetch_cells(level, item, segment);
        for (uint64_t left = columns; left != 0; left &= left - 1) {
            const uint32_t column = (uint32_t)__builtin_ctzll(left);
            const uint64_t next = left & (left - 1);
            if (next != 0)
                fetch_children(&group, (uint32_t)__builtin_ctzll(next), segment);
            tally->bytes += level->kernel->worst(group.source[column], group.count[column], segment,
                                                 worst[column]);
        }
        merge_segment(level, item, segment, kind, worst[0], columns, tally);
    }
}

/* Copies the changed rows of a block out of the scratch block. */
static void copy_item(struct wari_level *level, const struct wari_item *item, struct tally *tally)
{
    const uint32_t pitch = level->layout.columns[item->block];
    int8_t *block = level->values + level->offset[item->block];

    for (uint32_t segment = item->first_segment; segment < item->end_segment; segment++) {
        for (uint32_t word = 0; word < WARI_SEGMENT_WORDS; word++) {
            const uint32_t first_row = segment * WARI_SEGMENT + word * WARI_GROUP;
            const uint64_t rows = level->scratch_rows[scratch_word(item, segment) + word];
            for (uint64_t left = rows; left != 0; left &= left - 1) {
                const uint64_t row = first_row + (uint32_t)__builtin_ctzll(left);
                const uint64_t at = row * pitch + item->first_column;
                memcpy(block + at, level->scratch + at, item->columns);
                tally->bytes += 2 * item->columns;
            }
            if (rows != 0)
                stamp_rows(level, item, first_row, rows);
        }
    }
}

static void wait_for_team(struct wari_team_barrier *barrier, uint32_t threads)
{
    enum { SPINS = 2000 }; /* some ten microseconds */
    const uint32_t round = atomic_load_explicit(&barrier->round, memory_order_relaxed);

    if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) + 1 == threads) {
        atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&barrier->round, round + 1, memory_order_release);
        return;
    }
    for (int spins = 0; atomic_load_explicit(&barrier->round, memory_order_acquire) == round;
         spins++)
        if (spins >= SPINS)
            sched_yield();
}

/* Seconds of processor time that this thread has had. */
static double processor_seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static struct tally sweep(struct wari_level *level, enum wari_sweep_kind kind, bool dense, int team)
{
    uint64_t changed = 0, cells = 0, bytes = 0;
    double busy = 0;

#pragma omp parallel num_threads(team) reduction(+ : changed, cells, bytes, busy)
    {
        const uint32_t threads = (uint32_t)omp_get_num_threads();
        struct tally tally = {0};
        for (int turn = 0; turn <= level->layout.seeds; turn++) {
            const int block = level->order[turn];
            const uint32_t items = wari_item_count(level, WARI_PARENTS_ROWS, block);
            if (!dense && !any_source_changed(level, block)) {
                /* none goes on before all have decided: stamps of the next block would change the
                 * mind of a thread that is late */
                wait_for_team(&level->barrier, threads);
                continue;
            }
            const double start = processor_seconds();
#pragma omp for schedule(dynamic) nowait
            for (uint32_t i = 0; i < items; i++) {
                const struct wari_item item = wari_item_at(level, WARI_PARENTS_ROWS, block, i);
                if (!wari_level_stopped(level))
                    sweep_item(level, &item, kind, dense, &tally);
            }
            tally.busy += processor_seconds() - start;
            wait_for_team(&level->barrier, threads);
            if (!holds_own_children(level, block))
                continue;
#pragma omp for schedule(dynamic) nowait
            for (uint32_t i = 0; i < items; i++) {
                const struct wari_item item = wari_item_at(level, WARI_PARENTS_ROWS, block, i);
                if (!wari_level_stopped(level))
                    copy_item(level, &item, &tally);
            }
            wait_for_team(&level->barrier, threads);
        }
        changed += tally.changed;
        cells += tally.cells;
        bytes += tally.bytes;
        busy += tally.busy;
    }
    return (struct tally){changed, cells, bytes, busy};
}

static void forget_stamps(struct wari_level *level)
{
    uint64_t stamps = 0, row_stamps = 0;

    for (int s = 0; s <= level->layout.seeds; s++) {
        stamps += (uint64_t)level->layout.rows[s] * level->stamp_columns[s];
        row_stamps += level->layout.rows[s];
        atomic_store_explicit(&level->block_stamp[s], 0, memory_order_relaxed);
    }
    memset(level->stamps, 0, stamps);
    memset((void *)level->row_stamps, 0, row_stamps);
    level->sweep = 0;
}

/* How many threads the next sweep is to have. Threads go through a sweep in step, so where another
 * process takes a processor from one of them, all of them wait; a team that gets hardly more done
 * than one thread gives way to one for a while. No result depends on it. */
static int next_team(const struct wari_level *level, const struct tally *last, double seconds,
                     int *alone)
{
    if (last->cells < CELLS_FOR_THREADS)
        return 1;
    if (*alone > 0) {
        --*alone;
        return 1;
    }
    if (seconds > 0 && last->busy < 1.25 * seconds) {
        *alone = SWEEPS_ALONE;
        return 1;
    }
    return level->threads;
}

void wari_sweep_to_fixed_point(struct wari_level *level, enum wari_sweep_kind kind,
                               wari_sweep_report *report, void *context)
{
    const uint64_t positions = level->layout.block_offset[level->layout.seeds + 1];
    struct tally tally = {.cells = positions};
    double team_seconds = 0; /* of the last sweep, if a team did it */
    int alone = 0;

    forget_stamps(level);
    do {
        const int team = next_team(level, &tally, team_seconds, &alone);
        const double start = wari_seconds_now();
        if (level->sweep == WARI_STAMP_LAST)
            forget_stamps(level);
        level->sweep++;
        tally = sweep(level, kind, level->sweep == 1, team);
        team_seconds = team > 1 ? wari_seconds_now() - start : 0;
        level->measure->sweeps++;
        level->measure->work += (double)tally.cells / (double)positions;
        level->measure->bytes_moved += tally.bytes;
        if (report)
            report(context, kind, level->measure->sweeps,
                   (double)tally.changed / (double)positions);
    } while (tally.changed != 0 && !wari_level_stopped(level));
}
