/* Lines of play: every move is a best move, and the captures and the end of the line add up to
 * the value.
 *
 * The expected moves and values come from the reference solver, which shares no code with the
 * library. The tests add up the captures themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "db/maintain/bind.h"
#include "db/probe/distance.h"
#include "db/probe/player.h"
#include "tests/support/fault_host.h"
#include "tests/support/scale.h"
#include "tests/support/solved.h"
#include "tests/unit/groups.h"

/* Position from a bug report: its value is +9, but playing the first best move each time leads
 * into a cycle. */
static const struct wari_position circles = {{0, 1, 1, 1, 1, 1, 0, 1, 0, 0, 2, 1}};

static void solve(struct solved *solved, enum wari_rules rules, enum wari_cycle cycle,
                  int seeds_max)
{
    assert_true(solved_make(solved, rules, cycle, seeds_max));
}

static void discard(struct solved *solved)
{
    assert_true(solved_discard(solved));
}

/* The database that several tests use. */
static const struct solved *nine_seeds(void)
{
    const struct solved *solved = solved_of(WARI_AWARI, WARI_EVEN, 9);
    assert_non_null(solved);
    return solved;
}

/* ---- The sum of a line ---- */

/* Returns the value of a legal move for the mover. */
static int worth(const struct solved *solved, const struct ref_move *move)
{
    if (move->ends)
        return move->value;
    int next = ref_value(solved->reference, move->next);
    return move->captured + (move->again ? next : -next);
}

static int row(const unsigned char pits[REF_ROW])
{
    int seeds = 0;
    for (int i = 0; i < REF_ROW; i++)
        seeds += pits[i];
    return seeds;
}

/* Computes the value of a cycle by the rules: 0 under `even`; under `own` the number nearest to
 * 0 between the smallest and the largest surplus. played[i] is the position as seen by the
 * player of move i. */
static int cycle_worth(const struct solved *solved, const struct wari_line *line,
                       const struct wari_position *played)
{
    int least = REF_ALL_SEEDS, most = -REF_ALL_SEEDS;
    for (int i = line->repeats_from; i < line->count; i++) {
        int surplus = row(played[i].pits) - row(played[i].pits + REF_ROW);
        if (line->moves[i].opponent)
            surplus = -surplus;
        least = surplus < least ? surplus : least;
        most = surplus > most ? surplus : most;
    }
    if (solved->variant.cycle == WARI_EVEN)
        return 0;
    return least > 0 ? least : most < 0 ? most : 0;
}

/* Asserts the rules for slams that decide the game whatever the score: a slam that wins must be
 * played at once; a slam that loses may be played only if no other move is as good. */
static void check_slams(const struct solved *solved, const struct ref_move moves[REF_ROW],
                        const struct ref_move *played, int value)
{
    for (int i = 0; i < REF_ROW; i++) {
        if (!moves[i].legal || worth(solved, &moves[i]) != value)
            continue;
        if (solved->variant.rules == WARI_SLAM_WINS)
            assert_true(played->ends || !moves[i].ends);
        if (solved->variant.rules == WARI_WARE)
            assert_true(!played->ends || moves[i].ends);
    }
}

static void check_best(const struct solved *solved, const struct wari_position *position,
                       const struct ref_move *moves, const struct ref_move *move)
{
    const int value = ref_value(solved->reference, position->pits);
    assert_true(move->legal);
    assert_int_equal(worth(solved, move), value);
    check_slams(solved, moves, move, value);
}

/* Asserts that the position after move i occurred before if and only if the move is the last one
 * and the line says that it ends with a repetition. Positions before number `since` do not count,
 * because a capture follows them. `opponent` is true if the opponent moves after move i. */
static void check_repetition(const struct wari_line *line, int i, bool opponent, int since,
                             const struct wari_position *played)
{
    int repeats = -1;
    for (int k = since; k <= i && repeats < 0; k++)
        if (line->moves[k].opponent == opponent &&
            memcmp(&played[k], &played[i + 1], sizeof *played) == 0)
            repeats = k;
    assert_int_equal(repeats >= 0, line->end == WARI_LINE_REPEATS && i == line->count - 1);
    if (repeats >= 0)
        assert_int_equal(repeats, line->repeats_from);
}

