/* Checks the files of a database against their hashes.
 *
 * The levels are checked one after the other: first the header, the model and the whole offset
 * table. Then several threads read and hash every chunk; each thread takes one batch of chunks
 * after the other. The threads store one result for each chunk, so their order does not matter:
 * afterwards the calling thread reports the results in the order of the chunks. A large level is
 * checked in ranges of chunks, so that the results take little memory. A chunk that cannot be read
 * is reported like a damaged one, and the check continues, because a complete list is needed to
 * repair a disk. */
#include "db/maintain/check.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "db/catalogue/catalogue_file.h"
#include "db/catalogue/level_open.h"
#include "db/catalogue/variants.h"
#include "db/format/chunk.h"
#include "db/format/level_file.h"
#include "db/format/level_header.h"
#include "index/level.h"

enum {
    CHUNKS_AT_ONCE = 16, /* number of chunks in a batch, about 45 KB. Checking a batch takes longer
                          * than starting one */
    CHUNKS_IN_RANGE = 1 << 20, /* number of chunks in a range, about 3 GB */
};

/* The result for a chunk: GOOD, DAMAGED, or the errno of the read that failed. */
typedef int16_t chunk_result;
enum { GOOD = 0, DAMAGED = -1 };

struct run {
    const struct wari_check *check;
    const struct wari_host *host;
    struct wari_check_report *report;
    struct wari_error *error;
    struct wari_catalogue catalogue;
    struct wari_error unopened; /* error of a level file that could not be opened during the search
                                   for missing levels; WARI_OK if there is none */
    uint64_t chunks_before;     /* number of chunks in the levels that are finished */
    uint64_t chunks_all;        /* number of chunks in all levels */
};

/* A level, and the range of its chunks that is being checked; shared by the threads. */
struct level {
    const struct run *run;
    const struct wari_level_file *file;
    int seeds;
    uint64_t first, end;       /* the range: chunks `first` to `end` - 1 */
    chunk_result *results;     /* [chunk - first] */
    atomic_uint_fast64_t next; /* number of the first chunk that no thread has taken */
};

struct worker {
    struct level *level;
    void *buffer; /* scratch space for one encoded chunk */
    pthread_t thread;
};

static bool stopped(const struct wari_check *check)
{
    return check->stop != NULL && atomic_load_explicit(check->stop, memory_order_relaxed);
}

/* ---- Findings ------------------------------------------------------------------------------- */

int wari_check_severity(enum wari_status status)
{
    return status == WARI_CORRUPT ? 3 : status == WARI_MISMATCH ? 2 : status == WARI_IO ? 1 : 0;
}

static void report_damage(const struct run *run, const char *path, int seeds,
                          struct wari_file_location location, const struct wari_error *why)
{
    struct wari_damage damage = {why->status,   strrchr(path, '/') + 1, seeds,
                                 location.part, location.offset,        why->text};
    run->report->damaged++;
    if (wari_check_severity(why->status) > wari_check_severity(run->report->worst))
        run->report->worst = why->status;
    run->check->found(run->check->context, &damage);
}

/* Returns true if a status describes a file, and not a failure of the check itself. */
static bool is_finding(enum wari_status status)
{
    return wari_check_severity(status) > 0;
}

static void report_chunks(const struct level *level, const char *path, uint64_t first,
                          uint64_t last)
{
    const unsigned long long start = wari_level_file_chunk_offset(level->file, first);
    const unsigned long long end = wari_level_file_chunk_offset(level->file, last + 1);
    const char *plural = last > first ? "s" : "";
    const chunk_result found = level->results[first - level->first];
    char numbers[48];
    struct wari_error why;

    snprintf(numbers, sizeof numbers, last > first ? "%llu to %llu" : "%llu",
             (unsigned long long)first, (unsigned long long)last);
    if (found == DAMAGED) {
        wari_fail(
            &why, WARI_CORRUPT,
            "%s: chunk%s %s at offset %llu, up to %llu: the hash%s not match; " WARI_GET_AGAIN,
            path, plural, numbers, start, end, last > first ? "es do" : " does");
    } else {
        char reason[WARI_REASON];
        wari_fail(&why, WARI_IO, "%s: cannot read chunk%s %s at offset %llu, up to %llu: %s", path,
                  plural, numbers, start, end, wari_reason(found, reason));
    }
    report_damage(level->run, path, level->seeds, (struct wari_file_location){"chunks", start},
                  &why);
}

static void report_range(const struct level *level, const char *path)
{
    const uint64_t count = level->end - level->first;
    uint64_t last;
    for (uint64_t i = 0; i < count; i = last + 1) {
        last = i;
        if (level->results[i] == GOOD)
            continue;
        while (last + 1 < count && level->results[last + 1] == level->results[i])
            last++;
        report_chunks(level, path, level->first + i, level->first + last);
    }
}

