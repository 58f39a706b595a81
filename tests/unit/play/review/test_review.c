/* The review of a game, given the evaluation of each position: losses and their bounds, who
 * wins, accuracy. The test itself evaluates the positions. Expected values were derived by hand
 * from review.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "play/review/review.h"
#include "tests/unit/groups.h"

enum { PLIES = 2 };

/* Returns the given value of the current position: values[i] is the value before move i, for the
 * side that moves; the last element is the value after the last move. */
static enum wari_status evaluate(void *context, const struct wari_game *game,
                                 struct wari_position_result *result, struct wari_error *error)
{
    const struct wari_value_result *values = context;
    struct wari_moves moves;
    (void)error;
    wari_find_moves(game->variant.rules, &game->now.position, &moves);
    *result = (struct wari_position_result){.value = values[game->count], .count = moves.count};
    for (int i = 0; i < moves.count; i++) /* the move from the right-most pit is the best */
        result->moves[moves.count - 1 - i] =
            (struct wari_move_result){.move = moves.list[i], .value = values[game->count]};
    return WARI_OK;
}

/* Reviews a game in which South, who is one seed ahead, plays A, and North plays b. The best
 * moves would be F and f. Nothing is captured. */
static void review(const struct wari_value_result values[PLIES + 1], struct wari_review *review)
{
    static const struct wari_setup start = {
        .position = {{1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 2}}, .diagram = true, .stores = {22, 21}};
    const struct wari_reviewer reviewer = {.evaluate = evaluate,
                                           .context = (void *)(uintptr_t)values};
    struct wari_game game;
    wari_game_begin(&game, wari_host_system(), (struct wari_variant){WARI_ABAPA, WARI_OWN}, &start);
    assert_int_equal(wari_game_play_letter(&game, 'A', NULL), WARI_OK);
    assert_int_equal(wari_game_play_letter(&game, 'b', NULL), WARI_OK);
    assert_int_equal(wari_review_game(&reviewer, &game, review, NULL), WARI_OK);
    assert_int_equal(review->count, PLIES);
    wari_game_free(&game);
}

static struct wari_value_result between(int least, int score, int most)
{
    return (struct wari_value_result){.kind = least == most ? WARI_KIND_EXACT : WARI_KIND_BOUND,
                                      .searched = true,
                                      .score = score,
                                      .least = least,
                                      .most = most};
}

static void expect_accuracy(const struct wari_reviewed_side *side, double accuracy)
{
    assert_true(fabs(side->accuracy - accuracy) < 0.001);
}

/* South's move is worth -3 to -1 for South, and the position before it 1 to 3. */
static void a_reply_bounds_the_move_before_it(void **state)
{
    const struct wari_value_result values[] = {between(1, 150, 3), between(1, 200, 3),
                                               between(2, 200, 2)};
    struct wari_review found;
    (void)state;
    review(values, &found);
    const struct wari_reviewed_move *south = &found.moves[0], *north = &found.moves[1];
    assert_int_equal(south->kind, WARI_KIND_BOUND);
    assert_int_equal(south->before, 150);
    assert_int_equal(south->played, -200);
    assert_int_equal(south->loss, 350);
    assert_int_equal(south->proven_loss, 2);
    assert_int_equal(south->winner_before, 1);
    assert_int_equal(south->winner_after, -1); /* the score says that South loses, although the
                                                * bounds still allow a draw */
    assert_true(south->turns);
    assert_false(south->turn_proven);
    assert_int_equal(north->played, -200);
    assert_int_equal(north->loss, 400);
    assert_int_equal(north->proven_loss, 3);
    assert_int_equal(found.side[0].lost, 350);
    assert_int_equal(found.side[0].proven, 1);
    expect_accuracy(&found.side[0], 100 / 2.75); /* a loss of 3.5 seeds */
    expect_accuracy(&found.side[1], 100 / 3.0);
    wari_review_free(&found);
}

/* Before the move South certainly wins by one seed; after it South certainly loses by one. */
static void a_proven_loss_turns_a_game_however_small(void **state)
{
    const struct wari_value_result values[] = {between(0, 0, 0), between(2, 200, 2),
                                               between(-2, -200, -2)};
    struct wari_review found;
    (void)state;
    review(values, &found);
    assert_int_equal(found.moves[0].kind, WARI_KIND_EXACT);
    assert_int_equal(found.moves[0].loss, 200);
    assert_int_equal(found.moves[0].winner_before, 1);
    assert_int_equal(found.moves[0].winner_after, -1);
    assert_true(found.moves[0].turn_proven);
    assert_int_equal(found.moves[1].loss, 0);
    assert_false(found.moves[1].turns);
    assert_int_equal(found.side[0].turns, 1);
    assert_int_equal(found.side[1].turns, 0);
    expect_accuracy(&found.side[0], 50);
    expect_accuracy(&found.side[1], 100);
    wari_review_free(&found);
}

/* A loss of one and a half seeds may only be an error of the search; a loss of two seeds counts. */
static void an_estimate_turns_a_game_by_two_seeds(void **state)
{
    struct wari_value_result values[] = {between(-3, 0, 3), between(-3, 150, 3), between(-3, 0, 3)};
    struct wari_review found;
    (void)state;
    review(values, &found);
    assert_int_equal(found.moves[0].kind, WARI_KIND_ESTIMATE);
    assert_int_equal(found.moves[0].loss, 150);
    assert_int_equal(found.moves[0].winner_after, -1);
    assert_false(found.moves[0].turns);
    wari_review_free(&found);
    values[1].score = 200;
    review(values, &found);
    assert_true(found.moves[0].turns);
    assert_false(found.moves[0].turn_proven);
    wari_review_free(&found);
}

/* The value of the move played shows that the position was worth more than the search found. */
static void a_position_is_worth_what_was_played_from_it(void **state)
{
    const struct wari_value_result values[] = {between(-3, -100, 3), between(-2, -150, 3),
                                               between(-3, 0, 3)};
    struct wari_review found;
    (void)state;
    review(values, &found);
    assert_int_equal(found.moves[0].before, 150);
    assert_int_equal(found.moves[0].loss, 0);
    assert_int_equal(found.moves[0].best, 1 << 5); /* the set that contains only F */
    wari_review_free(&found);
}

/* By hand: (1 x 100 + 3 x 60) / 4 = 70. */
static void the_accuracy_of_several_games_is_the_mean_over_all_moves(void **state)
{
    const struct wari_reviewed_side first = {1, 1, 0, 100, 0}, second = {3, 2, 1, 60, 450};
    const struct wari_reviewed_side empty = {.accuracy = 100};
    struct wari_reviewed_side sum = empty;
    (void)state;
    wari_reviewed_add(&sum, &empty);
    expect_accuracy(&sum, 100);
    wari_reviewed_add(&sum, &first);
    wari_reviewed_add(&sum, &second);
    wari_reviewed_add(&sum, &empty);
    expect_accuracy(&sum, 70);
    assert_int_equal(sum.moves, 4);
    assert_int_equal(sum.proven, 3);
    assert_int_equal(sum.turns, 1);
    assert_int_equal(sum.lost, 450);
}

TEST_GROUP(test_review)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reply_bounds_the_move_before_it),
        cmocka_unit_test(a_proven_loss_turns_a_game_however_small),
        cmocka_unit_test(an_estimate_turns_a_game_by_two_seeds),
        cmocka_unit_test(a_position_is_worth_what_was_played_from_it),
        cmocka_unit_test(the_accuracy_of_several_games_is_the_mean_over_all_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
