/* Games: repetition, ends, scores, and the reasons why a move is illegal. Expected values were
 * derived from the rules by hand. The games with repetitions were found by searching the values
 * of the reference solver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "play/game.h"
#include "tests/unit/groups.h"

static struct wari_game game_from(enum wari_rules rules, enum wari_cycle cycle, const char *diagram)
{
    struct wari_game game;
    struct wari_setup start;
    struct wari_error error;
    if (wari_setup_parse(diagram, &start, &error) != WARI_OK)
        fail_msg("%s", error.text);
    wari_game_begin(&game, wari_host_system(), (struct wari_variant){rules, cycle}, &start);
    return game;
}

static void play(struct wari_game *game, const char *letters)
{
    struct wari_error error;
    for (; *letters; letters++)
        if (wari_game_play_letter(game, *letters, &error) != WARI_OK)
            fail_msg("%s", error.text);
}

static void assert_refused(struct wari_game *game, char letter, const char *why)
{
    struct wari_error error = {.text = ""};
    int count = game->count;
    assert_int_equal(wari_game_play_letter(game, letter, &error), WARI_BAD_INPUT);
    assert_non_null(strstr(error.text, why));
    assert_int_equal(game->count, count);
}

/* South has 1 seed in F; North has seeds in b and f. The position occurs again after moves 12
 * and 24. */
static const char three_seeds[] = "0-0-0-0-0-1-0-1-0-0-0-1-23-22-S";
static const char circle_own[] = "FfAbBcCaDdEeFfAbBcCdDaEe";
static const char circle_even[] = "FfAbBaCcDdEeFfAbBaCcDdEe";

static void third_repetition_ends_a_game_and_the_surplus_held_is_paid(void **state)
{
    (void)state;
    struct wari_game game = game_from(WARI_ABAPA, WARI_OWN, three_seeds);
    struct wari_score score;
    for (int i = 0; i < 24; i++) {
        char letter[] = {circle_own[i], '\0'};
        assert_int_equal(game.end, WARI_GAME_OPEN);
        assert_false(wari_game_score(&game, &score));
        play(&game, letter);
        if (i == 11) {
            assert_int_equal(game.times, 2);
            assert_int_equal(game.first, 0);
        }
    }
    assert_int_equal(game.end, WARI_GAME_REPETITION);
    assert_int_equal(game.times, 3);
    assert_int_equal(game.first, 0);
    assert_int_equal(game.plies[23].times, 2);
    /* North always has at least two of the three seeds in its row. */
    assert_int_equal(wari_game_cycle_pays(&game, game.first), -1);
    assert_true(wari_game_score(&game, &score));
    assert_int_equal(score.halves[0], 2 * 24);
    assert_int_equal(score.halves[1], 2 * 24);
    assert_int_equal(score.winner, -1);
    wari_game_free(&game);
}

