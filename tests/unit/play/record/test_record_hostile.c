/* Records that are made to cause trouble: with very many elements, without ends, and with text
 * that would command a terminal. Locations in the texts were counted by hand. The reader
 * keeps data so that its time is proportional to the length of the text. The tests do not measure
 * the time, but they check that these data lead to no wrong locations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "play/record/record.h"
#include "tests/support/listener.h"
#include "tests/unit/groups.h"

/* A reader, and all complaints that it has reported (struct wari_complaint), as text with one line
 * for each: "line:column game_line lost text". */
struct hearing {
    struct wari_record_reader reader;
    struct wari_text heard;
};

static void hear(void *context, const struct wari_complaint *complaint)
{
    struct hearing *hearing = context;
    assert_int_equal(wari_text_add(&hearing->heard, NULL, "%d:%d %d %d %s\n", complaint->line,
                                   complaint->column, complaint->game_line, complaint->lost,
                                   complaint->text),
                     WARI_OK);
}

static void hear_text(struct hearing *hearing, const char *text)
{
    *hearing = (struct hearing){.reader = listener_reader(text, hear, hearing),
                                .heard = {.host = wari_host_system()}};
}

/* Reads all games and returns their number. *record is the last game, if there is any. */
static int read_all(struct hearing *hearing, struct wari_record *record)
{
    struct wari_error error;
    bool found = true;
    int count = -1;
    *record = (struct wari_record){.line = 0};
    while (found) {
        struct wari_record next;
        if (wari_record_next(&hearing->reader, &next, &found, &error) != WARI_OK)
            fail_msg("%s", error.text);
        count++;
        if (found) {
            wari_record_free(record);
            *record = next;
        }
    }
    return count;
}

/* Returns the number of complaints that contain `words`. (The function does not use strstr():
 * under the address sanitizer, each call of strstr() would measure the whole rest of the text.) */
static int lines_with(const struct hearing *hearing, const char *words)
{
    const char *line = hearing->heard.bytes, *all = line + hearing->heard.length;
    int count = 0;
    while (line < all) {
        const char *end = memchr(line, '\n', (size_t)(all - line));
        assert_non_null(end);
        count += memmem(line, (size_t)(end - line), words, strlen(words)) != NULL;
        line = end + 1;
    }
    return count;
}

/* Asserts that `games` games of the text can be read, and that exactly these complaints are
 * reported. Each string is the beginning of a complaint, location included. */
static void expect(const char *text, int games, const char *const complaints[])
{
    struct hearing hearing;
    struct wari_record record;
    hear_text(&hearing, text);
    assert_int_equal(read_all(&hearing, &record), games);
    wari_record_free(&record);
    const char *line = hearing.heard.bytes ? hearing.heard.bytes : "";
    for (int i = 0; complaints[i]; i++) {
        if (strncmp(line, complaints[i], strlen(complaints[i])) != 0)
            fail_msg("expected \"%s\", heard \"%s\"", complaints[i], line);
        line = strchr(line, '\n') + 1;
    }
    if (*line)
        fail_msg("unexpected: %s", line);
    wari_text_free(&hearing.heard);
}

/* ---- Locations ---- */

static void places_are_right_on_a_line_of_many_games(void **state)
{
    (void)state;
    static const char *const heard[] = {"1:2 1 0 unknown tag X", "1:16 1 0 unknown tag Y",
                                        "1:32 1 0 unknown tag Z", NULL};
    expect("[X \"\xC3\xA9\"] F f * [Y \"y\"] { \xC3\xA9 } * [Z \"z\"] F", 3, heard);
}

static void a_complaint_about_an_earlier_tag_finds_its_place(void **state)
{
    (void)state;
    static const char *const heard[] = {"2:2 1 0 unknown tag X", "1:11 1 1 no rule set",
                                        "7:2 6 0 unknown tag X", "6:11 6 1 no rule set", NULL};
    expect("[Variant \"zzz\"]\n[X \"y\"]\n\nF\n\n[Variant \"zzz\"]\n[X \"y\"]\n\nF\n\n[South "
           "\"x\"]\n\nF",
           1, heard);
}

/* ---- Missing ends ---- */

static void an_open_variation_takes_no_other_game_along(void **state)
{
    (void)state;
    static const char *const heard[] = {"3:3 1 1 the ) that ends", NULL};
    expect("[South \"x\"]\n\nF ( f { [ } ( ) \n\n[South \"y\"]\n\nF ( f ) f *\n", 1, heard);
    /* If the variation continued into the second game, the ")" there would close it, and both games
     * would be read as one, without a complaint. */
    static const char *const both[] = {"3:3 1 1 the ) that ends", "7:3 5 1 a move, a comment",
                                       NULL};
    expect("[South \"x\"]\n\nF ( f\n\n[South \"y\"]\n\nF ) f *\n", 0, both);
}

