/* Measures builds, the reference solver and memory bandwidth, each in a child process. */
#include "tests/bench/bench.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "index/level.h"
#include "solver/calibrate.h"
#include "system/clock.h"
#include "tests/reference/reference.h"

static void fail(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

/* Runs work(context, result) in a child process and copies the result into *result of this process.
 * Returns the peak resident memory of the child, in bytes. */
static uint64_t in_child(void (*work)(const void *context, void *result), const void *context,
                         void *result, size_t size)
{
    int ends[2], state;
    struct rusage usage;
    pid_t child = -1;
    size_t got = 0;

    fflush(stdout);
    if (pipe(ends) != 0 || (child = fork()) < 0)
        fail("cannot start a process");
    if (child == 0) {
        work(context, result);
        for (size_t sent = 0; sent < size;) {
            const ssize_t count = write(ends[1], (const char *)result + sent, size - sent);
            if (count < 0)
                _exit(1);
            sent += (size_t)count;
        }
        _exit(0);
    }
    close(ends[1]);
    while (got < size) {
        const ssize_t count = read(ends[0], (char *)result + got, size - got);
        if (count <= 0)
            break;
        got += (size_t)count;
    }
    close(ends[0]);
    if (wait4(child, &state, 0, &usage) != child || state != 0 || got != size)
        fail("a measurement failed");
    return (uint64_t)usage.ru_maxrss * 1024;
}

uint64_t bench_positions(int seeds)
{
    uint64_t positions = 0;

    for (int n = 0; n <= seeds; n++)
        positions += wari_level_positions(n);
    return positions;
}

/* ---- Builds ---- */

static void note_level(void *context, const struct wari_progress *progress)
{
    struct bench_build *build = context;

    if (progress->phase != WARI_PHASE_LEVEL_DONE)
        return;
    build->level[progress->seeds] = *progress->statistics;
    build->level_bytes[progress->seeds] = progress->level_bytes;
    build->file_bytes += progress->level_bytes;
    build->seconds = progress->seconds;
}

struct place {
    const char *folder;
};

static void run_build(const void *context, void *result)
{
    const struct place *place = context;
    struct bench_build *measured = result;
    struct wari_error error;
    const struct wari_build build = {
        .folder = place->folder,
        .variant = measured->variant,
        .seeds = measured->seeds,
        .threads = measured->threads,
        .kernel = measured->kernel,
        .memory = measured->memory,
        .progress = note_level,
        .context = measured,
    };

    if (wari_build(&build, &error) != WARI_OK)
        fail(error.text);
}

static void remove_build(const char *folder, struct wari_variant variant, int seeds)
{
    char file[512];
    const char *rules = wari_get_rules_info(variant.rules)->name;
    const char *cycle = wari_cycle_name(variant.cycle);

    for (int n = 0; n <= seeds; n++) {
        snprintf(file, sizeof file, "%s/%s-%s-%d.wari", folder, rules, cycle, n);
        if (unlink(file) != 0)
            fail(file);
    }
    snprintf(file, sizeof file, "%s/%s-%s.catalogue", folder, rules, cycle);
    unlink(file);
    snprintf(file, sizeof file, "%s/build.lock", folder);
    unlink(file);
    if (rmdir(folder) != 0)
        fail("cannot remove the folder of a measurement");
}

void bench_build(const char *scratch, struct bench_build *build)
{
    char folder[256];
    const struct place place = {folder};

    snprintf(folder, sizeof folder, "%s/build", scratch);
    build->peak_bytes = in_child(run_build, &place, build, sizeof *build);
    remove_build(folder, build->variant, build->seeds);
}

struct codec_trial {
    const char *folder;
    int seeds;
};

static void run_codec(const void *context, void *result)
{
    const struct codec_trial *trial = context;
    struct wari_error error;
    const struct wari_build build = {.folder = trial->folder, .seeds = trial->seeds};

    if (wari_build(&build, &error) != WARI_OK)
        fail(error.text);
    if (!bench_codec_of_level(trial->folder, trial->seeds, result))
        fail("cannot measure the codec");
}

void bench_codec(const char *scratch, int seeds, struct bench_codec *result)
{
    char folder[256];
    const struct codec_trial trial = {folder, seeds};

    snprintf(folder, sizeof folder, "%s/build", scratch);
    in_child(run_codec, &trial, result, sizeof *result);
    remove_build(folder, (struct wari_variant){WARI_AWARI, WARI_EVEN}, seeds);
}

struct trial {
    const char *folder;
    const struct bench_build *like;
};

static void run_calibration(const void *context, void *result)
{
    enum { SEEDS = 20 };
    const struct trial *trial = context;
    struct wari_speed speed = wari_speed_noted();
    struct wari_error error;
    /* With a memory limit, a build reads lower levels again and may use a scratch file, so the
     * speed of the disk has to be measured, too. */
    const bool disk = trial->like->memory > 0;
    const struct wari_build build = {
        .folder = trial->folder,
        .variant = trial->like->variant,
        .kernel = trial->like->kernel,
        .threads = trial->like->threads,
        .seeds = SEEDS,
    };

    if (wari_calibrate(&build, 7, disk, &speed, &error) != WARI_OK)
        fail(error.text);
    *(struct wari_speed *)result = speed;
}

void bench_calibrate(const char *scratch, const struct bench_build *like, struct wari_speed *speed)
{
    char folder[256];
    const struct trial trial = {folder, like};

    snprintf(folder, sizeof folder, "%s/calibration", scratch);
    if (mkdir(folder, 0700) != 0)
        fail("cannot make a folder for a calibration");
    in_child(run_calibration, &trial, speed, sizeof *speed);
    if (rmdir(folder) != 0)
        fail("cannot remove the folder of a calibration");
}

/* Builds with one thread in a new folder, and ends the process. */
static void build_and_exit(const char *scratch, int number, int seeds)
{
    struct bench_build build = {.seeds = seeds, .threads = 1};
    char folder[256];

    snprintf(folder, sizeof folder, "%s/%d", scratch, number);
    if (mkdir(folder, 0700) != 0)
        fail("cannot make a folder for a measurement");
    bench_build(folder, &build);
    if (rmdir(folder) != 0)
        fail("cannot remove the folder of a measurement");
    exit(0);
}

double bench_side_by_side(const char *scratch, int seeds, int count)
{
    const double start = wari_seconds_now();
    int state, failed = 0;

    fflush(stdout);
    for (int i = 0; i < count; i++) {
        const pid_t child = fork();
        if (child < 0)
            fail("cannot start a process");
        if (child == 0)
            build_and_exit(scratch, i, seeds);
    }
    for (int i = 0; i < count; i++)
        failed += wait(&state) < 0 || state != 0;
    if (failed)
        fail("a build side by side with others failed");
    return wari_seconds_now() - start;
}

/* ---- Reference ---- */

struct reference {
    int seeds;
    bool plain;
};

static void run_reference(const void *context, void *result)
{
    const struct reference *reference = context;
    const double start = wari_seconds_now();
    struct ref_table *table = reference->plain ? ref_solve_plain(0, reference->seeds)
                                               : ref_solve(0, REF_EVEN, reference->seeds);

    if (!table)
        fail("the reference solver failed");
    *(double *)result = wari_seconds_now() - start;
    ref_free(table);
}

double bench_reference(int seeds, bool plain, double *seconds)
{
    const struct reference reference = {seeds, plain};
    uint64_t positions = 0;

    in_child(run_reference, &reference, seconds, sizeof *seconds);
    for (int n = 0; n <= seeds; n++)
        positions += wari_level_placements(n);
    return (double)positions / *seconds;
}

/* ---- Bandwidth ---- */

struct stream {
    uint64_t bytes;
    int threads;
};

static void run_stream(const void *context, void *result)
{
    const struct stream *stream = context;
    const uint64_t words = stream->bytes / sizeof(uint64_t);
    uint64_t *memory = malloc(words * sizeof *memory), sum = 0;
    double best = 0;

    if (!memory)
        fail("no memory to measure bandwidth");
#pragma omp parallel for num_threads(stream->threads) schedule(static)
    for (uint64_t i = 0; i < words; i++)
        memory[i] = i;
    for (int round = 0; round < 3; round++) {
        const double start = wari_seconds_now();
#pragma omp parallel for num_threads(stream->threads) schedule(static) reduction(+ : sum)
        for (uint64_t i = 0; i < words; i++)
            sum += memory[i];
        const double rate = (double)stream->bytes / (wari_seconds_now() - start);
        best = rate > best ? rate : best;
    }
    *(double *)result = sum == 1 ? 0 : best; /* uses the sum, so that the compiler keeps the loop */
    free(memory);
}

double bench_bandwidth(uint64_t bytes, int threads)
{
    const struct stream stream = {bytes, threads};
    double rate = 0;

    in_child(run_stream, &stream, &rate, sizeof rate);
    return rate;
}
