/* A table of jobs under one lock, and threads that take them in ticket.
 *
 * What always holds: a job that is being searched is not taken by another thread nor thrown out of
 * the table, and its thread alone writes what it found, under the lock. Searches themselves go on
 * without the lock.
 */
#include "serve/analysis.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "serve/connections.h"
#include "serve/databases.h"

enum {
    FIRST_SLICE_MS = 100, /* milliseconds; each is twice as long as the one before */
    SHARED_SLICE_MS = 1000,
    DOUBLINGS_MAX = 7, /* that are doubled */
    SEARCH_MAX_MS = 25000,
};

enum stage {
    STAGE_FREE,
    STAGE_PAUSED, /* nobody waits for it */
    STAGE_WAITING,
    STAGE_SEARCHING,
    STAGE_DONE,
    STAGE_FAILED, /* until somebody has been told */
};

struct job {
    enum stage stage;
    struct analysis_query query;
    int64_t polled_at;   /* when somebody active_at about it, the last time, */
    int64_t active_at;   /* and when somebody waited for more of it */
    int64_t slice_start; /* of the slice */
    uint64_t ticket;     /* of those that wait, the lowest comes first */
    int slices;          /* done */
    int64_t milliseconds;
    atomic_bool stop;
    struct wari_appraisal appraisal;
    struct wari_error error;
};

struct searcher {
    struct analysis *analysis;
    pthread_t thread;
    struct wari_search *search; /* above these tables, */
    struct wari_db *db;
    struct wari_variant variant; /* by these rules */
};

struct analysis {
    pthread_mutex_t lock;
    pthread_cond_t work; /* a job waits, or the end has come */
    bool ending;
    uint64_t next_ticket;
    unsigned count; /* of threads */
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

/* Whether it is of use to somebody, searched or not: a review is active_at for until all of its
 * positions are known. */
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

/* The job of this query, or a count_earlier for it: a free one, or that of the job which nobody has
 * active_at about for longest. NULL: all are polled_at. */
static struct job *find_job(struct analysis *analysis, const struct analysis_query *query)
{
    struct job *count_earlier = NULL;
    int64_t now = clock_now();
    for (int i = 0; i < ANALYSIS_JOBS_MAX; i++) {
        struct job *job = &analysis->jobs[i];
        if (job->stage != STAGE_FREE && is_same(&job->query, query))
            return job;
        bool can_go =
            !is_retained(job, now) && job->stage != STAGE_WAITING && job->stage != STAGE_SEARCHING;
        if (can_go && (!count_earlier ||
                       (count_earlier->stage != STAGE_FREE &&
                        (job->stage == STAGE_FREE || job->polled_at < count_earlier->polled_at))))
            count_earlier = job;
    }
    if (count_earlier) {
        memset(count_earlier, 0, sizeof *count_earlier);
        count_earlier->stage = STAGE_PAUSED;
        count_earlier->query = *query;
    }
    return count_earlier;
}

static void enqueue(struct analysis *analysis, struct job *job)
{
    job->stage = STAGE_WAITING;
    job->ticket = analysis->next_ticket++;
    pthread_cond_signal(&analysis->work);
}

/* The next job; those that nobody waits for any more are put aside. */
static struct job *next_job(struct analysis *analysis)
{
    struct job *next = NULL;
    int64_t now = clock_now();
    for (int i = 0; i < ANALYSIS_JOBS_MAX; i++) {
        struct job *job = &analysis->jobs[i];
        if (job->stage == STAGE_WAITING && !is_active(job, now))
            job->stage = STAGE_PAUSED;
        if (job->stage == STAGE_WAITING && (!next || job->ticket < next->ticket))
            next = job;
    }
    return next;
}

static unsigned count_before(const struct analysis *analysis, const struct job *one)
{
    unsigned count = 0;
    int64_t now = clock_now();
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

/* A search above the tables of the job: that at hand, unless it is for others. */
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

/* One slice, without the lock; *elapsed: milliseconds. */
static enum wari_status search(struct searcher *searcher, struct job *job,
                               struct wari_appraisal *appraisal, int64_t *elapsed,
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
    int64_t slice_start = clock_now();
    enum wari_status status = make_search(searcher, query, error);
    if (status != WARI_OK)
        return status;
    wari_game_begin(&game, wari_host_system(), query->variant, &query->setup);
    status = wari_appraise(query->db, searcher->search, &game, &limits, appraisal, error);
    *elapsed = clock_now() - slice_start;
    return status;
}

/* Adds what a slice found; the job then is done, waits for its next ticket, or is put aside. */
static void add_result(struct analysis *analysis, struct job *job,
                       const struct wari_appraisal *appraisal, int64_t elapsed)
{
    if (job->milliseconds > 0)
        wari_appraisal_add(&job->appraisal, appraisal, wari_seeds(&job->query.setup.position));
    else
        job->appraisal = *appraisal;
    job->milliseconds += elapsed > 0 ? elapsed : 1;
    job->slices += job->slices < DOUBLINGS_MAX && !atomic_load(&job->stop);
    if (job->appraisal.value.kind == WARI_KIND_EXACT || job->milliseconds >= SEARCH_MAX_MS ||
        appraisal->last.depth == WARI_SEARCH_DEPTH_MAX)
        job->stage = STAGE_DONE;
    else if (is_active(job, clock_now()))
        enqueue(analysis, job);
    else
        job->stage = STAGE_PAUSED;
}

static void search_job(struct searcher *searcher, struct job *job)
{
    struct analysis *analysis = searcher->analysis;
    struct wari_appraisal appraisal;
    struct wari_error error;
    int64_t elapsed = 0;
    job->stage = STAGE_SEARCHING;
    job->slice_start = clock_now();
    atomic_store(&job->stop, false);
    pthread_mutex_unlock(&analysis->lock);
    enum wari_status status = search(searcher, job, &appraisal, &elapsed, &error);
    pthread_mutex_lock(&analysis->lock);
    if (status == WARI_OK) {
        add_result(analysis, job, &appraisal, elapsed);
    } else {
        job->stage = STAGE_FAILED;
        job->error = error;
    }
}

static void *work(void *context)
{
    struct searcher *searcher = context;
    struct analysis *analysis = searcher->analysis;
    pthread_mutex_lock(&analysis->lock);
    while (!analysis->ending) {
        struct job *job = next_job(analysis);
        if (job)
            search_job(searcher, job);
        else
            pthread_cond_wait(&analysis->work, &analysis->lock);
    }
    pthread_mutex_unlock(&analysis->lock);
    wari_search_free(searcher->search);
    return NULL;
}

/* ---- Questions ---- */

/* What the job says now. */
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
            count_earlier && job->stage == STAGE_WAITING ? count_before(analysis, job) : 0,
        .milliseconds = job->milliseconds,
        .appraisal = job->appraisal,
    };
    return WARI_OK;
}

