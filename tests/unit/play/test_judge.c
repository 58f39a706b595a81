/* Compares the judge with the reference solver, which shares no code with it: every judgement in
 * random games of every rule set and cycle rule, and the sums of the losses. The games with
 * repetitions were found by searching the values of the reference solver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "play/judge.h"
#include "tests/reference/random_positions.h"
#include "tests/support/fault_host.h"
#include "tests/support/scale.h"
#include "tests/support/solved.h"
#include "tests/unit/groups.h"

/* ---- Games ---- */

static void begin(struct wari_game *game, const struct wari_host *host, struct wari_variant variant,
                  const char *diagram)
{
    struct wari_setup start;
    struct wari_error error;
    if (wari_setup_parse(diagram, &start, &error) != WARI_OK)
        fail_msg("%s", error.text);
    wari_game_begin(game, host, variant, &start);
}

static void play(struct wari_game *game, const char *letters)
{
    for (; *letters; letters++)
        assert_int_equal(wari_game_play_letter(game, *letters, NULL), WARI_OK);
}

/* Plays a random game from a placement of `seeds` seeds until the game ends or 200 moves are
 * played. Games with few seeds soon repeat positions. */
static void play_at_random(struct wari_game *game, struct wari_variant variant, int seeds,
                           struct random_positions *random)
{
    struct wari_setup start = {.diagram = true, .north_to_move = random_below(random, 2)};
    struct wari_moves moves;
    for (int i = 0; i < seeds; i++)
        start.position.pits[random_below(random, WARI_PITS)]++;
    start.stores[0] = (uint8_t)((WARI_SEEDS_MAX - seeds) / 2);
    start.stores[1] = (uint8_t)(WARI_SEEDS_MAX - seeds - start.stores[0]);
    wari_game_begin(game, wari_host_system(), variant, &start);
    while (game->end == WARI_GAME_OPEN && game->count < 200) {
        wari_find_moves(variant.rules, &game->now.position, &moves);
        int pit = moves.list[random_below(random, (uint32_t)moves.count)].pit;
        assert_int_equal(wari_game_play(game, pit, NULL), WARI_OK);
    }
}

/* ---- Expected values from the reference solver ---- */

static int reference_move(const struct solved *solved, const struct ref_move *move)
{
    if (move->ends)
        return move->value;
    int next = ref_value(solved->reference, move->next);
    return move->captured + (move->again ? next : -next);
}

static void expect_judged_move(const struct solved *solved, const struct wari_ply *ply,
                               const struct wari_judged_move *judged)
{
    struct ref_move moves[REF_ROW];
    int end_value, best = -WARI_SEEDS_MAX, mask = 0;
    assert_true(
        ref_moves((int)solved->variant.rules, ply->before.position.pits, moves, &end_value) > 0);
    for (int pit = 0; pit < REF_ROW; pit++)
        if (moves[pit].legal && reference_move(solved, &moves[pit]) > best)
            best = reference_move(solved, &moves[pit]);
    for (int pit = 0; pit < REF_ROW; pit++)
        if (moves[pit].legal && reference_move(solved, &moves[pit]) == best)
            mask |= 1 << pit;
    assert_true(judged->covered);
    assert_int_equal(judged->before, best);
    assert_int_equal(judged->played, reference_move(solved, &moves[ply->move.pit]));
    assert_int_equal(judged->loss, judged->before - judged->played);
    assert_int_equal(judged->best, mask);
}

/* Returns South's seeds minus North's seeds, in half seeds. */
static int lead(const struct wari_score *score)
{
    return score->halves[0] - score->halves[1];
}

/* Asserts for each position of the game: the score with best play equals the final score plus
 * South's later losses minus North's. */
static void expect_sum(const struct wari_game *game, const struct wari_judgement *judgement)
{
    struct wari_score score;
    assert_true(judgement->score_known);
    int expected = lead(&judgement->score) +
                   2 * (judgement->side[0].cycle_lost - judgement->side[1].cycle_lost);
    for (int i = game->count - 1; i >= 0; i--) {
        int loss = judgement->moves[i].loss;
        expected += 2 * (game->plies[i].before.north_to_move ? -loss : loss);
        assert_true(wari_judged_score(game, judgement, i, &score));
        assert_int_equal(lead(&score), expected);
    }
}

