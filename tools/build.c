/* `wari build`: makes a plan, refuses a build that cannot fit, and solves the missing levels.
 *
 * The solver does the work and publishes each level. This file prints the plan and the progress,
 * and explains how to continue after a stop. All of that goes to standard error, except the plan of
 * --dry-run, which goes to standard output.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/catalogue/catalogue_file.h"
#include "db/maintain/set_aside.h"
#include "db/wari.h"
#include "index/half.h"
#include "solver/plan/cost.h"
#include "system/clock.h"
#include "system/threads.h"
#include "tools/build.h"
#include "tools/common/command.h"
#include "tools/common/interrupt.h"
#include "tools/common/machine.h"
#include "tools/common/nearest.h"
#include "tools/common/options.h"
#include "tools/common/progress.h"
#include "tools/common/report.h"
#include "tools/common/text.h"
#include "tools/common/time_left.h"

enum { CHECKPOINT_MAX = 86400 }; /* maximum of --checkpoint in seconds: one day */

struct request {
    struct wari_build build;
    const char *kernel; /* value of --kernel; NULL means not given */
    int checkpoint;     /* value of --checkpoint in seconds; 0 means not given */
    bool dry_run;
    bool replace_damaged;
    struct build_job *job; /* NULL means a single process */
};

/* Returns true if this process prints: it is alone, or it prints for all processes of the job. */
static bool prints(const struct build_job *job)
{
    return !job || job->prints;
}

static enum wari_status agree(struct build_job *job, enum wari_status status,
                              struct wari_error *error)
{
    return job ? job->agree(job, status, error) : status;
}

/* ---- Command line ---- */

static const char *suggest_kernel(const char *name, char hint[NEAREST_HINT])
{
    const char *listed;
    bool available;
    struct nearest_name nearest;
    nearest_begin(&nearest, name, strlen(name));
    for (int i = 0; (listed = wari_kernel_listed(i, &available)) != NULL; i++)
        nearest_add(&nearest, listed);
    return nearest_hint(&nearest, hint);
}

/* Determines the kernel: the one named by --kernel, else by WARI_KERNEL, else the solver's choice.
 */
static enum wari_status choose_kernel(const char *name, enum wari_kernel *kernel,
                                      struct wari_error *error)
{
    const char *source = "--kernel";
    char hint[NEAREST_HINT];
    struct wari_error reason = {0};
    *kernel = WARI_KERNEL_AUTO;
    if (!name) {
        name = getenv("WARI_KERNEL");
        source = "WARI_KERNEL in the environment";
    }
    if (!name || !name[0])
        return WARI_OK;
    enum wari_status status = wari_kernel_parse(name, kernel, &reason);
    if (status == WARI_BAD_INPUT)
        return wari_fail(error, status, "%s: %s%s", source, reason.text,
                         suggest_kernel(name, hint));
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
    case 'L':
        request->build.no_lock = true;
        return WARI_OK;
    case 'D':
        request->replace_damaged = true;
        return WARI_OK;
    default: /* only a job has other options */
        return job ? job->handle_option(job, key, error) : WARI_OK;
    }
}

static enum wari_status read_options(int argc, char **argv, struct request *request,
                                     struct wari_error *error)
{
    static const struct option alone[] = {BUILD_OPTIONS,
                                          {"scratch", required_argument, NULL, 'S'},
                                          {"replace-damaged", no_argument, NULL, 'D'},
                                          {NULL, 0, NULL, 0}};
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
    if (status == WARI_OK && request->replace_damaged && request->dry_run)
        status = wari_fail(error, WARI_BAD_INPUT,
                           "--dry-run changes no files; use it without --replace-damaged");
    if (status == WARI_OK)
        status = choose_kernel(request->kernel, &build->kernel, error);
    return status;
}

/* ---- Plan ---- */

/* The memory that the process may use: --memory, but no more than is available. */
struct memory_limit {
    uint64_t bytes;
    const char *source; /* name of what sets the limit, for messages */
};

