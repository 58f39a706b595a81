/* Tests the notation of positions: valid texts are read and written, and the error message of an
 * invalid text gives the column and the reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "game/wari_game.h"
#include "tests/reference/random_positions.h"
#include "tests/unit/groups.h"

static struct wari_setup parse(const char *text)
{
    struct wari_setup setup;
    struct wari_error error = {WARI_OK, ""};
    memset(&setup, 0xa5, sizeof setup);
    if (wari_setup_parse(text, &setup, &error) != WARI_OK)
        fail_msg("\"%s\" is refused: %s", text, error.text);
    return setup;
}

static void expect_pits(const struct wari_setup *setup, const uint8_t pits[WARI_PITS])
{
    assert_memory_equal(setup->position.pits, pits, WARI_PITS);
}

/* Asserts that the text is refused with this column and these words in the message, and nothing is
 * written. */
static void refuse(const char *text, int column, const char *words)
{
    struct wari_setup setup;
    struct wari_setup before;
    struct wari_error error = {WARI_OK, ""};
    char wanted[32];

    memset(&setup, 0, sizeof setup);
    setup.stores[1] = 7;
    memcpy(&before, &setup, sizeof before);
    snprintf(wanted, sizeof wanted, "column %d: ", column);
    assert_int_equal(wari_setup_parse(text, &setup, &error), WARI_BAD_INPUT);
    assert_int_equal(error.status, WARI_BAD_INPUT);
    if (strncmp(error.text, wanted, strlen(wanted)) != 0 || strstr(error.text, words) == NULL)
        fail_msg("\"%.60s\": expected \"%s... %s\", the message is \"%s\"", text, wanted, words,
                 error.text);
    assert_memory_equal(&setup, &before, sizeof before);
    assert_int_equal(wari_setup_parse(text, &setup, NULL), WARI_BAD_INPUT);
}

/* ---- Twelve counts ---- */

static void twelve_counts_are_read_with_blanks_commas_and_slashes(void **state)
{
    static const uint8_t pits[] = {1, 1, 1, 1, 1, 2, 4, 2, 3, 0, 0, 0};
    static const char *const texts[] = {
        "1 1 1 1 1 2 / 4 2 3 0 0 0",         "1 1 1 1 1 2 4 2 3 0 0 0",
        "1,1,1,1,1,2,4,2,3,0,0,0",           "1,1,1,1,1,2/4,2,3,0,0,0",
        "1/1/1/1/1/2/4/2/3/0/0/0",           "1, 1 ,1 , 1,1,2  /\t4 2 3 0 0 0",
        "  1 1 1 1 1 2 / 4 2 3 0 0 0\t\r\n", "01 1 1 1 1 2 / 4 2 003 0 0 0",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct wari_setup setup = parse(texts[i]);
        expect_pits(&setup, pits);
        assert_false(setup.diagram);
        assert_false(setup.north_to_move);
    }
}

static void counts_reach_48_in_a_pit_and_in_all(void **state)
{
    static const uint8_t one[WARI_PITS] = {[11] = 48};
    static const uint8_t none[WARI_PITS] = {0};
    static const uint8_t two[WARI_PITS] = {47, [11] = 1};

    (void)state;
    struct wari_setup setup = parse("0 0 0 0 0 0 / 0 0 0 0 0 48");
    expect_pits(&setup, one);
    setup = parse("0 0 0 0 0 0 / 0 0 0 0 0 0");
    expect_pits(&setup, none);
    setup = parse("47 0 0 0 0 0 / 0 0 0 0 0 1");
    expect_pits(&setup, two);

    refuse("0 0 0 0 0 0 / 0 0 0 0 0 49", 25, "49 seeds in pit f, but a game has 48");
    refuse("012010/100201", 1,
           "012010 seeds in pit A, but a game has 48; correct this count, or separate");
    refuse("48 0 0 0 0 0 / 0 0 0 0 0 1", 26, "49 seeds up to pit f, but a game has 48");
    refuse("47 0 2 0 0 0 / 0 0 0 0 0 0", 6, "49 seeds up to pit C");
    refuse("48 48 48 48 48 48 48 48 48 48 48 48", 4, "96 seeds up to pit B");
}

