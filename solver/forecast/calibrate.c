/* Measures what the cost model needs: by solving small levels, decoding one, and streaming memory
 * and disk.
 *
 * Levels are solved by the same code that the build will use, into a folder that is removed again,
 * so nothing is measured that a build would not do. Speeds are of one thread, though all threads
 * work at once: what they take from each other is part of it.
 */
#include "solver/forecast/calibrate.h"

#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <string.h>

#include "db/catalogue/catalogue_file.h"
#include "db/codec/decoder.h"
#include "db/file/level_file.h"
#include "db/rows/chunk.h"
#include "index/half.h"
#include "index/level.h"
#include "solver/build.h"
#include "system/clock.h"

enum {
    MEGABYTE = 1 << 20,
    STREAMED_BYTES = 192 * MEGABYTE, /* of memory: more than caches hold */
    DISK_PIECE = 4 * MEGABYTE,
    DISK_BYTES = 512 * MEGABYTE, /* at most, to be written and read again */
    DIRECT = 4096,               /* what O_DIRECT wants addresses and sizes to be multiples of */
    FIT_FROM = 8,                /* smaller levels take no time that could be measured */
};

/* Beside the time for solving, in shares of it. */
static const double disk_share = 0.2; /* writing at most, and reading */
static const double decode_share = 0.05;

/* ---- Solving --------------------------------------------------------------------------------- */

struct trial {
    const struct wari_calibration *calibration;
    double began;
    atomic_bool stop;
    struct wari_level_measure level[WARI_SEEDS_MAX + 1];
    double level_seconds[WARI_SEEDS_MAX + 1];
    int count; /* levels solved */
};

static bool wanted_to_stop(const struct wari_calibration *calibration)
{
    return calibration->stop && atomic_load_explicit(calibration->stop, memory_order_relaxed);
}

static void watch(void *context, const struct wari_progress *progress)
{
    struct trial *trial = context;

    if (progress->phase == WARI_PHASE_LEVEL_DONE) {
        trial->level[progress->seeds] = *progress->measure;
        trial->level_seconds[progress->seeds] = progress->level_seconds;
        trial->count = progress->seeds + 1;
    }
    if (wanted_to_stop(trial->calibration) ||
        (trial->count > WARI_CALIBRATION_LEAST &&
         wari_seconds_now() - trial->began > trial->calibration->seconds))
        atomic_store_explicit(&trial->stop, true, memory_order_relaxed);
}

static enum wari_status solve_levels(struct trial *trial, struct wari_error *error)
{
    const struct wari_calibration *calibration = trial->calibration;
    const struct wari_build build = {
        .folder = calibration->folder,
        .variant = calibration->variant,
        .seeds = calibration->seeds,
        .threads = calibration->threads,
        .kernel = calibration->kernel,
        .host = calibration->host,
        .progress = watch,
        .context = trial,
        .stop = &trial->stop,
    };
    const enum wari_status status = wari_build(&build, error);

    if (status == WARI_INTERRUPTED && !wanted_to_stop(calibration))
        return WARI_OK; /* out of time */
    return status;
}

/* A dense sweep takes sowing * cells + column * columns for each sowing. On a machine with other
 * work the two cannot be told apart, so they keep the proportion of those that were noted, and are
 * as much slower as all sweeps together. */
static void fit_sweeps(const struct wari_level_measure *levels, int count, int threads,
                       struct wari_speed *speed)
{
    const struct wari_speed noted = wari_speed_noted();
    double taken = 0, expected = 0;

    for (int seeds = FIT_FROM; seeds < count; seeds++) {
        const struct wari_level_measure *level = &levels[seeds];
        double columns = 0;
        for (int s = 0; s <= seeds; s++)
            columns += wari_half_count(s);
        taken += level->seconds.dense * threads * 1e9;
        expected += level->dense_sweeps * wari_sowings_of(seeds) *
                    (noted.sowing * (double)level->positions + noted.column * columns);
    }
    if (taken > 0 && expected > 0) {
        speed->sowing = noted.sowing * taken / expected;
        speed->column = noted.column * taken / expected;
    }
}

void wari_speed_fit(const struct wari_level_measure *levels, int count, int threads,
                    struct wari_speed *speed)
{
    double positions = 0, events = 0, capture = 0, late = 0, counted = 0, encode = 0;

