/* Tests of the search with a database, from positions with more seeds than the database covers. If
 * the search reports a value as proven, this is the exact value, and the move that the search
 * chooses attains it. The expected values come from the reference solver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "play/search/evaluation.h"
#include "play/search/search.h"
#include "play/search/tree.h"
#include "play/search/utility.h"
#include "tests/support/fault_host.h"
#include "tests/support/scale.h"
#include "tests/support/solved.h"
#include "tests/unit/groups.h"

enum { COVERED = 4, SEARCHED = 6 };

static const struct wari_search_settings settings = {.hash_mb = 1};

static struct wari_setup setup_of(const struct wari_position *position)
{
    int captured = WARI_SEEDS_MAX - wari_seeds(position);
    return (struct wari_setup){
        .position = *position, .diagram = true, .stores = {(uint8_t)captured, 0}};
}

static int worth(const struct ref_table *table, const struct ref_move *move)
{
    if (move->ends)
        return move->value;
    int next = ref_value(table, move->next);
    return move->captured + (move->again ? next : -next);
}

/* Searches with only the last legal move allowed. The search must return this move, and its
 * proven bounds must hold for this move. */
static void check_last_move(struct wari_search *search, const struct ref_table *table,
                            const struct wari_game *game, const struct ref_move moves[REF_ROW])
{
    struct wari_search_report report;
    int pit = REF_ROW - 1;
    while (!moves[pit].legal)
        pit--;
    const struct wari_search_limits limits = {.depth = 5, .milliseconds = -1, .pits = 1 << pit};
    assert_int_equal(wari_search_run(search, game, &limits, NULL, &report, NULL), WARI_OK);
    assert_int_equal(report.pit, pit);
    assert_in_range(worth(table, &moves[pit]) + WARI_SEEDS_MAX, report.least + WARI_SEEDS_MAX,
                    report.most + WARI_SEEDS_MAX);
}

/* Fixed bug: the search proved a draw but played a move that lost. The stores are chosen so that
 * a position with the value `even` is a draw. The move found must be worth at least the value
 * that was proven for the position. There is one exception: if this value is less than a draw,
 * any move is accepted that is not proven to lose. */
static void check_proof(struct wari_search *search, const struct ref_table *table,
                        struct wari_variant variant, const struct wari_position *position, int even)
{
    const struct wari_search_limits limits = {.depth = 6, .milliseconds = -1, .prove = true};
    struct wari_setup setup = setup_of(position);
    struct wari_search_report report;
    struct ref_move moves[REF_ROW];
    struct wari_game game;
    int end_value, captured = setup.stores[0];
    setup.stores[0] = (uint8_t)((captured - even) / 2);
    setup.stores[1] = (uint8_t)(captured - setup.stores[0]);
    (void)ref_moves((int)variant.rules, position->pits, moves, &end_value);
    wari_game_begin(&game, wari_host_system(), variant, &setup);
    assert_int_equal(wari_search_run(search, &game, &limits, NULL, &report, NULL), WARI_OK);
    int found = worth(table, &moves[report.pit]);
    for (int pit = 0; pit < REF_ROW; pit++)
        if (moves[pit].legal)
            assert_in_range(worth(table, &moves[pit]) + WARI_SEEDS_MAX,
                            report.moves[pit].least + WARI_SEEDS_MAX,
                            report.moves[pit].most + WARI_SEEDS_MAX);
    assert_true(found >= report.least ||
                (report.least < even && report.moves[report.pit].most >= even));
}

/* Searches a position that is not over. About half of the positions are searched with
 * limits->result. Returns true if the score was proven. */
