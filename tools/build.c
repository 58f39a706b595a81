/* `wari build`: plans, refuses what cannot fit, solves what is missing.
 *
 * The solver does the work and publishes each level; this file says what it will take, shows how
 * far it is and how to go on after a stop. All of it goes to standard error, except the plan that
 * --dry-run was asked for.
 */
#include <stdio.h>
#include <stdlib.h>

#include "db/wari.h"
#include "system/clock.h"
#include "system/threads.h"
#include "tools/build.h"
#include "tools/common/command.h"
#include "tools/common/interrupt.h"
#include "tools/common/machine.h"
#include "tools/common/options.h"
#include "tools/common/report.h"
#include "tools/common/text.h"

enum { CHECKPOINT_MAX = 86400 }; /* seconds: a day */

struct request {
    struct wari_build build;
    const char *kernel; /* as given; NULL: not */
    int checkpoint;     /* seconds; 0: not given */
    bool dry_run;
    struct build_job *job; /* NULL: this process alone */
};

/* Whether this process speaks: for itself, or for all. */
static bool speaks(const struct build_job *job)
{
    return !job || job->speaks;
}

static enum wari_status agree(struct build_job *job, enum wari_status status,
                              struct wari_error *error)
{
    return job ? job->agree(job, status, error) : status;
}

/* ---- Command line ---- */

/* A kernel named by --kernel, else by the environment, else the solver's choice. */
static enum wari_status choose_kernel(const char *name, enum wari_kernel *kernel,
                                      struct wari_error *error)
{
    const char *source = "--kernel";
    struct wari_error reason = {0};
    *kernel = WARI_KERNEL_AUTO;
    if (!name) {
        name = getenv("WARI_KERNEL");
        source = "WARI_KERNEL in the environment";
    }
    if (!name || !name[0])
        return WARI_OK;
    enum wari_status status = wari_kernel_parse(name, kernel, &reason);
    if (status != WARI_OK)
        return wari_fail(error, status, "%s: %s", source, reason.text);
    return WARI_OK;
}

static int default_threads(const struct build_job *job)
{
    const int processors = machine_processors();
    return job && processors > job->on_this_host ? processors / job->on_this_host
           : job                                 ? 1
                                                 : processors;
}

static enum wari_status handle_option(void *context, int key, struct wari_error *error)
{
    struct request *request = context;
    struct build_job *job = request->job;
    switch (key) {
    case 'k':
        request->kernel = optarg;
        return WARI_OK;
    case 'S':
        request->build.scratch = optarg;
        return WARI_OK;
    case 'C':
        return options_int("--checkpoint", optarg, 1, CHECKPOINT_MAX, &request->checkpoint, error);
    case 'n':
        request->dry_run = true;
        return WARI_OK;
    default: /* which there is nowhere else */
        return job ? job->handle_option(job, key, error) : WARI_OK;
    }
}

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const struct option alone[] = {
        BUILD_OPTIONS, {"scratch", required_argument, NULL, 'S'}, {NULL, 0, NULL, 0}};
    const struct build_job *job = request->job;
    const struct command_line line = {argc,          argv,   job ? job->accepted : alone, NULL, 0,
                                      handle_option, request};
    struct wari_build *build = &request->build;

    build->threads = default_threads(job);
    build->sharing = job ? job->sharing : NULL;
    enum wari_status status = options_read_build(&line, build, error);
    if (status == WARI_OK)
        status = options_require_folder(build->folder, error);
    build->checkpoint = request->checkpoint;
    if (status == WARI_OK && build->scratch && !build->scratch[0])
        status = wari_fail(error, WARI_BAD_INPUT, "--scratch: the name of the folder is empty");
    if (status == WARI_OK)
        status = choose_kernel(request->kernel, &build->kernel, error);
    return status;
}

/* ---- Plan ---- */

/* What the process may use: what was asked for, but no more than there is. */
struct allowance {
    uint64_t bytes;
    const char *limit; /* what sets it */
};

static struct allowance allowance_of(const struct request *request)
{
    struct allowance allowance;
    allowance.bytes = machine_memory(request->build.threads, &allowance.limit);
    if (request->job)
        allowance.bytes /= (uint64_t)request->job->on_this_host;
    if (request->build.memory > 0 && request->build.memory <= allowance.bytes)
        allowance = (struct allowance){request->build.memory, "--memory"};
    return allowance;
}

