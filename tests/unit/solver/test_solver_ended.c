/* Passes that end early for one of two reasons. Either a stop was requested, which every pass must
 * notice, however large the level is. Or, late in the sweeps, a cell queries its best capture, and
 * the lower level cannot be read any more. (Builds have such queries from 20 seeds on, see cell.h;
 * here the codes are limited so that smaller levels have them, too.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "db/catalogue/catalogue_file.h"
#include "solver/level/events.h"
#include "solver/level/histogram.h"
#include "solver/memory/memory.h"
#include "solver/solve.h"
#include "tests/support/builds.h"
#include "tests/support/fault_host.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

static const struct wari_variant variant = {WARI_ABAPA, WARI_OWN};

enum { THREADS = 3 };

/* The levels below the one to be solved, from the folder, with the threads that read them. */
struct below {
    struct wari_lower_cache *lower_cache;
    struct wari_workers workers;
};

static void open_below(struct below *below, const struct wari_host *host, int seeds)
{
    struct wari_catalogue catalogue;

    assert_int_equal(wari_catalogue_read(&catalogue, wari_host_system(), folder, variant, NULL),
                     WARI_OK);
    assert_int_equal(
        wari_lower_cache_create(&below->lower_cache, host,
                                &(struct wari_lower_cache_files){folder, variant, seeds},
                                wari_lower_cache_bytes_min(THREADS), NULL),
        WARI_OK);
    for (int i = 0; i < seeds; i++)
        assert_int_equal(wari_lower_cache_add(below->lower_cache, i, &catalogue.level[i], NULL),
                         WARI_OK);
    assert_int_equal(wari_workers_create(&below->workers, host, below->lower_cache, THREADS, NULL),
                     WARI_OK);
}

static void close_below(struct below *below)
{
    wari_workers_destroy(&below->workers);
    wari_lower_cache_destroy(below->lower_cache);
}

static void read_from(struct wari_level *level, struct below *below)
{
    level->lower_cache = below->lower_cache;
    level->workers = &below->workers;
}

static void begin_level(struct wari_level *level, struct wari_tables **tables,
                        struct wari_level_statistics *statistics, struct below *below, int seeds)
{
    const struct wari_host *host = wari_host_system();

    build_database(folder, variant, seeds - 1);
    assert_int_equal(wari_tables_create(tables, host, variant.rules, seeds, 1, NULL), WARI_OK);
    open_below(below, host, seeds);
    *statistics = (struct wari_level_statistics){.seeds = seeds};
    *level = (struct wari_level){.tables = *tables,
                                 .kernel = wari_kernel_ops(WARI_KERNEL_AUTO),
                                 .host = host,
                                 .progress.statistics = statistics};
    read_from(level, below);
    assert_int_equal(wari_memory_open(level, seeds, variant.cycle, UINT64_MAX, NULL), WARI_OK);
}

/* ---- Requests to stop ------------------------------------------------------------------------ */

static void assert_all(const int8_t *bytes, uint64_t count, int value)
{
    for (uint64_t i = 0; i < count; i++)
        assert_int_equal(bytes[i], value);
}

/* Returns the size, in bytes, of the largest block that a sweep has to copy. */
static uint64_t bytes_kept(const struct wari_level *level)
{
    uint64_t most = 0;

    for (int block = 0; block <= level->layout.seeds; block++) {
        const uint64_t bytes = (uint64_t)level->layout.rows[block] * level->resident.pitch[block];
        if (wari_has_own_children(&level->layout, block) && bytes > most)
            most = bytes;
    }
    return most;
}

/* After a stop, passes read, compute, copy and count no cells. */
static void every_pass_sees_a_stop(void **state)
{
    enum { SEEDS = 9, MARK = 77, KEPT = 78 };
    static atomic_bool stop;
    uint64_t histogram[2 * WARI_SEEDS_MAX + 1];
    struct wari_level_statistics statistics;
    struct wari_tables *tables;
    struct wari_level level;
    struct below below;

    (void)state;
    begin_level(&level, &tables, &statistics, &below, SEEDS);
    const uint64_t bytes = level.resident.offset[SEEDS + 1];
    const uint64_t kept = bytes_kept(&level);
    memset(level.resident.cells, MARK, (size_t)bytes);
    memset(level.resident.copy, KEPT, (size_t)kept);
    assert_true(kept > 0);
    atomic_store(&stop, true);
    level.stop = &stop;
    wari_solve_captures(&level);
    assert_int_equal(wari_lower_cache_chunks_read(below.lower_cache), 0);
    wari_solve_sweeps(&level, WARI_GROW);
    assert_false(wari_solve_shrink(&level));
    wari_solve_count(&level, histogram);
    assert_all(level.resident.cells, bytes, MARK);
    assert_all(level.resident.copy, kept, KEPT);
    for (int i = 0; i <= 2 * WARI_SEEDS_MAX; i++)
        assert_int_equal(histogram[i], 0);
    assert_int_equal(wari_workers_failure(&below.workers, NULL), WARI_OK);
    wari_level_close(&level);
    close_below(&below);
    wari_tables_destroy(tables);
}

/* ---- Queries that cannot be resolved --------------------------------------------------------- */

/* Sweeps a level, and lets the k-th read of the lower levels by the sweeps fail. The codes of the
 * level distinguish no best captures below 0. So when the value of a cell that has a capture falls
 * below 0, the best capture has to be queried from the lower levels. Returns false if there is no
 * k-th read. */
static bool fail_query(struct wari_level *level, struct below *below, long k, double events_share)
{
    struct wari_error error = {WARI_OK, ""};
    struct fault_host fault;
    struct below unreadable;
    bool raised;

    fault_host_init(&fault, FAULT_READ, 0);
    open_below(&unreadable, &fault.host, level->layout.seeds);
    fault.fail_at = k; /* calls are counted from here on */
    level->events.leave_share = level->events.only_share = events_share;
    wari_cells_init_within(&level->codes, level->layout.seeds, variant.cycle, 0);
    wari_solve_captures(level);
    read_from(level, &unreadable);
    do {
        wari_solve_sweeps(level, WARI_GROW);
        raised = !wari_level_stopped(level) && wari_solve_shrink(level);
    } while (raised);
    const bool failed = fault_host_fired(&fault);
    assert_true(wari_level_stopped(level) == failed);
    assert_int_equal(wari_workers_failure(&unreadable.workers, &error), failed ? WARI_IO : WARI_OK);
    if (failed)
        assert_non_null(strstr(error.text, strerror(EIO)));
    read_from(level, below);
    close_below(&unreadable);
    assert_true(fault_host_clean(&fault));
    return failed;
}

static void failed_queries_of_cells_end_the_sweeps(void **state)
{
    static const double events_shares[] = {0, 1}; /* 0 means dense sweeps only, 1 means event-
                                                   * driven sweeps */
    const int seeds = test_scale(10, 8);
    struct wari_level_statistics statistics;
    struct wari_tables *tables;
    struct wari_level level;
    struct below below;

    (void)state;
    begin_level(&level, &tables, &statistics, &below, seeds);
    for (int i = 0; i < 2; i++) {
        long k = 1;
        while (fail_query(&level, &below, k, events_shares[i]))
            k++;
        assert_true(
            k > test_scale(3, 1)); /* number of chunks that queries read; small levels have one */
    }
    wari_level_close(&level);
    close_below(&below);
    wari_tables_destroy(tables);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

TEST_GROUP(test_solver_ended)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(every_pass_sees_a_stop),
        IN_FOLDER(failed_queries_of_cells_end_the_sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
