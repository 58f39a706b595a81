/* `wari-mpi build`: the options that only several ranks have, and the calls by which the ranks
 * cooperate. tools/build.c does the rest. */
#include "tools/mpi/mpi.h"

#include <stdio.h>

#include "solver/cluster/build.h"
#include "solver/cluster/ranks.h"
#include "tools/build.h"

struct options {
    struct wari_net *net;
    bool local_disks, traffic;
};

static enum wari_status handle_option(struct build_job *job, int key, struct wari_error *error)
{
    struct options *options = job->context;

    (void)error;
    if (key == 'l')
        options->local_disks = true;
    else
        options->traffic = true;
    return WARI_OK;
}

static enum wari_status agree(struct build_job *job, enum wari_status status,
                              struct wari_error *error)
{
    const struct options *options = job->context;

    return wari_net_agree(options->net, status, error);
}

static enum wari_status build(struct build_job *job, const struct wari_build *build,
                              struct wari_error *error)
{
    const struct options *options = job->context;

    return wari_build_distributed(build, options->net, options->local_disks, error);
}

static void print_plan(struct build_job *job, FILE *out)
{
    const int ranks = job->sharing->processes;

    fprintf(out, "memory and threads are per rank, for %d rank%s\n", ranks, ranks == 1 ? "" : "s");
}

static void level_done(struct build_job *job, const struct wari_progress *at)
{
    static const char *const name[WARI_MESSAGE_KINDS] = {
        [WARI_MESSAGE_CODES] = "first codes", [WARI_MESSAGE_ROWS] = "child rows",
        [WARI_MESSAGE_TILES] = "tiles",       [WARI_MESSAGE_EVENTS] = "events",
        [WARI_MESSAGE_QUERIES] = "queries",   [WARI_MESSAGE_COUNT] = "rows to count",
        [WARI_MESSAGE_FILE] = "file",
    };
    const struct options *options = job->context;
    const struct wari_net *net = options->net;
    const int dense = at->statistics->dense_sweeps;

    if (!options->traffic)
        return;
    fprintf(stderr, "  level %d: %d dense sweeps, %d event-driven sweeps\n", at->seeds, dense,
            at->statistics->sweeps - dense);
    for (int kind = 0; kind < WARI_MESSAGE_KINDS; kind++)
        fprintf(stderr, "  %-13s %9llu messages %13llu bytes\n", name[kind],
                (unsigned long long)net->of_level[kind].messages,
                (unsigned long long)net->of_level[kind].bytes);
}

int mpi_build_run(int argc, char **argv, struct wari_net *net)
{
    static const struct option accepted[] = {BUILD_OPTIONS,
                                             {"local-disks", no_argument, NULL, 'l'},
                                             {"traffic", no_argument, NULL, 'v'},
                                             {NULL, 0, NULL, 0}};
    const struct wari_sharing sharing = {net->ranks, wari_ranks_bytes};
    struct options options = {.net = net};
    struct build_job job = {.prints = net->rank == 0,
                            .on_this_host = net->on_this_host,
                            .sharing = &sharing,
                            .accepted = accepted,
                            .handle_option = handle_option,
                            .agree = agree,
                            .build = build,
                            .print_plan = print_plan,
                            .level_done = level_done,
                            .context = &options};

    return build_run(argc, argv, &job);
}
