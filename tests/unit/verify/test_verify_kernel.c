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

enum { SEEDS = 9 };

struct fixture {
    struct wari_verify verify;
    struct wari_verify_proof proof;
    struct wari_verify_level level;
    void *columns, *memory;
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
    free(fixture->columns);
    free(fixture->memory);
}

/* The expected results for one cell. */
struct seen {
    int best; /* value of the best quiet move, plus MIDDLE; 0 if there is no quiet move */
    bool supported;
};

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
        const uint8_t reached = wari_verify_read(
            &fixture->level.cells[wari_layout_rank(&fixture->level.layout, &next)]);
        const int worth = WARI_VERIFY_MIDDLE - wari_verify_value(reached);
        const bool marked = reached & WARI_VERIFY_MARK;
        seen.best = worth > seen.best ? worth : seen.best;
        attained |= !marked && -wari_verify_value(reached) == value;
        open |= marked;
    }
    seen.supported = value > 0 ? attained : !open;
    return seen;
}

/* Checks one column of a strip with one kernel. Rows that the strip does not have must read as
 * 0. */
static void check_column(const struct fixture *fixture, const struct wari_verify_kernel *kernel,
                         const struct wari_verify_strip *strip, uint32_t column)
{
    uint8_t codes[WARI_VERIFY_ROWS], best[WARI_VERIFY_ROWS];
    const uint64_t marked = kernel->read(strip, column, codes);
    const uint64_t supported = kernel->supported(strip, column, codes);

    kernel->best(strip, column, best);
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
        if (!strip->full) /* positions with a full opponent half are not stored */
            assert_int_equal(supported >> row & 1, seen.supported);
    }
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