static void numbers_too_large_for_any_integer_are_refused_by_their_column(void **state)
{
    (void)state;
    refuse("1 256 0 0 0 0 0 0 0 0 0 0", 3, "256 seeds in pit B");
    refuse("1 4294967296 0 0 0 0 0 0 0 0 0 0", 3, "42949672... seeds in pit B");
    refuse("18446744073709551617 0 0 0 0 0 0 0 0 0 0 0", 1, "18446744... seeds in pit A");
    refuse("4-4-4-4-4-4-4-4-4-4-4-4-0-340282366920938463463374607431768211456-S", 27,
           "North's store");
}

static void too_few_counts_are_refused_with_their_number(void **state)
{
    (void)state;
    refuse("1", 2, "the text ends after 1 of 12 counts");
    refuse("1 1 1", 6, "the text ends after 3 of 12 counts");
    refuse("1 1 1 1 1 1 / 1 1 1 1 1", 24, "the text ends after 11 of 12 counts");
    refuse("1 1 1 1 1 1 / 1 1 1 1 1 ", 25, "the text ends after 11 of 12 counts");
    refuse("1 1 1 1 1 1 / 1 1 1 1 1,", 25, "the count of pit f is expected");
}

static void too_many_counts_are_refused(void **state)
{
    (void)state;
    refuse("1 1 1 1 1 1 / 1 1 1 1 1 1 1", 27, "nothing is expected after the twelfth count");
    refuse("1 1 1 1 1 1 / 1 1 1 1 1 1,", 26, "nothing is expected after the twelfth count");
    refuse("1 1 1 1 1 1 / 1 1 1 1 1 1 /", 27, "nothing is expected after the twelfth count");
    refuse("1 1 1 1 1 1 / 1 1 1 1 1 1 S", 27, "here is 'S'");
}

static void text_without_a_count_is_refused(void **state)
{
    (void)state;
    refuse("", 1, "here is the end of the text");
    refuse(" \t ", 4, "here is the end of the text");
    refuse("\n", 2, "here is the end of the text");
    refuse("hello", 1, "the count of pit A is expected, but here is 'h'");
    refuse(",1 1 1 1 1 1 1 1 1 1 1 1", 1, "here is ','");
    refuse("/", 1, "here is '/'");
}

static void junk_is_refused_by_its_column(void **state)
{
    (void)state;
    refuse("1 1 x 1 1 1 1 1 1 1 1 1", 5, "the count of pit C is expected, but here is 'x'");
    refuse("1 1 1x 1 1 1 1 1 1 1 1 1", 6, "a blank, comma or slash is expected");
    refuse("1 1.5 1 1 1 1 1 1 1 1 1 1", 4, "here is '.'");
    refuse("1,,1 1 1 1 1 1 1 1 1 1", 3, "here is ','");
    refuse("1 / / 1 1 1 1 1 1 1 1 1 1", 5, "here is '/'");
    refuse("1;1;1;1;1;1;1;1;1;1;1;1", 2, "here is ';'");
    refuse("+1 1 1 1 1 1 1 1 1 1 1 1", 1, "here is '+'");
    refuse("0x1 1 1 1 1 1 1 1 1 1 1 1", 2, "here is 'x'");
    refuse("1 1 \xe2\x80\x93 1", 5, "here is the byte 0xE2");
    refuse("1 1 \x01 1", 5, "here is the byte 0x01");
    refuse("1 1 \x1b[2J 1", 5, "here is the byte 0x1B");
}

static void negative_counts_are_refused(void **state)
{
    (void)state;
    refuse("-1 1 1 1 1 1 1 1 1 1 1 1", 1, "here is '-'");
    refuse("1 -1 1 1 1 1 1 1 1 1 1 1", 3, "here is '-'");
    refuse("1 1-1 1 1 1 1 1 1 1 1 1", 4, "here is '-'");
}

/* ---- Diagrams ---- */