/* The highest level that the build's memory is enough for; -1 if none is. */
static int seeds_that_fit(struct wari_build build)
{
    for (build.seeds--; build.seeds >= 0; build.seeds--) {
        struct wari_build_plan plan;
        if (build.seeds == WARI_SEEDS_MAX - 1)
            continue;
        if (wari_build_plan(&build, &plan, NULL) != WARI_OK)
            return -1;
        if (plan.first > build.seeds)
            return -1;
        if (plan.memory_least <= build.memory)
            return build.seeds;
    }
    return -1;
}

static enum wari_status refuse_memory(const struct wari_build *build,
                                      const struct wari_build_plan *plan, const char *limit,
                                      struct wari_error *error)
{
    char needed[TEXT_NUMBER], there[TEXT_NUMBER], advice[80] = "";
    int fits = seeds_that_fit(*build);
    if (fits >= 0)
        snprintf(advice, sizeof advice, "; --seeds %d would fit", fits);
    return wari_fail(error, WARI_NO_MEMORY,
                     "levels up to %d seeds need at least %s of memory, but only %s can be had "
                     "(%s)%s",
                     build->seeds, text_bytes(plan->memory_least, needed),
                     text_bytes(build->memory, there), limit, advice);
}

static const char *scratch_of(const struct wari_build *build)
{
    return build->scratch ? build->scratch : build->folder;
}

static void print_plan(FILE *out, const struct wari_build *build,
                       const struct wari_build_plan *plan, uint64_t disk)
{
    char name[VARIANT_TEXT], positions[TEXT_NUMBER];
    char memory[3][TEXT_NUMBER], need[TEXT_NUMBER], have[TEXT_NUMBER];
    variant_text(build->variant, name);
    fprintf(out,
            "%s, levels %d to %d: %s positions; memory at most %s, %s of it for levels below "
            "(allowed %s); disk %s (free %s); ",
            name, plan->first, build->seeds, text_number(plan->positions, positions),
            text_bytes(plan->memory_bytes, memory[0]), text_bytes(plan->cache_bytes, memory[1]),
            text_bytes(build->memory, memory[2]), text_bytes(plan->disk_bytes, need),
            text_bytes(disk, have));
    if (plan->first_bit_level <= build->seeds)
        fprintf(out, "from level %d on by bits, scratch %s in %s; ", plan->first_bit_level,
                text_bytes(plan->scratch_bytes, need), scratch_of(build));
    fprintf(out, "kernel %s, %d thread%s\n", wari_kernel_name(build->kernel), build->threads,
            build->threads == 1 ? "" : "s");
}

static enum wari_status refuse_disk(const struct wari_build *build,
                                    const struct wari_build_plan *plan, uint64_t need,
                                    uint64_t disk, struct wari_error *error)
{
    char needed[TEXT_NUMBER], there[TEXT_NUMBER], taken[TEXT_NUMBER];
    char checkpoint[64 + TEXT_NUMBER] = "";

    if (plan->checkpoint_bytes > 0)
        snprintf(checkpoint, sizeof checkpoint, " (a checkpoint has another %s)",
                 text_bytes(plan->checkpoint_bytes, taken));
    return wari_fail(error, WARI_IO,
                     "%s: levels up to %d seeds need %s of disk, but only %s are free%s; make "
                     "room or choose another folder",
                     build->folder, build->seeds, text_bytes(need, needed), text_bytes(disk, there),
                     checkpoint);
}

/* Room for what is written: files of levels, and for a while scratch files, which may lie on
 * another disk. What is left beside that is for checkpoints. */
