/* Compares every kernel with a computation for single cells: each number is converted to a
 * position, the reference solver makes its moves, and the cells of the resulting positions are
 * read where index/ places them. The cells contain random bytes, so that no kernel can pass by
 * relying on properties of solved levels. */
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
#include "verify/verify_level.h"
#include "verify/verify_strip.h"

enum { SEEDS = 9, DROPS_END = 3 };

/* Lists of moves that attain a value: all of them, or only those that lead to a marked position and
 * drop fewer than DROPS_END seeds. */
enum { ALL, TO_MARKED, LISTS };

struct fixture {
    struct wari_verify verify;
    struct wari_verify_proof proof;
    struct wari_verify_level level;
    void *columns, *memory;
    wari_verify_word *reached[LISTS];  /* set that a kernel fills */
    wari_verify_word *expected[LISTS]; /* set that the reference solver fills */
};

static void set_up(struct fixture *fixture, enum wari_rules rules)
{
    const struct wari_verify_level_sizes sizes = wari_verify_level_sizes(SEEDS, WARI_EVEN, true);
    struct random_positions random;

    memset(fixture, 0, sizeof *fixture);
    fixture->verify.variant = (struct wari_variant){rules, WARI_EVEN};
    fixture->proof.verify = &fixture->verify;
    fixture->proof.slam = wari_get_rules_info(rules)->slam;
    fixture->columns = malloc(wari_verify_columns_bytes(SEEDS));
    fixture->memory = malloc(sizes.cells + sizes.full + sizes.bounds + sizes.items);
    assert_true(fixture->columns && fixture->memory);
    wari_verify_columns_fill(&fixture->proof.columns, SEEDS, fixture->columns);
    wari_verify_level_begin(&fixture->level, &fixture->proof, SEEDS, fixture->memory);
    const size_t words = (size_t)wari_verify_reached_words(&fixture->level);
    for (int list = 0; list < LISTS; list++) {
        fixture->reached[list] = calloc(words, sizeof *fixture->reached[list]);
        fixture->expected[list] = calloc(words, sizeof *fixture->expected[list]);
        assert_true(fixture->reached[list] && fixture->expected[list]);
    }
    random_positions_seed(&random, SEEDS);
    for (uint64_t i = 0; i < wari_level_positions(SEEDS); i++) {
        const int value = (int)random_below(&random, 5) - 2;
        const int mark = random_below(&random, 4) == 0;
        wari_verify_write(&fixture->level.cells[i], (uint8_t)(wari_verify_code(value) | mark));
    }
    for (uint64_t i = 0; i < sizes.full; i++)
        wari_verify_write(&fixture->level.full[i], 0);
}

static void tear_down(struct fixture *fixture)
{
    for (int list = 0; list < LISTS; list++) {
        free((void *)fixture->reached[list]);
        free((void *)fixture->expected[list]);
    }
    free(fixture->columns);
    free(fixture->memory);
}

/* The expected results for one cell. */
struct seen {
    int best; /* value of the best quiet move, plus MIDDLE; 0 if there is no quiet move */
    bool supported;
    /* to_marked is true if a move leads to a marked position, attains the value of the cell, and
     * drops fewer than DROPS_END seeds. to_unmarked is the same for unmarked positions. */
    bool to_marked, to_unmarked;
};

static void expect_reached(const struct fixture *fixture, int list, uint64_t cell)
{
    fixture->expected[list][cell / WARI_VERIFY_CELLS] |= UINT64_C(1) << cell % WARI_VERIFY_CELLS;
}