static struct memory_limit determine_memory_limit(const struct request *request)
{
    struct memory_limit limit;
    limit.bytes = machine_memory(request->build.threads, &limit.source);
    if (request->job)
        limit.bytes /= (uint64_t)request->job->on_this_host;
    if (request->build.memory > 0 && request->build.memory <= limit.bytes)
        limit = (struct memory_limit){request->build.memory, "--memory"};
    return limit;
}

/* Returns the highest level for which the build's memory is sufficient; -1 if there is none. */
static int highest_level_that_fits(struct wari_build build)
{
    for (build.seeds--; build.seeds >= 0; build.seeds--) {
        struct wari_build_plan plan;
        if (!wari_level_exists(build.seeds))
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
    char needed[TEXT_NUMBER], available[TEXT_NUMBER], advice[80] = "";
    int fits = highest_level_that_fits(*build);
    if (fits >= 0)
        snprintf(advice, sizeof advice, "; --seeds %d would fit", fits);
    return wari_fail(
        error, WARI_NO_MEMORY,
        "levels up to %d seeds need at least %s of memory, but only %s is available (%s)%s",
        build->seeds, text_bytes(plan->memory_least, needed), text_bytes(build->memory, available),
        limit, advice);
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
            "%s, levels %d to %d: %s positions; memory at most %s, including %s for lower levels "
            "(limit %s); disk %s (free %s); ",
            name, plan->first, build->seeds, text_number(plan->positions, positions),
            text_bytes(plan->memory_bytes, memory[0]), text_bytes(plan->cache_bytes, memory[1]),
            text_bytes(build->memory, memory[2]), text_bytes(plan->disk_bytes, need),
            text_bytes(disk, have));
    if (plan->first_bit_level <= build->seeds)
        fprintf(out, "bit backend from level %d on, scratch %s in %s; ", plan->first_bit_level,
                text_bytes(plan->scratch_bytes, need), scratch_of(build));
    fprintf(out, "kernel %s, %d thread%s\n", wari_kernel_name(build->kernel), build->threads,
            build->threads == 1 ? "" : "s");
}

static enum wari_status refuse_disk(const struct wari_build *build,
                                    const struct wari_build_plan *plan, uint64_t need,
                                    uint64_t disk, struct wari_error *error)
{
    char needed[TEXT_NUMBER], available[TEXT_NUMBER], used[TEXT_NUMBER];
    char checkpoint[64 + TEXT_NUMBER] = "";

    if (plan->checkpoint_bytes > 0)
        snprintf(checkpoint, sizeof checkpoint, " (a checkpoint takes another %s)",
                 text_bytes(plan->checkpoint_bytes, used));
    return wari_fail(error, WARI_IO,
                     "%s: levels up to %d seeds need %s of disk space, but only %s is free%s; free "
                     "some space or choose another folder",
                     build->folder, build->seeds, text_bytes(need, needed),
                     text_bytes(disk, available), checkpoint);
}

/* Checks that the disk has space for the files of all levels, and for the scratch files, which are
 * temporary and may be on another disk. Sets the space that remains for checkpoints. */
static enum wari_status check_disk(const struct wari_build *build, struct wari_build_plan *plan,
                                   uint64_t disk, struct wari_error *error)
{
    char needed[TEXT_NUMBER], available[TEXT_NUMBER];
    uint64_t need = plan->disk_bytes;

    disk += plan->leftover_bytes;
    if (!build->scratch)
        need += plan->scratch_bytes;
    if (need > disk)
        return refuse_disk(build, plan, need, disk, error);
    plan->checkpoint_limit = disk + plan->checkpoint_bytes - need;
    if (plan->checkpoint_limit == 0)
        plan->checkpoint_limit = 1; /* 1 byte instead of 0, since 0 would mean no limit */
    if (!build->scratch || plan->first_bit_level > build->seeds)
        return WARI_OK;
    const enum wari_status status = machine_disk(build->scratch, &disk, error);
    if (status == WARI_OK && plan->scratch_bytes > disk)
        return wari_fail(error, WARI_IO,
                         "%s: scratch files need %s of disk space, but only %s is free; free some "
                         "space or choose another folder (--scratch)",
                         build->scratch, text_bytes(plan->scratch_bytes, needed),
                         text_bytes(disk, available));
    return status;
}

