/* Tests the numbering of halves and positions: how many of them there are, their order, and that
 * rank and unrank are inverse functions.
 *
 * Expected values: the counts were computed by hand or have been published; the order is that of
 * six nested loops.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "index/half.h"
#include "index/level.h"
#include "tests/reference/random_positions.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

/* ---- Halves ---- */

static void the_halves_of_two_seeds_are_numbered_as_written_down_by_hand(void **state)
{
    static const uint8_t halves[][WARI_HALF_PITS] = {
        {0, 0, 0, 0, 0, 2}, {0, 0, 0, 0, 1, 1}, {0, 0, 0, 0, 2, 0}, {0, 0, 0, 1, 0, 1},
        {0, 0, 0, 1, 1, 0}, {0, 0, 0, 2, 0, 0}, {0, 0, 1, 0, 0, 1}, {0, 0, 1, 0, 1, 0},
        {0, 0, 1, 1, 0, 0}, {0, 0, 2, 0, 0, 0}, {0, 1, 0, 0, 0, 1}, {0, 1, 0, 0, 1, 0},
        {0, 1, 0, 1, 0, 0}, {0, 1, 1, 0, 0, 0}, {0, 2, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 1},
        {1, 0, 0, 0, 1, 0}, {1, 0, 0, 1, 0, 0}, {1, 0, 1, 0, 0, 0}, {1, 1, 0, 0, 0, 0},
        {2, 0, 0, 0, 0, 0},
    };

    (void)state;
    assert_int_equal(wari_half_count(2), sizeof halves / sizeof *halves);
    assert_int_equal(wari_row_count(2), sizeof halves / sizeof *halves);
    for (uint32_t i = 0; i < sizeof halves / sizeof *halves; i++) {
        uint8_t pits[WARI_HALF_PITS];
        assert_int_equal(wari_half_rank(halves[i]), i);
        assert_int_equal(wari_row_rank(halves[i]), i);
        wari_half_unrank(2, i, pits);
        assert_memory_equal(pits, halves[i], sizeof pits);
    }
}

/* Expected numbers: C(s+5,5) halves and C(s+5,5) - C(s-1,5) rows. The first full half has six
 * seeds. */
static void halves_and_rows_are_counted_as_binomials(void **state)
{
    static const struct {
        int seeds;
        uint32_t halves;
        uint32_t rows;
    } table[] = {
        {0, 1, 1},
        {1, 6, 6},
        {4, 126, 126},
        {5, 252, 252},
        {6, 462, 461},
        {7, 792, 786},
        {12, 6188, 5726},
        {24, 118755, 85106},
        {47, 2598960, 1228206},
        {48, 2869685, 1335746},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_int_equal(wari_half_count(table[i].seeds), table[i].halves);
        assert_int_equal(wari_row_count(table[i].seeds), table[i].rows);
    }
}

struct counters {
    uint8_t stepped[WARI_HALF_PITS]; /* advanced by wari_half_next() */
    uint32_t half;
    uint32_t row;
};

static void expect_half(const uint8_t pits[WARI_HALF_PITS], int seeds, struct counters *counters)
{
    uint8_t back[WARI_HALF_PITS];
    bool full = true;

    for (int i = 0; i < WARI_HALF_PITS; i++)
        full = full && pits[i] > 0;
    assert_memory_equal(pits, counters->stepped, WARI_HALF_PITS);
    assert_int_equal(wari_half_seeds(pits), seeds);
    assert_int_equal(wari_half_rank(pits), counters->half);
    wari_half_unrank(seeds, counters->half, back);
    assert_memory_equal(pits, back, WARI_HALF_PITS);
    assert_int_equal(wari_half_full(pits), full);
    if (!full) {
        assert_int_equal(wari_row_rank(pits), counters->row);
        wari_row_unrank(seeds, counters->row, back);
        assert_memory_equal(pits, back, WARI_HALF_PITS);
        counters->row++;
    }
    counters->half++;
    if (!wari_half_next(counters->stepped))
        assert_int_equal(counters->half, wari_half_count(seeds));
}

/* Nested loops define the lexicographic order. */
static void every_half_to_16_seeds_has_its_lexicographic_number(void **state)
{
    (void)state;
    for (int seeds = 0; seeds <= 16; seeds++) {
        struct counters counters = {.stepped = {[5] = (uint8_t)seeds}};
        int p[WARI_HALF_PITS];
        for (p[0] = 0; p[0] <= seeds; p[0]++)
            for (p[1] = 0; p[1] <= seeds - p[0]; p[1]++)
                for (p[2] = 0; p[2] <= seeds - p[0] - p[1]; p[2]++)
                    for (p[3] = 0; p[3] <= seeds - p[0] - p[1] - p[2]; p[3]++)
                        for (p[4] = 0; p[4] <= seeds - p[0] - p[1] - p[2] - p[3]; p[4]++) {
                            p[5] = seeds - p[0] - p[1] - p[2] - p[3] - p[4];
                            uint8_t pits[WARI_HALF_PITS];
                            for (int i = 0; i < WARI_HALF_PITS; i++)
                                pits[i] = (uint8_t)p[i];
                            expect_half(pits, seeds, &counters);
                        }
        assert_int_equal(counters.half, wari_half_count(seeds));
        assert_int_equal(counters.row, wari_row_count(seeds));
    }
}

