/* Measures what the cost model needs: by solving small levels, and streaming memory and disk.
 *
 * Levels are solved by the same code that the build will use, into a folder that is removed again,
 * so nothing is measured that a build would not do. Speeds are of one thread, though all threads
 * work at once: what they take from each other is part of it.
 */
#include "solver/calibrate.h"

#include <fcntl.h>
#include <string.h>

#include "db/catalogue/catalogue_file.h"
#include "db/format/level_file.h"
#include "index/half.h"
#include "solver/bits/scratch_file.h"
#include "solver/build.h"
#include "system/clock.h"

enum {
    STREAMED_BYTES = 192 << 20, /* of memory: more than caches hold */
    DISK_PIECE = 4 << 20,
    DISK_SYNCED = 32 << 20, /* at a time */
    DISK_BYTES = 512 << 20, /* at most, to be written */
    FIT_FROM = 8,           /* smaller levels take no time that could be measured */
    FIT_LAST = 4,           /* these take nearly all of the time, and tell the most */
};

static const double disk_share = 0.2; /* of the time for solving: to write, and to read, at most */

/* ---- Solving --------------------------------------------------------------------------------- */

struct trial {
    const struct wari_build *asked;
    double began, seconds;
    atomic_bool stop;
    struct wari_level_measure level[WARI_SEEDS_MAX + 1];
    int count;      /* levels solved */
    double written; /* seconds, for levels that take no time but that */
};

static bool wanted_to_stop(const struct wari_build *build)
{
    return build->stop && atomic_load_explicit(build->stop, memory_order_relaxed);
}

static void watch(void *context, const struct wari_progress *progress)
{
    struct trial *trial = context;

    if (progress->phase == WARI_PHASE_LEVEL_DONE) {
        trial->level[progress->seeds] = *progress->measure;
        trial->written += progress->seeds < FIT_FROM ? progress->level_seconds : 0;
        trial->count = progress->seeds + 1;
    }
    if (wanted_to_stop(trial->asked) || (trial->count > WARI_CALIBRATION_LEAST &&
                                         wari_seconds_now() - trial->began > trial->seconds))
        atomic_store_explicit(&trial->stop, true, memory_order_relaxed);
}

static enum wari_status solve_levels(struct trial *trial, struct wari_error *error)
{
    struct wari_build build = *trial->asked;
    enum wari_status status;

    build.progress = watch;
    build.context = trial;
    build.stop = &trial->stop;
    status = wari_build(&build, error);
    if (status == WARI_INTERRUPTED && !wanted_to_stop(trial->asked))
        return WARI_OK; /* out of time */
    return status;
}

/* A dense sweep takes sowing * cells + column * columns for each sowing. On a machine with other
 * work the two cannot be told apart, so they keep the proportion of those that were noted, and are
 * as much slower as all sweeps together. To decode keeps that to encoding. */
void wari_speed_fit(const struct wari_level_measure *levels, int count, int threads,
                    struct wari_speed *speed)
{
    const struct wari_speed noted = wari_speed_noted();
    double positions = 0, events = 0, dense = 0, expected = 0;
    struct wari_level_seconds sum = {0};

    for (int seeds = FIT_FROM; seeds < count; seeds++) {
        const struct wari_level_measure *level = &levels[seeds];
        const double cells = (double)level->positions;
        dense += level->seconds.dense;
        expected += level->dense_sweeps * wari_sweep_of(&noted, seeds);
        if (seeds < count - FIT_LAST)
            continue;
        positions += cells;
        events += (level->work - level->dense_sweeps) * cells;
        sum.captures += level->seconds.captures;
        sum.sweeps += level->seconds.sweeps - level->seconds.dense;
        sum.count += level->seconds.count;
        sum.encode += level->seconds.encode + level->seconds.write;
    }
    if (positions <= 0 || expected <= 0)
        return;
    speed->sowing = noted.sowing * dense * threads * 1e9 / expected;
    speed->column = noted.column / noted.sowing * speed->sowing;
    speed->capture = sum.captures * threads * 1e9 / positions;
    speed->count = sum.count * threads * 1e9 / positions;
    speed->encode = sum.encode * threads * 1e9 / positions;
    speed->decode = noted.decode / noted.encode * speed->encode;
    if (events > 0)
        speed->event = sum.sweeps * threads * 1e9 / events;
}

/* ---- Memory and disk ------------------------------------------------------------------------- */

