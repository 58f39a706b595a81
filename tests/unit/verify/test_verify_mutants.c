/* Fifty wrong solvers, and wari_verify() refuses the work of every one.
 *
 * A plain solver stands here with places where it can be made wrong, one mutant a line of the list
 * below: wrong captures, forgotten rules, lost sweeps, cells mixed up. Each builds a small database
 * whose hashes and counts are right for its values. It has to differ from the reference solver's,
 * so that no mutant counts that is none, and to be refused. Without a mutation the plain solver has
 * the reference's values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index/half.h"
#include "tests/support/scale.h"
#include "tests/support/table_files.h"

enum { SEEDS = 7, SWEEPS_MAX = 300 };

/* Zeros: right. */
struct sowing_faults {
    int low, high;   /* added to 2 and to 3, what is captured */
    bool single;     /* no run: the last pit alone */
    bool own_row;    /* captures in the own row, too */
    bool early;      /* the run begins a pit before the last */
    bool unfed;      /* an empty row need not be fed */
    int slam, stuck; /* 1 + another kind */
    int skipped;     /* 1 + a pit that is never played */
    bool not_turned; /* the position reached is seen by the wrong side */
};

struct value_faults {
    int own_empty, opponent_empty; /* added to these ends */
    int captured;                  /* added to each capture */
    bool sign;                     /* + the value reached by a capture */
    bool again_turned;             /* the opponent moves after a slam that moves again */
    int child, below;              /* added to the number of a position reached; of one below */
    bool first;                    /* the first move, not the best */
};

struct sweep_faults {
    int cycle;     /* 1 + another rule */
    int start;     /* what endless play is worth to the mover */
    int cut;       /* values end so far below the largest there can be */
    int sweeps;    /* no more than these */
    int lost;      /* one position in so many is looked at once */
    bool no_below; /* levels below count as 0 */
    int lead;      /* `own`: added to the surplus */
    bool one_side; /* `own`: only the mover's surplus counts */
};

struct mutant {
    const char *name;
    struct wari_variant variant;
    struct sowing_faults sowing;
    struct value_faults value;
    struct sweep_faults sweep;
};

#define EVEN(rules)                                                                                \
    {                                                                                              \
        WARI_##rules, WARI_EVEN                                                                    \
    }
#define OWN(rules)                                                                                 \
    {                                                                                              \
        WARI_##rules, WARI_OWN                                                                     \
    }

