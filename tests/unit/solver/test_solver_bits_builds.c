/* Builds whose last level uses the bit backend (solver/bits/). These builds resume from a
 * checkpoint with any amount of memory. If the build fails or is stopped, it publishes no wrong
 * values and leaves no temporary files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "db/host/bytes.h"
#include "solver/bits/bits.h"
#include "solver/bits/bits_backend.h"
#include "tests/support/builds.h"
#include "tests/support/fault_host.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

/* The lowest level that the bit backend can solve in less memory than the memory backend needs. */
enum { SEEDS = 11 };

static const struct wari_variant variant = {WARI_AWARI, WARI_EVEN};

/* The following two functions return the files of a folder that the memory backend has built: all
 * levels except the last one, and all levels. */
static const struct folder_image *without_last_level(void)
{
    return image_of(variant, SEEDS - 1);
}

static const struct folder_image *whole(void)
{
    return image_of(variant, SEEDS);
}

/* Restores the folder: it then contains all levels except the last one, and no other files. */
static void restore_folder(void)
{
    assert_true(table_folder_remove(folder));
    assert_int_equal(make_folder(NULL), 0);
    folder_store(folder, without_last_level());
}

static void assert_folder_is(const struct folder_image *expected)
{
    struct folder_image image = folder_load(folder);

    assert_folders_equal(&image, expected);
    folder_free(&image);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

enum how { IN_MEMORY, BY_BITS };

/* Stores the shape of the last level in *shape; returns false if the bit backend does not solve
 * it. */
static bool shape_of(const struct wari_build *build, struct wari_bits_shape *shape)
{
    struct wari_build_plan plan;

    assert_int_equal(wari_build_plan(build, &plan, NULL), WARI_OK);
    if (plan.first_bit_level > SEEDS)
        return false;
    assert_true(wari_bits_shape_for(SEEDS, WARI_EVEN, plan.level_bytes, plan.idle_bytes,
                                    build->threads, shape));
    return true;
}

static enum how how_in(const struct wari_build *build)
{
    struct wari_bits_shape shape;

    return shape_of(build, &shape) ? BY_BITS : IN_MEMORY;
}

/* Returns a build of the last level that uses the given backend and writes no checkpoints. With
 * one thread the build makes the same calls every time; with more threads, the number of sweeps
 * depends on the order in which the threads reach the cells. */
static struct wari_build build_like(enum how how, int threads)
{
    struct wari_build build = build_of(folder, variant, SEEDS);
    struct wari_build_plan plan;

    build.threads = threads;
    build.checkpoint = -1;
    assert_int_equal(wari_build_plan(&build, &plan, NULL), WARI_OK);
    if (how == BY_BITS)
        build.memory = memory_for_all(&build) - 4096;
    assert_int_equal(how_in(&build), how);
    return build;
}

/* ---- Stops ----------------------------------------------------------------------------------- */

/* Watches the last level and stops the build after some of its sweeps. */
struct stopper {
    atomic_bool stop;
    int sweeps; /* number of sweeps until the stop; if it is 0 at the beginning, the build is never
                 * stopped */
    bool resumed;
};

static void watch(void *context, const struct wari_progress *progress)
{
    struct stopper *stopper = context;

    assert_int_equal(progress->seeds, SEEDS);
    if (progress->phase == WARI_PHASE_LEVEL_DONE)
        stopper->resumed = progress->statistics->resumed;
    if (progress->phase == WARI_PHASE_SWEEP && --stopper->sweeps == 0)
        atomic_store(&stopper->stop, true);
}

static enum wari_status run(enum how how, double checkpoint, struct stopper *stopper)
{
    struct wari_build build = build_like(how, BUILD_THREADS);

    build.checkpoint = checkpoint;
    build.progress = watch;
    build.context = stopper;
    build.stop = &stopper->stop;
    return wari_build(&build, NULL);
}

static const double every_sweep = 1e-9, never = -1, later = 1e6;

/* Stops the build after some sweeps. Returns false if the level needed fewer sweeps and is
 * complete. */
static bool leave_checkpoint(enum how how, int sweeps)
{
    struct stopper stopper = {.sweeps = sweeps};
    const enum wari_status status = run(how, every_sweep, &stopper);

    if (status != WARI_INTERRUPTED) {
        assert_int_equal(status, WARI_OK);
        assert_folder_is(whole());
        return false;
    }
    return true;
}

static void checkpoint_path(char path[WARI_PATH_MAX])
{
    assert_int_equal(wari_path(path, NULL, folder, "awari-even-%d.checkpoint", SEEDS), WARI_OK);
}

/* Returns the threshold in the checkpoint file, which is at offset 24 (checkpoint.h). */
static int bound_of_checkpoint(void)
{
    uint8_t header[24];
    char path[WARI_PATH_MAX];
    FILE *file;

    checkpoint_path(path);
    file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(header, 1, sizeof header, file), sizeof header);
    assert_int_equal(fclose(file), 0);
    return (int)wari_load32(header + 20);
}

