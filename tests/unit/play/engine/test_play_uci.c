/* The protocol of engines: splitting commands into words, and reading and writing lines. All
 * expected values were derived by hand from wari-engine(1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "play/engine/uci.h"
#include "tests/unit/groups.h"

static const struct wari_variant tournament = {WARI_ABAPA, WARI_OWN};

/* ---- Words ---- */

static void expect_words(const char *command, int count, const char *const *expected)
{
    char **words;
    int found;
    assert_int_equal(wari_split_command(wari_host_system(), command, &words, &found, NULL),
                     WARI_OK);
    assert_int_equal(found, count);
    for (int i = 0; i < count; i++)
        assert_string_equal(words[i], expected[i]);
    assert_null(words[count]);
    wari_release(wari_host_system(), words);
}

static void a_command_is_split_at_blanks_outside_quotes(void **state)
{
    (void)state;
    expect_words("a", 1, (const char *const[]){"a"});
    expect_words("  wari\tengine  --db x ", 4,
                 (const char *const[]){"wari", "engine", "--db", "x"});
    expect_words("'a b' \"c d\" e\\ f g'h 'i", 4,
                 (const char *const[]){"a b", "c d", "e f", "gh i"});
    expect_words("\"a\\\"b\" 'c\\d' '' x", 4, (const char *const[]){"a\"b", "c\\d", "", "x"});
    expect_words("a;b $(c) `d` *", 4, (const char *const[]){"a;b", "$(c)", "`d`", "*"});
    expect_words("\\", 1, (const char *const[]){"\\"});
}

static void no_word_and_an_open_quote_are_refused(void **state)
{
    static const char *const bad[] = {"", "   ", "a 'b", "\"", "a\"b c"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char **words;
        int count;
        assert_int_equal(wari_split_command(wari_host_system(), bad[i], &words, &count, NULL),
                         WARI_BAD_INPUT);
    }
}

static void a_word_is_a_whole_one(void **state)
{
    const char *rest;
    (void)state;
    assert_true(wari_uci_word("  go\tdepth 3", "go", &rest));
    assert_string_equal(rest, "depth 3");
    assert_true(wari_uci_word("uci", "uci", &rest));
    assert_string_equal(rest, "");
    assert_false(wari_uci_word("uciok", "uci", &rest));
    assert_false(wari_uci_word("", "uci", &rest));
}

/* ---- Positions ---- */

static void begin(struct wari_game *game)
{
    const struct wari_setup start = wari_game_start_setup();
    wari_game_begin(game, wari_host_system(), tournament, &start);
}

static void expect_position(const struct wari_game *game, bool bare, const char *expected)
{
    struct wari_text text = {.host = wari_host_system()};
    assert_int_equal(wari_uci_position(game, bare, &text, NULL), WARI_OK);
    assert_string_equal(text.bytes, expected);
    wari_text_free(&text);
}

static void a_position_is_read_and_written(void **state)
{
    struct wari_game game;
    (void)state;
    begin(&game);
    expect_position(&game, false, "position startpos");
    assert_int_equal(wari_uci_read_position("startpos moves Aa B\tb", &game, NULL), WARI_OK);
    assert_int_equal(game.count, 4);
    expect_position(&game, false, "position startpos moves AaBb");
    assert_int_equal(
        wari_uci_read_position("fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S moves E", &game, NULL),
        WARI_OK);
    assert_true(game.now.north_to_move);
    expect_position(&game, false, "position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S moves E");
    /* There are three seeds on the board; the other 45 are captured, 23 and 22. */
    expect_position(&game, true, "position fen 0-1-0-0-0-1-0-0-0-0-0-1-23-22-N");
    wari_game_free(&game);
}

/* Positions before a capture cannot occur again, so they need not be sent to engines. Computed
 * by hand: move F adds its seed to pit a, which then holds 2 seeds. */
static void moves_are_told_from_the_last_capture_on(void **state)
{
    struct wari_game game;
    (void)state;
    begin(&game);
    assert_int_equal(
        wari_uci_read_position("fen 1-0-0-0-0-1-1-0-0-0-1-0-40-4-S moves FeA", &game, NULL),
        WARI_OK);
    assert_int_equal(game.now.stores[0], 42);
    expect_position(&game, false, "position fen 1-0-0-0-0-0-0-0-0-0-1-0-42-4-N moves eA");
    expect_position(&game, true, "position fen 0-1-0-0-0-0-0-0-0-0-0-1-23-23-N");
    wari_game_free(&game);
}

