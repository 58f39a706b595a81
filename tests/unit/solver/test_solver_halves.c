/* Halves packed into a word have the same numbers as in index/half.h, and sowing many halves at
 * once gives the same result as sowing each half seed by seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "solver/level/sorted_moves.h"
#include "solver/rows/halves.h"
#include "solver/rows/tables.h"
#include "tests/reference/random_positions.h"
#include "tests/support/scale.h"
#include "tests/support/sow_half.h"
#include "tests/unit/groups.h"

static struct wari_halves *halves_of(void **state)
{
    return *state;
}

static int make_halves(void **state)
{
    static struct wari_halves halves;

    wari_halves_init(&halves);
    *state = &halves;
    return 0;
}

static void check_half(const struct wari_halves *halves, const uint8_t pits[WARI_HALF_PITS])
{
    const int seeds = wari_half_seeds(pits);
    const wari_pits half = wari_pits_pack(pits);
    uint8_t back[WARI_HALF_PITS];
    uint32_t number = wari_half_rank(pits);

    wari_pits_unpack(half, back);
    assert_memory_equal(back, pits, WARI_HALF_PITS);
    assert_int_equal(wari_pits_rank(halves, half), number);
    assert_true(wari_pits_half(halves, seeds, number) == half);
    assert_int_equal(wari_pits_empty(half) == 0, wari_half_full(pits));
    if (wari_half_full(pits))
        return;
    number = wari_row_rank(pits);
    assert_int_equal(wari_pits_row_rank(halves, half), number);
    assert_true(wari_pits_row(halves, seeds, number) == half);
}

/* Tests every half of up to 24 seeds, and every seventh half of up to 48. */
static void numbers_are_those_of_the_index(void **state)
{
    const int all = test_scale(24, 12);

    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        const uint32_t step = seeds <= all ? 1 : (uint32_t)test_scale(7, 1001);
        for (uint32_t number = 0; number < wari_half_count(seeds); number += step) {
            uint8_t half[WARI_HALF_PITS];
            wari_half_unrank(seeds, number, half);
            check_half(halves_of(state), half);
        }
    }
}

/* Tests the first and last entries of the tables: halves with all seeds in one pit, and halves with
 * all seeds in two pits. */
static void numbers_are_right_at_the_ends(void **state)
{
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++)
        for (int pit = 0; pit < WARI_HALF_PITS; pit++)
            for (int other = 0; other < WARI_HALF_PITS; other++)
                for (int less = 0; less <= seeds; less++) {
                    uint8_t half[WARI_HALF_PITS] = {0};
                    half[pit] = (uint8_t)(seeds - less);
                    half[other] = (uint8_t)(half[other] + less);
                    check_half(halves_of(state), half);
                }
}

static void check_sowings(const struct wari_halves *halves, int seeds, uint32_t first,
                          uint32_t count)
{
    enum { MOST = 64 };
    wari_sowing sowings[MOST + 1][WARI_HALF_PITS];
    uint8_t half[WARI_HALF_PITS];

    assert_true(count <= MOST);
    memset(sowings, 0x5a, sizeof sowings);
    wari_sow_halves(halves, seeds, first, count, sowings);
    wari_half_unrank(seeds, first, half);
    for (uint32_t i = 0; i < count; i++, wari_half_next(half))
        for (int pit = 0; pit < WARI_HALF_PITS; pit++)
            assert_int_equal(sowings[i][pit], sow_half(half, pit));
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) /* the element after the last one was not
                                                    * written */
        assert_int_equal(sowings[count][pit], 0x5a5a5a5a);
}

/* Checks that each sorted move is a move of its half and drops that number of seeds, that no move
 * occurs twice, and that none is missing. */
