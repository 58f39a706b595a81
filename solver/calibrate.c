/* Measures the speeds that the cost model needs, by solving small levels and by streaming memory
 * and disk.
 *
 * The levels are solved by the code that a build uses, so exactly the work of a build is measured.
 * The files of the levels are removed afterwards. Each speed is that of one thread while all other
 * threads work, too. So the speeds include the time that threads lose by sharing caches and memory.
 */
#include "solver/calibrate.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "db/catalogue/catalogue_file.h"
#include "db/format/level_file.h"
#include "index/half.h"
#include "solver/bits/scratch_file.h"
#include "solver/build.h"
#include "system/clock.h"
#include "system/platform.h"

enum {
    STREAMED_BYTES = 192 << 20, /* size of the memory to be streamed; caches are smaller */
    TRANSFER_BYTES = 4 << 20,   /* size of each transfer to or from the disk */
    BYTES_PER_SYNC = 32 << 20,  /* number of bytes written between two syncs */
    DISK_BYTES_MAX = 512 << 20, /* upper limit on the bytes written to the disk */
    FIT_FROM = 8,               /* first level whose time is used; smaller levels are solved too
                                 * quickly to be measured */
    FIT_LAST = 4,               /* most speeds are computed only from this number of highest levels,
                                 * which take nearly all of the time */
};

/* Upper limits on the time to write to the disk and on the time to read from it, each as a fraction
 * of the time for solving. */
static const double disk_share = 0.2;

/* ---- Solving --------------------------------------------------------------------------------- */

struct trial {
    const struct wari_build *request;
    double began;   /* start time */
    double seconds; /* time limit */
    atomic_bool stop;
    struct wari_level_statistics level[WARI_SEEDS_MAX + 1];
    int count;            /* number of levels solved */
    double small_seconds; /* time of the levels below FIT_FROM; nearly all of it is spent waiting
                           * for the disk */
};

static bool is_stopped(const struct wari_build *build)
{
    return build->stop && atomic_load_explicit(build->stop, memory_order_relaxed);
}

static void record_progress(void *context, const struct wari_progress *progress)
{
    struct trial *trial = context;

    if (progress->phase == WARI_PHASE_LEVEL_DONE) {
        trial->level[progress->seeds] = *progress->statistics;
        trial->small_seconds += progress->seeds < FIT_FROM ? progress->level_seconds : 0;
        trial->count = progress->seeds + 1;
    }
    if (is_stopped(trial->request) || (trial->count > WARI_CALIBRATION_LEAST &&
                                       wari_seconds_now() - trial->began > trial->seconds))
        atomic_store_explicit(&trial->stop, true, memory_order_relaxed);
}

static enum wari_status solve_levels(struct trial *trial, struct wari_error *error)
{
    struct wari_build build = *trial->request;
    enum wari_status status;

    build.progress = record_progress;
    build.context = trial;
    build.stop = &trial->stop;
    status = wari_build(&build, error);
    if (status == WARI_INTERRUPTED && !is_stopped(trial->request))
        return WARI_OK; /* out of time */
    return status;
}

/* The cost model (cost.c) says that, for each sowing of a position, a pass over all cells takes
 * sowing * cells + column * columns. On a machine with other load, a measurement cannot separate
 * these two terms. So `sowing` and `column` are those of wari_speed_noted(), both multiplied by the
 * ratio of the measured to the expected time of all dense sweeps. In the same way, `decode` keeps
 * the ratio to `encode` that it has in wari_speed_noted(). */
void wari_speed_fit(const struct wari_level_statistics *levels, int count, int threads,
                    struct wari_speed *speed)
{
    const struct wari_speed noted = wari_speed_noted();
    double positions = 0, events = 0, dense = 0, expected = 0;
    struct wari_level_seconds sum = {0};