static const struct mutant mutants[] = {
    {"captures from 1 on", EVEN(AWARI), .sowing = {.low = -1}},
    {"captures 3 only", EVEN(AWARI), .sowing = {.low = 1}},
    {"captures up to 4", EVEN(AWARI), .sowing = {.high = 1}},
    {"captures 2 only", EVEN(AWARI), .sowing = {.high = -1}},
    {"captures up to 4, own", OWN(ABAPA), .sowing = {.high = 1}},
    {"captures the last pit alone", EVEN(AWARI), .sowing = {.single = true}},
    {"captures the last pit alone, own", OWN(WARRI), .sowing = {.single = true}},
    {"captures in the own row", EVEN(AWARI), .sowing = {.own_row = true}},
    {"run of captures begins early", EVEN(ABAPA), .sowing = {.early = true}},
    {"feeding forgotten", EVEN(AWARI), .sowing = {.unfed = true}},
    {"feeding forgotten, own", OWN(ABAPA), .sowing = {.unfed = true}},
    {"feeding forgotten, warri", EVEN(WARRI), .sowing = {.unfed = true}},
    {"slam allowed", EVEN(AWARI), .sowing = {.slam = 1 + WARI_SLAM_NO_CAPTURE}},
    {"slam forbidden", EVEN(ABAPA), .sowing = {.slam = 1 + WARI_SLAM_ILLEGAL}},
    {"slam forbidden, own", OWN(ABAPA), .sowing = {.slam = 1 + WARI_SLAM_ILLEGAL}},
    {"slam wins instead of losing", EVEN(WARE), .sowing = {.slam = 1 + WARI_SLAM_WINS_ALL}},
    {"slam loses instead of winning", OWN(SLAM_WINS), .sowing = {.slam = 1 + WARI_SLAM_LOSES}},
    {"slam draws instead of giving", EVEN(SLAM_GIVES), .sowing = {.slam = 1 + WARI_SLAM_DRAWS}},
    {"slam gives instead of ending", EVEN(SLAM_ENDS), .sowing = {.slam = 1 + WARI_SLAM_GIVES_REST}},
    {"slam ends the game in warri", OWN(WARRI), .sowing = {.slam = 1 + WARI_SLAM_WINS_ALL}},
    {"stuck: own rows", EVEN(AWARI), .sowing = {.stuck = 1 + WARI_STUCK_OWN_ROWS}},
    {"stuck: all", EVEN(WARI), .sowing = {.stuck = 1 + WARI_STUCK_TAKES_ALL}},
    {"pit A is never played", EVEN(AWARI), .sowing = {.skipped = 1}},
    {"pit F is never played", OWN(WARI), .sowing = {.skipped = 6}},
    {"position not turned", EVEN(AWARI), .sowing = {.not_turned = true}},
    {"position not turned, own", OWN(SLAM_ENDS), .sowing = {.not_turned = true}},
    {"empty own row costs one less", EVEN(AWARI), .value = {.own_empty = 1}},
    {"empty own row costs one less, own", OWN(WARE), .value = {.own_empty = 1}},
    {"unfed row gains one less", EVEN(WARI), .value = {.opponent_empty = -1}},
    {"captures count one more", EVEN(AWARI), .value = {.captured = 1}},
    {"captures count one less", OWN(ABAPA), .value = {.captured = -1}},
    {"sign of what captures reach", EVEN(AWARI), .value = {.sign = true}},
    {"sign of what captures reach, own", OWN(ABAPA), .value = {.sign = true}},
    {"slam turns the move", EVEN(WARRI), .value = {.again_turned = true}},
    {"next cell of a row", EVEN(AWARI), .value = {.child = 1}},
    {"cell before, own", OWN(ABAPA), .value = {.child = -1}},
    {"next cell below", EVEN(ABAPA), .value = {.below = 1}},
    {"cell before, below", OWN(WARRI), .value = {.below = -1}},
    {"first move instead of the best", EVEN(AWARI), .value = {.first = true}},
    {"own instead of even", EVEN(ABAPA), .sweep = {.cycle = 1 + WARI_OWN}},
    {"even instead of own", OWN(ABAPA), .sweep = {.cycle = 1 + WARI_EVEN}},
    {"even instead of own, warri", OWN(WARRI), .sweep = {.cycle = 1 + WARI_EVEN}},
    {"endless play worth one to the mover", EVEN(AWARI), .sweep = {.start = 1}},
    {"one bound too few", EVEN(AWARI), .sweep = {.cut = 1}},
    {"one bound too few, own", OWN(WARI), .sweep = {.cut = 1}},
    {"two sweeps", EVEN(AWARI), .sweep = {.sweeps = 2}},
    {"five sweeps, own", OWN(ABAPA), .sweep = {.sweeps = 5}},
    {"events lost", EVEN(AWARI), .sweep = {.lost = 50}},
    {"surplus one too small", OWN(ABAPA), .sweep = {.lead = -1}},
    {"only the mover's surplus counts", OWN(ABAPA), .sweep = {.one_side = true}},
};
enum { MUTANTS = sizeof mutants / sizeof mutants[0] };

/* ---- Moves ---- */

static bool is_captured(const struct sowing_faults *faults, int seeds)
{
    return seeds >= 2 + faults->low && seeds <= 3 + faults->high && seeds > 0;
}

