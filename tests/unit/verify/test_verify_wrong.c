/* Tests that wari_verify() rejects tables with valid hashes and wrong values, tables with
 * correct values and wrong hashes or counts, and damaged files.
 *
 * Every table starts from the values of the reference solver; each test adds its own errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "index/half.h"
#include "solver/build.h"
#include "tests/support/scale.h"
#include "tests/support/table_files.h"
#include "tests/unit/groups.h"

/* The two modes that check every position. */
enum { FULL, LOCAL, MODES };
static const struct wari_verify modes[MODES] = {
    [FULL] = {.mode = WARI_VERIFY_FULL, .threads = 2},
    [LOCAL] = {.mode = WARI_VERIFY_LOCAL, .threads = 2},
};

/* Verifies a table in both modes. The full mode must reject the table; the local mode must
 * return `of_local`. */
static void verify_both(const struct table *table, const struct table_flaws *flaws,
                        enum wari_status of_local, struct wari_verify_report report[MODES])
{
    enum wari_status status[MODES];
    assert_int_equal(table_verify_all(table, flaws, MODES, modes, status, report), WARI_OK);
    assert_int_equal(status[FULL], WARI_DIFFERENT);
    assert_int_equal(status[LOCAL], of_local);
}

static struct table solved(enum wari_rules rules, enum wari_cycle cycle, int seeds_max)
{
    struct table table;
    assert_int_equal(table_solve(&table, (struct wari_variant){rules, cycle}, seeds_max), WARI_OK);
    return table;
}

/* ---- One value ----------------------------------------------------------------------------- */

/* Adds `error` to one value and requires that the report contains it. */
static void change_is_reported(struct table *table, int seeds, uint64_t cell, int error)
{
    int8_t *value = &table->values[seeds][cell];
    int right = *value;
    struct wari_position position;
    struct wari_verify_report report[MODES];

    wari_layout_unrank(&table->layout[seeds], cell, &position);
    *value = (int8_t)(right + error);
    verify_both(table, NULL, WARI_DIFFERENT, report);
    for (int i = 0; i < MODES; i++) {
        bool named = false;
        assert_int_equal(report[i].levels, seeds);
        assert_int_equal(report[i].differences, table_inconsistent(table, seeds));
        for (int k = 0; k < report[i].kept; k++) {
            const struct wari_difference *found = &report[i].difference[k];
            if (memcmp(&found->position, &position, sizeof position) != 0)
                continue;
            named = true;
            assert_int_equal(found->value, right + error);
            assert_int_equal(found->expected, right);
            assert_false(found->ungrounded);
        }
        assert_true(named);
    }
    *value = (int8_t)right;
}

/* Returns the first cell from `cell` on, wrapping around, whose value has this sign. */
static uint64_t cell_of_sign(const struct table *table, int seeds, uint64_t cell, int sign)
{
    for (uint64_t k = 0; k < wari_level_positions(seeds); k++) {
        uint64_t at = (cell + k) % wari_level_positions(seeds);
        int value = table->values[seeds][at];
        if ((value > 0) - (value < 0) == sign)
            return at;
    }
    fail_msg("no value of sign %d with %d seeds", sign, seeds);
    return 0;
}

static void value_off_by_one_is_named(void **state)
{
    enum { SEEDS = 4, CELLS = 3 }; /* with 5 seeds, no value of `own` is 0 */
    (void)state;
    for (int cycle = 0; cycle < WARI_CYCLE_COUNT; cycle++) {
        struct table table = solved(WARI_ABAPA, (enum wari_cycle)cycle, SEEDS);
        for (int i = 0; i < CELLS; i++) {
            uint64_t from = wari_level_positions(SEEDS) * (unsigned)i / CELLS;
            change_is_reported(&table, SEEDS, cell_of_sign(&table, SEEDS, from, 1), -1);
            change_is_reported(&table, SEEDS, cell_of_sign(&table, SEEDS, from, -1), 1);
            change_is_reported(&table, SEEDS, cell_of_sign(&table, SEEDS, from, 0), 1);
            change_is_reported(&table, SEEDS, cell_of_sign(&table, SEEDS, from, 0), -1);
        }
        table_free(&table);
    }
}

/* ---- Complete cycles ------------------------------------------------------------------------ */

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

/* Sweeps once over a level: gives every position the value of its best move, limited to
 * low..high. Returns true if a value changed. */