static void a_diagram_shows_the_board_from_the_south(void **state)
{
    static const uint8_t south[] = {1, 2, 3, 4, 5, 6, 0, 1, 0, 2, 0, 3};
    static const uint8_t north[] = {0, 1, 0, 2, 0, 3, 1, 2, 3, 4, 5, 6};

    (void)state;
    struct wari_setup setup = parse("1-2-3-4-5-6-0-1-0-2-0-3-10-11-S");
    expect_pits(&setup, south);
    assert_true(setup.diagram);
    assert_false(setup.north_to_move);
    assert_int_equal(setup.stores[0], 10);
    assert_int_equal(setup.stores[1], 11);

    setup = parse(" 1-2-3-4-5-6-0-1-0-2-0-3-10-11-N\n");
    expect_pits(&setup, north);
    assert_true(setup.diagram);
    assert_true(setup.north_to_move);
    assert_int_equal(setup.stores[0], 10);
    assert_int_equal(setup.stores[1], 11);
}

static void a_diagram_holds_48_seeds_no_more_and_no_less(void **state)
{
    (void)state;
    (void)parse("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S");
    (void)parse("0-0-0-0-0-0-0-0-0-0-0-0-48-0-S");
    (void)parse("0-0-0-0-0-0-0-0-0-0-0-0-0-48-N");
    refuse("4-4-4-4-4-4-4-4-4-4-4-3-0-0-S", 27, "add up to 47 seeds");
    refuse("4-4-4-4-4-4-4-4-4-4-4-5-0-0-S", 23, "49 seeds up to pit f");
    refuse("4-4-4-4-4-4-4-4-4-4-4-4-1-0-S", 25, "49 seeds up to South's store");
    refuse("4-4-4-4-4-4-4-4-4-4-4-4-0-1-S", 27, "49 seeds up to North's store");
    refuse("0-0-0-0-0-0-0-0-0-0-0-0-0-0-S", 27, "add up to 0 seeds");
}

static void a_diagram_needs_the_side_to_move(void **state)
{
    (void)state;
    refuse("4-4-4-4-4-4-4-4-4-4-4-4-0-0-", 29, "the side to move, S or N, is expected");
    refuse("4-4-4-4-4-4-4-4-4-4-4-4-0-0", 28, "a dash is expected");
    refuse("4-4-4-4-4-4-4-4-4-4-4-4-0-0-X", 29, "here is 'X'");
    refuse("4-4-4-4-4-4-4-4-4-4-4-4-0-0-s", 29, "here is 's'");
    refuse("4-4-4-4-4-4-4-4-4-4-4-4-0-0-1-S", 29, "here is '1'");
    refuse("4-4-4-4-4-4-4-4-4-4-4-4-0-0-SN", 30, "nothing is expected after the side to move");
    refuse("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S-", 30, "nothing is expected after the side to move");
}

static void a_broken_diagram_is_refused_by_its_column(void **state)
{
    (void)state;
    refuse("4-4-4-S", 7, "the count of pit D is expected, but here is 'S'");
    refuse("4-4-4-4-4-4-4-4-4-4-4-4-S", 25, "the count of South's store is expected");
    refuse("4-4-4-4-4-4-4-4-4-4-4-4-0-S", 27, "the count of North's store is expected");
    refuse("4-4", 4, "a dash is expected after a count");
    refuse("4-", 3, "the count of pit B is expected");
    refuse("4--4", 3, "the count of pit B is expected");
    refuse("4-4 4", 4, "a dash is expected");
    refuse("4-49-0", 3, "49 seeds in pit B");
}

/* ---- The notation of PlayStrategy ----
 * Positions, and the positions after their moves, are those of the site's own tests
 * (github.com/Mind-Sports-Games/strategygames). */