static enum wari_status check_disk(const struct wari_build *build, struct wari_build_plan *plan,
                                   uint64_t disk, struct wari_error *error)
{
    char needed[TEXT_NUMBER], there[TEXT_NUMBER];
    uint64_t need = plan->disk_bytes;

    disk += plan->leftover_bytes;
    if (!build->scratch)
        need += plan->scratch_bytes;
    if (need > disk)
        return refuse_disk(build, plan, need, disk, error);
    plan->checkpoint_limit = disk + plan->checkpoint_bytes - need;
    if (plan->checkpoint_limit == 0)
        plan->checkpoint_limit = 1; /* 0: no limit */
    if (!build->scratch || plan->first_bit_level > build->seeds)
        return WARI_OK;
    const enum wari_status status = machine_disk(build->scratch, &disk, error);
    if (status == WARI_OK && plan->scratch_bytes > disk)
        return wari_fail(error, WARI_IO,
                         "%s: scratch files need %s of disk, but only %s are free; make room or "
                         "choose another folder (--scratch)",
                         build->scratch, text_bytes(plan->scratch_bytes, needed),
                         text_bytes(disk, there));
    return status;
}

/* Prints the plan and compares it with what the machine has. */
static enum wari_status check_plan(const struct request *request, struct wari_build_plan *plan,
                                   const char *limit, struct wari_error *error)
{
    const struct wari_build *build = &request->build;
    uint64_t disk = 0;
    enum wari_status status = machine_disk(build->folder, &disk, error);
    if (status != WARI_OK)
        return status;
    if (speaks(request->job))
        print_plan(request->dry_run ? stdout : stderr, build, plan, disk);
    if (speaks(request->job) && request->job)
        request->job->say_plan(request->job, request->dry_run ? stdout : stderr);
    if (plan->memory_least > build->memory)
        return refuse_memory(build, plan, limit, error);
    return check_disk(build, plan, disk, error);
}

/* ---- Progress ---- */

struct watch {
    struct progress_line line;
    const struct wari_build *build;
    int finished;            /* the last level on disk; -1: none */
    int levels;              /* finished in this run */
    double level_began;      /* seconds of this run */
    int level;               /* being worked on */
    struct wari_progress at; /* the latest report */
    struct build_job *job;
};

static void level_done(struct watch *watch, const struct wari_progress *at)
{
    char positions[TEXT_NUMBER], seconds[TEXT_NUMBER], bytes[TEXT_NUMBER], moved[2][TEXT_NUMBER];
    uint64_t count = at->statistics->positions;
    watch->finished = at->seeds;
    watch->levels++;
    progress_clear(&watch->line);
    fprintf(stderr, "level %2d: %s position%s, %d sweep%s, %s, %.1f million/s, file %s", at->seeds,
            text_number(count, positions), count == 1 ? "" : "s", at->statistics->sweeps,
            at->statistics->sweeps == 1 ? "" : "s", text_seconds(at->level_seconds, seconds),
            at->level_seconds > 0 ? (double)count / at->level_seconds * 1e-6 : 0.0,
            text_bytes(at->level_bytes, bytes));
    if (at->statistics->bytes_read + at->statistics->bytes_written > 0)
        fprintf(stderr, ", by bits: %s read, %s written",
                text_bytes(at->statistics->bytes_read, moved[0]),
                text_bytes(at->statistics->bytes_written, moved[1]));
    if (at->statistics->resumed)
        fputs(", from a checkpoint", stderr);
    if (at->statistics->checkpoints_failed > 0)
        fprintf(stderr, ", %d checkpoint%s could not be written",
                at->statistics->checkpoints_failed,
                at->statistics->checkpoints_failed == 1 ? "" : "s");
    fputc('\n', stderr);
    if (watch->job)
        watch->job->level_done(watch->job, at);
}

/* What is left, taking the speed of the levels done so far; "" before there is one. */
static void time_left(const struct watch *watch, char text[2 * TEXT_NUMBER])
{
    const struct wari_progress *at = &watch->at;
    char left[TEXT_NUMBER];
    text[0] = '\0';
    if (at->positions_done == 0 || watch->level_began <= 0)
        return;
    double rate = (double)at->positions_done / watch->level_began;
    double rest = (double)(at->positions_all - at->positions_done) / rate -
                  (at->seconds - watch->level_began);
    if (rest < 0)
        rest = 0;
    snprintf(text, 2 * TEXT_NUMBER, ", %.1f million/s, about %s left", rate * 1e-6,
             text_seconds(rest, left));
}