    /* The last levels, which take nearly all of the time, tell the most about those above. */
    for (int seeds = count > FIT_FROM + 4 ? count - 4 : 0; seeds < count; seeds++) {
        const struct wari_level_measure *level = &levels[seeds];
        positions += (double)level->positions;
        capture += level->seconds.captures;
        late += level->seconds.sweeps - level->seconds.dense;
        counted += level->seconds.count;
        encode += level->seconds.encode + level->seconds.write;
        events += (level->work - level->dense_sweeps) * (double)level->positions;
    }
    if (positions > 0) {
        const double thread_ns = threads * 1e9 / positions;
        speed->capture = capture * thread_ns;
        speed->event = events > 0 ? late * threads * 1e9 / events : speed->event;
        speed->count = counted * thread_ns;
        speed->encode = encode * thread_ns;
    }
    fit_sweeps(levels, count, threads, speed);
}

/* ---- Decoding -------------------------------------------------------------------------------- */

/* Decodes chunks of the last level on all threads until time is up: nanoseconds of a thread. */
static enum wari_status measure_decoding(const struct trial *trial, const struct wari_host *host,
                                         double *decode, struct wari_error *error)
{
    const struct wari_calibration *calibration = trial->calibration;
    const int seeds = trial->count - 1;
    const struct wari_level_address address = {
        host, calibration->folder, {calibration->variant, seeds}};
    const uint64_t chunks = wari_chunk_count(wari_level_positions(seeds));
    const double began = wari_seconds_now();
    struct wari_level_file *file;
    uint64_t positions = 0;
    enum wari_status status = wari_level_file_open(&file, &address, NULL, error);

    if (status != WARI_OK)
        return status;
#pragma omp parallel num_threads(calibration->threads) reduction(+ : positions)
    {
        struct wari_decoder *decoder;
        struct wari_error my_error;
        int8_t values[WARI_CHUNK_POSITIONS];
        enum wari_status mine = wari_decoder_create(&decoder, host, &my_error);
        uint64_t chunk = (uint64_t)omp_get_thread_num() % chunks;
        do {
            if (mine == WARI_OK)
                mine = wari_level_file_chunk(file, decoder, chunk, values, &my_error);
            positions += wari_level_file_chunk_positions(file, chunk);
            chunk = (chunk + 1) % chunks;
        } while (mine == WARI_OK &&
                 wari_seconds_now() - began < decode_share * calibration->seconds);
        wari_decoder_destroy(decoder);
        if (mine != WARI_OK) {
#pragma omp critical(wari_calibrate_failure)
            {
                status = mine;
                if (error)
                    *error = my_error;
            }
        }
    }
    wari_level_file_close(file);
    *decode = (wari_seconds_now() - began) * calibration->threads * 1e9 / (double)positions;
    return status;
}

/* ---- Memory and disk ------------------------------------------------------------------------- */

static enum wari_status measure_memory(const struct wari_calibration *calibration,
                                       const struct wari_host *host, double *megabytes_a_second,
                                       struct wari_error *error)
{
    enum { ROUNDS = 3 };
    const uint64_t words = STREAMED_BYTES / sizeof(uint64_t);
    uint64_t sum = 0, *word;
    double best = 0;
    void *memory;
    const enum wari_status status =
        wari_allocate(host, STREAMED_BYTES, "a stretch of memory to stream", &memory, error);

    if (status != WARI_OK)
        return status;
    word = memory;
#pragma omp parallel for num_threads(calibration->threads) schedule(static)
    for (uint64_t i = 0; i < words; i++)
        word[i] = i;
    for (int round = 0; round < ROUNDS; round++) {
        const double began = wari_seconds_now();
#pragma omp parallel for num_threads(calibration->threads) schedule(static) reduction(+ : sum)
        for (uint64_t i = 0; i < words; i++)
            sum += word[i];
        const double rate = STREAMED_BYTES / (wari_seconds_now() - began) * 1e-6;
        best = rate > best ? rate : best;
    }
    *megabytes_a_second = sum == 1 ? 0 : best; /* the sum is used, so the loop stays */
    wari_release(host, memory);
    return WARI_OK;
}

/* A file to be streamed past the page cache, where the file system can do that. */
static enum wari_status open_direct(const struct wari_host *host, const char *path, int *fd,
                                    struct wari_error *error)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW;

#ifdef O_DIRECT
    if (wari_open_file(host, path, flags | O_DIRECT, fd, error) == WARI_OK)
        return WARI_OK;
    if (errno != EINVAL)
        return WARI_IO;
    (void)host->unlink(host->context, path); /* some make the file before they refuse */
