/* Tests opening books. Expected scores and costs come from a search of all lines, which follows
 * their definitions; expected hashes come from the definition of FNV-1a. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play/engine/match.h"
#include "play/engine/opening_book.h"
#include "tests/support/fault_host.h"
#include "tests/unit/groups.h"

static const struct wari_opening_settings oware = {
    .variant = {WARI_ABAPA, WARI_OWN}, .nodes = 500, .tables = -1};

static void begin(struct wari_opening_book *book)
{
    wari_opening_book_begin(book, wari_host_system(), &oware);
}

static struct wari_position position_of(const char *text)
{
    struct wari_setup setup;
    assert_int_equal(wari_setup_parse(text, &setup, NULL), WARI_OK);
    return setup.position;
}

static void add(struct wari_opening_book *book, const char *text, const int scores[WARI_HALF_PITS])
{
    const struct wari_position position = position_of(text);
    assert_int_equal(wari_opening_book_add(book, &position, 7, scores, NULL), WARI_OK);
}

static const struct wari_opening *find(const struct wari_opening_book *book, const char *text)
{
    const struct wari_position position = position_of(text);
    const struct wari_opening *opening = wari_opening_book_find(book, &position);
    assert_non_null(opening);
    return opening;
}

/* ---- Scores ---- */

static const char start[] = "4 4 4 4 4 4 / 4 4 4 4 4 4";
static const char after_f[] = "5 5 5 5 4 4 / 4 4 4 4 4 0"; /* after the move F from the start */

static void the_score_of_a_move_is_that_of_the_best_reply(void **state)
{
    struct wari_opening_book book;
    (void)state;
    begin(&book);
    add(&book, start, (const int[WARI_HALF_PITS]){-60, -50, -40, -30, -20, 10});
    assert_int_equal(find(&book, start)->best, 5);
    add(&book, after_f,
        (const int[WARI_HALF_PITS]){5, -5, 35, 0, 1, 2}); /* the other side gets 35 by C */
    const struct wari_opening *opening = find(&book, start);
    assert_int_equal(opening->moves[5].score, -35);
    assert_int_equal(opening->moves[5].searched, 10);
    assert_int_equal(opening->best, 4);
    assert_int_equal(find(&book, after_f)->best, 2);
    wari_opening_book_free(&book);
}

/* The expected score was computed by hand. The last seed of F makes two seeds in pit a, which are
 * captured and count as 200 hundredths of a seed. */
static void captured_seeds_count(void **state)
{
    struct wari_opening_book book;
    (void)state;
    begin(&book);
    add(&book, "0 0 0 0 1 1 / 1 0 0 3 0 0", (const int[WARI_HALF_PITS]){[4] = -100, [5] = 50});
    add(&book, "0 0 0 3 0 0 / 0 0 0 0 1 0", (const int[WARI_HALF_PITS]){[3] = 120});
    const struct wari_opening *opening = find(&book, "0 0 0 0 1 1 / 1 0 0 3 0 0");
    assert_int_equal(opening->count, 2);
    assert_int_equal(opening->moves[1].score, 200 - 120);
    wari_opening_book_free(&book);
}

/* The expected score was computed by hand. Under `warri`, a grand slam captures the two seeds of
 * North, and South moves again. */
static void a_second_move_of_the_same_side_keeps_the_sign(void **state)
{
    struct wari_opening_book book;
    struct wari_opening_settings warri = oware;
    (void)state;
    warri.variant.rules = WARI_WARRI;
    wari_opening_book_begin(&book, wari_host_system(), &warri);
    add(&book, "0 0 0 0 2 1 / 1 0 0 0 0 0", (const int[WARI_HALF_PITS]){[4] = 0, [5] = 0});
    add(&book, "0 0 0 0 0 2 / 0 0 0 0 0 0", (const int[WARI_HALF_PITS]){[5] = 30});
    assert_int_equal(find(&book, "0 0 0 0 2 1 / 1 0 0 0 0 0")->moves[0].score, 200 + 30);
    wari_opening_book_free(&book);
}

