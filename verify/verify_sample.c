/* (a) for random positions of every level: a fast check of a database of any size.
 *
 * Values come from the probe library and its cache, so no level has to fit into memory. The i-th
 * draw of a level is a function of (random_seed, level, i) alone, so the report is the same for
 * any number of threads. If the sample is larger than a level, all positions of the level are
 * checked. */
#include "verify/verify_steps.h"

#include "db/probe/probe.h"
#include "verify/verify_pass.h"

enum { DRAWS_PER_TASK = 64 }; /* number of draws between two checks of the stop flag */

struct sample {
    const struct wari_verify *verify;
    struct wari_db *db;
    struct wari_layout layout; /* layout of the current level */
    uint64_t positions, draws;
    atomic_bool ended;
    enum wari_status status; /* status of the first failure; the critical section guards this
                              * field and the following fields */
    struct wari_error error;
    struct wari_verify_differences found;
};

/* SplitMix64's mixing step. Steele, Lea, Flood: Fast splittable pseudorandom number generators. */
static uint64_t mix(uint64_t bits)
{
    bits += UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    return bits ^ bits >> 31;
}

/* Returns the cell of a draw. A level has fewer than 2^38 positions, so the remainder of 64
 * random bits favours no cell by more than 2^-26. */
static uint64_t drawn_cell(const struct sample *sample, uint64_t draw)
{
    if (sample->draws == sample->positions)
        return draw;
    uint64_t level = mix(sample->verify->random_seed) + (uint64_t)sample->layout.seeds;
    return mix(mix(level) + draw) % sample->positions;
}

/* Compares the value of one position with the best of its moves. */
static enum wari_status check_cell(const struct sample *sample, uint64_t cell,
                                   struct wari_verify_differences *found, struct wari_error *error)
{
    struct wari_position position;
    int value, best;

    wari_layout_unrank(&sample->layout, cell, &position);
    enum wari_status status = wari_probe(sample->db, &position, &value, error);
    if (status == WARI_OK)
        status = wari_value_by_moves(sample->db, &position, &best, error);
    if (status == WARI_OK && value != best)
        wari_verify_add_difference(found,
                                   (struct wari_verify_difference){cell, value, best, false});
    return status;
}

static void check_draws(struct sample *sample, uint64_t first,
                        struct wari_verify_differences *found)
{
    enum wari_status status = WARI_OK;
    struct wari_error error;
    uint64_t left = sample->draws - first;

    if (atomic_load_explicit(&sample->ended, memory_order_relaxed))
        return;
    if (wari_verify_stopped(sample->verify))
        status = wari_fail(&error, WARI_INTERRUPTED, "stopped while sampling level %d",
                           sample->layout.seeds);
    for (uint64_t i = 0; i < left && i < DRAWS_PER_TASK && status == WARI_OK; i++)
        status = check_cell(sample, drawn_cell(sample, first + i), found, &error);
    if (status == WARI_OK)
        return;
    atomic_store(&sample->ended, true);
#pragma omp critical(wari_verify_sample)
    if (sample->status == WARI_OK) {
        sample->status = status;
        sample->error = error;
    }
}

static enum wari_status sample_level(struct sample *sample, int threads)
{
    sample->found = (struct wari_verify_differences){0};
    /* A region uses either all threads or one: if it used fewer threads than the region before it,
     * OpenMP would end the others, and would abort the process if it could not create new ones
     * later. */
#pragma omp parallel num_threads(sample->draws > DRAWS_PER_TASK ? threads : 1)
    {
        struct wari_verify_differences found = {0};
#pragma omp for schedule(dynamic, 1) nowait
        for (uint64_t first = 0; first < sample->draws; first += DRAWS_PER_TASK)
            check_draws(sample, first, &found);
#pragma omp critical(wari_verify_sample)
        wari_verify_merge_differences(&sample->found, &found);
    }
    return sample->status;
}

enum wari_status wari_verify_sample(const struct wari_verify *verify, int threads,
                                    struct wari_db *db, struct wari_verify_report *report,
                                    struct wari_error *error)
{
    struct sample sample = {.verify = verify, .db = db};
    struct wari_level_info level;
    struct wari_info info;

    wari_get_info(db, &info);
    for (int seeds = 0; seeds <= info.seeds_max; seeds++) {
        if (wari_get_level_info(db, seeds, &level, NULL) == WARI_NOT_COVERED)
            continue; /* level 47 does not exist */
        if (verify->progress)
            verify->progress(verify->context, seeds, "sample", 0);
        wari_layout_init(&sample.layout, seeds);
        sample.positions = level.positions;
        sample.draws = verify->sample < level.positions ? verify->sample : level.positions;
        if (sample_level(&sample, threads) != WARI_OK) {
            if (error)
                *error = sample.error;
            return sample.status;
        }
        report->positions += sample.draws;
        enum wari_status status =
            wari_verify_report_differences(report, &sample.layout, &sample.found, error);
        if (status != WARI_OK)
            return status;
        report->levels++;
        if (verify->progress)
            verify->progress(verify->context, seeds, "sample", 1);
    }
    return WARI_OK;
}
