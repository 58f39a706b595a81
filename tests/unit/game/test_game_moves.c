/* Tests of moves: sowing over several laps, captures, feeding, the ends of the game, the effect of
 * a grand slam in each rule set, and published numbers of moves.
 *
 * All expected boards were computed by hand from the rules, unless a comment names a source. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "game/wari_game.h"
#include "tests/unit/groups.h"

enum { A, B, C, D, E, F };

#define POSITION(...)                                                                              \
    (struct wari_position)                                                                         \
    {                                                                                              \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static struct wari_moves moves_of(enum wari_rules rules, struct wari_position position)
{
    struct wari_moves moves;
    memset(&moves, 0xa5, sizeof moves);
    wari_find_moves(rules, &position, &moves);
    return moves;
}

/* Returns the set of pits that may be played, as bits 1 << pit. */
static unsigned legal(enum wari_rules rules, struct wari_position position)
{
    struct wari_moves moves = moves_of(rules, position);
    unsigned pits = 0;
    for (int i = 0; i < moves.count; i++)
        pits |= 1u << moves.list[i].pit;
    return pits;
}

static struct wari_move move_by(enum wari_rules rules, struct wari_position position, int pit)
{
    struct wari_moves moves = moves_of(rules, position);
    for (int i = 0; i < moves.count; i++)
        if (moves.list[i].pit == pit)
            return moves.list[i];
    fail_msg("pit %c may not be played", wari_move_letter(pit, false));
    return moves.list[0];
}

/* Asserts that a move captures `captured` seeds and leads to `next`, a position from the view of
 * the player who moves next. */
static void expect(enum wari_rules rules, struct wari_position position, int pit, int captured,
                   struct wari_position next)
{
    struct wari_move move = move_by(rules, position, pit);
    assert_int_equal(move.captured, captured);
    assert_memory_equal(move.next.pits, next.pits, sizeof next.pits);
    assert_false(move.again);
    assert_false(move.ends);
    assert_int_equal(move.end_value, 0);
}

static void expect_in_every_rule_set(struct wari_position position, int pit, int captured,
                                     struct wari_position next)
{
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++)
        expect((enum wari_rules)rules, position, pit, captured, next);
}

/* ---- Sowing ---- */

static void sowing_runs_round_the_board_and_turns_it(void **state)
{
    (void)state;
    expect_in_every_rule_set(wari_start_position(), A, 0,
                             POSITION(4, 4, 4, 4, 4, 4, 0, 5, 5, 5, 5, 4));
    expect_in_every_rule_set(wari_start_position(), F, 0,
                             POSITION(5, 5, 5, 5, 4, 4, 4, 4, 4, 4, 4, 0));
}

static void eleven_seeds_reach_every_other_pit(void **state)
{
    (void)state;
    expect_in_every_rule_set(POSITION(0, 0, 11, 0, 0, 0, 4, 0, 0, 0, 0, 0), C, 0,
                             POSITION(5, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1));
}

static void twelve_seeds_skip_their_own_pit(void **state)
{
    (void)state;
    expect_in_every_rule_set(POSITION(12, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0), A, 0,
                             POSITION(2, 1, 1, 1, 1, 1, 0, 2, 1, 1, 1, 1));
    /* The twelfth seed from F falls into a, which then has 3. */
    expect_in_every_rule_set(POSITION(0, 0, 0, 0, 0, 12, 1, 0, 0, 0, 0, 0), F, 3,
                             POSITION(0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0));
}