/* Fills a book with random scores, each position chosen by the book. */
static void grow(struct wari_opening_book *book, int count, uint64_t seed)
{
    struct wari_position position;
    while (book->count < count && wari_opening_book_next(book, &position)) {
        int scores[WARI_HALF_PITS];
        for (int i = 0; i < WARI_HALF_PITS; i++)
            scores[i] = (int)(wari_match_random(&seed) % 200) - 100;
        assert_int_equal(wari_opening_book_add(book, &position, 9, scores, NULL), WARI_OK);
    }
}

/* Returns the score of a position by a search of all lines in the book. */
static int best_score(const struct wari_opening_book *book, const struct wari_position *position)
{
    const struct wari_opening *opening = wari_opening_book_find(book, position);
    struct wari_moves moves;
    int best = -10000;
    wari_find_moves(WARI_ABAPA, position, &moves);
    assert_int_equal(opening->count, moves.count);
    for (int i = 0; i < moves.count; i++) {
        const struct wari_move *move = &moves.list[i];
        const int score = wari_opening_book_find(book, &move->next)
                              ? 100 * move->captured - best_score(book, &move->next)
                              : opening->moves[i].searched;
        assert_int_equal(opening->moves[i].move.pit, move->pit);
        assert_int_equal(opening->moves[i].score, score);
        best = score > best ? score : best;
    }
    assert_int_equal(opening->moves[opening->best].score, best);
    return best;
}

/* Returns the cost of the cheapest line that leads from `position` out of the book. Stores the
 * position after this line in *after. */
static int cheapest(const struct wari_opening_book *book, const struct wari_position *position,
                    struct wari_position *after)
{
    const struct wari_opening *opening = wari_opening_book_find(book, position);
    int least = 1000000;
    if (!opening) {
        *after = *position;
        return 0;
    }
    for (int i = 0; i < opening->count; i++) {
        struct wari_position end;
        const int cost = 20 + opening->moves[opening->best].score - opening->moves[i].score +
                         cheapest(book, &opening->moves[i].move.next, &end);
        if (cost < least) {
            least = cost;
            *after = end;
        }
    }
    return least;
}

/* Lines from the start of the game are too short to return to a position. */
static void scores_and_the_next_position_agree_with_a_search_of_all_lines(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct wari_opening_book book;
        struct wari_position next, expected;
        const struct wari_position first = wari_start_position();
        begin(&book);
        grow(&book, 1 + 3 * (int)seed, seed);
        assert_int_equal(book.count, 1 + 3 * (int)seed);
        (void)best_score(&book, &first);
        const int cost = cheapest(&book, &first, &expected);
        assert_true(wari_opening_book_next(&book, &next));
        if (memcmp(&next, &expected, sizeof next) != 0) { /* there may be two lines of this cost */
            assert_int_equal(wari_opening_book_add(&book, &next, 9, (int[WARI_HALF_PITS]){0}, NULL),
                             WARI_OK);
            assert_int_equal(find(&book, start)->cost, 0);
            assert_true(wari_opening_book_next(&book, &expected)); /* computes the costs */
            assert_true(wari_opening_book_find(&book, &next)->cost <= cost);
        }
        wari_opening_book_free(&book);
    }
}

/* With three seeds, lines return to earlier positions. At the end, the book has all positions that
 * can be reached, and no computation of scores or costs has gone on for ever. */
static void lines_that_return_come_to_an_end(void **state)
{
    struct wari_opening_book book;
    struct wari_position position;
    int count = 1;
    (void)state;
    begin(&book);
    add(&book, "1 1 0 0 0 0 / 1 0 0 0 0 0", (const int[WARI_HALF_PITS]){1, 2});
    for (; wari_opening_book_next(&book, &position); count++)
        assert_int_equal(wari_opening_book_add(&book, &position, 1,
                                               (const int[WARI_HALF_PITS]){1, 2, 3, 4, 5, 6}, NULL),
                         WARI_OK);
    assert_in_range(count, 10, 455); /* there are 455 positions of up to three seeds */
    wari_opening_book_free(&book);
}

