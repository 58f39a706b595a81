/* Measures the speed of look-ups in a database.
 *
 * For the measurements from the cache, as many consecutive chunks of the level as are sure to fit
 * are read first. Then every thread looks up positions in these chunks, which are prepared before
 * the clock starts. For the measurements without a cache, each call uses a new handle, which is
 * opened before the clock starts, and each call is timed separately. The files are in the page
 * cache all the time, because everything is read once before: this program is measured, not the
 * disk.
 *
 * Every handle reads through a host that counts reads. The count shows whether the data was really
 * cached, or really not cached.
 */
#include "tools/probe_speed.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "db/format/level_file.h"
#include "db/host/host.h"
#include "index/level.h"
#include "system/clock.h"

enum {
    POOL = 1 << 20,        /* positions to look up: more than fit into a processor's caches */
    BETWEEN_CLOCKS = 1024, /* values between two readings of the clock: less than a millisecond */
    SAMPLES = 1 << 16,     /* maximum number of timed calls: 655 are beyond the 99th percentile */
};

struct speed {
    const struct speed_request *request;
    struct speed_report *report;
    struct wari_host host;
    atomic_ullong reads; /* number of reads (chunks, headers and tables) through the host */
    struct wari_db *db;  /* the handle whose cache is filled */
    struct wari_layout layout;
    uint64_t first_chunk; /* the first cached chunk */
    struct wari_position *pool;
    double *samples;
    uint64_t random;
};

/* ---- Shared by all measurements ---- */

static ssize_t count_pread(void *speed, int fd, void *buffer, size_t bytes, off_t offset)
{
    atomic_fetch_add(&((struct speed *)speed)->reads, 1);
    return wari_host_system()->pread(NULL, fd, buffer, bytes, offset);
}

/* Returns a random number below `limit`. The generator is a linear congruential one: its high bits
 * are good enough to pick positions, and its sequence is always the same, so results are
 * comparable. */
static uint64_t random_below(struct speed *speed, uint64_t limit)
{
    speed->random = speed->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (speed->random >> 20) % limit;
}

static enum wari_status open_handle(struct speed *speed, struct wari_db **db,
                                    struct wari_error *error)
{
    const struct wari_options options = {speed->request->cache_bytes, &speed->host};
    return wari_open(db, speed->request->folder, &speed->request->variant, &options, error);
}

/* Returns a random position whose number is in [first, first + count). */
static struct wari_position pick(struct speed *speed, uint64_t first, uint64_t count)
{
    struct wari_position position;
    wari_layout_unrank(&speed->layout, first + random_below(speed, count), &position);
    return position;
}

/* ---- From the cache ---- */

/* Determines the range of cached positions: [*first, *first + the returned number). */
static uint64_t cached_positions(const struct speed *speed, uint64_t *first)
{
    uint64_t count = speed->report->cached_chunks * WARI_CHUNK_POSITIONS;
    *first = speed->first_chunk * WARI_CHUNK_POSITIONS;
    return count < speed->report->positions - *first ? count : speed->report->positions - *first;
}

static enum wari_status fill_cache(struct speed *speed, struct wari_error *error)
{
    int8_t value;
    enum wari_status status = WARI_OK;
    for (uint64_t i = 0; i < speed->report->cached_chunks && status == WARI_OK; i++)
        status = wari_values(speed->db, speed->request->seeds,
                             (speed->first_chunk + i) * WARI_CHUNK_POSITIONS, 1, &value, error);
    return status;
}

static void fill_pool(struct speed *speed, enum speed_order order)
{
    uint64_t first;
    uint64_t count = cached_positions(speed, &first);
    uint64_t start = random_below(speed, count);
    for (uint64_t i = 0; i < POOL; i++) {
        if (order == SPEED_RANDOM)
            speed->pool[i] = pick(speed, first, count);
        else
            wari_layout_unrank(&speed->layout, first + (start + i) % count, &speed->pool[i]);
    }
}

/* A thread that looks up values. */
struct worker {
    pthread_t thread;
    struct speed *speed;
    enum speed_order order;
    uint64_t at; /* current index in the pool, or in the range of cached positions */
    uint64_t values;
    double seconds;
    enum wari_status status;
    struct wari_error error;
};