static void show_progress(void *context, const struct wari_progress *at)
{
    static const char *const doing[] = {
        [WARI_PHASE_CAPTURES] = "captures",   [WARI_PHASE_SWEEP] = "sweep",
        [WARI_PHASE_SHRINK] = "shrink sweep", [WARI_PHASE_COUNT] = "counting",
        [WARI_PHASE_WRITE] = "writing",       [WARI_PHASE_LEVEL_DONE] = "published",
    };
    struct watch *watch = context;
    char left[2 * TEXT_NUMBER];

    watch->at = *at;
    watch->at.statistics = NULL; /* belongs to the solver */
    if (at->seeds != watch->level) {
        watch->level = at->seeds;
        watch->level_began = at->seconds;
    }
    if (at->phase == WARI_PHASE_LEVEL_DONE) {
        level_done(watch, at);
        return;
    }
    if (at->phase == WARI_PHASE_REFUSED) {
        progress_clear(&watch->line);
        fprintf(stderr,
                "level %2d: its checkpoint does not fit; it is called %s-%s-%d.checkpoint.bad now, "
                "and the level begins anew\n",
                at->seeds, wari_rules_info(watch->build->variant.rules)->name,
                wari_cycle_name(watch->build->variant.cycle), at->seeds);
        return;
    }
    if (!progress_due(&watch->line))
        return;
    time_left(watch, left);
    if (at->phase == WARI_PHASE_SWEEP || at->phase == WARI_PHASE_SHRINK)
        progress_show(&watch->line, "level %d: %s %d, %.3f %% changing%s", at->seeds,
                      doing[at->phase], at->sweep, 100 * at->changed, left);
    else
        progress_show(&watch->line, "level %d: %s%s", at->seeds, doing[at->phase], left);
}

/* ---- The run ---- */

static void print_summary(const struct watch *watch, double seconds)
{
    char positions[TEXT_NUMBER], time[TEXT_NUMBER];
    fprintf(stderr, "%d level%s, %s positions in %s: %.1f million positions/s\n", watch->levels,
            watch->levels == 1 ? "" : "s", text_number(watch->at.positions_done, positions),
            text_seconds(seconds, time),
            seconds > 0 ? (double)watch->at.positions_done / seconds * 1e-6 : 0.0);
}

static enum wari_status say_how_to_go_on(int finished, struct wari_error *error)
{
    if (finished < 0)
        return wari_fail(error, WARI_INTERRUPTED,
                         "stopped before a level was finished; the same command starts again");
    return wari_fail(error, WARI_INTERRUPTED,
                     "stopped; the levels up to %d seeds are finished and valid, and the same "
                     "command goes on from there",
                     finished);
}

/* The catalogue says that all levels are there. It takes more for a level to count as solved: the
 * files must be there, too, and be the ones that the catalogue means. */
static enum wari_status check_files(const struct wari_build *build, struct wari_error *error)
{
    struct wari_db *db;
    enum wari_status status = wari_open(&db, build->folder, &build->variant, NULL, error);
    if (status == WARI_OK)
        wari_close(db);
    return status;
}

static enum wari_status nothing_to_do(const struct wari_build *build, struct wari_error *error)
{
    char name[VARIANT_TEXT];
    enum wari_status status = check_files(build, error);
    if (status != WARI_OK)
        return status;
    variant_text(build->variant, name);
    report_note("build", "%s has all levels of %s up to %d seeds already", build->folder, name,
                build->seeds);
    return WARI_OK;
}

static enum wari_status solve(struct request *request, struct wari_error *error)
{
    const struct allowance allowance = allowance_of(request);
    struct build_job *job = request->job;
    struct wari_build_plan plan;
    struct watch watch = {.build = &request->build, .level = -1, .job = job};
    request->build.memory = allowance.bytes;
    enum wari_status status = agree(job, wari_build_plan(&request->build, &plan, error), error);
    if (status != WARI_OK)
        return status;
    const bool nothing = plan.first > request->build.seeds;
    if (nothing && !job)
        return nothing_to_do(&request->build, error);
    if (!nothing)
        status = check_plan(request, &plan, allowance.limit, error);
    if (status == WARI_OK && !request->dry_run)
        status = wari_start_threads(request->build.threads, error);
    status = agree(job, status, error);
    if (status != WARI_OK || request->dry_run)
        return status;