static void check_sorted_moves(const struct wari_halves *halves, int seeds, uint32_t first,
                               uint32_t count)
{
    bool found[WARI_ITEM_COLUMNS][WARI_HALF_PITS] = {{false}};
    struct wari_sorted_moves moves;
    uint8_t half[WARI_HALF_PITS];
    int pits = 0;

    wari_sort_moves(halves, seeds, first, count, &moves);
    for (int sown = 0; sown <= WARI_SOWN_MAX; sown++)
        for (int i = moves.first[sown]; i < moves.first[sown + 1]; i++) {
            const wari_sorted_move move = moves.move[i];
            const uint32_t number = wari_move_half(move);
            int pit = 0;
            assert_true(number < count);
            wari_half_unrank(seeds, first + number, half);
            for (; pit < WARI_HALF_PITS; pit++) {
                const wari_sowing sowing = sow_half(half, pit);
                if (sowing != WARI_NO_SOWING && wari_sowing_sown(sowing) == sown &&
                    wari_sowing_row(sowing) == wari_move_row(move) &&
                    wari_sowing_last(sowing) == wari_move_last(move) && !found[number][pit])
                    break;
            }
            assert_true(pit < WARI_HALF_PITS);
            found[number][pit] = true;
        }
    wari_half_unrank(seeds, first, half);
    for (uint32_t i = 0; i < count; i++, wari_half_next(half))
        for (int pit = 0; pit < WARI_HALF_PITS; pit++)
            pits += half[pit] > 0;
    assert_int_equal(moves.first[WARI_SOWN_MAX + 1], pits);
}

/* Sows all halves of up to 16 seeds, 64 halves in each call, as sweeps do. Then sows random ranges
 * of 1 to 64 halves of up to 48 seeds. */
static void sowings_of_many_halves_are_those_of_each(void **state)
{
    struct random_positions random;

    for (int seeds = 0; seeds <= test_scale(16, 8); seeds++) {
        const uint32_t all = wari_half_count(seeds);
        for (uint32_t first = 0; first < all; first += 64)
            check_sowings(halves_of(state), seeds, first, all - first < 64 ? all - first : 64);
    }
    random_positions_seed(&random, 8);
    for (int i = test_scale(20000, 500); i > 0; i--) {
        const int seeds = (int)random_below(&random, WARI_SEEDS_MAX + 1);
        const uint32_t all = wari_half_count(seeds), first = random_below(&random, all);
        const uint32_t count = 1 + random_below(&random, 64);
        check_sowings(halves_of(state), seeds, first, all - first < count ? all - first : count);
    }
}

static void sorted_moves_are_those_of_each_half(void **state)
{
    struct random_positions random;

    random_positions_seed(&random, 9);
    for (int i = test_scale(2000, 200); i > 0; i--) {
        const int seeds = (int)random_below(&random, WARI_SEEDS_MAX + 1);
        const uint32_t all = wari_half_count(seeds), first = random_below(&random, all);
        const uint32_t count = 1 + random_below(&random, WARI_ITEM_COLUMNS);
        check_sorted_moves(halves_of(state), seeds, first,
                           all - first < count ? all - first : count);
    }
}

/* wari_pits_holds() is true if each pit of one half has at least as many seeds as the same pit of
 * the other half. wari_pits_first_empty() returns the empty pit with the lowest number. */
static void pits_are_compared_one_by_one(void **state)
{
    struct random_positions random;

    (void)state;
    random_positions_seed(&random, 15);
    for (int i = test_scale(100000, 5000); i > 0; i--) {
        uint8_t half[WARI_HALF_PITS], part[WARI_HALF_PITS];
        int first = WARI_HALF_PITS;
        bool holds = true;
        for (int pit = WARI_HALF_PITS - 1; pit >= 0; pit--) {
            half[pit] = (uint8_t)random_below(&random, i % 2 ? WARI_SEEDS_MAX + 1 : 3);
            part[pit] = (uint8_t)random_below(&random, half[pit] + 2u);
            if (random_below(&random, 4) > 0 && part[pit] > half[pit])
                part[pit] = half[pit];
            holds = holds && part[pit] <= half[pit];
            first = half[pit] == 0 ? pit : first;
        }
        assert_int_equal(wari_pits_holds(wari_pits_pack(half), wari_pits_pack(part)), holds);
        if (first < WARI_HALF_PITS)
            assert_int_equal(wari_pits_first_empty(wari_pits_pack(half)), first);
    }
}

TEST_GROUP(test_solver_halves)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_the_index),
        cmocka_unit_test(numbers_are_right_at_the_ends),
        cmocka_unit_test(sowings_of_many_halves_are_those_of_each),
        cmocka_unit_test(sorted_moves_are_those_of_each_half),
        cmocka_unit_test(pits_are_compared_one_by_one),
    };
    return cmocka_run_group_tests(tests, make_halves, NULL);
}