/* Replays a line with the moves of the reference solver. Asserts that every move is legal,
 * captures the number of seeds that the line says, and is a best move, and that the line ends
 * where the rules require. Returns the sum of the captures and the end. */
static int play(const struct solved *solved, const struct wari_position *start,
                const struct wari_line *line)
{
    static struct wari_position played[WARI_LINE_MAX + 1];
    bool opponent = false, slam = false;
    int since = 0, sum = 0, rest = 0, end_value = 0;
    struct ref_move moves[REF_ROW];

    played[0] = *start;
    for (int i = 0; i < line->count; i++) {
        assert_true(ref_moves((int)solved->variant.rules, played[i].pits, moves, &end_value) > 0);
        assert_false(slam);
        const struct ref_move *move = &moves[line->moves[i].pit];
        assert_int_equal(line->moves[i].opponent, opponent);
        assert_int_equal(line->moves[i].captured, move->captured);
        check_best(solved, &played[i], moves, move);

        slam = move->ends;
        if (slam) {
            rest = opponent ? -move->value : move->value;
            continue;
        }
        sum += opponent ? -move->captured : move->captured;
        memcpy(played[i + 1].pits, move->next, REF_PITS);
        opponent = move->again ? opponent : !opponent;
        if (move->captured > 0)
            since = i + 1;

        check_repetition(line, i, opponent, since, played);
    }
    assert_int_not_equal(line->end, WARI_LINE_CUT); /* 400 moves are enough for so few seeds, so
                                                     * the line must not be cut */
    assert_int_equal(slam, line->end == WARI_LINE_SLAM);
    if (line->end == WARI_LINE_REPEATS)
        rest = cycle_worth(solved, line, played);
    if (line->end == WARI_LINE_OVER) {
        assert_int_equal(
            ref_moves((int)solved->variant.rules, played[line->count].pits, moves, &end_value), 0);
        rest = opponent ? -end_value : end_value;
    }
    assert_int_equal(line->rest, rest);
    return sum + rest;
}

static void check_line(const struct solved *solved, const struct wari_position *start)
{
    struct wari_line line;
    assert_int_equal(wari_find_line(solved->db, start, &line, NULL), WARI_OK);
    assert_int_equal(play(solved, start, &line), ref_value(solved->reference, start->pits));
}

static void lines_of_every_variant_are_best_moves_and_come_to_the_value(void **state)
{
    (void)state;
    for (int r = 0; r < WARI_RULES_COUNT; r++)
        for (int c = 0; c < WARI_CYCLE_COUNT; c++) {
            struct solved solved;
            solve(&solved, (enum wari_rules)r, (enum wari_cycle)c, test_scale(4, 3));
            for (int n = 0; n <= solved.seeds_max; n++) {
                struct wari_position position;
                ref_first(n, position.pits);
                do
                    check_line(&solved, &position);
                while (ref_next(position.pits));
            }
            discard(&solved);
        }
}

/* Checks every `step`-th position with `seeds` seeds. */
static void check_lines(const struct solved *solved, int seeds, int step)
{
    struct wari_position position;
    int number = 0;

    ref_first(seeds, position.pits);
    do
        if (number++ % step == 0)
            check_line(solved, &position);
    while (ref_next(position.pits));
}

/* With few seeds, playing the first best move hardly ever leads into a cycle that pays less than
 * the value. */
static void lines_with_more_seeds_come_to_the_value(void **state)
{
    struct solved solved;
    const int seeds = test_scale(9, 7);

    (void)state;
    check_lines(nine_seeds(), 9, test_scale(997, 9973));
    solve(&solved, WARI_ABAPA, WARI_OWN, seeds);
    check_lines(&solved, seeds, 997);
    discard(&solved);
    solve(&solved, WARI_WARRI, WARI_EVEN, seeds);
    check_lines(&solved, seeds, 997);
    discard(&solved);
}

/* A handle remembers moves by the number of the position in the whole database. A book holds
 * only half of each level, but must number all positions. */
