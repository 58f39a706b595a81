/* What comes back from a scratch file is checked, whatever of it that is: a bit that changed, bytes
 * that never arrived or a file that was cut end the build with the file's name and the place, and
 * nothing of the level is published. */
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

enum { SEEDS = 11, FILES_MAX = 1024 }; /* seeds: as in test_solver_bits_builds.c */

static const struct wari_variant variant = {WARI_AWARI, WARI_EVEN};

enum lie { FLIP_BIT, LOSE_WRITE, CUT_FILE, LIES };

/* A host that lies once about the scratch file, or that of full halves, which is made after it: at
 * the k-th transfer of a part of it. */
struct liar {
    struct fault_host fault; /* the first member: the context of all functions */
    enum lie lie;
    long k;
    uint64_t from, end; /* the part */
    bool full_halves, after_captures;
    atomic_int nameless; /* files that were made */
    atomic_bool armed, lied, read_back;
    atomic_long transfers;
    atomic_llong place, bytes; /* of the lie: what is not as it should be */
    atomic_bool is_scratch[FILES_MAX];
};

/* Every level by bits has its file, and then that of full halves. */
static int liar_open(void *context, const char *path, int flags, mode_t mode)
{
    struct liar *liar = context;
    const int fd = wari_host_system()->open(NULL, path, flags, mode);

    if (fd >= 0) {
        bool is_scratch = false;
        if ((flags & O_TMPFILE) == O_TMPFILE)
            is_scratch = atomic_fetch_add(&liar->nameless, 1) == (liar->full_halves ? 1 : 0);
        assert_true(fd < FILES_MAX);
        atomic_fetch_add(&liar->fault.files, 1);
        atomic_store(&liar->is_scratch[fd], is_scratch);
    }
    return fd;
}

/* Whether to lie about this transfer. */
static bool lies(struct liar *liar, int fd, off_t offset, size_t bytes)
{
    if (!atomic_load(&liar->is_scratch[fd]) || !atomic_load(&liar->armed) ||
        atomic_load(&liar->lied) || (uint64_t)offset < liar->from ||
        (uint64_t)offset >= liar->end || atomic_fetch_add(&liar->transfers, 1) + 1 != liar->k)
        return false;
    atomic_store(&liar->place, offset);
    atomic_store(&liar->bytes, (long long)bytes);
    atomic_store(&liar->lied, true);
    return true;
}

static ssize_t liar_pread(void *context, int fd, void *buffer, size_t bytes, off_t offset)
{
    struct liar *liar = context;
    ssize_t got;

    if (liar->lie == CUT_FILE && lies(liar, fd, offset, bytes)) {
        assert_int_equal(ftruncate(fd, offset), 0);
        atomic_store(&liar->read_back, true);
    }
    got = wari_host_system()->pread(NULL, fd, buffer, bytes, offset);
    if (liar->lie == FLIP_BIT && got > 0 && lies(liar, fd, offset, 1)) {
        *(uint8_t *)buffer ^= 4;
        atomic_store(&liar->read_back, true);
    }
    if (liar->lie == LOSE_WRITE && atomic_load(&liar->lied) && atomic_load(&liar->is_scratch[fd]) &&
        offset <= atomic_load(&liar->place) && offset + (off_t)bytes > atomic_load(&liar->place))
        atomic_store(&liar->read_back, true);
    return got;
}

/* Writes that change something are lost. */
static ssize_t liar_pwrite(void *context, int fd, const void *buffer, size_t bytes, off_t offset)
{
    struct liar *liar = context;

    if (liar->lie == LOSE_WRITE && atomic_load(&liar->is_scratch[fd])) {
        void *before = malloc(bytes);
        assert_non_null(before);
        const ssize_t got = wari_host_system()->pread(NULL, fd, before, bytes, offset);
        const bool changes = got != (ssize_t)bytes || memcmp(before, buffer, bytes) != 0;
        free(before);
        if (changes && lies(liar, fd, offset, bytes))
            return (ssize_t)bytes;
    }
    return wari_host_system()->pwrite(NULL, fd, buffer, bytes, offset);
}

static void arm(void *context, const struct wari_progress *progress)
{
    struct liar *liar = context;

    if (progress->phase == WARI_PHASE_SWEEP && liar->after_captures)
        atomic_store(&liar->armed, true);
}

/* ---- Parts of the file ----------------------------------------------------------------------- */