/* Prints the plan, and checks that the memory and the disk space are sufficient. */
static enum wari_status check_plan(const struct request *request, struct wari_build_plan *plan,
                                   const char *limit, struct wari_error *error)
{
    const struct wari_build *build = &request->build;
    uint64_t disk = 0;
    enum wari_status status = machine_disk(build->folder, &disk, error);
    if (status != WARI_OK)
        return status;
    if (prints(request->job))
        print_plan(request->dry_run ? stdout : stderr, build, plan, disk);
    if (prints(request->job) && request->job)
        request->job->print_plan(request->job, request->dry_run ? stdout : stderr);
    if (plan->memory_least > build->memory)
        return refuse_memory(build, plan, limit, error);
    return check_disk(build, plan, disk, error);
}

/* ---- Progress ---- */

/* Seconds for which the planned speed, that of the machine of solver/NOTES.md, is trusted. */
static const double trusted_seconds = 0.5;

struct progress_state {
    pthread_mutex_t lock; /* protects the fields below: the solver and the timer show progress */
    struct progress_line line;
    struct progress_timer timer;
    struct wari_cost cost; /* planned work of each level */
    struct time_left left;
    bool reported; /* `at` is a report about a level that is not published yet */
    bool swept;    /* a sweep of the current level was reported */
    const struct wari_build *build;
    int finished;            /* the highest level on disk; -1 means none */
    int levels;              /* number of levels that this command has finished */
    double level_began;      /* when the current level began, in seconds since the build began */
    int level;               /* the current level */
    struct wari_progress at; /* the latest report */
    struct build_job *job;
};

static void level_done(struct progress_state *state, const struct wari_progress *at)
{
    char positions[TEXT_NUMBER], seconds[TEXT_NUMBER], bytes[TEXT_NUMBER], moved[2][TEXT_NUMBER];
    uint64_t count = at->statistics->positions;
    state->finished = at->seeds;
    state->levels++;
    progress_clear(&state->line);
    fprintf(stderr, "level %2d: %s position%s, %d sweep%s, %s, %.1f million positions/s, file %s",
            at->seeds, text_number(count, positions), count == 1 ? "" : "s", at->statistics->sweeps,
            at->statistics->sweeps == 1 ? "" : "s", text_seconds(at->level_seconds, seconds),
            at->level_seconds > 0 ? (double)count / at->level_seconds * 1e-6 : 0.0,
            text_bytes(at->level_bytes, bytes));
    if (at->statistics->bytes_read + at->statistics->bytes_written > 0)
        fprintf(stderr, ", bit backend: %s read, %s written",
                text_bytes(at->statistics->bytes_read, moved[0]),
                text_bytes(at->statistics->bytes_written, moved[1]));
    if (at->statistics->resumed)
        fputs(", from a checkpoint", stderr);
    if (at->statistics->checkpoints_failed > 0)
        fprintf(stderr, ", %d checkpoint%s could not be written",
                at->statistics->checkpoints_failed,
                at->statistics->checkpoints_failed == 1 ? "" : "s");
    fputc('\n', stderr);
    if (state->job)
        state->job->level_done(state->job, at);
}

/* Plans the time of each level. */
static void plan_time(struct progress_state *state, const struct wari_build_plan *plan)
{
    const struct wari_cost_request request = {
        .build = state->build, .plan = plan, .speed = wari_speed_noted()};
    wari_cost_of(&request, &state->cost);
    time_left_begin(&state->left, trusted_seconds);
    for (int seeds = plan->first; seeds <= state->build->seeds; seeds++)
        state->left.planned[seeds] = state->cost.level[seeds].total_seconds;
}