static void positions_of_the_database_are_not_chosen(void **state)
{
    struct wari_opening_book book;
    struct wari_opening_settings settings = oware;
    struct wari_position position;
    (void)state;
    settings.tables = 4;
    wari_opening_book_begin(&book, wari_host_system(), &settings);
    add(&book, "0 0 0 0 1 1 / 1 0 0 3 0 0", (const int[WARI_HALF_PITS]){[4] = -100, [5] = 50});
    /* F leaves four seeds; E, which costs 150 more, leaves six. */
    assert_true(wari_opening_book_next(&book, &position));
    assert_int_equal(wari_seeds(&position), 6);
    wari_opening_book_free(&book);

    settings.tables = WARI_SEEDS_MAX;
    wari_opening_book_begin(&book, wari_host_system(), &settings);
    assert_false(wari_opening_book_next(&book, &position));
}

/* ---- Text ---- */

static char *write_book(const struct wari_opening_book *book)
{
    struct wari_text text = {.host = wari_host_system()};
    assert_int_equal(wari_opening_book_write(book, &text, NULL), WARI_OK);
    return text.bytes;
}

static enum wari_status read_text(struct wari_opening_book *book, const char *text, size_t length,
                                  struct wari_error *error)
{
    begin(book);
    /* A block of exactly this length lets the address sanitizer find reads beyond the text. */
    char *copy = malloc(length + 1);
    assert_non_null(copy);
    memcpy(copy, text, length);
    char *exact = length > 0 ? realloc(copy, length) : copy;
    assert_non_null(exact);
    enum wari_status status = wari_opening_book_read(book, exact, length, "x.openings", error);
    free(exact);
    return status;
}

static void a_book_is_the_same_after_writing_and_reading(void **state)
{
    struct wari_opening_book book, again;
    struct wari_position next, next_again;
    (void)state;
    begin(&book);
    grow(&book, 200, 5);
    char *text = write_book(&book);
    assert_int_equal(read_text(&again, text, strlen(text), NULL), WARI_OK);
    assert_int_equal(again.count, 200);
    assert_int_equal(again.settings.nodes, 500);
    assert_int_equal(again.settings.tables, -1);
    assert_int_equal(again.settings.variant.rules, WARI_ABAPA);
    assert_int_equal(again.settings.variant.cycle, WARI_OWN);
    for (int i = 0; i < 200; i++)
        for (int k = 0; k < book.openings[i].count; k++)
            assert_int_equal(again.openings[i].moves[k].score, book.openings[i].moves[k].score);
    assert_true(wari_opening_book_next(&book, &next));
    assert_true(wari_opening_book_next(&again, &next_again));
    assert_memory_equal(&next, &next_again, sizeof next);
    char *text_again = write_book(&again);
    assert_string_equal(text, text_again);
    wari_release(wari_host_system(), text);
    wari_release(wari_host_system(), text_again);
    wari_opening_book_free(&book);
    wari_opening_book_free(&again);
}

static void the_text_is_that_of_the_description(void **state)
{
    struct wari_opening_book book;
    (void)state;
    begin(&book);
    add(&book, start, (const int[WARI_HALF_PITS]){-60, 0, -40, -30, -20, 10});
    char *text = write_book(&book);
    const char expected[] = "Wari opening book 1\n"
                            "rules abapa own\n"
                            "nodes 500\n"
                            "tables none\n"
                            "positions 1\n"
                            "4 4 4 4 4 4 / 4 4 4 4 4 4: 7 A-60 B+0 C-40 D-30 E-20 F+10\n"
                            "hash ";
    assert_memory_equal(text, expected, strlen(expected));
    wari_release(wari_host_system(), text);
    wari_opening_book_free(&book);
}

