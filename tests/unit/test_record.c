/* Records of games: OGN as Oware programs write it, plain lists, broken ones, and writing back. The
 * sample follows Aualé's writer (joansalasoler/auale, src/auale/serialize/ogn.py and
 * game/match.py); places in broken ones are counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play/record.h"
#include "tests/reference/random_positions.h"
#include "tests/support/fault_host.h"
#include "tests/support/scale.h"

enum { COMPLAINTS = 8 };

static const struct wari_variant abapa_own = {WARI_ABAPA, WARI_OWN};

/* A reader with all that it complains of. */
struct listener {
    struct wari_record_reader reader;
    int count;
    struct {
        int line, column, game_line;
        bool lost;
        char text[200];
    } heard[COMPLAINTS];
};

static void hear(void *context, const struct wari_complaint *complaint)
{
    struct listener *listener = context;
    assert_true(listener->count < COMPLAINTS);
    listener->heard[listener->count].line = complaint->line;
    listener->heard[listener->count].column = complaint->column;
    listener->heard[listener->count].game_line = complaint->game_line;
    listener->heard[listener->count].lost = complaint->lost;
    snprintf(listener->heard[listener->count++].text, 200, "%s", complaint->text);
}

static void listen(struct listener *listener, const char *text)
{
    *listener = (struct listener){
        .reader = {.host = wari_host_system(),
                   .text = text,
                   .length = strlen(text),
                   .variants = &abapa_own,
                   .variant_count = 1,
                   .complain = hear,
                   .context = listener},
    };
}

static bool next(struct listener *listener, struct wari_record *record)
{
    struct wari_error error;
    bool found;
    if (wari_record_next(&listener->reader, record, &found, &error) != WARI_OK)
        fail_msg("%s", error.text);
    return found;
}

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
    struct wari_text text = {.host = wari_host_system()};
    assert_int_equal(wari_record_write_plain(record, &text, NULL), WARI_OK);
    const char *blank = strchr(text.bytes, ' ');
    text.bytes[text.length - 1] = '\0';
    assert_string_equal(blank ? blank + 1 : text.bytes, moves);
    wari_text_free(&text);
}

/* The text has this one game, without complaint. */
static void expect_game(const char *text, const char *moves)
{
    struct listener listener;
    struct wari_record record;
    listen(&listener, text);
    if (!next(&listener, &record))
        fail_msg("%s: no game: %s", text, listener.heard[0].text);
    expect_moves(&record, moves);
    wari_record_free(&record);
    assert_false(next(&listener, &record));
    if (listener.count)
        fail_msg("%s: %s", text, listener.heard[0].text);
}

/* ---- OGN ---- */

static const char auale[] = "[Variant \"Oware Abapa\"]\n"
                            "[Event \"A \\\"friendly\\\" match\"]\n"
                            "[Site \"?\"]\n"
                            "[Date \"2014.05.21\"]\n"
                            "[Round \"?\"]\n"
                            "[South \"Ama\"]\n"
                            "[North \"Kof\xC3\xAD\"]\n"
                            "[Result \"24-24\"]\n"
                            "[FEN \"0-1-0-0-0-1-0-1-0-0-0-0-23-22-N\"]\n"
                            "\n"
                            "1. b { a\n"
                            "quiet   move } F 2. c+24 { Aual\xC3\xA9 counts the end here } 24-24\n";

static void records_are_read_as_auale_writes_them(void **state)
{
    (void)state;
    struct listener listener;
    struct wari_record record;
    listen(&listener, auale);
    assert_true(next(&listener, &record));
    assert_int_equal(listener.count, 0);
    assert_int_equal(record.line, 1);
    assert_int_equal(record.game.count, 3);
    assert_int_equal(record.game.variant.rules, WARI_ABAPA);
    assert_int_equal(record.game.variant.cycle, WARI_OWN);
    assert_true(record.game.start.north_to_move);
    assert_int_equal(record.game.start.stores[0], 23);
    assert_int_equal(record.game.start.position.pits[1], 1); /* North's b */
    assert_string_equal(wari_record_tag(&record, "Event"), "A \"friendly\" match");
    assert_string_equal(wari_record_tag(&record, "North"), "Kof\xC3\xAD");
    assert_null(wari_record_tag(&record, "Annotator"));
    assert_string_equal(record.result, "24-24");
    expect_moves(&record, "bFc");
    assert_int_equal(record.comment_count, 3);
    assert_string_equal(record.comments[0], "a quiet move");
    assert_null(record.comments[1]);
    assert_string_equal(record.comments[2], "Aual\xC3\xA9 counts the end here");
    wari_record_free(&record);
    assert_false(next(&listener, &record));
}