static struct seen check_position(const struct fixture *fixture, uint8_t code,
                                  const struct wari_position *position)
{
    const int value = wari_verify_value(code);
    struct ref_move moves[REF_ROW];
    bool attained = false, open = false;
    struct seen seen = {0};
    int end_value;

    (void)ref_moves((int)fixture->verify.variant.rules, position->pits, moves, &end_value);
    for (int pit = 0; pit < REF_ROW; pit++) {
        struct wari_position next;
        if (!moves[pit].legal || moves[pit].ends || moves[pit].again || moves[pit].captured > 0)
            continue;
        memcpy(next.pits, moves[pit].next, sizeof next.pits);
        const uint64_t cell = wari_layout_rank(&fixture->level.layout, &next);
        const uint8_t reached = wari_verify_read(&fixture->level.cells[cell]);
        const int dropped =
            wari_half_seeds(next.pits) - wari_half_seeds(position->pits + WARI_HALF_PITS);
        const int worth = WARI_VERIFY_MIDDLE - wari_verify_value(reached);
        const bool marked = reached & WARI_VERIFY_MARK;
        seen.best = worth > seen.best ? worth : seen.best;
        open |= marked;
        if (-wari_verify_value(reached) != value)
            continue;
        attained |= !marked;
        if (!wari_half_full(position->pits + WARI_HALF_PITS))
            expect_reached(fixture, ALL, cell);
        if (dropped >= DROPS_END)
            continue;
        seen.to_marked |= marked;
        seen.to_unmarked |= !marked;
        if (marked && !wari_half_full(position->pits + WARI_HALF_PITS))
            expect_reached(fixture, TO_MARKED, cell);
    }
    seen.supported = value > 0 ? attained : !open;
    return seen;
}

/* Lets the kernel add positions to both sets of fixture->reached: to ALL the positions that are
 * reached by moves that attain the value, and to TO_MARKED those that are reached by the moves in
 * the list of attaining(). Returns the result of kernel->attaining(). */
static struct wari_verify_attaining
list_moves(struct fixture *fixture, const struct wari_verify_kernel *kernel,
           const struct wari_verify_strip *strip, uint32_t column,
           const uint8_t codes[WARI_VERIFY_ROWS], const uint8_t best[WARI_VERIFY_ROWS])
{
    uint8_t again[WARI_VERIFY_ROWS];
    struct wari_verify_edges edges;

    kernel->best_edges(strip, column, codes, again, &edges);
    assert_memory_equal(again, best, sizeof again);
    fixture->level.reached = fixture->reached[ALL];
    kernel->reach_all(strip, &edges, UINT64_MAX);
    const struct wari_verify_attaining found =
        kernel->attaining(strip, column, DROPS_END, codes, &edges);
    fixture->level.reached = fixture->reached[TO_MARKED];
    kernel->reach_all(strip, &edges, 0);
    kernel->reach_all(strip, &edges, UINT64_MAX);
    return found;
}

/* Checks one column of a strip with one kernel. Rows that the strip does not have must read as
 * 0. */
static void check_column(struct fixture *fixture, const struct wari_verify_kernel *kernel,
                         const struct wari_verify_strip *strip, uint32_t column)
{
    uint8_t codes[WARI_VERIFY_ROWS], best[WARI_VERIFY_ROWS];
    const uint64_t marked = kernel->read(strip, column, codes);
    const uint64_t supported = kernel->supported(strip, column, codes);

    kernel->best(strip, column, best);
    struct wari_verify_attaining found = {0};
    if (!strip->full)
        found = list_moves(fixture, kernel, strip, column, codes, best);
    for (int row = 0; row < WARI_VERIFY_ROWS; row++) {
        struct wari_position position;
        if (row >= strip->rows) {
            assert_int_equal(codes[row], 0);
            assert_int_equal(best[row], 0);
            continue;
        }
        wari_half_unrank(SEEDS - strip->block, column, position.pits);
        memcpy(position.pits + WARI_HALF_PITS, strip->pits[row], WARI_HALF_PITS);
        const wari_verify_cell *cells = strip->full ? fixture->level.full : fixture->level.cells;
        const uint8_t code = wari_verify_read(&cells[strip->first[row] + column]);
        const struct seen seen = check_position(fixture, code, &position);
        assert_int_equal(codes[row], code);
        assert_int_equal(best[row], seen.best);
        assert_int_equal(marked >> row & 1, code & WARI_VERIFY_MARK);
        if (strip->full)
            continue; /* positions with a full opponent half are not stored */
        assert_int_equal(supported >> row & 1, seen.supported);
        assert_int_equal(found.positive >> row & 1, wari_verify_value(code) > 0);
        assert_int_equal(found.marked >> row & 1, seen.to_marked);
        assert_int_equal(found.unmarked >> row & 1, seen.to_unmarked);
    }
}