/* Takes the run of captures that ends at pit `last`; how much it is. */
static int take_run(const struct sowing_faults *faults, uint8_t board[WARI_PITS], int last)
{
    int captured = 0;
    if (last < WARI_HALF_PITS)
        return 0;
    for (int pit = last - faults->early; pit >= (faults->own_row ? 0 : WARI_HALF_PITS); pit--) {
        if (!is_captured(faults, board[pit]))
            break;
        captured += board[pit];
        board[pit] = 0;
        if (faults->single)
            break;
    }
    return captured;
}

/* A move as the mutant sees it. */
struct play {
    bool legal, ends, again;
    int captured, end_value;
    struct wari_position next;
};

static void judge_slam(enum wari_slam slam, int seeds, struct play *play)
{
    play->legal = slam != WARI_SLAM_ILLEGAL;
    play->again = slam == WARI_SLAM_MOVES_AGAIN;
    play->ends = slam == WARI_SLAM_LOSES || slam == WARI_SLAM_DRAWS ||
                 slam == WARI_SLAM_GIVES_REST || slam == WARI_SLAM_WINS_ALL;
    play->end_value = slam == WARI_SLAM_LOSES        ? -seeds
                      : slam == WARI_SLAM_DRAWS      ? 0
                      : slam == WARI_SLAM_GIVES_REST ? 2 * play->captured - seeds
                                                     : seeds;
}

static struct play make_move(const struct mutant *mutant, const struct wari_position *position,
                             int pit)
{
    const struct wari_rules_info *rules = wari_rules_info(mutant->variant.rules);
    const int slam = mutant->sowing.slam ? mutant->sowing.slam - 1 : (int)rules->slam;
    struct play play = {.legal = position->pits[pit] > 0 && pit + 1 != mutant->sowing.skipped};
    uint8_t board[WARI_PITS], sown[WARI_PITS];
    int last = pit;

    memcpy(board, position->pits, sizeof board);
    board[pit] = 0;
    for (int left = position->pits[pit]; left > 0; left--)
        board[last = (last + 1) % WARI_PITS]++; /* fewer than twelve seeds: no lap */
    if (wari_half_seeds(position->pits + WARI_HALF_PITS) == 0 && last < WARI_HALF_PITS &&
        !mutant->sowing.unfed)
        play.legal = false;
    memcpy(sown, board, sizeof sown);
    play.captured = take_run(&mutant->sowing, board, last);
    if (play.legal && play.captured > 0 && wari_half_seeds(board + WARI_HALF_PITS) == 0) {
        judge_slam((enum wari_slam)slam, wari_seeds(position), &play);
        if (slam == WARI_SLAM_NO_CAPTURE) {
            play.captured = 0;
            memcpy(board, sown, sizeof board);
        }
    }
    const int first = play.again || mutant->sowing.not_turned ? 0 : WARI_HALF_PITS;
    for (int i = 0; i < WARI_PITS; i++)
        play.next.pits[i] = board[(i + first) % WARI_PITS];
    return play;
}

/* ---- Values ---- */

static int value_at(const struct table *table, const struct wari_position *position, int off)
{
    const int seeds = wari_seeds(position);
    const uint64_t positions = wari_level_positions(seeds);
    if (!wari_position_stored(position))
        return 0;
    const uint64_t cell = wari_layout_rank(&table->layout[seeds], position);
    return table->values[seeds][(cell + positions + (uint64_t)off) % positions];
}

static int worth(const struct table *table, const struct mutant *mutant, const struct play *play)
{
    const struct value_faults *faults = &mutant->value;
    if (play->ends)
        return play->end_value;
    if (play->captured == 0)
        return -value_at(table, &play->next, faults->child);
    const int reached = mutant->sweep.no_below ? 0 : value_at(table, &play->next, faults->below);
    const bool adds = (play->again && !faults->again_turned) || faults->sign;
    return play->captured + faults->captured + (adds ? reached : -reached);
}

