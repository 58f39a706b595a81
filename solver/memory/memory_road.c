/* The table of this road. */
#include "solver/memory/memory.h"

static void close_level(struct wari_level *level)
{
    wari_full_halves_close(&level->full_halves);
    wari_memory_free(level);
}

/* All values grow at once: one bound for all. */
bool wari_memory_next_bound(struct wari_level *level)
{
    level->course.bound = 0;
    return !level->course.begun && !wari_level_all_stopped(level);
}

bool wari_memory_hope(struct wari_level *level)
{
    if (!level->codes.room || wari_level_all_stopped(level))
        return false;
    wari_hopes_begin(level);
    return true;
}

bool wari_memory_believe(struct wari_level *level)
{
    return !wari_level_all_stopped(level) && wari_hopes_end(level) != 0 &&
           !wari_level_all_stopped(level);
}

/* Codes of bits are those of cycle rule `even`. */
static bool resumes(const struct wari_level *level, int bound)
{
    return bound == 0 || !level->codes.room;
}

static const struct wari_road road = {
    .close = close_level,
    .captures = wari_memory_captures,
    .next_bound = wari_memory_next_bound,
    .begin = wari_memory_begin,
    .sweep = wari_memory_sweep,
    .hope = wari_memory_hope,
    .believe = wari_memory_believe,
    .each_rows = wari_memory_each_rows,
    .count = wari_memory_count,
    .values = wari_memory_values,
    .resumes = resumes,
};

enum wari_status wari_memory_open(struct wari_level *level, int seeds, enum wari_cycle cycle,
                                  uint64_t bytes, struct wari_error *error)
{
    struct wari_share share;
    enum wari_status status;

    wari_share_whole(&share, seeds);
    status = wari_memory_hold(level, seeds, cycle, &share, bytes, error);
    level->road = status == WARI_OK ? &road : NULL;
    return status;
}
