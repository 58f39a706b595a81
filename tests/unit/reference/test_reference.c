/* Compares the reference solver with results that others have published, or that were computed by
 * hand or by independent programs.
 *
 * The tests of the program rely on the reference, so no expected value here comes from the
 * reference: they are the published awari histograms and move counts, single positions that were
 * checked by hand, and properties that every table of values must have. The test reads data/, so it
 * runs from the root of the tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "tests/reference/reference.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

static struct ref_table *solve(int rules, int cycle, int max_seeds)
{
    struct ref_table *table = ref_solve(rules, cycle, max_seeds);

    assert_non_null(table);
    return table;
}

/* Returns the value of the move from `pit`, computed from the value of the position after the move.
 */
static int value_by(const struct ref_table *table, int rules, const unsigned char pits[REF_PITS],
                    int pit)
{
    struct ref_move moves[REF_ROW];
    int end_value;

    ref_moves(rules, pits, moves, &end_value);
    assert_true(moves[pit].legal);
    if (moves[pit].ends)
        return moves[pit].value;
    return moves[pit].captured + (moves[pit].again ? 1 : -1) * ref_value(table, moves[pit].next);
}

/* ---- Numbering ------------------------------------------------------------------------------ */

static void numbering_counts_every_placement_once_and_in_order(void **state)
{
    struct ref_numbering numbering;

    (void)state;
    ref_numbering_fill(&numbering);
    for (int seeds = 0; seeds <= 7; seeds++) {
        unsigned char pits[REF_PITS];
        uint64_t number = 0;

        ref_first(seeds, pits);
        do {
            int sum = 0;

            for (int i = 0; i < REF_PITS; i++)
                sum += pits[i];
            assert_int_equal(sum, seeds);
            assert_int_equal(ref_rank(&numbering, pits), number);
            number++;
        } while (ref_next(pits));
        assert_int_equal(ref_count(&numbering, seeds), number);
    }
}

/* C(n+11,11), computed by hand for some levels and for the largest one. */
static void numbering_counts_placements_as_binomials(void **state)
{
    struct ref_numbering numbering;

    (void)state;
    ref_numbering_fill(&numbering);
    assert_int_equal(ref_count(&numbering, 0), 1);
    assert_int_equal(ref_count(&numbering, 1), 12);
    assert_int_equal(ref_count(&numbering, 2), 78);
    assert_int_equal(ref_count(&numbering, 12), 1352078);
    assert_int_equal(ref_count(&numbering, 48), 279871768995);
}

/* ---- Moves ---------------------------------------------------------------------------------- */

struct perft_row {
    unsigned char pits[REF_PITS];
    unsigned rules; /* set of the rule sets with these numbers: bit r stands for rule set r */
    int depths;
    uint64_t sequences[8];
};

enum {
    SLAM_ILLEGAL = 1 << REF_AWARI | 1 << REF_WARI,
    SLAM_ENDS_GAME = 1 << REF_WARE | 1 << REF_SLAM_ENDS | 1 << REF_SLAM_GIVES | 1 << REF_SLAM_WINS,
    EVERY_RULE_SET = (1 << REF_RULE_SETS) - 1
};

/* The numbers for the start position were published for `abapa`. All other numbers were computed by
 * several independent programs. */
static void perft_gives_the_published_counts(void **state)
{
    static const struct perft_row table[] = {
        {{4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4},
         EVERY_RULE_SET,
         8,
         {6, 36, 190, 1014, 5219, 27332, 139157, 711414}},
        {{0, 0, 2, 1, 0, 6, 1, 1, 1, 2, 1, 2}, SLAM_ILLEGAL, 7, {2, 12, 40, 190, 585, 2715, 8661}},
        {{0, 0, 2, 1, 0, 6, 1, 1, 1, 2, 1, 2},
         1 << REF_ABAPA,
         7,
         {3, 18, 55, 265, 806, 3661, 11790}},
        {{0, 0, 2, 1, 0, 6, 1, 1, 1, 2, 1, 2},
         1 << REF_WARRI,
         7,
         {3, 12, 40, 190, 585, 2716, 8662}},
        {{0, 0, 2, 1, 0, 6, 1, 1, 1, 2, 1, 2},
         SLAM_ENDS_GAME,
         7,
         {3, 12, 40, 190, 585, 2716, 8661}},
        {{0, 0, 0, 0, 1, 17}, SLAM_ILLEGAL, 6, {0}},
        {{0, 0, 0, 0, 1, 17}, 1 << REF_ABAPA, 6, {1, 6, 27, 131, 464, 1936}},
        {{0, 0, 0, 0, 1, 17}, 1 << REF_WARRI, 6, {1, 1, 1, 5, 6, 25}},
        {{0, 0, 0, 0, 1, 17}, SLAM_ENDS_GAME, 6, {1}},
    };

    (void)state;
    for (size_t row = 0; row < sizeof table / sizeof *table; row++)
        for (int rules = 0; rules < REF_RULE_SETS; rules++)
            for (int depth = 1; (table[row].rules >> rules & 1) && depth <= table[row].depths &&
                                depth <= test_scale(8, 7);
                 depth++)
                assert_int_equal(ref_perft(rules, table[row].pits, depth),
                                 table[row].sequences[depth - 1]);
}

