/* Values, analyses and lines of play from folders that hold the true values.
 *
 * Expected values: the reference solver, which shares no code with the library, and the published
 * positions of small levels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "db/wari.h"
#include "tests/reference/reference.h"
#include "tests/support/level_samples.h"
#include "tests/support/scale.h"
#include "tests/support/table_files.h"

/* A folder of one variant's true values, opened. */
struct solved {
    struct wari_variant variant;
    int seeds_max;
    struct ref_table *reference;
    struct table table;
    char folder[TABLE_FOLDER_MAX];
    struct wari_db *db;
};

static int reference_value(const void *reference, const struct wari_position *position)
{
    return ref_value(reference, position->pits);
}

static void solve(struct solved *solved, enum wari_rules rules, enum wari_cycle cycle,
                  int seeds_max)
{
    solved->variant = (struct wari_variant){rules, cycle};
    solved->seeds_max = seeds_max;
    solved->reference = ref_solve((int)rules, (int)cycle, seeds_max);
    assert_non_null(solved->reference);
    assert_true(table_folder_make(solved->folder));
    assert_int_equal(
        table_make(&solved->table, solved->variant, seeds_max, reference_value, solved->reference),
        WARI_OK);
    assert_int_equal(table_write(&solved->table, solved->folder, NULL), WARI_OK);
    assert_int_equal(wari_open(&solved->db, solved->folder, &solved->variant, NULL, NULL), WARI_OK);
}

static void discard(struct solved *solved)
{
    wari_close(solved->db);
    assert_true(table_folder_remove(solved->folder));
    table_free(&solved->table);
    ref_free(solved->reference);
}

static int probe(struct wari_db *db, const struct wari_position *position)
{
    int value = 99;
    assert_int_equal(wari_probe(db, position, &value, NULL), WARI_OK);
    return value;
}

/* ---- Every position ---- */

/* The moves of an analysis are the reference's, each worth what the reference makes of it, in the
 * promised order. */
static void check_analysis(const struct solved *solved, const struct wari_position *position)
{
    struct wari_analysis analysis;
    struct ref_move moves[REF_ROW];
    int end_value = 0;
    int count = ref_moves((int)solved->variant.rules, position->pits, moves, &end_value);

    assert_int_equal(wari_analyse(solved->db, position, &analysis, NULL), WARI_OK);
    assert_int_equal(analysis.value, ref_value(solved->reference, position->pits));
    assert_int_equal(analysis.count, count);
    if (count == 0)
        assert_int_equal(analysis.value, end_value);
    for (int i = 0; i < count; i++) {
        const struct wari_move *move = &analysis.moves[i].move;
        const struct ref_move *expected = &moves[move->pit];
        assert_true(expected->legal);
        int next = expected->ends ? 0 : ref_value(solved->reference, expected->next);
        int value = expected->ends    ? expected->value
                    : expected->again ? expected->captured + next
                                      : expected->captured - next;
        assert_int_equal(analysis.moves[i].value, value);
        assert_int_equal(move->captured, expected->captured);
        if (i == 0) {
            assert_int_equal(value, analysis.value);
            continue;
        }
        const struct wari_move *before = &analysis.moves[i - 1].move;
        int worse = analysis.moves[i - 1].value - value;
        int fewer = before->captured - move->captured;
        assert_true(worse > 0 ||
                    (worse == 0 && (fewer > 0 || (fewer == 0 && before->pit < move->pit))));
    }
}

static void every_position_of_every_variant_has_the_value_of_the_reference(void **state)
{
    int seeds_max = test_scale(7, 6); /* from 6 on, opponent halves can be full */

    (void)state;
    for (int r = 0; r < WARI_RULES_COUNT; r++)
        for (int c = 0; c < WARI_CYCLE_COUNT; c++) {
            struct solved solved;
            uint64_t checked = 0;
            solve(&solved, (enum wari_rules)r, (enum wari_cycle)c, seeds_max);
            for (int n = 0; n <= seeds_max; n++) {
                struct wari_position position;
                ref_first(n, position.pits);
                do {
                    assert_int_equal(probe(solved.db, &position),
                                     ref_value(solved.reference, position.pits));
                    check_analysis(&solved, &position);
                    checked++;
                } while (ref_next(position.pits));
            }
            /* C(n+11,11) for 0..n add up to C(n+12,12): 50388 and 18564 */
            assert_int_equal(checked, seeds_max == 7 ? 50388 : 18564);
            discard(&solved);
        }
}

/* ---- Published positions ---- */

static void the_published_position_of_three_seeds_is_worth_3_by_b_and_by_e(void **state)
{
    const struct wari_position position = {{0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1}};
    struct wari_analysis analysis;
    struct solved solved;

    (void)state;
    solve(&solved, WARI_AWARI, WARI_EVEN, 3);
    assert_int_equal(probe(solved.db, &position), 3);
    assert_int_equal(wari_analyse(solved.db, &position, &analysis, NULL), WARI_OK);
    assert_int_equal(analysis.count, 2);
    assert_int_equal(analysis.moves[0].move.pit, 1);
    assert_int_equal(analysis.moves[0].value, 3);
    assert_int_equal(analysis.moves[1].move.pit, 4);
    assert_int_equal(analysis.moves[1].value, 3);
    discard(&solved);
}