static int end_value(const struct mutant *mutant, const struct wari_position *position)
{
    const struct wari_rules_info *rules = wari_rules_info(mutant->variant.rules);
    const int stuck = mutant->sowing.stuck ? mutant->sowing.stuck - 1 : (int)rules->stuck;
    const int own = wari_half_seeds(position->pits), all = wari_seeds(position);
    if (own == 0)
        return -all + mutant->value.own_empty;
    if (own == all)
        return all + mutant->value.opponent_empty;
    return stuck == WARI_STUCK_TAKES_ALL ? all : 2 * own - all;
}

static int best_worth(const struct table *table, const struct mutant *mutant,
                      const struct wari_position *position)
{
    bool any = false;
    int best = 0;
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        if (position->pits[pit] == 0)
            continue;
        const struct play play = make_move(mutant, position, pit);
        if (!play.legal || (any && mutant->value.first))
            continue;
        const int value = worth(table, mutant, &play);
        best = !any || value > best ? value : best;
        any = true;
    }
    return any ? best : end_value(mutant, position);
}

/* ---- Sweeps ---- */

static int between(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

/* Sweeps a level until nothing changes, each value between its bounds. */
static void settle(struct table *table, const struct mutant *mutant, int seeds, const int8_t *low,
                   const int8_t *high)
{
    const int most = mutant->sweep.sweeps ? mutant->sweep.sweeps : SWEEPS_MAX;
    const int end = seeds > mutant->sweep.cut ? seeds - mutant->sweep.cut : seeds;
    bool changed = true;
    for (int sweep = 0; changed && sweep < most; sweep++) {
        changed = false;
        for (uint64_t cell = 0; cell < wari_level_positions(seeds); cell++) {
            struct wari_position position;
            if (sweep > 0 && mutant->sweep.lost && cell % (unsigned)mutant->sweep.lost == 7)
                continue;
            wari_layout_unrank(&table->layout[seeds], cell, &position);
            int value = between(best_worth(table, mutant, &position), low[cell], high[cell]);
            value = between(value, -end, end);
            changed |= value != table->values[seeds][cell];
            table->values[seeds][cell] = (int8_t)value;
        }
    }
}

/* Everybody hopes for the surplus in his row. */
static void hope(struct table *table, const struct mutant *mutant, int seeds, int8_t *low,
                 int8_t *high)
{
    int8_t *values = table->values[seeds];
    for (uint64_t cell = 0; cell < wari_level_positions(seeds); cell++) {
        struct wari_position position;
        wari_layout_unrank(&table->layout[seeds], cell, &position);
        int lead = 2 * wari_half_seeds(position.pits) - seeds;
        lead += lead > 0 ? mutant->sweep.lead : lead < 0 ? -mutant->sweep.lead : 0;
        if (mutant->sweep.one_side && lead < 0)
            lead = 0;
        const int value = values[cell];
        low[cell] = (int8_t)(lead < value && value <= 0 ? lead : value);
        high[cell] = (int8_t)(lead > value && value >= 0 ? lead : value);
        values[cell] = lead > 0 ? high[cell] : low[cell];
    }
}

static void solve_level(struct table *table, const struct mutant *mutant, int seeds)
{
    const size_t positions = (size_t)wari_level_positions(seeds);
    const int cycle = mutant->sweep.cycle ? mutant->sweep.cycle - 1 : (int)mutant->variant.cycle;
    int8_t *low = malloc(positions), *high = malloc(positions), *before = malloc(positions);

    assert_true(low && high && before);
    memset(table->values[seeds], between(mutant->sweep.start, -seeds, seeds), positions);
    for (int round = 0; round < 20; round++) {
        memset(low, -seeds, positions);
        memset(high, seeds, positions);
        settle(table, mutant, seeds, low, high);
        if (cycle == WARI_EVEN)
            break;
        memcpy(before, table->values[seeds], positions);
        hope(table, mutant, seeds, low, high);
        settle(table, mutant, seeds, low, high);
        if (memcmp(before, table->values[seeds], positions) == 0)
            break;
    }
    free(before);
    free(high);
    free(low);
}

static int zero(const void *context, const struct wari_position *position)
{
    (void)context;
    (void)position;
    return 0;
}

static void solve(struct table *table, const struct mutant *mutant, int seeds_max)
{
    assert_int_equal(table_make(table, mutant->variant, seeds_max, zero, NULL), WARI_OK);
    for (int seeds = 0; seeds <= seeds_max; seeds++)
        solve_level(table, mutant, seeds);
}

static bool same_values(const struct table *a, const struct table *b)
{
    for (int seeds = 0; seeds <= a->seeds_max; seeds++) {
        if (memcmp(a->values[seeds], b->values[seeds], (size_t)wari_level_positions(seeds)) != 0)
            return false;
    }
    return true;
}

/* ---- Tests ---- */

static void without_a_mutation_the_values_are_right(void **state)
{
    (void)state;
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++) {
        for (int cycle = 0; cycle < WARI_CYCLE_COUNT; cycle++) {
            const struct mutant none = {
                .variant = {(enum wari_rules)rules, (enum wari_cycle)cycle}};
            const int seeds_max = test_scale(6, 4);
            struct table plain, right;
            solve(&plain, &none, seeds_max);
            assert_int_equal(table_solve(&right, none.variant, seeds_max), WARI_OK);
            assert_true(same_values(&plain, &right));
            table_free(&right);
            table_free(&plain);
        }
    }
}