static bool sweep_once(struct table *table, int seeds, const int8_t *low, const int8_t *high)
{
    bool changed = false;
    for (uint64_t cell = 0; cell < wari_level_positions(seeds); cell++) {
        struct wari_position position;
        wari_layout_unrank(&table->layout[seeds], cell, &position);
        int value = clamp(table_best(table, &position), low[cell], high[cell]);
        changed |= value != table->values[seeds][cell];
        table->values[seeds][cell] = (int8_t)value;
    }
    return changed;
}

/* Turns the correct values of a level into wrong values that justify each other: endless play
 * credits every seed on the board to the side that keeps more than half of them in its row. The
 * method is the one that solves `own`, but it credits all seeds instead of the surplus. It repeats
 * two steps until nothing changes. First, each position where a side could gain the credit gets the
 * full credit as its upper bound, and the bounds shrink towards the old values as far as the moves
 * force them. Then each position gets the value of its best move, again and again, until no value
 * changes. */
static void credit_cycles(struct table *table, int seeds)
{
    size_t positions = (size_t)wari_level_positions(seeds);
    int8_t *value = table->values[seeds];
    int8_t *before = malloc(positions);
    int8_t *low = malloc(positions);
    int8_t *high = malloc(positions);
    bool raised = true;

    assert_true(before && low && high);
    for (int round = 0; raised; round++) {
        assert_in_range(round, 0, 20);
        memcpy(before, value, positions);
        for (size_t cell = 0; cell < positions; cell++) {
            struct wari_position position;
            wari_layout_unrank(&table->layout[seeds], cell, &position);
            int lead = wari_half_seeds(position.pits) * 2 - seeds;
            low[cell] = lead < 0 && value[cell] <= 0 ? (int8_t)-seeds : value[cell];
            high[cell] = lead > 0 && value[cell] >= 0 ? (int8_t)seeds : value[cell];
            value[cell] = lead > 0 ? high[cell] : low[cell];
        }
        while (sweep_once(table, seeds, low, high))
            ;
        raised = memcmp(before, value, positions) != 0;
        memset(low, -seeds, positions);
        memset(high, seeds, positions);
        while (sweep_once(table, seeds, low, high))
            ;
    }
    free(high);
    free(low);
    free(before);
}

static void credited_cycle_is_refused(enum wari_rules rules, enum wari_cycle cycle, int seeds)
{
    struct table right = solved(rules, cycle, seeds);
    struct table wrong = solved(rules, cycle, seeds);
    struct wari_verify_report reports[MODES];
    const struct wari_verify_report *report = &reports[FULL];

    credit_cycles(&wrong, seeds);
    assert_memory_not_equal(right.values[seeds], wrong.values[seeds],
                            (size_t)wari_level_positions(seeds));
    verify_both(&wrong, NULL, WARI_OK, reports);
    assert_int_equal(report->levels, seeds);
    assert_in_range(report->kept, 1, WARI_DIFFERENCES_KEPT);
    for (int k = 0; k < report->kept; k++) {
        const struct wari_difference *found = &report->difference[k];
        assert_true(found->ungrounded);
        assert_int_equal(found->value, *table_cell(&wrong, &found->position));
        assert_int_not_equal(found->value, 0);
    }
    table_free(&wrong);
    table_free(&right);
}

/* Uses levels 4 and 7 only. With 5 or 6 seeds endless play is so rare that no side can keep more
 * than half of the seeds for ever, so no wrong values could be made. */
static void cycle_credited_to_one_side_is_ungrounded(void **state)
{
    (void)state;
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++) {
        for (int cycle = 0; cycle < WARI_CYCLE_COUNT; cycle++) {
            int seeds = rules == WARI_ABAPA ? test_scale(7, 4) : 4;
            credited_cycle_is_refused((enum wari_rules)rules, (enum wari_cycle)cycle, seeds);
        }
    }
}

/* ---- One cycle rule presented as the other -------------------------------------------------- */

/* Verifies values that were solved under one cycle rule as values of the other. They must be
 * rejected at the first level where the rules differ, at positions where they differ. */
static void rejects_values_of_other_rule(enum wari_rules rules, enum wari_cycle made,
                                         enum wari_cycle claimed)
{
    const int seeds_max = test_scale(7, 5);
    struct table wrong = solved(rules, made, seeds_max);
    struct table right = solved(rules, claimed, seeds_max);
    struct wari_verify_report reports[MODES];
    const struct wari_verify_report *report = &reports[FULL];
    int first = 0;