static void expect_counts(const struct wari_game *game, const struct wari_judgement *judgement)
{
    for (int north = 0; north < 2; north++) {
        const struct wari_judged_side *side = &judgement->side[north];
        int moves = 0, lost = 0, perfect = 0, first = -1, worst = -1, worst_loss = 0;
        for (int i = 0; i < game->count; i++) {
            int loss = judgement->moves[i].loss;
            if (game->plies[i].before.north_to_move != north)
                continue;
            moves++;
            lost += loss;
            perfect += loss == 0;
            first = first < 0 && loss ? i : first;
            worst = loss > worst_loss ? i : worst;
            worst_loss = loss > worst_loss ? loss : worst_loss;
        }
        assert_int_equal(side->moves, moves);
        assert_int_equal(side->judged, moves);
        assert_int_equal(side->perfect, perfect);
        assert_int_equal(side->lost, lost);
        assert_int_equal(side->first, first);
        assert_int_equal(side->worst, worst);
        assert_int_equal(side->worst_loss, worst_loss);
    }
    assert_int_equal(judgement->total.lost, judgement->side[0].lost + judgement->side[1].lost);
    assert_int_equal(judgement->total.moves, game->count);
}

static void verdicts_are_those_of_the_reference_and_losses_add_up(void **state)
{
    (void)state;
    struct random_positions random;
    int ends[4] = {0}, cycle_losses = 0;
    const int games = test_scale(300, 12), most = test_scale(6, 5);
    random_positions_seed(&random, 1);
    for (int i = 0; i < WARI_VARIANT_COUNT; i++) {
        struct solved solved;
        assert_true(solved_make(&solved, (enum wari_rules)(i / 2), (enum wari_cycle)(i % 2), most));
        for (int k = 0; k < games; k++) {
            struct wari_game game;
            struct wari_judgement judgement;
            play_at_random(&game, solved.variant, 2 + k % (most - 1), &random);
            assert_int_equal(wari_judge_game(solved.db, &game, &judgement, NULL), WARI_OK);
            for (int ply = 0; ply < game.count; ply++)
                expect_judged_move(&solved, &game.plies[ply], &judgement.moves[ply]);
            expect_counts(&game, &judgement);
            expect_sum(&game, &judgement);
            ends[game.end]++;
            cycle_losses += judgement.total.cycle_lost > 0;
            wari_judgement_free(&judgement);
            wari_game_free(&game);
        }
        assert_true(solved_discard(&solved));
    }
    for (int end = WARI_GAME_NO_MOVE; end <= WARI_GAME_REPETITION; end++)
        assert_true(ends[end] > 0);
    assert_true(cycle_losses > 0);
}

/* ---- Repetition ---- */

