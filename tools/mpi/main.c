/* The command `wari-mpi`: `wari build` by several processes that mpirun has started, and the plan
 * for such a build.
 *
 * Every process executes the whole command. The ranks agree on one status after each step, so that
 * a failure of one rank ends all; rank 0 prints the message, and all ranks return the same exit
 * code. A plan is made by one process, without mpirun.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/wari.h"
#include "solver/cluster/build.h"
#include "tools/common/report.h"
#include "tools/mpi/joining.h"
#include "tools/mpi/mpi.h"

static const char help[] =
    "usage: mpirun -n R [...] wari-mpi build --db DIR --seeds N [OPTION...]\n"
    "       wari-mpi plan --ranks R --network-bandwidth B --seeds N [OPTION...]\n"
    "\n"
    "Does what 'wari build' does, with every level distributed over R processes (ranks), on one\n"
    "host or on several: each rank holds its partition of the level that is being solved. The\n"
    "files are byte for byte those of 'wari build'.\n"
    "\n"
    "The options are those of 'wari build' ('wari help build') except --scratch and\n"
    "--replace-damaged. --threads and --memory apply to each rank; the default is the rank's\n"
    "fraction of the host. There are two more options:\n"
    "\n"
    "  --local-disks  DIR is a separate folder on each host: every host gets a complete copy\n"
    "                 of the database, and levels that a host lacks are sent to it.\n"
    "                 Without this option DIR must be the same folder for all ranks.\n"
    "  --traffic      after each level, print how much the ranks have sent to each other\n"
    "\n"
    "All ranks must run the same version with the same options. If a rank fails, all ranks stop\n"
    "with one message and the same exit code. Finished levels are kept, and the same command\n"
    "continues from there. All programs that mpirun starts must be wari-mpi: MPI waits until all\n"
    "have joined. Ranks that wait for longer than 20 seconds say so, and end after 300 seconds\n"
    "with exit code 4.\n"
    "\n"
    "'wari-mpi plan' estimates the cost of such a build. It runs in one process, without mpirun.\n"
    "The options are those of 'wari plan' ('wari help plan'); threads, memory, scratch space and\n"
    "time are per rank. There are two more options:\n"
    "\n"
    "  --ranks R      number of ranks, each on its own machine\n"
    "  --network-bandwidth B  bytes per second (or 500M, 2G) that a rank can send while it\n"
    "                 receives as much; this is not measured\n"
    "\n"
    "examples\n"
    "  mpirun -n 16 --map-by node --bind-to none wari-mpi build --db /shared/tables --seeds 36\n"
    "  wari-mpi plan --ranks 16 --network-bandwidth 1G --seeds 48 --threads 16 --memory 64G \\\n"
    "      --no-calibration\n"
    "\n"
    "exit codes: those of 'wari build' and 'wari plan'\n";

/* Returns true if --scratch is given. Ranks do not support it: a level must fit into their memory.
 */
static bool scratch_requested(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--scratch", strlen("--scratch")) == 0)
            return true;
    return false;
}

static bool help_requested(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

/* Returns true if mpirun started this process with a rank other than 0. MPI need not be running. */
static bool is_further_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *rank = getenv(names[i]);
        if (rank)
            return strcmp(rank, "0") != 0;
    }
    return false;
}

/* Prints the help or the version, once for all ranks, if the command line asks for one of them.
 * Returns false if the command line asks for neither. The function does not use MPI, which takes
 * seconds to start, and does not start at all on a machine where it is not set up. */
static bool print_help_or_version(int argc, char **argv)
{
    const char *word = help_requested(argc, argv) ? "help" : argc > 1 ? argv[1] : "";
    const bool prints = !is_further_rank();

    if (strcmp(word, "help") == 0 && prints)
        fputs(help, stdout);
    if (strcmp(word, "--version") == 0 && prints)
        printf("wari-mpi %s\n", wari_version());
    return strcmp(word, "help") == 0 || strcmp(word, "--version") == 0;
}

/* Answers or refuses a command line that does not ask for a build. Only rank 0 sets `prints`; the
 * other ranks print nothing. Returns the exit code, or -1 if the command line asks for a build. */
static int check_command(int argc, char **argv, bool prints)
{
    const char *word = argc > 1 ? argv[1] : "";

    if (strcmp(word, "build") == 0 && !scratch_requested(argc, argv))
        return -1;
    if (prints && strcmp(word, "build") == 0)
        fprintf(stderr,
                "wari build: --scratch works with 'wari build' only: ranks keep a level in their "
                "combined memory; omit --scratch, or start more ranks\n");
    else if (prints)
        fprintf(stderr, "wari-mpi: the commands are 'build' and 'plan'; see 'wari-mpi help'\n");
    return report_exit_code(WARI_BAD_INPUT);
}

int main(int argc, char **argv)
{
    struct wari_net net;
    struct joining joining;
    struct wari_error error = {0};
    uint64_t code;

    report_guard_output();
    if (print_help_or_version(argc, argv))
        return report_finish(0);
    if (argc > 1 && strcmp(argv[1], "plan") == 0)
        return report_finish(mpi_plan_run(argc - 1, argv + 1));
    joining_begin(&joining);
    enum wari_status status = wari_net_begin(&net, &argc, &argv, &error);
    joining_end(&joining);
    int own_code = check_command(argc, argv, net.rank == 0);
    if (status == WARI_OK)
        status = wari_same_program(&net, &error);
    if (own_code < 0 && status != WARI_OK)
        own_code =
            net.rank == 0 ? report_result("build", status, &error) : report_exit_code(status);
    if (own_code < 0)
        own_code = mpi_build_run(argc - 1, argv + 1, &net);
    /* After a signal, only the ranks that received it know its number: take the maximum of all. */
    code = (uint64_t)own_code;
    wari_net_max(&net, &code, 1);
    wari_net_end(&net);
    return report_finish((int)code);
}
