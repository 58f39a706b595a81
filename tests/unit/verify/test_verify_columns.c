/* Compares the verifier's tables of moves, which treat the two halves of the board separately, with
 * the reference moves. The reference moves were written from the rules alone; they use neither
 * halves nor the numbers of halves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "index/half.h"
#include "tests/reference/random_positions.h"
#include "tests/reference/reference.h"
#include "tests/unit/groups.h"
#include "verify/verify_columns.h"

enum {
    OWN_MAX = 24, /* a sowing of 24 seeds makes more than two laps of eleven pits */
    POSITIONS = 200000,
};

/* Counts of the covered cases. The test fails if a kind of case was not covered. */
struct seen {
    int captures, slams, quiet, two_laps;
};

static void check_move(const struct wari_verify_column *column, const unsigned char *pits, int pit,
                       const struct ref_move *move, struct seen *seen)
{
    const int sown = column->sown[pit] & ~WARI_VERIFY_LANDS;
    const int opponent = wari_half_seeds(pits + WARI_HALF_PITS);
    const unsigned char *reached = move->next + WARI_HALF_PITS;
    uint8_t half[WARI_HALF_PITS];
    int captured = 0;

    memcpy(half, pits + WARI_HALF_PITS, sizeof half);
    wari_verify_sow(half, sown);
    if (column->sown[pit] & WARI_VERIFY_LANDS)
        captured = wari_verify_capture(half, sown);
    assert_int_equal(move->slam, captured > 0 && captured == opponent + sown);
    seen->slams += move->slam;
    if (move->ends || move->again)
        return;
    assert_int_equal(captured, move->captured);
    assert_memory_equal(half, move->next, sizeof half);
    assert_int_equal(column->row[pit], wari_row_rank(reached));
    assert_int_equal(sown + opponent - captured, wari_half_seeds(move->next));
    seen->captures += captured > 0;
    seen->quiet += captured == 0;
    seen->two_laps += pits[pit] > 22;
}

static void halves_go_where_the_reference_moves_go(void **state)
{
    struct wari_verify_columns columns;
    struct random_positions random;
    struct seen seen = {0};
    void *memory = malloc(wari_verify_columns_bytes(OWN_MAX));

    (void)state;
    assert_non_null(memory);
    wari_verify_columns_fill(&columns, OWN_MAX, memory);
    random_positions_seed(&random, 24);
    for (int i = 0; i < POSITIONS; i++) {
        unsigned char pits[REF_PITS];
        struct ref_move moves[REF_ROW];
        int end_value;
        random_position(&random, pits);
        const int own = wari_half_seeds(pits);
        if (own > OWN_MAX)
            continue;
        const struct wari_verify_column *column = &columns.of[own][wari_half_rank(pits)];
        if (ref_moves(REF_WARE, pits, moves, &end_value) == 0)
            continue;
        for (int pit = 0; pit < REF_ROW; pit++) {
            assert_int_equal(column->sown[pit] == WARI_VERIFY_NO_MOVE, pits[pit] == 0);
            if (moves[pit].legal)
                check_move(column, pits, pit, &moves[pit], &seen);
        }
    }
    assert_true(seen.captures > 1000 && seen.slams > 1000);
    assert_true(seen.quiet > 1000 && seen.two_laps > 100);
    free(memory);
}

/* The smallest case, computed by hand: 1 seed from F falls into a, which then holds 2. */
static void a_seed_in_f_falls_into_a(void **state)
{
    struct wari_verify_columns columns;
    void *memory = malloc(wari_verify_columns_bytes(1));
    uint8_t half[WARI_HALF_PITS] = {1, 0, 0, 0, 0, 3};

    (void)state;
    assert_non_null(memory);
    wari_verify_columns_fill(&columns, 1, memory);
    assert_int_equal(columns.of[1][0].sown[5], 1 | WARI_VERIFY_LANDS);
    assert_int_equal(columns.of[1][0].row[5], 0);
    assert_int_equal(columns.of[1][0].sown[4], WARI_VERIFY_NO_MOVE);
    assert_int_equal(columns.of[1][1].sown[4], 0); /* a seed sown from E stays in the mover's row */
    wari_verify_sow(half, 1);
    assert_int_equal(wari_verify_capture(half, 1), 2);
    assert_int_equal(wari_half_seeds(half), 3);
    free(memory);
}

TEST_GROUP(test_verify_columns)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_go_where_the_reference_moves_go),
        cmocka_unit_test(a_seed_in_f_falls_into_a),
    };
    return cmocka_run_group_tests_name("verify columns", tests, NULL, NULL);
}
