/* Levels distributed over ranks: every cell belongs to exactly one rank, for any number of
 * ranks; and ranks that are threads of this program (tests/support/thread_net.h) build the same
 * files as a single process, or all of them fail with the same error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "solver/cluster/build.h"
#include "solver/cluster/ranks.h"
#include "tests/support/builds.h"
#include "tests/support/fault_host.h"
#include "tests/support/scale.h"
#include "tests/support/thread_net.h"
#include "tests/unit/groups.h"

static const int counts[] = {1, 2, 3, 4, 7, 16, 64, 1024};
enum { COUNTS = sizeof counts / sizeof counts[0] };

/* ---- Partitions of all levels up to 48 seeds ------------------------------------------------- */

static void check_rows(const struct wari_ranks *ranks)
{
    for (int block = 0; block <= ranks->layout.seeds; block++) {
        const uint32_t *first = ranks->first_row[block];
        assert_int_equal(first[0], 0);
        assert_int_equal(first[ranks->count], ranks->layout.rows[block]);
        for (int rank = 0; rank < ranks->count; rank++) {
            assert_true(first[rank] <= first[rank + 1]);
            if (first[rank] == first[rank + 1])
                continue;
            assert_int_equal(wari_ranks_owner(ranks, block, first[rank]), rank);
            assert_int_equal(wari_ranks_owner(ranks, block, first[rank + 1] - 1), rank);
        }
    }
}

/* Compares the sizes of the partitions: the largest exceeds the mean by at most the longest
 * row. */
static void check_evenness(const struct wari_ranks *ranks)
{
    const int seeds = ranks->layout.seeds;
    const uint64_t row = wari_level_pitch(ranks->layout.columns[0]);
    uint64_t all = 0, most = 0;

    for (int rank = 0; rank < ranks->count; rank++) {
        uint32_t pitch[WARI_SEEDS_MAX + 1];
        uint64_t offset[WARI_SEEDS_MAX + 2], bytes = 0;
        struct wari_partition partition;
        wari_ranks_partition(ranks, rank, &partition);
        const struct wari_sizes sizes = wari_level_lay_out(seeds, &partition, pitch, offset);
        for (int block = 0; block <= seeds; block++)
            bytes +=
                partition.rows[block] * (uint64_t)wari_level_pitch(ranks->layout.columns[block]);
        all += bytes;
        most = bytes > most ? bytes : most;
        assert_true(sizes.cells + sizes.copy +
                        sizes.event_buffers * sizeof(struct wari_event_buffer) <=
                    wari_ranks_bytes(seeds, ranks->count, 1));
    }
    assert_true(most <= all / (uint64_t)ranks->active + row);
}

static void rows_are_distributed_once_and_evenly(void **state)
{
    (void)state;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        for (int i = 0; i < COUNTS; i++) {
            struct wari_ranks ranks;
            assert_int_equal(
                wari_ranks_distribute(&ranks, wari_host_system(), seeds, counts[i], NULL), WARI_OK);
            check_rows(&ranks);
            check_evenness(&ranks);
            wari_ranks_free(&ranks);
        }
    }
}

/* Checks that the items of a block have exactly the cells of the block, and are distributed
 * evenly: every item lies in the block, and the sum of their cells is that of the block. */
static void check_work(const struct wari_ranks *ranks, enum wari_parents parents, int block,
                       uint32_t bands)
{
    const struct wari_work work = wari_work_of(ranks, parents, block, bands);
    const uint32_t strips = (work.cut.rows + WARI_STRIP - 1) / WARI_STRIP;
    uint64_t strips_of_columns = 0, least = UINT64_MAX, most = 0;

    for (int rank = 0; rank < ranks->count; rank++) {
        const uint32_t count = wari_work_count(&work, rank);
        for (uint32_t i = 0; i < count; i++) {
            const struct wari_item item = wari_work_item(&work, rank, i);
            assert_true(item.strips > 0 && item.strips <= bands * WARI_BAND_STRIPS);
            assert_int_equal(item.first_strip % WARI_BAND_STRIPS, 0);
            assert_true(item.first_strip + item.strips <= strips);
            assert_true(item.columns > 0 && item.first_column + item.columns <= work.cut.columns);
            strips_of_columns += (uint64_t)item.strips * item.columns;
        }
        if (rank < ranks->active) {
            least = count < least ? count : least;
            most = count > most ? count : most;
        }
    }
    assert_true(strips_of_columns == (uint64_t)strips * work.cut.columns);
    assert_true(most - least <= 1);
}

