/* All data that is read from a scratch file is checked. If a bit has changed, bytes were never
 * written or the file was cut, the build ends with an error that names the file and the offset, and
 * the level is not published. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "solver/bits/bits.h"
#include "solver/bits/bits_backend.h"
#include "tests/support/builds.h"
#include "tests/support/fault_host.h"
#include "tests/support/own_folder.h"
#include "tests/unit/groups.h"

enum { SEEDS = 11, FILES_MAX = 1024 }; /* SEEDS is the same level as in test_solver_bits_builds.c */

static const struct wari_variant variant = {WARI_AWARI, WARI_EVEN};

enum error_kind { FLIP_BIT, LOSE_WRITE, CUT_FILE, ERROR_KINDS };

/* A host with one silent error, in the scratch file or in the file of full halves, which is created
 * after the scratch file. The error happens at the k-th transfer in a range of the file. */
struct silent_fault {
    struct fault_host fault; /* must be the first field: its address is the context of all host
                              * functions */
    enum error_kind error_kind;
    long k;
    uint64_t from, end; /* only transfers that begin in this range of offsets are counted */
    bool full_halves, after_captures;
    atomic_int unnamed_files; /* number of unnamed files that were created */
    atomic_bool armed, happened, read_back;
    atomic_long transfers;
    atomic_llong offset_of_error, bytes; /* range of the file that is wrong */
    atomic_bool is_scratch[FILES_MAX];
};

/* A build creates a trial file first. Then every level of the bit backend creates its scratch file,
 * and after it the file of full halves. */
static int faulty_open(void *context, const char *path, int flags, mode_t mode)
{
    struct silent_fault *silent_fault = context;
    const int fd = wari_host_system()->open(NULL, path, flags, mode);

    if (fd >= 0) {
        bool is_scratch = false;
        /* A temporary file has no name if it is opened with O_TMPFILE. Where O_TMPFILE does not
         * exist, its name contains ".scratch." and is removed at once. */
        if ((flags & O_TMPFILE) == O_TMPFILE || strstr(path, ".scratch.") != NULL)
            is_scratch = atomic_fetch_add(&silent_fault->unnamed_files, 1) ==
                         (silent_fault->full_halves ? 2 : 1);
        assert_true(fd < FILES_MAX);
        atomic_fetch_add(&silent_fault->fault.files, 1);
        atomic_store(&silent_fault->is_scratch[fd], is_scratch);
    }
    return fd;
}

/* Returns true if this transfer has the silent error. */
static bool fails_now(struct silent_fault *silent_fault, int fd, off_t offset, size_t bytes)
{
    if (!atomic_load(&silent_fault->is_scratch[fd]) || !atomic_load(&silent_fault->armed) ||
        atomic_load(&silent_fault->happened) || (uint64_t)offset < silent_fault->from ||
        (uint64_t)offset >= silent_fault->end ||
        atomic_fetch_add(&silent_fault->transfers, 1) + 1 != silent_fault->k)
        return false;
    atomic_store(&silent_fault->offset_of_error, offset);
    atomic_store(&silent_fault->bytes, (long long)bytes);
    atomic_store(&silent_fault->happened, true);
    return true;
}

static ssize_t faulty_pread(void *context, int fd, void *buffer, size_t bytes, off_t offset)
{
    struct silent_fault *silent_fault = context;
    ssize_t got;

    if (silent_fault->error_kind == CUT_FILE && fails_now(silent_fault, fd, offset, bytes)) {
        assert_int_equal(ftruncate(fd, offset), 0);
        atomic_store(&silent_fault->read_back, true);
    }
    got = wari_host_system()->pread(NULL, fd, buffer, bytes, offset);
    if (silent_fault->error_kind == FLIP_BIT && got > 0 && fails_now(silent_fault, fd, offset, 1)) {
        *(uint8_t *)buffer ^= 4;
        atomic_store(&silent_fault->read_back, true);
    }
    if (silent_fault->error_kind == LOSE_WRITE && atomic_load(&silent_fault->happened) &&
        atomic_load(&silent_fault->is_scratch[fd]) &&
        offset <= atomic_load(&silent_fault->offset_of_error) &&
        offset + (off_t)bytes > atomic_load(&silent_fault->offset_of_error))
        atomic_store(&silent_fault->read_back, true);
    return got;
}

/* Drops the faulty write, but only if it would have changed bytes of the file. */
static ssize_t faulty_pwrite(void *context, int fd, const void *buffer, size_t bytes, off_t offset)
{
    struct silent_fault *silent_fault = context;

    if (silent_fault->error_kind == LOSE_WRITE && atomic_load(&silent_fault->is_scratch[fd])) {
        void *before = malloc(bytes);
        assert_non_null(before);
        const ssize_t got = wari_host_system()->pread(NULL, fd, before, bytes, offset);
        const bool changes = got != (ssize_t)bytes || memcmp(before, buffer, bytes) != 0;
        free(before);
        if (changes && fails_now(silent_fault, fd, offset, bytes))
            return (ssize_t)bytes;
    }
    return wari_host_system()->pwrite(NULL, fd, buffer, bytes, offset);
}

static void arm(void *context, const struct wari_progress *progress)
{
    struct silent_fault *silent_fault = context;

    if (progress->phase == WARI_PHASE_SWEEP && silent_fault->after_captures)
        atomic_store(&silent_fault->armed, true);
}

/* ---- Ranges of the file ---------------------------------------------------------------------- */

static struct wari_build build_by_bits(struct wari_bits_shape *shape)
{
    static uint64_t memory; /* limit on memory of all builds */
    struct wari_build build = build_of(folder, variant, SEEDS);
    struct wari_build_plan plan;

