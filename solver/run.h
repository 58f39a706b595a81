/* The frame of a build, for one process or several: what levels share, what is reported. */
#ifndef SOLVER_RUN_H
#define SOLVER_RUN_H

#include "solver/level/level.h"
#include "solver/level/statistics.h"
#include "solver/plan/plan.h"
#include "solver/write/batch_encoder.h"
#include "solver/write/checkpoint.h"

struct wari_run;

/* What differs between one process and several. Each is collective, with the same status for all.
 */
struct wari_ways {
    /* Opens run->task.level for `seeds`. */
    enum wari_status (*open)(struct wari_run *run, int seeds, struct wari_error *error);
    /* What all agree on, where this process has got `status`. */
    enum wari_status (*agree)(struct wari_run *run, enum wari_status status,
                              struct wari_error *error);
    /* Writes the level's file, and fills in all of run->task.record but the histogram. */
    enum wari_status (*write)(struct wari_run *run, struct wari_error *error);
    /* Publishes the finished levels: wari_run_publish(), by those who keep a folder. */
    enum wari_status (*publish)(struct wari_run *run, struct wari_error *error);
};

/* The level that is being solved. */
struct wari_task {
    struct wari_level level;
    struct wari_level_statistics statistics;
    struct wari_level_record record;
    struct wari_checkpoint checkpoint;
    double start;
    enum wari_status status;
    struct wari_error error; /* where that is not WARI_OK */
};

/* Levels that are finished and not yet published. */
struct wari_finished {
    struct {
        struct wari_level_statistics statistics;
        double seconds; /* it took */
        uint64_t file_bytes;
    } level[WARI_SEEDS_MAX + 1];
    int count;
    double since; /* when work on the first of these began */
};

struct wari_run {
    const struct wari_build *build;
    const struct wari_host *host;
    const struct wari_ways *ways;
    int threads;
    struct wari_build_plan plan;
    struct wari_catalogue catalogue;
    struct wari_lower_cache *lower_cache;
    struct wari_tables *tables;
    struct wari_batch_encoder *encoder; /* NULL while a level by bits has its memory */
    struct wari_workers workers;
    struct wari_level_buffer room; /* for the levels in memory, if it does for all; or none */
    struct wari_progress progress;
    double start;
    struct wari_task task;
    struct wari_finished finished;
};

void wari_run_begin(struct wari_run *run, const struct wari_build *build,
                    const struct wari_ways *ways);
void wari_run_end(struct wari_run *run);

/* With the catalogue read: checks the bound on memory, takes what the levels share and adds the
 * levels that are there. run->plan.first is then the first level to be solved; beyond those wanted:
 * nothing is. */
WARI_MUST_CHECK enum wari_status wari_run_prepare(struct wari_run *run, struct wari_error *error);

/* Begins run->task: fills in what opening a level needs. And, when the level is finished or given
 * up, closes it and, if it is finished, keeps in mind that it is to be published. */
void wari_run_begin_level(struct wari_run *run, int seeds);
void wari_run_end_level(struct wari_run *run, enum wari_status status);

void wari_run_report(struct wari_run *run, enum wari_phase phase);

/* What hindered the level from being solved: a failure of its threads, or a stop on request. */
WARI_MUST_CHECK enum wari_status wari_run_outcome(struct wari_run *run, struct wari_error *error);

/* ---- Publishing (run_publish.c) ------------------------------------------------------------- */

/* Publishes the finished levels together: their names, then the catalogue, which has them already.
 */
WARI_MUST_CHECK enum wari_status wari_run_publish(struct wari_run *run, struct wari_error *error);

/* Does so, by run->ways, if it is time, as build->publish says. Reports each of them. */
WARI_MUST_CHECK enum wari_status wari_run_publish_if_due(struct wari_run *run,
                                                         struct wari_error *error);

/* Publishes what is finished, for a run that ends with `status` and *error, and returns how it ends
 * then. */
WARI_MUST_CHECK enum wari_status
wari_run_publish_rest(struct wari_run *run, enum wari_status status, struct wari_error *error);

#endif
