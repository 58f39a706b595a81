/* The table of functions of the memory backend. */
#include "solver/memory/memory.h"

static void close_level(struct wari_level *level)
{
    wari_full_halves_close(&level->full_halves);
    wari_memory_free(level);
}

/* This backend grows all values together, so it has only one threshold, 0. Returns true if this
 * threshold has not begun yet and the level is not stopped. */
bool wari_memory_next_threshold(struct wari_level *level)
{
    level->progress.threshold = 0;
    return !level->progress.begun && !wari_level_all_stopped(level);
}

bool wari_memory_begin_upper_bounds(struct wari_level *level)
{
    if (!level->codes.own || wari_level_all_stopped(level))
        return false;
    wari_upper_bounds_begin(level);
    return true;
}

bool wari_memory_commit_upper_bounds(struct wari_level *level)
{
    return !wari_level_all_stopped(level) && wari_upper_bounds_commit(level) != 0 &&
           !wari_level_all_stopped(level);
}

/* Returns true for checkpoints of this backend. A checkpoint of the bit backend has a threshold,
 * and its codes are those of cycle rule `even`, so it can be resumed only with that rule. */
static bool resumes(const struct wari_level *level, int threshold)
{
    return threshold == 0 || !level->codes.own;
}

static const struct wari_backend backend = {
    .close = close_level,
    .captures = wari_memory_captures,
    .next_threshold = wari_memory_next_threshold,
    .begin = wari_memory_begin,
    .sweep = wari_memory_sweep,
    .begin_upper_bounds = wari_memory_begin_upper_bounds,
    .commit_upper_bounds = wari_memory_commit_upper_bounds,
    .each_rows = wari_memory_each_rows,
    .count = wari_memory_count,
    .values = wari_memory_values,
    .resumes = resumes,
};

enum wari_status wari_memory_open(struct wari_level *level, int seeds, enum wari_cycle cycle,
                                  uint64_t bytes, struct wari_error *error)
{
    struct wari_partition partition;
    enum wari_status status;

    wari_partition_whole(&partition, seeds);
    status = wari_memory_allocate(level, seeds, cycle, &partition, bytes, error);
    /* Dense sweeps compute the two blocks of a pair together. */
    for (int block = 0; block <= seeds; block++)
        level->turn[block] = block < seeds - block ? block : seeds - block;
    level->backend = status == WARI_OK ? &backend : NULL;
    return status;
}