static enum wari_status look_up_pool(struct worker *worker)
{
    enum wari_status status = WARI_OK;
    for (int i = 0; i < BETWEEN_CLOCKS && status == WARI_OK; i++) {
        int value;
        worker->at = (worker->at + 1) % POOL;
        status =
            wari_probe(worker->speed->db, &worker->speed->pool[worker->at], &value, &worker->error);
    }
    worker->values += BETWEEN_CLOCKS;
    return status;
}

static enum wari_status look_up_bulk(struct worker *worker)
{
    int8_t values[WARI_CHUNK_POSITIONS];
    uint64_t first;
    uint64_t count = cached_positions(worker->speed, &first);
    uint64_t at = worker->at % count;
    size_t size = count - at < sizeof values ? (size_t)(count - at) : sizeof values;
    enum wari_status status = wari_values(worker->speed->db, worker->speed->request->seeds,
                                          first + at, size, values, &worker->error);
    worker->values += size;
    worker->at = at + size;
    return status;
}

static void *run_worker(void *argument)
{
    struct worker *worker = argument;
    double start = wari_seconds_now();
    do {
        worker->status = worker->order == SPEED_BULK ? look_up_bulk(worker) : look_up_pool(worker);
        worker->seconds = wari_seconds_now() - start;
    } while (worker->status == WARI_OK && worker->seconds < worker->speed->request->seconds);
    return NULL;
}

/* Runs workers in parallel. They start some microseconds apart, which does not matter. */
static enum wari_status run_workers(struct worker *workers, int threads, struct wari_error *error)
{
    int started = 1; /* the calling thread is the first worker */
    int failure = 0;
    while (started < threads && failure == 0) {
        failure = pthread_create(&workers[started].thread, NULL, run_worker, &workers[started]);
        started += failure == 0;
    }
    (void)run_worker(&workers[0]);
    for (int i = 1; i < started; i++)
        (void)pthread_join(workers[i].thread, NULL);
    if (failure != 0)
        return wari_fail(error, WARI_NO_MEMORY, "cannot start %d threads, only %d (%s)", threads,
                         started, strerror(failure));
    for (int i = 0; i < threads; i++) {
        if (workers[i].status != WARI_OK) {
            *error = workers[i].error;
            return workers[i].status;
        }
    }
    return WARI_OK;
}

static enum wari_status measure_rate(struct speed *speed, enum speed_order order, int threads,
                                     struct speed_rate *rate, struct wari_error *error)
{
    struct worker *workers = calloc((size_t)threads, sizeof *workers);
    if (!workers)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for %d threads", threads);
    for (int i = 0; i < threads; i++) {
        workers[i].speed = speed;
        workers[i].order = order;
        workers[i].at = (uint64_t)i * POOL / (uint64_t)threads;
    }
    enum wari_status status = run_workers(workers, threads, error);
    *rate = (struct speed_rate){0, 0};
    for (int i = 0; i < threads && status == WARI_OK; i++)
        rate->all += (double)workers[i].values / workers[i].seconds;
    rate->each = rate->all / threads;
    free(workers);
    return status;
}

static enum wari_status measure_rates(struct speed *speed, struct wari_error *error)
{
    int threads = speed->request->threads;
    enum wari_status status = fill_cache(speed, error);
    uint64_t before = atomic_load(&speed->reads);
    for (int order = 0; order < SPEED_ORDERS && status == WARI_OK; order++) {
        struct speed_rate *rate = speed->report->rate[order];
        fill_pool(speed, (enum speed_order)order);
        status = measure_rate(speed, (enum speed_order)order, 1, &rate[0], error);
        rate[1] = rate[0];
        if (status == WARI_OK && threads > 1)
            status = measure_rate(speed, (enum speed_order)order, threads, &rate[1], error);
    }
    speed->report->chunks_read = atomic_load(&speed->reads) - before;
    return status;
}

/* ---- Without the cache ---- */

static int compare_samples(const void *one, const void *other)
{
    double a = *(const double *)one;
    double b = *(const double *)other;
    return (a > b) - (a < b);
}

/* A series of timed calls. */
struct series {
    struct speed *speed;
    struct speed_times *times;
    double end; /* time at which the series ends */
    uint64_t reads;
};