    wrong.variant.cycle = claimed;
    while (first <= seeds_max && memcmp(wrong.values[first], right.values[first],
                                        (size_t)wari_level_positions(first)) == 0)
        first++;
    assert_in_range(first, 1, seeds_max);
    verify_both(&wrong, NULL, WARI_OK, reports);
    assert_int_equal(report->levels, first);
    assert_in_range(report->kept, 1, WARI_DIFFERENCES_KEPT);
    for (int k = 0; k < report->kept; k++) {
        const struct wari_difference *found = &report->difference[k];
        assert_int_equal(found->ungrounded, claimed == WARI_EVEN);
        assert_int_equal(found->value, *table_cell(&wrong, &found->position));
        assert_int_not_equal(found->value, *table_cell(&right, &found->position));
        if (claimed == WARI_OWN)
            assert_int_not_equal(found->expected, found->value);
    }
    table_free(&right);
    table_free(&wrong);
}

static void own_table_presented_as_even_is_refused(void **state)
{
    (void)state;
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++)
        rejects_values_of_other_rule((enum wari_rules)rules, WARI_OWN, WARI_EVEN);
}

static void even_table_presented_as_own_is_refused(void **state)
{
    (void)state;
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++)
        rejects_values_of_other_rule((enum wari_rules)rules, WARI_EVEN, WARI_OWN);
}

static void table_of_another_rule_set_is_refused(void **state)
{
    struct table table = solved(WARI_ABAPA, WARI_EVEN, 4);
    struct wari_verify_report report;

    (void)state;
    table.variant.rules = WARI_WARI;
    assert_int_equal(table_verify(&table, NULL, &modes[LOCAL], &report), WARI_DIFFERENT);
    assert_true(report.differences > 0);
    table_free(&table);
}

/* ---- Correct values, wrong files ------------------------------------------------------------ */

static void flaw_is_described(const struct table_flaws *flaws, const char *word)
{
    struct table table = solved(WARI_AWARI, WARI_EVEN, 5);
    struct wari_verify_report report[MODES];

    verify_both(&table, flaws, WARI_DIFFERENT, report);
    for (int i = 0; i < MODES; i++) {
        assert_int_equal(report[i].levels, flaws->seeds);
        assert_int_equal(report[i].differences, 0);
        assert_non_null(strstr(report[i].text, word));
    }
    table_free(&table);
}

static void wrong_histogram_is_refused(void **state)
{
    const struct table_flaws flaws = {
        .seeds = 3, .count_from = 3, .count_to = -3, .count_error = 1};
    (void)state;
    flaw_is_described(&flaws, "catalogue counts");
}

static void wrong_payload_hash_is_refused(void **state)
{
    const struct table_flaws flaws = {.seeds = 4, .hash_error = 1};
    (void)state;
    flaw_is_described(&flaws, "hash");
}

static void damaged_file_is_corrupt(void **state)
{
    char folder[TABLE_FOLDER_MAX], path[WARI_PATH_MAX];
    struct table table = solved(WARI_AWARI, WARI_EVEN, 3);
    struct wari_verify_report report;
    struct wari_error error;
    unsigned char last;

    (void)state;
    assert_true(table_folder_make(folder));
    assert_int_equal(table_write(&table, folder, NULL), WARI_OK);
    assert_int_equal(wari_level_path(path, folder, (struct wari_level_key){table.variant, 3}, NULL),
                     WARI_OK);
    int file = open(path, O_RDWR);
    off_t size = lseek(file, 0, SEEK_END);
    assert_int_equal(pread(file, &last, 1, size - 1), 1);
    last ^= 1;
    assert_int_equal(pwrite(file, &last, 1, size - 1), 1);
    assert_int_equal(close(file), 0);

    struct wari_verify verify = modes[FULL];
    verify.folder = folder;
    verify.variant = table.variant;
    assert_int_equal(wari_verify(&verify, &report, &error), WARI_CORRUPT);
    assert_non_null(strstr(error.text, path));
    verify.mode = WARI_VERIFY_SAMPLE;
    verify.sample = wari_level_positions(3);
    assert_int_equal(wari_verify(&verify, &report, &error), WARI_CORRUPT);
    assert_true(table_folder_remove(folder));
    table_free(&table);
}

TEST_GROUP(test_verify_wrong)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(value_off_by_one_is_named),
        cmocka_unit_test(cycle_credited_to_one_side_is_ungrounded),
        cmocka_unit_test(own_table_presented_as_even_is_refused),
        cmocka_unit_test(even_table_presented_as_own_is_refused),
        cmocka_unit_test(table_of_another_rule_set_is_refused),
        cmocka_unit_test(wrong_histogram_is_refused),
        cmocka_unit_test(wrong_payload_hash_is_refused),
        cmocka_unit_test(damaged_file_is_corrupt),
    };
    return cmocka_run_group_tests_name("verify refuses", tests, NULL, NULL);
}