/* Steps through all halves with wari_half_next(), which the test before compares with nested loops,
 * and checks that the rank grows by one in each step. So all ranks in these levels are correct. */
static void ranks_grow_one_by_one_through_all_halves_of_large_levels(void **state)
{
    static const int levels[] = {17, 23, 24, 31, 47, 48};

    (void)state;
    for (int i = 0; i < test_scale(6, 3); i++) {
        uint8_t pits[WARI_HALF_PITS] = {[5] = (uint8_t)levels[i]};
        uint32_t half = 0;
        uint32_t row = 0;
        uint32_t wrong = 0;
        do {
            wrong += wari_half_rank(pits) != half++;
            if (!wari_half_full(pits))
                wrong += wari_row_rank(pits) != row++;
        } while (wari_half_next(pits));
        assert_int_equal(wrong, 0);
        assert_int_equal(half, wari_half_count(levels[i]));
        assert_int_equal(row, wari_row_count(levels[i]));
    }
}

static void the_last_half_has_no_next_and_stays(void **state)
{
    (void)state;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        uint8_t pits[WARI_HALF_PITS] = {(uint8_t)seeds};
        const uint8_t last[WARI_HALF_PITS] = {(uint8_t)seeds};
        assert_int_equal(wari_half_rank(pits), wari_half_count(seeds) - 1);
        assert_false(wari_half_next(pits));
        assert_memory_equal(pits, last, sizeof last);
    }
}

/* The solver's maps require this: sowing t seeds into a half adds t/6 to every pit and one more to
 * the first t%6 pits, and the sums preserve the order of the halves. */
static void adding_a_sown_pattern_keeps_the_order(void **state)
{
    int most = test_scale(20, 10);

    (void)state;
    for (int seeds = 0; seeds <= most; seeds++) {
        for (int sown = 0; sown <= 28; sown++) {
            uint8_t pits[WARI_HALF_PITS] = {[5] = (uint8_t)seeds};
            int64_t before = -1;
            uint32_t disorder = 0;
            do {
                uint8_t sum[WARI_HALF_PITS];
                for (int i = 0; i < WARI_HALF_PITS; i++)
                    sum[i] = (uint8_t)(pits[i] + sown / 6 + (i < sown % 6));
                int64_t rank = wari_half_rank(sum);
                disorder += rank <= before;
                before = rank;
            } while (wari_half_next(pits));
            assert_int_equal(disorder, 0);
        }
    }
}

/* ---- Levels ---- */

/* The sum is from Romein & Bal 2003. Single levels: C(n+11,11) and C(n+11,11) - C(n+5,11) by hand.
 */
static void levels_add_up_to_the_published_number_of_positions(void **state)
{
    /* The start position is counted here, because wari_level_positions() does not count positions
     * whose opponent row is full. */
    uint64_t sum = 1;

    (void)state;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++)
        if (seeds != 47)
            sum += wari_level_positions(seeds);
    assert_true(sum == 889063398406u);
    assert_true(wari_level_positions(48) == 203648015935u);
    assert_int_equal(wari_level_positions(20), 80214915);
    assert_int_equal(wari_level_placements(20), 84672315);
    assert_true(wari_level_placements(48) == 279871768995u);
    assert_int_equal(wari_level_placements(0), 1);
    assert_int_equal(wari_level_positions(0), 1);
    assert_int_equal(wari_level_placements(5), wari_level_positions(5));
    assert_int_equal(wari_level_placements(6), wari_level_positions(6) + 1);
}

static void the_blocks_of_a_layout_fill_the_level(void **state)
{
    (void)state;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        struct wari_layout layout;
        uint64_t offset = 0;
        memset(&layout, 0xa5, sizeof layout);
        wari_layout_init(&layout, seeds);
        assert_int_equal(layout.seeds, seeds);
        for (int s = 0; s <= seeds; s++) {
            assert_true(layout.block_offset[s] == offset);
            assert_int_equal(layout.rows[s], wari_row_count(s));
            assert_int_equal(layout.columns[s], wari_half_count(seeds - s));
            offset += (uint64_t)layout.rows[s] * layout.columns[s];
        }
        assert_true(layout.block_offset[seeds + 1] == offset);
        assert_true(offset == wari_level_positions(seeds));
    }
}

