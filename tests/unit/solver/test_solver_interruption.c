/* A build may be stopped at any moment. The files of finished levels are complete, no other files
 * remain, and the next build completes the folder to the same bytes as a build that was never
 * stopped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

#include "tests/support/builds.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

static const struct wari_variant even = {WARI_WARRI, WARI_EVEN};
static const struct wari_variant own = {WARI_ABAPA, WARI_OWN};

enum { CALLS_MAX = 1000 };

/* The time that finished levels wait to be published, in seconds. With at_once each level is
 * published at once, with at_end all levels are published at the end of the build. */
static const double at_once = -1, at_end = 1e9;

/* Stops a build at the k-th call of its progress function, and counts the calls. */
struct stopper {
    atomic_bool stop;
    long calls, stop_at;   /* both count from 1; stop_at 0 means never */
    enum wari_phase phase; /* phase of the last call */
    enum wari_phase stopped_in;
    int stopped_at;         /* the level that was being built */
    bool begins[CALLS_MAX]; /* the k-th call begins a phase */
    int done;               /* last level whose end was reported */
    long after;             /* number of calls since the last call that reported work */
};

static void count_calls(void *context, const struct wari_progress *progress)
{
    struct stopper *stopper = context;
    if (progress->phase == WARI_PHASE_LEVEL_DONE)
        stopper->done = progress->seeds;
    stopper->calls++;
    stopper->after = progress->phase == WARI_PHASE_LEVEL_DONE ? stopper->after + 1 : 0;
    if (stopper->calls < CALLS_MAX)
        stopper->begins[stopper->calls] = stopper->calls == 1 || progress->phase != stopper->phase;
    stopper->phase = progress->phase;
    if (stopper->calls == stopper->stop_at) {
        stopper->stopped_in = progress->phase;
        stopper->stopped_at = progress->seeds;
        atomic_store(&stopper->stop, true);
    }
}

/* With one thread a build makes the same calls every time; with more threads, the number of
 * sweeps of a level depends on the order of the threads. */
static struct wari_build stoppable(const char *folder, struct wari_variant variant, int seeds,
                                   struct stopper *stopper, long stop_at)
{
    struct wari_build build = build_of(folder, variant, seeds);
    build.threads = 1;
    memset(stopper, 0, sizeof *stopper);
    stopper->stop_at = stop_at;
    stopper->done = -1;
    build.progress = count_calls;
    build.context = stopper;
    build.stop = &stopper->stop;
    return build;
}

/* A build, and the levels that exist before it. */
struct interruption {
    struct wari_variant variant;
    int first, seeds; /* levels 0..first exist already */
    double publish;
};

/* Completes the build in the folder, and checks that the files are then byte for byte those of an
 * undisturbed build. Does nothing if the folder of an earlier call with the same cycle rule and
 * `seeds` had the same files. */
static void resume(const char *folder, struct wari_variant variant, int seeds)
{
    static struct folder_states seen[WARI_CYCLE_COUNT][WARI_SEEDS_MAX + 1];

    if (!folder_is_new(folder, &seen[variant.cycle][seeds]))
        return;
    build_database(folder, variant, seeds);
    struct folder_image resumed = folder_load(folder);
    assert_folders_equal(&resumed, image_of(variant, seeds));
    folder_free(&resumed);
}

/* Starts with levels 0..first, begins a build of the levels up to `seeds`, stops it at call
 * `stop_at`, and resumes it to the end. After the stop, all levels before the interrupted one must
 * exist, and must have been reported as done. */
static void interrupt_and_resume(const struct interruption *build_to_stop, long stop_at,
                                 int phases[])
{
    const struct wari_variant variant = build_to_stop->variant;
    const int first = build_to_stop->first, seeds = build_to_stop->seeds;
    char folder[TABLE_FOLDER_MAX];
    struct stopper stopper;
    struct wari_error error = {WARI_OK, ""};

    assert_true(table_folder_make(folder));
    folder_store(folder, image_of(variant, first));
    struct wari_build build = stoppable(folder, variant, seeds, &stopper, stop_at);
    build.publish = build_to_stop->publish;
    assert_int_equal(wari_build(&build, &error), WARI_INTERRUPTED);
    assert_int_equal(error.status, WARI_INTERRUPTED);
    assert_string_not_equal(error.text, "");
    phases[stopper.stopped_in]++;
    const int done = stopper.done > first ? stopper.done : first;
    assert_int_equal(assert_folder_is_part(folder, variant, image_of(variant, seeds)), done);
    assert_int_equal(done,
                     stopper.stopped_at - (stopper.stopped_in == WARI_PHASE_LEVEL_DONE ? 0 : 1));
    resume(folder, variant, seeds);
    assert_true(table_folder_remove(folder));
}

/* Returns the number of calls in an undisturbed build on top of levels 0..first, without the
 * calls at its end, when there is nothing left to stop. */