static bool check_position(struct wari_search *search, const struct ref_table *table,
                           struct wari_variant variant, const struct wari_position *position,
                           int depth)
{
    const bool result = position->pits[0] % 2 == 1;
    const struct wari_search_limits limits = {.depth = depth, .milliseconds = -1, .result = result};
    struct wari_setup setup = setup_of(position);
    struct wari_search_report report;
    struct ref_move moves[REF_ROW];
    struct wari_game game;
    int end_value;

    setup.stores[1] = setup.stores[0] / 2; /* so that the result of the game depends on the value */
    setup.stores[0] = (uint8_t)(setup.stores[0] - setup.stores[1]);
    assert_true(ref_moves((int)variant.rules, position->pits, moves, &end_value) > 0);
    wari_game_begin(&game, wari_host_system(), variant, &setup);
    assert_int_equal(wari_search_run(search, &game, &limits, NULL, &report, NULL), WARI_OK);
    assert_true(moves[report.pit].legal);
    assert_true(report.line_count > 0 && report.line[0].pit == report.pit);
    int value = ref_value(table, position->pits);
    assert_true(report.least <= value && value <= report.most);
    if (report.proven) {
        assert_int_equal(report.score, WARI_SEED_SCORE * value);
        assert_int_equal(worth(table, &moves[report.pit]), value);
    }
    assert_int_equal(report.error == 0, report.proven);
    bool proven = report.proven;
    const struct wari_search_limits proof = {
        .depth = depth, .milliseconds = -1, .result = result, .prove = true};
    assert_int_equal(wari_search_run(search, &game, &proof, NULL, &report, NULL), WARI_OK);
    assert_true(moves[report.pit].legal);
    assert_true(report.least <= value && value <= report.most);
    if (variant.rules == WARI_WARE || variant.rules == WARI_SLAM_WINS)
        assert_true(report.proven || !proven); /* `prove` has no effect under these rule
                                                * sets: if the first search proved the value,
                                                * this one must prove it, too */
    else
        for (int even = -2; even <= 2; even += 2)
            check_proof(search, table, variant, position, even);
    check_last_move(search, table, &game, moves);
    return proven;
}

/* The cache is empty at first, and each search adds values to it, so the searches find many
 * different contents of the cache. A search that does not read all values must not prove anything
 * false, but it must use the values in the cache. */
static void cheap_probing_proves_nothing_but_the_value(void **state)
{
    const int step = test_scale(20, 97); /* every step-th position is tested */
    struct wari_position position, unread[8];
    struct ref_move moves[REF_ROW];
    struct wari_search *search;
    struct solved solved;
    int end_value, number = 0, proven = 0, searched = 0;
    uint64_t probes = 0;
    struct ref_table *table = ref_solve(WARI_ABAPA, WARI_OWN, SEARCHED);
    (void)state;
    assert_non_null(table);
    assert_true(solved_make(&solved, WARI_ABAPA, WARI_OWN, COVERED));
    assert_int_equal(wari_search_new(&search, solved.db, wari_host_system(), &settings, NULL),
                     WARI_OK);
    ref_first(SEARCHED, position.pits);
    do {
        const struct wari_search_limits limits = {
            .depth = 11, .milliseconds = -1, .probing = WARI_PROBING_CHEAP};
        const struct wari_setup setup = setup_of(&position);
        struct wari_search_report report;
        struct wari_game game;
        if (number++ % step != 0 || ref_moves(WARI_ABAPA, position.pits, moves, &end_value) == 0)
            continue;
        wari_game_begin(&game, wari_host_system(), solved.variant, &setup);
        assert_int_equal(wari_search_run(search, &game, &limits, NULL, &report, NULL), WARI_OK);
        const int value = ref_value(table, position.pits);
        assert_in_range(value + WARI_SEEDS_MAX, report.least + WARI_SEEDS_MAX,
                        report.most + WARI_SEEDS_MAX);
        searched++;
        proven += report.proven;
        probes += report.probes;
        assert_true(report.reads <= report.probes);
        assert_true(wari_search_unread(search, unread, 8) <= 8);
        wari_search_clear(search);
    } while (ref_next(position.pits));
    assert_true(probes > 0 && 4 * proven > searched);
    wari_search_free(search);
    assert_true(solved_discard(&solved));
    ref_free(table);
}

