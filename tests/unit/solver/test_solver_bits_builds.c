/* Builds whose last level grows by bits (solver/bits/): they go on from a checkpoint in whatever
 * memory; and whatever fails or stops them, nothing wrong is published and nothing stays. */
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

enum { SEEDS = 11 }; /* the lowest level whose frames hold a snapshot in less than all memory */

static const struct wari_variant variant = {WARI_AWARI, WARI_EVEN};

/* Without the last level, and with it: made in memory. */
static const struct folder_image *below(void)
{
    return image_of(variant, SEEDS - 1);
}

static const struct folder_image *whole(void)
{
    return image_of(variant, SEEDS);
}

/* The folder, with all levels but the last one, and nothing else. */
static void start_again(void)
{
    assert_true(table_folder_remove(folder));
    assert_int_equal(make_folder(NULL), 0);
    folder_store(folder, below());
}

static void assert_folder_is(const struct folder_image *expected)
{
    struct folder_image image = folder_load(folder);

    assert_folders_equal(&image, expected);
    folder_free(&image);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

enum how { IN_MEMORY, BY_BITS };

/* The shape of the last level where it is solved by bits; false if it is not. */
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

/* A build of the last level without checkpoints that has its values grow like this. With one thread
 * it makes the same calls every time; with more, how many sweeps there are depends on the order in
 * which threads come to cells. */
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

/* Watches the last level; stops it after some sweeps. */
struct stopper {
    atomic_bool stop;
    int sweeps; /* that it has left; 0 to begin with: as many as it takes */
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

/* Stops after some sweeps; false if it did not take so many, and the level is there. */
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

/* What the checkpoint says, 24 bytes from its beginning (checkpoint.h). */
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

/* To the end, from a checkpoint or not. */
static void finish(enum how how, bool resumed)
{
    struct stopper stopper = {0};

    assert_int_equal(run(how, later, &stopper), WARI_OK);
    assert_int_equal(stopper.resumed, resumed);
    assert_folder_is(whole());
}

/* ---- Checkpoints ----------------------------------------------------------------------------- */

/* From the first threshold on, and amid the others. In small only in memory, where the values grow
 * by bytes: by bits the next test does. */
static void builds_go_on_from_bits_to_the_same_files(void **state)
{
    bool first = test_scale_is("small"), amid = false;
    enum how how = IN_MEMORY;

    (void)state;
    for (int sweeps = test_scale(2, 28); sweeps <= test_scale(52, 28); sweeps += 10) {
        start_again();
        assert_true(leave_checkpoint(BY_BITS, sweeps));
        const int threshold = bound_of_checkpoint();
        assert_in_range(threshold, 1, SEEDS);
        first |= threshold == SEEDS;
        amid |= threshold > 1 && threshold < SEEDS;
        finish(how, true);
        how = how == IN_MEMORY ? BY_BITS : IN_MEMORY;
    }
    assert_true(first && amid);
}

/* Again and again, each time a few sweeps on. */
static void bits_go_on_from_what_bits_went_on_from(void **state)
{
    int times = 0, last = SEEDS;

    (void)state;
    start_again();
    for (; leave_checkpoint(BY_BITS, times == 0 ? 2 : test_scale(6, 30)); times++) {
        const int threshold = bound_of_checkpoint();
        assert_in_range(threshold, times == 0 ? SEEDS : 1, last);
        last = threshold;
    }
    assert_true(times >= 2 && last < SEEDS);
}

/* Bytes do not go from threshold to threshold: what they leave is for bytes, also what they made of
 * the state that bits had left. Bits begin again. (In small each of the two is the case once.) */
static void what_bytes_leave_is_for_bytes(void **state)
{
    (void)state;
    for (int i = test_scale(0, 1); i < test_scale(4, 3); i++) {
        start_again();
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

/* Calls of each kind that a build on one thread has made when something began. */
struct counter {
    struct fault_host fault; /* the first member: the context of all functions */
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

static void note_calls(void *context, const struct wari_progress *progress)
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

/* How many there are in a build in which none fails. */
static const struct counter *calls_made(void)
{
    static struct counter counter;

    if (counter.count[READ] > 0)
        return &counter;
    start_again();
    struct wari_build build = build_like(BY_BITS, 1);
    fault_host_init(&counter.fault, 0, 0);
    counter.fault.host.allocate = counting_allocate;
    counter.fault.host.pread = counting_pread;
    counter.fault.host.pwrite = counting_pwrite;
    build.host = &counter.fault.host;
    build.progress = note_calls;
    build.context = &counter;
    assert_int_equal(wari_build(&build, NULL), WARI_OK);
    assert_true(fault_host_clean(&counter.fault));
    assert_folder_is(whole());
    for (int i = 0; i < CALLS; i++)
        assert_true(counter.count[i] > counter.captures[i]);
    return &counter;
}

/* The k-th call fails: nothing of the level is published, and nothing stays. On one thread there is
 * such a call; on several it may be that the build has ended before. */
static void fail_at(enum call call, long k, bool for_good, int threads, struct wari_error *error)
{
    struct fault_host fault;

    start_again();
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
                                        : call == WRITE  ? "No space left on device"
                                                         : "Input/output error"));
    assert_folder_is(below());
}

/* From the capture pass, which makes the lists, to the last codes, on one thread and on two. */
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

/* A host whose first transfer fails that goes to, or comes from, some part of the scratch file: no
 * other file is so long. */
struct part_host {
    struct fault_host fault; /* the first member: the context of all functions */
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

/* Captures, too, have been where snapshots are. */
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
        start_again();
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
        assert_folder_is(below());
    }
}

/* Every block that is taken for the bits, and for what comes after them. */
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
    assert_true(lists == 1 && words == 1 && planes == 1 && worklists == 1); /* bits were in use */
}

/* ---- Stopping -------------------------------------------------------------------------------- */

/* They leave what was there before, so that a build that begins there ends as any other. */
static void stopped_builds_begin_the_level_again(void **state)
{
    bool stopped = true;

    (void)state;
    for (int sweeps = 1; stopped; sweeps += test_scale(16, 80)) {
        struct stopper stopper = {.sweeps = sweeps};
        start_again();
        const enum wari_status status = run(BY_BITS, never, &stopper);
        stopped = status == WARI_INTERRUPTED;
        assert_true(stopped || (status == WARI_OK && sweeps > SEEDS));
        assert_folder_is(stopped ? below() : whole());
    }
}

/* A host that asks for a stop at the k-th transfer, by whatever thread that is made. */
struct stopping_host {
    struct fault_host fault; /* the first member: the context of all functions */
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

/* Stops amid lists, snapshots and codes; the checkpoint, if there is one by then, serves. */
static void stop_at_transfer(long k, double checkpoint)
{
    struct stopping_host stopping = {.at = k};
    struct stopper stopper = {0};

    start_again();
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
        assert_folder_is(below());
        return; /* nothing of this one is there */
    }
    assert_int_equal(run(BY_BITS, later, &stopper), WARI_OK);
    assert_folder_is(whole());
}

static void stops_amid_transfers_lose_nothing_else(void **state)
{
    const struct counter *calls = calls_made();
    const long first = calls->captures[READ] + calls->captures[WRITE];
    const long last = calls->count[READ] + calls->count[WRITE];
    const int trials = test_scale(6, 2);

    (void)state;
    for (int i = 0; i < trials; i++)
        stop_at_transfer(first + (last - first) * (i + 1) / trials, i % 2 ? never : every_sweep);
}

/* ---- Harmless ones --------------------------------------------------------------------------- */

/* Transfers that are interrupted, or end early, as those of a disk hardly do. */
static void short_transfers_do_not_show(void **state)
{
    struct fault_host fault;

    (void)state;
    start_again();
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
        IN_FOLDER(builds_go_on_from_bits_to_the_same_files),
        IN_FOLDER(bits_go_on_from_what_bits_went_on_from),
        IN_FOLDER(what_bytes_leave_is_for_bytes),
        IN_FOLDER(failed_transfers_publish_nothing),
        IN_FOLDER(failed_snapshots_and_lists_publish_nothing),
        IN_FOLDER(failed_allocations_publish_nothing),
        IN_FOLDER(stopped_builds_begin_the_level_again),
        IN_FOLDER(stops_amid_transfers_lose_nothing_else),
        IN_FOLDER(short_transfers_do_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
