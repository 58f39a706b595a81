/* A table of jobs protected by one lock, and threads that search the jobs in turn.
 *
 * Invariant: a job that is being searched is neither taken by another thread nor removed from the
 * table. Only its own thread writes its result, while holding the lock; the search itself runs
 * without the lock. */
#include "serve/analysis.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "serve/connections.h"
#include "serve/databases.h"
#include "system/clock.h"

enum {
    FIRST_SLICE_MS = 100,   /* length of the first slice; each further slice is twice as long */
    SHARED_SLICE_MS = 1000, /* a slice is stopped after this time if another job is waiting */
    DOUBLINGS_MAX = 7,      /* number of times that the length is doubled */
    SEARCH_MAX_MS = 25000,
};

enum stage {
    STAGE_FREE,
    STAGE_PAUSED, /* no client is waiting for it */
    STAGE_WAITING,
    STAGE_SEARCHING,
    STAGE_DONE,
    STAGE_FAILED, /* the search failed; the job has this stage until the error has been reported
                   * to a client */
};

struct job {
    enum stage stage;
    struct analysis_query query;
    int64_t polled_at;   /* time of the last query for it */
    int64_t active_at;   /* time of the last query whose result did not suffice */
    int64_t slice_start; /* time at which the current slice began */
    uint64_t ticket;     /* position in the queue: of the waiting jobs, the one with the lowest
                          * ticket is searched next */
    int slices;          /* number of completed slices */
    int64_t milliseconds;
    atomic_bool stop;
    struct wari_position_result result;
    struct wari_error error;
};

struct searcher {
    struct analysis *analysis;
    pthread_t thread;
    struct wari_search *search; /* uses the tables of `db` and the rules of `variant` */
    struct wari_db *db;
    struct wari_variant variant;
};

struct analysis {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* signalled when a job is waiting or the threads must end */
    bool ending;
    uint64_t next_ticket;
    unsigned count; /* number of threads */
    struct searcher searchers[ANALYSIS_THREADS_MAX];
    struct job jobs[ANALYSIS_JOBS_MAX];
};

const char *analysis_state_name(enum analysis_state state)
{
    static const char *const names[] = {[ANALYSIS_WAITING] = "waiting",
                                        [ANALYSIS_SEARCHING] = "searching",
                                        [ANALYSIS_DONE] = "done"};
    return names[state];
}

/* ---- Jobs ---- */

static bool is_active(const struct job *job, int64_t now)
{
    return now - job->active_at <= ANALYSIS_TIMEOUT_MS;
}

/* Returns true if a client still needs the entry of the job, even if it need not be searched now: a
 * review queries all its positions until all of them are known. */
static bool is_retained(const struct job *job, int64_t now)
{
    return job->stage != STAGE_FREE && now - job->polled_at <= ANALYSIS_TIMEOUT_MS;
}

static bool is_same(const struct analysis_query *one, const struct analysis_query *other)
{
    return one->db == other->db && is_same_variant(one->variant, other->variant) &&
           memcmp(&one->setup.position, &other->setup.position, sizeof one->setup.position) == 0 &&
           memcmp(one->setup.stores, other->setup.stores, sizeof one->setup.stores) == 0 &&
           one->setup.north_to_move == other->setup.north_to_move;
}

/* Returns the job of this query. If there is none, creates it in a free entry or in that of the job
 * that was queried least recently. Returns NULL if every entry is in use. */
static struct job *find_job(struct analysis *analysis, const struct analysis_query *query)
{
    struct job *entry = NULL;
    int64_t now = wari_milliseconds_now();
    for (int i = 0; i < ANALYSIS_JOBS_MAX; i++) {
        struct job *job = &analysis->jobs[i];
        if (job->stage != STAGE_FREE && is_same(&job->query, query))
            return job;
        bool can_evict =
            !is_retained(job, now) && job->stage != STAGE_WAITING && job->stage != STAGE_SEARCHING;
        if (can_evict &&
            (!entry || (entry->stage != STAGE_FREE &&
                        (job->stage == STAGE_FREE || job->polled_at < entry->polled_at))))
            entry = job;
    }
    if (entry) {
        memset(entry, 0, sizeof *entry);
        entry->stage = STAGE_PAUSED;
        entry->query = *query;
    }
    return entry;
}

static void enqueue(struct analysis *analysis, struct job *job)
{
    job->stage = STAGE_WAITING;
    job->ticket = analysis->next_ticket++;
    pthread_cond_signal(&analysis->changed);
}

/* Returns the waiting job with the lowest ticket, or NULL. Pauses jobs that no client waits for any
 * more. */