static void every_damage_is_noticed(void **state)
{
    struct wari_opening_book book, damaged;
    struct wari_error error;
    (void)state;
    begin(&book);
    grow(&book, 3, 1);
    char *text = write_book(&book);
    const size_t length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        assert_int_equal(read_text(&damaged, text, i, &error), WARI_CORRUPT);
        for (int bit = 0; bit < 8; bit++) {
            text[i] = (char)(text[i] ^ 1 << bit);
            enum wari_status status = read_text(&damaged, text, length, &error);
            assert_true(status == WARI_CORRUPT || status == WARI_MISMATCH);
            assert_non_null(strstr(error.text, "x.openings"));
            assert_int_equal(damaged.count, 0);
            text[i] = (char)(text[i] ^ 1 << bit);
        }
    }
    wari_release(wari_host_system(), text);
    wari_opening_book_free(&book);
}

/* Reads a text with a correct hash: FNV-1a with 64 bits, from its definition. Returns the
 * message. */
static const char *read_forged(const char *text, enum wari_status expected,
                               struct wari_error *error)
{
    struct wari_opening_book book;
    char whole[2048];
    uint64_t hash = UINT64_C(14695981039346656037);
    for (const char *c = text; *c; c++)
        hash = (hash ^ (uint8_t)*c) * UINT64_C(1099511628211);
    const int length = snprintf(whole, sizeof whole, "%shash %016" PRIx64 "\n", text, hash);
    *error = (struct wari_error){0};
    assert_int_equal(read_text(&book, whole, (size_t)length, error), expected);
    wari_opening_book_free(&book);
    return error->text;
}

#define HEAD "Wari opening book 1\nrules abapa own\nnodes 500\ntables 12\npositions "
#define START "4 4 4 4 4 4 / 4 4 4 4 4 4: 7 A-60 B+0 C-40 D-30 E-20 F+10\n"