static void proven_values_are_the_exact_values(void **state)
{
    const int step = test_scale(5, 29); /* every step-th position is tested */
    (void)state;
    for (int r = 0; r < WARI_RULES_COUNT; r++)
        for (int c = 0; c < WARI_CYCLE_COUNT; c++) {
            struct ref_move moves[REF_ROW];
            struct wari_position position;
            struct wari_search *search;
            struct solved solved;
            int end_value, number = 0, searched = 0, proven = 0;
            struct ref_table *table = ref_solve(r, c, SEARCHED);
            assert_non_null(table);
            assert_true(solved_make(&solved, (enum wari_rules)r, (enum wari_cycle)c, COVERED));
            assert_int_equal(
                wari_search_new(&search, solved.db, wari_host_system(), &settings, NULL), WARI_OK);
            ref_first(SEARCHED, position.pits);
            do {
                if (number++ % step != 0 || ref_moves(r, position.pits, moves, &end_value) == 0)
                    continue;
                searched++;
                proven += check_position(search, table, solved.variant, &position, 9);
            } while (ref_next(position.pits));
            assert_true(4 * proven > searched); /* at least a quarter of the searches prove a
                                                 * value; otherwise the test would check too
                                                 * little */
            wari_search_free(search);
            assert_true(solved_discard(&solved));
            ref_free(table);
        }
}

/* Several threads write into one table at once. Their proven values must still be correct. */
static void threads_prove_nothing_but_the_value(void **state)
{
    static const struct wari_search_settings three = {.hash_mb = 1, .threads = 3};
    struct ref_move moves[REF_ROW];
    struct wari_position position;
    struct wari_search *search;
    struct solved solved;
    int end_value, number = 0, proven = 0;
    const int step = test_scale(100, 300); /* every step-th position is tested */
    struct ref_table *table = ref_solve(WARI_ABAPA, WARI_OWN, SEARCHED);
    (void)state;
    assert_non_null(table);
    assert_true(solved_make(&solved, WARI_ABAPA, WARI_OWN, COVERED));
    assert_int_equal(wari_search_new(&search, solved.db, wari_host_system(), &three, NULL),
                     WARI_OK);
    ref_first(SEARCHED, position.pits);
    do {
        if (number++ % step != 0 || ref_moves(WARI_ABAPA, position.pits, moves, &end_value) == 0)
            continue;
        proven += check_position(search, table, solved.variant, &position, 9);
    } while (ref_next(position.pits));
    assert_true(proven > 0);
    wari_search_free(search);
    assert_true(solved_discard(&solved));
    ref_free(table);
}

/* The moves of the game so far count: a return to an earlier position of the game is a
 * repetition. */
static void nothing_is_proven_by_repeating(void **state)
{
    static const struct wari_position circle = {{1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}};
    const struct wari_search_limits limits = {.depth = 40, .milliseconds = -1};
    const struct wari_setup setup = setup_of(&circle);
    struct wari_search_report report;
    struct wari_search *search;
    struct wari_game game;
    struct solved solved;

    (void)state;
    assert_true(solved_make(&solved, WARI_AWARI, WARI_EVEN, 0)); /* the database has only the
                                                                  * empty board */
    assert_int_equal(wari_search_new(&search, solved.db, wari_host_system(), &settings, NULL),
                     WARI_OK);
    wari_game_begin(&game, wari_host_system(), solved.variant, &setup);
    assert_int_equal(wari_search_run(search, &game, &limits, NULL, &report, NULL), WARI_OK);
    /* Each player has one seed, in opposite pits, and no seed can be captured. So the value is 0.
     */
    assert_int_equal(report.score, 0);
    assert_false(report.proven);
    wari_search_free(search);
    assert_true(solved_discard(&solved));
}

/* The game of test_play_game.c in which a position occurs again. During the cycle, North always
 * has two or three of the three seeds in its row. So a move that closes the cycle is worth one
 * seed to North under `own`, and nothing under `even`. */