static void who_shuffles_a_surplus_away_loses_it(void **state)
{
    (void)state;
    /* By the reference solver, the value is -3 before every move, and no move loses seeds; but
     * by repeating for ever only 1 of the 3 seeds is lost. */
    static const char moves[] = "FfAbBcCaDdEeFfAbBcCdDaEe";
    struct solved solved;
    struct wari_game game;
    struct wari_judgement judgement;
    assert_true(solved_make(&solved, WARI_ABAPA, WARI_OWN, 3));
    begin(&game, wari_host_system(), solved.variant, "0-0-0-0-0-1-0-1-0-0-0-1-23-22-S");
    play(&game, moves);
    assert_int_equal(wari_judge_game(solved.db, &game, &judgement, NULL), WARI_OK);
    assert_int_equal(judgement.total.lost, 0);
    assert_int_equal(judgement.cycle.times, 3);
    assert_int_equal(judgement.cycle.first, 0);
    assert_int_equal(judgement.cycle.pays, -1);
    assert_int_equal(judgement.cycle.value, -3);
    assert_int_equal(judgement.cycle.loser, 1);
    assert_int_equal(judgement.cycle.cost, 2);
    assert_int_equal(judgement.side[1].cycle_lost, 2);
    assert_int_equal(judgement.side[0].cycle_lost, 0);
    assert_int_equal(judgement.total.cycle_lost, 2);
    assert_int_equal(judgement.score.halves[0], 48); /* instead of 46 */
    wari_judgement_free(&judgement);
    wari_game_free(&game);

    /* 46 without the repetition */
    begin(&game, wari_host_system(), solved.variant, "0-0-0-0-0-1-0-1-0-0-0-1-23-22-S");
    for (int i = 0; i < 12; i++)
        assert_int_equal(wari_game_play_letter(&game, moves[i], NULL), WARI_OK);
    assert_int_equal(wari_judge_game(solved.db, &game, &judgement, NULL), WARI_OK);
    assert_int_equal(judgement.cycle.times, 2);
    assert_int_equal(judgement.cycle.cost, 2);
    assert_int_equal(judgement.total.cycle_lost, 0);
    assert_int_equal(judgement.score.halves[0], 46);
    wari_judgement_free(&judgement);
    wari_game_free(&game);
    assert_true(solved_discard(&solved));
}

static void repeating_what_is_worth_nothing_loses_nothing(void **state)
{
    (void)state;
    struct solved solved;
    struct wari_game game;
    struct wari_judgement judgement;
    assert_true(solved_make(&solved, WARI_ABAPA, WARI_OWN, 2));
    begin(&game, wari_host_system(), solved.variant, "1-0-0-0-0-0-1-0-0-0-0-0-23-23-S");
    play(&game, "AaBbCcDdEeFfAaBbCcDdEeFf");
    assert_int_equal(game.end, WARI_GAME_REPETITION);
    assert_int_equal(wari_judge_game(solved.db, &game, &judgement, NULL), WARI_OK);
    assert_int_equal(judgement.cycle.loser, -1);
    assert_int_equal(judgement.total.lost + judgement.total.cycle_lost, 0);
    wari_judgement_free(&judgement);
    wari_game_free(&game);
    assert_true(solved_discard(&solved));
}

/* ---- Beyond the database ---- */

static void nothing_is_said_of_positions_beyond_the_database(void **state)
{
    (void)state;
    static const struct wari_judged_move nothing;
    struct random_positions random;
    struct solved solved;
    bool met[2] = {false, false};
    random_positions_seed(&random, 3);
    assert_true(solved_make(&solved, WARI_AWARI, WARI_EVEN, 4));
    for (int k = 0; k < 200; k++) {
        struct wari_game game;
        struct wari_judgement judgement;
        struct wari_score score;
        int judged = 0;
        play_at_random(&game, solved.variant, 7, &random);
        assert_int_equal(wari_judge_game(solved.db, &game, &judgement, NULL), WARI_OK);
        for (int i = 0; i < game.count; i++) {
            bool covered = wari_seeds(&game.plies[i].before.position) <= 4;
            met[covered] = true;
            judged += covered;
            assert_int_equal(judgement.moves[i].covered, covered);
            if (covered)
                expect_judged_move(&solved, &game.plies[i], &judgement.moves[i]);
            else
                assert_memory_equal(&judgement.moves[i], &nothing, sizeof nothing);
            assert_int_equal(wari_judged_score(&game, &judgement, i, &score), covered);
        }
        assert_int_equal(judgement.total.judged, judged);
        if (game.end == WARI_GAME_REPETITION)
            assert_int_equal(judgement.cycle.covered, wari_seeds(&game.now.position) <= 4);
        wari_judgement_free(&judgement);
        wari_game_free(&game);
    }
    assert_true(met[false] && met[true]);

    struct wari_game game;
    struct wari_judgement judgement;
    begin(&game, wari_host_system(), solved.variant, "1-1-1-1-1-1-0-0-0-0-0-1-21-20-S");
    assert_int_equal(wari_judge_game(solved.db, &game, &judgement, NULL), WARI_OK);
    assert_false(judgement.score_known);
    wari_judgement_free(&judgement);
    assert_true(solved_discard(&solved));
}