static void forged_books_are_refused(void **state)
{
    static const char *const forged[][2] = {
        {"", "not an opening book"},
        {"Wari opening book\n", "not an opening book"},
        {"Wari opening book 1\n", "line 2: the opening book ends early"},
        {"Wari opening book 1\nnodes 1\n", "line 2: the rules are missing"},
        {"Wari opening book 1\nrules abapa\n", "line 2: the cycle rule is missing"},
        {"Wari opening book 1\nrules abapa own\nnodes 0\n", "line 3: the number"},
        {"Wari opening book 1\nrules abapa own\nnodes 99999999999999999999\n",
         "line 3: the number"},
        {"Wari opening book 1\nrules abapa own\nnodes 5\ntables 49\n", "line 4: the number"},
        {"Wari opening book 1\nrules abapa own\nnodes 5\ntables no\n", "line 4: the number"},
        {HEAD "-1\n", "line 5: the number"},
        {HEAD "1000001\n", "line 5: the number"},
        {HEAD "1 \n" START, "line 5: the number"},
        {HEAD "2\n" START, "line 7: the opening book ends early"},
        {HEAD "0\n" START, "line 6: there are more"},
        {HEAD "2\n" START START, "line 7: the position occurs a second time"},
        {HEAD "1\n4 4 4 4 4 4 4 4 4 4 4 4: 7 A-60 B+0 C-40 D-30 E-20 F+10\n",
         "line 6: there is no"},
        {HEAD "1\n4 4 4 4 4 4 / 4 4 4 4 4 5: 7 A-60 B+0 C-40 D-30 E-20 F+10\n",
         "line 6: there is no"},
        {HEAD "1\n4 4 4 4 4 4 / 4 4 4 4 4 4\n", "line 6: there is no valid position"},
        {HEAD "1\n4 4 4 4 4 4 / 4 4 4 4 4 4: 0 A-60 B+0 C-40 D-30 E-20 F+10\n",
         "line 6: the scores"},
        {HEAD "1\n4 4 4 4 4 4 / 4 4 4 4 4 4: 100 A-60 B+0 C-40 D-30 E-20 F+10\n", "line 6: the sc"},
        {HEAD "1\n4 4 4 4 4 4 / 4 4 4 4 4 4: 7 A-60 B+0 C-40 D-30 E-20\n", "line 6: the scores"},
        {HEAD "1\n4 4 4 4 4 4 / 4 4 4 4 4 4: 7 A-60 B+0 C-40 D-30 E-20 F+4801\n", "line 6: the sc"},
        {HEAD "1\n4 4 4 4 4 4 / 4 4 4 4 4 4: 7 A-60 B+0 C-40 D-30 E-20 F 10\n", "line 6: the scor"},
        {HEAD "1\n4 4 4 4 4 4 / 4 4 4 4 4 4: 7 A-60 B+0 C-40 D-30 E-20 F+10 \n", "line 6: the sco"},
        {HEAD "1\n0 4 4 4 4 4 / 4 4 4 4 4 4: 7 A-60 B+0 C-40 D-30 E-20 F+10\n", "line 6: the scor"},
        {HEAD "1\n0 0 0 0 0 0 / 1 0 0 0 0 0: 7\n", "line 6: the scores"}, /* the game is over */
    };
    struct wari_error error;
    (void)state;
    (void)read_forged(HEAD "1\n" START, WARI_OK, &error);
    (void)read_forged(HEAD "0\n", WARI_OK, &error);
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++)
        if (!strstr(read_forged(forged[i][0], WARI_CORRUPT, &error), forged[i][1]))
            fail_msg("expected \"%s\", found \"%s\"", forged[i][1], error.text);
    assert_non_null(
        strstr(read_forged("Wari opening book 2\n", WARI_MISMATCH, &error), "format 2"));
    assert_non_null(strstr(
        read_forged("Wari opening book 1\nrules chess own\n", WARI_MISMATCH, &error), "line 2: "));
}

/* ---- Memory ---- */

static void a_book_survives_the_lack_of_memory(void **state)
{
    struct wari_opening_book whole;
    (void)state;
    begin(&whole);
    grow(&whole, 150, 3);
    char *text = write_book(&whole);
    bool fired = true;
    for (long k = 1; fired; k++) {
        struct wari_opening_book book;
        struct fault_host fault;
        fault_host_init(&fault, FAULT_ALLOCATE, k);
        wari_opening_book_begin(&book, &fault.host, &oware);
        enum wari_status status =
            wari_opening_book_read(&book, text, strlen(text), "x.openings", NULL);
        fired = fault_host_fired(&fault);
        assert_int_equal(status, fired ? WARI_NO_MEMORY : WARI_OK);
        assert_int_equal(book.count, fired ? 0 : 150);
        wari_opening_book_free(&book);
        assert_true(fault_host_clean(&fault));
    }
    wari_release(wari_host_system(), text);
    wari_opening_book_free(&whole);
}

TEST_GROUP(test_opening_book)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_score_of_a_move_is_that_of_the_best_reply),
        cmocka_unit_test(captured_seeds_count),
        cmocka_unit_test(a_second_move_of_the_same_side_keeps_the_sign),
        cmocka_unit_test(scores_and_the_next_position_agree_with_a_search_of_all_lines),
        cmocka_unit_test(lines_that_return_come_to_an_end),
        cmocka_unit_test(positions_of_the_database_are_not_chosen),
        cmocka_unit_test(a_book_is_the_same_after_writing_and_reading),
        cmocka_unit_test(the_text_is_that_of_the_description),
        cmocka_unit_test(every_damage_is_noticed),
        cmocka_unit_test(forged_books_are_refused),
        cmocka_unit_test(a_book_survives_the_lack_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
