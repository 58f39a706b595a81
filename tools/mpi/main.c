/* The command `wari-mpi`: `wari build` for several processes that mpirun has started, and the plan
 * for that.
 *
 * Every process runs the whole command. What one of them meets, all of them agree on; rank 0 says
 * it, and all end with the same exit code. A plan is made by one process, without mpirun.
 */
#include <stdio.h>
#include <string.h>

#include "db/wari.h"
#include "solver/cluster/build.h"
#include "tools/common/report.h"
#include "tools/mpi/job.h"
#include "tools/mpi/shared_plan.h"

static const char help[] =
    "usage: mpirun -n R [...] wari-mpi build --db DIR --seeds N [OPTION...]\n"
    "       wari-mpi plan --ranks R --network-bandwidth B --seeds N [OPTION...]\n"
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
    "  --traffic      print after each level what the ranks have sent each other\n"
    "\n"
    "All ranks have to run the same version with the same options. Where one of them fails,\n"
    "all end with one message and its exit code; finished levels stay, and the same command\n"
    "goes on from there.\n"
    "\n"
    "'wari-mpi plan' says what that takes, by one process and without mpirun. Options are those\n"
    "of 'wari plan' ('wari help plan'); threads, memory, scratch and time are those of each\n"
    "rank. And\n"
    "\n"
    "  --ranks R      machines that share each level\n"
    "  --network-bandwidth B  bytes a second (or 500M, 2G) that a rank can send while it\n"
    "                 receives as much, which cannot be measured here\n"
    "\n"
    "examples\n"
    "  mpirun -n 16 --map-by node --bind-to none wari-mpi build --db /shared/tables --seeds 36\n"
    "  wari-mpi plan --ranks 16 --network-bandwidth 1G --seeds 48 --threads 16 --memory 64G \\\n"
    "      --no-calibration\n"
    "\n"
    "exit codes: those of 'wari build' and 'wari plan'\n";

/* Levels are in the memory of all ranks, or nowhere. */
static bool asks_for_scratch(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--scratch", strlen("--scratch")) == 0)
            return true;
    return false;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

/* What rank 0 says without any work, or -1. */
static int talk(int argc, char **argv, bool aloud)
{
    const char *word = asks_for_help(argc, argv) ? "help" : argc > 1 ? argv[1] : "";

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
        fprintf(stderr,
                "wari-mpi: the commands are 'build' and 'plan'; 'wari-mpi help' says more\n");
    return report_exit_code(WARI_BAD_INPUT);
}

int main(int argc, char **argv)
{
    struct wari_net net;
    struct wari_error error = {0};
    uint64_t code;

    report_guard_output();
    if (argc > 1 && strcmp(argv[1], "plan") == 0 && !asks_for_help(argc, argv))
        return report_finish(shared_plan_run(argc - 1, argv + 1));
    enum wari_status status = wari_net_begin(&net, &argc, &argv, &error);
    int mine = talk(argc, argv, net.rank == 0);
    if (status == WARI_OK)
        status = wari_same_program(&net, &error);
    if (mine < 0 && status != WARI_OK)
        mine = net.rank == 0 ? report_result("build", status, &error) : report_exit_code(status);
    if (mine < 0)
        mine = job_run(argc - 1, argv + 1, &net);
    code = (uint64_t)mine; /* after a signal, only those who got it know which */
    wari_net_max(&net, &code, 1);
    wari_net_end(&net);
    return report_finish((int)code);
}