/* Computed by hand: F sows 17 seeds, skips itself once and leaves 2 in each opponent pit, 2 1 1 1
 * 1 0 in its own row. No move of that row reaches the opponent. */
static void slam_of_an_empty_row_is_worth_what_the_rules_say(void **state)
{
    static const unsigned char pits[REF_PITS] = {1, 0, 0, 0, 0, 17};
    static const int expected[REF_RULE_SETS] = {18, 18, 0, 18, -18, 0, 6, 18};

    (void)state;
    for (int rules = 0; rules < REF_RULE_SETS; rules++) {
        struct ref_move moves[REF_ROW];
        int value = 0;
        int legal = ref_moves(rules, pits, moves, &value);

        assert_int_equal(legal, rules != REF_AWARI && rules != REF_WARI);
        if (rules == REF_ABAPA) {
            static const unsigned char sown[REF_PITS] = {2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 0};

            assert_int_equal(moves[5].captured, 0);
            assert_memory_equal(moves[5].next, sown, REF_PITS);
            continue;
        }
        if (rules == REF_WARRI) {
            static const unsigned char left[REF_PITS] = {2, 1, 1, 1, 1, 0};
            struct ref_move none[REF_ROW];

            assert_true(moves[5].again);
            assert_memory_equal(moves[5].next, left, REF_PITS);
            assert_int_equal(ref_moves(rules, moves[5].next, none, &value), 0);
            value += moves[5].captured;
        } else if (legal) {
            assert_true(moves[5].ends);
            value = moves[5].value;
        }
        assert_int_equal(value, expected[rules]);
    }
}

/* ---- Values --------------------------------------------------------------------------------- */

/* Asserts that all counts of a histogram are 0. The caller sets a count to 0 when it finds the same
 * count in the published file, so another number means a value that was not published. */
static void assert_all_crossed_off(const uint64_t counts[2 * REF_MAX_SEEDS + 1])
{
    for (int i = 0; i <= 2 * REF_MAX_SEEDS; i++)
        assert_int_equal(counts[i], 0);
}

/* Compares all counts with data/awari_histograms.csv (Lincke 2002, appendix B), which has a line
 * for each value, level by level. */
static void check_histograms(const struct ref_table *table, int max_seeds)
{
    uint64_t counts[2 * REF_MAX_SEEDS + 1] = {0};
    FILE *file = fopen("data/awari_histograms.csv", "r");
    int level = -1;
    int seeds, value;
    unsigned long long count;

    assert_non_null(file);
    assert_int_equal(fscanf(file, "seeds,value,count "), 0);
    while (fscanf(file, "%d,%d,%llu ", &seeds, &value, &count) == 3) {
        if (seeds > max_seeds)
            break;
        if (seeds != level) {
            assert_all_crossed_off(counts);
            assert_int_equal(seeds, ++level);
            assert_true(ref_histogram(table, seeds, counts));
        }
        assert_in_range(value + seeds, 0, 2 * seeds);
        assert_int_equal(counts[seeds + value], count);
        counts[seeds + value] = 0;
    }
    assert_all_crossed_off(counts);
    assert_int_equal(level, max_seeds);
    assert_int_equal(fclose(file), 0);
}

