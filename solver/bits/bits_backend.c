/* Implements the operations of the bit backend (struct wari_backend). It solves one threshold after
 * the other, each to its fixed point. */
#include "solver/bits/bits_backend.h"

#include <string.h>

#include "solver/bits/bits.h"
#include "solver/bits/capture_lists.h"
#include "solver/bits/scratch.h"
#include "solver/level/histogram.h"
#include "system/huge_pages.h"

_Static_assert(sizeof(struct wari_bits_tile) <=
                   (size_t)WARI_ITEM_STRIPS_MAX * WARI_ITEM_STRIP_CELLS,
               "it takes the place of a worker's tile");

/* If a sweep changes less than the fraction `notify_share` of the cells, the next sweep notifies
 * the parents of the cells that it changes. If the capture list of a threshold has less than the
 * fraction `notify_listed_share` of the cells, the threshold begins by notifying the parents of the
 * listed cells. The exact values matter little: with a notify_share of 0.0015, 0.0025 and 0.004,
 * level 22 took 14.3, 14.3 and 13.7 s. */
static const double notify_share = 0.004, notify_listed_share = 0.006;

static bool are_few(const struct wari_bits *bits, uint64_t cells, double share)
{
    const struct wari_layout *layout = &bits->level->layout;

    return (double)cells < share * (double)layout->block_offset[layout->seeds + 1];
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Gives memory back to the operating system: all memory of the scratch data that is not used while
 * the planes exist. */
static void release_unused_memory(const struct wari_bits *bits)
{
    const struct wari_scratch *scratch = wari_scratch_of(bits->level);

    wari_give_back(scratch->memory.reserved, scratch->shape.reserved + scratch->shape.pool);
}

/* Frees the lower-level cache, since the lower levels have been read for the last time, and begins
 * the capture lists. */
static void begin_lists(struct wari_level *level)
{
    struct wari_bits *bits = wari_bits_of(level);
    struct wari_error error;

    wari_lower_cache_clear(level->lower_cache);
    if (wari_capture_lists_begin(bits, &error) != WARI_OK)
        wari_workers_fail(level->workers, &error);
}

static void make_codes(struct wari_level *level)
{
    static const struct wari_scratch_callbacks codes = {begin_lists, wari_capture_lists_add};
    struct wari_bits *bits = wari_bits_of(level);

    bits->threshold = level->layout.seeds;
    wari_scratch_captures(level, &codes);
    if (bits->lists)
        wari_capture_lists_end(bits);
}

static bool make_planes(struct wari_bits *bits)
{
    struct wari_error error;
    enum wari_status status;

    release_unused_memory(bits);
    status = wari_bits_make_words(bits, &error);
    if (status == WARI_OK)
        status = wari_bits_make_planes(bits, &error);
    if (status == WARI_OK)
        status = wari_bits_make_workers(bits, bits->shape.worklist_buffers, &error);
    if (status != WARI_OK)
        wari_workers_fail(bits->level->workers, &error);
    return status == WARI_OK;
}

static void free_planes(struct wari_bits *bits)
{
    const struct wari_host *host = bits->level->host;

    wari_release(host, bits->gather);
    wari_release(host, bits->worklist.buffer);
    wari_bits_free_planes(bits);
    wari_capture_lists_destroy(bits);
    bits->gather = NULL;
    bits->worklist.buffer = NULL;
    bits->worklist.worker = NULL;
}

/* ---- Thresholds ------------------------------------------------------------------------------ */

/* Begins to solve all thresholds from `threshold` down to 1. If the captures were not computed
 * because there is a checkpoint, builds the capture lists from the codes of the checkpoint. */
static bool begin_thresholds(struct wari_bits *bits, int threshold, enum wari_bits_phase phase)
{
    bits->progress = (struct wari_bits_progress){.phase = phase, .first = true, .grown = 1};
    bits->threshold = threshold;
    bits->ops = &wari_bits_grow_ops;
    if (!bits->lists) {
        begin_lists(bits->level);
        wari_scratch_each_rows(bits->level, WARI_READS, wari_capture_lists_add, NULL);
        if (bits->lists)
            wari_capture_lists_end(bits);
    }
    return !wari_level_stopped(bits->level) && make_planes(bits);
}

/* Ends the solving of thresholds: waits for the last fold, frees the bit planes, and begins to read
 * codes through a cache. The codes are final, unless solve_again() then makes them anew. Returns
 * false, so that next_threshold() can return the result. */
static bool end_thresholds(struct wari_bits *bits)
{
    wari_bits_wait_for_fold(bits);
    free_planes(bits);
    wari_trim_heap();
    wari_scratch_start_reading(bits->level, bits->shape.scratch.pool);
    return false;
}

/* Cycle rule `own`, after values have grown for all thresholds: begins to test whether a side can
 * keep a surplus of `threshold` for ever in some cell (bits_shrink.c). The thresholds are tested
 * from 1 upwards until a surplus can be kept. A side that can keep v can also get v - 1. The test
 * of v - 1 has shown that only cells that are won or lost at threshold v - 1 let a side get v - 1.
 * So only these cells are candidates when v is tested. They are few, and a few sweeps are enough.
 */
static bool test_threshold(struct wari_bits *bits, int threshold)
{
    bits->progress.phase = WARI_BITS_PHASE_TEST;
    bits->threshold = threshold;
    bits->progress.grown = 1;
    bits->progress.candidates = wari_bits_fill_planes(bits);
    return !wari_level_stopped(bits->level);
}

/* Solves all thresholds again, with cycle rule `own`, because a surplus can be kept. */
static bool solve_again(struct wari_bits *bits)
{
    struct wari_bits_fold_state *fold = &bits->fold;

    (void)end_thresholds(bits);
    memset(fold->histogram, 0, sizeof fold->histogram);
    fold->count = fold->counted = false;
    make_codes(bits->level);
    return begin_thresholds(bits, bits->level->layout.seeds, WARI_BITS_PHASE_OWN);
}

/* Returns true if bits->threshold has to be solved. If its capture list is empty, the result is
 * the result of the threshold before, and solving it can be skipped. With cycle rule `own` this
 * holds only if the same blocks may be kept at both thresholds. The blocks differ if the surplus of
 * some block is equal to the threshold, that is if threshold and number of seeds are both even or
 * both odd. */
static bool is_needed(const struct wari_bits *bits)
{
    return wari_capture_lists_count(bits) > 0 ||
           (bits->progress.phase == WARI_BITS_PHASE_OWN &&
            (bits->level->layout.seeds - bits->threshold) % 2 == 0);
}

/* Goes on to the next threshold that has to be solved. Returns this threshold, or 0 if no other
 * threshold has to be solved. */
static int go_to_next_threshold(struct wari_bits *bits)
{
    bits->progress.first = false;
    bits->progress.grown = 1;
    while (--bits->threshold > 0 && !is_needed(bits))
        ;
    return bits->threshold;
}

static void fold_the_rest(struct wari_bits *bits)
{
    wari_bits_wait_for_fold(bits);
    bits->fold.count = true;
    wari_bits_start_fold(bits);
    wari_bits_wait_for_fold(bits);
}

static bool next_threshold(struct wari_level *level)
{
    struct wari_bits *bits = wari_bits_of(level);
    const int threshold = level->progress.found ? level->progress.threshold : level->layout.seeds;

    if (wari_level_stopped(level))
        return false;
    if (!level->progress.begun)
        return threshold > 0 && begin_thresholds(bits, threshold, WARI_BITS_PHASE_GROW)
                   ? true
                   : end_thresholds(bits);
    if (bits->progress.phase == WARI_BITS_PHASE_TEST) {
        if (bits->progress.kept)
            return solve_again(bits);
        return bits->threshold < level->layout.seeds ? test_threshold(bits, bits->threshold + 1)
                                                     : end_thresholds(bits);
    }
    wari_bits_write_snapshot(bits);
    if (go_to_next_threshold(bits) > 0)
        return true;
    fold_the_rest(bits);
    if (wari_level_stopped(level))
        return false;
    return bits->planes.kept && bits->progress.phase == WARI_BITS_PHASE_GROW
               ? test_threshold(bits, 1)
               : end_thresholds(bits);
}

/* ---- Grow and shrink ------------------------------------------------------------------------- */

static struct wari_sweep_result make_result(const struct wari_bits *bits, uint64_t changed,
                                            bool left)
{
    return (struct wari_sweep_result){.changed = changed,
                                      .left = left && !wari_level_stopped(bits->level)};
}

/* Begins to grow values. The first threshold begins with the codes in the file, all other
 * thresholds with the bits of the threshold before. Sets *swept to true if the result is that of a
 * sweep. */
static struct wari_sweep_result begin_growing(struct wari_bits *bits, bool *swept)
{
    struct wari_bits_progress *progress = &bits->progress;
    uint64_t changed;

    *swept = progress->swept;
    if (progress->swept) {
        progress->swept = false;
        return progress->result;
    }
    if (progress->phase == WARI_BITS_PHASE_TEST)
        return (struct wari_sweep_result){.left = false};
    if (progress->first) {
        wari_bits_fill_planes(bits);
        return make_result(bits, 0, true);
    }
    if (wari_capture_lists_count(bits) == 0)
        return (struct wari_sweep_result){.left = false};
    wari_capture_lists_apply(bits);
    if (!are_few(bits, wari_capture_lists_count(bits), notify_listed_share))
        return make_result(bits, 0, true);
    *swept = true;
    changed = wari_capture_lists_notify(bits);
    return make_result(bits, changed, wari_bits_worklist_overflowed(bits));
}

/* Begins to shrink upper bounds. If there are few candidates, examines each candidate instead of
 * making the first sweep, and sets *swept to true. */
static struct wari_sweep_result begin_shrinking(struct wari_bits *bits, bool *swept)
{
    struct wari_bits_progress *progress = &bits->progress;
    uint64_t changed;

    bits->ops = &wari_bits_shrink_ops;
    *swept = progress->candidates > 0 && are_few(bits, progress->candidates, notify_share);
    if (!*swept)
        return make_result(bits, 0, progress->candidates > 0);
    changed = wari_bits_recheck_all(bits);
    progress->candidates -= changed;
    return make_result(bits, changed,
                       progress->candidates > 0 && wari_bits_worklist_overflowed(bits));
}

static struct wari_sweep_result begin(struct wari_level *level, enum wari_sweep_kind kind,
                                      bool *swept)
{
    struct wari_bits *bits = wari_bits_of(level);

    return kind == WARI_GROW ? begin_growing(bits, swept) : begin_shrinking(bits, swept);
}

/* Sweeps once. If how->keep_events is true, also processes all changes that follow. */
static struct wari_sweep_result sweep(struct wari_level *level, const struct wari_sweep *how)
{
    struct wari_bits *bits = wari_bits_of(level);
    struct wari_sweep_result result;

    result = make_result(bits, wari_bits_sweep(bits, how->keep_events), true);
    result.cells = wari_level_positions(level->layout.seeds);
    result.lost = how->keep_events && wari_bits_worklist_overflowed(bits);
    result.left = result.left && result.changed != 0 && (!how->keep_events || result.lost);
    if (bits->ops == &wari_bits_grow_ops)
        bits->progress.grown += result.changed;
    else
        bits->progress.candidates -= result.changed;
    return result;
}

/* Begins to shrink upper bounds. Returns false if that is not necessary: if this phase does not use
 * the cycle rule, or if no value has grown since upper bounds were last committed. In the latter
 * case no additional cells can be kept. */
static bool begin_upper_bounds(struct wari_level *level)
{
    struct wari_bits *bits = wari_bits_of(level);

    if (wari_level_stopped(level) || bits->progress.phase == WARI_BITS_PHASE_GROW ||
        bits->progress.grown == 0)
        return false;
    if (bits->progress.phase == WARI_BITS_PHASE_OWN)
        bits->progress.candidates = wari_bits_begin_upper_bounds(bits);
    return true;
}

/* Marks the remaining candidates as won or lost. If there are few, also marks all cells that are
 * decided as a consequence. Returns true if any cell changed. */
static bool commit_upper_bounds(struct wari_level *level)
{
    struct wari_bits *bits = wari_bits_of(level);
    struct wari_bits_progress *progress = &bits->progress;
    const bool notify = are_few(bits, progress->candidates, notify_share);
    uint64_t changed;

    bits->ops = &wari_bits_grow_ops;
    if (progress->candidates == 0 || wari_level_stopped(level))
        return false;
    progress->kept = true;
    if (progress->phase == WARI_BITS_PHASE_TEST)
        return false;
    changed = wari_bits_commit_upper_bounds(bits, notify);
    progress->grown = changed - progress->candidates;
    progress->swept = true;
    progress->result = make_result(bits, changed, !notify || wari_bits_worklist_overflowed(bits));
    return !wari_level_stopped(level);
}

/* ---- Counting -------------------------------------------------------------------------------- */

static void count(struct wari_level *level, uint64_t *histogram)
{
    const struct wari_bits_fold_state *fold = &wari_bits_of(level)->fold;

    wari_bits_wait_for_fold(wari_bits_of(level));
    if (fold->counted)
        memcpy(histogram, fold->histogram, sizeof fold->histogram);
    else
        wari_scratch_each_rows(level, WARI_READS, wari_count_rows, histogram);
    wari_scratch_count_full(level, histogram);
}

/* ---- The backend ----------------------------------------------------------------------------- */

/* The bit backend can resume from any checkpoint that has a threshold. */
static bool resumes(const struct wari_level *level, int threshold)
{
    (void)level;
    return threshold != 0;
}

/* Folds all snapshots into the codes before a checkpoint is written. While thresholds are tested,
 * all snapshots have already been folded. */
static void fold(struct wari_level *level)
{
    struct wari_bits *bits = wari_bits_of(level);

    level->progress.threshold = bits->progress.phase == WARI_BITS_PHASE_TEST ? 1 : bits->threshold;
    if (bits->progress.phase == WARI_BITS_PHASE_TEST)
        return;
    wari_bits_write_snapshot(bits);
    wari_bits_start_fold(bits);
    wari_bits_wait_for_fold(bits);
}

static void close_level(struct wari_level *level)
{
    struct wari_bits *bits = wari_bits_of(level);

    wari_bits_wait_for_fold(bits);
    free_planes(bits);
    wari_scratch_add_statistics(level);
    wari_scratch_close(level);
    wari_release(level->host, bits);
    level->backend_data = NULL;
}

static const struct wari_backend backend = {
    .close = close_level,
    .captures = make_codes,
    .next_threshold = next_threshold,
    .begin = begin,
    .sweep = sweep,
    .begin_upper_bounds = begin_upper_bounds,
    .commit_upper_bounds = commit_upper_bounds,
    .each_rows = wari_scratch_each_rows,
    .count = count,
    .values = wari_scratch_values,
    .resumes = resumes,
    .fold = fold,
};

/* The bit backend does not store upper bounds as codes. So it uses the codes of cycle rule `even`
 * under every cycle rule; these codes distinguish all captures. */
enum wari_status wari_bits_open(struct wari_level *level, int seeds, enum wari_cycle cycle,
                                const struct wari_bits_limits *limits, struct wari_error *error)
{
    struct wari_bits *bits;
    struct wari_partition partition;
    void *memory;
    enum wari_status status =
        wari_allocate(level->host, sizeof *bits, "the data of the bit backend", &memory, error);

    if (status != WARI_OK)
        return status;
    bits = memory;
    memset(bits, 0, sizeof *bits);
    bits->level = level;
    if (!wari_bits_shape_for(seeds, cycle, limits->bytes, limits->idle, level->workers->count,
                             &bits->shape))
        status = wari_fail(error, WARI_NO_MEMORY,
                           "level %d does not fit into %llu bytes of memory, not even with the bit "
                           "backend; allow more with --memory",
                           seeds, (unsigned long long)limits->bytes);
    wari_level_begin(level, seeds, WARI_EVEN);
    level->backend_data = bits;
    wari_partition_whole(&partition, seeds);
    (void)wari_level_lay_out(seeds, &partition, level->resident.pitch, level->resident.offset);
    level->events.leave_share = notify_share;
    level->events.only_share = 0; /* each sweep processes its own events, so none are left */
    wari_bits_lay_out(bits, &level->layout);
    if (status == WARI_OK)
        status = wari_scratch_open(level, &bits->shape.scratch, &limits->location, error);
    if (status != WARI_OK) {
        wari_release(level->host, bits);
        level->backend_data = NULL;
        return status;
    }
    level->backend = &backend;
    return WARI_OK;
}