static struct job *next_job(struct analysis *analysis)
{
    struct job *next = NULL;
    int64_t now = wari_milliseconds_now();
    for (int i = 0; i < ANALYSIS_JOBS_MAX; i++) {
        struct job *job = &analysis->jobs[i];
        if (job->stage == STAGE_WAITING && !is_active(job, now))
            job->stage = STAGE_PAUSED;
        if (job->stage == STAGE_WAITING && (!next || job->ticket < next->ticket))
            next = job;
    }
    return next;
}

static unsigned count_jobs_before(const struct analysis *analysis, const struct job *one)
{
    unsigned count = 0;
    int64_t now = wari_milliseconds_now();
    for (int i = 0; i < ANALYSIS_JOBS_MAX; i++) {
        const struct job *job = &analysis->jobs[i];
        count += job->stage == STAGE_WAITING && job->ticket < one->ticket && is_active(job, now);
    }
    return count;
}

static bool client_is_full(const struct analysis *analysis, uint64_t client, int64_t now)
{
    int count = 0;
    for (int i = 0; i < ANALYSIS_JOBS_MAX && client != CLIENT_UNIDENTIFIED; i++) {
        const struct job *job = &analysis->jobs[i];
        count += job->query.client == client && is_retained(job, now);
    }
    return count >= ANALYSIS_CLIENT_MAX;
}

/* ---- Searching ---- */

/* Makes sure that the thread's search uses the tables and the variant of the query. */
static enum wari_status make_search(struct searcher *searcher, const struct analysis_query *query,
                                    struct wari_error *error)
{
    const struct wari_search_settings settings = {.hash_mb = ANALYSIS_HASH_MB,
                                                  .variant = query->variant};
    if (searcher->search && searcher->db == query->db &&
        is_same_variant(searcher->variant, query->variant))
        return WARI_OK;
    wari_search_free(searcher->search);
    searcher->db = query->db;
    searcher->variant = query->variant;
    return wari_search_new(&searcher->search, searcher->db, wari_host_system(), &settings, error);
}

/* Searches the position of a job for one slice (analysis.h). The caller must not hold the lock.
 * *elapsed is in milliseconds. */
static enum wari_status search(struct searcher *searcher, struct job *job,
                               struct wari_position_result *result, int64_t *elapsed,
                               struct wari_error *error)
{
    const struct analysis_query *query = &job->query;
    const struct wari_search_limits limits = {
        .depth = WARI_SEARCH_DEPTH_MAX,
        .milliseconds = (int64_t)FIRST_SLICE_MS << job->slices,
        .stop = &job->stop,
        .lines = WARI_HALF_PITS,
    };
    struct wari_game game;
    int64_t start = wari_milliseconds_now();
    enum wari_status status = make_search(searcher, query, error);
    if (status != WARI_OK)
        return status;
    wari_game_begin(&game, wari_host_system(), query->variant, &query->setup);
    status = wari_evaluate_position(query->db, searcher->search, &game, &limits, result, error);
    *elapsed = wari_milliseconds_now() - start;
    return status;
}

/* Adds the result of a slice. The job is then done, waits for its next turn, or is paused. */
static void add_result(struct analysis *analysis, struct job *job,
                       const struct wari_position_result *result, int64_t elapsed)
{
    if (job->milliseconds > 0)
        wari_position_result_merge(&job->result, result, wari_seeds(&job->query.setup.position));
    else
        job->result = *result;
    job->milliseconds += elapsed > 0 ? elapsed : 1;
    job->slices += job->slices < DOUBLINGS_MAX && !atomic_load(&job->stop);
    if (job->result.value.kind == WARI_KIND_EXACT || job->milliseconds >= SEARCH_MAX_MS ||
        result->last.depth == WARI_SEARCH_DEPTH_MAX)
        job->stage = STAGE_DONE;
    else if (is_active(job, wari_milliseconds_now()))
        enqueue(analysis, job);
    else
        job->stage = STAGE_PAUSED;
}

static void search_job(struct searcher *searcher, struct job *job)
{
    struct analysis *analysis = searcher->analysis;
    struct wari_position_result result;
    struct wari_error error;
    int64_t elapsed = 0;
    job->stage = STAGE_SEARCHING;
    job->slice_start = wari_milliseconds_now();
    atomic_store(&job->stop, false);
    pthread_mutex_unlock(&analysis->lock);
    enum wari_status status = search(searcher, job, &result, &elapsed, &error);
    pthread_mutex_lock(&analysis->lock);
    if (status == WARI_OK) {
        add_result(analysis, job, &result, elapsed);
    } else {
        job->stage = STAGE_FAILED;
        job->error = error;
    }
}

static void *search_jobs(void *context)
{
    struct searcher *searcher = context;
    struct analysis *analysis = searcher->analysis;
    pthread_mutex_lock(&analysis->lock);
    while (!analysis->ending) {
        struct job *job = next_job(analysis);
        if (job)
            search_job(searcher, job);
        else
            pthread_cond_wait(&analysis->changed, &analysis->lock);
    }
    pthread_mutex_unlock(&analysis->lock);
    wari_search_free(searcher->search);
    return NULL;
}