#endif
    return wari_open_file(host, path, flags, fd, error);
}

/* A file that is written and read again, and a piece of memory for that. */
struct disk_file {
    const struct wari_host *host;
    const char *path;
    int fd;
    void *piece;
};

static enum wari_status stream_disk(const struct disk_file *file, double seconds,
                                    double *megabytes_a_second, struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    double began = wari_seconds_now(), taken;
    uint64_t bytes = 0, read = 0;

    while (status == WARI_OK && bytes < DISK_BYTES && wari_seconds_now() - began < seconds) {
        status =
            wari_write_at(file->host, file->fd, file->path, file->piece, DISK_PIECE, bytes, error);
        bytes += DISK_PIECE;
    }
    if (status == WARI_OK)
        status = wari_sync_file(file->host, file->fd, file->path, error);
    taken = wari_seconds_now() - began;
    began = wari_seconds_now();
    while (status == WARI_OK && read < bytes && wari_seconds_now() - began < seconds) {
        status =
            wari_read_at(file->host, file->fd, file->path, file->piece, DISK_PIECE, read, error);
        read += DISK_PIECE;
    }
    taken += wari_seconds_now() - began;
    *megabytes_a_second = (double)(bytes + read) / taken * 1e-6;
    return status;
}

static enum wari_status measure_disk(const struct wari_calibration *calibration,
                                     const struct wari_host *host, double *megabytes_a_second,
                                     struct wari_error *error)
{
    char path[WARI_PATH_MAX];
    void *memory;
    int fd;
    enum wari_status status = wari_path(path, error, calibration->folder, "stream.tmp");

    if (status == WARI_OK)
        status = wari_allocate(host, DISK_PIECE + DIRECT, "a piece of a file", &memory, error);
    if (status != WARI_OK)
        return status;
    status = open_direct(host, path, &fd, error);
    if (status == WARI_OK) {
        const struct disk_file file = {
            host, path, fd, (void *)(((uintptr_t)memory + DIRECT - 1) / DIRECT * DIRECT)};
        memset(file.piece, 1, DISK_PIECE);
        status = stream_disk(&file, disk_share * calibration->seconds, megabytes_a_second, error);
        (void)host->close(host->context, fd); /* nothing in it is kept */
        (void)host->unlink(host->context, path);
    }
    wari_release(host, memory);
    return status;
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* Files of a build that was given up; what cannot be removed is left to the caller, who sees it. */
static void remove_files(const struct wari_calibration *calibration, const struct wari_host *host)
{
    char path[WARI_PATH_MAX];

    for (int seeds = 0; seeds <= calibration->seeds; seeds++) {
        const struct wari_level_key key = {calibration->variant, seeds};
        if (wari_level_path(path, calibration->folder, key, NULL) == WARI_OK)
            (void)host->unlink(host->context, path);
    }
    if (wari_catalogue_path(path, calibration->folder, calibration->variant, NULL) == WARI_OK)
        (void)host->unlink(host->context, path);
    if (wari_path(path, NULL, calibration->folder, "build.lock") == WARI_OK)
        (void)host->unlink(host->context, path);
}

enum wari_status wari_calibrate(const struct wari_calibration *calibration,
                                struct wari_speed *speed, struct wari_error *error)
{
    const struct wari_host *host = calibration->host ? calibration->host : wari_host_system();
    struct trial trial = {.calibration = calibration, .began = wari_seconds_now()};
    struct wari_speed measured = *speed;
    double written = 0;
    enum wari_status status;

    atomic_init(&trial.stop, false);
    status = solve_levels(&trial, error);
    if (status == WARI_OK)
        status = measure_decoding(&trial, host, &measured.decode, error);
    if (status == WARI_OK)
        status = measure_memory(calibration, host, &measured.memory, error);
    if (status == WARI_OK && calibration->disk)
        status = measure_disk(calibration, host, &measured.disk, error);
    if (status == WARI_OK && wanted_to_stop(calibration))
        status = wari_fail(error, WARI_INTERRUPTED, "stopped while measuring the machine");
    remove_files(calibration, host);
    if (status != WARI_OK)
        return status;
    wari_speed_fit(trial.level, trial.count, calibration->threads, &measured);
    for (int seeds = 0; seeds < FIT_FROM; seeds++)
        written += trial.level_seconds[seeds];
    measured.level = written / FIT_FROM * 1e3; /* these take no time but that */
    *speed = measured;
    return WARI_OK;
}
