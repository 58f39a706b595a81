/* Tests the names, properties and presets of the rule sets, the words for statuses, and error
 * texts.
 *
 * Expected values were written by hand from the rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "game/wari_game.h"
#include "tests/unit/groups.h"

struct expected_rules {
    const char *name;
    enum wari_slam slam;
};

/* All rule sets, in the order of their numbers in database files. */
static const struct expected_rules expected[] = {
    {"awari", WARI_SLAM_ILLEGAL},
    {"wari", WARI_SLAM_ILLEGAL},
    {"abapa", WARI_SLAM_NO_CAPTURE},
    {"warri", WARI_SLAM_MOVES_AGAIN},
    {"ware", WARI_SLAM_LOSES},
    {"slam-ends", WARI_SLAM_DRAWS},
    {"slam-gives", WARI_SLAM_GIVES_REST},
    {"slam-wins", WARI_SLAM_WINS_ALL},
};

static void rule_sets_keep_their_numbers_names_and_slams(void **state)
{
    (void)state;
    assert_int_equal(WARI_RULES_COUNT, sizeof expected / sizeof *expected);
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++) {
        const struct wari_rules_info *info = wari_get_rules_info((enum wari_rules)rules);
        assert_non_null(info);
        assert_string_equal(info->name, expected[rules].name);
        assert_int_equal(info->slam, expected[rules].slam);
        assert_true(strlen(info->summary) > 20);
        assert_true(strlen(info->players) > 20);
    }
    assert_int_equal(wari_get_rules_info(WARI_AWARI)->stuck, WARI_STUCK_TAKES_ALL);
    assert_int_equal(wari_get_rules_info(WARI_WARI)->stuck, WARI_STUCK_OWN_ROWS);
}

static void numbers_outside_the_table_have_no_rule_set_and_no_cycle_name(void **state)
{
    (void)state;
    assert_null(wari_get_rules_info((enum wari_rules) - 1));
    assert_null(wari_get_rules_info(WARI_RULES_COUNT));
    assert_null(wari_get_rules_info((enum wari_rules)1000));
    assert_null(wari_cycle_name((enum wari_cycle) - 1));
    assert_null(wari_cycle_name(WARI_CYCLE_COUNT));
    assert_string_equal(wari_cycle_name(WARI_EVEN), "even");
    assert_string_equal(wari_cycle_name(WARI_OWN), "own");
    assert_int_equal(WARI_EVEN, 0);
    assert_int_equal(WARI_OWN, 1);
}

static void a_rule_sets_name_leaves_the_cycle_at_its_default(void **state)
{
    (void)state;
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++) {
        struct wari_variant variant = {WARI_RULES_COUNT, WARI_CYCLE_COUNT};
        bool fixes_cycle = true;
        assert_int_equal(wari_rules_parse(expected[rules].name, &variant, &fixes_cycle, NULL),
                         WARI_OK);
        assert_int_equal(variant.rules, rules);
        assert_int_equal(variant.cycle, WARI_EVEN);
        assert_false(fixes_cycle);
    }
}

