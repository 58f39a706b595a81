/* Games written as records: they have the form that Aualé writes, and can be read again. A
 * record is written completely or not at all. */
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
#include "tests/reference/random_positions.h"
#include "tests/support/fault_host.h"
#include "tests/support/listener.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

static const struct wari_variant abapa_own = {WARI_ABAPA, WARI_OWN};

static void a_record_is_written_as_auale_does(void **state)
{
    (void)state;
    struct listener listener;
    struct wari_record record;
    struct wari_text text = {.host = wari_host_system()};
    listener_start(&listener, auale_record);
    assert_true(listener_next(&listener, &record));
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
                        "counts no ends here\n} 24-24\n\n");
    wari_text_free(&text);
    wari_record_free(&record);
}

/* Fixed bug: a record with an unknown name of rules was written in a form that the reader
 * skipped. */
static void rules_that_nobody_knows_are_written_as_those_it_was_read_by(void **state)
{
    (void)state;
    struct listener listener;
    struct wari_record record;
    struct wari_text text = {.host = wari_host_system()};
    listener_start(&listener, "[Variant \"House rules\"]\nA");
    listener.reader.insist = true;
    assert_true(listener_next(&listener, &record));
    assert_int_equal(wari_record_write(&record, &text, NULL), WARI_OK);
    assert_memory_equal(text.bytes, "[Variant \"Oware Abapa\"]\n", 24);
    wari_text_free(&text);
    wari_record_free(&record);
}

/* Computed by hand: move F captures all 3 of North's seeds and South moves again; then move E
 * feeds North. */
static void an_extra_move_belongs_to_the_turn_of_the_move_before(void **state)
{
    (void)state;
    struct wari_setup start;
    struct wari_record record;
    struct wari_text text = {.host = wari_host_system()};
    assert_int_equal(wari_setup_parse("0-0-0-0-2-1-2-0-0-0-0-0-22-21-S", &start, NULL), WARI_OK);
    wari_record_begin(&record, text.host, (struct wari_variant){WARI_WARRI, WARI_EVEN}, &start);
    for (const char *letter = "FEaF"; *letter; letter++)
        assert_int_equal(wari_game_play_letter(&record.game, *letter, NULL), WARI_OK);
    assert_int_equal(wari_record_write(&record, &text, NULL), WARI_OK);
    assert_non_null(strstr(text.bytes, "\n1. F+3 E a 2. F"));
    wari_text_free(&text);
    wari_record_free(&record);
}

/* Plays random moves and comments on some of them. */
static void play_at_random(struct wari_record *record, struct random_positions *random)
{
    struct wari_moves moves;
    for (int i = 0; i < 60; i++) {
        wari_find_moves(record->game.variant.rules, &record->game.now.position, &moves);
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

/* Random games of every rule set, including the extra moves of `warri`. */
static void a_written_game_can_be_read_again(void **state)
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
        struct wari_text text = {.host = wari_host_system()};
        char plain[PLAIN_MAX];
        struct listener listener;
        random_position(&random, start.position.pits);
        start.stores[0] = (uint8_t)(WARI_SEEDS_MAX - wari_seeds(&start.position));
        wari_record_begin(&record, wari_host_system(), variant, &start);
        play_at_random(&record, &random);
        for (int k = 0; k < record.game.count; k++)
            extra += record.game.plies[k].move.again;

        assert_int_equal(wari_record_write(&record, &text, NULL), WARI_OK);
        listener_start(&listener, text.bytes);
        listener.reader.variants = &variant;
        if (!listener_next(&listener, &again))
            fail_msg("%s\n%s", text.bytes, listener.heard[0].text);
        assert_int_equal(listener.count, 0);
        assert_same_game(&record, &again);
        wari_record_free(&again);

        plain_record(&record, plain);
        listener_start(&listener, plain);
        listener.reader.variants = &variant;
        assert_true(listener_next(&listener, &again));
        assert_int_equal(again.game.count, record.game.count);
        wari_record_free(&again);
        for (const char *line = text.bytes; *line; line = strchr(line, '\n') + 1)
            assert_true(strcspn(line, "\n") < 80);
        wari_text_free(&text);
        wari_record_free(&record);
    }
    assert_true(extra > 0);
}

/* Includes results that cannot come from a game, but that a caller can store in record.result:
 * scores with more digits than a game can have, which are written, and texts that are not scores,
 * instead of which "*" is written. */
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
        listener_start(&listener, text.bytes);
        if (!listener_next(&listener, &again))
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
        listener_start(&listener, auale_record);
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

TEST_GROUP(test_record_writing)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_is_written_as_auale_does),
        cmocka_unit_test(rules_that_nobody_knows_are_written_as_those_it_was_read_by),
        cmocka_unit_test(an_extra_move_belongs_to_the_turn_of_the_move_before),
        cmocka_unit_test(a_written_game_can_be_read_again),
        cmocka_unit_test(a_result_is_written_whole_or_not_at_all),
        cmocka_unit_test(without_memory_reading_and_writing_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