static void a_position_of_playstrategy_is_read_from_the_mover_s_side(void **state)
{
    static const uint8_t south[] = {1, 0, 0, 0, 2, 3, 2, 1, 2, 0, 0, 0};
    static const uint8_t north[] = {3, 0, 0, 8, 0, 1, 2, 1, 1, 2, 2, 2};

    (void)state;
    struct wari_setup setup = parse("3,2S,1S,2S/1S,3,2S,3S 20 17 S 50");
    expect_pits(&setup, south);
    assert_true(setup.diagram);
    assert_false(setup.north_to_move);
    assert_int_equal(setup.stores[0], 20);
    assert_int_equal(setup.stores[1], 17);

    setup = parse(" 1S,1,8S,2,3S/2S,1S,1S,2S,2S,2S  13 13\tN 50\n");
    expect_pits(&setup, north);
    assert_true(setup.north_to_move);
    assert_int_equal(setup.stores[0], 13);
    assert_int_equal(setup.stores[1], 13);
}

static void runs_of_empty_pits_may_be_divided(void **state)
{
    static const uint8_t pits[] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    static const char *const texts[] = {
        "1S,5/1S,5 23 23 S 50",       "1S,1,1,1,1,1/1S,2,3 23 23 S 50", "1S,5/1S,5 23 23 S",
        "1S,5/1S,5_23_23_S_50",       "01S,4,1/1S,5 23 23 S 1000000",   "1S,5/1S,5 023 23 S 0",
        "  1S,5/1S,5 23 23 S 50\r\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct wari_setup setup = parse(texts[i]);
        expect_pits(&setup, pits);
        assert_int_equal(setup.stores[0], 23);
    }
    struct wari_setup setup = parse("6/6 24 24 N 60");
    assert_int_equal(wari_seeds(&setup.position), 0);
    setup = parse("48S,5/6 0 0 S 1");
    assert_int_equal(setup.position.pits[11], 48);
}

/* The site writes the end of the game "2S,5/5,2S 21 23 S" as "2S,5/5,2S 23 25 S". */
static void rows_that_a_finished_game_counted_twice_are_taken_out_of_the_stores(void **state)
{
    (void)state;
    struct wari_setup setup = parse("2S,5/5,2S 23 25 S 56");
    assert_int_equal(setup.stores[0], 21);
    assert_int_equal(setup.stores[1], 23);
    refuse("2S,5/5,2S 1 47 S 56", 13, "add up to 52 seeds");
    refuse("2S,5/5,2S 22 24 S 56", 14, "add up to 50 seeds");
}

static void a_broken_position_of_playstrategy_is_refused_by_its_column(void **state)
{
    (void)state;
    refuse("4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,3S 0 0 S 1", 39, "add up to 47 seeds, but a game");
    refuse("4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,5S 0 0 S 1", 34, "49 seeds up to pit F");
    refuse("4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 1 S 1", 39, "add up to 49 seeds");
    refuse("4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 S 1", 15, "a comma and the next pit");
    refuse("4S,4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 S", 18, "a slash and South's row");
    refuse("4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S,4S 0 0 S", 36, "a blank and a store");
    refuse("3,4/5,1S 23 24 S 1", 3, "North's row has 3 left here");
    refuse("0,6S,5S/5,1S 23 24 S 1", 1, "a number without S counts empty pits");
    refuse("6/7 24 24 S 1", 3, "South's row has 6 left here");
    refuse("4s,5/5,4S 20 20 S 1", 2, "a comma and the next pit are expected, but here is 's'");
    refuse("4S,,5/5,4S 20 20 S 1", 4, "the count of pit e is expected");
    refuse("49S,5/5,4S 20 20 S 1", 1, "49 seeds in pit f");
    refuse("4S,5/5,4S 20 49 S 1", 14, "49 seeds in North's store");
    refuse("4S,5/5,4S 20 S 1", 14, "the count of North's store is expected");
    refuse("4S,5/5,4S 20 20", 16, "a blank and the side to move are expected");
    refuse("4S,5/5,4S 20 20 w 1", 17, "the side to move, S or N, is expected");
    refuse("4S,5/5,4S 20 20 S1", 18, "a blank and the number of the move");
    refuse("4S,5/5,4S 20 20 S 1 x", 21, "nothing is expected after the number of the move");
}

