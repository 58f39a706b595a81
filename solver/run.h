/* The frame of a build, for all ways of solving a level: what levels share, what is reported. */
#ifndef SOLVER_RUN_H
#define SOLVER_RUN_H

#include "solver/level.h"
#include "solver/store.h"

struct wari_run {
    const struct wari_build *build;
    const struct wari_host *host;
    int threads;
    double share;         /* of a level that this process holds: 1 if there is no other */
    uint64_t cache_bytes; /* for lower levels, while the last level is solved */
    uint64_t level_bytes; /* for that level; one that needs more is streamed */
    struct wari_catalogue catalogue;
    struct wari_lower *lower;
    struct wari_tables *tables;
    struct wari_store *store;
    struct wari_team team;
    struct wari_progress progress;
    struct wari_level_measure measure; /* of the level being solved */
    double start, level_start;
    uint64_t chunks_read; /* before this level */
};

void wari_run_begin(struct wari_run *run, const struct wari_build *build);
void wari_run_end(struct wari_run *run);

/* With the catalogue read: checks the bound on memory, takes what the levels share and adds the
 * levels that are there. *first: the first level to be solved; beyond those wanted: nothing is. */
WARI_MUST_CHECK enum wari_status wari_run_prepare(struct wari_run *run, int *first,
                                                  struct wari_error *error);

/* Fills in what wari_level_init() does not; and, when the level is published or given up, takes it
 * down and reports it. */
void wari_run_begin_level(struct wari_run *run, int seeds, struct wari_level *level);
void wari_run_end_level(struct wari_run *run, struct wari_level *level, enum wari_status status,
                        uint64_t file_bytes);

void wari_run_report(struct wari_run *run, enum wari_phase phase);
void wari_run_report_sweep(void *run, enum wari_sweep_kind kind, int sweep, double changed);

#endif