/* Returns the smaller of 1 and done / all. */
static double fraction(int done, int all)
{
    return done < all ? (double)done / all : 1;
}

/* Returns the share of the planned work of a level that is done in this phase, after `sweep`
 * sweeps. */
static double share_done(const struct wari_cost_level *level, enum wari_phase phase, int sweep)
{
    const double *seconds = level->seconds;
    const int late = sweep - level->dense_sweeps;
    double done = 0;
    if (phase == WARI_PHASE_CAPTURES || level->total_seconds <= 0)
        return 0;
    done += seconds[WARI_PASS_CAPTURES];
    if (phase == WARI_PHASE_SWEEP || phase == WARI_PHASE_SHRINK)
        done += fraction(sweep, level->dense_sweeps) * seconds[WARI_PASS_DENSE] +
                (late > 0 ? fraction(late, level->sweeps - level->dense_sweeps) : 0) *
                    seconds[WARI_PASS_EVENTS];
    else
        done += seconds[WARI_PASS_DENSE] + seconds[WARI_PASS_EVENTS];
    if (phase == WARI_PHASE_WRITE)
        done += seconds[WARI_PASS_COUNT];
    return done / level->total_seconds;
}

/* Estimates the time that is left for the whole build. If the first report about the sweeps of a
 * level is not about sweep 1, the build continues the level from a checkpoint, and an earlier
 * command did the sweeps before. */
static double seconds_left(struct progress_state *state)
{
    const struct wari_progress *at = &state->at;
    const struct wari_cost_level *level = &state->cost.level[at->seeds];
    const double now = state->line.clock();
    const bool sweeps = at->phase == WARI_PHASE_SWEEP || at->phase == WARI_PHASE_SHRINK;
    (void)time_left_at(&state->left, at->seeds, 0, now);
    if (sweeps && !state->swept && at->sweep > 1)
        time_left_skip(&state->left, share_done(level, at->phase, at->sweep - 1), now);
    state->swept |= sweeps;
    return time_left_at(&state->left, at->seeds, share_done(level, at->phase, at->sweep), now);
}

/* Shows the latest report if it is time to do so. The caller holds the lock. */
static void show_report(struct progress_state *state)
{
    static const char *const phases[] = {
        [WARI_PHASE_CAPTURES] = "captures",   [WARI_PHASE_SWEEP] = "sweep",
        [WARI_PHASE_SHRINK] = "shrink sweep", [WARI_PHASE_COUNT] = "counting",
        [WARI_PHASE_WRITE] = "writing",
    };
    const struct wari_progress *at = &state->at;
    char left[TIME_LEFT_TEXT], speed[48] = "";
    if (!state->reported || !progress_due(&state->line))
        return;
    time_left_text(seconds_left(state), left);
    if (at->positions_done > 0 && state->level_began > 0)
        snprintf(speed, sizeof speed, ", %.1f million positions/s",
                 (double)at->positions_done / state->level_began * 1e-6);
    if (at->phase == WARI_PHASE_SWEEP || at->phase == WARI_PHASE_SHRINK)
        progress_show(&state->line, left, "level %d: %s %d, %.3f %% changing%s", at->seeds,
                      phases[at->phase], at->sweep, 100 * at->changed, speed);
    else
        progress_show(&state->line, left, "level %d: %s%s", at->seeds, phases[at->phase], speed);
}

/* Called by the timer. A long sweep reports no progress until it ends; the timer then shows that
 * the program still works, and how much time is left. */
static void update_progress(void *context)
{
    struct progress_state *state = context;
    pthread_mutex_lock(&state->lock);
    show_report(state);
    pthread_mutex_unlock(&state->lock);
}

/* Reports a checkpoint that cannot be used. One that was written with another amount of memory can
 * be used by a build that has this amount, so the message says how to continue from it. */