static void without_a_database_only_the_score_of_an_ended_game_is_known(void **state)
{
    (void)state;
    static const struct wari_variant variant = {WARI_ABAPA, WARI_OWN};
    struct wari_game game;
    struct wari_judgement judgement;
    begin(&game, wari_host_system(), variant, "0-0-0-0-0-1-1-0-0-0-0-0-23-23-S");
    assert_int_equal(wari_judge_game(NULL, &game, &judgement, NULL), WARI_OK);
    assert_false(judgement.score_known);
    wari_judgement_free(&judgement);
    wari_game_free(&game);

    begin(&game, wari_host_system(), variant, "0-0-0-0-0-1-1-0-0-0-0-1-23-22-S");
    play(&game, "Ff");
    assert_int_equal(wari_judge_game(NULL, &game, &judgement, NULL), WARI_OK);
    assert_int_equal(judgement.count, 2);
    assert_false(judgement.moves[0].covered || judgement.moves[1].covered);
    assert_int_equal(judgement.total.moves, 2);
    assert_int_equal(judgement.total.judged, 0);
    assert_int_equal(judgement.score_known, game.end != WARI_GAME_OPEN);
    wari_judgement_free(&judgement);
    wari_game_free(&game);
}

/* ---- Refusals and faults ---- */

static void other_rules_are_refused(void **state)
{
    (void)state;
    struct solved solved;
    struct wari_game game;
    struct wari_judgement judgement;
    struct wari_error error;
    assert_true(solved_make(&solved, WARI_AWARI, WARI_EVEN, 3));
    begin(&game, wari_host_system(), (struct wari_variant){WARI_AWARI, WARI_OWN},
          "0-1-0-0-1-0-0-0-0-0-0-1-23-22-S");
    assert_int_equal(wari_judge_game(solved.db, &game, &judgement, &error), WARI_MISMATCH);
    assert_non_null(strstr(error.text, "awari own"));
    assert_true(solved_discard(&solved));
}

/* Each call to the host fails once. The failure is returned, and no memory leaks. */
static void faults_come_back_as_what_they_are(void **state)
{
    (void)state;
    struct solved solved;
    bool fired = true;
    assert_true(solved_make(&solved, WARI_ABAPA, WARI_OWN, 3));
    for (long k = 1; fired; k++) {
        struct fault_host fault;
        struct wari_db *db = NULL;
        struct wari_game game;
        struct wari_judgement judgement = {.count = 0};
        fault_host_init(&fault, FAULT_ALLOCATE | FAULT_READ, k);
        const struct wari_options options = {.host = &fault.host};
        enum wari_status status = wari_open(&db, solved.folder, &solved.variant, &options, NULL);
        begin(&game, &fault.host, solved.variant, "0-0-0-0-0-1-0-1-0-0-0-1-23-22-S");
        if (status == WARI_OK)
            status = wari_game_play_letter(&game, 'F', NULL);
        if (status == WARI_OK)
            status = wari_judge_game(db, &game, &judgement, NULL);
        fired = fault_host_fired(&fault);
        assert_int_equal(status == WARI_OK, !fired);
        assert_true(!fired || status == WARI_NO_MEMORY || status == WARI_IO);
        wari_judgement_free(&judgement);
        wari_game_free(&game);
        wari_close(db);
        assert_true(fault_host_clean(&fault));
    }
    assert_true(solved_discard(&solved));
}

TEST_GROUP(test_judge)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_are_those_of_the_reference_and_losses_add_up),
        cmocka_unit_test(who_shuffles_a_surplus_away_loses_it),
        cmocka_unit_test(repeating_what_is_worth_nothing_loses_nothing),
        cmocka_unit_test(nothing_is_said_of_positions_beyond_the_database),
        cmocka_unit_test(without_a_database_only_the_score_of_an_ended_game_is_known),
        cmocka_unit_test(other_rules_are_refused),
        cmocka_unit_test(faults_come_back_as_what_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
