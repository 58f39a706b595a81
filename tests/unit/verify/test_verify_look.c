/* The inner loops of a proof, each against what one cell after the other says: the position is
 * taken apart, moved by the reference moves, and its bytes are read where index/ says. The cells
 * hold random bytes, so that no loop can pass by what is true of solved levels alone.
 */
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
#include "verify/verify_choice.h"
#include "verify/verify_level.h"

enum { SEEDS = 9 };

struct fixture {
    struct wari_verify verify;
    struct wari_verify_run run;
    struct wari_verify_level level;
    void *columns, *memory;
};

static void set_up(struct fixture *fixture, enum wari_rules rules)
{
    const struct wari_verify_room room = wari_verify_level_room(SEEDS, WARI_EVEN, true);
    struct random_positions random;

    memset(fixture, 0, sizeof *fixture);
    fixture->verify.variant = (struct wari_variant){rules, WARI_EVEN};
    fixture->run.verify = &fixture->verify;
    fixture->run.slam = wari_rules_info(rules)->slam;
    fixture->columns = malloc(wari_verify_columns_bytes(SEEDS));
    fixture->memory = malloc(room.cells + room.full + room.hopes + room.pieces);
    assert_true(fixture->columns && fixture->memory);
    wari_verify_columns_fill(&fixture->run.columns, SEEDS, fixture->columns);
    wari_verify_level_begin(&fixture->level, &fixture->run, SEEDS, fixture->memory);
    random_positions_seed(&random, SEEDS);
    for (uint64_t i = 0; i < wari_level_positions(SEEDS); i++) {
        const int value = (int)random_below(&random, 5) - 2;
        const int mark = random_below(&random, 4) == 0;
        wari_verify_write(&fixture->level.cells[i], (uint8_t)(wari_verify_code(value) | mark));
    }
    for (uint64_t i = 0; i < room.full; i++)
        wari_verify_write(&fixture->level.full[i], 0);
}

static void tear_down(struct fixture *fixture)
{
    free(fixture->columns);
    free(fixture->memory);
}

/* What one cell says. */
struct seen {
    int best; /* + MIDDLE, 0: no quiet move */
    bool supported;
};

static struct seen look_at(const struct fixture *fixture, uint8_t code,
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

/* One column of a strip by one table of loops. Rows that the strip lacks have bytes of 0. */
static void check_column(const struct fixture *fixture, const struct wari_verify_look *look,
                         const struct wari_verify_strip *strip, uint32_t column)
{
    uint8_t codes[WARI_VERIFY_ROWS], best[WARI_VERIFY_ROWS];
    const uint64_t marked = look->read(strip, column, codes);
    const uint64_t supported = look->supported(strip, column, codes);

    look->best(strip, column, best);
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
        const struct seen seen = look_at(fixture, code, &position);
        assert_int_equal(codes[row], code);
        assert_int_equal(best[row], seen.best);
        assert_int_equal(marked >> row & 1, code & WARI_VERIFY_MARK);
        if (!strip->full) /* full positions have no value of their own */
            assert_int_equal(supported >> row & 1, seen.supported);
    }
}

static void check_level(const struct wari_verify_look *look, enum wari_rules rules)
{
    struct fixture fixture;
    struct wari_verify_strip strip;

    set_up(&fixture, rules);
    for (uint64_t piece = 0; piece < fixture.level.piece_count; piece++) {
        wari_verify_strip_fill(&strip, &fixture.level, &fixture.level.pieces[piece]);
        for (uint32_t column = 0; column < strip.columns; column++)
            check_column(&fixture, look, &strip, column);
    }
    tear_down(&fixture);
}

/* Grand slams that capture nothing are quiet moves under some rule sets. */
static void check_rule_sets(const struct wari_verify_look *look)
{
    int quiet_slams = 0;
    check_level(look, WARI_AWARI);
    for (int rules = 0; rules < WARI_RULES_COUNT && quiet_slams == 0; rules++) {
        if (wari_rules_info((enum wari_rules)rules)->slam != WARI_SLAM_NO_CAPTURE)
            continue;
        check_level(look, (enum wari_rules)rules);
        quiet_slams++;
    }
    assert_int_equal(quiet_slams, 1);
}

static void all_loops_see_what_single_cells_say(void **state)
{
    const struct wari_verify_look *look;

    (void)state;
    assert_ptr_equal(wari_verify_look_listed(0), &wari_verify_look_portable);
    for (int i = 0; (look = wari_verify_look_listed(i)); i++)
        check_rule_sets(look);
}

TEST_GROUP(test_verify_look)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_loops_see_what_single_cells_say),
    };
    return cmocka_run_group_tests_name("verify look", tests, NULL, NULL);
}