/* Compares two positions, and all their moves, with published values. */
static void check_single_positions(const struct ref_table *table, int max_seeds)
{
    static const unsigned char ones[REF_PITS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const int by_pit[REF_ROW] = {-1, -8, -2, -2, -2, 0};
    static const unsigned char three[REF_PITS] = {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1};

    assert_int_equal(ref_value(table, three), 3);
    assert_int_equal(value_by(table, REF_AWARI, three, 1), 3);
    assert_int_equal(value_by(table, REF_AWARI, three, 4), 3);
    if (max_seeds < 12)
        return;
    assert_int_equal(ref_value(table, ones), 0);
    for (int pit = 0; pit < REF_ROW; pit++)
        assert_int_equal(value_by(table, REF_AWARI, ones, pit), by_pit[pit]);
}

static void awari_even_has_the_published_histograms_and_values(void **state)
{
    const int max_seeds = test_scale(12, 8);
    struct ref_table *table = solve(REF_AWARI, REF_EVEN, max_seeds);

    (void)state;
    check_histograms(table, max_seeds);
    check_single_positions(table, max_seeds);
    ref_free(table);
}

/* In `0 0 6 0 3 5 / 1 2 1 0 0 0` only E and F are legal, as published. */
static void awari_forbids_what_would_slam_or_is_empty(void **state)
{
    static const unsigned char pits[REF_PITS] = {0, 0, 6, 0, 3, 5, 1, 2, 1};
    struct ref_move moves[REF_ROW];
    int end_value;

    (void)state;
    assert_int_equal(ref_moves(REF_AWARI, pits, moves, &end_value), 2);
    assert_true(moves[2].slam);
    assert_true(moves[4].legal);
    assert_true(moves[5].legal);
}

/* These values were computed by programs that are independent of this one. */
static void even_values_part_where_the_rule_sets_do(void **state)
{
    static const struct {
        unsigned char pits[REF_PITS];
        int value[REF_RULE_SETS];
    } rows[] = {
        {{0, 0, 0, 3, 2, 0, 1}, {6, 4, -2, 2, -6, 0, -2, 6}},
        {{1, 0, 0, 0, 0, 1, 2}, {-4, -4, -2, 4, -4, 0, 2, 4}},
        {{0, 0, 0, 0, 2, 1, 2}, {5, 1, -1, 1, -5, 0, 1, 5}},
        {{0, 5, 0, 0, 0, 0, 1}, {6, 4, -6, 4, -6, 0, -2, 6}},
        {{1, 0, 4, 0, 0, 0, 1}, {-6, -6, 2, 4, -6, 0, -2, 6}},
        {{0, 0, 0, 0, 1, 2, 1, 1}, {-5, -5, -5, 5, -5, 0, 3, 5}},
    };

    (void)state;
    for (int rules = 0; rules < REF_RULE_SETS; rules++) {
        struct ref_table *table = solve(rules, REF_EVEN, 6);

        for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
            assert_int_equal(ref_value(table, rows[row].pits), rows[row].value[rules]);
        ref_free(table);
    }
}

/* These numbers were computed by programs that are independent of this one. */
static void abapa_own_has_the_known_histograms(void **state)
{
    static const struct {
        int seeds;
        uint64_t counts[11]; /* of -seeds..seeds */
    } levels[] = {
        {3, {178, 0, 30, 0, 42, 0, 114}},
        {4, {534, 0, 111, 0, 143, 0, 164, 0, 413}},
        {5, {1891, 0, 52, 0, 264, 0, 199, 0, 124, 0, 1838}},
    };
    struct ref_table *table = solve(REF_ABAPA, REF_OWN, 5);

    (void)state;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        uint64_t counts[2 * REF_MAX_SEEDS + 1];

        assert_true(ref_histogram(table, levels[i].seeds, counts));
        for (int at = 0; at <= 2 * levels[i].seeds; at++)
            assert_int_equal(counts[at], levels[i].counts[at]);
    }
    ref_free(table);
}

/* Computed by hand: in keeps_two, three seeds move in a cycle, and the mover always has two of them
 * in its row, a surplus of 1. */
static void own_pays_the_surplus_a_side_keeps_for_ever(void **state)
{
    static const unsigned char keeps_one[REF_PITS] = {1, 1, 0, 0, 0, 0, 1};
    static const unsigned char keeps_two[REF_PITS] = {1, 0, 1, 0, 0, 0, 1};
    struct ref_table *table = solve(REF_ABAPA, REF_OWN, 3);

    (void)state;
    assert_int_equal(ref_value(table, keeps_one), 3);
    assert_int_equal(ref_value(table, keeps_two), 1);
    assert_int_equal(value_by(table, REF_ABAPA, keeps_two, 0), 1);
    assert_int_equal(value_by(table, REF_ABAPA, keeps_two, 2), 1);
    ref_free(table);
}