static struct series start_series(struct speed *speed, struct speed_times *times)
{
    *times = (struct speed_times){0};
    return (struct series){speed, times, wari_seconds_now() + speed->request->seconds, 0};
}

/* Returns true if the series needs more samples. A series has at least one sample. */
static bool needs_samples(const struct series *series)
{
    return series->times->calls == 0 ||
           (series->times->calls < SAMPLES && wari_seconds_now() < series->end);
}

/* Times one call and adds it to the series. */
static enum wari_status time_call(struct series *series, struct wari_db *db,
                                  const struct wari_position *position, bool moves,
                                  struct wari_error *error)
{
    struct speed *speed = series->speed;
    struct speed_times *times = series->times;
    struct wari_analysis analysis;
    int value;
    uint64_t before = atomic_load(&speed->reads);
    double start = wari_seconds_now();
    enum wari_status status = moves ? wari_analyse(db, position, &analysis, error)
                                    : wari_probe(db, position, &value, error);
    speed->samples[times->calls++] = (wari_seconds_now() - start) * 1e6;
    uint64_t reads = atomic_load(&speed->reads) - before;
    series->reads += reads;
    if (reads > times->most_chunks)
        times->most_chunks = reads;
    return status;
}

/* Computes the median and the 99th percentile of a finished series. */
static void finish_series(struct series *series)
{
    struct speed_times *times = series->times;
    const double *samples = series->speed->samples;
    if (times->calls == 0)
        return;
    qsort(series->speed->samples, times->calls, sizeof *samples, compare_samples);
    times->median = samples[times->calls / 2];
    times->percentile99 = samples[(times->calls - 1) * 99 / 100];
    times->chunks = (double)series->reads / (double)times->calls;
}

/* Times the look-up of one position in each chunk, in a random order, with a new handle, whose
 * cache is empty. Ends earlier if the series needs no more samples. */
static enum wari_status time_chunks(struct series *series, struct wari_error *error)
{
    struct speed *speed = series->speed;
    struct wari_db *db;
    /* Steps of an odd size modulo a power of two visit every number once. */
    uint64_t round = 1, at = 0, step = 2 * random_below(speed, 1 << 30) + 1;
    while (round < speed->report->cached_chunks)
        round *= 2;
    enum wari_status status = open_handle(speed, &db, error);
    for (uint64_t i = 0; i < round && status == WARI_OK && needs_samples(series); i++) {
        at = (at + step) % round;
        if (at >= speed->report->cached_chunks)
            continue;
        uint64_t first = (speed->first_chunk + at) * WARI_CHUNK_POSITIONS;
        uint64_t count = speed->report->positions - first;
        struct wari_position position =
            pick(speed, first, count < WARI_CHUNK_POSITIONS ? count : WARI_CHUNK_POSITIONS);
        status = time_call(series, db, &position, false, error);
    }
    wari_close(db);
    return status;
}

static enum wari_status measure_chunks(struct speed *speed, struct wari_error *error)
{
    struct series series = start_series(speed, &speed->report->chunk_cold);
    enum wari_status status;
    do
        status = time_chunks(&series, error);
    while (status == WARI_OK && needs_samples(&series));
    finish_series(&series);
    return status;
}

/* Times wari_analyse() for random positions: if `cached`, with a handle that has just analysed the
 * same position, otherwise with a new handle for each. */
static enum wari_status measure_moves(struct speed *speed, bool cached, struct speed_times *times,
                                      struct wari_error *error)
{
    struct series series = start_series(speed, times);
    enum wari_status status;
    do {
        struct wari_position position = pick(speed, 0, speed->report->positions);
        struct wari_analysis analysis;
        struct wari_db *db = NULL;
        /* An untimed call first: it brings the files into the page cache, and the values into the
         * cache of speed->db. */
        status = wari_analyse(speed->db, &position, &analysis, error);
        if (status == WARI_OK && !cached)
            status = open_handle(speed, &db, error);
        if (status == WARI_OK)
            status = time_call(&series, cached ? speed->db : db, &position, true, error);
        wari_close(db);
    } while (status == WARI_OK && needs_samples(&series));
    finish_series(&series);
    return status;
}

