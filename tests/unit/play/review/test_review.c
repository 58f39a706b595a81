/* What a review says of a game's moves, from what is known of each position: losses, bounds of
 * them, who wins, accuracy. The positions are appraised by the test. Expected values are by hand,
 * from what review.h says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "play/review/review.h"
#include "tests/unit/groups.h"

enum { PLIES = 2 };

/* Values of the positions before each move and behind the last, for their movers. */
static enum wari_status appraise(void *context, const struct wari_game *game,
                                 struct wari_appraisal *appraisal, struct wari_error *error)
{
    const struct wari_appraised *values = context;
    struct wari_moves moves;
    (void)error;
    wari_moves(game->variant.rules, &game->now.position, &moves);
    *appraisal = (struct wari_appraisal){.value = values[game->count], .count = moves.count};
    for (int i = 0; i < moves.count; i++) /* the one from the right-most pit is the best */
        appraisal->moves[moves.count - 1 - i] =
            (struct wari_appraised_move){.move = moves.list[i], .value = values[game->count]};
    return WARI_OK;
}

/* South, who is a seed ahead, plays its only seed out of F, and North f, which feeds it. */
static void review(const struct wari_appraised values[PLIES + 1], struct wari_review *review)
{
    static const struct wari_setup start = {
        .position = {{0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1}}, .diagram = true, .stores = {23, 22}};
    const struct wari_reviewer reviewer = {.appraise = appraise,
                                           .context = (void *)(uintptr_t)values};
    struct wari_game game;
    wari_game_begin(&game, wari_host_system(), (struct wari_variant){WARI_ABAPA, WARI_OWN}, &start);
    assert_int_equal(wari_game_play_letter(&game, 'F', NULL), WARI_OK);
    assert_int_equal(wari_game_play_letter(&game, 'f', NULL), WARI_OK);
    assert_int_equal(wari_review_game(&reviewer, &game, review, NULL), WARI_OK);
    assert_int_equal(review->count, PLIES);
    wari_game_free(&game);
}

static struct wari_appraised between(int least, int score, int most)
{
    return (struct wari_appraised){.kind = least == most ? WARI_KIND_EXACT : WARI_KIND_BOUND,
                                   .searched = true,
                                   .score = score,
                                   .least = least,
                                   .most = most};
}

static void expect_accuracy(const struct wari_reviewed_side *side, double accuracy)
{
    assert_true(fabs(side->accuracy - accuracy) < 0.001);
}

/* South is sure to win by a seed before the move, and to lose by one behind it. */
static void a_proven_loss_turns_a_game_however_small(void **state)
{
    const struct wari_appraised values[] = {between(0, 0, 0), between(2, 200, 2),
                                            between(-2, -200, -2)};
    struct wari_review found;
    (void)state;
    review(values, &found);
    assert_int_equal(found.opinions[0].kind, WARI_KIND_EXACT);
    assert_int_equal(found.opinions[0].loss, 200);
    assert_int_equal(found.opinions[0].winner_before, 1);
    assert_int_equal(found.opinions[0].winner_behind, -1);
    assert_true(found.opinions[0].turn_proven);
    assert_int_equal(found.opinions[1].loss, 0);
    assert_false(found.opinions[1].turns);
    assert_int_equal(found.side[0].turns, 1);
    assert_int_equal(found.side[1].turns, 0);
    expect_accuracy(&found.side[0], 50);
    expect_accuracy(&found.side[1], 100);
    wari_review_free(&found);
}

/* What was played shows that the position was worth more than the search had seen. */
static void a_position_is_worth_what_was_played_from_it(void **state)
{
    const struct wari_appraised values[] = {between(-3, -100, 3), between(-2, -150, 3),
                                            between(-3, 0, 3)};
    struct wari_review found;
    (void)state;
    review(values, &found);
    assert_int_equal(found.opinions[0].before, 150);
    assert_int_equal(found.opinions[0].loss, 0);
    assert_int_equal(found.opinions[0].best, 1 << 5); /* F, the only move */
    wari_review_free(&found);
}

TEST_GROUP(test_review)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_proven_loss_turns_a_game_however_small),
        cmocka_unit_test(a_position_is_worth_what_was_played_from_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
