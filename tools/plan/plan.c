/* `wari plan`: estimates the cost of a build, on this machine or another, without solving:
 * positions, memory, disk, scratch space, passes, bytes moved, time.
 *
 * Memory and disk space come from the function that plans `wari build` itself. Times come from the
 * cost model in solver/NOTES.md and from speeds. The speeds are measured, which takes about ten
 * seconds, unless they are given.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "solver/calibrate.h"
#include "system/threads.h"
#include "tools/common/command.h"
#include "tools/common/interrupt.h"
#include "tools/common/machine.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/report.h"
#include "tools/common/text.h"
#include "tools/plan/plan.h"
#include "verify/verify_memory.h"

enum {
    TRIAL_SEEDS = 20,         /* last level that a calibration solves if time allows; 0.3 GB */
    TRIAL_SEEDS_SMALL = 16,   /* last level that a calibration solves if memory is short */
    TRIAL_MEMORY = 600000000, /* memory is short if less than this is available */
};

static const double trial_seconds = 7;

struct request {
    struct wari_build build;
    struct wari_speed speed;
    size_t disk_bandwidth, memory_bandwidth; /* bytes per second, as given; 0 means not given */
    bool given;                              /* use the given or default speeds, do not measure */
    bool json;
    bool verify;          /* plan `wari verify` instead of `wari build` */
    struct plan_job *job; /* NULL: one process */
};

/* ---- Command line ---- */

/* Parses the value of --speed, such as "capture=4.7,sowing=0.3". */
static enum wari_status read_speeds(const char *text, struct wari_speed *speed,
                                    struct wari_error *error)
{
    while (*text) {
        const size_t length = strcspn(text, "=");
        char *end = NULL;
        int i = 0;
        while (plan_speed_name(i) && (strlen(plan_speed_name(i)) != length ||
                                      strncmp(plan_speed_name(i), text, length) != 0))
            i++;
        if (!plan_speed_name(i) || text[length] != '=')
            return wari_fail(error, WARI_BAD_INPUT,
                             "--speed: \"%.*s\" is not the name of a speed; give NAME=NUMBER, "
                             "separated by commas, as in the last line of 'wari plan'",
                             (int)length, text);
        text += length + 1;
        const double number = strspn(text, "0123456789.") > 0 ? strtod(text, &end) : (double)NAN;
        if (!end || (*end != '\0' && *end != ',') || !isfinite(number) || number < 0 ||
            number > 1e12)
            return wari_fail(error, WARI_BAD_INPUT,
                             "--speed: \"%s\" does not begin with a number from 0 to 1e12", text);
        *plan_speed(speed, i) = number;
        text = *end == ',' ? end + 1 : end;
    }
    return WARI_OK;
}

static enum wari_status handle_option(void *context, int key, struct wari_error *error)
{
    struct request *request = context;
    switch (key) {
    case 'D':
        return options_size("--disk-bandwidth", optarg, &request->disk_bandwidth, error);
    case 'M':
        return options_size("--memory-bandwidth", optarg, &request->memory_bandwidth, error);
    case 'S':
        request->given = true;
        return read_speeds(optarg, &request->speed, error);
    case 'v':
        request->verify = true;
        return WARI_OK;
    case 'n':
        request->given = true;
        return WARI_OK;
    case 'j':
        request->json = true;
        return WARI_OK;
    default: /* an option that only `wari-mpi plan` has (struct plan_job) */
        return request->job ? request->job->handle_option(request->job, key, error) : WARI_OK;
    }
}

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const struct option alone[] = {PLAN_OPTIONS, {NULL, 0, NULL, 0}};
    struct plan_job *job = request->job;
    const struct command_line line = {argc,          argv,   job ? job->accepted : alone, NULL, 0,
                                      handle_option, request};

    request->build.threads = machine_processors();
    request->speed = wari_speed_noted();
    enum wari_status status = options_read_build(&line, &request->build, error);
    return status == WARI_OK && job ? job->check(job, &request->build, error) : status;
}

/* ---- Calibration ---- */

/* Creates an empty folder: inside the folder of the database, so that the speed of its disk is
 * measured, or else in TMPDIR. */
