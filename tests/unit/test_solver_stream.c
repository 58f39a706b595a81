/* Levels that are streamed from a scratch file: with whatever memory, in pieces of whatever size,
 * by however many threads, swept densely or by records, every value is that of the reference
 * solver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "solver/stream_late.h"
#include "tests/reference/reference.h"
#include "tests/support/builds.h"
#include "tests/support/fault_host.h"
#include "tests/support/level_bench.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"

/* All placements by value, counted from the reference. */
static void compare_histogram(struct wari_level *level, const signed char *expected)
{
    uint64_t counted[2 * WARI_SEEDS_MAX + 1] = {0}, histogram[2 * WARI_SEEDS_MAX + 1];
    const size_t placements = (size_t)wari_level_placements(level->layout.seeds);

    for (size_t i = 0; i < placements; i++)
        counted[expected[i] + WARI_SEEDS_MAX]++;
    wari_level_histogram(level, histogram);
    assert_memory_equal(histogram, counted, sizeof histogram);
}

struct way {
    uint64_t more; /* bytes beyond the least */
    double events_share, cells_share;
    int threads, told;
    bool team; /* even where steps are short */
};

static struct wari_level_measure solve(const struct bench *bench, const struct way *way)
{
    struct bench_run run;

    bench_begin_streamed(&run, bench, way->threads, way->more);
    if (way->team)
        run.level.stream->alone = false;
    bench_solve(&run, way->told, way->events_share, way->cells_share);
    compare_histogram(&run.level, ref_level(bench->reference, bench->seeds));
    /* and without the captures of full halves, as after a checkpoint */
    assert_false(wari_full_halves_kept(&run.level));
    compare_histogram(&run.level, ref_level(bench->reference, bench->seeds));
    bench_check(&run); /* a streamed level is read for that */
    wari_stream_measure(&run.level);
    bench_end(&run);
    return run.measure;
}

static void stream_in_all_ways(struct wari_variant variant, int reference_rules)
{
    static const struct way ways[] = {
        {0, 0, 0, 1, 99, false},               /* the least, never by records */
        {0, 0.05, 0.03, 2, 99, true},          /* events get lost */
        {300 << 10, 0.05, 0.03, 1, 99, false}, /* blocks together */
        {300 << 10, 1, 1, 2, 2, true},         /* records from the second sweep on */
        {2 << 20, 1, 1, 1, 99, false},         /* room for all records */
        {2 << 20, 0.3, 0.25, 2, 0, true},
        {2 << 20, 0.05, 0.03, 3, 1, true},
        {2 << 20, 0, 0, 2, 99, true},
    };
    struct bench bench = bench_create(variant, reference_rules, test_scale(9, 7));
    const int count = sizeof ways / sizeof ways[0];
    struct wari_level_measure measure[sizeof ways / sizeof ways[0]];

    for (int i = 0; i < count; i++)
        measure[i] = solve(&bench, &ways[i]);
    /* levels below 9 fit into the fewest frames; a level is read some ten times a sweep */
    assert_true(bench.seeds < 9 || measure[0].bytes_read > 100 * wari_level_positions(9));
    assert_true(measure[4].work < 0.9 * measure[7].work); /* records did save work */
    bench_free(&bench);
}

static void ways_of_streaming_do_not_matter(void **state)
{
    (void)state;
    stream_in_all_ways((struct wari_variant){WARI_AWARI, WARI_EVEN}, REF_AWARI);
}

static void nor_under_cycle_rule_own(void **state)
{
    (void)state;
    stream_in_all_ways((struct wari_variant){WARI_ABAPA, WARI_OWN}, REF_ABAPA);
}

static void nor_where_the_mover_moves_again(void **state)
{
    (void)state;
    stream_in_all_ways((struct wari_variant){WARI_WARRI, WARI_OWN}, REF_WARRI);
}

/* ---- Failures -------------------------------------------------------------------------------- */

/* The k-th call of a kind fails while level 10 is streamed; false if there is none. Nothing of it
 * is published, and nothing stays. */
static bool fail_at(int kind, long k, const struct folder_image *below)
{
    const struct wari_variant variant = {WARI_ABAPA, WARI_OWN};
    struct fault_host fault;
    struct wari_error error = {WARI_OK, ""};
    struct wari_build build = build_of(folder, variant, 10);

    fault_host_init(&fault, kind, k);
    fault.error = kind == FAULT_WRITE ? ENOSPC : EIO;
    fault.for_good = k % 2 == 0;
    build.host = &fault.host;
    build.memory = memory_for_half(&build);
    const enum wari_status status = wari_build(&build, &error);
    assert_true(fault_host_clean(&fault));
    if (!fault_host_fired(&fault)) {
        assert_int_equal(status, WARI_OK);
        return false;
    }
    assert_int_equal(status, kind == FAULT_ALLOCATE ? WARI_NO_MEMORY : WARI_IO);
    assert_non_null(strstr(error.text, kind == FAULT_ALLOCATE ? "memory"
                                       : kind == FAULT_WRITE  ? "No space left on device"
                                                              : "Input/output error"));
    struct folder_image image = folder_load(folder);
    assert_folders_equal(&image, below);
    folder_free(&image);
    return true;
}

static void failures_while_streaming_publish_nothing(void **state)
{
    static const int kinds[] = {FAULT_READ, FAULT_WRITE, FAULT_OPEN, FAULT_FOLDER, FAULT_ALLOCATE};

    (void)state;
    for (int i = 0; i < test_scale(5, 2); i++) {
        long k = 1, trials = 0;
        build_database(folder, (struct wari_variant){WARI_ABAPA, WARI_OWN}, 9);
        struct folder_image below = folder_load(folder);
        for (; fail_at(kinds[i], k, &below); trials++)
            k += 1 + k; /* some thousand transfers */
        assert_true(trials >= 2);
        folder_free(&below);
        assert_true(table_folder_remove(folder));
        assert_int_equal(make_folder(NULL), 0);
    }
}

/* Transfers that are interrupted, or end early, as those past the page cache hardly do. */
static void short_transfers_do_not_show(void **state)
{
    const struct wari_variant variant = {WARI_AWARI, WARI_EVEN};
    struct wari_build build = build_of(folder, variant, 10);
    struct folder_image whole = build_alone(&build);
    struct fault_host fault;

    (void)state;
    build_database(folder, variant, 9);
    fault_host_init(&fault, 0, 0);
    fault.longest = 3000;
    fault.interrupt = true;
    build.host = &fault.host;
    build.memory = memory_for_half(&build);
    assert_int_equal(wari_build(&build, NULL), WARI_OK);
    assert_true(fault_host_clean(&fault));
    struct folder_image image = folder_load(folder);
    assert_folders_equal(&image, &whole);
    folder_free(&image);
    folder_free(&whole);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(ways_of_streaming_do_not_matter),
        IN_FOLDER(nor_under_cycle_rule_own),
        IN_FOLDER(nor_where_the_mover_moves_again),
        IN_FOLDER(failures_while_streaming_publish_nothing),
        IN_FOLDER(short_transfers_do_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
