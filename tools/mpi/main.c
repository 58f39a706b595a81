/* The command `wari-mpi`: `wari build` for several processes that mpirun has started.
 *
 * Every process runs the whole command. What one of them meets, all of them agree on; rank 0 says
 * it, and all end with the same exit code.
 */
#include <stdio.h>
#include <string.h>

#include "db/wari.h"
#include "solver/cluster/build.h"
#include "solver/cluster/start.h"
#include "solver/forecast/rank_traffic.h"
#include "tools/build/build.h"
#include "tools/common/report.h"

static const char help[] =
    "usage: mpirun -n R [...] wari-mpi build --db DIR --seeds N [OPTION...]\n"
    "\n"
    "Does what 'wari build' does, with every level distributed over R processes (ranks), on one\n"
    "host or on many: each holds its share of the level that is being solved. The files\n"
    "are the same to the last byte.\n"
    "\n"
    "Options are those of 'wari build' ('wari help build'), except that --scratch is not\n"
    "there; --threads and --memory are each rank's, by default its part of the host's. And\n"
    "\n"
    "  --local-disks  DIR is a folder of its own on each host: every host gets a whole copy\n"
    "                 of the database, and levels that some host lacks are sent to it.\n"
    "                 Without this option DIR has to be the same folder for all ranks.\n"
    "  --traffic      print after each level what the ranks have sent each other, and what\n"
    "                 the cost model says\n"
    "\n"
    "All ranks have to run the same version with the same options. Where one of them fails,\n"
    "all end with one message and its exit code; finished levels stay, and the same command\n"
    "goes on from there.\n"
    "\n"
    "example\n"
    "  mpirun -n 16 --map-by node --bind-to none wari-mpi build --db /shared/tables --seeds 36\n"
    "\n"
    "exit codes: those of 'wari build'\n";

static enum wari_status agree(struct build_job *job, enum wari_status status,
                              struct wari_error *error)
{
    return wari_net_agree(job->context, status, error);
}

static enum wari_status build(struct build_job *job, const struct wari_build *build,
                              struct wari_error *error)
{
    return wari_build_distributed(build, job->context, job->local_disks, error);
}

static void level_done(struct build_job *job, const struct wari_progress *at)
{
    static const char *const cargo[WARI_CARGO_KINDS] = {
        [WARI_CARGO_CODES] = "first codes", [WARI_CARGO_ROWS] = "child rows",
        [WARI_CARGO_TILES] = "tiles",       [WARI_CARGO_EVENTS] = "events",
        [WARI_CARGO_QUERIES] = "queries",   [WARI_CARGO_COUNT] = "rows to count",
        [WARI_CARGO_FILE] = "file",
    };
    const struct wari_net *net = job->context;
    struct wari_rank_traffic model;
    struct wari_flow predicted[WARI_CARGO_KINDS] = {{0}};

    if (!job->traffic ||
        wari_rank_traffic(&model, wari_host_system(), at->seeds, net->ranks, NULL) != WARI_OK)
        return;
    predicted[WARI_CARGO_CODES] = model.tiles;
    predicted[WARI_CARGO_ROWS] = (struct wari_flow){net->dense_sweeps * model.rows.messages,
                                                    net->dense_sweeps * model.rows.bytes};
    predicted[WARI_CARGO_TILES] = (struct wari_flow){net->dense_sweeps * model.tiles.messages,
                                                     net->dense_sweeps * model.tiles.bytes};
    predicted[WARI_CARGO_COUNT] = model.count;
    fprintf(stderr, "  level %d: %d dense sweeps, %d event-driven ones\n", at->seeds,
            net->dense_sweeps, net->event_sweeps);
    for (int kind = 0; kind < WARI_CARGO_KINDS; kind++)
        fprintf(stderr, "  %-13s %9llu messages %13llu bytes; model %9.0f %13.0f\n", cargo[kind],
                (unsigned long long)net->of_level[kind].messages,
                (unsigned long long)net->of_level[kind].bytes, predicted[kind].messages,
                predicted[kind].bytes);
}

/* Levels are in the memory of all ranks, or nowhere. */
static bool asks_for_scratch(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--scratch", strlen("--scratch")) == 0)
            return true;
    return false;
}

/* What rank 0 says without any work, or -1. */
static int talk(int argc, char **argv, bool aloud)
{
    const char *word = argc > 1 ? argv[1] : "";

    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            word = "help";
    if (strcmp(word, "help") == 0) {
        if (aloud)
            fputs(help, stdout);
        return 0;
    }
    if (strcmp(word, "--version") == 0) {
        if (aloud)
            printf("wari-mpi %s\n", wari_version());
        return 0;
    }
    if (strcmp(word, "build") == 0 && !asks_for_scratch(argc, argv))
        return -1;
    if (aloud && strcmp(word, "build") == 0)
        fprintf(stderr,
                "wari build: --scratch is for 'wari build' alone: ranks keep a level in the "
                "memory of all of them; start more of them, or leave it out\n");
    else if (aloud)
        fprintf(stderr, "wari-mpi: the only command is 'build'; 'wari-mpi help' says more\n");
    return report_exit_code(WARI_BAD_INPUT);
}

int main(int argc, char **argv)
{
    struct wari_net net;
    struct wari_error error = {0};
    uint64_t code;

    report_guard_output();
    enum wari_status status = wari_net_begin(&net, &argc, &argv, &error);
    int mine = talk(argc, argv, net.rank == 0);
    if (status == WARI_OK)
        status = wari_same_program(&net, &error);
    if (mine < 0 && status != WARI_OK)
        mine = net.rank == 0 ? report_result("build", status, &error) : report_exit_code(status);
    if (mine < 0) {
        struct build_job job = {.rank = net.rank,
                                .ranks = net.ranks,
                                .on_this_host = net.on_this_host,
                                .agree = agree,
                                .build = build,
                                .level_done = level_done,
                                .context = &net};
        mine = build_run(argc - 1, argv + 1, &job);
    }
    code = (uint64_t)mine; /* after a signal, only those who got it know which */
    wari_net_most(&net, &code, 1);
    wari_net_end(&net);
    return report_finish((int)code);
}