/* The order of database files: by the opponent's seeds, then the opponent's half, then the mover's
 * half. */
static void every_position_to_12_seeds_has_the_number_of_its_place(void **state)
{
    int most = test_scale(12, 8);

    (void)state;
    for (int seeds = 0; seeds <= most; seeds++) {
        struct wari_layout layout;
        uint64_t number = 0;
        uint64_t wrong = 0;
        wari_layout_init(&layout, seeds);
        for (int s = 0; s <= seeds; s++) {
            uint8_t opponent[WARI_HALF_PITS] = {[5] = (uint8_t)s};
            do {
                if (wari_half_full(opponent))
                    continue;
                struct wari_position position = {{[5] = (uint8_t)(seeds - s)}};
                memcpy(position.pits + WARI_HALF_PITS, opponent, WARI_HALF_PITS);
                do {
                    struct wari_position back;
                    wari_layout_unrank(&layout, number, &back);
                    wrong += !wari_position_stored(&position) ||
                             wari_layout_rank(&layout, &position) != number ||
                             memcmp(&back, &position, sizeof back) != 0;
                    number++;
                } while (wari_half_next(position.pits));
            } while (wari_half_next(opponent));
        }
        assert_int_equal(wrong, 0);
        assert_true(number == wari_level_positions(seeds));
    }
}

static uint64_t random_rank(struct random_positions *random, uint64_t positions)
{
    uint64_t high = random_below(random, UINT32_MAX);
    return (high << 32 | random_below(random, UINT32_MAX)) % positions;
}

static void rank_undoes_unrank_on_random_numbers_of_every_level(void **state)
{
    struct random_positions random;
    int draws = test_scale_long(1000000, 100000, 10000);

    (void)state;
    random_positions_seed(&random, 48);
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        struct wari_layout layout;
        int wrong = 0;
        wari_layout_init(&layout, seeds);
        uint64_t positions = wari_level_positions(seeds);
        for (int i = 0; i < draws; i++) {
            uint64_t rank = i == 0 ? positions - 1 : random_rank(&random, positions);
            struct wari_position position;
            wari_layout_unrank(&layout, rank, &position);
            wrong += wari_layout_rank(&layout, &position) != rank ||
                     wari_seeds(&position) != seeds || !wari_position_stored(&position);
        }
        assert_int_equal(wrong, 0);
    }
}

static void unrank_undoes_rank_on_random_positions(void **state)
{
    static struct wari_layout layouts[WARI_SEEDS_MAX + 1];
    struct random_positions random;
    int stored = 0;

    (void)state;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++)
        wari_layout_init(&layouts[seeds], seeds);
    random_positions_seed(&random, 12);
    for (int i = test_scale(1000000, 20000); i > 0; i--) {
        struct wari_position position;
        struct wari_position back;
        random_position(&random, position.pits);
        if (!wari_position_stored(&position))
            continue;
        const struct wari_layout *layout = &layouts[wari_seeds(&position)];
        wari_layout_unrank(layout, wari_layout_rank(layout, &position), &back);
        assert_memory_equal(&back, &position, sizeof back);
        stored++;
    }
    assert_true(stored > 1000);
}

static void only_a_full_opponent_half_is_not_stored(void **state)
{
    struct wari_position position = wari_start_position();

    (void)state;
    assert_false(wari_position_stored(&position));
    for (int pit = 0; pit < WARI_PITS; pit++) {
        position = wari_start_position();
        position.pits[pit] = 0;
        assert_int_equal(wari_position_stored(&position), pit >= WARI_HALF_PITS);
    }
}

TEST_GROUP(test_index)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_halves_of_two_seeds_are_numbered_as_written_down_by_hand),
        cmocka_unit_test(halves_and_rows_are_counted_as_binomials),
        cmocka_unit_test(every_half_to_16_seeds_has_its_lexicographic_number),
        cmocka_unit_test(ranks_grow_one_by_one_through_all_halves_of_large_levels),
        cmocka_unit_test(the_last_half_has_no_next_and_stays),
        cmocka_unit_test(adding_a_sown_pattern_keeps_the_order),
        cmocka_unit_test(levels_add_up_to_the_published_number_of_positions),
        cmocka_unit_test(the_blocks_of_a_layout_fill_the_level),
        cmocka_unit_test(every_position_to_12_seeds_has_the_number_of_its_place),
        cmocka_unit_test(rank_undoes_unrank_on_random_numbers_of_every_level),
        cmocka_unit_test(unrank_undoes_rank_on_random_positions),
        cmocka_unit_test(only_a_full_opponent_half_is_not_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