static void what_stands_between_moves_is_passed_over(void **state)
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

static void a_file_holds_any_number_of_games(void **state)
{
    (void)state;
    struct listener listener;
    struct wari_record record;
    listen(&listener, "\xEF\xBB\xBF% a mark of byte order and a remark\n"
                      "[Variant \"Oware Abapa\"]\n\nA a *\n[Variant \"abapa\"]\n"
                      "[Variant \"Abapa\"][South \"only tags\"]\n\n\n[South \"no result\"]\nB b\n"
                      "[North \"x\"]\nC");
    assert_true(next(&listener, &record));
    assert_int_equal(record.line, 2);
    expect_moves(&record, "Aa");
    wari_record_free(&record);
    /* Nothing but tags parts the next two: they are one game. */
    assert_true(next(&listener, &record));
    assert_int_equal(record.line, 5);
    expect_moves(&record, "Bb");
    assert_string_equal(wari_record_tag(&record, "South"), "no result");
    wari_record_free(&record);
    expect_complaint(&listener, 0, 6, 2, false, "the tag Variant stands twice");
    assert_true(next(&listener, &record));
    expect_moves(&record, "C");
    wari_record_free(&record);
    assert_false(next(&listener, &record));
    assert_false(next(&listener, &record));
}

static void comments_join_and_one_before_the_first_move_waits_for_it(void **state)
{
    (void)state;
    struct listener listener;
    struct wari_record record;
    listen(&listener, "[Variant \"Oware Abapa\"]\n{ one }\n; two\n A { three } {four\n}");
    assert_true(next(&listener, &record));
    assert_string_equal(record.comments[0], "one two three four");
    wari_record_free(&record);
}

/* ---- Broken records ---- */

