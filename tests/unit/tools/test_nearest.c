/* Tests the choice of the name that was probably meant by a word.
 *
 * The changes that turn a word into a name were counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tests/unit/groups.h"
#include "tools/common/nearest.h"

/* Checks that `expected` is the nearest of two names to a word of `length` characters. NULL means
 * that there must be no nearest name.
 */
static void expect_nearest_of(const char *word, size_t length, const char *first,
                              const char *second, const char *expected)
{
    struct nearest_name nearest;
    nearest_begin(&nearest, word, length);
    nearest_add(&nearest, first);
    nearest_add(&nearest, second);
    if (expected == NULL)
        assert_null(nearest.name);
    else
        assert_ptr_equal(nearest.name, expected);
}

static void expect_nearest(const char *word, const char *first, const char *second,
                           const char *expected)
{
    expect_nearest_of(word, strlen(word), first, second, expected);
}

static void one_change_inserts_removes_replaces_or_swaps(void **state)
{
    static const char awari[] = "awari", even[] = "even", own[] = "own";

    (void)state;
    expect_nearest("awri", even, awari, awari);
    expect_nearest("awarri", even, awari, awari);
    expect_nearest("aware", even, awari, awari);
    expect_nearest("onw", even, own, own); /* of three characters, only one may be changed */
    expect_nearest("eevn", even, own, even);
    expect_nearest("awari", even, awari, awari);
}

static void upper_and_lower_case_are_the_same(void **state)
{
    static const char even[] = "even", hash[] = "Hash";

    (void)state;
    expect_nearest("EVEN", hash, even, even);
    expect_nearest("HSAh", even, hash, hash);
}

static void the_name_with_fewest_changes_is_nearest_and_of_equals_the_first(void **state)
{
    static const char wins[] = "slam-wins", ends[] = "slam-ends", gives[] = "slam-gives";

    (void)state;
    expect_nearest("slam-winds", ends, wins, wins); /* two changes or one */
    expect_nearest("slam-winds", wins, ends, wins);
    expect_nearest("slam-ands", wins, ends, ends);  /* three changes or one */
    expect_nearest("slam-gins", gives, wins, wins); /* two changes or one */
    static const char csv[] = "csv", cst[] = "cst";
    expect_nearest("csx", csv, cst, csv); /* one change each */
    expect_nearest("csx", cst, csv, cst);
}

static void a_name_that_is_too_different_is_not_suggested(void **state)
{
    static const char own[] = "own", even[] = "even", query[] = "query", long_one[] = "tournament";

    (void)state;
    expect_nearest("odd", own, even, NULL);      /* own: two of three characters */
    expect_nearest("evil", own, even, NULL);     /* even: two of four */
    expect_nearest("quart", even, query, query); /* two of five */
    expect_nearest("tournamxyt", own, long_one, long_one);
    expect_nearest("tournaxyzt", own, long_one, NULL);
    expect_nearest("", own, even, NULL);
    expect_nearest("o", own, "x", NULL);
}

static void long_words_are_compared_up_to_a_limit(void **state)
{
    static const char most[] = "abcdefghijklmnopqrstuvwx", more[] = "abcdefghijklmnopqrstuvwxy";

    (void)state;
    assert_int_equal(strlen(most), 24);
    expect_nearest("abcdefghijklmnopqrstuvw-", more, most, most);
    expect_nearest("abcdefghijklmnopqrstuvwx-", more, most, NULL);
}

static void a_word_ends_with_its_length(void **state)
{
    static const char own[] = "own", even[] = "even";

    (void)state;
    expect_nearest_of("evenly own", 5, own, even, even);
}

static void a_hint_is_the_end_of_a_message_or_empty(void **state)
{
    struct nearest_name nearest;
    char hint[NEAREST_HINT] = "before";

    (void)state;
    nearest_begin(&nearest, "evne", 4);
    assert_string_equal(nearest_hint(&nearest, hint), "");
    nearest_add(&nearest, "even");
    assert_string_equal(nearest_hint(&nearest, hint), "; did you mean \"even\"?");
}

TEST_GROUP(test_nearest)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_change_inserts_removes_replaces_or_swaps),
        cmocka_unit_test(upper_and_lower_case_are_the_same),
        cmocka_unit_test(the_name_with_fewest_changes_is_nearest_and_of_equals_the_first),
        cmocka_unit_test(a_name_that_is_too_different_is_not_suggested),
        cmocka_unit_test(long_words_are_compared_up_to_a_limit),
        cmocka_unit_test(a_word_ends_with_its_length),
        cmocka_unit_test(a_hint_is_the_end_of_a_message_or_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