    build.checkpoint = -1;
    if (memory == 0)
        memory = memory_for_all(&build) - 4096;
    build.memory = memory;
    assert_int_equal(wari_build_plan(&build, &plan, NULL), WARI_OK);
    assert_int_equal(plan.first_bit_level, SEEDS);
    assert_true(wari_bits_shape_for(SEEDS, WARI_EVEN, plan.level_bytes, plan.idle_bytes,
                                    BUILD_THREADS, shape));
    return build;
}

enum content { ROW_RANGES, COLUMN_RANGES, SNAPSHOTS, LISTS, FULL_HALVES, CONTENTS };

static void choose_range(struct silent_fault *silent_fault, const struct wari_bits_shape *shape,
                         enum content content)
{
    const uint64_t captures = snapshots_begin(SEEDS, shape), lists = shape->scratch.append_at;
    const struct {
        uint64_t from, end;
    } of[CONTENTS] = {[ROW_RANGES] = {0, captures},
                      [COLUMN_RANGES] = {captures, lists},
                      [SNAPSHOTS] = {captures, lists},
                      [LISTS] = {lists, UINT64_MAX},
                      [FULL_HALVES] = {0, UINT64_MAX}};

    silent_fault->from = of[content].from;
    silent_fault->end = of[content].end;
    silent_fault->full_halves = content == FULL_HALVES;
    silent_fault->after_captures = content == SNAPSHOTS;
    atomic_init(&silent_fault->armed, !silent_fault->after_captures);
}

/* ---- Silent errors --------------------------------------------------------------------------- */

/* Returns true if the message names an offset that is really wrong. If the file was cut, this may
 * be the offset of any later byte, because another thread may be the first to notice; if a long
 * write was lost, it may be the offset of any byte of this write. */
static bool names_the_offset(struct silent_fault *silent_fault, enum content content,
                             const char *text)
{
    const char *const named = strstr(text, ": the bytes at offsets ");
    const unsigned long long byte =
        named ? strtoull(named + strlen(": the bytes at offsets "), NULL, 10) : 0;
    const unsigned long long offset_of_error =
        (unsigned long long)atomic_load(&silent_fault->offset_of_error);

    if (!named)
        return false;
    if (silent_fault->error_kind == CUT_FILE)
        return byte >= offset_of_error;
    if (content == FULL_HALVES)
        return byte == silent_fault->from;
    return byte >= offset_of_error &&
           byte - offset_of_error < (unsigned long long)atomic_load(&silent_fault->bytes);
}

/* Returns true if there was a k-th transfer, and the wrong bytes were read. */
static bool is_found(enum content content, enum error_kind error_kind, long k)
{
    static struct silent_fault silent_fault;
    struct wari_bits_shape shape;
    struct wari_build build = build_by_bits(&shape);
    struct wari_error error = {WARI_OK, ""};

    memset(&silent_fault, 0, sizeof silent_fault);
    silent_fault.error_kind = error_kind;
    silent_fault.k = k;
    fault_host_init(&silent_fault.fault, 0, 0);
    silent_fault.fault.host.open = faulty_open;
    silent_fault.fault.host.pread = faulty_pread;
    silent_fault.fault.host.pwrite = faulty_pwrite;
    choose_range(&silent_fault, &shape, content);
    build.host = &silent_fault.fault.host;
    build.progress = arm;
    build.context = &silent_fault;
    const enum wari_status status = wari_build(&build, &error);
    assert_true(fault_host_clean(&silent_fault.fault));
    if (!atomic_load(&silent_fault.read_back)) {
        assert_int_equal(status, WARI_OK);
        return false;
    }
    if (status != WARI_IO || !strstr(error.text, "are not those that were written there") ||
        !strstr(error.text, folder))
        fail_msg("content %d, error kind %d, transfer %ld: status %d: %s", content, error_kind, k,
                 status, error.text);
    if (!names_the_offset(&silent_fault, content, error.text))
        fail_msg("content %d, error kind %d, transfer %ld: not byte %lld: %s", content, error_kind,
                 k, (long long)atomic_load(&silent_fault.offset_of_error), error.text);
    struct folder_image after = folder_load(folder);
    assert_folders_equal(&after, image_of(variant, SEEDS - 1));
    folder_free(&after);
    return true;
}

static void inject_errors(enum content content)
{
    folder_store(folder, image_of(variant, SEEDS - 1));
    for (int error_kind = 0; error_kind < ERROR_KINDS; error_kind++)
        assert_true(is_found(content, (enum error_kind)error_kind, 1 + error_kind));
}

static void changed_row_ranges_end_the_build(void **state)
{
    (void)state;
    inject_errors(ROW_RANGES);
}

static void changed_column_ranges_end_the_build(void **state)
{
    (void)state;
    inject_errors(COLUMN_RANGES);
}

static void changed_snapshots_end_the_build(void **state)
{
    (void)state;
    inject_errors(SNAPSHOTS);
}

static void changed_full_halves_end_the_build(void **state)
{
    (void)state;
    inject_errors(FULL_HALVES);
}

static void changed_lists_end_the_build(void **state)
{
    (void)state;
    inject_errors(LISTS);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

TEST_GROUP(test_solver_sums)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(changed_row_ranges_end_the_build), IN_FOLDER(changed_column_ranges_end_the_build),
        IN_FOLDER(changed_snapshots_end_the_build),  IN_FOLDER(changed_full_halves_end_the_build),
        IN_FOLDER(changed_lists_end_the_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