static void positions_of_playstrategy_are_written_as_the_site_does(void **state)
{
    static const char *const texts[] = {
        "4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 S 1",
        "3,3S,2S,3S/1S,3,2S,1 20 17 N 1",
        "2S,1S,3,3S/3S,2S,2S,3S,3S,3S 13 13 S 1",
        "5,2S/1S,5 22 23 N 1",
        "6/6 24 24 S 1",
    };
    char text[WARI_PLAYSTRATEGY_TEXT];

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct wari_setup setup = parse(texts[i]);
        wari_playstrategy_text(&setup, text);
        assert_string_equal(text, texts[i]);
    }
    /* Twelve counts have no stores, so there are none to write. */
    struct wari_setup setup = parse("0 1 0 2 0 3 1 2 3 4 5 6");
    wari_playstrategy_text(&setup, text);
    assert_string_equal(text, "0 1 0 2 0 3 / 1 2 3 4 5 6");
}

static void expect_square_move(const char *position, const char *move, int expected)
{
    struct wari_setup setup = parse(position);
    int pit = -1;
    struct wari_error error = {WARI_OK, ""};
    if (wari_playstrategy_move_parse(move, &setup, &pit, &error) != WARI_OK)
        fail_msg("%s: %s", move, error.text);
    assert_int_equal(pit, expected);
}

static void refuse_square_move(const char *position, const char *move, const char *words)
{
    struct wari_setup setup = parse(position);
    int pit = 99;
    struct wari_error error = {WARI_OK, ""};
    assert_int_equal(wari_playstrategy_move_parse(move, &setup, &pit, &error), WARI_BAD_INPUT);
    assert_int_equal(pit, 99);
    if (!strstr(error.text, words))
        fail_msg("%s: expected \"%s\", the message is \"%s\"", move, words, error.text);
}

static void a_move_of_playstrategy_names_its_first_and_last_square(void **state)
{
    (void)state;
    const char *start = "4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 S 1";
    expect_square_move(start, "d1e2", 3); /* d1 sows e1 f1 f2 e2 */
    expect_square_move(start, "c1f2 and more", 2);
    expect_square_move("4S,4S,4S,4S,5S,5S/4S,4S,4S,1,5S,5S 0 0 N 1", "a2d1", 5);
    /* 11 seeds end in the pit before the pit that was sown; 12 seeds leave out the pit that was
     * sown. */
    expect_square_move("5,6S/11S,5 20 11 S 1", "a1a2", 0);
    expect_square_move("5,6S/12S,5 20 10 S 1", "a1b1", 0);
    expect_square_move("22S,5/6 13 13 N 1", "a2b2", 5);
    expect_square_move("23S,5/6 13 12 N 1", "a2a1", 5);

    refuse_square_move(start, "d1f2", "the last seed of d1 falls into e2, not f2");
    refuse_square_move(start, "f2c2", "f2c2 is not a move of South, whose pits are a1 to f1");
    refuse_square_move("4S,5/5,4S 20 20 N 1", "f1d2",
                       "f1d2 is not a move of North, whose pits are a2 to f2");
    refuse_square_move("4S,5/5,4S 20 20 N 1", "a2c1", "the last seed of a2 falls into d1, not c1");
    static const char *const junk[] = {"",     "d",    "d1",   "d1e",  "d1e3",
                                       "g1a2", "D1e2", "d0e2", "d1-e2"};
    for (size_t i = 0; i < sizeof junk / sizeof *junk; i++)
        refuse_square_move(start, junk[i], "a PlayStrategy move is two squares");
}

/* ---- Length ---- */

static void a_long_text_is_read_to_the_byte_that_is_wrong(void **state)
{
    enum { LENGTH = 1000000 };
    char *text = malloc(LENGTH + 64);

    (void)state;
    assert_non_null(text);
    memset(text, ' ', LENGTH);
    strcpy(text + LENGTH, "4 4 4 4 4 4 4 4 4 4 4 4");
    assert_int_equal(parse(text).position.pits[0], 4);
    strcpy(text + LENGTH, "4 4 4 4 4 4 4 4 4 4 4 4!");
    refuse(text, LENGTH + 24, "here is '!'");

    memset(text, '0', LENGTH);
    strcpy(text + LENGTH, "4 4 4 4 4 4 4 4 4 4 4 4");
    assert_int_equal(parse(text).position.pits[0], 4);
    memset(text, '9', LENGTH);
    refuse(text, 1, "99999999... seeds in pit A");
    memset(text, '-', LENGTH);
    refuse(text, 1, "here is '-'");
    free(text);
}