static void checkpoint_refused(struct progress_state *state, const struct wari_progress *at)
{
    const bool unsuitable = at->phase == WARI_PHASE_UNSUITABLE;
    progress_clear(&state->line);
    fprintf(stderr,
            "level %2d: its checkpoint cannot be used (%s); it was renamed to "
            "%s-%s-%d.checkpoint.bad, and the level starts from the beginning%s\n",
            at->seeds,
            unsuitable ? "it was written by a build that had more or less memory"
                       : "it is damaged, belongs to another level, or was written by another "
                         "version",
            wari_get_rules_info(state->build->variant.rules)->name,
            wari_cycle_name(state->build->variant.cycle), at->seeds,
            unsuitable ? "; to continue from it instead, stop, remove .bad from its name, and give "
                         "the former amount of memory (--memory)"
                       : "");
}

static void take_report(struct progress_state *state, const struct wari_progress *at)
{
    if (at->phase == WARI_PHASE_LEVEL_DONE) {
        state->at.positions_done = at->positions_done;
        state->reported &= at->seeds != state->at.seeds;
        level_done(state, at);
        return;
    }
    if (at->phase == WARI_PHASE_REFUSED || at->phase == WARI_PHASE_UNSUITABLE) {
        checkpoint_refused(state, at);
        return;
    }
    state->at = *at;
    state->reported = true;
    if (at->seeds != state->level) {
        state->level = at->seeds;
        state->level_began = at->seconds;
        state->swept = false;
    }
    (void)seconds_left(state); /* updates the estimate: it needs the time at which a phase begins */
    show_report(state);
}

static void show_progress(void *context, const struct wari_progress *at)
{
    struct progress_state *state = context;
    pthread_mutex_lock(&state->lock);
    take_report(state, at);
    pthread_mutex_unlock(&state->lock);
}

/* ---- Build ---- */

static void print_summary(const struct progress_state *state, double seconds)
{
    char positions[TEXT_NUMBER], time[TEXT_NUMBER];
    fprintf(stderr, "%d level%s, %s positions in %s: %.1f million positions/s\n", state->levels,
            state->levels == 1 ? "" : "s", text_number(state->at.positions_done, positions),
            text_seconds(seconds, time),
            seconds > 0 ? (double)state->at.positions_done / seconds * 1e-6 : 0.0);
}

/* Fills in the message of an interrupted build, which explains how to continue. */
static enum wari_status fail_interrupted(int finished, struct wari_error *error)
{
    if (finished < 0)
        return wari_fail(error, WARI_INTERRUPTED,
                         "stopped before the first level was finished; the same command starts "
                         "from the beginning");
    return wari_fail(error, WARI_INTERRUPTED,
                     "stopped; the levels up to %d seeds are finished and valid, and the same "
                     "command continues from there",
                     finished);
}

/* Checks that the files of all levels exist and match the catalogue. A level in the catalogue does
 * not count as solved if its file is missing. */
static enum wari_status check_files(const struct wari_build *build, struct wari_error *error)
{
    bool missing[WARI_SEEDS_MAX + 1];
    char text[WARI_MISSING_TEXT];
    struct wari_info info;
    struct wari_db *db;
    enum wari_status status = wari_open(&db, build->folder, &build->variant, NULL, error);
    if (status != WARI_OK)
        return status;
    wari_get_info(db, &info);
    if (info.seeds_max < build->seeds && wari_missing(db, missing) > 0)
        status = wari_fail(error, WARI_IO, "%s: %s; run the same build again", build->folder,
                           wari_missing_text(missing, text));
    wari_close(db);
    return status;
}

/* ---- Damaged levels ---- */

static void print_damage(void *context, const struct wari_damage *damage)
{
    struct progress_line *line = context;
    progress_clear(line);
    report_note("build", "%s", damage->text);
}

