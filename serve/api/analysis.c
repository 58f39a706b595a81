/* A table of jobs under one lock, and threads that take them in turn.
 *
 * What always holds: a job that is being searched is not taken by another thread nor thrown out of
 * the table, and its thread alone writes what it found, under the lock. Searches themselves go on
 * without the lock.
 */
#include "serve/api/analysis.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "serve/request/connections.h"
#include "serve/request/databases.h"

enum {
    FIRST_SLICE = 100, /* milliseconds; each is twice as long as the one before */
    SLICE_AMONG_OTHERS = 1000,
    SLICES_MAX = 7, /* that are doubled */
    ENOUGH = 25000,
};

enum stage {
    STAGE_FREE,
    STAGE_ASIDE, /* nobody waits for it */
    STAGE_WAITING,
    STAGE_SEARCHING,
    STAGE_DONE,
    STAGE_FAILED, /* until somebody has been told */
};

struct job {
    enum stage stage;
    struct analysis_question question;
    int64_t kept;  /* when somebody asked about it, the last time, */
    int64_t asked; /* and when somebody waited for more of it */
    int64_t began; /* of the slice */
    uint64_t turn; /* of those that wait, the lowest comes first */
    int slices;    /* done */
    int64_t milliseconds;
    atomic_bool stop;
    struct wari_appraisal appraisal;
    struct wari_error error;
};