static void repeating_pays_what_the_cycle_rule_says(void **state)
{
    static const struct {
        enum wari_cycle cycle;
        const char *moves; /* the moves played so far; then e closes the cycle */
        int score;
    } cases[] = {{WARI_OWN, "FfAbBcCaDdE", WARI_SEED_SCORE}, {WARI_EVEN, "FfAbBaCcDdE", 0}};
    const struct wari_search_limits limits = {.depth = 1, .milliseconds = -1, .pits = 1 << 4};
    struct wari_setup start;

    (void)state;
    assert_int_equal(wari_setup_parse("0-0-0-0-0-1-0-1-0-0-0-1-23-22-S", &start, NULL), WARI_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct wari_search_settings without_tables = {
            .hash_mb = 1, .variant = {WARI_ABAPA, cases[i].cycle}};
        struct wari_search_report report;
        struct wari_search *search;
        struct wari_game game;
        assert_int_equal(wari_search_new(&search, NULL, wari_host_system(), &without_tables, NULL),
                         WARI_OK);
        wari_game_begin(&game, wari_host_system(), without_tables.variant, &start);
        for (const char *letter = cases[i].moves; *letter; letter++)
            assert_int_equal(wari_game_play_letter(&game, *letter, NULL), WARI_OK);
        assert_int_equal(wari_search_run(search, &game, &limits, NULL, &report, NULL), WARI_OK);
        assert_int_equal(report.score, cases[i].score);
        wari_game_free(&game);
        wari_search_free(search);
    }
}

/* In this game, the move e leads back to the start position, where North has one seed more in its
 * row. If the return ends the game, the score is this one seed; if not, it is an estimate. */