static void lines_of_a_book_come_to_the_value_whatever_was_asked_before(void **state)
{
    char path[WARI_PATH_MAX];
    struct wari_bind_report report;
    struct solved solved;
    const int seeds = test_scale(8, 7);

    (void)state;
    solve(&solved, WARI_AWARI, WARI_EVEN, seeds);
    assert_int_equal(wari_path(path, NULL, solved.folder, "test.book"), WARI_OK);
    const struct wari_bind bind = {.db = solved.db, .seeds = seeds, .path = path};
    assert_int_equal(wari_bind(&bind, &report, NULL), WARI_OK);
    wari_close(solved.db);
    assert_int_equal(wari_open_book(&solved.db, path, NULL, NULL, NULL), WARI_OK);
    for (int n = seeds; n >= seeds - 2; n--)
        check_lines(&solved, n, test_scale(31, 211));
    discard(&solved);
}

/* Fixed bug: the line ended with a repetition after move 17, when only 2 of the 9 seeds had been
 * captured. */
static void a_side_that_is_ahead_does_not_run_in_circles(void **state)
{
    const struct solved *solved = nine_seeds();
    struct wari_line line;

    (void)state;
    assert_int_equal(wari_find_line(solved->db, &circles, &line, NULL), WARI_OK);
    assert_int_equal(line.end, WARI_LINE_OVER);
    assert_int_equal(play(solved, &circles, &line), 9);
}

/* ---- The bound and the memory of a search ---- */

static void a_bounded_search_falls_back_to_first_best_moves(void **state)
{
    bool fell_short = false;
    bool came_to_the_value = false;
    struct wari_line line, usual;
    const struct solved *solved = nine_seeds();

    (void)state;
    assert_int_equal(wari_find_line(solved->db, &circles, &usual, NULL), WARI_OK);
    for (int positions = 1; positions <= 2000; positions += positions < 100 ? 1 : 100) {
        assert_int_equal(wari_line_within(solved->db, positions, &circles, &line, NULL), WARI_OK);
        if (play(solved, &circles, &line) == 9) {
            came_to_the_value = true;
        } else {
            assert_int_equal(line.end, WARI_LINE_REPEATS);
            assert_int_equal(line.rest, 0);
            fell_short = true;
        }
    }
    assert_true(fell_short && came_to_the_value);
    assert_int_equal(
        wari_line_within(solved->db, WARI_DISTANCE_POSITIONS_MAX, &circles, &line, NULL), WARI_OK);
    assert_int_equal(line.count, usual.count);
    assert_memory_equal(line.moves, usual.moves, (size_t)line.count * sizeof *line.moves);

    /* With a limit of one position there is no search, so the line has the first best move at
     * every position. */
    assert_int_equal(wari_line_within(solved->db, 1, &circles, &line, NULL), WARI_OK);
    struct wari_position now = circles;
    for (int i = 0; i < line.count; i++) {
        struct wari_analysis analysis;
        assert_int_equal(wari_analyse(solved->db, &now, &analysis, NULL), WARI_OK);
        assert_int_equal(line.moves[i].pit, analysis.moves[0].move.pit);
        now = analysis.moves[0].move.next;
    }
    assert_int_equal(line.end, WARI_LINE_REPEATS);
}

/* Under `own`, the search may also reach its limit in a graph without an event. (In small tests
 * only every third position is tested.) */
static void every_bound_gives_best_moves(void **state)
{
    struct wari_position position;
    struct wari_line line;
    struct solved solved;

    (void)state;
    solve(&solved, WARI_ABAPA, WARI_OWN, 5);
    for (int positions = 1; positions <= test_scale(12, 4); positions++) {
        int number = 0;
        ref_first(5, position.pits);
        do {
            if (number++ % test_scale(1, 3) != 0)
                continue;
            assert_int_equal(wari_line_within(solved.db, positions, &position, &line, NULL),
                             WARI_OK);
            if (play(&solved, &position, &line) != ref_value(solved.reference, position.pits))
                assert_int_equal(line.end, WARI_LINE_REPEATS);
        } while (ref_next(position.pits));
    }
    discard(&solved);
}