/* Asserts that the value of each position is the best of its moves. This holds under every cycle
 * rule. */
static void check_best_of_moves(const struct ref_table *table, int rules, int seeds)
{
    unsigned char pits[REF_PITS];

    ref_first(seeds, pits);
    do {
        struct ref_move moves[REF_ROW];
        int best = -REF_ALL_SEEDS - 1;

        ref_moves(rules, pits, moves, &best);
        for (int pit = 0; pit < REF_ROW; pit++)
            if (moves[pit].legal && value_by(table, rules, pits, pit) > best)
                best = value_by(table, rules, pits, pit);
        assert_int_equal(ref_value(table, pits), best);
    } while (ref_next(pits));
}

static void every_value_is_the_best_of_its_moves(void **state)
{
    const int max_seeds = test_scale(6, 5);

    (void)state;
    for (int rules = 0; rules < REF_RULE_SETS; rules++)
        for (int cycle = REF_EVEN; cycle <= REF_OWN; cycle++) {
            struct ref_table *table = solve(rules, cycle, max_seeds);

            for (int seeds = 0; seeds <= max_seeds; seeds++)
                check_best_of_moves(table, rules, seeds);
            ref_free(table);
        }
}

/* ---- Refusals ------------------------------------------------------------------------------- */

static void values_of_unsolved_levels_are_unknown(void **state)
{
    static const unsigned char pits[REF_PITS] = {3};
    uint64_t counts[2 * REF_MAX_SEEDS + 1];
    struct ref_table *table = solve(REF_WARI, REF_EVEN, 2);

    (void)state;
    assert_int_equal(ref_value(table, pits), REF_UNKNOWN);
    assert_null(ref_level(table, 3));
    assert_null(ref_level(table, -1));
    assert_non_null(ref_level(table, 2));
    assert_false(ref_histogram(table, 3, counts));
    assert_true(ref_histogram(table, 2, counts));
    ref_free(table);
}

static void arguments_out_of_range_are_refused(void **state)
{
    (void)state;
    assert_null(ref_solve(-1, REF_EVEN, 1));
    assert_null(ref_solve(REF_RULE_SETS, REF_EVEN, 1));
    assert_null(ref_solve(REF_AWARI, 2, 1));
    assert_null(ref_solve(REF_AWARI, REF_OWN, -1));
    assert_null(ref_solve(REF_AWARI, REF_OWN, REF_MAX_SEEDS + 1));
    ref_free(NULL);
}

static void plain_sweeps_and_sweeps_over_the_graph_agree(void **state)
{
    const int seeds = test_scale(6, 5);

    (void)state;
    for (int rules = 0; rules < REF_RULE_SETS; rules++) {
        struct ref_table *plain = ref_solve_plain(rules, seeds);
        struct ref_table *graph = ref_solve(rules, REF_EVEN, seeds);
        struct ref_numbering numbering;

        assert_non_null(plain);
        assert_non_null(graph);
        ref_numbering_fill(&numbering);
        for (int n = 0; n <= seeds; n++)
            assert_memory_equal(ref_level(plain, n), ref_level(graph, n),
                                (size_t)ref_count(&numbering, n));
        ref_free(plain);
        ref_free(graph);
    }
}

TEST_GROUP(test_reference)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbering_counts_every_placement_once_and_in_order),
        cmocka_unit_test(numbering_counts_placements_as_binomials),
        cmocka_unit_test(perft_gives_the_published_counts),
        cmocka_unit_test(slam_of_an_empty_row_is_worth_what_the_rules_say),
        cmocka_unit_test(awari_even_has_the_published_histograms_and_values),
        cmocka_unit_test(awari_forbids_what_would_slam_or_is_empty),
        cmocka_unit_test(even_values_part_where_the_rule_sets_do),
        cmocka_unit_test(abapa_own_has_the_known_histograms),
        cmocka_unit_test(own_pays_the_surplus_a_side_keeps_for_ever),
        cmocka_unit_test(every_value_is_the_best_of_its_moves),
        cmocka_unit_test(values_of_unsolved_levels_are_unknown),
        cmocka_unit_test(plain_sweeps_and_sweeps_over_the_graph_agree),
        cmocka_unit_test(arguments_out_of_range_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
