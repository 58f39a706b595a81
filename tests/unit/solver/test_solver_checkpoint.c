/* Checkpoints inside a level. A build that died resumes from a checkpoint, with any amount of
 * memory, and writes the same files; a checkpoint that differs in any respect from what the build
 * expects is not used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "db/host/bytes.h"
#include "index/half.h"
#include "solver/bits/scratch.h"
#include "solver/level/histogram.h"
#include "solver/memory/memory.h"
#include "solver/write/checkpoint.h"
#include "tests/support/builds.h"
#include "tests/support/fault_host.h"
#include "tests/support/level_samples.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

static const struct wari_variant even = {WARI_AWARI, WARI_EVEN}, own = {WARI_ABAPA, WARI_OWN};

/* Stops a build in the middle of its last level. The build writes nothing more, as if the
 * process had died. */
struct stopper {
    atomic_bool stop;
    int seeds, sweeps; /* the level in which the build is stopped, and the number of sweeps in it
                        * before the stop */
    enum wari_phase phase;
    bool resumed;    /* the statistics of the level say that it was resumed */
    bool refused;    /* an invalid checkpoint was set aside */
    bool unsuitable; /* a checkpoint of another backend was set aside */
};

static void watch(void *context, const struct wari_progress *progress)
{
    struct stopper *stopper = context;

    stopper->refused |= progress->phase == WARI_PHASE_REFUSED && progress->seeds == stopper->seeds;
    stopper->unsuitable |=
        progress->phase == WARI_PHASE_UNSUITABLE && progress->seeds == stopper->seeds;
    if (progress->phase == WARI_PHASE_LEVEL_DONE && progress->seeds == stopper->seeds)
        stopper->resumed = progress->statistics->resumed;
    if (progress->seeds == stopper->seeds && progress->phase == stopper->phase &&
        --stopper->sweeps == 0)
        atomic_store(&stopper->stop, true);
}

static enum wari_status run(struct wari_variant variant, int seeds, bool by_bits,
                            struct stopper *stopper)
{
    struct wari_build build = build_of(folder, variant, seeds);

    build.threads = seeds < 7 ? 1 : BUILD_THREADS; /* one thread is enough for so little work */
    build.checkpoint = stopper->phase == WARI_PHASE_LEVEL_DONE ? 1000 : 1e-9;
    build.progress = watch;
    build.context = stopper;
    build.stop = &stopper->stop;
    if (by_bits)
        build.memory = memory_for_bits(&build);
    return wari_build(&build, NULL);
}

static void checkpoint_path(char path[WARI_PATH_MAX], struct wari_variant variant, int seeds)
{
    assert_int_equal(wari_path(path, NULL, folder, "%s-%s-%d.checkpoint",
                               wari_get_rules_info(variant.rules)->name,
                               wari_cycle_name(variant.cycle), seeds),
                     WARI_OK);
}

/* Leaves a checkpoint of the last level. */
static void leave_checkpoint(struct wari_variant variant, int seeds, bool by_bits,
                             enum wari_phase phase, int sweeps)
{
    struct stopper stopper = {.seeds = seeds, .sweeps = sweeps, .phase = phase};
    char path[WARI_PATH_MAX];

    folder_store(folder, image_of(variant, seeds - 1));
    assert_int_equal(run(variant, seeds, by_bits, &stopper), WARI_INTERRUPTED);
    checkpoint_path(path, variant, seeds);
    assert_int_equal(access(path, F_OK), 0);
}

static void assert_folder_is(const struct folder_image *expected)
{
    struct folder_image image = folder_load(folder);

    assert_folders_equal(&image, expected);
    folder_free(&image);
}

/* Finishes the build; returns what was reported of the level. The files must be those of a build
 * without a checkpoint, and there must be no others. */
static struct stopper finish(struct wari_variant variant, int seeds, bool by_bits)
{
    struct stopper stopper = {.seeds = seeds, .phase = WARI_PHASE_LEVEL_DONE};