static void a_result_may_touch_what_follows(void **state)
{
    (void)state;
    static const char *const none[] = {NULL};
    expect("[South \"x\"]\nFf25-23(E{)})[South \"y\"]F24.5-23.5[South \"z\"]F25-23", 3, none);
}

static void open_comments_are_each_complained_of(void **state)
{
    (void)state;
    static const char *const heard[] = {"3:3 1 1 the } that ends", "7:3 5 1 the } that ends", NULL};
    expect("[South \"x\"]\n\nF { f\n\n[South \"y\"]\n\nF { f\n\n[South \"z\"]\n\nF ; {\n", 1,
           heard);
    /* In a plain list of games, a comment has to end on the line on which it begins. */
    static const char *const lines[] = {"1:3 1 1 the } that ends", NULL};
    expect("F { f\nF { f } f\n", 1, lines);
}

/* ---- Very many elements ---- */

static void a_game_has_1000_unknown_tags_and_no_more(void **state)
{
    (void)state;
    struct wari_text text = {.host = wari_host_system()};
    struct hearing hearing;
    struct wari_record record;
    for (int i = 0; i < WARI_RECORD_TAGS_MAX; i++)
        assert_int_equal(wari_text_add(&text, NULL, "[T%d \"\"]\n", i), WARI_OK);
    size_t length = text.length;
    assert_int_equal(wari_text_add(&text, NULL, "\nF\n"), WARI_OK);
    hear_text(&hearing, text.bytes);
    assert_int_equal(read_all(&hearing, &record), 1);
    assert_int_equal(record.tag_count, 1000);
    wari_text_free(&hearing.heard);

    /* The writer adds the standard tags (Event, Site, ...) and the tag Cycle. */
    struct wari_text written = {.host = wari_host_system()};
    assert_int_equal(wari_record_write(&record, &written, NULL), WARI_OK);
    wari_record_free(&record);
    hear_text(&hearing, written.bytes);
    assert_int_equal(read_all(&hearing, &record), 1);
    assert_int_equal(record.tag_count, 1009);
    wari_record_free(&record);
    wari_text_free(&written);
    wari_text_free(&hearing.heard);

    text.length = length;
    assert_int_equal(wari_text_add(&text, NULL, "[T0 \"\"]\n[One \"\"]\n\nF\n"), WARI_OK);
    hear_text(&hearing, text.bytes);
    assert_int_equal(read_all(&hearing, &record), 0);
    assert_non_null(
        strstr(hearing.heard.bytes, "1002:2 1 1 more than 1000 unknown tags in one game\n"));
    wari_text_free(&hearing.heard);
    wari_text_free(&text);
}

/* Every game has a variation that is never closed, so reading the game means reading the whole rest
 * of the text. (Each game after the first begins inside a comment of that variation.) If every one
 * of 3,000 games were read to the end, more than 100 MB would be read. Therefore the reader skips
 * games, but only after the bytes that it has read again exceed the length of the text plus a
 * megabyte. With 80 games it reads only about 73 kB again, so it skips no game. */
static void games_that_go_on_to_the_end_are_not_all_read_to_the_end(void **state)
{
    (void)state;
    static const int games[] = {80, 3000};
    for (int i = 0; i < 2; i++) {
        struct wari_text text = {.host = wari_host_system()};
        struct hearing hearing;
        struct wari_record record;
        assert_int_equal(wari_text_add(&text, NULL, "[South \"0000000\"]\n\n("), WARI_OK);
        for (int game = 1; game < games[i]; game++)
            assert_int_equal(wari_text_add(&text, NULL, "{\n[South \"%07d\"]\n\n(}", game),
                             WARI_OK);
        hear_text(&hearing, text.bytes);
        assert_int_equal(read_all(&hearing, &record), 0);
        const int lost = lines_with(&hearing, "the ) that ends");
        bool passed = strstr(hearing.heard.bytes, "the text up to line ") != NULL;
        if (i == 0) {
            assert_int_equal(lost, 80);
            assert_false(passed);
        } else {
            assert_in_range(lost, 10, 100);
            assert_true(passed);
        }
        wari_text_free(&hearing.heard);
        wari_text_free(&text);
    }
}

/* Every game is skipped, because its tags do not select one of the two permitted variants. The
 * games have no moves, so the tags of each game seem to continue through all later games. Without a
 * limit on the text that is read again after a skipped game, each tag would be read, and cause a
 * complaint, 1,000 times on average. */