/* ---- Reading chunks ------------------------------------------------------------------------- */

static chunk_result check_chunk(const struct level *level, uint64_t chunk, void *buffer)
{
    enum wari_status status = wari_level_file_check_chunk(level->file, chunk, buffer, NULL);
    if (status == WARI_OK)
        return GOOD;
    return status == WARI_IO && errno > 0 ? (chunk_result)errno : DAMAGED;
}

/* Takes a batch of chunks and checks it. Returns false if no batch is left or the check must
 * stop. */
static bool check_batch(struct worker *worker)
{
    struct level *level = worker->level;
    uint64_t chunk =
        stopped(level->run->check) ? level->end : atomic_fetch_add(&level->next, CHUNKS_AT_ONCE);
    uint64_t end = chunk + CHUNKS_AT_ONCE < level->end ? chunk + CHUNKS_AT_ONCE : level->end;
    if (chunk >= level->end)
        return false;
    for (; chunk < end; chunk++)
        level->results[chunk - level->first] = check_chunk(level, chunk, worker->buffer);
    return true;
}

static void *run_worker(void *worker)
{
    while (check_batch(worker))
        continue;
    return NULL;
}

/* Runs all workers. The calling thread runs the first worker, which is the only one that reports
 * progress. */
static void run_workers(struct worker *workers, int count)
{
    const struct level *level = workers[0].level;
    const struct wari_check *check = level->run->check;
    int started = 1;
    while (started < count &&
           pthread_create(&workers[started].thread, NULL, run_worker, &workers[started]) == 0)
        started++;
    while (check_batch(&workers[0])) {
        uint64_t taken = atomic_load(&level->next);
        if (check->progress != NULL)
            check->progress(check->context,
                            level->run->chunks_before + (taken < level->end ? taken : level->end),
                            level->run->chunks_all);
    }
    while (started > 1)
        pthread_join(workers[--started].thread, NULL);
}

static int worker_count(const struct wari_check *check, uint64_t chunks)
{
    uint64_t useful = (chunks + CHUNKS_AT_ONCE - 1) / CHUNKS_AT_ONCE;
    return (uint64_t)check->threads < useful ? check->threads : (int)useful;
}

static enum wari_status check_chunks(struct run *run, const struct wari_level_file *file, int seeds,
                                     uint64_t chunks, const char *path)
{
    struct level level = {.run = run, .file = file, .seeds = seeds};
    const int count = worker_count(run->check, chunks);
    const size_t results = chunks < CHUNKS_IN_RANGE ? (size_t)chunks : CHUNKS_IN_RANGE;
    const size_t workers_bytes = (size_t)count * sizeof(struct worker);
    const size_t buffers_bytes = (size_t)count * WARI_CHUNK_BYTES_MAX;
    void *memory;
    enum wari_status status =
        wari_allocate(run->host, workers_bytes + buffers_bytes + results * sizeof(chunk_result),
                      "checking a level", &memory, run->error);
    if (status != WARI_OK)
        return status;

    /* The order ensures the alignment: first the pointers, then the results, which need even
     * addresses, then the bytes. */
    struct worker *workers = memory;
    level.results = (chunk_result *)((char *)memory + workers_bytes);
    char *buffers = (char *)(level.results + results);
    for (int i = 0; i < count; i++)
        workers[i] = (struct worker){.level = &level, .buffer = buffers + i * WARI_CHUNK_BYTES_MAX};
    for (; level.first < chunks && !stopped(run->check); level.first = level.end) {
        level.end = chunks - level.first < results ? chunks : level.first + results;
        atomic_store(&level.next, level.first);
        run_workers(workers, count);
        if (!stopped(run->check))
            report_range(&level, path);
    }
    if (stopped(run->check))
        status = wari_fail(run->error, WARI_INTERRUPTED, "stopped on request");
    wari_release(run->host, memory);
    return status;
}

/* ---- Levels and catalogue ------------------------------------------------------------------- */

static enum wari_status check_opened(struct run *run, struct wari_level_file *file, int seeds,
                                     const char *path)
{
    const uint64_t chunks = wari_level_file_chunks(file);
    run->report->chunks += chunks;
    /* With a number beyond the last chunk, the function returns the size of the file. */
    run->report->bytes += wari_level_file_chunk_offset(file, chunks);
    enum wari_status status = check_chunks(run, file, seeds, chunks, path);
    wari_level_file_close(file);
    return status;
}