static void own_pays_what_is_held_all_the_time(void **state)
{
    (void)state;
    static const struct {
        const char *diagram, *moves;
        int pays;
    } cases[] = {
        /* The game above with the sides exchanged: South always has at least two of the three
         * seeds. */
        {"0-1-0-0-0-1-0-0-0-0-0-1-22-23-N", "fFaBbCcAdDeEfFaBbCcDdAeE", 1},
        /* Two seeds: after South's seed has passed to North's row, North has both seeds for a
         * moment; later South has both. */
        {"1-0-0-0-0-0-1-0-0-0-0-0-23-23-S", "AaBbCcDdEeFfAaBbCcDdEeFf", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wari_game game = game_from(WARI_ABAPA, WARI_OWN, cases[i].diagram);
        play(&game, cases[i].moves);
        assert_int_equal(game.end, WARI_GAME_REPETITION);
        assert_int_equal(wari_game_cycle_pays(&game, game.first), cases[i].pays);
        wari_game_free(&game);
    }
}

static void an_even_split_may_halve_a_seed(void **state)
{
    (void)state;
    struct wari_game game = game_from(WARI_AWARI, WARI_EVEN, three_seeds);
    struct wari_score score;
    play(&game, circle_even);
    assert_int_equal(game.end, WARI_GAME_REPETITION);
    assert_true(wari_game_score(&game, &score));
    assert_int_equal(score.halves[0], 49);
    assert_int_equal(score.halves[1], 47);
    assert_int_equal(score.winner, 0);
    wari_game_free(&game);
}

static void a_game_may_go_on_behind_a_third_repetition(void **state)
{
    (void)state;
    struct wari_game game = game_from(WARI_ABAPA, WARI_OWN, three_seeds);
    play(&game, circle_own);
    play(&game, "Ff");
    assert_int_equal(game.end, WARI_GAME_REPETITION); /* this position also occurs for the third
                                                       * time */
    play(&game, "Aa");
    assert_int_equal(game.end, WARI_GAME_OPEN);
    assert_int_equal(game.times, 1);
    wari_game_free(&game);
}

static void the_same_board_with_the_other_side_to_move_is_no_repetition(void **state)
{
    (void)state;
    struct wari_game game = game_from(WARI_ABAPA, WARI_EVEN, "1-0-0-0-0-0-1-0-0-0-0-0-23-23-S");
    /* After A and a, each mover sees both seeds in the same arrangement, one pit further on. */
    play(&game, "AaBbCcDdEeF");
    for (int i = 0; i < game.count; i++)
        assert_int_equal(game.plies[i].times, 1);
    play(&game, "f");
    assert_int_equal(game.times, 2);
    wari_game_free(&game);
}

static void stores_grow_by_captures_and_nobody_moves_in_the_end(void **state)
{
    (void)state;
    /* F captures 2 seeds in a, and North feeds South with f. The seed in A cannot feed North, so
     * South gets it. */
    struct wari_game game = game_from(WARI_ABAPA, WARI_OWN, "0-0-0-0-0-1-1-0-0-0-0-1-23-22-S");
    struct wari_score score;
    play(&game, "F");
    assert_int_equal(game.now.stores[0], 25);
    assert_int_equal(game.plies[0].move.captured, 2);
    assert_true(game.now.north_to_move);
    play(&game, "f");
    assert_int_equal(game.end, WARI_GAME_NO_MOVE);
    assert_true(wari_game_score(&game, &score));
    assert_int_equal(score.halves[0], 2 * 26);
    assert_int_equal(score.halves[1], 2 * 22);
    assert_int_equal(score.winner, 0);
    assert_refused(&game, 'A', "the game is over");
    wari_game_free(&game);
}

/* F captures the 3 seeds in a, which are all seeds that North then has. Pit E holds 2 more. */
static const char slam[] = "0-0-0-0-2-1-2-0-0-0-0-0-22-21-S";

static void a_slam_ends_a_game_as_its_rules_say(void **state)
{
    (void)state;
    static const struct {
        enum wari_rules rules;
        int south, north, nobody, winner;
        bool by_slam;
    } expected[] = {
        {WARI_WARE, 22, 26, 0, 1, true},
        {WARI_SLAM_ENDS, 22, 21, 5, 0, false},
        {WARI_SLAM_GIVES, 25, 23, 0, 0, false},
        {WARI_SLAM_WINS, 27, 21, 0, 0, true},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct wari_game game = game_from(expected[i].rules, WARI_EVEN, slam);
        struct wari_score score;
        play(&game, "F");
        assert_int_equal(game.end, WARI_GAME_SLAM);
        assert_true(wari_game_score(&game, &score));
        assert_int_equal(score.halves[0], 2 * expected[i].south);
        assert_int_equal(score.halves[1], 2 * expected[i].north);
        assert_int_equal(score.nobody, expected[i].nobody);
        assert_int_equal(score.winner, expected[i].winner);
        assert_int_equal(score.by_slam, expected[i].by_slam);
        assert_refused(&game, 'a', "a grand slam ended it");
        wari_game_free(&game);
    }
}

static void a_winning_slam_of_north_wins_for_north(void **state)
{
    (void)state;
    struct wari_game game = game_from(WARI_SLAM_WINS, WARI_EVEN, "2-0-0-0-0-0-0-0-0-0-2-1-25-18-N");
    struct wari_score score;
    play(&game, "f");
    assert_true(wari_game_score(&game, &score));
    assert_int_equal(score.winner, 1);
    assert_int_equal(score.halves[1], 2 * 23);
    wari_game_free(&game);
}

static void after_a_slam_of_warri_the_same_side_moves(void **state)
{
    (void)state;
    struct wari_game game = game_from(WARI_WARRI, WARI_EVEN, slam);
    play(&game, "F");
    assert_false(game.now.north_to_move);
    assert_int_equal(game.now.stores[0], 25);
    assert_refused(&game, 'a', "'a' is not a move of South");
    play(&game, "E");
    assert_true(game.now.north_to_move);
    wari_game_free(&game);
}

static void why_a_move_is_illegal_is_said(void **state)
{
    (void)state;
    struct wari_game game = game_from(WARI_WARI, WARI_EVEN, "1-0-0-0-0-1-2-0-0-0-0-0-22-22-S");
    assert_refused(&game, 'F', "this grand slam is illegal");
    assert_refused(&game, 'B', "B cannot be played: it is empty");
    assert_refused(&game, 'a', "'a' is not a move of South");
    wari_game_free(&game);
    game = game_from(WARI_ABAPA, WARI_EVEN, "1-0-0-0-0-1-0-0-0-0-0-0-23-23-S");
    assert_refused(&game, 'A', "would not feed");
    wari_game_free(&game);
}

static void a_game_that_is_over_at_its_start_has_a_score(void **state)
{
    (void)state;
    /* RULES.md: every move is a slam. Under `awari` the mover gets all seeds; under `wari` each
     * side gets the seeds in its row. */
    static const char stuck[] = "0-0-0-3-2-0-1-0-0-0-0-0-21-21-S";
    struct wari_score score;
    struct wari_game game = game_from(WARI_AWARI, WARI_EVEN, stuck);
    assert_int_equal(game.end, WARI_GAME_NO_MOVE);
    assert_true(wari_game_score(&game, &score));
    assert_int_equal(score.halves[0], 2 * 27);
    game = game_from(WARI_WARI, WARI_EVEN, stuck);
    assert_true(wari_game_score(&game, &score));
    assert_int_equal(score.halves[0], 2 * 26);
    assert_int_equal(score.halves[1], 2 * 22);
}

/* Every move of this position is a slam: D sows E, F and a, E sows F and a, and each makes 2 in a,
 * where North has its only seed. South has 21 + 6 = 27 seeds in the end, whether a slam is played
 * or not. */
static void awari_allows_a_slam_as_the_last_move_if_there_is_no_other(void **state)
{
    (void)state;
    static const char stuck[] = "0-0-0-3-2-0-1-0-0-0-0-0-21-21-S";
    for (char letter = 'D'; letter <= 'E'; letter++) {
        struct wari_game game = game_from(WARI_AWARI, WARI_EVEN, stuck);
        struct wari_score score;
        assert_refused(&game, 'A', "the game is over");
        assert_int_equal(wari_game_play_letter(&game, letter, NULL), WARI_OK);
        assert_int_equal(game.plies[0].move.captured, 2);
        assert_int_equal(game.now.stores[0], 23);
        assert_true(game.now.north_to_move);
        assert_int_equal(game.now.position.pits[WARI_HALF_PITS + 5], 1); /* F of South */
        assert_int_equal(game.end, WARI_GAME_NO_MOVE);
        assert_true(wari_game_score(&game, &score));
        assert_int_equal(score.halves[0], 2 * 27);
        assert_int_equal(score.halves[1], 2 * 21);
        assert_refused(&game, 'f', "the game is over");
        wari_game_free(&game);
    }
    /* Other moves are refused: a slam under `wari`; a slam under `awari` if another move is legal;
     * and a move that is no slam if the game is over. */
    struct wari_game game = game_from(WARI_WARI, WARI_EVEN, stuck);
    assert_refused(&game, 'D', "the game is over");
    game = game_from(WARI_AWARI, WARI_EVEN, "1-0-0-0-0-1-2-0-0-0-0-0-22-22-S");
    assert_refused(&game, 'F', "this grand slam is illegal");
    game = game_from(WARI_AWARI, WARI_EVEN, "0-0-0-0-1-0-0-0-0-0-0-0-24-23-S");
    assert_refused(&game, 'E', "the game is over");
}

static void a_game_has_a_longest_length(void **state)
{
    (void)state;
    struct wari_game game = game_from(WARI_ABAPA, WARI_EVEN, "1-0-0-0-0-0-1-0-0-0-0-0-23-23-S");
    for (int i = 0; i < WARI_GAME_MOVES_MAX; i++) {
        char letter[] = {"AaBbCcDdEeFf"[i % 12], '\0'};
        play(&game, letter);
    }
    assert_int_equal(game.count, WARI_GAME_MOVES_MAX);
    assert_refused(&game, "AaBbCcDdEeFf"[WARI_GAME_MOVES_MAX % 12], "at most 10000 moves");
    wari_game_free(&game);
}

/* Counts the occurrences by comparing with every earlier position. */
static void assert_times(const struct wari_game *game)
{
    int times = 1, expected = game->count;
    for (int i = game->count - 1; i >= 0; i--) {
        const struct wari_setup *before = &game->plies[i].before;
        if (before->north_to_move != game->now.north_to_move ||
            memcmp(&before->position, &game->now.position, sizeof before->position) != 0)
            continue;
        times++;
        expected = i;
    }
    assert_int_equal(game->times, times);
    assert_int_equal(game->first, expected);
}

static void how_often_a_position_stood_is_known_however_long_the_game(void **state)
{
    enum { GAMES = 50, MOVES = 300 };
    uint64_t random = 1;
    int again = 0, longest = 0;
    (void)state;
    for (int number = 0; number < GAMES; number++) {
        struct wari_game game = game_from(WARI_ABAPA, WARI_OWN, "1-0-1-0-0-1-0-1-0-0-0-1-23-20-S");
        while (game.count < MOVES) {
            struct wari_moves moves;
            wari_find_moves(game.variant.rules, &game.now.position, &moves);
            if (moves.count == 0)
                break;
            random = random * 6364136223846793005 + 1442695040888963407;
            int choice = (int)((random >> 33) % (uint64_t)moves.count);
            assert_int_equal(wari_game_play(&game, moves.list[choice].pit, NULL), WARI_OK);
            assert_times(&game);
            again += game.times > 1;
        }
        longest = game.count > longest ? game.count : longest;
        wari_game_free(&game);
    }
    assert_true(again > 100);
    assert_true(longest > 128); /* the memory of the game has grown twice */
}

TEST_GROUP(test_play_game)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(third_repetition_ends_a_game_and_the_surplus_held_is_paid),
        cmocka_unit_test(own_pays_what_is_held_all_the_time),
        cmocka_unit_test(an_even_split_may_halve_a_seed),
        cmocka_unit_test(a_game_may_go_on_behind_a_third_repetition),
        cmocka_unit_test(the_same_board_with_the_other_side_to_move_is_no_repetition),
        cmocka_unit_test(stores_grow_by_captures_and_nobody_moves_in_the_end),
        cmocka_unit_test(a_slam_ends_a_game_as_its_rules_say),
        cmocka_unit_test(a_winning_slam_of_north_wins_for_north),
        cmocka_unit_test(after_a_slam_of_warri_the_same_side_moves),
        cmocka_unit_test(why_a_move_is_illegal_is_said),
        cmocka_unit_test(a_game_that_is_over_at_its_start_has_a_score),
        cmocka_unit_test(awari_allows_a_slam_as_the_last_move_if_there_is_no_other),
        cmocka_unit_test(how_often_a_position_stood_is_known_however_long_the_game),
        cmocka_unit_test(a_game_has_a_longest_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
