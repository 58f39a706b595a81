/* Evaluations of positions above a database: bounds of the moves, and their order. The positions
 * have more seeds than the database; the reference solver gives their true values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "play/review/evaluate.h"
#include "tests/support/scale.h"
#include "tests/support/solved.h"
#include "tests/unit/groups.h"

enum { COVERED = 4, SEARCHED = 6 };

static const struct wari_search_settings settings = {.hash_mb = 1};

static int worth(const struct ref_table *table, const struct ref_move *move)
{
    if (move->ends)
        return move->value;
    int next = ref_value(table, move->next);
    return move->captured + (move->again ? next : -next);
}

static void evaluate(struct wari_db *db, struct wari_search *search, struct wari_variant variant,
                     const struct wari_position *position, struct wari_position_result *result)
{
    /* The search makes proofs only if several lines and a time limit are requested. This time
     * limit is never reached. */
    static const struct wari_search_limits limits = {
        .depth = 5, .milliseconds = 1000000, .lines = WARI_HALF_PITS};
    const uint8_t store = (WARI_SEEDS_MAX - SEARCHED) / 2;
    const struct wari_setup setup = {
        .position = *position, .diagram = true, .stores = {store, store}};
    struct wari_game game;
    wari_search_clear(search);
    wari_game_begin(&game, wari_host_system(), variant, &setup);
    assert_int_equal(wari_evaluate_position(db, search, &game, &limits, result, NULL), WARI_OK);
}

/* Fixed bug: proofs for moves other than the first were ignored. So the proven value of a position
 * could be greater than that of each of its moves, and moves without a proof were listed before
 * the proven one. */
static void check(const struct wari_position_result *result, const struct ref_table *table,
                  const struct ref_move moves[REF_ROW])
{
    const struct wari_move_result *first = &result->moves[0];
    int most_proven = -WARI_SEEDS_MAX;
    for (int i = 0; i < result->count; i++) {
        const struct wari_move_result *move = &result->moves[i];
        int value = worth(table, &moves[move->move.pit]);
        assert_true(move->value.least <= value && value <= move->value.most);
        if (move->value.least > most_proven)
            most_proven = move->value.least;
        assert_true(move->value.score < first->value.score ||
                    move->value.least <= first->value.least);
    }
    assert_int_equal(result->value.least, most_proven);
    assert_int_equal(result->last.line[0].pit, first->move.pit);
}

static void some_move_proves_what_is_proven_of_the_position(void **state)
{
    const int step = test_scale(3, 31); /* every step-th position is tested */
    struct ref_move moves[REF_ROW];
    struct wari_position position;
    struct wari_position_result result;
    struct wari_search *search;
    struct solved solved;
    int end_value, number = 0;
    struct ref_table *table = ref_solve(WARI_ABAPA, WARI_OWN, SEARCHED);
    (void)state;
    assert_non_null(table);
    assert_true(solved_make(&solved, WARI_ABAPA, WARI_OWN, COVERED));
    assert_int_equal(wari_search_new(&search, solved.db, wari_host_system(), &settings, NULL),
                     WARI_OK);
    ref_first(SEARCHED, position.pits);
    do {
        if (number++ % step != 0 || ref_moves(WARI_ABAPA, position.pits, moves, &end_value) == 0)
            continue;
        evaluate(solved.db, search, solved.variant, &position, &result);
        check(&result, table, moves);
    } while (ref_next(position.pits));
    wari_search_free(search);
    assert_true(solved_discard(&solved));
    ref_free(table);
}

static struct wari_position_result found_at(int depth, int least, int score, int most)
{
    const struct wari_value_result value = {
        .kind = WARI_KIND_BOUND, .searched = true, .score = score, .least = least, .most = most};
    return (struct wari_position_result){.value = value,
                                         .count = 1,
                                         .moves = {{.value = value}},
                                         .last = {.depth = depth, .line_count = 1}};
}

/* Computed by hand: the narrower bounds are kept, whichever search found them. The score is that
 * of the deeper search, limited to these bounds. */
static void bounds_of_two_searches_are_kept_and_the_deeper_score(void **state)
{
    struct wari_position_result shallow = found_at(5, -4, 100, 3), deep = found_at(8, -2, 600, 6);
    const struct wari_position_result before = shallow;
    (void)state;
    wari_position_result_merge(&shallow, &deep, 10);
    wari_position_result_merge(&deep, &before, 10);
    const struct wari_position_result *sums[] = {&shallow, &deep};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sums[i]->value.least, -2);
        assert_int_equal(sums[i]->value.most, 3);
        assert_int_equal(sums[i]->value.score, 300);
        assert_int_equal(sums[i]->value.kind, WARI_KIND_BOUND);
        assert_int_equal(sums[i]->moves[0].value.most, 3);
        assert_int_equal(sums[i]->last.depth, 8);
    }
}

/* Computed by hand: the deeper search finds that the first move gets 5 seeds, but the other search
 * has proven that the move gets at most 3. So the second move, with 3.2 seeds, is the best one. */
static void a_merged_position_has_the_score_of_its_best_move(void **state)
{
    struct wari_position_result shallow = found_at(5, -4, 200, 9), deep = found_at(8, -4, 500, 9);
    (void)state;
    shallow.count = deep.count = 2;
    shallow.moves[1] = shallow.moves[0];
    deep.moves[1] = deep.moves[0];
    shallow.moves[1].move.pit = deep.moves[1].move.pit = 1;
    shallow.moves[0].value.most = 3;
    shallow.moves[1].value.score = 100;
    deep.moves[1].value.score = 320;
    wari_position_result_merge(&shallow, &deep, 10);
    assert_int_equal(shallow.moves[0].move.pit, 1);
    assert_int_equal(shallow.moves[0].value.score, 320);
    assert_int_equal(shallow.moves[1].value.score, 300);
    assert_int_equal(shallow.value.score, 320);
    assert_int_equal(shallow.value.most, 9);
}

TEST_GROUP(test_evaluate)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_move_proves_what_is_proven_of_the_position),
        cmocka_unit_test(bounds_of_two_searches_are_kept_and_the_deeper_score),
        cmocka_unit_test(a_merged_position_has_the_score_of_its_best_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