static void a_presets_name_fixes_rule_set_and_cycle(void **state)
{
    static const struct {
        const char *name;
        struct wari_variant variant;
    } known[] = {
        {"academic", {WARI_AWARI, WARI_EVEN}}, {"tournament", {WARI_ABAPA, WARI_OWN}},
        {"oware", {WARI_ABAPA, WARI_OWN}},     {"spanish", {WARI_ABAPA, WARI_OWN}},
        {"english", {WARI_WARI, WARI_OWN}},    {"dutch", {WARI_WARI, WARI_OWN}},
        {"walker", {WARI_WARI, WARI_OWN}},     {"leaflet", {WARI_WARI, WARI_OWN}},
        {"italian", {WARI_WARRI, WARI_OWN}},   {"caribbean", {WARI_WARRI, WARI_OWN}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct wari_variant variant = {WARI_RULES_COUNT, WARI_CYCLE_COUNT};
        bool fixes_cycle = false;
        assert_int_equal(wari_rules_parse(known[i].name, &variant, &fixes_cycle, NULL), WARI_OK);
        assert_int_equal(variant.rules, known[i].variant.rules);
        assert_int_equal(variant.cycle, known[i].variant.cycle);
        assert_true(fixes_cycle);
    }
}

static void every_listed_preset_can_be_asked_for(void **state)
{
    bool has_awari = false;

    (void)state;
    for (const struct wari_preset *preset = wari_presets(); preset->name != NULL; preset++) {
        struct wari_variant variant = {WARI_RULES_COUNT, WARI_EVEN};
        bool fixes_cycle;
        assert_int_equal(wari_rules_parse(preset->name, &variant, &fixes_cycle, NULL), WARI_OK);
        assert_int_equal(variant.rules, preset->variant.rules);
        assert_int_equal(variant.cycle, preset->variant.cycle);
        assert_true(strlen(preset->summary) > 20);
        /* `awari` is the only preset with the name of a rule set, and it is read as the rule set.
         */
        assert_int_equal(fixes_cycle, strcmp(preset->name, "awari") != 0);
        has_awari |= !fixes_cycle;
    }
    assert_true(has_awari);
}

static void an_unknown_rule_set_is_refused_with_the_list_of_all_names(void **state)
{
    static const char *const wrong[] = {"", "Oware", "Awari", "awari ", "slam", "abap", "abapaa"};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct wari_variant variant = {WARI_ABAPA, WARI_OWN};
        struct wari_error error = {WARI_OK, ""};
        bool fixes_cycle = true;
        assert_int_equal(wari_rules_parse(wrong[i], &variant, &fixes_cycle, &error),
                         WARI_BAD_INPUT);
        assert_int_equal(error.status, WARI_BAD_INPUT);
        assert_non_null(strstr(error.text, wrong[i]));
        for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
            assert_non_null(strstr(error.text, expected[k].name));
        for (const struct wari_preset *preset = wari_presets(); preset->name != NULL; preset++)
            assert_non_null(strstr(error.text, preset->name));
        assert_int_equal(variant.rules, WARI_ABAPA);
        assert_int_equal(variant.cycle, WARI_OWN);
    }
}

static void cycle_rules_are_read_by_name_and_others_refused_with_the_list(void **state)
{
    enum wari_cycle cycle = WARI_CYCLE_COUNT;
    struct wari_error error = {WARI_OK, ""};

    (void)state;
    assert_int_equal(wari_cycle_parse("even", &cycle, &error), WARI_OK);
    assert_int_equal(cycle, WARI_EVEN);
    assert_int_equal(wari_cycle_parse("own", &cycle, &error), WARI_OK);
    assert_int_equal(cycle, WARI_OWN);
    assert_string_equal(error.text, "");
    assert_int_equal(wari_cycle_parse("Even", &cycle, &error), WARI_BAD_INPUT);
    assert_int_equal(cycle, WARI_OWN);
    assert_string_equal(error.text,
                        "no cycle rule is called \"Even\"; the cycle rules are even, own");
}

static void expect_variant(const char *rules, const char *cycle,
                           struct wari_variant expected_variant, bool expected_fixes)
{
    struct wari_variant variant = {WARI_RULES_COUNT, WARI_CYCLE_COUNT};
    struct wari_error error = {WARI_OK, ""};
    bool fixes_cycle = !expected_fixes;
    assert_int_equal(wari_variant_parse(rules, cycle, &variant, &fixes_cycle, &error), WARI_OK);
    assert_int_equal(variant.rules, expected_variant.rules);
    assert_int_equal(variant.cycle, expected_variant.cycle);
    assert_int_equal(fixes_cycle, expected_fixes);
    assert_string_equal(error.text, "");
}

static void a_variant_is_read_from_one_text_or_two(void **state)
{
    static const struct wari_variant tournament = {WARI_ABAPA, WARI_OWN};

    (void)state;
    expect_variant("abapa own", NULL, tournament, true);
    expect_variant(" abapa\t own\n", NULL, tournament, true);
    expect_variant("abapa", "own", tournament, true);
    expect_variant("abapa own", "own", tournament, true);
    expect_variant("oware", NULL, tournament, true);
    expect_variant("oware own", NULL, tournament, true);
    expect_variant("oware", "own", tournament, true);
    expect_variant("abapa", NULL, (struct wari_variant){WARI_ABAPA, WARI_EVEN}, false);
    expect_variant("abapa even", NULL, (struct wari_variant){WARI_ABAPA, WARI_EVEN}, true);
    expect_variant("awari", NULL, (struct wari_variant){WARI_AWARI, WARI_EVEN}, false);
    expect_variant("awari own", NULL, (struct wari_variant){WARI_AWARI, WARI_OWN}, true);

    struct wari_variant variant = {WARI_RULES_COUNT, WARI_CYCLE_COUNT};
    assert_int_equal(wari_variant_parse("warri own", NULL, &variant, NULL, NULL), WARI_OK);
    assert_int_equal(variant.rules, WARI_WARRI);
    assert_int_equal(variant.cycle, WARI_OWN);
}

