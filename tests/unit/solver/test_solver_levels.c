/* Values that a build writes, read back through the library: every placement of small levels
 * compared with the reference solver, and larger levels compared with published figures (data/). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "db/wari.h"
#include "tests/reference/reference.h"
#include "tests/support/builds.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

enum { LINE = 128 };

static struct wari_db *built(struct wari_variant variant, int seeds)
{
    struct wari_error error = {WARI_OK, ""};
    struct wari_db *db;

    folder_store(folder, image_of(variant, seeds));
    if (wari_open(&db, folder, &variant, NULL, &error) != WARI_OK)
        fail_msg("%s", error.text);
    return db;
}

/* ---- Against the reference ------------------------------------------------------------------- */

static void compare_level(struct wari_db *db, const struct ref_table *table, int seeds)
{
    const signed char *expected = ref_level(table, seeds);
    uint64_t histogram[2 * REF_MAX_SEEDS + 1];
    struct wari_level_info info;
    struct wari_position position;
    uint64_t placements = 0;

    ref_first(seeds, position.pits);
    do {
        int value = REF_UNKNOWN;
        assert_int_equal(wari_probe(db, &position, &value, NULL), WARI_OK);
        if (value != expected[placements]) {
            char text[WARI_POSITION_TEXT];
            wari_position_text(&position, text);
            fail_msg("%s is worth %d, not %d", text, expected[placements], value);
        }
        placements++;
    } while (ref_next(position.pits));
    assert_int_equal(placements, wari_level_placements(seeds));

    assert_true(ref_histogram(table, seeds, histogram));
    assert_int_equal(wari_get_level_info(db, seeds, &info, NULL), WARI_OK);
    assert_int_equal(info.placements, placements);
    for (int value = -WARI_SEEDS_MAX; value <= WARI_SEEDS_MAX; value++)
        assert_int_equal(info.histogram[value + WARI_SEEDS_MAX],
                         value >= -seeds && value <= seeds ? histogram[seeds + value] : 0);
}

static void compare_variant(struct wari_variant variant, int seeds_max)
{
    const struct ref_table *table = reference_of(variant, seeds_max);
    struct wari_db *db = built(variant, seeds_max);

    assert_non_null(table);
    for (int seeds = 0; seeds <= seeds_max; seeds++)
        compare_level(db, table, seeds);
    wari_close(db);
}

static void every_placement_is_worth_what_the_reference_says_even(void **state)
{
    (void)state;
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++)
        compare_variant((struct wari_variant){(enum wari_rules)rules, WARI_EVEN},
                        test_scale(rules == WARI_AWARI ? 9 : 8, 6));
}

static void every_placement_is_worth_what_the_reference_says_own(void **state)
{
    (void)state;
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++)
        compare_variant((struct wari_variant){(enum wari_rules)rules, WARI_OWN}, test_scale(8, 5));
}

/* ---- Against published figures --------------------------------------------------------------- */

static FILE *open_figures(const char *path, const char *header)
{
    char line[LINE];
    FILE *file = fopen(path, "r");

    if (file == NULL)
        fail_msg("%s is missing: run from the repository root", path);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, header);
    return file;
}

/* Compares the counts in a file, which has rows "seeds,value,count", with those of the database.
 * The counts of a level must add up to all its placements, so every value that occurs must have a
 * row. Returns the number of levels that were compared. */
static int compare_histograms(const struct wari_db *db, const char *path, int seeds_max)
{
    FILE *file = open_figures(path, "seeds,value,count\n");
    struct wari_level_info info = {.seeds = -1};
    uint64_t left = 0; /* placements of the level, minus the counts in its rows read so far */
    int seeds, value, levels = 0;
    unsigned long long count;

    while (fscanf(file, "%d,%d,%llu\n", &seeds, &value, &count) == 3 && seeds <= seeds_max) {
        if (seeds != info.seeds) {
            assert_int_equal(left, 0);
            assert_int_equal(wari_get_level_info(db, seeds, &info, NULL), WARI_OK);
            left = info.placements;
            levels++;
        }
        assert_int_equal(info.histogram[value + WARI_SEEDS_MAX], count);
        left -= count;
    }
    assert_int_equal(left, 0);
    assert_int_equal(fclose(file), 0);
    return levels;
}

/* Compares every position of data/positions.csv that the database covers; returns their number. */
static int compare_positions(struct wari_db *db, struct wari_variant variant)
{
    FILE *file = open_figures("data/positions.csv", "position,rules,cycle,value,source\n");
    char position[WARI_POSITION_TEXT], rules[16], cycle[16];
    int expected, compared = 0;

    while (fscanf(file, "%47[^,],%15[^,],%15[^,],%d,%*s\n", position, rules, cycle, &expected) ==
           4) {
        struct wari_setup setup;
        int value = 0;
        if (strcmp(rules, wari_get_rules_info(variant.rules)->name) != 0 ||
            strcmp(cycle, wari_cycle_name(variant.cycle)) != 0)
            continue;
        assert_int_equal(wari_setup_parse(position, &setup, NULL), WARI_OK);
        const enum wari_status status = wari_probe(db, &setup.position, &value, NULL);
        if (status == WARI_NOT_COVERED)
            continue;
        assert_int_equal(status, WARI_OK);
        assert_int_equal(value, expected);
        compared++;
    }
    assert_true(feof(file));
    assert_int_equal(fclose(file), 0);
    return compared;
}

/* Uses the published positions of 6 seeds. (cli/figures.sh checks the position of 18 seeds.) */
static void rule_sets_differ_in_the_published_positions(void **state)
{
    (void)state;
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++) {
        const struct wari_variant variant = {(enum wari_rules)rules, WARI_EVEN};
        struct wari_db *db = built(variant, 6);
        assert_int_equal(compare_positions(db, variant), 6 + (rules == WARI_AWARI));
        wari_close(db);
    }
}

/* Compares Lincke's counts, and the published positions of 3, 12 and 16 seeds. */
static void values_of_awari_are_as_published(void **state)
{
    const int seeds = test_scale(16, 12);
    const struct wari_variant variant = {WARI_AWARI, WARI_EVEN};
    struct wari_db *db = built(variant, seeds);

    (void)state;
    assert_int_equal(compare_histograms(db, "data/awari_histograms.csv", seeds), seeds + 1);
    assert_int_equal(compare_positions(db, variant), seeds == 16 ? 9 : 8);
    wari_close(db);
}

static void values_of_cycle_rule_own_are_as_computed_elsewhere(void **state)
{
    const struct wari_variant variant = {WARI_ABAPA, WARI_OWN};
    struct wari_db *db = built(variant, 5);

    (void)state;
    assert_int_equal(compare_histograms(db, "data/abapa_own_histograms.csv", 5), 3);
    assert_int_equal(compare_positions(db, variant), 2);
    wari_close(db);
}

TEST_GROUP(test_solver_levels)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_placement_is_worth_what_the_reference_says_even,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(every_placement_is_worth_what_the_reference_says_own,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(rule_sets_differ_in_the_published_positions, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(values_of_awari_are_as_published, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(values_of_cycle_rule_own_are_as_computed_elsewhere,
                                        make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