static void own_pit_is_skipped_on_the_second_and_later_laps_too(void **state)
{
    (void)state;
    /* 22 is two whole laps; 23 and 34 are one seed more than two and three laps; 48 is four laps
     * and four seeds. */
    expect_in_every_rule_set(POSITION(0, 0, 0, 0, 0, 22, 0, 0, 0, 0, 0, 0), F, 0,
                             POSITION(2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0));
    expect_in_every_rule_set(POSITION(0, 0, 0, 0, 0, 23, 0, 0, 0, 0, 0, 0), F, 3,
                             POSITION(0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0));
    expect_in_every_rule_set(POSITION(23, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), A, 0,
                             POSITION(2, 2, 2, 2, 2, 2, 0, 3, 2, 2, 2, 2));
    expect_in_every_rule_set(POSITION(0, 0, 34, 0, 0, 0, 0, 0, 0, 0, 0, 0), C, 0,
                             POSITION(3, 3, 3, 3, 3, 3, 3, 3, 0, 4, 3, 3));
    expect_in_every_rule_set(POSITION(0, 0, 0, 0, 0, 48, 0, 0, 0, 0, 0, 0), F, 0,
                             POSITION(5, 5, 5, 5, 4, 4, 4, 4, 4, 4, 4, 0));
}

/* ---- Capture ---- */

static void capture_takes_a_run_of_twos_and_threes_backwards(void **state)
{
    (void)state;
    expect_in_every_rule_set(POSITION(0, 0, 0, 0, 0, 3, 1, 2, 1, 5, 0, 0), F, 7,
                             POSITION(0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0));
}

static void capture_stops_at_the_first_pit_that_is_neither_two_nor_three(void **state)
{
    (void)state;
    expect_in_every_rule_set(POSITION(0, 0, 0, 0, 0, 3, 1, 3, 1, 5, 0, 0), F, 2,
                             POSITION(2, 4, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0));
    expect_in_every_rule_set(POSITION(0, 0, 0, 0, 0, 3, 1, 0, 2, 5, 0, 0), F, 3,
                             POSITION(2, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0));
}

static void capture_stops_at_own_side(void **state)
{
    (void)state;
    expect_in_every_rule_set(POSITION(0, 0, 0, 0, 2, 1, 1, 0, 0, 0, 0, 4), E, 2,
                             POSITION(0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 2));
}

static void capture_needs_the_last_seed_in_an_opponent_pit(void **state)
{
    (void)state;
    expect_in_every_rule_set(POSITION(0, 2, 0, 1, 0, 0, 1, 2, 0, 0, 0, 0), B, 0,
                             POSITION(1, 2, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0));
    /* The last seed falls into A after passing the opponent's row. */
    expect_in_every_rule_set(POSITION(1, 0, 0, 0, 0, 7, 1, 1, 1, 1, 1, 1), F, 0,
                             POSITION(2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0));
}