static void work_is_distributed_once_and_evenly(void **state)
{
    static const int levels[] = {0, 1, 5, 9, 14, 20, 24};

    (void)state;
    for (size_t l = 0; l < sizeof levels / sizeof levels[0]; l++) {
        for (int i = 0; i < COUNTS; i++) {
            struct wari_ranks ranks;
            assert_int_equal(
                wari_ranks_distribute(&ranks, wari_host_system(), levels[l], counts[i], NULL),
                WARI_OK);
            for (int block = 0; block <= levels[l]; block++) {
                check_work(&ranks, WARI_PARENTS_ROWS, block, 8);
                check_work(&ranks, WARI_PARENTS_FULL, block, 1);
            }
            wari_ranks_free(&ranks);
        }
    }
}

/* ---- Builds by threads ----------------------------------------------------------------------- */

enum { RANKS_MAX = 8 };

struct job {
    struct wari_build build[RANKS_MAX]; /* the builds of the ranks, one for each rank */
    bool local_disks;
    enum wari_status status[RANKS_MAX];
    struct wari_error error[RANKS_MAX];
};

static void build_as_rank(struct wari_net *net, void *context)
{
    struct job *job = context;
    const int rank = net->rank;

    job->status[rank] =
        wari_build_distributed(&job->build[rank], net, job->local_disks, &job->error[rank]);
}

static void run_job(struct job *job, int ranks)
{
    const struct wari_sharing sharing = {ranks, wari_ranks_bytes};

    for (int rank = 0; rank < ranks; rank++) {
        job->build[rank].sharing = &sharing;
        job->error[rank] = (struct wari_error){WARI_OK, ""};
    }
    thread_ranks_run(ranks, build_as_rank, job);
    for (int rank = 1; rank < ranks; rank++)
        assert_int_equal(job->status[rank], job->status[0]);
}

static void check_bytes(int ranks, struct wari_variant variant, int seeds, int threads)
{
    char folder[TABLE_FOLDER_MAX];
    struct job job = {.local_disks = false};

    assert_true(table_folder_make(folder));
    for (int rank = 0; rank < ranks; rank++) {
        job.build[rank] = build_of(folder, variant, seeds);
        job.build[rank].threads = threads;
    }
    run_job(&job, ranks);
    if (job.status[0] != WARI_OK)
        fail_msg("%d ranks: %s", ranks, job.error[0].text);
    struct folder_image image = folder_load(folder);
    assert_folders_equal(&image, image_of(variant, seeds));
    folder_free(&image);
    assert_true(table_folder_remove(folder));
}

/* From 8 seeds on, a level has work for three ranks or more. */
enum { RANKS = 3, LEVELS = 8 };
static const struct wari_variant variant = {WARI_AWARI, WARI_EVEN};
static const struct wari_variant own = {WARI_ABAPA, WARI_OWN};
static const struct wari_variant again = {WARI_WARRI, WARI_EVEN};

static int seeds_of_again(void)
{
    return test_scale(9, 8);
}

/* Builds the expected files before any rank starts threads. OpenMP reuses its threads, and the
 * thread sanitizer would report that as a race. */
static int make_images(void **state)
{
    (void)state;
    (void)image_of(variant, LEVELS - 2);
    (void)image_of(variant, LEVELS);
    (void)image_of(own, LEVELS);
    (void)image_of(again, seeds_of_again());
    return 0;
}

static void ranks_build_the_bytes_of_one_process(void **state)
{
    (void)state;
    check_bytes(1, variant, LEVELS - 2, 2);
    check_bytes(3, own, LEVELS, 2);
    check_bytes(5, again, seeds_of_again(), 1);
}

/* ---- Failures ------------------------------------------------------------------------------- */

/* Checks that a build completes the files in the folder, unless an earlier trial left the same
 * files there. */
static void complete(const char *folder)
{
    static struct folder_states seen;

    if (!folder_is_new(folder, &seen))
        return;
    build_database(folder, variant, LEVELS);
    struct folder_image image = folder_load(folder);
    assert_folders_equal(&image, image_of(variant, LEVELS));
    folder_free(&image);
}

/* Lets the k-th call of the given kinds fail on one rank. Returns false if there is no such call.
 * At the small scale, the folder already has the small levels, in which only one rank has work, so
 * that the build does not repeat them. */