static long calls_of(struct wari_variant variant, int first, int seeds, double publish,
                     bool begins[CALLS_MAX])
{
    char folder[TABLE_FOLDER_MAX];
    struct stopper stopper;

    assert_true(table_folder_make(folder));
    folder_store(folder, image_of(variant, first));
    struct wari_build build = stoppable(folder, variant, seeds, &stopper, 0);
    build.publish = publish;
    assert_int_equal(wari_build(&build, NULL), WARI_OK);
    assert_int_equal(stopper.done, seeds);
    assert_int_equal(stopper.after, publish == at_once ? 1 : seeds - first);
    assert_true(stopper.calls < CALLS_MAX);
    assert_true(table_folder_remove(folder));
    memcpy(begins, stopper.begins, sizeof stopper.begins);
    return stopper.calls - stopper.after;
}

/* Stops the build at each call; at the small scale, at each call that begins a phase. */
static void stop_at_each_call(struct wari_variant variant, int first, int seeds, double publish,
                              int phases[])
{
    const struct interruption interruption = {variant, first, seeds, publish};
    bool begins[CALLS_MAX];
    const long calls = calls_of(variant, first, seeds, publish, begins);

    for (long k = 1; k <= calls; k++)
        if (begins[k] || test_scale(1, 0))
            interrupt_and_resume(&interruption, k, phases);
}

/* Also builds on top of levels 0..3, so that the stop can come while they are read. */
static void build_stopped_at_any_call_resumes_to_the_same_bytes(void **state)
{
    int phases[WARI_PHASE_LEVEL_DONE + 1] = {0};

    (void)state;
    stop_at_each_call(even, -1, test_scale(5, 3), at_once, phases);
    stop_at_each_call(even, 3, test_scale(5, 4), at_once, phases);
    stop_at_each_call(own, 3, test_scale(6, 5), at_once, phases);
    for (int phase = 0; phase <= WARI_PHASE_LEVEL_DONE; phase++)
        assert_true(phases[phase] > 0);
}

static void stopped_build_publishes_the_finished_levels_that_wait(void **state)
{
    int phases[WARI_PHASE_LEVEL_DONE + 1] = {0};

    (void)state;
    stop_at_each_call(even, -1, test_scale(5, 3), at_end, phases);
    stop_at_each_call(own, test_scale(2, 3), 5, at_end, phases);
    assert_int_equal(phases[WARI_PHASE_LEVEL_DONE], 0);
    for (int phase = 0; phase < WARI_PHASE_LEVEL_DONE; phase++)
        assert_true(phases[phase] > 0);
}

static void stop_at_the_last_call_changes_nothing(void **state)
{
    char folder[TABLE_FOLDER_MAX];
    struct stopper stopper;
    bool begins[CALLS_MAX];
    const long calls = calls_of(even, -1, 4, at_once, begins) + 1;

    (void)state;
    assert_true(table_folder_make(folder));
    struct wari_build build = stoppable(folder, even, 4, &stopper, calls);
    build.publish = at_once;
    assert_int_equal(wari_build(&build, NULL), WARI_OK);
    assert_int_equal(stopper.calls, calls);
    assert_true(table_folder_remove(folder));
}

static void stop_that_is_set_before_leaves_no_level(void **state)
{
    char folder[TABLE_FOLDER_MAX];
    struct stopper stopper;

    (void)state;
    assert_true(table_folder_make(folder));
    const struct wari_build build = stoppable(folder, even, 8, &stopper, 0);
    atomic_store(&stopper.stop, true);
    assert_int_equal(wari_build(&build, NULL), WARI_INTERRUPTED);
    struct folder_image image = folder_load(folder);
    assert_int_equal(image.count, 0);
    assert_true(table_folder_remove(folder));
}

/* ---- Interruption by another thread ---------------------------------------------------------- */

/* Another thread stops the build after some sweeps of the last level. At this moment the threads of
 * the build may be anywhere in their work. (test_solver_ended.c stops each pass at an exact point.)
 */
struct outsider {
    atomic_bool stop;
    sem_t ready;   /* posted by the build when it has done `sweep` sweeps */
    sem_t stopped; /* posted when `stop` has been set; the build waits for it after its last sweep,
                    * so that it cannot end before it is stopped */
    int seeds, sweep; /* the last level, and the number of its sweeps before the stop */
};

static void notify_outsider(void *context, const struct wari_progress *progress)
{
    struct outsider *outsider = context;
    if (progress->seeds != outsider->seeds)
        return;
    if (progress->phase == WARI_PHASE_SWEEP && progress->sweep == outsider->sweep)
        assert_int_equal(sem_post(&outsider->ready), 0);
    if (progress->phase == WARI_PHASE_COUNT)
        assert_int_equal(sem_wait(&outsider->stopped), 0);
}