static void rule_sets_part_where_the_published_table_says_so(void **state)
{
    /* 0 0 0 3 2 0 / 1 0 0 0 0 0 under `even`, in the order of the enum. */
    static const int expected[WARI_RULES_COUNT] = {6, 4, -2, 2, -6, 0, -2, 6};
    const struct wari_position position = {{0, 0, 0, 3, 2, 0, 1, 0, 0, 0, 0, 0}};

    (void)state;
    for (int r = 0; r < WARI_RULES_COUNT; r++) {
        struct solved solved;
        solve(&solved, (enum wari_rules)r, WARI_EVEN, 6);
        assert_int_equal(probe(solved.db, &position), expected[r]);
        discard(&solved);
    }
}

/* ---- What is refused ---- */

static void positions_beyond_the_database_are_refused_and_never_guessed(void **state)
{
    struct wari_position position = {{0}};
    struct wari_analysis analysis;
    struct wari_line line;
    struct wari_error error;
    struct solved solved;
    int value = 99;

    (void)state;
    solve(&solved, WARI_AWARI, WARI_EVEN, 3);
    position.pits[3] = 3;
    assert_int_equal(wari_probe(solved.db, &position, &value, &error), WARI_OK);
    value = 99;
    position.pits[3] = 4;
    assert_int_equal(wari_probe(solved.db, &position, &value, &error), WARI_NOT_COVERED);
    assert_non_null(strstr(error.text, "4 seeds"));
    assert_non_null(strstr(error.text, "up to 3"));
    assert_int_equal(wari_analyse(solved.db, &position, &analysis, NULL), WARI_NOT_COVERED);
    assert_int_equal(wari_line(solved.db, &position, &line, NULL), WARI_NOT_COVERED);
    position.pits[3] = 47;
    assert_int_equal(wari_probe(solved.db, &position, &value, &error), WARI_NOT_COVERED);
    assert_non_null(strstr(error.text, "no game reaches"));
    position.pits[3] = 48;
    assert_int_equal(wari_probe(solved.db, &position, &value, NULL), WARI_NOT_COVERED);
    position.pits[3] = 49;
    assert_int_equal(wari_probe(solved.db, &position, &value, NULL), WARI_BAD_INPUT);
    position.pits[3] = 255;
    position.pits[4] = 4; /* 259: 3, if somebody adds in bytes */
    assert_int_equal(wari_probe(solved.db, &position, &value, NULL), WARI_BAD_INPUT);
    assert_int_equal(wari_analyse(solved.db, &position, &analysis, NULL), WARI_BAD_INPUT);
    assert_int_equal(wari_line(solved.db, &position, &line, NULL), WARI_BAD_INPUT);
    assert_int_equal(value, 99);
    discard(&solved);
}

static void a_stored_value_that_is_not_the_best_of_its_moves_is_noticed(void **state)
{
    const struct wari_position position = {{0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1}};
    struct wari_analysis analysis;
    struct wari_error error;
    struct solved solved;

    (void)state;
    solve(&solved, WARI_AWARI, WARI_EVEN, 3);
    wari_close(solved.db);
    *table_cell(&solved.table, &position) = 2;
    assert_int_equal(table_write(&solved.table, solved.folder, NULL), WARI_OK);
    assert_int_equal(wari_open(&solved.db, solved.folder, NULL, NULL, NULL), WARI_OK);
    assert_int_equal(wari_analyse(solved.db, &position, &analysis, &error), WARI_CORRUPT);
    assert_non_null(strstr(error.text, "0 1 0 0 1 0 / 0 0 0 0 0 1"));
    discard(&solved);
}

/* ---- Lines ---- */

/* Plays a line with the reference's moves: every move is legal, takes what it says, and is worth
 * the position; the line stops where it may, and not later. */