static void tags_of_lost_games_are_not_all_read_again(void **state)
{
    (void)state;
    static const struct wari_variant two[] = {{WARI_AWARI, WARI_EVEN}, {WARI_ABAPA, WARI_OWN}};
    enum { GAMES = 2000 };
    struct wari_text text = {.host = wari_host_system()};
    struct hearing hearing;
    struct wari_record record;
    for (int game = 0; game < GAMES; game++)
        assert_int_equal(wari_text_add(&text, NULL, "[South \"\"]\n\n"), WARI_OK);
    hear_text(&hearing, text.bytes);
    hearing.reader.variants = two;
    hearing.reader.variant_count = 2;
    assert_int_equal(read_all(&hearing, &record), 0);
    const int remarks = lines_with(&hearing, "appears twice");
    /* A tag has twelve bytes and causes at most one complaint each time it is read. The text is
     * read once. In addition, as many bytes as the text has, plus a megabyte, may be read again. */
    assert_in_range(remarks, GAMES - 1, 2 * GAMES + (1 << 20) / 12);
    wari_text_free(&hearing.heard);
    wari_text_free(&text);
}

static void many_comments_of_a_move_are_one(void **state)
{
    (void)state;
    static const char *const none[] = {NULL};
    struct hearing hearing;
    struct wari_record record;
    expect("[South \"x\"]\n{ no move to hold it } *", 1, none);
    hear_text(&hearing,
              "[South \"x\"]\n{ 1 } ( { no } ) F { 2 } ( f ) ; 3\n {} { 4 } f {5} * { 6 }");
    assert_int_equal(read_all(&hearing, &record), 1);
    assert_string_equal(record.comments[0], "1 2 3 4");
    assert_string_equal(record.comments[1], "5 6");
    wari_record_free(&record);
}

/* ---- Lines that are not games ---- */

static void remarks_stand_in_front_of_lists_and_of_tags(void **state)
{
    (void)state;
    static const char *const none[] = {NULL};
    expect("; one\n % two\n# three\nFf\n; four\n% five\n# six\nFf", 2, none);
    expect("; one\n % two\n# three\n[South \"x\"]\n\nFf\n", 1, none);
}

/* If the reader took such lines for games, it would report their moves as illegal, although the
 * players made no mistake. */
static void a_line_from_the_middle_of_a_game_is_no_game(void **state)
{
    (void)state;
    static const char *const none[] = {NULL};
    static const char *const lines[] = {"2:2 2 1 this line starts with move 12, but", NULL};
    expect("1. F f\n 12. D d 25-23\n", 1, lines);
    /* A line with the number of the next move continues the game, and lines of a lost game are not
     * reported again. */
    expect("1. F f\n 2. E e\n\n# three\n3 . D d 25-23\n1. F\n", 2, none);
    static const char *const one[] = {"2:4 1 1 move 3: F cannot be played: it is empty", NULL};
    expect("1. F f\n2. F e\n3. D d\n4. C c\n1. F f", 1, one);
    expect("1. F f 2. E e\n1.F f\n1 F f\n2 F f\n0-1-0-0-0-1-0-1-0-0-0-0-23-22-N 30. b\n", 5, none);
}

static void a_complaint_cannot_command_a_terminal(void **state)
{
    (void)state;
    /* ESC, DEL and CSI are each replaced by a question mark; letters beyond ASCII are kept. */
    static const char *const heard[] = {"1:11 1 1 no rule set is called \"?[2J ??? \xC3\x9F\"",
                                        NULL};
    expect("[Variant \"\x1B[2J \x7F\xC2\x9B \xC3\x9F\"]\n\nF", 0, heard);
}

TEST_GROUP(test_record_hostile)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_right_on_a_line_of_many_games),
        cmocka_unit_test(a_complaint_about_an_earlier_tag_finds_its_place),
        cmocka_unit_test(an_open_variation_takes_no_other_game_along),
        cmocka_unit_test(a_result_may_touch_what_follows),
        cmocka_unit_test(open_comments_are_each_complained_of),
        cmocka_unit_test(a_game_has_1000_unknown_tags_and_no_more),
        cmocka_unit_test(games_that_go_on_to_the_end_are_not_all_read_to_the_end),
        cmocka_unit_test(tags_of_lost_games_are_not_all_read_again),
        cmocka_unit_test(many_comments_of_a_move_are_one),
        cmocka_unit_test(remarks_stand_in_front_of_lists_and_of_tags),
        cmocka_unit_test(a_line_from_the_middle_of_a_game_is_no_game),
        cmocka_unit_test(a_complaint_cannot_command_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
