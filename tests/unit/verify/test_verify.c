/* Tests that wari_verify() accepts correct tables, and tests its modes, threads, interruption
 * and memory.
 *
 * Correct tables come from the reference solver, which shares no code with the program.
 * test_verify_wrong.c shows that wrong tables are rejected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "solver/build.h"
#include "tests/support/scale.h"
#include "tests/support/table_files.h"
#include "tests/unit/groups.h"

enum { SAMPLE = 40 };

static const enum wari_verify_mode modes[] = {WARI_VERIFY_FULL, WARI_VERIFY_LOCAL,
                                              WARI_VERIFY_SAMPLE};
enum { MODES = sizeof modes / sizeof modes[0] };

static struct table solved(enum wari_rules rules, enum wari_cycle cycle, int seeds_max)
{
    struct table table;
    assert_int_equal(table_solve(&table, (struct wari_variant){rules, cycle}, seeds_max), WARI_OK);
    return table;
}

/* ---- Correct tables -------------------------------------------------------------------------- */

static void right_table_passes(enum wari_rules rules, enum wari_cycle cycle, int seeds_max)
{
    struct table table = solved(rules, cycle, seeds_max);
    uint64_t positions[MODES] = {0};
    for (int n = 0; n <= seeds_max; n++) {
        uint64_t level = wari_level_positions(n);
        positions[WARI_VERIFY_FULL] += level;
        positions[WARI_VERIFY_LOCAL] += level;
        positions[WARI_VERIFY_SAMPLE] += level < SAMPLE ? level : SAMPLE;
    }
    struct wari_verify verify[MODES];
    struct wari_verify_report report[MODES];
    enum wari_status status[MODES];
    for (int i = 0; i < MODES; i++)
        verify[i] = (struct wari_verify){.mode = modes[i], .sample = SAMPLE, .threads = 2};
    assert_int_equal(table_verify_all(&table, NULL, MODES, verify, status, report), WARI_OK);
    for (int i = 0; i < MODES; i++) {
        assert_int_equal(status[i], WARI_OK);
        assert_int_equal(report[i].levels, seeds_max + 1);
        assert_int_equal(report[i].positions, positions[modes[i]]);
        assert_int_equal(report[i].differences, 0);
        assert_int_equal(report[i].kept, 0);
        assert_string_equal(report[i].text, "");
    }
    /* If the short proofs of verify_cycles.c failed, the full verification (report[0]) would read
     * the lower levels a second time, and so read more chunks than the local one (report[1]). */
    assert_int_equal(report[0].chunks_read, report[1].chunks_read);
    table_free(&table);
}

static void right_tables_of_every_variant_pass(void **state)
{
    (void)state;
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++) {
        right_table_passes((enum wari_rules)rules, WARI_EVEN, test_scale(7, 5));
        right_table_passes((enum wari_rules)rules, WARI_OWN, test_scale(7, 5));
    }
}

/* With 9 seeds, solving `own` takes a second round of growing and shrinking (measured for
 * `abapa`), so grounding has to alternate, too. In the small scale this is the only level that
 * has several items of work. */
static void table_that_needs_two_rounds_passes(void **state)
{
    (void)state;
    right_table_passes(WARI_ABAPA, WARI_OWN, test_scale(9, 8));
}

/* ---- Threads --------------------------------------------------------------------------------- */

static int as_many_as_seeds(const void *context, const struct wari_position *position)
{
    (void)context;
    return wari_seeds(position);
}

static void assert_same_report(const struct wari_verify_report *a,
                               const struct wari_verify_report *b)
{
    assert_int_equal(a->levels, b->levels);
    assert_int_equal(a->positions, b->positions);
    assert_int_equal(a->differences, b->differences);
    assert_int_equal(a->kept, b->kept);
    assert_string_equal(a->text, b->text);
    for (int i = 0; i < a->kept; i++) {
        const struct wari_difference *x = &a->difference[i];
        const struct wari_difference *y = &b->difference[i];
        assert_memory_equal(&x->position, &y->position, sizeof x->position);
        assert_int_equal(x->value, y->value);
        assert_int_equal(x->expected, y->expected);
        assert_int_equal(x->ungrounded, y->ungrounded);
    }
}

