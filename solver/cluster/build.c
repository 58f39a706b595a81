/* Builds a database with several ranks, by the steps of solver/build.c with every level
 * distributed.
 *
 * After each operation that can fail on a single rank, the ranks agree on one status before they
 * continue. So all ranks end with the same status, and no rank waits for a rank that has given up.
 * After all chunks of a level's file are on disk, the ranks that write to their folders publish
 * first the file and then the catalogue.
 */
#include "solver/cluster/build.h"

#include <string.h>

#include "db/catalogue/lock.h"
#include "solver/builder.h"
#include "solver/solve.h"

struct job {
    struct wari_builder builder;
    struct wari_net *net;
    struct wari_disks disks;
    struct wari_distributed distributed; /* the level being solved */
};

/* ---- One level ------------------------------------------------------------------------------- */

/* A distributed level has no checkpoints. */
static enum wari_status open_level(struct job *job, int seeds, struct wari_error *error)
{
    struct wari_level *level = &job->builder.current.level;

    memset(job->net->sent, 0, sizeof job->net->sent);
    level->progress.checkpoint = NULL;
    return wari_distributed_open(&job->distributed, job->net, level, seeds,
                                 job->builder.build->variant.cycle, error);
}

static enum wari_status write_level(struct job *job, struct wari_error *error)
{
    struct wari_builder *builder = &job->builder;
    const struct wari_level_ready ready = {wari_builder_admit, builder};

    wari_builder_report(builder, WARI_PHASE_WRITE);
    return wari_distributed_write(&job->distributed, builder->encoder, &job->disks,
                                  builder->build->variant, &ready, &builder->current.record, error);
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

/* Publishes the level at once. The ranks could not agree on a time at which several levels are
 * published together, because their clocks differ. */
static enum wari_status publish_level(struct job *job, struct wari_error *error)
{
    struct wari_builder *builder = &job->builder;
    enum wari_status status = WARI_OK;

    if (job->disks.writes)
        status = wari_builder_publish(builder, error);
    status = wari_net_agree(job->net, status, error);
    if (status == WARI_OK)
        add_up_traffic(job->net);
    wari_builder_end_publishing(builder, status);
    return status;
}

static enum wari_status add_lower(struct job *job, int seeds, struct wari_error *error)
{
    return wari_net_agree(job->net, wari_builder_add_lower(&job->builder, seeds, error), error);
}

static enum wari_status build_level(struct job *job, int seeds, struct wari_error *error)
{
    struct wari_builder *builder = &job->builder;
    struct wari_level *level = wari_builder_begin_level(builder, seeds);
    enum wari_status status = open_level(job, seeds, error);

    if (status == WARI_OK) {
        wari_solve(level, builder->current.record.histogram);
        status = wari_net_agree(job->net, wari_builder_outcome(builder, error), error);
    }
    if (status == WARI_OK)
        status = write_level(job, error);
    wari_builder_end_level(builder, status);
    if (status == WARI_OK)
        status = publish_level(job, error);
    return status == WARI_OK ? add_lower(job, seeds, error) : status;
}

/* ---- All levels ------------------------------------------------------------------------------ */

static enum wari_status build_missing(struct job *job, struct wari_error *error)
{
    struct wari_builder *builder = &job->builder;
    const int last = builder->build->seeds;
    enum wari_status status = wari_net_agree(job->net, wari_builder_prepare(builder, error), error);

    for (int seeds = builder->plan.first; seeds <= last && status == WARI_OK;
         seeds = wari_catalogue_next(seeds))
        status = wari_builder_has(builder, seeds) ? add_lower(job, seeds, error)
                                                  : build_level(job, seeds, error);
    return status;
}

enum wari_status wari_build_distributed(const struct wari_build *build, struct wari_net *net,
                                        bool local_disks, struct wari_error *error)
{
    struct job job = {.net = net};
    struct wari_lock lock = {0};
    enum wari_status status = wari_check_seeds(build->seeds, error);

    if (status == WARI_OK && net->ranks > WARI_RANKS_MAX)
        status = wari_fail(error, WARI_BAD_INPUT,
                           "there are %d ranks, but at most %d are possible; start fewer",
                           net->ranks, WARI_RANKS_MAX);
    status = wari_net_agree(net, status, error);
    if (status != WARI_OK)
        return status;
    wari_builder_begin(&job.builder, build);
    status = wari_find_disks(net, build, local_disks, &job.disks, &lock, error);
    if (status == WARI_OK)
        status = wari_same_levels(net, build, &job.disks, &job.builder.catalogue, error);
    if (status == WARI_OK)
        status = build_missing(&job, error);
    wari_builder_end(&job.builder);
    wari_folder_unlock(&lock);
    return status;
}