static void the_occurrence_that_ends_the_game_is_that_of_the_rule(void **state)
{
    static const struct {
        int times;  /* the occurrence that ends the game */
        int rounds; /* number of complete cycles before the cycle that the move e completes */
        bool ends;
    } cases[] = {{2, 0, true}, {3, 0, false}, {3, 1, true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct wari_search_settings without_tables = {.hash_mb = 1,
                                                            .variant = {WARI_ABAPA, WARI_OWN}};
        const struct wari_search_limits limits = {
            .depth = 1,
            .milliseconds = -1,
            .pits = 1 << 4,
            .repetition = {.times = cases[i].times, .rows = true}};
        struct wari_search_report report;
        struct wari_search *search;
        struct wari_setup start;
        struct wari_game game;
        assert_int_equal(wari_setup_parse("0-0-0-0-0-1-0-1-0-0-0-1-23-22-S", &start, NULL),
                         WARI_OK);
        assert_int_equal(wari_search_new(&search, NULL, wari_host_system(), &without_tables, NULL),
                         WARI_OK);
        wari_game_begin(&game, wari_host_system(), without_tables.variant, &start);
        for (const char *letter = "FfAbBcCaDdE"; *letter; letter++)
            assert_int_equal(wari_game_play_letter(&game, *letter, NULL), WARI_OK);
        for (int round = 0; round < cases[i].rounds; round++)
            for (const char *letter = "eFfAbBcCaDdE"; *letter; letter++)
                assert_int_equal(wari_game_play_letter(&game, *letter, NULL), WARI_OK);
        assert_int_equal(wari_search_run(search, &game, &limits, NULL, &report, NULL), WARI_OK);
        assert_true((report.score == WARI_SEED_SCORE) == cases[i].ends);
        wari_game_free(&game);
        wari_search_free(search);
    }
}

/* ---- The utility of a game's result ---- */

static int after_step(const struct wari_utility *utility, struct wari_variant variant,
                      const struct wari_step *step, int lead);

/* Returns what a search of depth 0 finds for the mover. In each position, the side to move either
 * stops and gets the estimate, or makes a move that captures or ends the game. */
static int captures_alone(const struct wari_utility *utility, struct wari_variant variant,
                          const struct wari_search_board *board, int lead)
{
    struct wari_steps steps;
    const int seeds = wari_search_board_seeds(board);
    wari_search_board_steps(variant.rules, board, &steps);
    if (steps.count == 0)
        return wari_utility_of_value(utility, lead, steps.end_value);
    int best = wari_utility_of_estimate(utility, lead, seeds,
                                        wari_evaluate(wari_evaluation_for(variant), board));
    for (int i = 0; i < steps.count; i++) {
        const struct wari_step *step = &steps.list[i];
        if (!step->ends && step->captured == 0)
            continue;
        const int found = after_step(utility, variant, step, lead);
        best = found > best ? found : best;
    }
    return best;
}

/* Returns the utility of a move for the side that makes it. */
static int after_step(const struct wari_utility *utility, struct wari_variant variant,
                      const struct wari_step *step, int lead)
{
    if (step->ends)
        return wari_utility_of_value(utility, lead, step->end_value);
    return WARI_SEED_SCORE * step->captured -
           captures_alone(utility, variant, &step->next, -lead - step->captured);
}

/* Returns a random position with `seeds` seeds, in which both rows have seeds, and random stores.
 */
static struct wari_setup random_setup(uint64_t *random, int seeds)
{
    struct wari_setup setup = {.diagram = true};
    setup.position.pits[0] = setup.position.pits[WARI_HALF_PITS] = 1;
    for (int i = 2; i < seeds; i++) {
        *random = *random * 6364136223846793005 + 1442695040888963407;
        setup.position.pits[(*random >> 33) % WARI_PITS]++;
    }
    setup.stores[0] = (uint8_t)((WARI_SEEDS_MAX - seeds) / 2 - 4 + (int)(*random >> 60));
    setup.stores[1] = (uint8_t)(WARI_SEEDS_MAX - seeds - setup.stores[0]);
    return setup;
}

static struct wari_search_report search_for_result(struct wari_search *search,
                                                   struct wari_variant variant,
                                                   const struct wari_setup *setup, int depth)
{
    const struct wari_search_limits limits = {.depth = depth, .milliseconds = -1, .result = true};
    struct wari_search_report report;
    struct wari_game game;
    wari_game_begin(&game, wari_host_system(), variant, setup);
    assert_int_equal(wari_search_run(search, &game, &limits, NULL, &report, NULL), WARI_OK);
    return report;
}

static void a_search_of_one_move_finds_the_greatest_utility(void **state)
{
    enum { SEEDS = 20, SETUPS = 300 };
    static const struct wari_search_settings without_tables = {.hash_mb = 1,
                                                               .variant = {WARI_ABAPA, WARI_OWN}};
    const struct wari_variant variant = without_tables.variant;
    struct wari_search *search;
    struct wari_utility utility;
    uint64_t random = 1;
    (void)state;
    wari_utility_init(&utility, variant, true);
    assert_int_equal(wari_search_new(&search, NULL, wari_host_system(), &without_tables, NULL),
                     WARI_OK);
    for (int i = 0; i < SETUPS; i++) {
        const struct wari_setup setup = random_setup(&random, SEEDS);
        const struct wari_search_board board = wari_search_board_of(&setup.position);
        const int lead = setup.stores[0] - setup.stores[1];
        struct wari_steps steps;
        int best = -WARI_INFINITE;
        wari_search_board_steps(variant.rules, &board, &steps);
        for (int k = 0; k < steps.count; k++) {
            const int found = after_step(&utility, variant, &steps.list[k], lead);
            best = found > best ? found : best;
        }
        const struct wari_search_report report = search_for_result(search, variant, &setup, 1);
        if (!report.proven)
            assert_int_equal(report.score, wari_utility_to_estimate(&utility, lead, SEEDS, best));
    }
    wari_search_free(search);
}

/* The table has scores of the same boards for another lead. The search must not use these scores.
 * In a search to depth 2, nothing else in the table changes the result. */
static void a_stored_score_is_valid_for_its_lead_alone(void **state)
{
    enum { SEEDS = 20, SETUPS = 100, DEPTH = 2 };
    static const struct wari_search_settings without_tables = {.hash_mb = 1,
                                                               .variant = {WARI_ABAPA, WARI_OWN}};
    struct wari_search *search;
    uint64_t random = 2;
    (void)state;
    assert_int_equal(wari_search_new(&search, NULL, wari_host_system(), &without_tables, NULL),
                     WARI_OK);
    for (int i = 0; i < SETUPS; i++) {
        const struct wari_setup setup = random_setup(&random, SEEDS);
        struct wari_setup other = setup;
        other.stores[0] = (uint8_t)(setup.stores[0] - 4);
        other.stores[1] = (uint8_t)(setup.stores[1] + 4);
        wari_search_clear(search);
        const struct wari_search_report alone =
            search_for_result(search, without_tables.variant, &setup, DEPTH);
        wari_search_clear(search);
        (void)search_for_result(search, without_tables.variant, &other, DEPTH);
        const struct wari_search_report after =
            search_for_result(search, without_tables.variant, &setup, DEPTH);
        assert_int_equal(after.score, alone.score);
        assert_int_equal(after.pit, alone.pit);
    }
    wari_search_free(search);
}

static void count_report(void *context, const struct wari_search_report *report)
{
    int *depth = context;
    assert_int_equal(report->depth, *depth + 1);
    *depth = report->depth;
}

static void a_stop_comes_after_the_first_iteration(void **state)
{
    atomic_bool stop = true;
    const struct wari_search_limits limits = {
        .depth = WARI_SEARCH_DEPTH_MAX, .milliseconds = -1, .stop = &stop};
    const struct wari_setup start = wari_game_start_setup();
    struct wari_search_report report;
    struct wari_search *search;
    struct wari_game game;
    struct solved solved;
    int depth = 0;
    const struct wari_search_listener listener = {count_report, &depth};

    (void)state;
    assert_true(solved_make(&solved, WARI_ABAPA, WARI_OWN, 2));
    assert_int_equal(wari_search_new(&search, solved.db, wari_host_system(), &settings, NULL),
                     WARI_OK);
    wari_game_begin(&game, wari_host_system(), solved.variant, &start);
    assert_int_equal(wari_search_run(search, &game, &limits, &listener, &report, NULL), WARI_OK);
    assert_true(depth >= 1 && depth < 10);
    assert_int_equal(report.depth, depth);
    wari_search_free(search);
    assert_true(solved_discard(&solved));
}

/* ---- Time ---- */

/* A clock that advances by a millisecond whenever it is read. */
static int64_t readings;

static int64_t count_reading(void)
{
    return ++readings;
}

/* The times of the last two iterations of a search. */
struct ends {
    int64_t before, last;
};

static void keep_ends(void *context, const struct wari_search_report *report)
{
    struct ends *ends = context;
    ends->before = ends->last;
    ends->last = report->milliseconds;
}

static struct ends search_with_usual_time(const char *text, int64_t usual)
{
    static const struct wari_search_settings oware = {.hash_mb = 1,
                                                      .variant = {WARI_ABAPA, WARI_OWN}};
    const struct wari_search_limits limits = {
        .depth = WARI_SEARCH_DEPTH_MAX, .milliseconds = 1000, .usual = usual};
    struct ends ends = {0, 0};
    const struct wari_search_listener listener = {keep_ends, &ends};
    struct wari_search_report report;
    struct wari_search *search;
    struct wari_setup setup;
    struct wari_game game;
    assert_int_equal(wari_setup_parse(text, &setup, NULL), WARI_OK);
    assert_int_equal(wari_search_new(&search, NULL, wari_host_system(), &oware, NULL), WARI_OK);
    wari_game_begin(&game, wari_host_system(), oware.variant, &setup);
    test_clock_replace(count_reading);
    assert_int_equal(wari_search_run(search, &game, &limits, &listener, &report, NULL), WARI_OK);
    test_clock_replace(NULL);
    wari_search_free(search);
    assert_true(usual > 0 || report.milliseconds >= 1000);
    return ends;
}

/* In the second position only one move is legal (found by hand). So the whole search is about this
 * move, the choice counts as certain, and the search ends after half of the usual time. */
static void the_usual_time_ends_a_search_after_an_iteration(void **state)
{
    static const char start[] = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
    static const char easy[] = "0-0-0-0-0-3-2-4-4-5-3-4-12-11-S";
    (void)state;
    (void)search_with_usual_time(start, 0); /* the limit ends it */
    struct ends ends = search_with_usual_time(start, 100);
    assert_true(ends.before < 230 && ends.last >= 50);
    ends = search_with_usual_time(easy, 100);
    /* 50 with a tolerance: the clock is read again between a report and the check of the time. */
    assert_true(ends.before < 52 && ends.last >= 48);
}

static void keep_first_count(void *context, const struct wari_search_report *report)
{
    uint64_t *nodes = context;
    if (report->depth == 1)
        *nodes = report->nodes;
}

/* Fixed bug: with hundreds of threads the first iteration waited for seconds, and then the
 * engine played an arbitrary legal move. Known by hand: no first move from the start position
 * captures, and no reply to one captures. */
static void the_first_iteration_waits_for_no_other_thread(void **state)
{
    static const struct wari_search_settings many = {
        .hash_mb = 1, .threads = 64, .variant = {WARI_ABAPA, WARI_OWN}};
    const struct wari_search_limits limits = {.depth = 3, .milliseconds = -1};
    const struct wari_setup start = wari_game_start_setup();
    struct wari_search_report report;
    struct wari_search *search;
    struct wari_game game;
    uint64_t nodes = 0;
    const struct wari_search_listener listener = {keep_first_count, &nodes};

    (void)state;
    assert_int_equal(wari_search_new(&search, NULL, wari_host_system(), &many, NULL), WARI_OK);
    wari_game_begin(&game, wari_host_system(), many.variant, &start);
    assert_int_equal(wari_search_run(search, &game, &limits, &listener, &report, NULL), WARI_OK);
    assert_true(nodes >= 6 && nodes <= 18); /* each move is searched at most three times */
    wari_search_free(search);
}

static void a_search_survives_every_fault(void **state)
{
    static const struct wari_position far = {{0, 1, 0, 2, 0, 0, 1, 0, 0, 1, 0, 1}};
    static const int kinds[] = {FAULT_ALLOCATE, FAULT_READ};
    static const enum wari_status statuses[] = {WARI_NO_MEMORY, WARI_IO};
    const struct wari_search_limits limits = {.depth = 12, .milliseconds = -1};
    struct fault_host host;
    const struct wari_options options = {.cache_bytes = 1, .host = &host.host};
    const struct wari_setup setup = setup_of(&far);
    struct solved solved;

    (void)state;
    assert_true(solved_make(&solved, WARI_AWARI, WARI_EVEN, COVERED));
    for (int i = 0; i < 2; i++) {
        long k = 0;
        bool fired;
        do {
            struct wari_search *search;
            struct wari_search_report report;
            struct wari_game game;
            struct wari_db *db;
            fault_host_init(&host, 0, 0);
            assert_int_equal(wari_open(&db, solved.folder, NULL, &options, NULL), WARI_OK);
            wari_game_begin(&game, &host.host, solved.variant, &setup);
            host.kinds = kinds[i];
            host.fail_at = atomic_load(&host.calls) + ++k;
            enum wari_status status = wari_search_new(&search, db, &host.host, &settings, NULL);
            if (status == WARI_OK)
                status = wari_search_run(search, &game, &limits, NULL, &report, NULL);
            fired = fault_host_fired(&host);
            assert_int_equal(status, fired ? statuses[i] : WARI_OK);
            wari_search_free(search);
            wari_close(db);
            assert_true(fault_host_clean(&host));
        } while (fired);
        assert_true(k > 1);
    }
    assert_true(solved_discard(&solved));
}

TEST_GROUP(test_play_search)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proven_values_are_the_exact_values),
        cmocka_unit_test(cheap_probing_proves_nothing_but_the_value),
        cmocka_unit_test(threads_prove_nothing_but_the_value),
        cmocka_unit_test(nothing_is_proven_by_repeating),
        cmocka_unit_test(a_search_of_one_move_finds_the_greatest_utility),
        cmocka_unit_test(a_stored_score_is_valid_for_its_lead_alone),
        cmocka_unit_test(repeating_pays_what_the_cycle_rule_says),
        cmocka_unit_test(the_occurrence_that_ends_the_game_is_that_of_the_rule),
        cmocka_unit_test(a_stop_comes_after_the_first_iteration),
        cmocka_unit_test(the_usual_time_ends_a_search_after_an_iteration),
        cmocka_unit_test(the_first_iteration_waits_for_no_other_thread),
        cmocka_unit_test(a_search_survives_every_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