/* Finishes the build. `resumed` says if it must resume from a checkpoint. */
static void finish(enum how how, bool resumed)
{
    struct stopper stopper = {0};

    assert_int_equal(run(how, later, &stopper), WARI_OK);
    assert_int_equal(stopper.resumed, resumed);
    assert_folder_is(whole());
}

/* ---- Checkpoints ----------------------------------------------------------------------------- */

/* Stops builds of the bit backend at the first threshold and at later ones. The builds are finished
 * alternately in memory and by the bit backend. At the small scale there is only one build, which
 * is finished in memory; the next test finishes builds with the bit backend. */
static void builds_resume_from_bits_to_the_same_files(void **state)
{
    bool first = test_scale_is("small"), at_later_threshold = false;
    enum how how = IN_MEMORY;

    (void)state;
    for (int sweeps = test_scale(2, 28); sweeps <= test_scale(52, 28); sweeps += 10) {
        restore_folder();
        assert_true(leave_checkpoint(BY_BITS, sweeps));
        const int threshold = bound_of_checkpoint();
        assert_in_range(threshold, 1, SEEDS);
        first |= threshold == SEEDS;
        at_later_threshold |= threshold > 1 && threshold < SEEDS;
        finish(how, true);
        how = how == IN_MEMORY ? BY_BITS : IN_MEMORY;
    }
    assert_true(first && at_later_threshold);
}

/* Stops the build and resumes it several times; each time it is stopped a few sweeps later. */
static void bits_resume_repeatedly(void **state)
{
    int times = 0, last = SEEDS;

    (void)state;
    restore_folder();
    for (; leave_checkpoint(BY_BITS, times == 0 ? 2 : test_scale(6, 30)); times++) {
        const int threshold = bound_of_checkpoint();
        assert_in_range(threshold, times == 0 ? SEEDS : 1, last);
        last = threshold;
    }
    assert_true(times >= 2 && last < SEEDS);
}

/* The memory backend does not go from threshold to threshold. So only the memory backend can resume
 * from a checkpoint of the memory backend, even if the build that wrote the checkpoint had resumed
 * from a checkpoint of the bit backend. The bit backend begins the level again. (At the small
 * scale, each of the two backends finishes the build once.) */
static void only_the_memory_backend_resumes_its_checkpoints(void **state)
{
    (void)state;
    for (int i = test_scale(0, 1); i < test_scale(4, 3); i++) {
        restore_folder();
        if (i / 2) {
            assert_true(leave_checkpoint(BY_BITS, 5));
            assert_true(bound_of_checkpoint() > 0);
        }
        assert_true(leave_checkpoint(IN_MEMORY, 3));
        assert_int_equal(bound_of_checkpoint(), 0);
        finish(i % 2 ? BY_BITS : IN_MEMORY, i % 2 == 0);
    }
}

/* ---- Failures -------------------------------------------------------------------------------- */

enum call { ALLOCATE, READ, WRITE, CALLS };
static const int kinds[CALLS] = {FAULT_ALLOCATE, FAULT_READ, FAULT_WRITE};