struct worker {
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
    uint64_t turns;
    unsigned count; /* of threads */
    struct worker workers[ANALYSIS_THREADS_MAX];
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

static bool is_wanted(const struct job *job, int64_t now)
{
    return now - job->asked <= ANALYSIS_PATIENCE;
}

/* Whether it is of use to somebody, searched or not: a review is asked for until all of its
 * positions are known. */
static bool is_kept(const struct job *job, int64_t now)
{
    return job->stage != STAGE_FREE && now - job->kept <= ANALYSIS_PATIENCE;
}

static bool is_same(const struct analysis_question *one, const struct analysis_question *other)
{
    return one->db == other->db && is_same_variant(one->variant, other->variant) &&
           memcmp(&one->setup.position, &other->setup.position, sizeof one->setup.position) == 0 &&
           memcmp(one->setup.stores, other->setup.stores, sizeof one->setup.stores) == 0 &&
           one->setup.north_to_move == other->setup.north_to_move;
}

/* The job of this question, or a place for it: a free one, or that of the job which nobody has
 * asked about for longest. NULL: all are kept. */
static struct job *find_job(struct analysis *analysis, const struct analysis_question *question)
{
    struct job *place = NULL;
    int64_t now = clock_now();
    for (int i = 0; i < ANALYSIS_JOBS_MAX; i++) {
        struct job *job = &analysis->jobs[i];
        if (job->stage != STAGE_FREE && is_same(&job->question, question))
            return job;
        bool can_go =
            !is_kept(job, now) && job->stage != STAGE_WAITING && job->stage != STAGE_SEARCHING;
        if (can_go && (!place || (place->stage != STAGE_FREE &&
                                  (job->stage == STAGE_FREE || job->kept < place->kept))))
            place = job;
    }
    if (place) {
        memset(place, 0, sizeof *place);
        place->stage = STAGE_ASIDE;
        place->question = *question;
    }
    return place;
}

static void let_wait(struct analysis *analysis, struct job *job)
{
    job->stage = STAGE_WAITING;
    job->turn = analysis->turns++;
    pthread_cond_signal(&analysis->work);
}

/* The next job; those that nobody waits for any more are put aside. */
static struct job *next_job(struct analysis *analysis)
{
    struct job *next = NULL;
    int64_t now = clock_now();
    for (int i = 0; i < ANALYSIS_JOBS_MAX; i++) {
        struct job *job = &analysis->jobs[i];
        if (job->stage == STAGE_WAITING && !is_wanted(job, now))
            job->stage = STAGE_ASIDE;
        if (job->stage == STAGE_WAITING && (!next || job->turn < next->turn))
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
        count += job->stage == STAGE_WAITING && job->turn < one->turn && is_wanted(job, now);
    }
    return count;
}

static bool has_enough(const struct analysis *analysis, uint64_t client, int64_t now)
{
    int count = 0;
    for (int i = 0; i < ANALYSIS_JOBS_MAX && client != CLIENT_ANY; i++) {
        const struct job *job = &analysis->jobs[i];
        count += job->question.client == client && is_kept(job, now);
    }
    return count >= ANALYSIS_CLIENT_MAX;
}

/* ---- Searching ---- */

/* A search above the tables of the job: that at hand, unless it is for others. */
static enum wari_status make_search(struct worker *worker, const struct analysis_question *question,
                                    struct wari_error *error)
{
    const struct wari_search_settings settings = {.hash_mb = ANALYSIS_HASH_MB,
                                                  .variant = question->variant};
    if (worker->search && worker->db == question->db &&
        is_same_variant(worker->variant, question->variant))
        return WARI_OK;
    wari_search_free(worker->search);
    worker->db = question->db;
    worker->variant = question->variant;
    return wari_search_new(&worker->search, worker->db, wari_host_system(), &settings, error);
}

/* One slice, without the lock; *took: milliseconds. */
static enum wari_status search(struct worker *worker, struct job *job,
                               struct wari_appraisal *appraisal, int64_t *took,
                               struct wari_error *error)
{
    const struct analysis_question *question = &job->question;
    const struct wari_search_limits limits = {
        .depth = WARI_SEARCH_DEPTH_MAX,
        .milliseconds = (int64_t)FIRST_SLICE << job->slices,
        .stop = &job->stop,
        .lines = WARI_HALF_PITS,
    };
    struct wari_game game;
    int64_t began = clock_now();
    enum wari_status status = make_search(worker, question, error);
    if (status != WARI_OK)
        return status;
    wari_game_begin(&game, wari_host_system(), question->variant, &question->setup);
    status = wari_appraise(question->db, worker->search, &game, &limits, appraisal, error);
    *took = clock_now() - began;
    return status;
}

/* Adds what a slice found; the job then is done, waits for its next turn, or is put aside. */
static void take_in(struct analysis *analysis, struct job *job,
                    const struct wari_appraisal *appraisal, int64_t took)
{
    if (job->milliseconds > 0)
        wari_appraisal_add(&job->appraisal, appraisal, wari_seeds(&job->question.setup.position));
    else
        job->appraisal = *appraisal;
    job->milliseconds += took > 0 ? took : 1;
    job->slices += job->slices < SLICES_MAX && !atomic_load(&job->stop);
    if (job->appraisal.value.kind == WARI_KIND_EXACT || job->milliseconds >= ENOUGH ||
        appraisal->last.depth == WARI_SEARCH_DEPTH_MAX)
        job->stage = STAGE_DONE;
    else if (is_wanted(job, clock_now()))
        let_wait(analysis, job);
    else
        job->stage = STAGE_ASIDE;
}

static void work_on(struct worker *worker, struct job *job)
{
    struct analysis *analysis = worker->analysis;
    struct wari_appraisal appraisal;
    struct wari_error error;
    int64_t took = 0;
    job->stage = STAGE_SEARCHING;
    job->began = clock_now();
    atomic_store(&job->stop, false);
    pthread_mutex_unlock(&analysis->lock);
    enum wari_status status = search(worker, job, &appraisal, &took, &error);
    pthread_mutex_lock(&analysis->lock);
    if (status == WARI_OK) {
        take_in(analysis, job, &appraisal, took);
    } else {
        job->stage = STAGE_FAILED;
        job->error = error;
    }
}

static void *work(void *context)
{
    struct worker *worker = context;
    struct analysis *analysis = worker->analysis;
    pthread_mutex_lock(&analysis->lock);
    while (!analysis->ending) {
        struct job *job = next_job(analysis);
        if (job)
            work_on(worker, job);
        else
            pthread_cond_wait(&analysis->work, &analysis->lock);
    }
    pthread_mutex_unlock(&analysis->lock);
    wari_search_free(worker->search);
    return NULL;
}

/* ---- Questions ---- */

/* What the job says now. */
static enum wari_status tell(const struct analysis *analysis, struct job *job, bool place,
                             struct analysis_answer *answer, struct wari_error *error)
{
    if (job->stage == STAGE_FAILED) {
        job->stage = STAGE_FREE;
        return wari_fail(error, job->error.status, "%s", job->error.text);
    }
    *answer = (struct analysis_answer){
        .state = job->stage == STAGE_DONE        ? ANALYSIS_DONE
                 : job->stage == STAGE_SEARCHING ? ANALYSIS_SEARCHING
                                                 : ANALYSIS_WAITING,
        .before = place && job->stage == STAGE_WAITING ? count_before(analysis, job) : 0,
        .milliseconds = job->milliseconds,
        .appraisal = job->appraisal,
    };
    return WARI_OK;
}

/* Sees to it that the job stays, and is searched until it is enough. */
static enum wari_status want(struct analysis *analysis, struct job *job,
                             const struct analysis_question *question, struct wari_error *error)
{
    int64_t now = clock_now();
    if (!is_kept(job, now)) {
        if (has_enough(analysis, question->client, now))
            return wari_fail(error, WARI_NO_MEMORY,
                             "your address waits for %d positions; try again soon",
                             ANALYSIS_CLIENT_MAX);
        job->question.client = question->client;
    }
    job->kept = now;
    if (question->later || (question->enough > 0 && job->milliseconds >= question->enough))
        return WARI_OK;
    job->asked = now;
    if (job->stage == STAGE_ASIDE && !analysis->ending)
        let_wait(analysis, job);
    return WARI_OK;
}

enum wari_status analysis_ask(struct analysis *analysis, const struct analysis_question *question,
                              struct analysis_answer *answer, struct wari_error *error)
{
    enum wari_status status;
    pthread_mutex_lock(&analysis->lock);
    struct job *job = find_job(analysis, question);
    if (job)
        status = want(analysis, job, question, error);
    else
        status = wari_fail(error, WARI_NO_MEMORY, "%d positions are waited for; try again soon",
                           ANALYSIS_JOBS_MAX);
    if (status == WARI_OK)
        status = tell(analysis, job, question->place, answer, error);
    pthread_mutex_unlock(&analysis->lock);
    return status;
}

void analysis_watch(struct analysis *analysis)
{
    pthread_mutex_lock(&analysis->lock);
    bool others = next_job(analysis) != NULL;
    int64_t now = clock_now();
    for (int i = 0; i < ANALYSIS_JOBS_MAX; i++) {
        struct job *job = &analysis->jobs[i];
        bool long_enough = others && now - job->began >= SLICE_AMONG_OTHERS;
        if (job->stage == STAGE_SEARCHING && (long_enough || !is_wanted(job, now)))
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
        (void)pthread_join(analysis->workers[i].thread, NULL);
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
        struct worker *worker = &analysis->workers[analysis->count];
        worker->analysis = analysis;
        if (pthread_create(&worker->thread, NULL, work, worker) != 0) {
            analysis_end(analysis);
            return wari_fail(error, WARI_NO_MEMORY, "no thread for analyses could be started");
        }
    }
    *started = analysis;
    return WARI_OK;
}