static enum wari_status measure_memory(const struct wari_host *host, int threads,
                                       double *megabytes_a_second, struct wari_error *error)
{
    const uint64_t words = STREAMED_BYTES / sizeof(uint64_t);
    uint64_t sum = 0, *word;
    double best = 0;
    void *memory;
    const enum wari_status status =
        wari_allocate(host, STREAMED_BYTES, "a stretch of memory to stream", &memory, error);

    if (status != WARI_OK)
        return status;
    word = memory;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t i = 0; i < words; i++)
        word[i] = i;
    for (int round = 0; round < 3; round++) {
        const double began = wari_seconds_now();
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : sum)
        for (uint64_t i = 0; i < words; i++)
            sum += word[i];
        const double rate = STREAMED_BYTES / (wari_seconds_now() - began) * 1e-6;
        best = rate > best ? rate : best;
    }
    *megabytes_a_second = sum == 1 ? 0 : best; /* the sum is used, so the loop stays */
    wari_release(host, memory);
    return WARI_OK;
}

/* To the disk itself: a scratch file may be larger than what the system can keep in memory. */
static enum wari_status write_down(struct wari_scratch_file *file, struct wari_error *error)
{
    const enum wari_status status = wari_sync_file(file->host, file->fd, file->path, error);

    if (file->host == wari_host_system())
        (void)posix_fadvise(file->fd, 0, 0, POSIX_FADV_DONTNEED);
    return status;
}

/* Writes a file and reads it again, until time is up for each: as a level by bits does. */
static enum wari_status stream_disk(struct wari_scratch_file *file, void *piece, double seconds,
                                    double *megabytes_a_second, struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    double taken = 0;
    uint64_t written = 0, read = 0;

    for (int write = 1; write >= 0; write--) {
        const double began = wari_seconds_now();
        const uint64_t most = write ? DISK_BYTES : written;
        uint64_t *done = write ? &written : &read;
        while (status == WARI_OK && *done < most && wari_seconds_now() - began < seconds) {
            status = wari_scratch_file_bytes(file, piece, DISK_PIECE, *done, write, error);
            *done += DISK_PIECE;
            if (write && status == WARI_OK && *done % DISK_SYNCED == 0)
                status = write_down(file, error);
        }
        if (write && status == WARI_OK)
            status = write_down(file, error);
        taken += wari_seconds_now() - began;
    }
    *megabytes_a_second = (double)(written + read) / taken * 1e-6;
    return status;
}

static enum wari_status measure_disk(const struct wari_host *host, const char *folder,
                                     double seconds, double *megabytes_a_second,
                                     struct wari_error *error)
{
    struct wari_scratch_file file;
    void *piece;
    enum wari_status status = wari_allocate(host, DISK_PIECE, "a piece of a file", &piece, error);

    if (status != WARI_OK)
        return status;
    status = wari_scratch_file_open(&file, host, folder, "stream.tmp", error);
    if (status == WARI_OK) {
        memset(piece, 1, DISK_PIECE);
        status = stream_disk(&file, piece, seconds, megabytes_a_second, error);
        wari_scratch_file_close(&file);
    }
    wari_release(host, piece);
    return status;
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* Files of a build that was given up; what cannot be removed is left to the caller, who sees it. */
static void remove_files(const struct wari_build *build, const struct wari_host *host)
{
    char path[WARI_PATH_MAX];

    for (int seeds = 0; seeds <= build->seeds; seeds++) {
        const struct wari_level_key key = {build->variant, seeds};
        if (wari_level_path(path, build->folder, key, NULL) == WARI_OK)
            (void)host->unlink(host->context, path);
    }
    if (wari_catalogue_path(path, build->folder, build->variant, NULL) == WARI_OK)
        (void)host->unlink(host->context, path);
    if (wari_path(path, NULL, build->folder, "build.lock") == WARI_OK)
        (void)host->unlink(host->context, path);
}

enum wari_status wari_calibrate(const struct wari_build *build, double seconds, bool disk,
                                struct wari_speed *speed, struct wari_error *error)
{
    const struct wari_host *host = build->host ? build->host : wari_host_system();
    const int threads = wari_build_threads(build);
    struct trial trial = {.asked = build, .began = wari_seconds_now(), .seconds = seconds};
    struct wari_speed measured = *speed;
    enum wari_status status;

    atomic_init(&trial.stop, false);
    status = solve_levels(&trial, error);
    if (status == WARI_OK)
        status = measure_memory(host, threads, &measured.memory, error);
    if (status == WARI_OK && disk)
        status = measure_disk(host, build->folder, disk_share * seconds, &measured.disk, error);
    if (status == WARI_OK && wanted_to_stop(build))
        status = wari_fail(error, WARI_INTERRUPTED, "stopped while measuring the machine");
    remove_files(build, host);
    if (status != WARI_OK)
        return status;
    wari_speed_fit(trial.level, trial.count, threads, &measured);
    measured.level = trial.written / FIT_FROM * 1e3;
    *speed = measured;
    return WARI_OK;
}