/* Counts the calls of each kind in a build with one thread. `made` has the numbers of calls so far;
 * each of the other arrays has a copy of `made` from the beginning of the phase of that name. */
struct counter {
    struct fault_host fault; /* must be first: the context of all functions */
    long made[CALLS], captures[CALLS], sweeps[CALLS], count[CALLS];
};

static void *counting_allocate(void *context, size_t bytes)
{
    struct counter *counter = context;

    counter->made[ALLOCATE]++;
    atomic_fetch_add(&counter->fault.blocks, 1);
    return wari_host_system()->allocate(NULL, bytes);
}

static ssize_t counting_pread(void *context, int fd, void *buffer, size_t bytes, off_t offset)
{
    ((struct counter *)context)->made[READ]++;
    return wari_host_system()->pread(NULL, fd, buffer, bytes, offset);
}

static ssize_t counting_pwrite(void *context, int fd, const void *buffer, size_t bytes,
                               off_t offset)
{
    ((struct counter *)context)->made[WRITE]++;
    return wari_host_system()->pwrite(NULL, fd, buffer, bytes, offset);
}

static void record_calls(void *context, const struct wari_progress *progress)
{
    struct counter *counter = context;

    for (int i = 0; i < CALLS; i++) {
        if (progress->phase == WARI_PHASE_CAPTURES)
            counter->captures[i] = counter->made[i];
        if (progress->phase == WARI_PHASE_SWEEP && counter->sweeps[i] == 0)
            counter->sweeps[i] = counter->made[i];
        if (progress->phase == WARI_PHASE_COUNT)
            counter->count[i] = counter->made[i];
    }
}

/* Returns the numbers of calls in a build in which no call fails. */
static const struct counter *calls_made(void)
{
    static struct counter counter;

    if (counter.count[READ] > 0)
        return &counter;
    restore_folder();
    struct wari_build build = build_like(BY_BITS, 1);
    fault_host_init(&counter.fault, 0, 0);
    counter.fault.host.allocate = counting_allocate;
    counter.fault.host.pread = counting_pread;
    counter.fault.host.pwrite = counting_pwrite;
    build.host = &counter.fault.host;
    build.progress = record_calls;
    build.context = &counter;
    assert_int_equal(wari_build(&build, NULL), WARI_OK);
    assert_true(fault_host_clean(&counter.fault));
    assert_folder_is(whole());
    for (int i = 0; i < CALLS; i++)
        assert_true(counter.count[i] > counter.captures[i]);
    return &counter;
}

/* Lets the k-th call fail: the level is not published, and no temporary file remains. With one
 * thread the k-th call always exists; with several, the build may end before it. */
static void fail_at(enum call call, long k, bool for_good, int threads, struct wari_error *error)
{
    struct fault_host fault;

    restore_folder();
    struct wari_build build = build_like(BY_BITS, threads);
    fault_host_init(&fault, kinds[call], k);
    fault.error = call == WRITE ? ENOSPC : EIO;
    fault.for_good = for_good;
    build.host = &fault.host;
    const enum wari_status status = wari_build(&build, error);
    assert_true(fault_host_clean(&fault));
    if (!fault_host_fired(&fault)) {
        assert_true(threads > 1);
        assert_int_equal(status, WARI_OK);
        assert_folder_is(whole());
        return;
    }
    assert_int_equal(status, call == ALLOCATE ? WARI_NO_MEMORY : WARI_IO);
    assert_non_null(strstr(error->text, call == ALLOCATE ? "memory"
                                        : call == WRITE  ? strerror(ENOSPC)
                                                         : strerror(EIO)));
    assert_folder_is(without_last_level());
}

/* Lets transfers fail at every stage, from the capture pass, which writes the lists, to the
 * transfer of the last codes, with one thread and with two. */