/* Sees to it that the job stays, and is searched until it is enough. */
static enum wari_status renew(struct analysis *analysis, struct job *job,
                              const struct analysis_query *query, struct wari_error *error)
{
    int64_t now = clock_now();
    if (!is_retained(job, now)) {
        if (client_is_full(analysis, query->client, now))
            return wari_fail(error, WARI_NO_MEMORY,
                             "your address waits for %d positions; try again soon",
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
        status = wari_fail(error, WARI_NO_MEMORY, "%d positions are waited for; try again soon",
                           ANALYSIS_JOBS_MAX);
    if (status == WARI_OK)
        status = report_job(analysis, job, query->count_earlier, result, error);
    pthread_mutex_unlock(&analysis->lock);
    return status;
}

void analysis_tick(struct analysis *analysis)
{
    pthread_mutex_lock(&analysis->lock);
    bool others = next_job(analysis) != NULL;
    int64_t now = clock_now();
    for (int i = 0; i < ANALYSIS_JOBS_MAX; i++) {
        struct job *job = &analysis->jobs[i];
        bool used_up = others && now - job->slice_start >= SHARED_SLICE_MS;
        if (job->stage == STAGE_SEARCHING && (used_up || !is_active(job, now)))
            atomic_store(&job->stop, true);
    }
    pthread_mutex_unlock(&analysis->lock);
}

/* ---- Beginning and end ---- */

void analysis_stop(struct analysis *analysis)
{
    pthread_mutex_lock(&analysis->lock);
    analysis->ending = true;
    for (int i = 0; i < ANALYSIS_JOBS_MAX; i++)
        atomic_store(&analysis->jobs[i].stop, true);
    pthread_cond_broadcast(&analysis->work);
    pthread_mutex_unlock(&analysis->lock);
}

void analysis_end(struct analysis *analysis)
{
    if (!analysis)
        return;
    analysis_stop(analysis);
    for (unsigned i = 0; i < analysis->count; i++)
        (void)pthread_join(analysis->searchers[i].thread, NULL);
    (void)pthread_cond_destroy(&analysis->work);
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
    (void)pthread_mutex_init(&analysis->lock, NULL); /* neither can fail without attributes */
    (void)pthread_cond_init(&analysis->work, NULL);
    for (; analysis->count < threads; analysis->count++) {
        struct searcher *searcher = &analysis->searchers[analysis->count];
        searcher->analysis = analysis;
        if (pthread_create(&searcher->thread, NULL, work, searcher) != 0) {
            analysis_end(analysis);
            return wari_fail(error, WARI_NO_MEMORY, "no thread for analyses could be started");
        }
    }
    *started = analysis;
    return WARI_OK;
}
