/* Builds a database with several ranks, by the steps of solver/build.c with every level
 * distributed.
 *
 * After each operation that can fail on a single rank, the ranks agree on one status before they
 * continue. So all of them end with the same status, and none waits for a rank that has given up. A
 * level is published by the ranks that write to their folders, after all chunks of its file are on
 * disk, and the catalogue after that.
 */
#include "solver/cluster/build.h"

#include <string.h>

#include "db/catalogue/lock.h"
#include "solver/run.h"

struct job {
    struct wari_run run;
    struct wari_net *net;
    struct wari_disks disks;
    struct wari_distributed distributed; /* the level being solved */
};

/* ---- The operations that differ from those of a single process ------------------------------- */

static struct job *job_of(struct wari_run *run)
{
    return (struct job *)run; /* `run` is the first member */
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
    run->task.level.progress.checkpoint = NULL;
    return wari_distributed_open(&job->distributed, job->net, &run->task.level, seeds,
                                 run->build->variant.cycle, error);
}

static enum wari_status write_level(struct wari_run *run, struct wari_error *error)
{
    struct job *job = job_of(run);

    return wari_distributed_write(&job->distributed, run->encoder, &job->disks, run->build->variant,
                                  &run->task.record, error);
}

/* Adds up the messages that all ranks have sent for the level. */
static void add_up_traffic(struct wari_net *net)
{
    for (int kind = 0; kind < WARI_MESSAGE_KINDS; kind++) {
        uint64_t sum[2] = {net->sent[kind].messages, net->sent[kind].bytes};
        wari_net_sum(net, sum, 2);
        net->of_level[kind] = (struct wari_traffic){sum[0], sum[1]};
    }
}

static enum wari_status publish(struct wari_run *run, struct wari_error *error)
{
    struct job *job = job_of(run);
    const enum wari_status status =
        wari_net_agree(job->net, job->disks.writes ? wari_run_publish(run, error) : WARI_OK, error);

    if (status == WARI_OK)
        add_up_traffic(job->net);
    return status;
}

static const struct wari_ways ways = {open_level, agree, write_level, publish};

/* ---- The run --------------------------------------------------------------------------------- */

enum wari_status wari_build_distributed(const struct wari_build *build, struct wari_net *net,
                                        bool local_disks, struct wari_error *error)
{
    struct wari_build each = *build;
    struct job job = {.net = net};
    int lock = -1;
    enum wari_status status = wari_check_seeds(build->seeds, error);

    if (status == WARI_OK && net->ranks > WARI_RANKS_MAX)
        status = wari_fail(error, WARI_BAD_INPUT, "%d ranks: there can be %d; start fewer",
                           net->ranks, WARI_RANKS_MAX);
    status = wari_net_agree(net, status, error);
    if (status != WARI_OK)
        return status;
    each.publish = -1; /* publish each level at once, because the clocks of the ranks differ */
    wari_run_begin(&job.run, &each, &ways);
    status = wari_find_disks(net, build, local_disks, &job.disks, &lock, error);
    if (status == WARI_OK)
        status = wari_same_levels(net, build, &job.disks, &job.run.catalogue, error);
    if (status == WARI_OK)
        status = wari_build_missing(&job.run, error);
    wari_run_end(&job.run);
    wari_folder_unlock(job.run.host, lock);
    return status;
}
