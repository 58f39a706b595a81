/* Compares the boards of the search with game/, which moves seed by seed. Also tests that
 * different boards have different keys, and tests estimates and the table of results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "play/search/board.h"
#include "play/search/evaluation.h"
#include "play/search/search_table.h"
#include "tests/unit/groups.h"

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> 16;
}

/* Distributes the seeds at random. Sometimes puts most of them into one pit, or makes a row
 * empty. */
static struct wari_position random_board(uint64_t *state)
{
    struct wari_position position = {{0}};
    int seeds = (int)(next_random(state) % (WARI_SEEDS_MAX + 1));
    int pits = 1 + (int)(next_random(state) % WARI_PITS);
    int first = (int)(next_random(state) % WARI_PITS);
    for (int i = 0; i < seeds; i++) {
        int pit = (first + (int)(next_random(state) % (uint64_t)pits)) % WARI_PITS;
        position.pits[pit]++;
    }
    return position;
}

static void a_board_has_the_moves_of_its_position(void **state)
{
    enum { POSITIONS = 100000 };
    uint64_t random = 4711;
    (void)state;
    for (int i = 0; i < POSITIONS; i++) {
        struct wari_position position = random_board(&random);
        struct wari_search_board board = wari_search_board_of(&position);
        enum wari_rules rules = (enum wari_rules)(i % WARI_RULES_COUNT);
        struct wari_moves moves;
        struct wari_steps steps;
        wari_find_moves(rules, &position, &moves);
        wari_search_board_steps(rules, &board, &steps);
        assert_int_equal(wari_search_board_seeds(&board), wari_seeds(&position));
        assert_int_equal(steps.count, moves.count);
        assert_int_equal(steps.end_value, moves.end_value);
        for (int k = 0; k < moves.count; k++) {
            const struct wari_move *move = &moves.list[k];
            const struct wari_step *step = &steps.list[k];
            struct wari_position next = wari_search_board_position(&step->next);
            assert_int_equal(step->pit, move->pit);
            assert_int_equal(step->captured, move->captured);
            assert_int_equal(step->ends, move->ends);
            assert_int_equal(step->again, move->again);
            assert_int_equal(step->end_value, move->end_value);
            assert_memory_equal(&next, &move->next, sizeof next);
        }
    }
}

static void captures_are_the_moves_that_capture_or_end(void **state)
{
    enum { POSITIONS = 100000 };
    uint64_t random = 4712;
    (void)state;
    for (int i = 0; i < POSITIONS; i++) {
        const struct wari_position position = random_board(&random);
        const struct wari_search_board board = wari_search_board_of(&position);
        const enum wari_rules rules = (enum wari_rules)(i % WARI_RULES_COUNT);
        struct wari_moves moves;
        struct wari_steps steps;
        int k = 0;
        if (board.rows[0] == 0 || board.rows[1] == 0)
            continue;
        wari_find_moves(rules, &position, &moves);
        wari_search_board_captures(rules, &board, &steps);
        for (int j = 0; j < moves.count; j++) {
            const struct wari_move *move = &moves.list[j];
            if (move->captured == 0 && !move->ends)
                continue;
            while (k < steps.count && steps.list[k].captured == 0 && !steps.list[k].ends)
                k++; /* a slam that captures nothing */
            assert_true(k < steps.count);
            const struct wari_position next = wari_search_board_position(&steps.list[k].next);
            assert_int_equal(steps.list[k].pit, move->pit);
            assert_int_equal(steps.list[k].captured, move->captured);
            assert_int_equal(steps.list[k].ends, move->ends);
            assert_int_equal(steps.list[k].end_value, move->end_value);
            assert_memory_equal(&next, &move->next, sizeof next);
            k++;
        }
        for (; k < steps.count; k++)
            assert_true(steps.list[k].captured == 0 && !steps.list[k].ends);
    }
}

/* Computes the estimate as evaluation.h describes it, one unit after the other. */
static int estimate_by_units(const struct wari_evaluation *evaluation,
                             const struct wari_position *position)
{
    const int seeds = wari_seeds(position), most = 100 * seeds;
    int sum = 0;
    for (int unit = 0; unit < WARI_UNITS; unit++) {
        int value = evaluation->levels[seeds / 2 * WARI_UNITS + unit];
        for (int pit = 0; pit < WARI_PITS; pit++) {
            int count = position->pits[pit];
            count = count < WARI_UNIT_COUNTS ? count : WARI_UNIT_COUNTS - 1;
            value += evaluation->pits[(pit * WARI_UNIT_COUNTS + count) * WARI_UNITS + unit];
        }
        value = value < 0 ? 0 : value > WARI_UNIT_ONE ? WARI_UNIT_ONE : value;
        sum += value * evaluation->out[unit];
    }
    sum = sum / WARI_OUTPUT_ONE + evaluation->bias;
    return sum > most ? most : sum < -most ? -most : sum;
}

static void an_estimate_is_the_sum_of_the_clamped_units(void **state)
{
    enum { POSITIONS = 10000 };
    uint64_t random = 4713;
    (void)state;
    for (int i = 0; i < POSITIONS; i++) {
        const struct wari_variant variant = {WARI_ABAPA, (enum wari_cycle)(i % WARI_CYCLE_COUNT)};
        const struct wari_evaluation *evaluation = wari_evaluation_for(variant);
        const struct wari_position position = random_board(&random);
        const struct wari_search_board board = wari_search_board_of(&position);
        assert_int_equal(wari_evaluate(evaluation, &board),
                         estimate_by_units(evaluation, &position));
    }
}