    assert_int_equal(run(variant, seeds, by_bits, &stopper), WARI_OK);
    assert_folder_is(image_of(variant, seeds));
    return stopper;
}

static void empty_folder(void)
{
    assert_true(table_folder_remove(folder));
    assert_int_equal(make_folder(NULL), 0);
}

/* A level that one build begins and another build finishes. */
struct interrupted_build {
    struct wari_variant variant;
    bool before, after; /* before: the first build uses the bit backend; after: the second build
                         * uses it */
    enum wari_phase phase;
    int sweeps; /* number of sweeps before the first build is stopped */
};

static void interrupt_and_resume(const struct interrupted_build *stopped)
{
    /* below 11 seeds the bit backend does not need less memory, so no build uses it */
    const int seeds = stopped->before || stopped->after ? 11 : test_scale(11, 7);
    /* A checkpoint of the memory backend has no threshold, so the bit backend cannot resume from
     * it. With cycle rule `own` the memory backend cannot resume from a checkpoint of the bit
     * backend, because the two backends use different codes for upper bounds. */
    const bool resumes = stopped->before == stopped->after ||
                         (stopped->before && stopped->variant.cycle == WARI_EVEN);

    leave_checkpoint(stopped->variant, seeds, stopped->before, stopped->phase, stopped->sweeps);
    const struct stopper stopper = finish(stopped->variant, seeds, stopped->after);
    assert_int_equal(stopper.resumed, resumes);
    assert_int_equal(stopper.unsuitable, !resumes);
    assert_false(stopper.refused);
    empty_folder();
}

static void builds_resume_from_a_checkpoint_to_the_same_files(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const bool before = i & 1, after = i & 2;
        const struct interrupted_build builds[] = {
            {even, before, after, WARI_PHASE_SWEEP, 4},
            {own, before, after, WARI_PHASE_SWEEP, 4},
            {own, before, after, WARI_PHASE_SHRINK, 3}, /* during the sweeps over upper bounds */
        };
        /* At the small scale, builds with cycle rule `even` in which the bit backend takes part are
         * not interrupted here, because test_solver_bits_builds.c does that. If both builds use the
         * bit backend, the first one is interrupted only during the sweeps over upper bounds. */
        for (int j = before || after ? test_scale(0, 1) : 0; j < 3; j++)
            if (test_scale(1, 0) || j == 0 || (before == after) == (j == 2) || (!before && !after))
                interrupt_and_resume(&builds[j]);
    }
}