static void show_check(void *context, uint64_t done, uint64_t all)
{
    struct progress_line *line = context;
    if (progress_due(line))
        progress_show(line, "", "checking files: %.0f %%", text_percent(done, all));
}

/* Renames damaged level files, so that the build solves their levels again. */
static enum wari_status set_aside_damaged(const struct wari_build *build, struct wari_error *error)
{
    struct progress_line line = {0};
    const struct wari_check check = {.folder = build->folder,
                                     .variant = build->variant,
                                     .threads = build->threads,
                                     .found = print_damage,
                                     .progress = show_check,
                                     .context = &line,
                                     .stop = interrupt_flag()};
    int count;
    interrupt_catch();
    progress_begin(&line);
    const enum wari_status status =
        wari_set_aside_damaged(&check, build->seeds, build->no_lock, &count, error);
    progress_clear(&line);
    if (count > 0)
        report_note("build",
                    "%d damaged file%s: .bad was added to %s, and the level%s solved again", count,
                    count == 1 ? "" : "s", count == 1 ? "its name" : "their names",
                    count == 1 ? " is" : "s are");
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
    const struct memory_limit limit = determine_memory_limit(request);
    struct build_job *job = request->job;
    struct wari_build_plan plan;
    struct progress_state state = {
        .lock = PTHREAD_MUTEX_INITIALIZER, .build = &request->build, .level = -1, .job = job};
    request->build.memory = limit.bytes;
    enum wari_status status = WARI_OK;
    if (request->replace_damaged)
        status = set_aside_damaged(&request->build, error);
    if (status == WARI_OK && !job)
        status = wari_plan_leave_out_existing(&request->build, error);
    if (status == WARI_OK)
        status = wari_build_plan(&request->build, &plan, error);
    status = agree(job, status, error);
    if (status != WARI_OK)
        return status;
    const bool nothing = plan.first > request->build.seeds;
    if (nothing && !job)
        return nothing_to_do(&request->build, error);
    if (!nothing)
        status = check_plan(request, &plan, limit.source, error);
    if (status == WARI_OK && !request->dry_run)
        status = wari_start_threads(request->build.threads, error);
    status = agree(job, status, error);
    if (status != WARI_OK || request->dry_run)
        return status;

    if (prints(job) && !nothing)
        report_folder_sync("build", request->build.folder);
    interrupt_catch();
    progress_begin(&state.line);
    state.finished = plan.first - 1;
    plan_time(&state, &plan);
    if (prints(job)) {
        request->build.progress = show_progress;
        progress_timer_start(&state.timer, &state.line, update_progress, &state);
    }
    request->build.context = &state;
    request->build.plan = &plan;
    request->build.stop = interrupt_flag();
    double began = wari_seconds_now();
    status = job ? job->build(job, &request->build, error) : wari_build(&request->build, error);
    progress_timer_stop(&state.timer);
    progress_clear(&state.line);
    if (status == WARI_OK) /* the files of earlier levels may have been removed meanwhile */
        status = agree(job, check_files(&request->build, error), error);
    if (status == WARI_OK && nothing)
        return prints(job) ? nothing_to_do(&request->build, error) : WARI_OK;
    if (status == WARI_OK && prints(job))
        print_summary(&state, wari_seconds_now() - began);
    return status == WARI_INTERRUPTED ? fail_interrupted(state.finished, error) : status;
}

/* Says how to go on after damage was found: a damaged level can be replaced, but after damage of
 * the catalogue every level has to be solved again. */
static void advise_replacement(const struct wari_build *build, int seeds)
{
    struct wari_catalogue catalogue;
    const char *rules = wari_get_rules_info(build->variant.rules)->name;
    const char *cycle = wari_cycle_name(build->variant.cycle);
    if (wari_catalogue_read(&catalogue, wari_host_system(), build->folder, build->variant, NULL) ==
        WARI_OK)
        report_note("build",
                    "to solve damaged levels again: wari build --db %s --rules %s --cycle %s "
                    "--seeds %d --replace-damaged",
                    build->folder, rules, cycle, seeds);
    else
        report_note("build", "to solve all levels again, remove %s/%s-%s.catalogue first",
                    build->folder, rules, cycle);
}