static void a_line_survives_every_fault(void **state)
{
    static const int kinds[] = {FAULT_ALLOCATE, FAULT_READ};
    static const enum wari_status statuses[] = {WARI_NO_MEMORY, WARI_IO};
    struct fault_host host;
    /* With this cache, several hundred chunks are read, most of them more than once. */
    const struct wari_options options = {.cache_bytes = 200000, .host = &host.host};
    const struct solved *solved = nine_seeds();
    struct wari_line line;

    (void)state;
    for (int i = 0; i < 2; i++) {
        long k = 0;
        bool fired;
        do {
            struct wari_error error = {WARI_OK, ""};
            struct wari_db *db;
            fault_host_init(&host, 0, 0);
            assert_int_equal(wari_open(&db, solved->folder, NULL, &options, NULL), WARI_OK);
            host.kinds = kinds[i];
            k += k / test_scale(4, 2) + 1;
            host.fail_at = atomic_load(&host.calls) + k;
            enum wari_status status = wari_find_line(db, &circles, &line, &error);
            fired = fault_host_fired(&host);
            assert_int_equal(status, fired ? statuses[i] : WARI_OK);
            assert_int_equal(error.status, status);
            if (!fired) {
                assert_int_equal(play(solved, &circles, &line), 9);
                /* The handle has its decoder now, so all memory that a line allocates is
                 * temporary. */
                host.kinds = 0;
                long blocks = atomic_load(&host.blocks);
                assert_int_equal(wari_find_line(db, &circles, &line, &error), WARI_OK);
                assert_int_equal(atomic_load(&host.blocks), blocks);
            }
            wari_close(db);
            assert_true(fault_host_clean(&host));
        } while (fired);
        assert_true(k > (kinds[i] == FAULT_READ ? 100 : 10));
    }
}

/* ---- Lines computed by hand ---- */

static void two_seeds_that_circle_are_found_to_repeat(void **state)
{
    /* Each player has one seed, in opposite pits, so neither seed can be captured. Computed by
     * hand: after twelve moves both seeds have gone round the board, and the same player is to
     * move. */
    const struct wari_position position = {{1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}};
    struct wari_line line;
    struct solved solved;

    (void)state;
    solve(&solved, WARI_ABAPA, WARI_EVEN, 2);
    assert_int_equal(wari_find_line(solved.db, &position, &line, NULL), WARI_OK);
    assert_int_equal(line.end, WARI_LINE_REPEATS);
    assert_int_equal(line.repeats_from, 0);
    assert_int_equal(line.rest, 0);
    assert_int_equal(line.count, 12);
    for (int i = 0; i < line.count; i++) {
        assert_int_equal(line.moves[i].opponent, i % 2);
        assert_int_equal(line.moves[i].captured, 0);
    }
    discard(&solved);
}

static void a_surplus_held_for_ever_ends_in_a_cycle_that_is_worth_it(void **state)
{
    /* The position in data/RULES.md: three seeds move in a cycle, and two of them are the
     * mover's. */
    const struct wari_position position = {{1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0}};
    struct wari_line line;
    struct solved solved;

    (void)state;
    solve(&solved, WARI_ABAPA, WARI_OWN, 3);
    assert_int_equal(wari_find_line(solved.db, &position, &line, NULL), WARI_OK);
    assert_int_equal(line.end, WARI_LINE_REPEATS);
    assert_int_equal(line.rest, 1);
    for (int i = 0; i < line.count; i++)
        assert_int_equal(line.moves[i].captured, 0);
    discard(&solved);
}

static void a_game_that_is_over_has_an_empty_line(void **state)
{
    const struct wari_position position = {{0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}};
    struct wari_line line;
    struct wari_analysis analysis;
    struct solved solved;

    (void)state;
    solve(&solved, WARI_AWARI, WARI_EVEN, 1);
    assert_int_equal(wari_find_line(solved.db, &position, &line, NULL), WARI_OK);
    assert_int_equal(line.count, 0);
    assert_int_equal(line.end, WARI_LINE_OVER);
    assert_int_equal(line.rest, -1); /* the opponent takes the seed */
    assert_int_equal(wari_analyse(solved.db, &position, &analysis, NULL), WARI_OK);
    assert_int_equal(analysis.count, 0);
    assert_int_equal(analysis.value, -1);
    discard(&solved);
}

/* The values of 1 0 0 0 0 1 / 2 0 0 0 0 0 come from data/RULES.md. Move F makes 3 seeds in pit
 * a. */