static void bad_positions_are_refused_and_change_nothing(void **state)
{
    static const char *const bad[] = {
        "",
        "start",
        "fen",
        "fen 1-2-3",
        "fen 4 4 4 4 4 4 4 4 4 4 4 4",
        "fen 444444444444",
        "fen 4-4-4-4-4-4-4-4-4-4-4-5-0-0-S",
        "fen 4-4-4-4-4-4-4-4-4-4-4-4-0-0-S-and-much-more-than-any-diagram-is-long-enough-for",
        "startpos Aa",
        "startpos moves AB",
        "startpos moves x",
        "startpos moves A1",
        "startpos moves AaA",
    };
    struct wari_game game;
    (void)state;
    begin(&game);
    assert_int_equal(wari_uci_read_position("startpos moves Ff", &game, NULL), WARI_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct wari_error error = {WARI_OK, ""};
        assert_int_equal(wari_uci_read_position(bad[i], &game, &error), WARI_BAD_INPUT);
        assert_non_null(strstr(error.text, "position: "));
        assert_int_equal(game.count, 2);
        /* Fixed bug: the error text said that twelve counts are expected, but this word cannot be
         * a list of counts. */
        if (strncmp(bad[i], "fen", 3) == 0 && !strchr(bad[i], '-'))
            assert_non_null(strstr(error.text, "a diagram is expected after fen"));
    }
    wari_game_free(&game);
}

/* ---- go and bestmove ---- */

static void limits_of_a_search_are_read(void **state)
{
    struct wari_uci_go go;
    (void)state;
    assert_int_equal(wari_uci_read_go("", false, &go, NULL), WARI_OK);
    assert_false(go.infinite || go.ponder);
    assert_int_equal(go.depth, 0);
    assert_int_equal(go.nodes, 0);
    assert_int_equal(go.milliseconds, -1);
    assert_int_equal(wari_uci_read_go("depth 7 movetime 250 mystery nodes 12", false, &go, NULL),
                     WARI_OK);
    assert_int_equal(go.depth, 7);
    assert_int_equal(go.nodes, 12);
    assert_int_equal(go.milliseconds, 250);
    assert_int_equal(wari_uci_read_go("infinite", false, &go, NULL), WARI_OK);
    assert_true(go.infinite);
    assert_int_equal(wari_uci_read_go("ponder wtime 300", false, &go, NULL), WARI_OK);
    assert_true(go.ponder && !go.infinite);
    assert_int_equal(go.usual, 5);
    assert_int_equal(wari_uci_read_go("movetime -5 depth 99999999999 nodes 0", false, &go, NULL),
                     WARI_OK);
    assert_int_equal(go.milliseconds, 0);
    assert_int_equal(go.depth, 1000);
    assert_int_equal(go.nodes, 1);
}

/* The usual time for a move depends on the mover's own clock: a fraction of it plus three quarters
 * of the increment. A fifth of a second is reserved. A difficult move may take three times as long.
 * No move may take more than a quarter of the remaining time. */