static void capture_needs_two_or_three_in_the_last_pit(void **state)
{
    (void)state;
    expect_in_every_rule_set(POSITION(0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0), F, 0,
                             POSITION(2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    expect_in_every_rule_set(POSITION(0, 0, 0, 0, 0, 2, 1, 3, 0, 0, 0, 0), F, 0,
                             POSITION(2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

static void seeds_ahead_of_the_last_pit_are_not_captured(void **state)
{
    (void)state;
    expect_in_every_rule_set(POSITION(0, 0, 0, 0, 0, 1, 1, 2, 3, 2, 2, 2), F, 2,
                             POSITION(0, 2, 3, 2, 2, 2, 0, 0, 0, 0, 0, 0));
}

/* ---- Feeding and the end of the game ---- */

static void an_empty_opponent_row_must_be_fed(void **state)
{
    (void)state;
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++) {
        enum wari_rules r = (enum wari_rules)rules;
        assert_int_equal(legal(r, POSITION(1, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0)), 1u << E);
        /* Six seeds from A end in a, and five seeds from A in F, so only six seeds feed the
         * opponent. */
        assert_int_equal(legal(r, POSITION(6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), 1u << A);
        assert_int_equal(legal(r, POSITION(5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0)), 1u << F);
        /* If the opponent has a seed, moves need not feed. */
        assert_int_equal(legal(r, POSITION(1, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 1)),
                         1u << A | 1u << B | 1u << E);
    }
}

static void who_cannot_feed_takes_everything(void **state)
{
    (void)state;
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++) {
        struct wari_moves moves =
            moves_of((enum wari_rules)rules, POSITION(5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0));
        assert_int_equal(moves.count, 0);
        assert_int_equal(moves.end_value, 15);
    }
}

static void a_mover_without_seeds_loses_all_of_them(void **state)
{
    (void)state;
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++) {
        enum wari_rules r = (enum wari_rules)rules;
        struct wari_moves moves = moves_of(r, POSITION(0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 4));
        assert_int_equal(moves.count, 0);
        assert_int_equal(moves.end_value, -7);
        moves = moves_of(r, POSITION(0, 0, 0, 0, 0, 0, 48, 0, 0, 0, 0, 0));
        assert_int_equal(moves.count, 0);
        assert_int_equal(moves.end_value, -48);
    }
}

static void an_empty_board_is_worth_nothing(void **state)
{
    (void)state;
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++) {
        struct wari_moves moves = moves_of((enum wari_rules)rules, POSITION(0));
        assert_int_equal(moves.count, 0);
        assert_int_equal(moves.end_value, 0);
    }
}

static void a_position_with_moves_has_no_end_value(void **state)
{
    (void)state;
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++) {
        struct wari_moves moves = moves_of((enum wari_rules)rules, wari_start_position());
        assert_int_equal(moves.count, 6);
        assert_int_equal(moves.end_value, 0);
        for (int i = 0; i < 6; i++)
            assert_int_equal(moves.list[i].pit, i);
    }
}

/* ---- Grand slams ---- */

/* F captures 3 seeds in a, which are all of the opponent's seeds. Only the seed in A remains. */
#define SLAM_POSITION POSITION(1, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0)

static void slam_may_not_be_played_in_awari_and_wari(void **state)
{
    (void)state;
    assert_int_equal(legal(WARI_AWARI, SLAM_POSITION), 1u << A);
    assert_int_equal(legal(WARI_WARI, SLAM_POSITION), 1u << A);
}

static void slam_captures_nothing_in_abapa(void **state)
{
    (void)state;
    expect(WARI_ABAPA, SLAM_POSITION, F, 0, POSITION(3, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0));
}

static void slam_in_warri_captures_and_the_same_player_moves_on(void **state)
{
    const struct wari_position next = POSITION(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    struct wari_move move = move_by(WARI_WARRI, SLAM_POSITION, F);

    (void)state;
    assert_int_equal(move.captured, 3);
    assert_true(move.again);
    assert_false(move.ends);
    assert_memory_equal(move.next.pits, next.pits, sizeof next.pits);
    /* A cannot feed the opponent, so the game is over, and the player who made the slam also gets
     * the last seed. The slam is therefore worth 4. */
    struct wari_moves after = moves_of(WARI_WARRI, move.next);
    assert_int_equal(after.count, 0);
    assert_int_equal(after.end_value, 1);
    assert_int_equal(wari_move_value(&move, after.end_value), 4);
}

static void slam_that_ends_the_game_is_worth_what_its_rule_set_says(void **state)
{
    /* There are 4 seeds on the board. The slam captures 3 of them, and 1 is left. */
    static const struct {
        enum wari_rules rules;
        int value;
    } table[] = {{WARI_WARE, -4}, {WARI_SLAM_ENDS, 0}, {WARI_SLAM_GIVES, 2}, {WARI_SLAM_WINS, 4}};

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct wari_move move = move_by(table[i].rules, SLAM_POSITION, F);
        const struct wari_position kept = POSITION(3, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0);
        assert_true(move.ends);
        assert_false(move.again);
        assert_int_equal(move.captured, 0);
        assert_int_equal(move.end_value, table[i].value);
        assert_int_equal(wari_move_value(&move, 1), table[i].value);
        assert_memory_equal(move.next.pits, kept.pits, sizeof kept.pits);
    }
}

static void slam_over_several_pits_counts_them_all(void **state)
{
    /* F changes the opponent's row from 2 1 1 1 1 1 to 3 2 2 2 2 2 and captures all 13 seeds; the
     * mover's row keeps 5. */
    const struct wari_position position = POSITION(5, 0, 0, 0, 0, 6, 2, 1, 1, 1, 1, 1);

    (void)state;
    assert_int_equal(legal(WARI_AWARI, position), 1u << A);
    assert_int_equal(move_by(WARI_WARRI, position, F).captured, 13);
    assert_int_equal(move_by(WARI_WARE, position, F).end_value, -18);
    assert_int_equal(move_by(WARI_SLAM_GIVES, position, F).end_value, 13 - 5);
    assert_int_equal(move_by(WARI_SLAM_WINS, position, F).end_value, 18);
    expect(WARI_ABAPA, position, F, 0, POSITION(3, 2, 2, 2, 2, 2, 5, 0, 0, 0, 0, 0));
}

static void a_seed_left_in_the_row_makes_it_no_slam(void **state)
{
    (void)state;
    /* The opponent keeps a seed in a pit after the captured pits, before them, or between pits that
     * could be captured. */
    expect_in_every_rule_set(POSITION(1, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 1), F, 3,
                             POSITION(0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0));
    expect_in_every_rule_set(POSITION(1, 0, 0, 0, 0, 2, 0, 1, 0, 0, 0, 0), F, 2,
                             POSITION(1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0));
    expect_in_every_rule_set(POSITION(1, 0, 0, 0, 0, 3, 1, 3, 1, 0, 0, 0), F, 2,
                             POSITION(2, 4, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0));
}

/* An empty row can be slammed in one way only: 17 seeds from F leave 2 seeds in each opponent pit.
 * This sowing feeds the opponent. */
static void slam_of_an_empty_row_counts_as_feeding(void **state)
{
    const struct wari_position position = POSITION(1, 0, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0);

    (void)state;
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++) {
        struct wari_moves moves = moves_of((enum wari_rules)rules, position);
        if (wari_get_rules_info((enum wari_rules)rules)->slam == WARI_SLAM_ILLEGAL) {
            assert_int_equal(moves.count, 0);
            assert_int_equal(moves.end_value, 18);
        } else {
            assert_int_equal(moves.count, 1);
            assert_int_equal(moves.list[0].pit, F);
        }
    }
    expect(WARI_ABAPA, position, F, 0, POSITION(2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 0));
    assert_int_equal(move_by(WARI_WARRI, position, F).captured, 12);
    assert_int_equal(move_by(WARI_SLAM_GIVES, position, F).end_value, 12 - 6);
}

