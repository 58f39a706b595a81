/* Records of games: OGN as Oware programs write it, plain lists, and damaged records. Locations
 * in the texts were counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play/record/record.h"
#include "play/record/record_read.h"
#include "tests/support/listener.h"
#include "tests/unit/groups.h"

static void expect_complaint(const struct listener *listener, int number, int line, int column,
                             bool lost, const char *words)
{
    if (number >= listener->count || listener->heard[number].line != line ||
        listener->heard[number].column != column || listener->heard[number].lost != lost ||
        !strstr(listener->heard[number].text, words))
        fail_msg("expected %d:%d %s, heard %d: %d:%d %s", line, column, words, listener->count,
                 listener->heard[0].line, listener->heard[0].column, listener->heard[0].text);
}

static void expect_moves(const struct wari_record *record, const char *moves)
{
    char text[PLAIN_MAX];
    plain_record(record, text);
    assert_string_equal(strchr(text, ' ') + 1, moves);
}

/* Asserts that the text has exactly one game, with these moves, and that the reader reports no
 * complaint. */
static void expect_game(const char *text, const char *moves)
{
    struct listener listener;
    struct wari_record record;
    listener_start(&listener, text);
    if (!listener_next(&listener, &record))
        fail_msg("%s: no game: %s", text, listener.heard[0].text);
    expect_moves(&record, moves);
    wari_record_free(&record);
    assert_false(listener_next(&listener, &record));
    if (listener.count)
        fail_msg("%s: %s", text, listener.heard[0].text);
}

/* ---- OGN ---- */

static void records_are_read_as_auale_writes_them(void **state)
{
    (void)state;
    struct listener listener;
    struct wari_record record;
    listener_start(&listener, auale_record);
    assert_true(listener_next(&listener, &record));
    assert_int_equal(listener.count, 0);
    assert_int_equal(record.line, 1);
    assert_int_equal(record.game.count, 3);
    assert_int_equal(record.game.variant.rules, WARI_ABAPA);
    assert_int_equal(record.game.variant.cycle, WARI_OWN);
    assert_true(record.game.start.north_to_move);
    assert_int_equal(record.game.start.stores[0], 23);
    assert_int_equal(record.game.start.position.pits[1], 1); /* pit b of North */
    assert_string_equal(wari_record_tag(&record, "Event"), "A \"friendly\" match");
    assert_string_equal(wari_record_tag(&record, "North"), "Kof\xC3\xAD");
    assert_null(wari_record_tag(&record, "Annotator"));
    assert_string_equal(record.result, "24-24");
    expect_moves(&record, "bFc");
    assert_int_equal(record.comment_count, 3);
    assert_string_equal(record.comments[0], "a quiet move");
    assert_null(record.comments[1]);
    assert_string_equal(record.comments[2], "Aual\xC3\xA9 counts no ends here");
    wari_record_free(&record);
    assert_false(listener_next(&listener, &record));
}

static void text_between_moves_is_skipped(void **state)
{
    (void)state;
    static const char tag[] = "[Variant \"Oware Abapa\"]\n";
    static const char *const texts[] = {
        "1. A a 2. B b",
        "1.A a 2.B b *",
        "1. A 1... a 2. B 2... b",
        "AaBb",
        "A (F) a (f (1. A) b { ) } c) B b",
        "A ( ; ) \n ) a B b",
        "{ before } A!? a?? $14 B b { after } 25-23",
        "A a ; B C D\nB b\n* { behind }",
        "A a\n% all of this line: b C\nB b",
        "A\r\na\tB b\r\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s\n%s", tag, texts[i]);
        expect_game(text, "AaBb");
    }
}

static void a_value_has_quotes_and_backslashes_behind_a_backslash(void **state)
{
    (void)state;
    struct listener listener;
    struct wari_record record;
    listener_start(&listener, "[Event \"a \\\"b\\\" c\\\\ d\\e\"]\n\nA");
    assert_true(listener_next(&listener, &record));
    assert_string_equal(wari_record_tag(&record, "Event"), "a \"b\" c\\ d\\e");
    wari_record_free(&record);
}