    for (int seeds = FIT_FROM; seeds < count; seeds++) {
        const struct wari_level_statistics *level = &levels[seeds];
        const double cells = (double)level->positions;
        dense += level->seconds.dense;
        expected += level->dense_work * wari_sweep_of(&noted, seeds);
        if (seeds < count - FIT_LAST)
            continue;
        positions += cells;
        events += (level->work - level->dense_work) * cells;
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
        wari_allocate(host, STREAMED_BYTES, "the memory to be streamed", &memory, error);

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
    *megabytes_a_second = sum == 1 ? 0 : best; /* `sum` is used here so that the compiler does not
                                                * remove the loop */
    wari_release(host, memory);
    return WARI_OK;
}

/* Forces all written bytes to the disk and drops them from the page cache. Otherwise reading would
 * be measured from the page cache, while a scratch file may be larger than the page cache. */
static enum wari_status flush_file(struct wari_scratch_file *file, struct wari_error *error)
{
    const enum wari_status status =
        wari_sync_file(file->temporary.host, file->temporary.fd, file->temporary.path, error);

    if (file->temporary.host == wari_host_system())
        wari_drop_cached_data(file->temporary.fd);
    return status;
}

/* Returns true if a write failed only because the disk, or the user's part of it, is full. */
static bool is_full(enum wari_status status)
{
    return status == WARI_IO && (errno == ENOSPC || errno == EDQUOT);
}

/* Writes a file and reads it again, as the bit backend does. Writing and reading take at most
 * `seconds` seconds each. If the disk becomes full, the part that was written is enough. */
static enum wari_status stream_disk(struct wari_scratch_file *file, void *buffer, double seconds,
                                    double *megabytes_a_second, struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    double total_seconds = 0;
    uint64_t written = 0, read = 0;

    for (int write = 1; write >= 0; write--) {
        const double began = wari_seconds_now();
        const uint64_t limit = write ? DISK_BYTES_MAX : written;
        uint64_t *done = write ? &written : &read;
        while (status == WARI_OK && *done < limit && wari_seconds_now() - began < seconds) {
            status = wari_scratch_file_transfer(file, buffer, TRANSFER_BYTES, *done, write, error);
            if (status == WARI_OK)
                *done += TRANSFER_BYTES;
            if (write && status == WARI_OK && *done % BYTES_PER_SYNC == 0)
                status = flush_file(file, error);
        }
        if (write && written > 0 && is_full(status))
            status = WARI_OK;
        if (write && status == WARI_OK)
            status = flush_file(file, error);
        total_seconds += wari_seconds_now() - began;
    }
    *megabytes_a_second = (double)(written + read) / total_seconds * 1e-6;
    return status;
}

static enum wari_status measure_disk(const struct wari_host *host, const char *folder,
                                     double seconds, double *megabytes_a_second,
                                     struct wari_error *error)
{
    struct wari_scratch_file file;
    void *buffer;
    enum wari_status status =
        wari_allocate(host, TRANSFER_BYTES, "a buffer for a file", &buffer, error);

    if (status != WARI_OK)
        return status;
    status = wari_scratch_file_open(&file, host, folder, "stream", error);
    if (status == WARI_OK) {
        memset(buffer, 1, TRANSFER_BYTES);
        status = stream_disk(&file, buffer, seconds, megabytes_a_second, error);
        wari_scratch_file_close(&file);
    }
    wari_release(host, buffer);
    return status;
}

/* ---- The calibration ------------------------------------------------------------------------- */

/* Removes the files of the build. A file that cannot be removed stays in the folder, where the
 * caller will notice it. */
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
    struct trial trial = {.request = build, .began = wari_seconds_now(), .seconds = seconds};
    struct wari_speed measured = *speed;
    enum wari_status status;

    atomic_init(&trial.stop, false);
    status = solve_levels(&trial, error);
    if (status == WARI_OK)
        status = measure_memory(host, threads, &measured.memory, error);
    if (status == WARI_OK && disk)
        status = measure_disk(host, build->folder, disk_share * seconds, &measured.disk, error);
    if (status == WARI_OK && is_stopped(build))
        status = wari_fail(error, WARI_INTERRUPTED, "stopped while measuring the machine");
    remove_files(build, host);
    if (status != WARI_OK)
        return status;
    wari_speed_fit(trial.level, trial.count, threads, &measured);
    measured.level = trial.small_seconds / FIT_FROM * 1e3;
    *speed = measured;
    return WARI_OK;
}