/* A pit of the mover is in danger if a move of the opponent can capture it. A capture begins at
 * the pit of the last seed and may continue to further pits; only the pit of the last seed is
 * reported. */
static void pits_in_danger_are_those_that_can_be_captured(void **state)
{
    /* Computed by hand: the opponent's f (1 seed) reaches A, and e (3 seeds) reaches B. A holds
     * 1 seed, B holds 4. */
    static const struct wari_position position = {{1, 4, 0, 2, 0, 0, 0, 0, 0, 0, 3, 1}};
    /* A sowing of 13 seeds captures in the same way: f goes round the board and ends in B, which
     * held 1 seed and got 2. */
    static const struct wari_position lap = {{1, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 13}};
    /* The opponent's move from a, which has 11 seeds, ends in F, which held 1 seed. An earlier
     * version did not report that F is in danger. */
    static const struct wari_position eleven = {{0, 0, 0, 0, 0, 1, 11, 0, 0, 0, 0, 0}};
    struct wari_search_board board = wari_search_board_of(&position);
    (void)state;
    assert_int_equal(wari_search_board_endangered(&board), 1);
    board = wari_search_board_of(&lap);
    assert_int_equal(wari_search_board_endangered(&board), 1 << 1);
    board = wari_search_board_of(&eleven);
    assert_int_equal(wari_search_board_endangered(&board), 1 << 5);
}

static void no_two_boards_share_a_key(void **state)
{
    /* All boards of 3 seeds, each with all values of `about`, an argument of
     * wari_search_board_key(). Each pair of keys must differ. */
    enum { ABOUT = 4 };
    static uint64_t keys[12 * 12 * 12 * ABOUT];
    size_t count = 0;
    (void)state;
    for (int a = 0; a < WARI_PITS; a++)
        for (int b = a; b < WARI_PITS; b++)
            for (int c = b; c < WARI_PITS; c++) {
                struct wari_position position = {{0}};
                position.pits[a]++;
                position.pits[b]++;
                position.pits[c]++;
                struct wari_search_board board = wari_search_board_of(&position);
                for (unsigned about = 0; about < ABOUT; about++)
                    keys[count++] = wari_search_board_key(&board, about);
            }
    assert_int_equal(count, ABOUT * 364); /* there are C(14, 3) = 364 boards */
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(keys[i] != keys[k]);
}

static void a_stored_result_is_found(void **state)
{
    struct wari_search_table table;
    struct wari_stored_result kept = {.score = -4800,
                                      .lead = -25,
                                      .depth = 99,
                                      .bound = WARI_BOUND_UPPER,
                                      .pit = 5,
                                      .least = -48,
                                      .most = 48};
    struct wari_stored_result found;
    (void)state;
    assert_int_equal(wari_search_table_make(&table, wari_host_system(), 1, NULL), WARI_OK);
    assert_int_equal(table.buckets, 1);
    assert_false(wari_search_table_find(&table, 7, &found));
    wari_search_table_store(&table, 7, &kept);
    assert_true(wari_search_table_find(&table, 7, &found));
    assert_int_equal(found.score, kept.score);
    assert_int_equal(found.lead, kept.lead);
    assert_int_equal(found.depth, kept.depth);
    assert_int_equal(found.bound, kept.bound);
    assert_int_equal(found.pit, kept.pit);
    assert_int_equal(found.least, kept.least);
    assert_int_equal(found.most, kept.most);
    kept = (struct wari_stored_result){.score = 1, .pit = -1, .bound = WARI_BOUND_EXACT};
    for (uint64_t key = 8; key < 12; key++) /* a bucket has four entries */
        wari_search_table_store(&table, key, &kept);
    assert_true(wari_search_table_find(&table, 7, &found)); /* the entry with the greatest depth
                                                             * is kept at first */
    for (int age = 0; age < 30; age++)
        wari_search_table_next_age(&table);
    for (uint64_t key = 20; key < 24; key++)
        wari_search_table_store(&table, key, &kept);
    assert_false(wari_search_table_find(&table, 7, &found)); /* after several searches the entry
                                                              * has been replaced */
    assert_int_equal(wari_search_table_full(&table), 1000);
    wari_search_table_clear(&table);
    assert_int_equal(wari_search_table_full(&table), 0);
    wari_search_table_free(&table, wari_host_system());
}

/* A bucket has 64 bytes, the size of a cache line. */
static void buckets_are_lines_within_the_memory_given(void **state)
{
    (void)state;
    for (size_t bytes = 128; bytes < 1000; bytes++) {
        struct wari_search_table table;
        assert_int_equal(wari_search_table_make(&table, wari_host_system(), bytes, NULL), WARI_OK);
        const uintptr_t start = (uintptr_t)table.entries, memory = (uintptr_t)table.stored;
        assert_int_equal(start % 64, 0);
        assert_true(memory <= start && start + 64 * table.buckets <= memory + bytes);
        assert_true(table.buckets >= bytes / 64 - 1);
        wari_search_table_free(&table, wari_host_system());
    }
}

TEST_GROUP(test_play_board)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_board_has_the_moves_of_its_position),
        cmocka_unit_test(captures_are_the_moves_that_capture_or_end),
        cmocka_unit_test(an_estimate_is_the_sum_of_the_clamped_units),
        cmocka_unit_test(pits_in_danger_are_those_that_can_be_captured),
        cmocka_unit_test(no_two_boards_share_a_key),
        cmocka_unit_test(a_stored_result_is_found),
        cmocka_unit_test(buckets_are_lines_within_the_memory_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
