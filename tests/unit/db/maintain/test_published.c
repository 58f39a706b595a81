/* Compares databases with the published values. Some databases have the published values and
 * some have other values.
 *
 * The values come from the reference solver; the tests insert errors with correct hashes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "db/maintain/published.h"
#include "tests/support/table_files.h"
#include "tests/unit/groups.h"

enum { SEEDS = 5 };

/* Writes the values of the table as a database and compares the database with the published
 * values. */
static struct wari_published ask(const struct table *table, const struct table_flaws *flaws)
{
    char folder[TABLE_FOLDER_MAX];
    struct wari_published published;

    assert_true(table_folder_make(folder));
    assert_int_equal(table_write(table, folder, flaws), WARI_OK);
    assert_int_equal(wari_check_published(folder, table->variant, NULL, &published, NULL), WARI_OK);
    assert_true(table_folder_remove(folder));
    return published;
}

static void right_values_are_those_published(void **state)
{
    (void)state;
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++) {
        for (int cycle = 0; cycle < WARI_CYCLE_COUNT; cycle++) {
            const struct wari_variant variant = {(enum wari_rules)rules, (enum wari_cycle)cycle};
            struct table table;
            assert_int_equal(table_solve(&table, variant, SEEDS), WARI_OK);
            const struct wari_published published = ask(&table, NULL);
            assert_int_equal(published.same, SEEDS + 1);
            assert_int_equal(published.differs, -1);
            assert_int_equal(published.unlisted, 0);
            table_free(&table);
        }
    }
}

/* Two cases: the database of another rule set under a false name, and a single wrong value. */
static void other_values_are_named_by_their_level(void **state)
{
    struct table table;

    (void)state;
    assert_int_equal(table_solve(&table, (struct wari_variant){WARI_ABAPA, WARI_EVEN}, SEEDS),
                     WARI_OK);
    table.variant.rules = WARI_AWARI;
    struct wari_published published = ask(&table, NULL);
    assert_in_range(published.differs, 1, SEEDS);
    table.variant.rules = WARI_ABAPA;
    table.values[4][7] = (int8_t)(table.values[4][7] > 0 ? 0 : 1);
    published = ask(&table, NULL);
    assert_int_equal(published.differs, 4);
    assert_int_equal(published.same, 4);
    table_free(&table);
}

/* The comparison does not use the hash in the header of the file. */
static void hashes_are_of_the_values(void **state)
{
    const struct table_flaws flaws = {.seeds = 3, .hash_error = 1};
    struct table table;

    (void)state;
    assert_int_equal(table_solve(&table, (struct wari_variant){WARI_WARI, WARI_OWN}, SEEDS),
                     WARI_OK);
    assert_int_equal(ask(&table, &flaws).same, SEEDS + 1);
    table_free(&table);
}

/* Fixed bug: the comparison accepted wrong counts if the values were correct. */
static void other_counts_are_named_by_their_level(void **state)
{
    const struct table_flaws flaws = {.seeds = 4, .count_from = 4, .count_to = 0, .count_error = 1};
    struct wari_published published;
    struct table table;

    (void)state;
    assert_int_equal(table_solve(&table, (struct wari_variant){WARI_AWARI, WARI_EVEN}, SEEDS),
                     WARI_OK);
    published = ask(&table, &flaws);
    assert_int_equal(published.differs, 4);
    assert_int_equal(published.same, 4);
    assert_true(published.counts);
    table.values[4][7] = (int8_t)(table.values[4][7] > 0 ? 0 : 1);
    published = ask(&table, &flaws);
    assert_int_equal(published.differs, 4);
    assert_false(published.counts);
    table_free(&table);
}

/* Returns true if data/count_hashes.csv has this line. */
static bool is_listed(const char *variant, int seeds, uint64_t hash)
{
    FILE *file = fopen("data/count_hashes.csv", "r");
    char expected[64], line[64];
    bool found = false;

    assert_non_null(file);
    snprintf(expected, sizeof expected, "%s,%d,%016llx\n", variant, seeds,
             (unsigned long long)hash);
    while (!found && fgets(line, sizeof line, file))
        found = strcmp(line, expected) == 0;
    assert_int_equal(fclose(file), 0);
    return found;
}

/* Reads the lines of one level that begin with `start` from a file of histograms, without `start`.
 */
static int read_counts(const char *path, const char *start, int seeds, char *text, size_t capacity)
{
    FILE *file = fopen(path, "r");
    char line[64], begin[64];
    int lines = 0;

    assert_non_null(file);
    snprintf(begin, sizeof begin, "%s%d,", start, seeds);
    *text = 0;
    for (; fgets(line, sizeof line, file);) {
        const char *counts = line + strlen(start);
        if (strncmp(line, begin, strlen(begin)) != 0)
            continue;
        assert_true(strlen(text) + strlen(counts) < capacity);
        strcat(text, counts);
        lines++;
    }
    assert_int_equal(fclose(file), 0);
    return lines;
}

static void hashes_of_counts_are_those_of_published_histograms(void **state)
{
    static const struct {
        const char *path, *start, *variant;
        int first, last;
    } lists[] = {
        {"data/awari_histograms.csv", "", "awari,even", 0, 16}, /* histograms published by Lincke */
        {"data/large_histograms.csv", "awari,even,", "awari,even", 17, 30},
        {"data/large_histograms.csv", "abapa,own,", "abapa,own", 17, 28},
    };
    char text[4096];

    (void)state;
    for (int i = 0; i < 3; i++) {
        for (int n = lists[i].first; n <= lists[i].last; n++) {
            assert_true(read_counts(lists[i].path, lists[i].start, n, text, sizeof text) > 0);
            assert_true(is_listed(lists[i].variant, n, XXH3_64bits(text, strlen(text))));
        }
    }
}

TEST_GROUP(test_published)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_of_counts_are_those_of_published_histograms),
        cmocka_unit_test(other_counts_are_named_by_their_level),
        cmocka_unit_test(right_values_are_those_published),
        cmocka_unit_test(other_values_are_named_by_their_level),
        cmocka_unit_test(hashes_are_of_the_values),
    };
    return cmocka_run_group_tests_name("published", tests, NULL, NULL);
}
