/* Compares the moves of game/ with the reference, under every rule set: for every placement of a
 * few seeds, and for a million random positions of 12 to 48 seeds.
 *
 * The reference was written from the rules without reading game/, so the test fails to notice a
 * mistake only if both have the same mistake. The following results must be equal: which pits may
 * be played, the captures of each move, whether a move ends the game and its value then, the player
 * who moves next, the next position, the value of a position without a legal move, and the number
 * of move sequences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "game/wari_game.h"
#include "tests/reference/random_positions.h"
#include "tests/reference/reference.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

/* Counts of the cases that occurred in the compared positions, according to the reference. The test
 * fails if some case hardly occurred. */
struct seen {
    uint64_t moves;
    uint64_t captures;
    uint64_t slams;
    uint64_t without_moves;
};

/* Fails the test. `pit` is -1 if the difference concerns the whole position. */
static void fail_at(int rules, const unsigned char pits[REF_PITS], int pit, const char *what)
{
    char board[64];
    size_t used = 0;

    for (int i = 0; i < REF_PITS; i++)
        used += (size_t)snprintf(board + used, sizeof board - used, "%s%d",
                                 i == REF_ROW ? " / " : (i > 0 ? " " : ""), pits[i]);
    fail_msg("rule set %d, position %s, pit %c: game/ and reference differ in %s", rules, board,
             pit < 0 ? '-' : 'A' + pit, what);
}

/* Returns a description of the first difference between two results of a legal move, or NULL. */
static const char *difference(const struct wari_move *move, const struct ref_move *expected)
{
    if (move->captured != expected->captured)
        return "seeds captured";
    if (move->ends != (expected->ends != 0))
        return "whether the move ends the game";
    if (move->end_value != expected->value)
        return "what the end is worth";
    if (move->again != (expected->again != 0))
        return "who moves next";
    if (!move->ends && memcmp(move->next.pits, expected->next, REF_PITS) != 0)
        return "the position after the move";
    return NULL;
}

static void compare(int rules, const unsigned char pits[REF_PITS], struct seen *seen)
{
    struct wari_position position;
    struct wari_moves moves;
    struct ref_move expected[REF_ROW];
    int end_value = 0;
    int legal = ref_moves(rules, pits, expected, &end_value);
    int at = 0;

    memcpy(position.pits, pits, REF_PITS);
    wari_find_moves((enum wari_rules)rules, &position, &moves);
    if (moves.count != legal)
        fail_at(rules, pits, -1, "the number of legal moves");
    if (moves.end_value != end_value)
        fail_at(rules, pits, -1, "the value of the end");
    for (int pit = 0; pit < REF_ROW; pit++) {
        const char *what;

        seen->slams += (uint64_t)expected[pit].slam;
        if (!expected[pit].legal)
            continue;
        seen->moves++;
        seen->captures += expected[pit].captured > 0;
        if (moves.list[at].pit != pit)
            fail_at(rules, pits, pit, "which pits may be played");
        what = difference(&moves.list[at++], &expected[pit]);
        if (what)
            fail_at(rules, pits, pit, what);
    }
    seen->without_moves += legal == 0;
}

static void moves_of_every_small_position_agree(void **state)
{
    (void)state;
    for (int rules = 0; rules < REF_RULE_SETS; rules++) {
        struct seen seen = {0};

        for (int seeds = 0; seeds <= test_scale(9, 6); seeds++) {
            unsigned char pits[REF_PITS];

            ref_first(seeds, pits);
            do {
                compare(rules, pits, &seen);
            } while (ref_next(pits));
        }
        assert_true(seen.slams > 0 && seen.without_moves > 0);
    }
}

static void moves_of_a_million_random_positions_agree(void **state)
{
    struct random_positions random;
    struct seen seen[REF_RULE_SETS] = {{0}};
    uint64_t positions = (uint64_t)test_scale(1000000, 50000);

    (void)state;
    random_positions_seed(&random, 20020805);
    for (uint64_t i = 0; i < positions; i++) {
        unsigned char pits[REF_PITS];

        random_position(&random, pits);
        for (int rules = 0; rules < REF_RULE_SETS; rules++)
            compare(rules, pits, &seen[rules]);
    }
    for (int rules = 0; rules < REF_RULE_SETS; rules++) {
        assert_true(seen[rules].moves > positions);
        assert_true(seen[rules].captures > positions / 10);
        assert_true(seen[rules].slams > positions / 20);
        assert_true(seen[rules].without_moves > positions / 100);
    }
}

/* Counts sequences of three sowings, so that extra moves and ends of the game also occur before the
 * last move. */
static void perft_of_random_positions_agrees(void **state)
{
    struct random_positions random;

    (void)state;
    random_positions_seed(&random, 18910);
    for (int i = 0; i < test_scale(5000, 500); i++) {
        struct wari_position position;

        random_position(&random, position.pits);
        for (int rules = 0; rules < REF_RULE_SETS; rules++)
            if (wari_perft((enum wari_rules)rules, &position, 3) !=
                ref_perft(rules, position.pits, 3))
                fail_at(rules, position.pits, -1, "the number of sequences of 3 sowings");
    }
}

/* ---- The random positions themselves -------------------------------------------------------- */

static void random_positions_hold_12_to_48_seeds_and_every_other_one_a_pit_above_11(void **state)
{
    struct random_positions random;
    int of_each_size[REF_ALL_SEEDS + 1] = {0};
    int empty_opponent = 0;

    (void)state;
    random_positions_seed(&random, 1);
    for (int i = 0; i < 20000; i++) {
        unsigned char pits[REF_PITS];
        int seeds = 0, largest = 0, opponent = 0;

        random_position(&random, pits);
        for (int pit = 0; pit < REF_PITS; pit++) {
            seeds += pits[pit];
            opponent += pit >= REF_ROW ? pits[pit] : 0;
            largest = pits[pit] > largest ? pits[pit] : largest;
        }
        assert_in_range(seeds, 12, REF_ALL_SEEDS);
        assert_int_equal(largest > 11, i % 2);
        of_each_size[seeds]++;
        empty_opponent += opponent == 0;
    }
    for (int seeds = 12; seeds <= REF_ALL_SEEDS; seeds++)
        assert_true(of_each_size[seeds] > 100);
    assert_true(empty_opponent > 1000);
}

static void random_positions_repeat_for_the_same_seed_only(void **state)
{
    struct random_positions random[3];
    int differ = 0;

    (void)state;
    random_positions_seed(&random[0], 7);
    random_positions_seed(&random[1], 7);
    random_positions_seed(&random[2], 8);
    for (int i = 0; i < 100; i++) {
        unsigned char pits[3][REF_PITS];

        for (int g = 0; g < 3; g++)
            random_position(&random[g], pits[g]);
        assert_memory_equal(pits[0], pits[1], REF_PITS);
        differ += memcmp(pits[0], pits[2], REF_PITS) != 0;
    }
    assert_true(differ > 90);
}

TEST_GROUP(test_reference_moves)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_of_every_small_position_agree),
        cmocka_unit_test(moves_of_a_million_random_positions_agree),
        cmocka_unit_test(perft_of_random_positions_agrees),
        cmocka_unit_test(random_positions_hold_12_to_48_seeds_and_every_other_one_a_pit_above_11),
        cmocka_unit_test(random_positions_repeat_for_the_same_seed_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
