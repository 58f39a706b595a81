/* The frame of a build, for all ways of solving a level: what levels share, what is reported. */
#ifndef SOLVER_RUN_H
#define SOLVER_RUN_H

#include "solver/item/sweep.h"
#include "solver/solver.h"
#include "solver/write/store.h"

/* A level that is finished and not yet published. */
struct wari_finished {
    struct wari_level_measure measure;
    double seconds; /* it took */
    uint64_t file_bytes;
};

struct wari_run {
    const struct wari_build *build;
    const struct wari_host *host;
    int threads;
    double share;             /* of a level that this process holds: 1 if there is no other */
    uint64_t cache_bytes;     /* for lower levels, while the last level is solved */
    uint64_t level_bytes;     /* for that level; one that needs more is streamed */
    uint64_t idle_bytes;      /* that such a level may have, too, once captures are read */
    uint64_t checkpoint_room; /* for a checkpoint; 0: no limit */
    struct wari_catalogue catalogue;
    struct wari_lower *lower;
    struct wari_tables *tables;
    struct wari_store *store;
    struct wari_team team;
    struct wari_progress progress;
    struct wari_level_measure measure; /* of the level being solved */
    double start, level_start;
    uint64_t chunks_read; /* before this level */
    struct wari_finished finished[WARI_SEEDS_MAX + 1];
    int finished_count;
    double finished_since; /* when work on the first of these began */
};

void wari_run_begin(struct wari_run *run, const struct wari_build *build);
void wari_run_end(struct wari_run *run);

/* With the catalogue read: checks the bound on memory, takes what the levels share and adds the
 * levels that are there. *first: the first level to be solved; beyond those wanted: nothing is. */
WARI_MUST_CHECK enum wari_status wari_run_prepare(struct wari_run *run, int *first,
                                                  struct wari_error *error);

/* Fills in what wari_level_init() does not; and, when the level is finished or given up, takes it
 * down and, if it is finished, keeps in mind that it is to be published. */
void wari_run_begin_level(struct wari_run *run, int seeds, struct wari_level *level);
void wari_run_end_level(struct wari_run *run, struct wari_level *level, enum wari_status status,
                        uint64_t file_bytes);

/* Publishes the finished levels together if it is time, as build->publish says: their names, then
 * the catalogue, which has them already. Reports each of them. */
WARI_MUST_CHECK enum wari_status wari_run_publish_if_due(struct wari_run *run,
                                                         struct wari_error *error);

/* Publishes what is finished, for a run that ends with `status` and *error, and returns how it ends
 * then. */
WARI_MUST_CHECK enum wari_status
wari_run_publish_rest(struct wari_run *run, enum wari_status status, struct wari_error *error);

/* Reports the finished levels, which have been published. */
void wari_run_report_published(struct wari_run *run);

void wari_run_report(struct wari_run *run, enum wari_phase phase);
void wari_run_report_sweep(void *run, enum wari_sweep_kind kind, int sweep, double changed);

#endif