static enum wari_status create_trial_folder(const char *database, char path[WARI_PATH_MAX],
                                            struct wari_error *error)
{
    const char *temporary = getenv("TMPDIR");
    if (!temporary || !temporary[0])
        temporary = "/tmp";
    const char *parent = database && access(database, W_OK | X_OK) == 0 ? database : temporary;
    enum wari_status status = wari_path(path, error, parent, "wari-plan-XXXXXX");
    if (status == WARI_OK && !mkdtemp(path))
        status = wari_fail_errno(error, parent, "create a folder for measurements");
    return status;
}

static enum wari_status calibrate(const struct request *request, bool disk,
                                  struct wari_speed *speed, struct wari_error *error)
{
    const int processors = machine_processors();
    const int threads = request->build.threads < processors ? request->build.threads : processors;
    const char *limit;
    char folder[WARI_PATH_MAX];
    const struct wari_build trial = {
        .folder = folder,
        .variant = request->build.variant,
        .threads = threads,
        .seeds = machine_memory(threads, &limit) < TRIAL_MEMORY ? TRIAL_SEEDS_SMALL : TRIAL_SEEDS,
        .stop = interrupt_flag(),
    };
    enum wari_status status = wari_start_threads(threads, error);
    interrupt_catch(); /* before the folder is created, so that a signal does not leave it there */
    if (status == WARI_OK)
        status = create_trial_folder(request->build.folder, folder, error);
    if (status != WARI_OK)
        return status;
    status = wari_calibrate(&trial, trial_seconds, disk, speed, error);
    if (rmdir(folder) != 0 && status == WARI_OK)
        status = wari_fail_errno(error, folder, "remove the folder");
    return status;
}

/* Determines the speeds: measures them unless they are given. */
static enum wari_status determine_speeds(const struct request *request,
                                         struct wari_cost_request *cost_request,
                                         struct wari_error *error)
{
    enum wari_status status = wari_plan_check(&request->build, cost_request->plan, error);
    cost_request->speed = request->speed;
    if (status == WARI_OK && !request->given)
        status = calibrate(request,
                           cost_request->plan->scratch_bytes > 0 && request->disk_bandwidth == 0,
                           &cost_request->speed, error);
    if (request->disk_bandwidth > 0)
        cost_request->speed.disk = (double)request->disk_bandwidth * 1e-6;
    if (request->memory_bandwidth > 0)
        cost_request->speed.memory = (double)request->memory_bandwidth * 1e-6;
    return status;
}

/* ---- Plans ---- */

/* Prints the memory that a proof of levels 0..build->seeds needs. It follows from the level alone;
 * the time of a proof is in verify/'s notes. Fails with WARI_NO_MEMORY if --memory is less. */
static enum wari_status plan_verify(const struct wari_build *build, bool json,
                                    struct wari_error *error)
{
    const struct wari_verify_need need =
        wari_verify_need(build->variant, build->seeds, WARI_VERIFY_FULL, build->threads);
    char name[VARIANT_TEXT], least[TEXT_NUMBER], most[TEXT_NUMBER];

    if (build->memory && build->memory < need.least)
        return wari_fail(error, WARI_NO_MEMORY,
                         "a proof of levels 0 to %d needs at least %s of memory (--memory)",
                         build->seeds, text_bytes(need.least, least));
    if (json)
        return json_print(
            json_pack("{ss ss si sI sI}", "rules", wari_get_rules_info(build->variant.rules)->name,
                      "cycle", wari_cycle_name(build->variant.cycle), "seeds", build->seeds,
                      "memory_least", (json_int_t)need.least, "memory_most", (json_int_t)need.most),
            error);
    variant_text(build->variant, name);
    printf("%s, proof of levels 0 to %d: uses %s of memory; 'wari verify --memory' can reduce this "
           "to %s; packed files need 67 MB more\n",
           name, build->seeds, text_bytes(need.most, most), text_bytes(need.least, least));
    return WARI_OK;
}

static enum wari_status nothing_to_do(const struct request *request, int first,
                                      struct wari_error *error)
{
    const struct wari_build *build = &request->build;
    char name[VARIANT_TEXT];
    variant_text(build->variant, name);
    report_note("plan", "%s has all levels of %s up to %d seeds already", build->folder, name,
                build->seeds);
    if (!request->json)
        return WARI_OK;
    return json_print(json_pack("{ss ss si si s[]}", "rules",
                                wari_get_rules_info(build->variant.rules)->name, "cycle",
                                wari_cycle_name(build->variant.cycle), "first", first, "seeds",
                                build->seeds, "levels"),
                      error);
}