/* Loads all cells of a strip and writes them back with other marks. */
static void check_tiles(const struct fixture *fixture, const struct wari_verify_kernel *kernel,
                        const struct wari_verify_strip *strip)
{
    for (uint32_t first = 0; first < strip->columns; first += WARI_VERIFY_TILE) {
        struct wari_verify_tile tile, again;
        kernel->load(strip, first, &tile);
        for (uint32_t i = 0; i < WARI_VERIFY_TILE; i++) {
            uint8_t codes[WARI_VERIFY_ROWS] = {0};
            uint64_t marked = 0, between = 0;
            for (int row = 0; row < strip->rows && first + i < strip->columns; row++)
                codes[row] = wari_verify_read(&fixture->level.cells[strip->first[row] + first + i]);
            for (int row = 0; row < WARI_VERIFY_ROWS; row++) {
                marked |= (uint64_t)(codes[row] & WARI_VERIFY_MARK) << row;
                between |= (uint64_t)(codes[row] >= 126 && codes[row] <= 130) << row;
            }
            assert_memory_equal(tile.codes[i], codes, sizeof codes);
            assert_true(kernel->marked(codes) == marked);
            assert_true(kernel->between(codes, 126, 130) == between);
            for (int row = 0; row < strip->rows && first + i < strip->columns; row++)
                tile.codes[i][row] ^= WARI_VERIFY_MARK;
        }
        kernel->store(strip, first, &tile);
        kernel->load(strip, first, &again);
        assert_memory_equal(&again, &tile, sizeof tile);
    }
}

static void check_keep(const struct fixture *fixture, const struct wari_verify_kernel *kernel)
{
    const uint64_t kept = UINT64_C(0xf0e1d2c3b4a59687);
    wari_verify_cell *cells = fixture->level.cells;
    uint8_t before[WARI_VERIFY_CELLS];
    int marked = 0;

    memcpy(before, (const void *)cells, sizeof before);
    const int count = kernel->keep(cells, kept);
    for (int i = 0; i < WARI_VERIFY_CELLS; i++) {
        const int mark = before[i] & (int)(kept >> i) & WARI_VERIFY_MARK;
        assert_int_equal(wari_verify_read(&cells[i]), (before[i] & ~WARI_VERIFY_MARK) | mark);
        marked += mark;
    }
    assert_int_equal(count, marked);
}

static void check_level(const struct wari_verify_kernel *kernel, enum wari_rules rules)
{
    struct fixture fixture;
    struct wari_verify_strip strip;

    set_up(&fixture, rules);
    for (uint64_t item = 0; item < fixture.level.item_count; item++) {
        wari_verify_strip_fill(&strip, &fixture.level, &fixture.level.items[item]);
        for (uint32_t column = 0; column < strip.columns; column++)
            check_column(&fixture, kernel, &strip, column);
    }
    for (int list = 0; list < LISTS; list++)
        assert_memory_equal(fixture.reached[list], fixture.expected[list],
                            (size_t)wari_verify_reached_words(&fixture.level) *
                                sizeof *fixture.reached[list]);
    for (uint64_t item = 0; item < fixture.level.item_count; item++) {
        wari_verify_strip_fill(&strip, &fixture.level, &fixture.level.items[item]);
        if (!strip.full)
            check_tiles(&fixture, kernel, &strip);
    }
    check_keep(&fixture, kernel);
    tear_down(&fixture);
}

/* Grand slams that capture nothing are quiet moves under some rule sets. */
static void check_rule_sets(const struct wari_verify_kernel *kernel)
{
    int quiet_slams = 0;
    check_level(kernel, WARI_AWARI);
    for (int rules = 0; rules < WARI_RULES_COUNT && quiet_slams == 0; rules++) {
        if (wari_get_rules_info((enum wari_rules)rules)->slam != WARI_SLAM_NO_CAPTURE)
            continue;
        check_level(kernel, (enum wari_rules)rules);
        quiet_slams++;
    }
    assert_int_equal(quiet_slams, 1);
}

static void all_loops_see_what_single_cells_say(void **state)
{
    const struct wari_verify_kernel *kernel;

    (void)state;
    assert_ptr_equal(wari_verify_kernel_listed(0), &wari_verify_kernel_portable);
    for (int i = 0; (kernel = wari_verify_kernel_listed(i)); i++)
        check_rule_sets(kernel);
}

TEST_GROUP(test_verify_kernel)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_loops_see_what_single_cells_say),
    };
    return cmocka_run_group_tests_name("verify kernel", tests, NULL, NULL);
}