/* Reference tables of the variants that were asked for. */
struct references {
    struct table table[WARI_RULES_COUNT][WARI_CYCLE_COUNT];
    bool made[WARI_RULES_COUNT][WARI_CYCLE_COUNT];
};

static const struct table *reference_of(struct references *all, struct wari_variant variant)
{
    struct table *table = &all->table[variant.rules][variant.cycle];
    if (!all->made[variant.rules][variant.cycle])
        assert_int_equal(table_solve(table, variant, SEEDS), WARI_OK);
    all->made[variant.rules][variant.cycle] = true;
    return table;
}

static void free_references(struct references *all)
{
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++)
        for (int cycle = 0; cycle < WARI_CYCLE_COUNT; cycle++)
            if (all->made[rules][cycle])
                table_free(&all->table[rules][cycle]);
}

/* Solves level after level until one has a wrong value: the smallest database that is to be
 * refused. */
static void solve_until_wrong(struct table *wrong, const struct mutant *mutant,
                              const struct table *right)
{
    assert_int_equal(table_make(wrong, mutant->variant, SEEDS, zero, NULL), WARI_OK);
    for (wrong->seeds_max = 0; wrong->seeds_max <= SEEDS; wrong->seeds_max++) {
        solve_level(wrong, mutant, wrong->seeds_max);
        if (!same_values(wrong, right))
            return;
    }
    fail_msg("%s: no mutant, its values are right", mutant->name);
}

static void every_mutant_is_refused(void **state)
{
    const struct wari_verify verify = {.mode = WARI_VERIFY_FULL, .threads = 2};
    const int step = test_scale(1, 5); /* all of them, or one in five */
    struct references *references = calloc(1, sizeof *references);
    int tried = 0, refused = 0;

    (void)state;
    assert_non_null(references);
    assert_int_equal(MUTANTS, 50);
    for (int i = 0; i < MUTANTS; i += step, tried++) {
        struct wari_verify_report report;
        struct table wrong;
        solve_until_wrong(&wrong, &mutants[i], reference_of(references, mutants[i].variant));
        if (table_verify(&wrong, NULL, &verify, &report) != WARI_DIFFERENT)
            print_message("not refused: %s\n", mutants[i].name);
        else
            refused++;
        wrong.seeds_max = SEEDS; /* which it was made for */
        table_free(&wrong);
    }
    free_references(references);
    free(references);
    print_message("%d of %d mutants refused\n", refused, tried);
    assert_int_equal(refused, tried);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_mutation_the_values_are_right),
        cmocka_unit_test(every_mutant_is_refused),
    };
    return cmocka_run_group_tests_name("verify mutants", tests, NULL, NULL);
}
