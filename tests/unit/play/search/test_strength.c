/* Levels of play: what they find, that they always judge the same position alike, and that each
 * level beats the one below it. The results are reproducible, since the noise depends only on
 * seed and board. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "play/game.h"
#include "play/search/evaluation.h"
#include "play/search/strength.h"
#include "tests/reference/random_positions.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

static const struct wari_variant tournament = {WARI_ABAPA, WARI_OWN};

static void levels_are_known_by_name(void **state)
{
    (void)state;
    for (const struct wari_strength *level = wari_strengths(); level->name; level++)
        assert_ptr_equal(wari_strength_find(level->name), level);
    assert_null(wari_strength_find("Beginner"));
    assert_null(wari_strength_find(""));
}

/* Computed by hand: move F captures 3 of the 4 seeds, and the remaining seed cannot be captured for
 * many moves. No level misjudges the remaining seed so much that it would play another move. */
static void every_level_sees_a_near_capture(void **state)
{
    const struct wari_position position = {{0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 1}};
    (void)state;
    for (const struct wari_strength *level = wari_strengths(); level->depth > 0; level++)
        for (uint64_t seed = 0; seed < 20; seed++)
            assert_int_equal(wari_strength_move(level, tournament, &position, seed), 5);
}

static void a_seed_always_plays_alike_and_others_do_not(void **state)
{
    const struct wari_strength *beginner = wari_strength_find("beginner");
    const struct wari_position start = wari_start_position();
    unsigned played = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        int pit = wari_strength_move(beginner, tournament, &start, seed);
        assert_int_equal(wari_strength_move(beginner, tournament, &start, seed), pit);
        played |= 1u << pit;
    }
    assert_int_equal(played, 0x3F); /* every pit was played at least once */
}

/* Returns the value of a position in hundredths of a seed, by a complete search to `depth` moves
 * without pruning. */
static int look_ahead(struct wari_variant variant, const struct wari_position *position, int depth,
                      int *best_pit)
{
    struct wari_moves moves;
    int best = -100 * WARI_SEEDS_MAX - 1;
    wari_find_moves(variant.rules, position, &moves);
    if (moves.count == 0)
        return 100 * moves.end_value;
    if (depth == 0) {
        const struct wari_search_board board = wari_search_board_of(position);
        return wari_evaluate(wari_evaluation_for(variant), &board);
    }
    for (int i = 0; i < moves.count; i++) {
        const struct wari_move *move = &moves.list[i];
        int reply;
        int next = move->ends ? 0 : look_ahead(variant, &move->next, depth - 1, &reply);
        int score = move->ends ? 100 * move->end_value
                               : 100 * move->captured + (move->again ? next : -next);
        if (score > best) {
            best = score;
            *best_pit = move->pit;
        }
    }
    return best;
}

/* A level of play that never misjudges a position plays the first of the best moves that a search
 * without pruning finds. Under `warri` a grand slam gives another move; under `ware` it ends the
 * game. */
static void no_move_that_is_better_is_left_out(void **state)
{
    static const enum wari_rules rules[] = {WARI_ABAPA, WARI_WARRI, WARI_WARE};
    static const struct wari_strength sober = {"sober", 3, 0};
    struct random_positions random;
    struct wari_position position;
    (void)state;
    random_positions_seed(&random, 3);
    for (int i = 0; i < test_scale(600, 150); i++) {
        const struct wari_variant variant = {rules[i % 3], WARI_OWN};
        int pit = -1;
        random_position(&random, position.pits);
        (void)look_ahead(variant, &position, sober.depth, &pit);
        if (pit >= 0)
            assert_int_equal(wari_strength_move(&sober, variant, &position, 0), pit);
    }
}

/* Plays a game between two levels. Asserts that every move is legal. */
static int play_out(const struct wari_strength *const levels[2], struct wari_variant variant,
                    uint64_t seed)
{
    enum { MOVES = 300 };
    struct wari_game game;
    struct wari_setup start = wari_game_start_setup();
    wari_game_begin(&game, wari_host_system(), variant, &start);
    while (game.end == WARI_GAME_OPEN && game.count < MOVES) {
        const struct wari_strength *level = levels[game.now.north_to_move];
        int pit = wari_strength_move(level, variant, &game.now.position, seed);
        assert_int_equal(wari_game_play(&game, pit, NULL), WARI_OK);
    }
    int ahead = game.now.stores[0] - game.now.stores[1];
    wari_game_free(&game);
    return ahead;
}