/* ---- Arrays ---- */

enum { ARRAY = 1 << 16 }; /* more than a batch of wari_probe_many() */

/* Measures the values per second for the first ARRAY positions of the pool. `values` is a buffer
 * for their values. */
static enum wari_status measure_array(struct speed *speed, struct wari_db *db, bool at_once,
                                      int8_t *values, double *rate, struct wari_error *error)
{
    const double start = wari_seconds_now();
    enum wari_status status = WARI_OK;
    double seconds = 0;
    uint64_t count = 0;
    while (status == WARI_OK && seconds < speed->request->seconds) {
        int value = 0;
        if (at_once)
            status = wari_probe_many(db, speed->pool, ARRAY, values, error);
        else
            status = wari_probe(db, &speed->pool[count % ARRAY], &value, error);
        count += at_once ? ARRAY : 1;
        seconds = wari_seconds_now() - start;
    }
    *rate = (double)count / seconds;
    return status;
}

static enum wari_status measure_arrays(struct speed *speed, struct wari_error *error)
{
    const struct wari_options options = {1, &speed->host};
    struct speed_array *array = &speed->report->array;
    struct wari_db *db = NULL;
    int8_t *values = malloc(ARRAY);
    if (values == NULL)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for the measurements");
    for (size_t i = 0; i < ARRAY; i++)
        speed->pool[i] = pick(speed, 0, speed->report->positions);
    array->positions = ARRAY;
    enum wari_status status =
        wari_open(&db, speed->request->folder, &speed->request->variant, &options, error);
    if (status == WARI_OK)
        status = measure_array(speed, db, false, values, &array->one_by_one, error);
    if (status == WARI_OK)
        status = measure_array(speed, db, true, values, &array->at_once, error);
    wari_close(db);
    free(values);
    return status;
}

/* ---- All measurements ---- */

/* Determines the size of the level and the chunks of it that the cache is sure to hold. A tenth of
 * the cache is not counted, because of its own tables and of sets that do not become full. */
static enum wari_status choose_chunks(struct speed *speed, struct wari_error *error)
{
    struct wari_level_info info;
    struct speed_report *report = speed->report;
    enum wari_status status = wari_get_level_info(speed->db, speed->request->seeds, &info, error);
    if (status != WARI_OK)
        return status;
    report->positions = info.positions;
    report->chunks = wari_chunk_count(info.positions);
    report->cached_chunks = speed->request->cache_bytes / WARI_CHUNK_POSITIONS * 9 / 10;
    if (report->cached_chunks == 0)
        report->cached_chunks = 1;
    if (report->cached_chunks > report->chunks)
        report->cached_chunks = report->chunks;
    speed->first_chunk = random_below(speed, report->chunks - report->cached_chunks + 1);
    wari_layout_init(&speed->layout, speed->request->seeds);
    return WARI_OK;
}

enum wari_status speed_measure(const struct speed_request *request, struct speed_report *report,
                               struct wari_error *error)
{
    struct speed speed = {.request = request, .report = report, .host = *wari_host_system()};
    speed.host.context = &speed;
    speed.host.pread = count_pread;
    speed.random = 1;
    *report = (struct speed_report){0};
    speed.pool = malloc(POOL * sizeof *speed.pool);
    speed.samples = malloc(SAMPLES * sizeof *speed.samples);
    enum wari_status status = WARI_OK;
    if (!speed.pool || !speed.samples)
        status = wari_fail(error, WARI_NO_MEMORY, "not enough memory for the measurements");
    if (status == WARI_OK)
        status = open_handle(&speed, &speed.db, error);
    if (status == WARI_OK)
        status = choose_chunks(&speed, error);
    if (status == WARI_OK)
        status = measure_rates(&speed, error);
    if (status == WARI_OK)
        status = measure_chunks(&speed, error);
    if (status == WARI_OK)
        status = measure_moves(&speed, false, &report->moves_cold, error);
    if (status == WARI_OK)
        status = measure_moves(&speed, true, &report->moves_cached, error);
    if (status == WARI_OK)
        status = measure_arrays(&speed, error);
    wari_close(speed.db);
    free(speed.samples);
    free(speed.pool);
    return status;
}
