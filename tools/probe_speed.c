/* How quickly a database answers.
 *
 * From the cache: as many consecutive blocks of the level as surely fit are read first; then every
 * thread asks for positions of these blocks, prepared before the clock runs. Not from the cache:
 * handles are opened anew, outside the clock, and each call is timed on its own. The files are in
 * the page cache all the time, because everything is read once before: what is measured is this
 * program, not the disk.
 *
 * Every handle reads through a host that counts, so that what is called cached or not cached is
 * known to be so.
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
    POOL = 1 << 20,        /* positions to ask for: more than fit into a processor's caches */
    BETWEEN_CLOCKS = 1024, /* values between two looks at the clock: well under a millisecond */
    SAMPLES = 1 << 16,     /* single calls timed at most: 655 of them beyond the 99th percentile */
};

struct speed {
    const struct speed_request *request;
    struct speed_report *report;
    struct wari_host host;
    atomic_ullong reads; /* of chunks, headers and tables through the host */
    struct wari_db *db;  /* the one whose cache is filled */
    struct wari_layout layout;
    uint64_t first_block; /* of those that are cached */
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

/* Below `bound`. A linear congruential generator: its high bits are good enough to pick positions,
 * and runs are comparable. */
static uint64_t random_below(struct speed *speed, uint64_t bound)
{
    speed->random = speed->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (speed->random >> 20) % bound;
}

static enum wari_status open_handle(struct speed *speed, struct wari_db **db,
                                    struct wari_error *error)
{
    const struct wari_options options = {speed->request->cache_bytes, &speed->host};
    return wari_open(db, speed->request->folder, &speed->request->variant, &options, error);
}

/* A random position with its number in [first, first + count). */
static struct wari_position pick(struct speed *speed, uint64_t first, uint64_t count)
{
    struct wari_position position;
    wari_layout_unrank(&speed->layout, first + random_below(speed, count), &position);
    return position;
}

/* ---- From the cache ---- */

/* The part of the level that is cached: [*first, *first + the result). */
static uint64_t cached_positions(const struct speed *speed, uint64_t *first)
{
    uint64_t count = speed->report->cached_blocks * WARI_CHUNK_POSITIONS;
    *first = speed->first_block * WARI_CHUNK_POSITIONS;
    return count < speed->report->positions - *first ? count : speed->report->positions - *first;
}

static enum wari_status fill_cache(struct speed *speed, struct wari_error *error)
{
    int8_t value;
    enum wari_status status = WARI_OK;
    for (uint64_t i = 0; i < speed->report->cached_blocks && status == WARI_OK; i++)
        status = wari_values(speed->db, speed->request->seeds,
                             (speed->first_block + i) * WARI_CHUNK_POSITIONS, 1, &value, error);
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

struct asker {
    pthread_t thread;
    struct speed *speed;
    enum speed_order order;
    uint64_t at; /* where in the pool, or in the level, it starts */
    uint64_t values;
    double seconds;
    enum wari_status status;
    struct wari_error error;
};

static enum wari_status ask_pool(struct asker *asker)
{
    enum wari_status status = WARI_OK;
    for (int i = 0; i < BETWEEN_CLOCKS && status == WARI_OK; i++) {
        int value;
        asker->at = (asker->at + 1) % POOL;
        status =
            wari_probe(asker->speed->db, &asker->speed->pool[asker->at], &value, &asker->error);
    }
    asker->values += BETWEEN_CLOCKS;
    return status;
}

static enum wari_status ask_bulk(struct asker *asker)
{
    int8_t values[WARI_CHUNK_POSITIONS];
    uint64_t first;
    uint64_t count = cached_positions(asker->speed, &first);
    uint64_t here = asker->at % count;
    size_t part = count - here < sizeof values ? (size_t)(count - here) : sizeof values;
    enum wari_status status = wari_values(asker->speed->db, asker->speed->request->seeds,
                                          first + here, part, values, &asker->error);
    asker->values += part;
    asker->at = here + part;
    return status;
}

static void *ask(void *argument)
{
    struct asker *asker = argument;
    double start = wari_seconds_now();
    do {
        asker->status = asker->order == SPEED_BULK ? ask_bulk(asker) : ask_pool(asker);
        asker->seconds = wari_seconds_now() - start;
    } while (asker->status == WARI_OK && asker->seconds < asker->speed->request->seconds);
    return NULL;
}

/* Runs prepared askers side by side. They start some microseconds apart, which matters to nobody.
 */
static enum wari_status run_askers(struct asker *askers, int threads, struct wari_error *error)
{
    int started = 1; /* this one */
    int failure = 0;
    while (started < threads && failure == 0) {
        failure = pthread_create(&askers[started].thread, NULL, ask, &askers[started]);
        started += failure == 0;
    }
    (void)ask(&askers[0]);
    for (int i = 1; i < started; i++)
        (void)pthread_join(askers[i].thread, NULL);
    if (failure != 0)
        return wari_fail(error, WARI_NO_MEMORY, "cannot start %d threads, only %d (%s)", threads,
                         started, strerror(failure));
    for (int i = 0; i < threads; i++) {
        if (askers[i].status != WARI_OK) {
            *error = askers[i].error;
            return askers[i].status;
        }
    }
    return WARI_OK;
}

static enum wari_status measure_rate(struct speed *speed, enum speed_order order, int threads,
                                     struct speed_rate *rate, struct wari_error *error)
{
    struct asker *askers = calloc((size_t)threads, sizeof *askers);
    if (!askers)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for %d threads", threads);
    for (int i = 0; i < threads; i++) {
        askers[i].speed = speed;
        askers[i].order = order;
        askers[i].at = (uint64_t)i * POOL / (uint64_t)threads;
    }
    enum wari_status status = run_askers(askers, threads, error);
    *rate = (struct speed_rate){0, 0};
    for (int i = 0; i < threads && status == WARI_OK; i++)
        rate->all += (double)askers[i].values / askers[i].seconds;
    rate->each = rate->all / threads;
    free(askers);
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
    speed->report->blocks_read = atomic_load(&speed->reads) - before;
    return status;
}

/* ---- Not from the cache ---- */

static int by_size(const void *one, const void *other)
{
    double a = *(const double *)one;
    double b = *(const double *)other;
    return (a > b) - (a < b);
}

/* Samples as they come in. */
struct series {
    struct speed *speed;
    struct speed_times *times;
    double end; /* no more after this moment */
    uint64_t reads;
};

static struct series start_series(struct speed *speed, struct speed_times *times)
{
    *times = (struct speed_times){0};
    return (struct series){speed, times, wari_seconds_now() + speed->request->seconds, 0};
}

/* A series has one sample at least. */
static bool goes_on(const struct series *series)
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
    if (reads > times->most_blocks)
        times->most_blocks = reads;
    return status;
}

static void sum_up(struct series *series)
{
    struct speed_times *times = series->times;
    const double *samples = series->speed->samples;
    if (times->calls == 0)
        return;
    qsort(series->speed->samples, times->calls, sizeof *samples, by_size);
    times->median = samples[times->calls / 2];
    times->percentile99 = samples[(times->calls - 1) * 99 / 100];
    times->blocks = (double)series->reads / (double)times->calls;
}

/* Asks for one position of each block, in a random order, with a handle that has read nothing. */
static enum wari_status time_blocks(struct series *series, struct wari_error *error)
{
    struct speed *speed = series->speed;
    struct wari_db *db;
    /* An odd step through a power of two comes to every number once. */
    uint64_t round = 1, at = 0, step = 2 * random_below(speed, 1 << 30) + 1;
    while (round < speed->report->cached_blocks)
        round *= 2;
    enum wari_status status = open_handle(speed, &db, error);
    for (uint64_t i = 0; i < round && status == WARI_OK && goes_on(series); i++) {
        at = (at + step) % round;
        if (at >= speed->report->cached_blocks)
            continue;
        uint64_t first = (speed->first_block + at) * WARI_CHUNK_POSITIONS;
        uint64_t count = speed->report->positions - first;
        struct wari_position position =
            pick(speed, first, count < WARI_CHUNK_POSITIONS ? count : WARI_CHUNK_POSITIONS);
        status = time_call(series, db, &position, false, error);
    }
    wari_close(db);
    return status;
}

static enum wari_status measure_blocks(struct speed *speed, struct wari_error *error)
{
    struct series series = start_series(speed, &speed->report->block_cold);
    enum wari_status status;
    do
        status = time_blocks(&series, error);
    while (status == WARI_OK && goes_on(&series));
    sum_up(&series);
    return status;
}

/* All moves of random positions, each with a handle that has read nothing, or once more. */
static enum wari_status measure_moves(struct speed *speed, bool again, struct speed_times *times,
                                      struct wari_error *error)
{
    struct series series = start_series(speed, times);
    enum wari_status status;
    do {
        struct wari_position position = pick(speed, 0, speed->report->positions);
        struct wari_analysis analysis;
        struct wari_db *db = NULL;
        /* First outside the clock, so that files are in the page cache, and values in that of this
         * handle. */
        status = wari_analyse(speed->db, &position, &analysis, error);
        if (status == WARI_OK && !again)
            status = open_handle(speed, &db, error);
        if (status == WARI_OK)
            status = time_call(&series, again ? speed->db : db, &position, true, error);
        wari_close(db);
    } while (status == WARI_OK && goes_on(&series));
    sum_up(&series);
    return status;
}

/* ---- Arrays ---- */

/* Some more than a batch of wari_probe_many(). */
enum { ARRAY = 1 << 16 };

/* The pool has the array, `values` room for its values. *rate: values a second. */
static enum wari_status measure_array(struct speed *speed, struct wari_db *db, bool at_once,
                                      int8_t *values, double *rate, struct wari_error *error)
{
    const double start = wari_seconds_now();
    enum wari_status status = WARI_OK;
    double seconds = 0;
    uint64_t asked = 0;
    while (status == WARI_OK && seconds < speed->request->seconds) {
        int value = 0;
        if (at_once)
            status = wari_probe_many(db, speed->pool, ARRAY, values, error);
        else
            status = wari_probe(db, &speed->pool[asked % ARRAY], &value, error);
        asked += at_once ? ARRAY : 1;
        seconds = wari_seconds_now() - start;
    }
    *rate = (double)asked / seconds;
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

/* ---- All of it ---- */

/* What the level is, and which part of it the cache holds whatever the order of the blocks: it
 * loses some of its room to its own tables and to sets that are not full. */
static enum wari_status look_at_level(struct speed *speed, struct wari_error *error)
{
    struct wari_level_info info;
    struct speed_report *report = speed->report;
    enum wari_status status = wari_level_info(speed->db, speed->request->seeds, &info, error);
    if (status != WARI_OK)
        return status;
    report->positions = info.positions;
    report->blocks = wari_chunk_count(info.positions);
    report->cached_blocks = speed->request->cache_bytes / WARI_CHUNK_POSITIONS * 9 / 10;
    if (report->cached_blocks == 0)
        report->cached_blocks = 1;
    if (report->cached_blocks > report->blocks)
        report->cached_blocks = report->blocks;
    speed->first_block = random_below(speed, report->blocks - report->cached_blocks + 1);
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
        status = look_at_level(&speed, error);
    if (status == WARI_OK)
        status = measure_rates(&speed, error);
    if (status == WARI_OK)
        status = measure_blocks(&speed, error);
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