/* Level 8 has several items of work. All of its values are wrong; all lower levels are correct. */
static void report_does_not_depend_on_threads(void **state)
{
    struct table table = solved(WARI_WARI, WARI_EVEN, 8);
    (void)state;
    memset(table.values[8], 8, (size_t)wari_level_positions(8));
    const uint64_t inconsistent = table_inconsistent(&table, 8);
    struct wari_verify verify[2 * MODES];
    struct wari_verify_report report[2 * MODES];
    enum wari_status status[2 * MODES];
    for (int i = 0; i < 2 * MODES; i++)
        verify[i] = (struct wari_verify){
            .mode = modes[i / 2], .sample = 1000, .random_seed = 3, .threads = 1 + i % 2};
    assert_int_equal(table_verify_all(&table, NULL, 2 * MODES, verify, status, report), WARI_OK);
    for (int i = 0; i < 2 * MODES; i += 2) {
        assert_int_equal(status[i], WARI_DIFFERENT);
        assert_int_equal(status[i + 1], WARI_DIFFERENT);
        assert_int_equal(report[i].levels, 8);
        assert_int_equal(report[i].kept, WARI_DIFFERENCES_KEPT);
        if (verify[i].mode != WARI_VERIFY_SAMPLE)
            assert_int_equal(report[i].differences, inconsistent);
        assert_same_report(&report[i], &report[i + 1]);
    }
    table_free(&table);
}

static void kept_differences_are_the_first_in_index_order(void **state)
{
    const struct wari_verify verify = {.mode = WARI_VERIFY_FULL, .threads = 2};
    struct wari_verify_report report;
    struct table table;
    int kept = 0;

    (void)state;
    assert_int_equal(
        table_make(&table, (struct wari_variant){WARI_WARI, WARI_EVEN}, 1, as_many_as_seeds, NULL),
        WARI_OK);
    assert_int_equal(table_verify(&table, NULL, &verify, &report), WARI_DIFFERENT);
    assert_int_equal(report.levels, 1); /* the only level counted is level 0, whose only position
                                         * is the empty board with value 0 */
    for (uint64_t cell = 0; cell < wari_level_positions(1); cell++) {
        struct wari_position position;
        wari_layout_unrank(&table.layout[1], cell, &position);
        if (table_best(&table, &position) == 1)
            continue;
        assert_in_range(kept, 0, report.kept - 1);
        assert_memory_equal(&report.difference[kept].position, &position, sizeof position);
        kept++;
    }
    assert_int_equal(kept, report.kept);
    assert_int_equal(kept, report.differences);
    table_free(&table);
}

/* ---- Samples --------------------------------------------------------------------------------- */

static void sample_finds_a_table_of_wrong_values(void **state)
{
    struct table table = solved(WARI_ABAPA, WARI_EVEN, 6);
    const struct wari_verify verify = {.mode = WARI_VERIFY_SAMPLE, .sample = SAMPLE, .threads = 2};
    struct wari_verify_report report;

    (void)state;
    memset(table.values[6], 6, (size_t)wari_level_positions(6));
    assert_int_equal(table_verify(&table, NULL, &verify, &report), WARI_DIFFERENT);
    assert_int_equal(report.levels, 6);
    assert_true(report.differences > 0);
    for (int i = 0; i < report.kept; i++) {
        const struct wari_difference *found = &report.difference[i];
        assert_int_equal(found->value, 6);
        assert_int_equal(found->expected, table_best(&table, &found->position));
        assert_int_not_equal(found->expected, 6);
    }
    table_free(&table);
}

/* If the sample is as large as the level, every position is checked exactly once. */
static void sample_of_everything_checks_each_position_once(void **state)
{
    struct table table = solved(WARI_AWARI, WARI_EVEN, 4);
    const struct wari_verify verify = {
        .mode = WARI_VERIFY_SAMPLE, .sample = wari_level_positions(4), .threads = 2};
    struct wari_verify_report report;

    (void)state;
    memset(table.values[4], 4, (size_t)wari_level_positions(4));
    assert_int_equal(table_verify(&table, NULL, &verify, &report), WARI_DIFFERENT);
    assert_int_equal(report.levels, 4);
    assert_int_equal(report.positions, 1 + 12 + 78 + 364 + 1365); /* C(n+11,11) for 0 to 4 seeds;
                                                                   * with so few seeds no half is
                                                                   * full */
    assert_int_equal(report.differences, table_inconsistent(&table, 4));
    table_free(&table);
}

