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
#include "solver/ranks/road.h"
#include "solver/ranks/store.h"
#include "solver/run/run.h"
#include "solver/solve.h"

struct job {
    struct wari_run run;
    struct wari_net *net;
    struct wari_disks disks;
    struct wari_distributed distributed; /* the level being solved */
};

/* ---- What differs from one process ----------------------------------------------------------- */

static struct job *job_of(struct wari_run *run)
{
    return (struct job *)run; /* its first member */
}

static enum wari_status agree(struct wari_run *run, enum wari_status status,
                              struct wari_error *error)
{
    return wari_net_agree(job_of(run)->net, status, error);
}

static enum wari_status open_level(struct wari_run *run, int seeds, struct wari_error *error)
{
    struct job *job = job_of(run);

    memset(job->net->sent, 0, sizeof job->net->sent);
    run->task.level.course.checkpoint = NULL;
    return wari_distributed_open(&job->distributed, job->net, &run->task.level, seeds,
                                 run->build->variant.cycle, error);
}

static enum wari_status write_level(struct wari_run *run, struct wari_error *error)
{
    struct job *job = job_of(run);

    return wari_distributed_write(&job->distributed, run->store, &job->disks, run->build->variant,
                                  &run->task.record, error);
}

static const struct wari_ways ways = {open_level, agree, write_level};

/* ---- One level ------------------------------------------------------------------------------ */

/* The catalogue, by those who keep a folder; then the level can be read. */
static enum wari_status publish(struct job *job, int seeds, struct wari_error *error)
{
    struct wari_run *run = &job->run;
    enum wari_status status = WARI_OK;

    if (job->disks.keeper)
        status = wari_catalogue_write(&run->catalogue, run->host, run->build->folder, error);
    if (job->disks.keeper && status == WARI_OK) /* a single process may have left one */
        wari_checkpoint_remove(&run->task.checkpoint.address);
    status = wari_net_agree(job->net, status, error);
    if (status == WARI_OK && seeds < run->build->seeds)
        status = wari_net_agree(job->net,
                                wari_lower_add(run->lower, seeds, &run->task.record, error), error);
    return status;
}

/* What the ranks have sent each other for the level, all of them together. */
static void add_up_traffic(struct wari_net *net)
{
    for (int kind = 0; kind < WARI_CARGO_KINDS; kind++) {
        uint64_t sum[2] = {net->sent[kind].messages, net->sent[kind].bytes};
        wari_net_sum(net, sum, 2);
        net->of_level[kind] = (struct wari_traffic){sum[0], sum[1]};
    }
}

static enum wari_status build_level(struct job *job, int seeds, struct wari_error *error)
{
    enum wari_status status = wari_solve(&job->run, seeds, error);

    if (status == WARI_OK)
        status = publish(job, seeds, error);
    if (status != WARI_OK)
        return status;
    add_up_traffic(job->net);
    wari_run_publish_report(&job->run);
    return WARI_OK;
}

/* ---- The run -------------------------------------------------------------------------------- */

static enum wari_status build_missing(struct job *job, struct wari_error *error)
{
    const struct wari_build *build = job->run.build;
    enum wari_status status =
        wari_same_levels(job->net, build, &job->disks, &job->run.catalogue, error);

    if (status == WARI_OK)
        status = wari_net_agree(job->net, wari_run_prepare(&job->run, error), error);
    for (int seeds = job->run.plan.first; status == WARI_OK && seeds <= build->seeds; seeds++)
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
    wari_run_begin(&job.run, build, &ways);
    status = wari_find_disks(net, build, local_disks, &job.disks, &lock, error);
    if (status == WARI_OK)
        status = build_missing(&job, error);
    wari_run_end(&job.run);
    wari_folder_unlock(job.run.host, lock);
    return status;
}