int build_run(int argc, char **argv, struct build_job *job)
{
    struct request request = {.job = job};
    struct wari_error error = {0};
    enum wari_status status = agree(job, read_options(argc, argv, &request, &error), &error);
    const int seeds = request.build.seeds;
    if (status == WARI_OK)
        status = solve(&request, &error);
    if (!prints(job))
        return report_exit_code(status);
    int code = report_result(argv[0], status, &error);
    if (status == WARI_CORRUPT)
        advise_replacement(&request.build, seeds);
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
        "A level is all positions with the same number of seeds on the board. This command solves\n"
        "every level from 0 to N seeds that is missing in the folder DIR, one after the other,\n"
        "and writes one file for each level. The files are byte for byte the same for any number\n"
        "of threads, any kernel, and with or without interruptions. A level whose file was lost\n"
        "is solved again, even if higher levels are there; these are kept.\n"
        "\n"
        "  --db DIR       folder of the database; created if it does not exist\n"
        "  --seeds N      last level: 0 to 46, or 48\n"
        "  --rules R      rule set or preset (see 'wari rules'); default awari\n"
        "  --cycle C      value of endless play: even (default) or own\n"
        "  --threads T    default: one for each processor that the program may use, as limited by\n"
        "                 its affinity and the processor quota of its container\n"
        "  --kernel K     auto (default), portable, avx2, avx512bw, avx512, neon: the inner loops\n"
        "                 to use, each made for one kind of processor; the environment variable\n"
        "                 WARI_KERNEL has the same effect\n"
        "  --memory SIZE  bytes (or 500M, 2G) that the program may use; default: what the machine\n"
        "                 has available. A level that does not fit is solved with two or three\n"
        "                 bits a position in memory, and a scratch file. The memory that remains\n"
        "                 is a cache of lower levels, which are otherwise read from their files\n"
        "  --scratch DIR  folder of the scratch file, best on a fast disk; default: the folder of\n"
        "                 the database. The system may cache this file in free memory,\n"
        "                 in addition to SIZE\n"
        "  --checkpoint SECONDS\n"
        "                 interval at which an unfinished level is saved, one byte a position, if\n"
        "                 the disk has enough space besides the files of all levels; a build that\n"
        "                 was killed continues from there; default 240\n"
        "  --no-lock      do not lock the folder, for file systems on which this is impossible;\n"
        "                 two builds or packs at once in a folder would damage the database\n"
        "  --replace-damaged\n"
        "                 check all level files first, as 'wari check' does, and solve damaged\n"
        "                 levels up to N seeds again; .bad is added to the names of their files\n"
        "  --dry-run      print the plan (positions, memory, disk) and stop\n"
        "\n"
        "First the plan is printed. While the build runs, a terminal shows what is being done and\n"
        "how much time is left for all levels together; a file or a pipe gets such a line once a\n"
        "minute. At first that time is the plan's; then it is corrected by what has been "
        "measured.\n"
        "\n"
        "A build that would not fit into memory or onto the disk is refused. Ctrl-C, SIGTERM or\n"
        "SIGHUP stops the build within about a second: finished levels are kept, and the same\n"
        "command continues from there. A second signal, at least half a second later, kills the\n"
        "program at once.\n"
        "\n"
        "example\n"
        "  wari build --db tables --seeds 12 --rules tournament\n"
        "\n"
        "exit codes: 0 done; 2 bad usage; 3 a level already there is damaged; 4 reading or\n"
        "writing failed, the disk is full, or another build is running in DIR; 5 not enough\n"
        "memory; 6 a file of another rule set or format version, or a kernel that this\n"
        "processor cannot run; 129, 130 or 143 stopped by a signal\n",
};