static void write_file(const char *path, const struct file_image *image, size_t size)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(image->bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* A level into which checkpoints are read. */
struct level_to_fill {
    struct wari_lower_cache *lower_cache;
    struct wari_tables *tables;
    struct wari_workers workers;
    struct wari_checkpoint checkpoint;
    struct wari_level_statistics statistics;
    struct wari_level level;
};

static void make_level(struct level_to_fill *made, struct wari_variant variant, int seeds)
{
    const struct wari_host *host = wari_host_system();

    memset(made, 0, sizeof *made);
    assert_int_equal(wari_tables_create(&made->tables, host, variant.rules, seeds, 1, NULL),
                     WARI_OK);
    assert_int_equal(
        wari_lower_cache_create(&made->lower_cache, host,
                                &(struct wari_lower_cache_files){folder, variant, seeds},
                                wari_lower_cache_bytes_min(1), NULL),
        WARI_OK);
    assert_int_equal(wari_workers_create(&made->workers, host, made->lower_cache, 1, NULL),
                     WARI_OK);
    made->checkpoint = (struct wari_checkpoint){.address = {host, folder, {variant, seeds}}};
    made->level = (struct wari_level){.tables = made->tables,
                                      .kernel = wari_kernel_ops(WARI_KERNEL_AUTO),
                                      .host = host,
                                      .lower_cache = made->lower_cache,
                                      .workers = &made->workers,
                                      .progress.statistics = &made->statistics,
                                      .progress.checkpoint = &made->checkpoint};
    assert_int_equal(wari_memory_open(&made->level, seeds, variant.cycle, UINT64_MAX, NULL),
                     WARI_OK);
}

static void discard_level(struct level_to_fill *made)
{
    wari_level_close(&made->level);
    wari_workers_destroy(&made->workers);
    wari_lower_cache_destroy(made->lower_cache);
    wari_tables_destroy(made->tables);
}

/* Returns true if a file with these bytes is accepted as a checkpoint of the level. */
static bool is_taken(struct level_to_fill *made, const char *path, const struct file_image *image,
                     size_t size)
{
    write_file(path, image, size);
    assert_int_equal(wari_checkpoint_find(&made->level, NULL), WARI_OK);
    return made->level.progress.found;
}

/* Changes bits in all parts of the checkpoint, one at a time; cuts it to many lengths; and appends
 * a byte. */
static void damaged_checkpoints_are_not_used(void **state)
{
    const int seeds = 4;
    const size_t step = (size_t)test_scale(7, 61);
    struct level_to_fill made;
    char path[WARI_PATH_MAX];

    (void)state;
    leave_checkpoint(own, seeds, false, WARI_PHASE_SHRINK, 2);
    checkpoint_path(path, own, seeds);
    struct file_image image = file_load(path);
    assert_int_equal(image.size, 56 + wari_level_positions(seeds));
    make_level(&made, own, seeds);
    for (size_t bit = 0; bit < 8 * image.size; bit += step) {
        image.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(is_taken(&made, path, &image, image.size));
        image.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t size = 0; size < image.size; size += step)
        assert_false(is_taken(&made, path, &image, size));
    assert_true(is_taken(&made, path, &image, image.size)); /* the unchanged file is accepted */
    image.bytes = realloc(image.bytes, image.size + 1);
    assert_non_null(image.bytes);
    image.bytes[image.size] = 0;
    assert_false(is_taken(&made, path, &image, image.size + 1));
    discard_level(&made);
    free(image.bytes);
}

/* ---- Correct hashes of impossible contents --------------------------------------------------- */

enum { AT_SWEEPS = 16, AT_WON = 24, AT_SUM = 40, AT_HASH = 48, AT_CELLS = 56 };

/* Corrects the hashes in the header after a change. `old` has the bytes of the header and of the
 * first row, which has `columns` cells, from before the change. */
static void make_right(struct file_image *image, const uint8_t *old, size_t columns)
{
    uint8_t *bytes = image->bytes;
    const uint64_t seed = (uint64_t)wari_load32(bytes + 8) << 32 | (uint64_t)bytes[12] << 16 |
                          (uint64_t)bytes[13] << 8 | bytes[14];
    const uint64_t sum = wari_load64(bytes + AT_SUM) - XXH3_64bits_withSeed(old, AT_SUM, seed) -
                         XXH3_64bits_withSeed(old + AT_CELLS, columns, seed) +
                         XXH3_64bits_withSeed(bytes, AT_SUM, seed) +
                         XXH3_64bits_withSeed(bytes + AT_CELLS, columns, seed);

    wari_store64(bytes + AT_SUM, sum);
    wari_store64(bytes + AT_HASH, XXH3_64bits_withSeed(bytes, AT_HASH, seed));
}

/* A forged checkpoint differs in one thing: the code of one cell, the number of sweeps, or the
 * sum of the values. */
enum { SWEEPS_FORGED = 256, SUM_FORGED = 258, FORGERIES = 260 };

static struct file_image forge(const struct file_image *image, int forgery, size_t columns)
{
    struct file_image forged = {malloc(image->size), image->size};

    assert_non_null(forged.bytes);
    memcpy(forged.bytes, image->bytes, image->size);
    if (forgery < SWEEPS_FORGED)
        forged.bytes[AT_CELLS + columns / 2] = (uint8_t)(forgery - 128);
    else if (forgery < SUM_FORGED)
        wari_store32(forged.bytes + AT_SWEEPS, forgery == SWEEPS_FORGED ? 0x7fffffff : 1000001);
    else
        wari_store64(forged.bytes + AT_WON, UINT64_MAX);
    make_right(&forged, image->bytes, columns);
    return forged;
}

/* Checks that a build with the forged checkpoint writes the same files as a build without one. */
static void begins_anew(struct wari_variant variant, int seeds, const struct file_image *forged)
{
    struct stopper stopper = {.seeds = seeds, .phase = WARI_PHASE_LEVEL_DONE};
    char path[WARI_PATH_MAX];

    checkpoint_path(path, variant, seeds);
    write_file(path, forged, forged->size);
    assert_int_equal(run(variant, seeds, false, &stopper), WARI_OK);
    assert_true(stopper.refused);
    assert_false(stopper.unsuitable);
    assert_false(stopper.resumed);
    assert_folder_is(image_of(variant, seeds));
    empty_folder();
    folder_store(folder, image_of(variant, seeds - 1));
}

/* Checks that checkpoints with impossible contents are refused. Fixed bugs: with such checkpoints
 * the histogram was written out of bounds, builds with cycle rule `own` read beyond their tables,
 * and counters overflowed; after that each further build failed with "bad usage". */
static void refuse_impossible(struct wari_variant variant, bool shrinking)
{
    enum { SEEDS = 6 };
    const size_t columns = (size_t)wari_half_count(SEEDS);
    struct wari_cells codes;
    char path[WARI_PATH_MAX];

    leave_checkpoint(variant, SEEDS, false, shrinking ? WARI_PHASE_SHRINK : WARI_PHASE_SWEEP, 2);
    checkpoint_path(path, variant, SEEDS);
    struct file_image image = file_load(path);
    wari_cells_init(&codes, SEEDS, variant.cycle);
    wari_cells_for_upper_bounds(&codes, shrinking);
    for (int forgery = 0; forgery < FORGERIES;
         forgery += forgery < 255 ? (int)test_scale(17, 51) : 1) {
        const int code = forgery - 128;
        const bool possible = forgery < SWEEPS_FORGED && code >= wari_cell_least(&codes) &&
                              code <= wari_cell_greatest(&codes);
        /* The number of possible codes for 6 seeds was counted by hand: 6 values above 0 have one
         * code each; values 0, -1, ..., -6 have 8, 7, ..., 2 codes, one for each best capture and
         * one for no capture, which makes 35. `own` has other codes, which are tested elsewhere. */
        if (variant.cycle == WARI_EVEN && forgery < SWEEPS_FORGED)
            assert_int_equal(possible, code <= 126 && code > 126 - 6 - 35);
        if (possible)
            continue;
        struct file_image forged = forge(&image, forgery, columns);
        begins_anew(variant, SEEDS, &forged);
        free(forged.bytes);
    }
    free(image.bytes);
    empty_folder();
}

static void impossible_checkpoints_are_put_aside_and_the_level_begins_anew(void **state)
{
    (void)state;
    refuse_impossible(even, false);
    refuse_impossible(own, false);
    refuse_impossible(own, true);
}

/* Passes every possible byte as a cell to the count. */
static void counting_never_writes_outside_its_array(void **state)
{
    struct {
        uint64_t before[256], histogram[2 * WARI_SEEDS_MAX + 1], after[256];
    } guarded;
    int8_t codes[256];
    const struct wari_row_range rows = {.count = 1, .pitch = sizeof codes, .cells = codes};
    struct wari_level *level = calloc(1, sizeof *level);

    (void)state;
    assert_non_null(level);
    for (int code = 0; code < 256; code++)
        codes[code] = (int8_t)(uint8_t)code;
    for (int i = 0; i < 3 * 49; i++) {
        level->layout.seeds = i % 49;
        wari_cells_init(&level->codes, i % 49, i / 49 == 0 ? WARI_EVEN : WARI_OWN);
        wari_cells_for_upper_bounds(&level->codes, i / 49 == 2);
        memset(&guarded, 0, sizeof guarded);
        level->layout.columns[0] = sizeof codes;
        wari_count_rows(level, NULL, guarded.histogram, &rows);
        for (int j = 0; j < 256; j++)
            assert_true(guarded.before[j] == 0 && guarded.after[j] == 0);
    }
    free(level);
}

/* Exchanges two rows, each of which has a correct hash. */
static void checkpoints_with_exchanged_rows_are_not_used(void **state)
{
    const int seeds = 4;
    struct level_to_fill made;
    char path[WARI_PATH_MAX];
    uint8_t first[56];

    (void)state;
    leave_checkpoint(even, seeds, false, WARI_PHASE_SWEEP, 3);
    checkpoint_path(path, even, seeds);
    struct file_image image = file_load(path);
    make_level(&made, even, seeds);
    uint8_t *rows = image.bytes + 56 + made.level.layout.block_offset[1];
    const size_t row = made.level.layout.columns[1];
    assert_true(row <= sizeof first);
    assert_true(memcmp(rows, rows + row, row) != 0);
    memcpy(first, rows, row);
    memcpy(rows, rows + row, row);
    memcpy(rows + row, first, row);
    assert_false(is_taken(&made, path, &image, image.size));
    discard_level(&made);
    free(image.bytes);
}

/* Gives checkpoints of other levels and variants the file name that the build expects. */
static void checkpoints_of_others_are_not_used(void **state)
{
    static const struct {
        struct wari_variant variant;
        int seeds;
    } others[] = {{{WARI_AWARI, WARI_EVEN}, 6},
                  {{WARI_WARRI, WARI_OWN}, 6},
                  {{WARI_ABAPA, WARI_EVEN}, 6},
                  {{WARI_ABAPA, WARI_OWN}, 5}};
    char path[WARI_PATH_MAX];

    (void)state;
    for (int i = 0; i < 4; i++) {
        leave_checkpoint(others[i].variant, others[i].seeds, false, WARI_PHASE_SWEEP, 2);
        checkpoint_path(path, others[i].variant, others[i].seeds);
        struct file_image image = file_load(path);
        empty_folder();
        folder_store(folder, image_of(own, 5));
        checkpoint_path(path, own, 6);
        write_file(path, &image, image.size);
        assert_false(finish(own, 6, false).resumed);
        free(image.bytes);
        empty_folder();
    }
}

/* If a checkpoint cannot be written, because the disk is full, the level is still solved. */
static void failing_to_write_one_does_not_stop_the_build(void **state)
{
    (void)state;
    for (long k = 1; k < 4; k++) { /* so early in a build, only checkpoints are written */
        struct fault_host fault;
        folder_store(folder, image_of(even, 5));
        struct wari_build build = build_of(folder, even, 6);
        build.checkpoint = 1e-9;
        fault_host_init(&fault, FAULT_WRITE, k + 1); /* the first write is that of the lock */
        fault.error = ENOSPC;
        build.host = &fault.host;
        assert_int_equal(wari_build(&build, NULL), WARI_OK);
        assert_true(fault_host_fired(&fault));
        assert_true(fault_host_clean(&fault));
        assert_folder_is(image_of(even, 6));
        empty_folder();
    }
}

/* ---- Space on the disk ----------------------------------------------------------------------- */

static void count_checkpoints(void *context, const struct wari_progress *progress)
{
    int *count = context; /* checkpoints written, and checkpoints that failed */

    if (progress->phase != WARI_PHASE_LEVEL_DONE || progress->seeds != 6)
        return;
    count[0] = progress->statistics->checkpoints;
    count[1] = progress->statistics->checkpoints_failed;
}

/* A checkpoint has 56 bytes and one byte for each position. */
static void checkpoints_are_not_written_without_space_on_the_disk(void **state)
{
    const uint64_t bytes = 56 + 12375; /* C(17,11) - C(11,11) positions */

    (void)state;
    assert_int_equal(wari_level_positions(6), 12375);
    for (int more = -1; more <= 0; more++) {
        struct wari_build build = build_of(folder, even, 6);
        struct wari_build_plan plan;
        int count[2] = {-1, -1};
        assert_int_equal(wari_build_plan(&build, &plan, NULL), WARI_OK);
        plan.checkpoint_limit = bytes + (uint64_t)more;
        build.plan = &plan;
        build.checkpoint = 1e-9;
        build.progress = count_checkpoints;
        build.context = count;
        assert_int_equal(wari_build(&build, NULL), WARI_OK);
        assert_true(count[0] + count[1] > 10); /* one checkpoint, written or failed, after each
                                                * sweep */
        assert_int_equal(count[more < 0 ? 0 : 1], 0);
        empty_folder();
    }
}

/* The given plan allows no checkpoints, but it was made before other levels were added to the
 * folder. The build makes a new plan, which has no such limit. */
static void a_plan_made_before_levels_were_added_is_not_used(void **state)
{
    struct wari_build build = build_of(folder, even, 6);
    struct wari_build_plan plan;
    int count[2] = {-1, -1};

    (void)state;
    assert_int_equal(wari_build_plan(&build, &plan, NULL), WARI_OK);
    plan.checkpoint_limit = 1;
    folder_store(folder, image_of(even, 3));
    build.plan = &plan;
    build.checkpoint = 1e-9;
    build.progress = count_checkpoints;
    build.context = count;
    assert_int_equal(wari_build(&build, NULL), WARI_OK);
    assert_true(count[0] > 10);
    assert_int_equal(count[1], 0);
}

static void leave_file(struct wari_variant variant, int seeds, const char *end, size_t bytes)
{
    char path[WARI_PATH_MAX];
    static const char zeros[100];
    FILE *file;

    checkpoint_path(path, variant, seeds);
    strcat(path, end);
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(zeros, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

/* A build that was killed has left checkpoints of levels that it had published, and the temporary
 * file of a checkpoint that it was writing. The next build removes these files. Checkpoints of
 * another variant, or of a level that is still to be built, stay. */
static void leftovers_of_a_killed_build_are_removed(void **state)
{
    struct wari_build build = build_of(folder, even, 6);
    struct wari_build_plan plan;
    char path[WARI_PATH_MAX];

    (void)state;
    folder_store(folder, image_of(even, 5));
    leave_file(even, 3, "", 20);
    leave_file(even, 5, "", 30);
    leave_file(even, 6, "", 40);
    leave_file(even, 6, ".tmp", 50);
    leave_file(even, 7, "", 60);
    leave_file(own, 5, "", 70);
    leave_file(own, 6, "", 80);
    assert_int_equal(wari_build_plan(&build, &plan, NULL), WARI_OK);
    assert_int_equal(plan.checkpoint_bytes, 40);
    assert_int_equal(plan.leftover_bytes, 50);
    build_database(folder, even, 6);
    checkpoint_path(path, even, 3);
    assert_int_equal(access(path, F_OK), -1);
    checkpoint_path(path, even, 5);
    assert_int_equal(access(path, F_OK), -1);
    checkpoint_path(path, even, 6);
    assert_int_equal(access(path, F_OK), -1);
    strcat(path, ".tmp");
    assert_int_equal(access(path, F_OK), -1);
    checkpoint_path(path, even, 7);
    assert_int_equal(access(path, F_OK), 0);
    checkpoint_path(path, own, 5);
    assert_int_equal(access(path, F_OK), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

TEST_GROUP(test_solver_checkpoint)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(builds_resume_from_a_checkpoint_to_the_same_files),
        IN_FOLDER(damaged_checkpoints_are_not_used),
        IN_FOLDER(impossible_checkpoints_are_put_aside_and_the_level_begins_anew),
        cmocka_unit_test(counting_never_writes_outside_its_array),
        IN_FOLDER(checkpoints_with_exchanged_rows_are_not_used),
        IN_FOLDER(checkpoints_of_others_are_not_used),
        IN_FOLDER(failing_to_write_one_does_not_stop_the_build),
        IN_FOLDER(checkpoints_are_not_written_without_space_on_the_disk),
        IN_FOLDER(a_plan_made_before_levels_were_added_is_not_used),
        IN_FOLDER(leftovers_of_a_killed_build_are_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