static void a_slam_that_ends_the_game_is_distinguished_from_other_ends(void **state)
{
    static const struct {
        enum wari_rules rules;
        int value;
    } cases[] = {{WARI_SLAM_ENDS, 0}, {WARI_SLAM_GIVES, 2}, {WARI_SLAM_WINS, 4}};
    const struct wari_position position = {{1, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0}};
    struct wari_line line;
    struct solved solved;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        solve(&solved, cases[i].rules, WARI_EVEN, 4);
        assert_int_equal(wari_find_line(solved.db, &position, &line, NULL), WARI_OK);
        assert_int_equal(line.end, WARI_LINE_SLAM);
        assert_int_equal(line.count, 1);
        assert_int_equal(line.moves[0].pit, 5);
        assert_int_equal(line.moves[0].captured, 0);
        assert_int_equal(line.rest, cases[i].value);
        discard(&solved);
    }
}

/* Under the rule sets in which a slam decides the game, to lose by a slam is worth as much as to
 * lose all seeds on the board, but the final scores differ. */
static void a_slam_that_decides_the_game_is_played_if_it_wins_and_avoided_if_it_loses(void **state)
{
    /* Move E leaves 2 seeds in pit a and captures them: a slam, which loses all 5 seeds at once.
     * Move F sows on to pit b, and loses all 5 seeds later. */
    const struct wari_position loses = {{0, 0, 0, 0, 2, 2, 1, 0, 0, 0, 0, 0}};
    /* Move E leaves 2 seeds in pit a and 2 in pit b, and captures both: a slam, which wins all 8
     * seeds at once. Move F captures only one of these pits. Both moves have the value 8. */
    const struct wari_position wins = {{1, 1, 0, 0, 3, 1, 1, 1, 0, 0, 0, 0}};
    struct wari_analysis analysis;
    struct wari_line line;
    struct solved solved;

    (void)state;
    solve(&solved, WARI_WARE, WARI_EVEN, 5);
    assert_int_equal(wari_analyse(solved.db, &loses, &analysis, NULL), WARI_OK);
    assert_true(analysis.moves[0].move.ends);
    assert_int_equal(analysis.moves[1].value, analysis.value);
    assert_int_equal(wari_find_line(solved.db, &loses, &line, NULL), WARI_OK);
    assert_int_equal(line.moves[0].pit, 5);
    assert_int_equal(line.end, WARI_LINE_OVER);
    discard(&solved);

    solve(&solved, WARI_SLAM_WINS, WARI_EVEN, 8);
    assert_int_equal(wari_analyse(solved.db, &wins, &analysis, NULL), WARI_OK);
    assert_int_equal(analysis.moves[0].move.captured, 2);
    assert_int_equal(analysis.moves[0].value, 8);
    assert_int_equal(wari_find_line(solved.db, &wins, &line, NULL), WARI_OK);
    assert_int_equal(line.count, 1);
    assert_int_equal(line.moves[0].pit, 4);
    assert_int_equal(line.end, WARI_LINE_SLAM);
    discard(&solved);
}

TEST_GROUP(test_db_line)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_every_variant_are_best_moves_and_come_to_the_value),
        cmocka_unit_test(lines_with_more_seeds_come_to_the_value),
        cmocka_unit_test(lines_of_a_book_come_to_the_value_whatever_was_asked_before),
        cmocka_unit_test(a_side_that_is_ahead_does_not_run_in_circles),
        cmocka_unit_test(a_bounded_search_falls_back_to_first_best_moves),
        cmocka_unit_test(every_bound_gives_best_moves),
        cmocka_unit_test(a_line_survives_every_fault),
        cmocka_unit_test(two_seeds_that_circle_are_found_to_repeat),
        cmocka_unit_test(a_surplus_held_for_ever_ends_in_a_cycle_that_is_worth_it),
        cmocka_unit_test(a_game_that_is_over_has_an_empty_line),
        cmocka_unit_test(a_slam_that_ends_the_game_is_distinguished_from_other_ends),
        cmocka_unit_test(a_slam_that_decides_the_game_is_played_if_it_wins_and_avoided_if_it_loses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