static void a_broken_record_is_lost_with_its_place_and_the_next_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line, column;
        const char *words;
    } cases[] = {
        {"[Variant \"Oware Abapa\"]\n\n1. A a 2. A", 3, 11, "move 3: A cannot be played: it is"},
        {"[Variant \"Oware Abapa\"]\n\n1. A B", 3, 6, "'B' is no move of North"},
        {"[Variant \"Oware Abapa\"]\n\n1. A x", 3, 6, "but here is 'x'"},
        {"[Variant \"Oware Abapa\"]\n\n1. A ) a", 3, 6, "but here is ')'"},
        {"[Variant \"Oware Abapa\"]\n\nA { \xC3\xA9\xC3\xA9 } g", 3, 10, "but here is 'g'"},
        {"[Variant \"Oware Abapa\"]\n\nA { no end", 3, 3, "} that ends this comment"},
        {"[Variant \"Oware Abapa\"]\n\nA ( a ( B )", 3, 3, ") that ends this variation"},
        {"[Variant \"Oware Abapa\"]\n\nA a 25-23 B", 3, 11, "goes on behind its result"},
        {"[Variant \"Oware Abapa\"]\n\nA+2 a", 3, 2,
         "move 1 captures 0 under the rules abapa, not 2"},
        {"[Variant \"Oware Abapa]\n[Event \"?\"]\n\nA", 1, 10, "quote that ends this value"},
        {"[Variant \"Oware Abapa\"\n[Event \"?\"]\n\nA", 1, 23, "a bracket ] is expected"},
        {"[Variant]\n\nA", 1, 9, "a value in quotes is expected"},
        {"[\"x\"]\n\nA", 1, 2, "a name is expected"},
        {"[FEN \"4-4-4-4\"]\n\nA", 1, 14, "dash"},
        {"[FEN \"1 1 1 1 1 1 1 1 1 1 1 1\"]\n\nA", 1, 7, "starts from a diagram"},
        {"[Variant \"Oware Nam-nam\"]\n\nA", 1, 11, "no rule set is called"},
        {"[Variant \"Warri\"]\n\nA", 1, 11, "other rules than there are here: abapa own"},
        {"[Cycle \"even\"]\n\nA", 1, 9, "other rules than there are here: abapa own"},
        {"[Cycle \"odd\"]\n\nA", 1, 9, "even or own"},
        {"[Variant \"tournament\"]\n[Cycle \"even\"]\n\nA", 2, 9, "contradicts"},
        {"[FEN \"0-0-0-0-1-0-0-0-0-0-0-0-24-23-S\"]\n\nE", 3, 1, "the game is over"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static const char *const behind[] = {
            "\n\n[Variant \"Oware Abapa\"]\nF f *\n", "\n[Variant \"Oware Abapa\"]\nF f *\n",
            "\n\n[Event \"?\"]\nF f *\n", "\n[Event \"?\"]\nF f *\n"};
        for (size_t j = 0; j < 4; j++) {
            struct listener listener;
            struct wari_record record;
            char text[400];
            snprintf(text, sizeof text, "%s%s", cases[i].text, behind[j]);
            listen(&listener, text);
            bool found = next(&listener, &record);
            expect_complaint(&listener, 0, cases[i].line, cases[i].column, true, cases[i].words);
            if (!found)
                fail_msg("%s: the game behind is not read", text);
            expect_moves(&record, "Ff");
            wari_record_free(&record);
            assert_int_equal(listener.heard[0].game_line, 1);
            assert_int_equal(listener.count, 1);
            assert_false(next(&listener, &record));
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
        {"[Result \"25-23\"]\nA a 24-24", 2, 5, "not that of the tag, 25-23"},
        {"[Result \"Ama won\"]\nA a", 1, 10, "is no result such as"},
        {"[FEN \"0-0-0-0-0-1-0-0-0-0-0-0-24-23-N\"]\n24-24", 2, 6, "this game ends 25-23"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct listener listener;
        struct wari_record record;
        listen(&listener, cases[i].text);
        assert_true(next(&listener, &record));
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
    listen(&listener, text);
    listener.reader.length = sizeof text - 1;
    assert_true(next(&listener, &record));
    expect_complaint(&listener, 0, 2, 3, true, "the byte 0x00");
    expect_moves(&record, "B");
    wari_record_free(&record);
    listen(&listener, comment);
    listener.reader.length = sizeof comment - 1;
    assert_true(next(&listener, &record));
    expect_complaint(&listener, 0, 2, 4, true, "zero byte");
    expect_complaint(&listener, 1, 4, 17, true, "the byte 0x00");
    expect_moves(&record, "C");
    wari_record_free(&record);
}

/* ---- Which rules ---- */

static void tags_choose_among_the_variants_there_are(void **state)
{
    (void)state;
    static const struct wari_variant variants[] = {
        {WARI_AWARI, WARI_EVEN}, {WARI_ABAPA, WARI_EVEN}, {WARI_ABAPA, WARI_OWN}};
    static const struct {
        const char *tags;
        int chosen; /* -1: none */
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
        listen(&listener, text);
        listener.reader.variants = variants;
        listener.reader.variant_count = 3;
        assert_int_equal(next(&listener, &record), cases[i].chosen >= 0);
        if (cases[i].chosen >= 0)
            assert_memory_equal(&record.game.variant, &variants[cases[i].chosen],
                                sizeof variants[0]);
        else
            expect_complaint(&listener, 0, 1, listener.heard[0].column, true,
                             "leave open which rules");
        wari_record_free(&record);
    }
}

static void a_caller_who_insists_decides_for_a_name_nobody_knows(void **state)
{
    (void)state;
    struct listener listener;
    struct wari_record record;
    listen(&listener, "[Variant \"House rules\"]\nA");
    listener.reader.insist = true;
    assert_true(next(&listener, &record));
    expect_complaint(&listener, 0, 1, 11, false, "no rule set is called \"House rules\"");
    assert_int_equal(record.game.variant.rules, WARI_ABAPA);
    wari_record_free(&record);
}

/* ---- Plain lists ---- */

static void a_plain_list_has_a_game_on_each_line(void **state)
{
    (void)state;
    struct listener listener;
    struct wari_record record;
    listen(&listener, "# from the start\n"
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
        assert_true(next(&listener, &record));
        expect_moves(&record, moves[i]);
        assert_int_equal(record.line, lines[i]);
        wari_record_free(&record);
    }
    assert_false(next(&listener, &record));
    assert_int_equal(listener.count, 3);
    expect_complaint(&listener, 0, 5, 3, true, "no move of North");
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
        listen(&listener, texts[i]);
        assert_false(next(&listener, &record));
        assert_int_equal(listener.count, 0);
    }
}

/* ---- Writing ---- */

static void a_record_is_written_as_auale_does(void **state)
{
    (void)state;
    struct listener listener;
    struct wari_record record;
    struct wari_text text = {.host = wari_host_system()};
    listen(&listener, auale);
    assert_true(next(&listener, &record));
    assert_int_equal(wari_record_set_tag(&record, "Time", "a\\b\n\"c\"", NULL), WARI_OK);
    assert_int_equal(wari_record_set_tag(&record, "South", "Esi", NULL), WARI_OK);
    assert_int_equal(wari_record_comment(&record, 1, "a } brace or two", NULL), WARI_OK);
    assert_int_equal(wari_record_write(&record, &text, NULL), WARI_OK);
    assert_string_equal(text.bytes,
                        "[Variant \"Oware Abapa\"]\n"
                        "[Event \"A \\\"friendly\\\" match\"]\n"
                        "[Site \"?\"]\n"
                        "[Date \"2014.05.21\"]\n"
                        "[Round \"?\"]\n"
                        "[South \"Esi\"]\n"
                        "[North \"Kof\xC3\xAD\"]\n"
                        "[Result \"24-24\"]\n"
                        "[Cycle \"own\"]\n"
                        "[FEN \"0-1-0-0-0-1-0-1-0-0-0-0-23-22-N\"]\n"
                        "[Time \"a\\\\b \\\"c\\\"\"]\n"
                        "\n"
                        "1. b { a quiet move } F { a ) brace or two } 2. c { Aual\xC3\xA9 "
                        "counts the end here\n} 24-24\n\n");
    wari_text_free(&text);
    wari_record_free(&record);
}

/* Plays random moves and comments on some of them. */
static void play_at_random(struct wari_record *record, struct random_positions *random)
{
    struct wari_moves moves;
    for (int i = 0; i < 60; i++) {
        wari_moves(record->game.variant.rules, &record->game.now.position, &moves);
        if (moves.count == 0 || record->game.end == WARI_GAME_SLAM)
            return;
        int pit = moves.list[random_below(random, (uint32_t)moves.count)].pit;
        assert_int_equal(wari_game_play(&record->game, pit, NULL), WARI_OK);
        if (random_below(random, 4) == 0)
            assert_int_equal(
                wari_record_comment(record, i, "B is (much) better; [100 %] {sure", NULL), WARI_OK);
    }
}

static void assert_same_game(const struct wari_record *one, const struct wari_record *other)
{
    assert_int_equal(one->game.count, other->game.count);
    for (int i = 0; i < one->game.count; i++) {
        const char *a = i < one->comment_count ? one->comments[i] : NULL;
        const char *b = i < other->comment_count ? other->comments[i] : NULL;
        assert_int_equal(one->game.plies[i].move.pit, other->game.plies[i].move.pit);
        assert_int_equal(a != NULL, b != NULL);
        if (a && b)
            assert_string_equal(a, b);
    }
    assert_memory_equal(&one->game.now, &other->game.now, sizeof one->game.now);
    assert_int_equal(one->game.end, other->game.end);
}

/* Random games of every rule set, `warri`'s extra moves among them. */
static void what_is_written_can_be_read_again(void **state)
{
    (void)state;
    struct random_positions random;
    int extra = 0, games = test_scale(400, 160);
    random_positions_seed(&random, 6);
    for (int i = 0; i < games; i++) {
        struct wari_variant variant = {(enum wari_rules)(i % WARI_RULES_COUNT),
                                       (enum wari_cycle)(i / WARI_RULES_COUNT % 2)};
        struct wari_setup start = {.diagram = true, .north_to_move = i % 3 == 0};
        struct wari_record record, again;
        struct wari_text text = {.host = wari_host_system()}, plain = text;
        struct listener listener;
        random_position(&random, start.position.pits);
        start.stores[0] = (uint8_t)(WARI_SEEDS_MAX - wari_seeds(&start.position));
        wari_record_begin(&record, wari_host_system(), variant, &start);
        play_at_random(&record, &random);
        for (int k = 0; k < record.game.count; k++)
            extra += record.game.plies[k].move.again;

        assert_int_equal(wari_record_write(&record, &text, NULL), WARI_OK);
        listen(&listener, text.bytes);
        listener.reader.variants = &variant;
        if (!next(&listener, &again))
            fail_msg("%s\n%s", text.bytes, listener.heard[0].text);
        assert_int_equal(listener.count, 0);
        assert_same_game(&record, &again);
        wari_record_free(&again);

        assert_int_equal(wari_record_write_plain(&record, &plain, NULL), WARI_OK);
        listen(&listener, plain.bytes);
        listener.reader.variants = &variant;
        assert_true(next(&listener, &again));
        assert_int_equal(again.game.count, record.game.count);
        wari_record_free(&again);
        for (const char *line = text.bytes; *line; line = strchr(line, '\n') + 1)
            assert_true(strcspn(line, "\n") < 80);
        wari_text_free(&text);
        wari_text_free(&plain);
        wari_record_free(&record);
    }
    assert_true(extra > 0);
}

/* A score with more digits than any game has seeds, as nothing forbids; and what is no score, which
 * only a program can have put there, with letters that would be moves. */
static void a_result_is_written_whole_or_not_at_all(void **state)
{
    (void)state;
    static const char *const results[][2] = {
        {"25-23", "25-23"},
        {"*", "*"},
        {"2222222222222222222222222222222-2", "2222222222222222222222222222222-2"},
        {"1111111111111111111111111111-2222", "1111111111111111111111111111-2222"},
        {"24.5-0000000000000000000000000000000000000000000000000000000000000000000000000000023.5",
         "24.5-0000000000000000000000000000000000000000000000000000000000000000000000000000023.5"},
        {"abandoned", "*"},
        {"25-23 b", "*"},
        {"", "*"},
    };
    struct wari_setup start = wari_game_start_setup();
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
        struct wari_text text = {.host = wari_host_system()};
        struct wari_record record, again;
        struct listener listener;
        wari_record_begin(&record, text.host, abapa_own, &start);
        assert_int_equal(wari_game_play_letter(&record.game, 'A', NULL), WARI_OK);
        assert_int_equal(
            wari_text_copy(text.host, results[i][0], strlen(results[i][0]), &record.result, NULL),
            WARI_OK);
        assert_int_equal(wari_record_write(&record, &text, NULL), WARI_OK);
        listen(&listener, text.bytes);
        if (!next(&listener, &again))
            fail_msg("%s\n%s", text.bytes, listener.heard[0].text);
        assert_int_equal(listener.count, 0);
        assert_same_game(&record, &again);
        assert_string_equal(again.result, results[i][1]);
        assert_string_equal(wari_record_tag(&again, "Result"), results[i][1]);
        wari_record_free(&again);
        wari_record_free(&record);
        wari_text_free(&text);
    }
}

/* ---- Memory ---- */

static void without_memory_reading_and_writing_say_so(void **state)
{
    (void)state;
    struct fault_host fault;
    bool fired = true;
    for (long k = 1; fired; k++) {
        struct wari_error error;
        fault_host_init(&fault, FAULT_ALLOCATE, k);
        struct listener listener;
        struct wari_record record;
        struct wari_text text = {.host = &fault.host};
        bool found;
        listen(&listener, auale);
        listener.reader.host = &fault.host;
        enum wari_status status = wari_record_next(&listener.reader, &record, &found, &error);
        if (status == WARI_OK && found)
            status = wari_record_write(&record, &text, &error);
        fired = fault_host_fired(&fault);
        assert_int_equal(status, fired ? WARI_NO_MEMORY : WARI_OK);
        wari_text_free(&text);
        wari_record_free(&record);
        assert_true(fault_host_clean(&fault));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_read_as_auale_writes_them),
        cmocka_unit_test(what_stands_between_moves_is_passed_over),
        cmocka_unit_test(a_file_holds_any_number_of_games),
        cmocka_unit_test(comments_join_and_one_before_the_first_move_waits_for_it),
        cmocka_unit_test(a_broken_record_is_lost_with_its_place_and_the_next_is_read),
        cmocka_unit_test(remarks_do_not_lose_a_game),
        cmocka_unit_test(a_zero_byte_is_no_end),
        cmocka_unit_test(tags_choose_among_the_variants_there_are),
        cmocka_unit_test(a_caller_who_insists_decides_for_a_name_nobody_knows),
        cmocka_unit_test(a_plain_list_has_a_game_on_each_line),
        cmocka_unit_test(an_empty_text_has_no_game),
        cmocka_unit_test(a_record_is_written_as_auale_does),
        cmocka_unit_test(what_is_written_can_be_read_again),
        cmocka_unit_test(a_result_is_written_whole_or_not_at_all),
        cmocka_unit_test(without_memory_reading_and_writing_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