static void *stop_when_ready(void *context)
{
    struct outsider *outsider = context;
    (void)sem_wait(&outsider->ready);
    atomic_store(&outsider->stop, true);
    (void)sem_post(&outsider->stopped);
    return NULL;
}

static void build_stopped_by_another_thread_resumes_to_the_same_bytes(void **state)
{
    const int seeds = test_scale(13, 11);

    (void)state;
    for (int sweep = 1; sweep <= test_scale(6, 1); sweep++) {
        char folder[TABLE_FOLDER_MAX];
        struct outsider outsider = {.seeds = seeds, .sweep = sweep};
        pthread_t thread;
        assert_true(table_folder_make(folder));
        folder_store(folder, image_of(even, seeds - 1));
        struct wari_build build = build_of(folder, even, seeds);
        build.progress = notify_outsider;
        build.context = &outsider;
        build.stop = &outsider.stop;
        assert_int_equal(sem_init(&outsider.ready, 0, 0), 0);
        assert_int_equal(sem_init(&outsider.stopped, 0, 0), 0);
        assert_int_equal(pthread_create(&thread, NULL, stop_when_ready, &outsider), 0);
        assert_int_equal(wari_build(&build, NULL), WARI_INTERRUPTED);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(sem_destroy(&outsider.ready), 0);
        assert_int_equal(sem_destroy(&outsider.stopped), 0);
        assert_int_equal(assert_folder_is_part(folder, even, image_of(even, seeds)), seeds - 1);
        resume(folder, even, seeds);
        assert_true(table_folder_remove(folder));
    }
}

/* ---- A level of the bit backend while its file is written ------------------------------------ */

/* Stops a build at the k-th read after the last level's file was opened. From then on the values
 * come from the scratch file. */
struct write_stopper {
    struct wari_host host;
    atomic_bool stop, writing;
    atomic_long reads;
    long stop_at;
    int seeds;
};

static void notice_writing(void *context, const struct wari_progress *progress)
{
    struct write_stopper *stopper = context;
    if (progress->phase == WARI_PHASE_WRITE && progress->seeds == stopper->seeds)
        atomic_store(&stopper->writing, true);
}

static ssize_t count_reads(void *context, int fd, void *bytes, size_t count, off_t offset)
{
    struct write_stopper *stopper = context;
    const struct wari_host *system = wari_host_system();
    if (atomic_load(&stopper->writing) &&
        atomic_fetch_add(&stopper->reads, 1) + 1 == stopper->stop_at)
        atomic_store(&stopper->stop, true);
    return system->pread(system->context, fd, bytes, count, offset);
}

static enum wari_status stop_while_writing(const char *folder, int seeds, long stop_at)
{
    struct write_stopper stopper = {
        .host = *wari_host_system(), .stop_at = stop_at, .seeds = seeds};
    struct wari_build build = build_of(folder, even, seeds);

    build.threads = 1; /* the same reads in every run */
    build.memory = memory_for_bits(&build);
    stopper.host.context = &stopper;
    stopper.host.pread = count_reads;
    build.host = &stopper.host;
    build.progress = notice_writing;
    build.context = &stopper;
    build.stop = &stopper.stop;
    const enum wari_status status = wari_build(&build, NULL);
    assert_true(status == WARI_OK || atomic_load(&stopper.stop));
    return status;
}

/* The level has 86 chunks, each of which is read at least twice: first to choose the model, and
 * then to be encoded. At the small scale the build is stopped once during the first reads and once
 * during the second reads. */
static void level_by_bits_stopped_while_it_is_written_is_not_published(void **state)
{
    const int seeds = 11;
    char folder[TABLE_FOLDER_MAX];
    long stopped = 0;

    (void)state;
    assert_true(table_folder_make(folder));
    folder_store(folder, image_of(even, seeds - 1));
    for (long k = 1; stop_while_writing(folder, seeds, k) != WARI_OK;
         k += test_scale_is("small") ? 150 : 1 + k / 2) {
        assert_int_equal(assert_folder_is_part(folder, even, image_of(even, seeds)), seeds - 1);
        stopped++;
    }
    assert_true(stopped >= test_scale(4, 2));
    struct folder_image image = folder_load(folder); /* the stop came too late, or not at all */
    assert_folders_equal(&image, image_of(even, seeds));
    folder_free(&image);
    assert_true(table_folder_remove(folder));
}

TEST_GROUP(test_solver_interruption)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_by_bits_stopped_while_it_is_written_is_not_published),
        cmocka_unit_test(build_stopped_at_any_call_resumes_to_the_same_bytes),
        cmocka_unit_test(stopped_build_publishes_the_finished_levels_that_wait),
        cmocka_unit_test(stop_at_the_last_call_changes_nothing),
        cmocka_unit_test(stop_that_is_set_before_leaves_no_level),
        cmocka_unit_test(build_stopped_by_another_thread_resumes_to_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