static void check_line(const struct solved *solved, const struct wari_position *start)
{
    static struct wari_position played[WARI_LINE_MAX + 1];
    struct wari_line line;
    bool opponent = false;
    bool over = false;
    int since = 0;

    assert_int_equal(wari_line(solved->db, start, &line, NULL), WARI_OK);
    played[0] = *start;
    for (int i = 0; i < line.count; i++) {
        struct ref_move moves[REF_ROW];
        int end_value;
        assert_true(ref_moves((int)solved->variant.rules, played[i].pits, moves, &end_value) > 0);
        assert_false(over);
        const struct ref_move *move = &moves[line.moves[i].pit];
        assert_true(move->legal);
        assert_int_equal(line.moves[i].opponent, opponent);
        assert_int_equal(line.moves[i].captured, move->captured);

        int value = ref_value(solved->reference, played[i].pits);
        over = move->ends;
        if (over) {
            assert_int_equal(value, move->value);
            continue;
        }
        int next = ref_value(solved->reference, move->next);
        assert_int_equal(value, move->captured + (move->again ? next : -next));
        memcpy(played[i + 1].pits, move->next, REF_PITS);
        opponent = move->again ? opponent : !opponent;
        if (move->captured > 0)
            since = i + 1;

        /* No position but the last is one that was there before. */
        int repeats = -1;
        for (int k = since; k <= i && repeats < 0; k++)
            if (line.moves[k].opponent == opponent &&
                memcmp(&played[k], &played[i + 1], sizeof *played) == 0)
                repeats = k;
        assert_int_equal(repeats >= 0, line.end == WARI_LINE_REPEATS && i == line.count - 1);
        if (repeats >= 0)
            assert_int_equal(repeats, line.repeats_from);
    }
    assert_int_not_equal(line.end, WARI_LINE_CUT); /* 400 moves are enough for so few seeds */
    if (line.end == WARI_LINE_OVER && !over) {
        struct ref_move moves[REF_ROW];
        int end_value;
        assert_int_equal(
            ref_moves((int)solved->variant.rules, played[line.count].pits, moves, &end_value), 0);
    }
}

static void lines_are_legal_optimal_and_stop_at_the_end_or_the_first_repetition(void **state)
{
    static const struct wari_variant variants[] = {
        {WARI_AWARI, WARI_EVEN}, {WARI_ABAPA, WARI_OWN},     {WARI_WARRI, WARI_EVEN},
        {WARI_WARE, WARI_EVEN},  {WARI_SLAM_WINS, WARI_OWN},
    };

    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct solved solved;
        solve(&solved, variants[i].rules, variants[i].cycle, test_scale(6, 5));
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

static void two_seeds_that_circle_are_found_to_repeat(void **state)
{
    /* One seed each, opposite: nobody can catch the other. By hand: after twelve moves both have
     * gone round the board and the same player moves. */
    const struct wari_position position = {{1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}};
    struct wari_line line;
    struct solved solved;

    (void)state;
    solve(&solved, WARI_ABAPA, WARI_EVEN, 2);
    assert_int_equal(wari_line(solved.db, &position, &line, NULL), WARI_OK);
    assert_int_equal(line.end, WARI_LINE_REPEATS);
    assert_int_equal(line.repeats_from, 0);
    assert_int_equal(line.count, 12);
    for (int i = 0; i < line.count; i++) {
        assert_int_equal(line.moves[i].opponent, i % 2);
        assert_int_equal(line.moves[i].captured, 0);
    }
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
    assert_int_equal(wari_line(solved.db, &position, &line, NULL), WARI_OK);
    assert_int_equal(line.count, 0);
    assert_int_equal(line.end, WARI_LINE_OVER);
    assert_int_equal(wari_analyse(solved.db, &position, &analysis, NULL), WARI_OK);
    assert_int_equal(analysis.count, 0);
    assert_int_equal(analysis.value, -1); /* the opponent takes the seed */
    discard(&solved);
}

/* ---- The description ---- */

static void the_example_in_the_format_description_is_real(void **state)
{
    struct solved solved;
    char path[WARI_PATH_MAX];
    char indented[256] = "    ";

    (void)state;
    solve(&solved, WARI_AWARI, WARI_EVEN, 1);
    assert_int_equal(wari_catalogue_path(path, solved.folder, solved.variant, NULL), WARI_OK);
    struct file_image catalogue = file_load(path);
    struct file_image description = file_load("db/FORMAT.md");
    char *line = (char *)catalogue.bytes;
    const char *text = (const char *)description.bytes;
    catalogue.bytes[catalogue.size] = '\0';
    description.bytes[description.size] = '\0';
    for (line = strtok(line, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        assert_true(strlen(line) < sizeof indented - 6);
        strcpy(indented + 4, line);
        strcat(indented, "\n");
        text = strstr(text, indented);
        assert_non_null(text);
    }
    free(catalogue.bytes);
    free(description.bytes);
    discard(&solved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_position_of_every_variant_has_the_value_of_the_reference),
        cmocka_unit_test(the_published_position_of_three_seeds_is_worth_3_by_b_and_by_e),
        cmocka_unit_test(rule_sets_part_where_the_published_table_says_so),
        cmocka_unit_test(positions_beyond_the_database_are_refused_and_never_guessed),
        cmocka_unit_test(a_stored_value_that_is_not_the_best_of_its_moves_is_noticed),
        cmocka_unit_test(lines_are_legal_optimal_and_stop_at_the_end_or_the_first_repetition),
        cmocka_unit_test(two_seeds_that_circle_are_found_to_repeat),
        cmocka_unit_test(a_game_that_is_over_has_an_empty_line),
        cmocka_unit_test(the_example_in_the_format_description_is_real),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