/* ---- Writing ---- */

static void a_position_is_written_as_in_the_rules(void **state)
{
    static const struct wari_position position = {{1, 1, 1, 1, 1, 2, 4, 2, 3, 0, 0, 0}};
    static const struct wari_position large = {{10, 10, 10, 10, 8}};
    char text[WARI_POSITION_TEXT];

    (void)state;
    wari_position_text(&position, text);
    assert_string_equal(text, "1 1 1 1 1 2 / 4 2 3 0 0 0");
    wari_position_text(&large, text);
    assert_string_equal(text, "10 10 10 10 8 0 / 0 0 0 0 0 0");
}

static void a_diagram_is_written_from_the_south(void **state)
{
    struct wari_setup setup = {.position = {{0, 1, 0, 2, 0, 3, 1, 2, 3, 4, 5, 6}},
                               .diagram = true,
                               .north_to_move = true,
                               .stores = {10, 11}};
    char text[WARI_DIAGRAM_TEXT];

    (void)state;
    wari_diagram_text(&setup, text);
    assert_string_equal(text, "1-2-3-4-5-6-0-1-0-2-0-3-10-11-N");
    setup.north_to_move = false;
    wari_diagram_text(&setup, text);
    assert_string_equal(text, "0-1-0-2-0-3-1-2-3-4-5-6-10-11-S");
    /* Twelve counts have no stores, so there are none to write. */
    setup = parse("0 1 0 2 0 3 1 2 3 4 5 6");
    wari_diagram_text(&setup, text);
    assert_string_equal(text, "0 1 0 2 0 3 / 1 2 3 4 5 6");
}

static void a_written_position_is_read_unchanged(void **state)
{
    struct random_positions random;

    (void)state;
    random_positions_seed(&random, 11);
    for (int i = 0; i < 20000; i++) {
        struct wari_setup setup = {.diagram = true, .north_to_move = i % 3 == 0};
        char text[WARI_DIAGRAM_TEXT];
        char counts[WARI_POSITION_TEXT];
        random_position(&random, setup.position.pits);
        int captured = WARI_SEEDS_MAX - wari_seeds(&setup.position);
        setup.stores[0] = (uint8_t)random_below(&random, (uint32_t)captured + 1);
        setup.stores[1] = (uint8_t)(captured - setup.stores[0]);

        wari_position_text(&setup.position, counts);
        struct wari_setup read = parse(counts);
        expect_pits(&read, setup.position.pits);

        wari_diagram_text(&setup, text);
        read = parse(text);
        expect_pits(&read, setup.position.pits);
        assert_true(read.diagram);
        assert_int_equal(read.north_to_move, setup.north_to_move);
        assert_memory_equal(read.stores, setup.stores, sizeof setup.stores);

        char site[WARI_PLAYSTRATEGY_TEXT];
        wari_playstrategy_text(&setup, site);
        read = parse(site);
        expect_pits(&read, setup.position.pits);
        assert_int_equal(read.north_to_move, setup.north_to_move);
        assert_memory_equal(read.stores, setup.stores, sizeof setup.stores);
    }
}