static void failed_transfers_publish_nothing(void **state)
{
    const struct counter *calls = calls_made();
    const int trials = test_scale(8, 2);

    (void)state;
    for (enum call call = READ; call <= WRITE; call++) {
        const long first = calls->captures[call], last = calls->count[call];
        assert_true(calls->sweeps[call] > first && last > calls->sweeps[call]);
        for (int j = 0; j < trials; j++) {
            struct wari_error error = {WARI_OK, ""};
            const int threads = j % 2 ? 1 : BUILD_THREADS;
            fail_at(call, first + (last - first) * (j + 1) / trials, j % 2 == 0, threads, &error);
        }
    }
}

/* A host that fails the first transfer to or from a given range of the scratch file. No other
 * file is long enough to have this range. */
struct part_host {
    struct fault_host fault; /* must be first: the context of all functions */
    uint64_t from, end;
    bool write;
    atomic_bool armed, failed;
};

static bool fails_here(struct part_host *part, bool write, off_t offset)
{
    errno = EIO;
    return write == part->write && (uint64_t)offset >= part->from && (uint64_t)offset < part->end &&
           atomic_load(&part->armed) && !atomic_exchange(&part->failed, true);
}

static ssize_t part_pread(void *context, int fd, void *buffer, size_t bytes, off_t offset)
{
    return fails_here(context, false, offset)
               ? -1
               : wari_host_system()->pread(NULL, fd, buffer, bytes, offset);
}

static ssize_t part_pwrite(void *context, int fd, const void *buffer, size_t bytes, off_t offset)
{
    return fails_here(context, true, offset)
               ? -1
               : wari_host_system()->pwrite(NULL, fd, buffer, bytes, offset);
}

/* Arms the fault after the capture pass, because captures use the same range of the file as
 * snapshots. */
static void arm(void *context, const struct wari_progress *progress)
{
    struct part_host *part = context;

    if (progress->phase == WARI_PHASE_SWEEP)
        atomic_store(&part->armed, true);
}

static void failed_snapshots_and_lists_publish_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const bool lists = i / 2;
        struct part_host part = {.write = i % 2, .armed = lists};
        struct wari_bits_shape shape;
        restore_folder();
        struct wari_build build = build_like(BY_BITS, BUILD_THREADS);
        shape_of(&build, &shape);
        part.from = lists ? shape.scratch.append_at : snapshots_begin(SEEDS, &shape);
        part.end = lists ? UINT64_MAX : shape.scratch.append_at;
        fault_host_init(&part.fault, 0, 0);
        part.fault.host.pread = part_pread;
        part.fault.host.pwrite = part_pwrite;
        build.host = &part.fault.host;
        build.progress = arm;
        build.context = &part;
        assert_int_equal(wari_build(&build, NULL), WARI_IO);
        assert_true(atomic_load(&part.failed));
        assert_true(fault_host_clean(&part.fault));
        assert_folder_is(without_last_level());
    }
}

/* Lets the allocation of every block of memory fail, from the blocks of the bit backend to the
 * blocks that the build allocates after it. */
static void failed_allocations_publish_nothing(void **state)
{
    const struct counter *calls = calls_made();
    int lists = 0, words = 0, planes = 0, worklists = 0;

    (void)state;
    for (long k = calls->captures[ALLOCATE] + 1; k <= calls->count[ALLOCATE]; k++) {
        struct wari_error error = {WARI_OK, ""};
        fail_at(ALLOCATE, k, k % 2, 1, &error);
        lists += strstr(error.text, "the lists of a level's captures") != NULL;
        words += strstr(error.text, "the sowing maps of a level that is solved by bits") != NULL;
        planes += strstr(error.text, "the bits of a level's cells") != NULL;
        worklists += strstr(error.text, "the worklist of the bit backend") != NULL;
    }
    /* Shows that the bit backend was in use. */
    assert_true(lists == 1 && words == 1 && planes == 1 && worklists == 1);
}

/* ---- Stopping -------------------------------------------------------------------------------- */

/* A stopped build leaves the folder as it was before, so the next build solves the level from
 * its start. */