static void a_file_holds_any_number_of_games(void **state)
{
    (void)state;
    struct listener listener;
    struct wari_record record;
    listener_start(&listener,
                   "\xEF\xBB\xBF% a mark of byte order and a remark\n"
                   "[Variant \"Oware Abapa\"]\n\nA a *\n[Variant \"abapa\"]\n"
                   "[Variant \"Abapa\"][South \"only tags\"]\n\n\n[South \"no result\"]\nB b\n"
                   "[North \"x\"]\nC");
    assert_true(listener_next(&listener, &record));
    assert_int_equal(record.line, 2);
    expect_moves(&record, "Aa");
    wari_record_free(&record);
    /* No moves separate the next two lists of tags, so both lists belong to one game. */
    assert_true(listener_next(&listener, &record));
    assert_int_equal(record.line, 5);
    expect_moves(&record, "Bb");
    assert_string_equal(wari_record_tag(&record, "South"), "no result");
    wari_record_free(&record);
    expect_complaint(&listener, 0, 6, 2, false, "the tag Variant appears twice");
    assert_true(listener_next(&listener, &record));
    expect_moves(&record, "C");
    wari_record_free(&record);
    assert_false(listener_next(&listener, &record));
    assert_false(listener_next(&listener, &record));
}

static void comments_join_and_one_before_the_first_move_waits_for_it(void **state)
{
    (void)state;
    struct listener listener;
    struct wari_record record;
    listener_start(&listener, "[Variant \"Oware Abapa\"]\n{ one }\n; two\n A { three } {four\n}");
    assert_true(listener_next(&listener, &record));
    assert_string_equal(record.comments[0], "one two three four");
    wari_record_free(&record);
}

/* ---- Damaged records ---- */

/* Texts with the location where the game is lost and a part of the expected message. */
static const struct {
    const char *text;
    int line, column;
    const char *words;
} broken[] = {
    {"[Variant \"Oware Abapa\"]\n\n1. A a 2. A", 3, 11, "move 3: A cannot be played: it is"},
    {"[Variant \"Oware Abapa\"]\n\n1. A B", 3, 6, "'B' is not a move of North"},
    {"[Variant \"Oware Abapa\"]\n\n1. A x", 3, 6, "but here is 'x'"},
    {"[Variant \"Oware Abapa\"]\n\n1. A ) a", 3, 6, "but here is ')'"},
    {"[Variant \"Oware Abapa\"]\n\nA { \xC3\xA9\xC3\xA9 } g", 3, 10, "but here is 'g'"},
    {"[Variant \"Oware Abapa\"]\n\nA { no end", 3, 3, "} that ends this comment"},
    {"[Variant \"Oware Abapa\"]\n\nA ( a ( B )", 3, 3, ") that ends this variation"},
    {"[Variant \"Oware Abapa\"]\n\nA a 25-23 B", 3, 11, "continues after its result"},
    {"[Variant \"Oware Abapa\"]\n\nA+2 a", 3, 2, "move 1 captures 0 under the rules abapa, not 2"},
    {"[Variant \"Oware Abapa\"]\n\nA+99999 a", 3, 2,
     "move 1 captures 0 under the rules abapa, not 99999; was"},
    {"[Variant \"Oware Abapa\"]\n\nA+123456789012345678901 a", 3, 2,
     "not 12345678901234567890...; was"},
    {"[Variant \"Oware Abapa]\n[Event \"?\"]\n\nA", 1, 10, "quote that ends this value"},
    {"[Variant \"Oware Abapa\"\n[Event \"?\"]\n\nA", 1, 23, "a bracket ] is expected"},
    {"[Variant]\n\nA", 1, 9, "a value in quotes is expected"},
    {"[\"x\"]\n\nA", 1, 2, "a name is expected"},
    {"[FEN \"4-4-4-4\"]\n\nA", 1, 14, "dash"},
    {"[FEN \"1 1 1 1 1 1 1 1 1 1 1 1\"]\n\nA", 1, 7, "starts from a diagram"},
    {"[Variant \"Oware Nam-nam\"]\n\nA", 1, 11, "no rule set is called"},
    {"[Variant \"Warri\"]\n\nA", 1, 11, "not available here; available: abapa own"},
    {"[Cycle \"even\"]\n\nA", 1, 9, "not available here; available: abapa own"},
    {"[Cycle \"odd\"]\n\nA", 1, 9, "even or own"},
    {"[Variant \"tournament\"]\n[Cycle \"even\"]\n\nA", 2, 9, "contradicts"},
    {"[FEN \"0-0-0-0-1-0-0-0-0-0-0-0-24-23-S\"]\n\nE", 3, 1, "the game is over"},
};