static void samples_differ_with_the_random_seed(void **state)
{
    struct table table = solved(WARI_WARI, WARI_EVEN, 6);
    struct wari_verify verify = {.mode = WARI_VERIFY_SAMPLE, .sample = SAMPLE, .threads = 1};
    struct wari_verify_report one, two;

    (void)state;
    memset(table.values[6], 6, (size_t)wari_level_positions(6));
    assert_int_equal(table_verify(&table, NULL, &verify, &one), WARI_DIFFERENT);
    verify.random_seed = 1;
    assert_int_equal(table_verify(&table, NULL, &verify, &two), WARI_DIFFERENT);
    assert_memory_not_equal(&one.difference[0].position, &two.difference[0].position,
                            sizeof one.difference[0].position);
    table_free(&table);
}

/* ---- Progress and interruption --------------------------------------------------------------- */

struct watcher {
    const char *stop_at; /* name of the phase in which to stop; NULL means never */
    int stop_seeds;
    atomic_bool stop;
    int calls_after_stop;
    bool share_out_of_range;
    unsigned seen[WARI_SEEDS_MAX + 1]; /* [level]: bit i is set if phases[i] was reported */
};

static const char *const phases[] = {"reading",   "captures", "moves",
                                     "grounding", "surplus",  "upper bounds"};
enum { PHASES = sizeof phases / sizeof phases[0] };

static void watch(void *context, int seeds, const char *phase, double share_done)
{
    struct watcher *watcher = context;
    if (share_done < 0 || share_done > 1)
        watcher->share_out_of_range = true;
    if (atomic_load(&watcher->stop))
        watcher->calls_after_stop++;
    for (int i = 0; i < PHASES; i++) {
        if (strcmp(phase, phases[i]) == 0)
            watcher->seen[seeds] |= 1u << i;
    }
    if (watcher->stop_at && seeds == watcher->stop_seeds && strcmp(phase, watcher->stop_at) == 0)
        atomic_store(&watcher->stop, true);
}

static void progress_names_every_phase_of_every_level(void **state)
{
    struct table table = solved(WARI_ABAPA, WARI_OWN, 5);
    struct watcher watcher = {0};
    const struct wari_verify verify = {.mode = WARI_VERIFY_FULL,
                                       .threads = 2,
                                       .progress = watch,
                                       .context = &watcher,
                                       .stop = &watcher.stop};
    struct wari_verify_report report;

    (void)state;
    assert_int_equal(table_verify(&table, NULL, &verify, &report), WARI_OK);
    for (int n = 0; n <= 5; n++)
        assert_int_equal(watcher.seen[n], (1u << PHASES) - 1);
    assert_false(watcher.share_out_of_range);
    table_free(&table);
}

static void stop_ends_every_phase(void **state)
{
    struct table table = solved(WARI_ABAPA, WARI_OWN, 6);
    struct watcher watcher[PHASES];
    struct wari_verify verify[PHASES];
    struct wari_verify_report report[PHASES];
    enum wari_status status[PHASES];

    (void)state;
    for (int i = 0; i < PHASES; i++) {
        watcher[i] = (struct watcher){.stop_at = phases[i], .stop_seeds = 4};
        verify[i] = (struct wari_verify){.mode = WARI_VERIFY_FULL,
                                         .threads = 2,
                                         .progress = watch,
                                         .context = &watcher[i],
                                         .stop = &watcher[i].stop};
    }
    assert_int_equal(table_verify_all(&table, NULL, PHASES, verify, status, report), WARI_OK);
    for (int i = 0; i < PHASES; i++) {
        assert_int_equal(status[i], WARI_INTERRUPTED);
        assert_int_equal(report[i].levels, 4);
        assert_int_equal(watcher[i].seen[5], 0);
        assert_in_range(watcher[i].calls_after_stop, 0, 2);
    }
    table_free(&table);
}