/* ---- Queries ---- */

/* Reports the current result of a job, or its error. */
static enum wari_status report_job(const struct analysis *analysis, struct job *job,
                                   bool count_earlier, struct analysis_result *result,
                                   struct wari_error *error)
{
    if (job->stage == STAGE_FAILED) {
        job->stage = STAGE_FREE;
        return wari_fail(error, job->error.status, "%s", job->error.text);
    }
    *result = (struct analysis_result){
        .state = job->stage == STAGE_DONE        ? ANALYSIS_DONE
                 : job->stage == STAGE_SEARCHING ? ANALYSIS_SEARCHING
                                                 : ANALYSIS_WAITING,
        .jobs_before =
            count_earlier && job->stage == STAGE_WAITING ? count_jobs_before(analysis, job) : 0,
        .milliseconds = job->milliseconds,
        .result = job->result,
    };
    return WARI_OK;
}

/* Keeps the job in the table for this client, and has it searched unless its result suffices. */
static enum wari_status renew(struct analysis *analysis, struct job *job,
                              const struct analysis_query *query, struct wari_error *error)
{
    int64_t now = wari_milliseconds_now();
    if (!is_retained(job, now)) {
        if (client_is_full(analysis, query->client, now))
            return wari_fail(error, WARI_NO_MEMORY,
                             "your address already has %d positions waiting; try again soon",
                             ANALYSIS_CLIENT_MAX);
        job->query.client = query->client;
    }
    job->polled_at = now;
    if (query->defer || (query->enough_ms > 0 && job->milliseconds >= query->enough_ms))
        return WARI_OK;
    job->active_at = now;
    if (job->stage == STAGE_PAUSED && !analysis->ending)
        enqueue(analysis, job);
    return WARI_OK;
}

enum wari_status analysis_poll(struct analysis *analysis, const struct analysis_query *query,
                               struct analysis_result *result, struct wari_error *error)
{
    enum wari_status status;
    pthread_mutex_lock(&analysis->lock);
    struct job *job = find_job(analysis, query);
    if (job)
        status = renew(analysis, job, query, error);
    else
        status = wari_fail(error, WARI_NO_MEMORY,
                           "%d positions are already waiting; try again soon", ANALYSIS_JOBS_MAX);
    if (status == WARI_OK)
        status = report_job(analysis, job, query->count_earlier, result, error);
    pthread_mutex_unlock(&analysis->lock);
    return status;
}

void analysis_tick(struct analysis *analysis)
{
    pthread_mutex_lock(&analysis->lock);
    bool others = next_job(analysis) != NULL;
    int64_t now = wari_milliseconds_now();
    for (int i = 0; i < ANALYSIS_JOBS_MAX; i++) {
        struct job *job = &analysis->jobs[i];
        bool used_up = others && now - job->slice_start >= SHARED_SLICE_MS;
        if (job->stage == STAGE_SEARCHING && (used_up || !is_active(job, now)))
            atomic_store(&job->stop, true);
    }
    pthread_mutex_unlock(&analysis->lock);
}

/* ---- Start and stop ---- */

void analysis_stop(struct analysis *analysis)
{
    pthread_mutex_lock(&analysis->lock);
    analysis->ending = true;
    for (int i = 0; i < ANALYSIS_JOBS_MAX; i++)
        atomic_store(&analysis->jobs[i].stop, true);
    pthread_cond_broadcast(&analysis->changed);
    pthread_mutex_unlock(&analysis->lock);
}

void analysis_end(struct analysis *analysis)
{
    if (!analysis)
        return;
    analysis_stop(analysis);
    for (unsigned i = 0; i < analysis->count; i++)
        (void)pthread_join(analysis->searchers[i].thread, NULL);
    (void)pthread_cond_destroy(&analysis->changed);
    (void)pthread_mutex_destroy(&analysis->lock);
    free(analysis);
}

enum wari_status analysis_start(struct analysis **started, unsigned threads,
                                struct wari_error *error)
{
    struct analysis *analysis = calloc(1, sizeof *analysis);
    *started = NULL;
    if (!analysis)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for analyses");
    (void)pthread_mutex_init(&analysis->lock, NULL); /* cannot fail without attributes */
    (void)pthread_cond_init(&analysis->changed, NULL);
    for (; analysis->count < threads; analysis->count++) {
        struct searcher *searcher = &analysis->searchers[analysis->count];
        searcher->analysis = analysis;
        if (pthread_create(&searcher->thread, NULL, search_jobs, searcher) != 0) {
            analysis_end(analysis);
            return wari_fail(error, WARI_NO_MEMORY, "cannot start a thread for analyses");
        }
    }
    *started = analysis;
    return WARI_OK;
}