static enum wari_status check_level(struct run *run, int seeds)
{
    const struct wari_level_address address = {
        run->host, run->check->folder, {run->check->variant, seeds}};
    struct wari_level_file *file;
    struct wari_file_location location;
    struct wari_error why;
    char path[WARI_PATH_MAX];
    enum wari_status status = wari_level_path(path, address.folder, address.key, run->error);
    if (status != WARI_OK)
        return status;

    status = wari_catalogue_inspect_level(&file, &address, &run->catalogue.level[seeds], &location,
                                          &why);
    if (status == WARI_OK) {
        location = (struct wari_file_location){"offset table", WARI_HEADER_BYTES};
        status = wari_level_file_check_table(file, &why);
        if (status != WARI_OK)
            wari_level_file_close(file);
    }
    if (!is_finding(status))
        return status == WARI_OK ? check_opened(run, file, seeds, path)
                                 : wari_fail(run->error, status, "%s", why.text);
    status = WARI_OK;
    if (strcmp(location.part, "catalogue") == 0) {
        status = wari_catalogue_path(path, address.folder, address.key.variant, run->error);
        seeds = -1;
    }
    if (status == WARI_OK)
        report_damage(run, path, seeds, location, &why);
    return status;
}

/* Reports all missing levels as one finding. */
static enum wari_status report_missing(struct run *run)
{
    const struct wari_catalogue *catalogue = &run->catalogue;
    const char *folder = run->check->folder;
    char path[WARI_PATH_MAX], list[WARI_PATH_MAX], levels[WARI_MISSING_TEXT];
    struct wari_error why;
    int first = 0;

    while (first <= catalogue->seeds_max && !catalogue->missing[first])
        first = wari_catalogue_next(first);
    if (first > catalogue->seeds_max)
        return WARI_OK;
    enum wari_status status = wari_level_path(
        path, folder, (struct wari_level_key){run->check->variant, first}, run->error);
    if (status == WARI_OK)
        status = wari_catalogue_path(list, folder, run->check->variant, run->error);
    if (status != WARI_OK)
        return status;
    wari_fail(&why, WARI_IO, "%s: %s; copy the files, or solve the levels with 'wari build'", list,
              wari_missing_text(catalogue->missing, levels));
    report_damage(run, path, first, (struct wari_file_location){"file", 0}, &why);
    return WARI_OK;
}

static enum wari_status check_catalogue(struct run *run)
{
    const struct wari_check *check = run->check;
    struct wari_error why;
    char path[WARI_PATH_MAX];
    enum wari_status status = wari_catalogue_path(path, check->folder, check->variant, run->error);
    if (status != WARI_OK)
        return status;

    status = wari_catalogue_read(&run->catalogue, run->host, check->folder, check->variant, &why);
    if (is_finding(status)) {
        report_damage(run, path, -1, (struct wari_file_location){"catalogue", 0}, &why);
        return WARI_OK;
    }
    if (status != WARI_OK)
        return wari_fail(run->error, status, "%s", why.text);
    if (run->catalogue.seeds_max < 0)
        return wari_variant_missing(run->host, check->folder, check->variant, run->error);
    status = wari_catalogue_find_missing(&run->catalogue, run->host, check->folder, &run->unopened);
    if (status == WARI_OK || status == WARI_IO)
        return WARI_OK; /* a file that cannot be opened is reported when it is checked */
    return wari_fail(run->error, status, "%s", run->unopened.text);
}

enum wari_status wari_check(const struct wari_check *check, struct wari_check_report *report,
                            struct wari_error *error)
{
    const struct wari_host *host = check->host != NULL ? check->host : wari_host_system();
    void *memory;
    enum wari_status status =
        wari_allocate(host, sizeof(struct run), "a catalogue", &memory, error);
    *report = (struct wari_check_report){.worst = WARI_OK};
    if (status != WARI_OK)
        return status;

    struct run *run = memory;
    memset(run, 0, sizeof *run);
    run->check = check;
    run->host = host;
    run->report = report;
    run->error = error;
    status = check_catalogue(run);
    const int last = status == WARI_OK && report->damaged == 0 ? run->catalogue.seeds_max : -1;
    for (int n = 0; n <= last; n++)
        if (wari_catalogue_has(&run->catalogue, n))
            run->chunks_all += wari_chunk_count(wari_level_positions(n));
    if (last >= 0)
        status = report_missing(run);
    for (int n = 0; n <= last && status == WARI_OK; n++) {
        if (!wari_catalogue_has(&run->catalogue, n))
            continue;
        status = check_level(run, n);
        run->chunks_before += wari_chunk_count(wari_level_positions(n));
        report->levels++;
    }
    if (status == WARI_OK && run->unopened.status != WARI_OK && report->damaged == 0)
        status = wari_fail(error, run->unopened.status, "%s", run->unopened.text);
    wari_release(host, run);
    return status;
}