static enum wari_status plan(struct request *request, struct wari_error *error)
{
    struct wari_build_plan build_plan;
    struct wari_cost cost;
    const char *limit;
    struct wari_cost_request cost_request = {.build = &request->build, .plan = &build_plan};
    const struct plan_report report = {&cost_request, &cost, !request->given, request->job};
    enum wari_status status = WARI_OK;

    if (request->build.memory == 0)
        request->build.memory = machine_memory(request->build.threads, &limit);
    if (request->build.folder && !request->job)
        status = wari_plan_leave_out_existing(&request->build, error);
    if (status == WARI_OK)
        status = wari_build_plan(&request->build, &build_plan, error);
    if (status != WARI_OK)
        return status;
    if (build_plan.first > request->build.seeds)
        return nothing_to_do(request, build_plan.first, error);
    status = determine_speeds(request, &cost_request, error);
    if (status != WARI_OK)
        return status;
    if (request->job)
        request->job->add_network(request->job, &cost_request);
    wari_cost_of(&cost_request, &cost);
    if (request->json)
        return plan_report_json(&report, error);
    plan_report_text(&report);
    return WARI_OK;
}

int plan_run(int argc, char **argv, struct plan_job *job)
{
    struct request request = {.job = job};
    struct wari_error error = {0};
    enum wari_status status = read_options(argc, argv, &request, &error);
    if (status == WARI_OK && request.verify)
        status = plan_verify(&request.build, request.json, &error);
    else if (status == WARI_OK)
        status = plan(&request, &error);
    return report_result(argv[0], status, &error);
}

static int run(int argc, char **argv)
{
    return plan_run(argc, argv, NULL);
}

const struct command command_plan = {
    .name = "plan",
    .summary = "estimate the memory, disk space and time that a build needs",
    .run = run,
    .help =
        "usage: wari plan --seeds N [OPTION...]\n"
        "\n"
        "Estimates the cost of 'wari build' for all levels from 0 to N seeds, or for the levels\n"
        "that are missing in the folder DIR: positions, memory, disk space, scratch files for\n"
        "levels that do not fit into memory, passes over each level, bytes moved, and time. To\n"
        "measure this machine, the command solves small levels in a temporary folder for about\n"
        "ten seconds. Times for other machines are only as good as the speeds given for them.\n"
        "\n"
        "  --seeds N      last level: 0 to 46, or 48\n"
        "  --db DIR       folder of the database; default: plan for an empty folder\n"
        "  --rules R      rule set or preset (see 'wari rules'); default awari\n"
        "  --cycle C      value of endless play: even (default) or own\n"
        "  --threads T    default: that of 'wari build'. Speeds are measured with at most\n"
        "                 one thread for each processor that the program may use\n"
        "  --memory SIZE  bytes (or 500M, 2G) that the program may use; default: what this\n"
        "                 machine has available\n"
        "  --disk-bandwidth B     bytes per second (or 500M, 2G) between a machine and its disk;\n"
        "                 default: measured if a level does not fit into memory; otherwise the\n"
        "                 disk is not counted as a limit\n"
        "  --memory-bandwidth B   bytes per second between a machine's memory and its\n"
        "                 processors; default: measured\n"
        "  --speed LIST   use these speeds instead of measuring, in the format of the last line\n"
        "                 of a plan: nanoseconds of one thread, milliseconds per level, million\n"
        "                 bytes per second\n"
        "  --no-calibration  measure nothing; speeds that are not given are those of a virtual\n"
        "                 machine with two cores (Xeon, AVX-512)\n"
        "  --verify       print how much memory 'wari verify' needs instead\n"
        "  --json         print one JSON object\n"
        "\n"
        "example\n"
        "  wari plan --seeds 48 --threads 16 --memory 64G --disk-bandwidth 5G --no-calibration\n"
        "\n"
        "exit codes: 0 done; 2 bad usage; 3 the catalogue in DIR is damaged; 4 reading or writing\n"
        "failed; 5 not enough memory, even for the bit backend; 6 a file of another rule set or\n"
        "format version; 129, 130 or 143 stopped by a signal\n",
};