static void a_clock_is_shared_out(void **state)
{
    static const struct {
        const char *text;
        bool north;
        int64_t usual, milliseconds;
    } clocks[] = {
        {"wtime 30000 btime 60000 winc 100 binc 200", false, 1068, 3204},
        {"wtime 30000 btime 60000 winc 100 binc 200", true, 2143, 6429},
        {"wtime 100 winc 1000", false, 25, 25},
        {"wtime 1000 movestogo 4", false, 160, 250},
        {"wtime 1000 movestogo 0", false, 26, 78},
        /* Numbers above a million million count as a million million, so that sums do not
         * overflow. */
        {"wtime 100 winc 9223372036854775807", false, 25, 25},
        {"wtime 9223372036854775807 winc 9223372036854775807 movestogo 9223372036854775807", false,
         250000000000, 250000000000},
        {"movetime 99999999999999999999999", false, -1, 1000000000000},
        {"wtime 1000 movetime 5", false, -1, 5},
        {"depth 3", false, -1, -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        struct wari_uci_go go;
        assert_int_equal(wari_uci_read_go(clocks[i].text, clocks[i].north, &go, NULL), WARI_OK);
        assert_int_equal(go.usual, clocks[i].usual);
        assert_int_equal(go.milliseconds, clocks[i].milliseconds);
    }
}

static void moves_to_choose_from_are_read(void **state)
{
    static const struct {
        const char *text;
        bool north;
        int pits;
    } cases[] = {
        {"depth 3", false, 63},
        {"searchmoves A", false, 1},
        {"searchmoves A C depth 3", false, 5},
        {"depth 3 searchmoves ACa infinite", false, 5},
        {"searchmoves bF f", true, 34},
        {"searchmoves A searchmoves B", false, 2},
        {"searchmoves ABCDEFGH A", true, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wari_uci_go go;
        const enum wari_status status = wari_uci_read_go(cases[i].text, cases[i].north, &go, NULL);
        assert_int_equal(status, cases[i].pits ? WARI_OK : WARI_BAD_INPUT);
        if (cases[i].pits)
            assert_int_equal(go.pits, cases[i].pits);
    }
}

/* The other limits of the command take effect, so that the engine can still make a move in
 * reasonable time. */
static void a_limit_without_its_number_is_refused_and_the_rest_is_read(void **state)
{
    static const struct {
        const char *text;
        int depth;
        bool infinite;
        int pits;
    } bad[] = {
        {"movetime", 0, false, 63},           {"depth x", 0, false, 63},
        {"movetime 100ms", 0, false, 63},     {"movetime - depth 4", 4, false, 63},
        {"nodes infinite", 0, true, 63},      {"infinite depth 1.5", 0, true, 63},
        {"wtime 100 winc", 0, false, 63},     {"searchmoves", 0, false, 0},
        {"searchmoves a b", 0, false, 0},     {"searchmoves depth 3", 3, false, 0},
        {"nodes searchmoves C", 0, false, 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct wari_uci_go go;
        assert_int_equal(wari_uci_read_go(bad[i].text, false, &go, NULL), WARI_BAD_INPUT);
        assert_int_equal(go.depth, bad[i].depth);
        assert_int_equal(go.infinite, bad[i].infinite);
        assert_int_equal(go.pits, bad[i].pits);
        assert_int_equal(go.nodes, 0);
        assert_true(go.milliseconds < 0 || strstr(bad[i].text, "wtime"));
    }
}

static void options_are_known_by_name_in_any_letters_and_blanks(void **state)
{
    const char *value;
    (void)state;
    assert_true(wari_uci_option("name Hash value 64", "Hash", &value));
    assert_string_equal(value, "64");
    assert_true(wari_uci_option("  NAME\thash   Value  a b ", "Hash", &value));
    assert_string_equal(value, "a b ");
    assert_true(wari_uci_option("name Hash", "Hash", &value));
    assert_string_equal(value, "");
    assert_false(wari_uci_option("name Hashes value 64", "Hash", &value));
    assert_false(wari_uci_option("name Has value 64", "Hash", &value));
    assert_false(wari_uci_option("Hash value 64", "Hash", &value));
    assert_false(wari_uci_option("name Hash 64", "Hash", &value));
    assert_false(wari_uci_option("", "Hash", &value));
}

static void the_best_move_is_a_letter_of_the_mover(void **state)
{
    static const char *const nonsense[] = {"", "a", "G", "AB", "a2a4", "(none)", "00000"};
    int pit;
    (void)state;
    assert_int_equal(wari_uci_read_bestmove("C ponder d", false, &pit), WARI_UCI_MOVE);
    assert_int_equal(pit, 2);
    assert_int_equal(wari_uci_read_bestmove("f", true, &pit), WARI_UCI_MOVE);
    assert_int_equal(pit, 5);
    assert_int_equal(wari_uci_read_bestmove("0000", true, &pit), WARI_UCI_NO_MOVE);
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++)
        assert_int_equal(wari_uci_read_bestmove(nonsense[i], false, &pit), WARI_UCI_NONSENSE);
}

TEST_GROUP(test_play_uci)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_is_split_at_blanks_outside_quotes),
        cmocka_unit_test(no_word_and_an_open_quote_are_refused),
        cmocka_unit_test(a_word_is_a_whole_one),
        cmocka_unit_test(a_position_is_read_and_written),
        cmocka_unit_test(moves_are_told_from_the_last_capture_on),
        cmocka_unit_test(bad_positions_are_refused_and_change_nothing),
        cmocka_unit_test(limits_of_a_search_are_read),
        cmocka_unit_test(a_clock_is_shared_out),
        cmocka_unit_test(moves_to_choose_from_are_read),
        cmocka_unit_test(a_limit_without_its_number_is_refused_and_the_rest_is_read),
        cmocka_unit_test(options_are_known_by_name_in_any_letters_and_blanks),
        cmocka_unit_test(the_best_move_is_a_letter_of_the_mover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