/* No such position exists, but a caller's mistake must not cause writing past the end. */
static void an_impossible_position_is_cut_short(void **state)
{
    struct wari_setup setup = {.diagram = true};
    char counts[WARI_POSITION_TEXT + 1];
    char diagram[WARI_DIAGRAM_TEXT + 1];
    char site[WARI_PLAYSTRATEGY_TEXT + 1];

    (void)state;
    memset(setup.position.pits, 255, sizeof setup.position.pits);
    memset(setup.stores, 255, sizeof setup.stores);
    counts[WARI_POSITION_TEXT] = diagram[WARI_DIAGRAM_TEXT] = site[WARI_PLAYSTRATEGY_TEXT] = '#';
    wari_position_text(&setup.position, counts);
    wari_diagram_text(&setup, diagram);
    wari_playstrategy_text(&setup, site);
    assert_int_equal(site[WARI_PLAYSTRATEGY_TEXT], '#');
    assert_true(strlen(site) < WARI_PLAYSTRATEGY_TEXT);
    assert_int_equal(counts[WARI_POSITION_TEXT], '#');
    assert_int_equal(diagram[WARI_DIAGRAM_TEXT], '#');
    assert_true(strlen(counts) < WARI_POSITION_TEXT);
    assert_true(strlen(diagram) < WARI_DIAGRAM_TEXT);
}

/* ---- Moves ---- */

static void move_letters_are_large_for_south_and_small_for_north(void **state)
{
    static const char south[] = "ABCDEF";
    static const char north[] = "abcdef";

    (void)state;
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        int read = -1;
        assert_int_equal(wari_move_letter(pit, false), south[pit]);
        assert_int_equal(wari_move_letter(pit, true), north[pit]);
        assert_int_equal(wari_move_parse(south[pit], false, &read, NULL), WARI_OK);
        assert_int_equal(read, pit);
        read = -1;
        assert_int_equal(wari_move_parse(north[pit], true, &read, NULL), WARI_OK);
        assert_int_equal(read, pit);
    }
}

static void letters_that_are_no_move_of_the_side_are_refused(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        for (int north = 0; north <= 1; north++) {
            const char *good = north ? "abcdef" : "ABCDEF";
            struct wari_error error = {WARI_OK, ""};
            int pit = 99;
            if (c != 0 && strchr(good, c) != NULL)
                continue;
            assert_int_equal(wari_move_parse((char)c, north, &pit, &error), WARI_BAD_INPUT);
            assert_int_equal(pit, 99);
            assert_non_null(strstr(error.text, north ? "of North, whose pits are a to f"
                                                     : "of South, whose pits are A to F"));
        }
    }
}

TEST_GROUP(test_notation)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twelve_counts_are_read_with_blanks_commas_and_slashes),
        cmocka_unit_test(counts_reach_48_in_a_pit_and_in_all),
        cmocka_unit_test(numbers_too_large_for_any_integer_are_refused_by_their_column),
        cmocka_unit_test(too_few_counts_are_refused_with_their_number),
        cmocka_unit_test(too_many_counts_are_refused),
        cmocka_unit_test(text_without_a_count_is_refused),
        cmocka_unit_test(junk_is_refused_by_its_column),
        cmocka_unit_test(negative_counts_are_refused),
        cmocka_unit_test(a_diagram_shows_the_board_from_the_south),
        cmocka_unit_test(a_diagram_holds_48_seeds_no_more_and_no_less),
        cmocka_unit_test(a_diagram_needs_the_side_to_move),
        cmocka_unit_test(a_broken_diagram_is_refused_by_its_column),
        cmocka_unit_test(a_position_of_playstrategy_is_read_from_the_mover_s_side),
        cmocka_unit_test(runs_of_empty_pits_may_be_divided),
        cmocka_unit_test(rows_that_a_finished_game_counted_twice_are_taken_out_of_the_stores),
        cmocka_unit_test(a_broken_position_of_playstrategy_is_refused_by_its_column),
        cmocka_unit_test(positions_of_playstrategy_are_written_as_the_site_does),
        cmocka_unit_test(a_move_of_playstrategy_names_its_first_and_last_square),
        cmocka_unit_test(a_long_text_is_read_to_the_byte_that_is_wrong),
        cmocka_unit_test(a_position_is_written_as_in_the_rules),
        cmocka_unit_test(a_diagram_is_written_from_the_south),
        cmocka_unit_test(a_written_position_is_read_unchanged),
        cmocka_unit_test(an_impossible_position_is_cut_short),
        cmocka_unit_test(move_letters_are_large_for_south_and_small_for_north),
        cmocka_unit_test(letters_that_are_no_move_of_the_side_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
