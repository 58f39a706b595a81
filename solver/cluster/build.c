/* Builds a database by several ranks: the run of solver/build.c with every level distributed.
 *
 * Whatever can fail on one rank alone is agreed on before the ranks go on, so that all of them end
 * with the same status and none waits for one that has given up. A level is published by those who
 * keep a folder when every rank's part of its file is on disk, and its catalogue after that.
 */
#include "solver/cluster/build.h"

#include <string.h>

#include "db/catalogue/catalogue_file.h"
#include "db/catalogue/lock.h"
#include "solver/cluster/copies.h"
#include "solver/plan/plan.h"
#include "solver/ranks/passes.h"
#include "solver/ranks/store.h"
#include "solver/system/clock.h"
#include "solver/write/checkpoint.h"
#include "solver/write/run.h"

struct job {
    struct wari_run run;
    struct wari_net *net;
    struct wari_disks disks;
};

/* ---- One level ------------------------------------------------------------------------------ */

static enum wari_status agree_on_sweeps(struct job *job, const struct wari_distributed *distributed,
                                        struct wari_error *error)
{
    const struct wari_level *level = distributed->level;
    enum wari_status status = wari_team_failure(level->team, error);

    if (status == WARI_OK && level->stop && atomic_load_explicit(level->stop, memory_order_relaxed))
        status = wari_fail(error, WARI_INTERRUPTED, "stopped on request at level %d",
                           level->layout.seeds);
    return wari_net_agree(job->net, status, error);
}

/* As solve() of solver/build.c. */
static enum wari_status solve(struct job *job, struct wari_distributed *distributed,
                              struct wari_level_record *record, struct wari_error *error)
{
    struct wari_run *run = &job->run;
    struct wari_level_measure *measure = &run->measure;
    const double start = wari_seconds_now();
    double swept, counted;
    enum wari_status status;

    wari_run_report(run, WARI_PHASE_CAPTURES);
    wari_distributed_captures(distributed);
    swept = wari_seconds_now();
    measure->capture_seconds = swept - start;
    do {
        wari_distributed_grow(distributed, wari_run_report_sweep, run);
    } while (run->build->variant.cycle == WARI_OWN && !wari_distributed_stopped(distributed) &&
             wari_distributed_shrink(distributed, wari_run_report_sweep, run));
    counted = wari_seconds_now();
    measure->sweep_seconds = counted - swept;
    wari_run_report(run, WARI_PHASE_COUNT);
    status = wari_distributed_histogram(distributed, record->histogram, error);
    measure->count_seconds = wari_seconds_now() - counted;
    return status == WARI_OK ? agree_on_sweeps(job, distributed, error) : status;
}

static enum wari_status publish(struct job *job, struct wari_distributed *distributed,
                                struct wari_level_record *record, struct wari_error *error)
{
    struct wari_run *run = &job->run;
    const int seeds = distributed->level->layout.seeds;
    enum wari_status status;

    wari_run_report(run, WARI_PHASE_WRITE);
    status = wari_distributed_write(distributed, run->store, &job->disks, run->build->variant,
                                    record, error);
    if (status != WARI_OK)
        return status;
    run->catalogue.level[seeds] = *record;
    run->catalogue.seeds_max = seeds;
    if (job->disks.keeper)
        status = wari_catalogue_write(&run->catalogue, run->host, run->build->folder, error);
    if (job->disks.keeper && status == WARI_OK) /* a single process may have left one */
        wari_checkpoint_remove(run->host, run->build->folder, run->build->variant, seeds);
    status = wari_net_agree(job->net, status, error);
    if (status == WARI_OK && seeds < run->build->seeds)
        status = wari_net_agree(job->net, wari_lower_add(run->lower, seeds, record, error), error);
    return status;
}

/* What the ranks have sent each other since `before`, all of them together. */
static void add_up_traffic(struct wari_net *net, const struct wari_traffic before[WARI_CARGO_KINDS])
{
    for (int kind = 0; kind < WARI_CARGO_KINDS; kind++) {
        uint64_t sum[2] = {net->sent[kind].messages - before[kind].messages,
                           net->sent[kind].bytes - before[kind].bytes};
        wari_net_sum(net, sum, 2);
        net->of_level[kind] = (struct wari_traffic){sum[0], sum[1]};
    }
}

static enum wari_status build_level(struct job *job, int seeds, struct wari_error *error)
{
    struct wari_run *run = &job->run;
    struct wari_traffic before[WARI_CARGO_KINDS];
    struct wari_level_record record = {0};
    struct wari_level level;
    struct wari_distributed distributed;
    struct wari_ranks ranks;
    struct wari_share share;
    enum wari_status status;

    memcpy(before, job->net->sent, sizeof before);
    wari_run_begin_level(run, seeds, &level);
    status = wari_ranks_distribute(&ranks, run->host, seeds, job->net->ranks, error);
    status = wari_net_agree(job->net, status, error);
    if (status == WARI_OK) {
        wari_ranks_share(&ranks, job->net->rank, &share);
        status = wari_level_init_share(&level, seeds, run->build->variant.cycle, &share, error);
        const bool made = status == WARI_OK;
        status = wari_net_agree(job->net, status, error);
        if (status != WARI_OK && made)
            wari_level_destroy(&level);
    }
    if (status != WARI_OK) {
        wari_ranks_free(&ranks);
        return status;
    }
    status = wari_distributed_create(&distributed, job->net, &level, &ranks, error);
    if (status == WARI_OK) {
        status = solve(job, &distributed, &record, error);
        if (status == WARI_OK)
            status = publish(job, &distributed, &record, error);
        job->net->dense_sweeps = distributed.dense_sweeps;
        job->net->event_sweeps = distributed.event_sweeps;
        wari_distributed_destroy(&distributed);
    }
    if (status == WARI_OK)
        add_up_traffic(job->net, before);
    wari_run_end_level(run, &level, status, record.file_bytes);
    if (status == WARI_OK)
        wari_run_report_published(run);
    return status;
}

/* ---- The run -------------------------------------------------------------------------------- */

static enum wari_status build_missing(struct job *job, struct wari_error *error)
{
    const struct wari_build *build = job->run.build;
    int first = 0;
    enum wari_status status =
        wari_same_levels(job->net, build, &job->disks, &job->run.catalogue, error);

    if (status == WARI_OK)
        status = wari_net_agree(job->net, wari_run_prepare(&job->run, &first, error), error);
    for (int seeds = first; status == WARI_OK && seeds <= build->seeds; seeds++)
        if (wari_check_seeds(seeds, NULL) == WARI_OK) /* all but 47 */
            status = build_level(job, seeds, error);
    return status;
}

enum wari_status wari_build_distributed(const struct wari_build *build, struct wari_net *net,
                                        bool local_disks, struct wari_error *error)
{
    struct job job = {.net = net};
    int lock = -1;
    enum wari_status status = wari_check_seeds(build->seeds, error);

    if (status == WARI_OK && net->ranks > WARI_RANKS_MAX)
        status = wari_fail(error, WARI_BAD_INPUT, "%d ranks: there can be %d; start fewer",
                           net->ranks, WARI_RANKS_MAX);
    status = wari_net_agree(net, status, error);
    if (status != WARI_OK)
        return status;
    wari_run_begin(&job.run, build);
    status = wari_find_disks(net, build, local_disks, &job.disks, &lock, error);
    if (status == WARI_OK)
        status = build_missing(&job, error);
    wari_run_end(&job.run);
    wari_folder_unlock(job.run.host, lock);
    return status;
}