static void a_variant_that_is_not_one_is_refused_with_the_reason(void **state)
{
    static const struct {
        const char *rules, *cycle, *reason;
    } wrong[] = {
        {"", NULL, "no rule set is called \"\""},
        {"own", NULL, "no rule set is called \"own\""},
        {"", "own", "no rule set is called \"\""},
        {"Oware own", NULL, "no rule set is called \"Oware\""},
        {"abapaown", NULL, "no rule set is called \"abapaown\""},
        {"abapa owns", NULL, "no cycle rule is called \"owns\""},
        {"abapa", "", "no cycle rule is called \"\""},
        {"abapa", "own ", "no cycle rule is called \"own \""},
        {"abapa own own", NULL, "\"own\" is one word too many"},
        {"oware even", NULL,
         "oware even means the cycle rule own, which contradicts even; for that game, name the "
         "rule "
         "set: abapa"},
        {"oware", "even", "oware means the cycle rule own, which contradicts even"},
        {"abapa own", "even", "abapa own means the cycle rule own, which contradicts even"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct wari_variant variant = {WARI_WARE, WARI_OWN};
        struct wari_error error = {WARI_OK, ""};
        bool fixes_cycle = true;
        assert_int_equal(
            wari_variant_parse(wrong[i].rules, wrong[i].cycle, &variant, &fixes_cycle, &error),
            WARI_BAD_INPUT);
        if (strstr(error.text, wrong[i].reason) != error.text)
            fail_msg("\"%s\": %s", wrong[i].rules, error.text);
        assert_int_equal(variant.rules, WARI_WARE);
        assert_int_equal(variant.cycle, WARI_OWN);
        assert_true(fixes_cycle);
    }
}

/* ---- Status and error text ---- */

static void every_status_has_words_of_its_own(void **state)
{
    (void)state;
    for (int a = WARI_OK; a <= WARI_INTERRUPTED; a++) {
        const char *words = wari_status_text((enum wari_status)a);
        assert_true(strlen(words) > 3);
        assert_string_not_equal(words, "unknown status");
        for (int b = WARI_OK; b < a; b++)
            assert_string_not_equal(words, wari_status_text((enum wari_status)b));
    }
    assert_string_equal(wari_status_text((enum wari_status)999), "unknown status");
}

static void a_failure_is_reported_in_one_line_that_fits(void **state)
{
    char quoted[2 * sizeof((struct wari_error *)0)->text];
    struct wari_error error = {WARI_OK, ""};

    (void)state;
    assert_int_equal(wari_fail(&error, WARI_IO, "%s: disk %d", "a\nb\x1b[2J\x7f", 7), WARI_IO);
    assert_int_equal(error.status, WARI_IO);
    assert_string_equal(error.text, "a?b?[2J?: disk 7");
    /* U+009B starts a command like ESC [, and so does byte 9B in a terminal without UTF-8. */
    assert_int_equal(wari_fail(&error, WARI_IO, "%s",
                               "\xC2\x9B"
                               "2J \x9B"
                               "2J \xC3\x9F\xE2\x80\x9B\xE9"),
                     WARI_IO);
    assert_string_equal(error.text, "??2J ?2J \xC3\x9F\xE2\x80\x9B\xE9");

    memset(quoted, 'x', sizeof quoted);
    quoted[sizeof quoted - 1] = 0;
    assert_int_equal(wari_fail(&error, WARI_CORRUPT, "%s", quoted), WARI_CORRUPT);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);

    assert_int_equal(wari_fail(NULL, WARI_BUSY, "%s", quoted), WARI_BUSY);
}

TEST_GROUP(test_game_rules)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_sets_keep_their_numbers_names_and_slams),
        cmocka_unit_test(numbers_outside_the_table_have_no_rule_set_and_no_cycle_name),
        cmocka_unit_test(a_rule_sets_name_leaves_the_cycle_at_its_default),
        cmocka_unit_test(a_presets_name_fixes_rule_set_and_cycle),
        cmocka_unit_test(every_listed_preset_can_be_asked_for),
        cmocka_unit_test(an_unknown_rule_set_is_refused_with_the_list_of_all_names),
        cmocka_unit_test(cycle_rules_are_read_by_name_and_others_refused_with_the_list),
        cmocka_unit_test(a_variant_is_read_from_one_text_or_two),
        cmocka_unit_test(a_variant_that_is_not_one_is_refused_with_the_reason),
        cmocka_unit_test(every_status_has_words_of_its_own),
        cmocka_unit_test(a_failure_is_reported_in_one_line_that_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