    interrupt_catch();
    progress_begin(&watch.line);
    watch.finished = plan.first - 1;
    if (speaks(job))
        request->build.progress = show_progress;
    request->build.context = &watch;
    request->build.plan = &plan;
    request->build.stop = interrupt_flag();
    double began = wari_seconds_now();
    status = job ? job->build(job, &request->build, error) : wari_build(&request->build, error);
    progress_clear(&watch.line);
    if (status == WARI_OK) /* somebody may have removed early ones */
        status = agree(job, check_files(&request->build, error), error);
    if (status == WARI_OK && nothing)
        return speaks(job) ? nothing_to_do(&request->build, error) : WARI_OK;
    if (status == WARI_OK && speaks(job))
        print_summary(&watch, wari_seconds_now() - began);
    return status == WARI_INTERRUPTED ? say_how_to_go_on(watch.finished, error) : status;
}

int build_run(int argc, char **argv, struct build_job *job)
{
    struct request request = {.job = job};
    struct wari_error error = {0};
    enum wari_status status = agree(job, read_options(argc, argv, &request, &error), &error);
    if (status == WARI_OK)
        status = solve(&request, &error);
    if (!speaks(job))
        return report_exit_code(status);
    int code = report_result(argv[0], status, &error);
    if (status == WARI_CORRUPT)
        report_note(argv[0], "to have every level solved anew, remove %s/%s-%s.catalogue first",
                    request.build.folder, wari_rules_info(request.build.variant.rules)->name,
                    wari_cycle_name(request.build.variant.cycle));
    return code;
}

static int run(int argc, char **argv)
{
    return build_run(argc, argv, NULL);
}

const struct command command_build = {
    .name = "build",
    .summary = "solve the levels that a database lacks",
    .run = run,
    .help =
        "usage: wari build --db DIR --seeds N [OPTION...]\n"
        "\n"
        "Solves every level from 0 to N seeds that the folder DIR lacks (a level is all\n"
        "positions with so many seeds), one after the other, and writes a file for each.\n"
        "The files are the same to the last byte whatever the number of threads, the\n"
        "kernel, or stops in between.\n"
        "\n"
        "  --db DIR       folder of the database, made if missing\n"
        "  --seeds N      last level: 0 to 46, or 48\n"
        "  --rules R      rule set or preset ('wari rules' explains them); default awari\n"
        "  --cycle C      what endless play is worth: even (default) or own\n"
        "  --threads T    default: one for each processor\n"
        "  --kernel K     auto (default), portable, avx2, avx512bw, avx512, neon; the inner\n"
        "                 loops, made for one kind of processor each; the variable\n"
        "                 WARI_KERNEL in the environment does the same\n"
        "  --memory SIZE  bytes (or 500M, 2G) that the program may use; a level that does\n"
        "                 not fit is solved by bits, with a scratch file; levels below the one\n"
        "                 being solved are kept in what is left, and read from their files\n"
        "                 where that is too little; default: what the machine has available\n"
        "  --scratch DIR  folder of the scratch file, best on a fast disk; default: the\n"
        "                 folder of the database; the system may keep part of this file in\n"
        "                 free memory, beside SIZE\n"
        "  --checkpoint SECONDS\n"
        "                 a level that takes longer is saved every so often, a byte a\n"
        "                 position, where the disk has room for that beside all files to\n"
        "                 come, and a build that was killed goes on from there; default 240\n"
        "  --dry-run      print the plan (positions, memory, disk) and stop\n"
        "\n"
        "The plan comes first; what does not fit into memory or onto the disk is refused.\n"
        "Ctrl-C, SIGTERM or SIGHUP stops the work within about a second: finished levels stay,\n"
        "and the same command goes on from there. Another one, half a second later, kills at\n"
        "once.\n"
        "\n"
        "example\n"
        "  wari build --db tables --seeds 12 --rules tournament\n"
        "\n"
        "exit codes: 0 done; 2 bad usage; 3 a level already there is damaged; 4 reading or\n"
        "writing failed, the disk is full, or another build is at work in DIR; 5 not enough\n"
        "memory; 6 a file of another rule set or format version, or a kernel that this\n"
        "processor cannot run; 129, 130 or 143 stopped\n",
};