static struct wari_build build_by_bits(struct wari_bits_shape *shape)
{
    static uint64_t memory; /* the same for all builds */
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

enum part { PIECES, STRIPES, SNAPSHOTS, LISTS, FULL_HALVES, PARTS };

static void choose_part(struct liar *liar, const struct wari_bits_shape *shape, enum part part)
{
    const uint64_t captures = snapshots_begin(SEEDS, shape), lists = shape->scratch.append_at;
    const struct {
        uint64_t from, end;
    } of[PARTS] = {[PIECES] = {0, captures},
                   [STRIPES] = {captures, lists},
                   [SNAPSHOTS] = {captures, lists},
                   [LISTS] = {lists, UINT64_MAX},
                   [FULL_HALVES] = {0, UINT64_MAX}};

    liar->from = of[part].from;
    liar->end = of[part].end;
    liar->full_halves = part == FULL_HALVES;
    liar->after_captures = part == SNAPSHOTS;
    atomic_init(&liar->armed, !liar->after_captures);
}

/* ---- Lies ------------------------------------------------------------------------------------ */

/* Whether the message has the byte of the lie. Where the file was cut, another thread may be the
 * first to miss what stood behind; and of a long write that was lost, any part. */
static bool names_the_place(struct liar *liar, enum part part, const char *text)
{
    const char *const named = strstr(text, ": byte ");
    const unsigned long long byte = named ? strtoull(named + strlen(": byte "), NULL, 10) : 0;
    const unsigned long long place = (unsigned long long)atomic_load(&liar->place);

    if (!named)
        return false;
    if (liar->lie == CUT_FILE)
        return byte >= place;
    if (part == FULL_HALVES)
        return byte == liar->from;
    return byte >= place && byte - place < (unsigned long long)atomic_load(&liar->bytes);
}

/* Whether there was a k-th transfer to lie about, and what came of it was read. */
static bool is_found(enum part part, enum lie lie, long k)
{
    static struct liar liar;
    struct wari_bits_shape shape;
    struct wari_build build = build_by_bits(&shape);
    struct wari_error error = {WARI_OK, ""};

    memset(&liar, 0, sizeof liar);
    liar.lie = lie;
    liar.k = k;
    fault_host_init(&liar.fault, 0, 0);
    liar.fault.host.open = liar_open;
    liar.fault.host.pread = liar_pread;
    liar.fault.host.pwrite = liar_pwrite;
    choose_part(&liar, &shape, part);
    build.host = &liar.fault.host;
    build.progress = arm;
    build.context = &liar;
    const enum wari_status status = wari_build(&build, &error);
    assert_true(fault_host_clean(&liar.fault));
    if (!atomic_load(&liar.read_back)) {
        assert_int_equal(status, WARI_OK);
        return false;
    }
    if (status != WARI_IO || !strstr(error.text, "are not what was written there") ||
        !strstr(error.text, folder))
        fail_msg("part %d, lie %d, transfer %ld: status %d: %s", part, lie, k, status, error.text);
    if (!names_the_place(&liar, part, error.text))
        fail_msg("part %d, lie %d, transfer %ld: not byte %lld: %s", part, lie, k,
                 (long long)atomic_load(&liar.place), error.text);
    struct folder_image after = folder_load(folder);
    assert_folders_equal(&after, image_of(variant, SEEDS - 1));
    folder_free(&after);
    return true;
}

static void lie_about(enum part part)
{
    folder_store(folder, image_of(variant, SEEDS - 1));
    for (int lie = 0; lie < LIES; lie++)
        assert_true(is_found(part, (enum lie)lie, 1 + lie));
}

static void changed_pieces_end_the_build(void **state)
{
    (void)state;
    lie_about(PIECES);
}

static void changed_stripes_end_the_build(void **state)
{
    (void)state;
    lie_about(STRIPES);
}

static void changed_snapshots_end_the_build(void **state)
{
    (void)state;
    lie_about(SNAPSHOTS);
}

static void changed_full_halves_end_the_build(void **state)
{
    (void)state;
    lie_about(FULL_HALVES);
}

static void changed_lists_end_the_build(void **state)
{
    (void)state;
    lie_about(LISTS);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

TEST_GROUP(test_solver_sums)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(changed_pieces_end_the_build),    IN_FOLDER(changed_stripes_end_the_build),
        IN_FOLDER(changed_snapshots_end_the_build), IN_FOLDER(changed_full_halves_end_the_build),
        IN_FOLDER(changed_lists_end_the_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