/* 16 seeds from F leave only 1 seed in f, so the captures do not empty the row. */
static void sixteen_seeds_cannot_slam_an_empty_row(void **state)
{
    (void)state;
    expect_in_every_rule_set(POSITION(1, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0), F, 10,
                             POSITION(0, 0, 0, 0, 0, 1, 2, 1, 1, 1, 1, 0));
}

static void slam_with_the_last_seeds_leaves_an_empty_board(void **state)
{
    const struct wari_position position = POSITION(0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0);
    struct wari_move move = move_by(WARI_WARRI, position, F);

    (void)state;
    assert_true(move.again);
    assert_int_equal(move.captured, 2);
    assert_int_equal(wari_seeds(&move.next), 0);
    assert_int_equal(moves_of(WARI_WARRI, move.next).end_value, 0);
    assert_int_equal(move_by(WARI_SLAM_GIVES, position, F).end_value, 2);
}

/* In these positions every move is a slam, so no move is legal in `awari` and `wari`. */
static void stuck_mover_takes_all_in_awari_and_his_row_in_wari(void **state)
{
    static const struct {
        struct wari_position position;
        int awari;
        int wari;
    } table[] = {
        {{{0, 0, 0, 3, 2, 0, 1, 0, 0, 0, 0, 0}}, 6, 5 - 1},
        {{{0, 0, 0, 0, 2, 1, 2, 0, 0, 0, 0, 0}}, 5, 3 - 2},
        {{{0, 5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}}, 6, 5 - 1},
        {{{0, 0, 0, 0, 0, 2, 2, 2, 0, 0, 0, 0}}, 6, 2 - 4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct wari_moves moves = moves_of(WARI_AWARI, table[i].position);
        assert_int_equal(moves.count, 0);
        assert_int_equal(moves.end_value, table[i].awari);
        moves = moves_of(WARI_WARI, table[i].position);
        assert_int_equal(moves.count, 0);
        assert_int_equal(moves.end_value, table[i].wari);
        /* In all other rule sets slams may be played, so there is a legal move. */
        for (int rules = WARI_ABAPA; rules < WARI_RULES_COUNT; rules++)
            assert_true(moves_of((enum wari_rules)rules, table[i].position).count > 0);
    }
}

static void the_value_of_a_move_follows_who_moves_next(void **state)
{
    const struct wari_move quiet = {.captured = 3};
    const struct wari_move again = {.captured = 3, .again = true};
    const struct wari_move ends = {.ends = true, .end_value = -48};

    (void)state;
    assert_int_equal(wari_move_value(&quiet, 5), -2);
    assert_int_equal(wari_move_value(&quiet, -5), 8);
    assert_int_equal(wari_move_value(&again, 5), 8);
    assert_int_equal(wari_move_value(&again, -5), -2);
    assert_int_equal(wari_move_value(&ends, 5), -48);
}

/* ---- Positions ---- */

static void a_position_may_hold_48_seeds_and_no_more(void **state)
{
    struct wari_position position = wari_start_position();

    (void)state;
    assert_int_equal(wari_seeds(&position), 48);
    assert_true(wari_position_valid(&position));
    position.pits[7] = 3;
    assert_true(wari_position_valid(&position));
    position.pits[7] = 5;
    assert_false(wari_position_valid(&position));
    assert_true(wari_position_valid(&POSITION(0)));
    assert_true(wari_position_valid(&POSITION(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 48)));
    assert_false(wari_position_valid(&POSITION(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 49)));
    /* In a byte, the sum of these counts would be 0. */
    assert_false(wari_position_valid(&POSITION(128, 128)));
    assert_false(
        wari_position_valid(&POSITION(255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255)));
}

TEST_GROUP(test_game_moves)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sowing_runs_round_the_board_and_turns_it),
        cmocka_unit_test(eleven_seeds_reach_every_other_pit),
        cmocka_unit_test(twelve_seeds_skip_their_own_pit),
        cmocka_unit_test(own_pit_is_skipped_on_the_second_and_later_laps_too),
        cmocka_unit_test(capture_takes_a_run_of_twos_and_threes_backwards),
        cmocka_unit_test(capture_stops_at_the_first_pit_that_is_neither_two_nor_three),
        cmocka_unit_test(capture_stops_at_own_side),
        cmocka_unit_test(capture_needs_the_last_seed_in_an_opponent_pit),
        cmocka_unit_test(capture_needs_two_or_three_in_the_last_pit),
        cmocka_unit_test(seeds_ahead_of_the_last_pit_are_not_captured),
        cmocka_unit_test(an_empty_opponent_row_must_be_fed),
        cmocka_unit_test(who_cannot_feed_takes_everything),
        cmocka_unit_test(a_mover_without_seeds_loses_all_of_them),
        cmocka_unit_test(an_empty_board_is_worth_nothing),
        cmocka_unit_test(a_position_with_moves_has_no_end_value),
        cmocka_unit_test(slam_may_not_be_played_in_awari_and_wari),
        cmocka_unit_test(slam_captures_nothing_in_abapa),
        cmocka_unit_test(slam_in_warri_captures_and_the_same_player_moves_on),
        cmocka_unit_test(slam_that_ends_the_game_is_worth_what_its_rule_set_says),
        cmocka_unit_test(slam_over_several_pits_counts_them_all),
        cmocka_unit_test(a_seed_left_in_the_row_makes_it_no_slam),
        cmocka_unit_test(slam_of_an_empty_row_counts_as_feeding),
        cmocka_unit_test(sixteen_seeds_cannot_slam_an_empty_row),
        cmocka_unit_test(slam_with_the_last_seeds_leaves_an_empty_board),
        cmocka_unit_test(stuck_mover_takes_all_in_awari_and_his_row_in_wari),
        cmocka_unit_test(the_value_of_a_move_follows_who_moves_next),
        cmocka_unit_test(a_position_may_hold_48_seeds_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