static void a_broken_record_is_lost_with_its_place_and_the_next_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        static const char *const behind[] = {
            "\n\n[Variant \"Oware Abapa\"]\nF f *\n", "\n[Variant \"Oware Abapa\"]\nF f *\n",
            "\n\n[Event \"?\"]\nF f *\n", "\n[Event \"?\"]\nF f *\n"};
        for (size_t j = 0; j < 4; j++) {
            struct listener listener;
            struct wari_record record;
            char text[400];
            snprintf(text, sizeof text, "%s%s", broken[i].text, behind[j]);
            listener_start(&listener, text);
            bool found = listener_next(&listener, &record);
            expect_complaint(&listener, 0, broken[i].line, broken[i].column, true, broken[i].words);
            if (!found)
                fail_msg("%s: the game behind is not read", text);
            expect_moves(&record, "Ff");
            wari_record_free(&record);
            assert_int_equal(listener.heard[0].game_line, 1);
            assert_int_equal(listener.count, 1);
            assert_false(listener_next(&listener, &record));
        }
    }
}

static void remarks_do_not_lose_a_game(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line, column;
        const char *words;
    } cases[] = {
        {"[Variant \"Oware Abapa\"]\n[ Southh \"Ama\"]\n\nA a", 2, 3, "unknown tag Southh"},
        {"[Result \"25-23\"]\nA a 24-24", 2, 5, "differs from that of the tag Result, 25-23"},
        {"[Result \"Ama won\"]\nA a", 1, 10, "is not a score such as"},
        {"[FEN \"0-0-0-0-0-1-0-0-0-0-0-0-24-23-N\"]\n24-24", 2, 6, "this game ends 25-23"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct listener listener;
        struct wari_record record;
        listener_start(&listener, cases[i].text);
        assert_true(listener_next(&listener, &record));
        expect_complaint(&listener, 0, cases[i].line, cases[i].column, false, cases[i].words);
        wari_record_free(&record);
    }
}

static void a_zero_byte_is_no_end(void **state)
{
    (void)state;
    static const char text[] = "[Variant \"Oware Abapa\"]\nA \0 a\n\n[Variant \"Oware Abapa\"]\nB";
    static const char comment[] = "[South \"x\"]\nA { \0 }\n\n[Variant \"Oware \0\"]\nB\n\n[South "
                                  "\"y\"]\nC";
    struct listener listener;
    struct wari_record record;
    listener_start(&listener, text);
    listener.reader.length = sizeof text - 1;
    assert_true(listener_next(&listener, &record));
    expect_complaint(&listener, 0, 2, 3, true, "the byte 0x00");
    expect_moves(&record, "B");
    wari_record_free(&record);
    listener_start(&listener, comment);
    listener.reader.length = sizeof comment - 1;
    assert_true(listener_next(&listener, &record));
    expect_complaint(&listener, 0, 2, 4, true, "zero byte");
    expect_complaint(&listener, 1, 4, 17, true, "the byte 0x00");
    expect_moves(&record, "C");
    wari_record_free(&record);
}

/* ---- Selection of the rules ---- */