static void stopped_builds_begin_the_level_again(void **state)
{
    bool stopped = true;

    (void)state;
    for (int sweeps = 1; stopped; sweeps += test_scale(16, 80)) {
        struct stopper stopper = {.sweeps = sweeps};
        restore_folder();
        const enum wari_status status = run(BY_BITS, never, &stopper);
        stopped = status == WARI_INTERRUPTED;
        assert_true(stopped || (status == WARI_OK && sweeps > SEEDS));
        assert_folder_is(stopped ? without_last_level() : whole());
    }
}

/* A host that requests a stop at the k-th transfer, made by any thread. */
struct stopping_host {
    struct fault_host fault; /* must be first: the context of all functions */
    atomic_long transfers;
    long at;
    atomic_bool stop;
};

static void note_transfer(struct stopping_host *stopping)
{
    if (atomic_fetch_add(&stopping->transfers, 1) + 1 == stopping->at)
        atomic_store(&stopping->stop, true);
}

static ssize_t stopping_pread(void *context, int fd, void *buffer, size_t bytes, off_t offset)
{
    note_transfer(context);
    return wari_host_system()->pread(NULL, fd, buffer, bytes, offset);
}

static ssize_t stopping_pwrite(void *context, int fd, const void *buffer, size_t bytes,
                               off_t offset)
{
    note_transfer(context);
    return wari_host_system()->pwrite(NULL, fd, buffer, bytes, offset);
}

/* Stops the build while it transfers lists, snapshots or codes. The next build uses the
 * checkpoint if there is one. */
static void stop_at_transfer(long k, double checkpoint)
{
    struct stopping_host stopping = {.at = k};
    struct stopper stopper = {0};

    restore_folder();
    struct wari_build build = build_like(BY_BITS, 1);
    fault_host_init(&stopping.fault, 0, 0);
    stopping.fault.host.pread = stopping_pread;
    stopping.fault.host.pwrite = stopping_pwrite;
    build.checkpoint = checkpoint;
    build.host = &stopping.fault.host;
    build.stop = &stopping.stop;
    assert_int_equal(wari_build(&build, NULL), WARI_INTERRUPTED);
    assert_true(fault_host_clean(&stopping.fault));
    if (checkpoint < 0) {
        assert_folder_is(without_last_level());
        return; /* the stopped build left no checkpoint */
    }
    assert_int_equal(run(BY_BITS, later, &stopper), WARI_OK);
    assert_folder_is(whole());
}

static void stops_during_transfers_lose_nothing_else(void **state)
{
    const struct counter *calls = calls_made();
    const long first = calls->captures[READ] + calls->captures[WRITE];
    const long last = calls->count[READ] + calls->count[WRITE];
    const int trials = test_scale(6, 2);

    (void)state;
    for (int i = 0; i < trials; i++)
        stop_at_transfer(first + (last - first) * (i + 1) / trials, i % 2 ? never : every_sweep);
}

/* ---- Harmless conditions --------------------------------------------------------------------- */

/* Lets transfers be interrupted or end early, which hardly ever happens with a disk. */
static void short_transfers_do_not_change_files(void **state)
{
    struct fault_host fault;

    (void)state;
    restore_folder();
    struct wari_build build = build_like(BY_BITS, BUILD_THREADS);
    fault_host_init(&fault, 0, 0);
    fault.longest = 3000;
    fault.interrupt = true;
    build.host = &fault.host;
    assert_int_equal(wari_build(&build, NULL), WARI_OK);
    assert_true(fault_host_clean(&fault));
    assert_true(atomic_load(&fault.interruptions) > 100);
    assert_folder_is(whole());
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

TEST_GROUP(test_solver_bits_builds)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(builds_resume_from_bits_to_the_same_files),
        IN_FOLDER(bits_resume_repeatedly),
        IN_FOLDER(only_the_memory_backend_resumes_its_checkpoints),
        IN_FOLDER(failed_transfers_publish_nothing),
        IN_FOLDER(failed_snapshots_and_lists_publish_nothing),
        IN_FOLDER(failed_allocations_publish_nothing),
        IN_FOLDER(stopped_builds_begin_the_level_again),
        IN_FOLDER(stops_during_transfers_lose_nothing_else),
        IN_FOLDER(short_transfers_do_not_change_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