static void stop_set_beforehand_ends_every_mode(void **state)
{
    struct table table = solved(WARI_AWARI, WARI_EVEN, 3);
    const atomic_bool stop = true;

    (void)state;
    for (int i = 0; i < MODES; i++) {
        const struct wari_verify verify = {
            .mode = modes[i], .sample = SAMPLE, .threads = 2, .stop = &stop};
        struct wari_verify_report report;
        assert_int_equal(table_verify(&table, NULL, &verify, &report), WARI_INTERRUPTED);
        assert_int_equal(report.levels, 0);
    }
    table_free(&table);
}

/* ---- Failures ------------------------------------------------------------------------------- */

/* A host in which the k-th allocation and all later allocations fail. */
struct scarcity {
    int left;
};

static void *allocate_while_any_left(void *context, size_t bytes)
{
    struct scarcity *scarcity = context;
    return scarcity->left-- > 0 ? malloc(bytes) : NULL;
}

static void release_always(void *context, void *memory)
{
    (void)context;
    free(memory);
}

/* Lets every allocation fail in turn. The test replaces the context of the system host by a
 * struct scarcity. This is possible because the functions of the system host that it keeps do
 * not use the context. */
static void failure_of_every_allocation_is_reported(void **state)
{
    struct table table = solved(WARI_ABAPA, WARI_OWN, 2);
    char folder[TABLE_FOLDER_MAX];

    (void)state;
    assert_true(table_folder_make(folder));
    assert_int_equal(table_write(&table, folder, NULL), WARI_OK);
    for (int i = 0; i < MODES; i++) {
        enum wari_status status = WARI_NO_MEMORY;
        int allocations = 0;
        for (; status == WARI_NO_MEMORY; allocations++) {
            struct scarcity scarcity = {allocations};
            struct wari_host host = *wari_host_system();
            const struct wari_verify verify = {.folder = folder,
                                               .variant = table.variant,
                                               .mode = modes[i],
                                               .sample = SAMPLE,
                                               .threads = 1,
                                               .host = &host};
            struct wari_verify_report report;
            host.context = &scarcity;
            host.allocate = allocate_while_any_left;
            host.release = release_always;
            status = wari_verify(&verify, &report, NULL);
            assert_in_range(allocations, 0, 500);
        }
        assert_int_equal(status, WARI_OK);
        assert_true(allocations > 3);
    }
    assert_true(table_folder_remove(folder));
    table_free(&table);
}

static void missing_variant_is_a_mismatch(void **state)
{
    char folder[TABLE_FOLDER_MAX];
    struct table table = solved(WARI_AWARI, WARI_EVEN, 2);
    struct wari_verify_report report;
    struct wari_error error;

    (void)state;
    assert_true(table_folder_make(folder));
    assert_int_equal(table_write(&table, folder, NULL), WARI_OK);
    for (int i = 0; i < MODES; i++) {
        const struct wari_verify verify = {
            .folder = folder, .variant = {WARI_AWARI, WARI_OWN}, .mode = modes[i], .sample = 1};
        assert_int_equal(wari_verify(&verify, &report, &error), WARI_MISMATCH);
        assert_non_null(strstr(error.text, "awari"));
    }
    assert_true(table_folder_remove(folder));
    table_free(&table);
}

TEST_GROUP(test_verify)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_tables_of_every_variant_pass),
        cmocka_unit_test(table_that_needs_two_rounds_passes),
        cmocka_unit_test(report_does_not_depend_on_threads),
        cmocka_unit_test(kept_differences_are_the_first_in_index_order),
        cmocka_unit_test(sample_finds_a_table_of_wrong_values),
        cmocka_unit_test(sample_of_everything_checks_each_position_once),
        cmocka_unit_test(samples_differ_with_the_random_seed),
        cmocka_unit_test(progress_names_every_phase_of_every_level),
        cmocka_unit_test(stop_ends_every_phase),
        cmocka_unit_test(stop_set_beforehand_ends_every_mode),
        cmocka_unit_test(failure_of_every_allocation_is_reported),
        cmocka_unit_test(missing_variant_is_a_mismatch),
    };
    return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