static bool fail_on_one_rank(int rank_to_fail, int kinds, long k, enum wari_status expected)
{
    static const char *const names[] = {"rank 0 on zero", "rank 1 on one"};
    char folder[TABLE_FOLDER_MAX];
    struct fault_host fault;
    struct job job = {.local_disks = false};

    assert_true(table_folder_make(folder));
    folder_store(folder, image_of(variant, test_scale(-1, LEVELS - 2)));
    fault_host_init(&fault, kinds, k);
    for (int rank = 0; rank < RANKS; rank++) {
        job.build[rank] = build_of(folder, variant, LEVELS);
        job.build[rank].threads = 1;
    }
    job.build[rank_to_fail].host = &fault.host;
    run_job(&job, RANKS);
    const bool fired = fault_host_fired(&fault);
    if (job.status[0] != (fired ? expected : WARI_OK))
        fail_msg("call %ld of %d: status %d: %s", k, kinds, job.status[0], job.error[0].text);
    for (int rank = 0; fired && rank < RANKS; rank++)
        assert_non_null(strstr(job.error[rank].text, names[rank_to_fail]));
    if (!fault_host_clean(&fault))
        fail_msg("call %ld of %d: %ld blocks, %ld files left", k, kinds, atomic_load(&fault.blocks),
                 atomic_load(&fault.files));
    (void)assert_folder_is_part(folder, variant, image_of(variant, LEVELS));
    complete(folder);
    assert_true(table_folder_remove(folder));
    return fired;
}

static void fail_at_several_calls(int rank, int kinds, enum wari_status expected, long step,
                                  long least)
{
    long k = 1;

    while (fail_on_one_rank(rank, kinds, k, expected))
        k += step;
    assert_true(k > least);
}

static void all_ranks_fail_if_one_has_no_memory(void **state)
{
    (void)state;
    fail_at_several_calls(1, FAULT_ALLOCATE, WARI_NO_MEMORY, test_scale(37, 97), 200);
}

/* Only the first rank writes. */
static void all_ranks_fail_if_one_cannot_write(void **state)
{
    (void)state;
    fail_at_several_calls(0, FAULT_WRITE | FAULT_SYNC, WARI_IO, test_scale(3, 5), 6);
}

static void all_ranks_fail_if_one_cannot_open(void **state)
{
    (void)state;
    fail_at_several_calls(1, FAULT_OPEN, WARI_IO, test_scale(5, 7), 10);
}

/* If the ranks use different folders, either the build is refused, or each folder gets all the
 * files. */
static void folders_are_shared_or_each_gets_a_copy(void **state)
{
    char folder[RANKS][TABLE_FOLDER_MAX];
    struct job job = {.local_disks = false};

    (void)state;
    for (int rank = 0; rank < RANKS; rank++) {
        assert_true(table_folder_make(folder[rank]));
        job.build[rank] = build_of(folder[rank], variant, LEVELS);
        job.build[rank].threads = 1;
    }
    run_job(&job, RANKS);
    assert_int_equal(job.status[0], WARI_BAD_INPUT);
    assert_non_null(strstr(job.error[0].text, "--local-disks"));
    folder_store(folder[1], image_of(variant, LEVELS - 2)); /* the other folders lack this level */
    job.local_disks = true;
    run_job(&job, RANKS);
    if (job.status[0] != WARI_OK)
        fail_msg("%s", job.error[0].text);
    for (int rank = 0; rank < RANKS; rank++) {
        struct folder_image image = folder_load(folder[rank]);
        assert_folders_equal(&image, image_of(variant, LEVELS));
        folder_free(&image);
        assert_true(table_folder_remove(folder[rank]));
    }
}

TEST_GROUP(test_solver_ranks)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_distributed_once_and_evenly),
        cmocka_unit_test(work_is_distributed_once_and_evenly),
        cmocka_unit_test(ranks_build_the_bytes_of_one_process),
        cmocka_unit_test(all_ranks_fail_if_one_has_no_memory),
        cmocka_unit_test(all_ranks_fail_if_one_cannot_write),
        cmocka_unit_test(all_ranks_fail_if_one_cannot_open),
        cmocka_unit_test(folders_are_shared_or_each_gets_a_copy),
    };

    return cmocka_run_group_tests(tests, make_images, NULL);
}
