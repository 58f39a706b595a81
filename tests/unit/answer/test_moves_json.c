/* The moves of a position as JSON, under each rule set. The position is that of data/RULES.md, in
 * which both moves capture the opponent's only seed. All expected values follow from the rules
 * there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/answer.h"
#include "tests/unit/groups.h"

static void expect_moves(const char *position, enum wari_rules rules, const char *expected)
{
    struct wari_setup setup;
    struct wari_error error;
    char *text;

    assert_int_equal(wari_setup_parse(position, &setup, &error), WARI_OK);
    assert_int_equal(json_text(answer_moves_json(rules, &setup), &text, &error), WARI_OK);
    const char *moves = strstr(text, "\"moves\":");
    assert_non_null(moves);
    assert_string_equal(moves, expected);
    free(text);
}

/* A slam that ends the game captures nothing by itself (wari_game.h). So the last pit stays as
 * sowing left it, and "ends" says who gets all six seeds. */
#define SLAM_D                                                                                     \
    "{\"move\":\"D\",\"captured\":0,\"sown\":[4,5,6],\"taken\":[],\"next\":[2,0,0,0,0,0,0,0,0,0,"  \
    "3,1]"
#define SLAM_E                                                                                     \
    "{\"move\":\"E\",\"captured\":0,\"sown\":[5,6],\"taken\":[],\"next\":[2,0,0,0,0,0,0,0,0,3,0,"  \
    "1]"

static void a_grand_slam_ends_the_game_as_the_rules_say(void **state)
{
    static const char board[] = "0 0 0 3 2 0 / 1 0 0 0 0 0";
    static const struct {
        enum wari_rules rules;
        const char *rest;
    } cases[] = {
        {WARI_WARE, "\"again\":false,\"ends\":{\"mover\":0,\"opponent\":6,\"nobody\":0,\"winner\":"
                    "\"opponent\"}}"},
        {WARI_SLAM_ENDS, "\"again\":false,\"ends\":{\"mover\":0,\"opponent\":0,\"nobody\":6}}"},
        {WARI_SLAM_GIVES, "\"again\":false,\"ends\":{\"mover\":2,\"opponent\":4,\"nobody\":0}}"},
        {WARI_SLAM_WINS, "\"again\":false,\"ends\":{\"mover\":6,\"opponent\":0,\"nobody\":0,"
                         "\"winner\":\"mover\"}}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[1024];
        snprintf(expected, sizeof expected, "\"moves\":[%s,%s,%s,%s],\"refused\":[]}", SLAM_D,
                 cases[i].rest, SLAM_E, cases[i].rest);
        expect_moves(board, cases[i].rules, expected);
    }
}

/* Under `abapa` the slams capture nothing; under `warri` the same side moves again, and sees the
 * board from its own side. */
static void a_grand_slam_captures_nothing_or_moves_again(void **state)
{
    static const char board[] = "0 0 0 3 2 0 / 1 0 0 0 0 0";
    (void)state;
    expect_moves(board, WARI_ABAPA,
                 "\"moves\":["
                 "{\"move\":\"D\",\"captured\":0,\"sown\":[4,5,6],\"taken\":[],\"next\":[2,0,0,0,0,"
                 "0,0,0,0,0,3,1],\"again\":false},"
                 "{\"move\":\"E\",\"captured\":0,\"sown\":[5,6],\"taken\":[],\"next\":[2,0,0,0,0,0,"
                 "0,0,0,3,0,1],\"again\":false}"
                 "],\"refused\":[]}");
    expect_moves(board, WARI_WARRI,
                 "\"moves\":["
                 "{\"move\":\"D\",\"captured\":2,\"sown\":[4,5,6],\"taken\":[6],\"next\":[0,0,0,0,"
                 "3,1,0,0,0,0,0,0],\"again\":true},"
                 "{\"move\":\"E\",\"captured\":2,\"sown\":[5,6],\"taken\":[6],\"next\":[0,0,0,3,0,"
                 "1,0,0,0,0,0,0],\"again\":true}"
                 "],\"refused\":[]}");
}

/* Both moves are refused, so the game is over: under `awari` the mover takes all six seeds, under
 * `wari` each side takes its own row. */
static void without_a_move_the_end_is_that_of_the_rules(void **state)
{
    static const char board[] = "0 0 0 3 2 0 / 1 0 0 0 0 0";
    static const char refused[] =
        "\"refused\":[{\"move\":\"D\",\"why\":\"slam\"},{\"move\":\"E\",\"why\":\"slam\"}]";
    char expected[256];
    (void)state;
    snprintf(expected, sizeof expected,
             "\"moves\":[],%s,\"end\":{\"mover\":6,\"opponent\":0,\"nobody\":0}}", refused);
    expect_moves(board, WARI_AWARI, expected);
    snprintf(expected, sizeof expected,
             "\"moves\":[],%s,\"end\":{\"mover\":5,\"opponent\":1,\"nobody\":0}}", refused);
    expect_moves(board, WARI_WARI, expected);
}

/* In both positions the opponent has no seeds. The moves A and a are refused, because they give the
 * opponent no seed; f is legal. North's pits have lower-case letters. */
static void a_move_that_feeds_nothing_is_refused(void **state)
{
    (void)state;
    expect_moves("1-0-0-0-0-0-0-0-0-0-0-0-23-24-S", WARI_AWARI,
                 "\"moves\":[],\"refused\":[{\"move\":\"A\",\"why\":\"feed\"}],\"end\":{\"mover\":"
                 "1,\"opponent\":0,\"nobody\":0}}");
    expect_moves("0-0-0-0-0-0-1-0-0-0-0-1-22-24-N", WARI_AWARI,
                 "\"moves\":[{\"move\":\"f\",\"captured\":0,\"sown\":[6],\"taken\":[],"
                 "\"next\":[1,0,0,0,0,0,1,0,0,0,0,0],\"again\":false}],\"refused\":[{\"move\":"
                 "\"a\",\"why\":\"feed\"}]}");
}

/* A move of 12 seeds goes around the board and leaves out the pit where it began. */
static void a_long_move_leaves_out_its_own_pit(void **state)
{
    (void)state;
    expect_moves("12 0 0 0 0 0 / 0 0 0 0 0 0", WARI_AWARI,
                 "\"moves\":[{\"move\":\"A\",\"captured\":0,\"sown\":[1,2,3,4,5,6,7,8,9,10,11,1],"
                 "\"taken\":[],"
                 "\"next\":[1,1,1,1,1,1,0,2,1,1,1,1],\"again\":false}],\"refused\":[]}");
}

TEST_GROUP(test_moves_json)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grand_slam_ends_the_game_as_the_rules_say),
        cmocka_unit_test(a_grand_slam_captures_nothing_or_moves_again),
        cmocka_unit_test(without_a_move_the_end_is_that_of_the_rules),
        cmocka_unit_test(a_move_that_feeds_nothing_is_refused),
        cmocka_unit_test(a_long_move_leaves_out_its_own_pit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
