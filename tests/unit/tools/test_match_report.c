/* The text of the report of a match: the difference in strength, the names of the engines, and
 * lines that were not understood. The expected numbers were computed by hand from the definitions
 * in play/engine/elo.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/groups.h"
#include "tools/match/match_report.h"

/* Returns the text of a report. The caller frees it. */
static char *text_of(const struct match_report *report)
{
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    assert_non_null(to);
    match_print_text(report, to);
    assert_int_equal(fclose(to), 0);
    return text;
}

static void expect_strength(const int pairs[WARI_ELO_PAIR_RESULTS], const char *expected)
{
    static struct match_report report;
    report = (struct match_report){.strength = true};
    memcpy(report.pairs, pairs, sizeof report.pairs);
    char *text = text_of(&report);
    if (!strstr(text, expected))
        fail_msg("expected \"%s\" in:\n%s", expected, text);
    free(text);
}

/* Two pairs have 0.5 points, six have 1 and two have 1.5, so the mean score is 0.5. The variance of
 * the score of a pair is (4 / 10) (1 / 4)^2 = 0.025, so the standard error of the mean of 10 pairs
 * is 0.05, and 1.96 times 0.05 is 0.098. 400 log10(0.598 / 0.402) = 69.0. */
static void the_difference_has_its_error(void **state)
{
    (void)state;
    expect_strength((const int[]){0, 2, 6, 2, 0},
                    "\nElo difference +0.0 +/- 69.0 (95 %), LOS 50.0 %, pairs 0 2 6 2 0\n");
}

/* The mean score is 0.975, and 400 log10(0.975 / 0.025) = 636.4. The error of the score is 1.96 *
 * 0.0237 = 0.046, so the interval reaches beyond 1, the score of an infinite difference. */
static void an_interval_beyond_the_full_score_has_no_bound(void **state)
{
    (void)state;
    expect_strength(
        (const int[]){0, 0, 0, 1, 9},
        "\nElo difference +636.4 (its error has no bound), LOS 100.0 %, pairs 0 0 0 1 9\n");
}

static void equal_or_few_results_give_no_difference(void **state)
{
    (void)state;
    expect_strength(
        (const int[]){0, 0, 12, 0, 0},
        "\nElo difference unknown (all pairs have the same result), pairs 0 0 12 0 0\n");
    expect_strength((const int[]){1, 2, 3, 2, 1},
                    "\nElo difference unknown (fewer than 10 pairs), pairs 1 2 3 2 1\n");
}

/* A column has 25 characters for a name. */
static void a_long_name_is_cut_between_characters(void **state)
{
    static struct match_report report;
    (void)state;
    for (int i = 0; i < 30; i++)
        strcat(report.statistics[0].name, "\xC3\xA9");
    strcpy(report.statistics[1].name, "b");
    report.statistics[1].nonsense = 3;
    char *text = text_of(&report);
    const char *first = strstr(text, "\xC3\xA9");
    assert_non_null(first);
    assert_int_equal(strspn(first, "\xC3\xA9"), 2 * 25);
    assert_non_null(strstr(text, "\nb: 3 lines were not understood\n"));
    free(text);
}

TEST_GROUP(test_match_report)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_difference_has_its_error),
        cmocka_unit_test(an_interval_beyond_the_full_score_has_no_bound),
        cmocka_unit_test(equal_or_few_results_give_no_difference),
        cmocka_unit_test(a_long_name_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