static void tags_choose_among_the_variants_there_are(void **state)
{
    (void)state;
    static const struct wari_variant variants[] = {
        {WARI_AWARI, WARI_EVEN}, {WARI_ABAPA, WARI_EVEN}, {WARI_ABAPA, WARI_OWN}};
    static const struct {
        const char *tags;
        int chosen; /* index of the selected variant; -1 if none is selected */
    } cases[] = {
        {"[Variant \"Oware Abapa\"]\n[Cycle \"own\"]", 2},
        {"[Variant \"ABAPA\"]\n[Cycle \"even\"]", 1},
        {"[Variant \"Tournament\"]", 2},
        {"[Variant \"awari\"]", 0},
        {"[Cycle \"own\"]", 2},
        {"[Variant \"Oware Abapa\"]", -1},
        {"[Variant \"?\"]", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct listener listener;
        struct wari_record record;
        char text[128];
        snprintf(text, sizeof text, "%s\nA", cases[i].tags);
        listener_start(&listener, text);
        listener.reader.variants = variants;
        listener.reader.variant_count = 3;
        assert_int_equal(listener_next(&listener, &record), cases[i].chosen >= 0);
        if (cases[i].chosen >= 0)
            assert_memory_equal(&record.game.variant, &variants[cases[i].chosen],
                                sizeof variants[0]);
        else
            expect_complaint(&listener, 0, 1, listener.heard[0].column, true,
                             "not say under which rules");
        wari_record_free(&record);
    }
}

static void a_fallback_gives_what_the_tags_leave_open(void **state)
{
    (void)state;
    static const struct wari_variant variants[] = {
        {WARI_AWARI, WARI_EVEN}, {WARI_ABAPA, WARI_EVEN}, {WARI_ABAPA, WARI_OWN}};
    static const struct {
        const char *tags;
        int chosen; /* index of the selected variant; -1 if none is selected */
    } cases[] = {
        {"[South \"Ama\"]", 1},
        {"[Variant \"?\"]", 1},
        {"[Variant \"Oware Abapa\"]", 1},
        {"[Cycle \"own\"]", 2},
        {"[Variant \"Tournament\"]", 2},
        {"[Variant \"awari\"]", 0},
        {"[Variant \"awari\"]\n[Cycle \"own\"]", -1},
        {"[Variant \"House rules\"]", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct listener listener;
        struct wari_record record;
        char text[128];
        snprintf(text, sizeof text, "%s\nA", cases[i].tags);
        listener_start(&listener, text);
        listener.reader.variants = variants;
        listener.reader.variant_count = 3;
        listener.reader.fallback = &variants[1];
        assert_int_equal(listener_next(&listener, &record), cases[i].chosen >= 0);
        if (cases[i].chosen >= 0)
            assert_memory_equal(&record.game.variant, &variants[cases[i].chosen],
                                sizeof variants[0]);
        wari_record_free(&record);
    }
}

static void a_caller_who_insists_decides_for_a_name_nobody_knows(void **state)
{
    (void)state;
    struct listener listener;
    struct wari_record record;
    listener_start(&listener, "[Variant \"House rules\"]\nA");
    listener.reader.insist = true;
    assert_true(listener_next(&listener, &record));
    expect_complaint(&listener, 0, 1, 11, false,
                     "no rule set is called \"House rules\"; this game is read under abapa own");
    assert_int_equal(record.game.variant.rules, WARI_ABAPA);
    wari_record_free(&record);
}

/* ---- Plain lists ---- */

static void a_plain_list_has_a_game_on_each_line(void **state)
{
    (void)state;
    struct listener listener;
    struct wari_record record;
    listener_start(&listener, "# from the start\n"
                              "AaBb\n"
                              "\n"
                              "  F f E { good } e 24-24\r\n"
                              "A A\n"
                              "0-1-0-0-0-1-0-1-0-0-0-0-23-22-N b F\n"
                              "0-1-0-0-0-1-0-1-0-0-0-0-23-23-N b F\n"
                              "A {no end\n"
                              "C");
    static const char *const moves[] = {"AaBb", "FfEe", "bF", "C"};
    static const int lines[] = {2, 4, 6, 9};
    for (int i = 0; i < 4; i++) {
        assert_true(listener_next(&listener, &record));
        expect_moves(&record, moves[i]);
        assert_int_equal(record.line, lines[i]);
        wari_record_free(&record);
    }
    assert_false(listener_next(&listener, &record));
    assert_int_equal(listener.count, 3);
    expect_complaint(&listener, 0, 5, 3, true, "'A' is not a move of North");
    expect_complaint(&listener, 1, 7, 28, true, "49 seeds up to North's store");
    expect_complaint(&listener, 2, 8, 3, true, "} that ends this comment");
}

static void an_empty_text_has_no_game(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "\n \n", "% remark", "# remark\n", "\xEF\xBB\xBF"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct listener listener;
        struct wari_record record;
        listener_start(&listener, texts[i]);
        assert_false(listener_next(&listener, &record));
        assert_int_equal(listener.count, 0);
    }
}

TEST_GROUP(test_record)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_read_as_auale_writes_them),
        cmocka_unit_test(text_between_moves_is_skipped),
        cmocka_unit_test(a_value_has_quotes_and_backslashes_behind_a_backslash),
        cmocka_unit_test(a_file_holds_any_number_of_games),
        cmocka_unit_test(comments_join_and_one_before_the_first_move_waits_for_it),
        cmocka_unit_test(a_broken_record_is_lost_with_its_place_and_the_next_is_read),
        cmocka_unit_test(remarks_do_not_lose_a_game),
        cmocka_unit_test(a_zero_byte_is_no_end),
        cmocka_unit_test(tags_choose_among_the_variants_there_are),
        cmocka_unit_test(a_fallback_gives_what_the_tags_leave_open),
        cmocka_unit_test(a_caller_who_insists_decides_for_a_name_nobody_knows),
        cmocka_unit_test(a_plain_list_has_a_game_on_each_line),
        cmocka_unit_test(an_empty_text_has_no_game),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
