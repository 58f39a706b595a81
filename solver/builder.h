/* The state of a build: what its levels share, the level that is being solved, and the levels that
 * are finished but not yet published. build.c and cluster/build.c hold the loop over the levels and
 * call these functions; nothing here calls back into them.
 */
#ifndef SOLVER_BUILDER_H
#define SOLVER_BUILDER_H

#include "solver/level/level.h"
#include "solver/level/statistics.h"
#include "solver/plan/plan.h"
#include "solver/write/batch_encoder.h"
#include "solver/write/checkpoint.h"

/* The level that is being solved. */
struct wari_current_level {
    struct wari_level level;
    struct wari_level_statistics statistics;
    struct wari_level_record record; /* its entry in the catalogue, once its file is written */
    struct wari_checkpoint checkpoint;
    double start; /* time at which work on the level began */
};

/* Levels whose files are written, but which the catalogue on disk does not list yet. */
struct wari_finished {
    struct {
        struct wari_level_statistics statistics;
        double seconds; /* time from the start of the level until its file was written */
        uint64_t file_bytes;
    } level[WARI_SEEDS_MAX + 1];
    int count;
    double since; /* time at which work on the first of them began */
};

struct wari_builder {
    const struct wari_build *build;
    const struct wari_host *host;
    int threads;
    double start; /* time at which the build began */
    struct wari_progress progress;

    /* Shared by all levels. */
    struct wari_build_plan plan;
    struct wari_catalogue catalogue;
    struct wari_lower_cache *lower_cache;
    struct wari_tables *tables;
    struct wari_workers workers;
    struct wari_batch_encoder *encoder; /* NULL while the bit backend uses its memory */
    struct wari_level_buffer buffer;    /* memory that one level after the other uses; empty if the
                                         * limit on memory is tight, or if no level was solved in
                                         * memory yet */

    struct wari_current_level current;
    struct wari_finished finished;
};

/* Initializes a builder. The caller then has to read builder->catalogue before it calls
 * wari_builder_prepare(). wari_builder_end() frees everything that the builder allocated. */
void wari_builder_begin(struct wari_builder *builder, const struct wari_build *build);
void wari_builder_end(struct wari_builder *builder);

/* Makes the plan, or takes over the plan of the caller. Checks the limit on memory, removes
 * unfinished checkpoints, allocates the memory that all levels share, and opens the existing levels
 * below the first level to solve. The caller must have read the catalogue and found its missing
 * levels. On success builder->plan.first is the first level to solve. If it is greater than
 * build->seeds, no level is missing and nothing is allocated. */
WARI_MUST_CHECK enum wari_status wari_builder_prepare(struct wari_builder *builder,
                                                      struct wari_error *error);

/* Returns true if a level after the first one to solve need not be solved, since its file exists.
 * (This happens if the file of a lower level was lost.) */
bool wari_builder_has(const struct wari_builder *builder, int seeds);

/* Adds a level that is solved to the lower-level cache, unless no level of the build reads it. */
WARI_MUST_CHECK enum wari_status wari_builder_add_lower(struct wari_builder *builder, int seeds,
                                                        struct wari_error *error);

/* Begins a level: resets builder->current and fills in those fields of the returned level that have
 * to be set before a backend opens it. */
struct wari_level *wari_builder_begin_level(struct wari_builder *builder, int seeds);

/* Returns the reason why the current level could not be solved: the failure of a thread, or
 * WARI_INTERRUPTED after a stop request; WARI_OK if it is solved. */
WARI_MUST_CHECK enum wari_status wari_builder_outcome(struct wari_builder *builder,
                                                      struct wari_error *error);

/* Closes the current level and frees its memory. `status` is the result of solving and writing the
 * level. If it is WARI_OK, the level is added to the catalogue in memory and to the finished
 * levels. */
void wari_builder_end_level(struct wari_builder *builder, enum wari_status status);

/* Calls the progress callback of the build, if there is one. */
void wari_builder_report(struct wari_builder *builder, enum wari_phase phase);

/* The function of struct wari_level_ready; its context is the builder. Must be called when the file
 * of the current level is complete, before the file gets its final name. Does nothing if the
 * catalogue does not list the level. If the catalogue lists the level, an earlier file of the level
 * was lost. The new file must have the values that the catalogue lists, otherwise the result is
 * WARI_CORRUPT. If the lost file was packed, the bytes of the two files may differ; then the
 * catalogue is first changed to allow both files, so that the folder is valid at every moment. */
WARI_MUST_CHECK enum wari_status
wari_builder_admit(void *builder, const struct wari_level_record *record, struct wari_error *error);

/* ---- Publishing ------------------------------------------------------------------------------ */

/* Makes the names of the finished level files durable, then writes the catalogue, which lists the
 * finished levels, and then removes the checkpoints of these levels. */
WARI_MUST_CHECK enum wari_status wari_builder_publish(struct wari_builder *builder,
                                                      struct wari_error *error);

/* Must be called after each wari_builder_publish(), with the status that it returned. Reports the
 * finished levels as published if that status is WARI_OK. Empties the list of finished levels in
 * any case. */
void wari_builder_end_publishing(struct wari_builder *builder, enum wari_status status);

/* Calls wari_builder_publish() and wari_builder_end_publishing() if the finished levels have waited
 * as long as build->publish says. */
WARI_MUST_CHECK enum wari_status wari_builder_publish_if_due(struct wari_builder *builder,
                                                             struct wari_error *error);

/* Publishes the levels that are still waiting, at the end of a build that ends with `status` and
 * *error. Returns the final status: an earlier failure takes precedence over a failure to publish.
 */
WARI_MUST_CHECK enum wari_status wari_builder_publish_rest(struct wari_builder *builder,
                                                           enum wari_status status,
                                                           struct wari_error *error);

#endif