static void each_level_beats_the_one_below(void **state)
{
    const uint64_t games = (uint64_t)test_scale(20, 4);
    (void)state;
    for (const struct wari_strength *level = wari_strengths() + 1; level->depth > 0; level++) {
        int won = 0;
        for (uint64_t seed = 0; seed < games; seed++) {
            const struct wari_strength *south_is_better[] = {level, level - 1};
            const struct wari_strength *north_is_better[] = {level - 1, level};
            int ahead = seed % 2 ? -play_out(north_is_better, tournament, seed)
                                 : play_out(south_is_better, tournament, seed);
            won += ahead > 0;
        }
        assert_in_range(won, (games * 3 + 3) / 4, games);
    }
}

/* Chooses the first of the moves that capture most. */
static int most_greedy_pit(struct wari_variant variant, const struct wari_position *position)
{
    struct wari_moves moves;
    int best = 0;
    wari_find_moves(variant.rules, position, &moves);
    for (int i = 1; i < moves.count; i++)
        if (moves.list[i].captured > moves.list[best].captured)
            best = i;
    return moves.list[best].pit;
}

/* Plays games between a greedy player, which captures as much as possible in each move, and a level
 * of strength. The greedy player is South in one game and North in the next. Sets won[0] and won[1]
 * to the numbers of games that the greedy player wins as South and as North. */
static void play_greedily(const struct wari_strength *level, uint64_t games, uint64_t won[2])
{
    enum { MOVES = 300 };
    won[0] = won[1] = 0;
    for (uint64_t seed = 0; seed < games; seed++) {
        struct wari_game game;
        struct wari_setup start = wari_game_start_setup();
        bool greedy_is_north = seed % 2;
        wari_game_begin(&game, wari_host_system(), tournament, &start);
        while (game.end == WARI_GAME_OPEN && game.count < MOVES) {
            const struct wari_position *now = &game.now.position;
            int pit = game.now.north_to_move == greedy_is_north
                          ? most_greedy_pit(tournament, now)
                          : wari_strength_move(level, tournament, now, seed);
            assert_int_equal(wari_game_play(&game, pit, NULL), WARI_OK);
        }
        won[greedy_is_north] +=
            game.now.stores[greedy_is_north] > game.now.stores[!greedy_is_north];
        wari_game_free(&game);
    }
}

/* Against the weakest level, the greedy player wins at least three games of four as South, and at
 * least three of four as North. */
static void a_greedy_player_beats_the_weakest_level(void **state)
{
    const uint64_t games = (uint64_t)test_scale(60, 20);
    uint64_t won[2];
    (void)state;
    play_greedily(wari_strengths(), games, won);
    assert_in_range(4 * won[0], 3 * games / 2, 2 * games);
    assert_in_range(4 * won[1], 3 * games / 2, 2 * games);
}

/* The strength of these levels must not change, because players know it: of 200 games, the greedy
 * player won 147 against "beginner" and 86 against "easy" (play/README.md). The test allows these
 * shares to differ by a fifth of all games. */
static void a_greedy_player_wins_most_games_against_beginner_and_fewer_against_easy(void **state)
{
    const uint64_t games = (uint64_t)test_scale(100, 20);
    uint64_t won[2];
    (void)state;
    play_greedily(wari_strength_find("beginner"), games, won);
    assert_in_range(10 * (won[0] + won[1]), 5 * games, 9 * games);
    play_greedily(wari_strength_find("easy"), games, won);
    assert_in_range(10 * (won[0] + won[1]), 2 * games, 6 * games);
}

static void all_rules_can_be_played(void **state)
{
    (void)state;
    for (const struct wari_strength *level = wari_strengths(); level->depth > 0 && level->depth < 4;
         level++)
        for (int rules = 0; rules < WARI_RULES_COUNT; rules++)
            (void)play_out((const struct wari_strength *[]){level, level},
                           (struct wari_variant){(enum wari_rules)rules, WARI_EVEN}, 7);
}

TEST_GROUP(test_strength)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_known_by_name),
        cmocka_unit_test(every_level_sees_a_near_capture),
        cmocka_unit_test(a_seed_always_plays_alike_and_others_do_not),
        cmocka_unit_test(no_move_that_is_better_is_left_out),
        cmocka_unit_test(each_level_beats_the_one_below),
        cmocka_unit_test(a_greedy_player_beats_the_weakest_level),
        cmocka_unit_test(a_greedy_player_wins_most_games_against_beginner_and_fewer_against_easy),
        cmocka_unit_test(all_rules_can_be_played),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
