/* Tests the values and analyses that are read from databases with correct values.
 *
 * Expected values come from the reference solver, which shares no code with the library, and
 * from published positions of small levels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "db/catalogue/catalogue_file.h"
#include "db/probe/ahead.h"
#include "db/wari.h"
#include "tests/support/fault_host.h"
#include "tests/support/level_samples.h"
#include "tests/support/scale.h"
#include "tests/support/solved.h"
#include "tests/unit/groups.h"

static void solve(struct solved *solved, enum wari_rules rules, enum wari_cycle cycle,
                  int seeds_max)
{
    assert_true(solved_make(solved, rules, cycle, seeds_max));
}

static void discard(struct solved *solved)
{
    assert_true(solved_discard(solved));
}

static int probe(struct wari_db *db, const struct wari_position *position)
{
    int value = 99;
    assert_int_equal(wari_probe(db, position, &value, NULL), WARI_OK);
    return value;
}

/* ---- Every position ---- */

/* Asserts that the moves of an analysis are those of the reference, with the values of the
 * reference, in the documented order. */
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
    int seeds_max = test_scale(7, 6); /* with 6 or more seeds, all pits of a half can have seeds */

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
            /* The sum of C(n+11,11) over 0..n is C(n+12,12), which is 50388 for n = 7 and 18564
             * for n = 6. */
            assert_int_equal(checked, seeds_max == 7 ? 50388 : 18564);
            discard(&solved);
        }
}

/* ---- Without reading ---- */

/* Opens the folder again, with a host that counts its calls. */
static void open_counted(struct solved *solved, struct fault_host *host, size_t cache_bytes)
{
    const struct wari_options options = {.cache_bytes = cache_bytes, .host = &host->host};
    wari_close(solved->db);
    fault_host_init(host, FAULT_ANY, 0);
    assert_int_equal(wari_open(&solved->db, solved->folder, NULL, &options, NULL), WARI_OK);
}

static void decode_levels(struct wari_db *db, int seeds)
{
    struct wari_decoding_ahead ahead = {.seeds = seeds};
    bool more = true;
    while (more)
        assert_int_equal(wari_decode_ahead(db, &ahead, &more, NULL), WARI_OK);
}

/* If the cache has levels 0 to 6, all values of these levels are found, but not all values of level
 * 7. From 6 seeds on, some positions have no number, and their values follow from their moves. */
static void values_in_the_cache_are_found_without_a_read(void **state)
{
    enum { CACHED = 6, SEEDS = 7 };
    struct wari_position position;
    struct fault_host host;
    struct solved solved;
    int value = 99;
    (void)state;
    solve(&solved, WARI_WARRI, WARI_OWN, SEEDS);
    open_counted(&solved, &host, 0);
    ref_first(3, position.pits);
    assert_false(wari_probe_cached(solved.db, &position, &value));
    assert_int_equal(value, 99);
    decode_levels(solved.db, CACHED);
    const long calls = atomic_load(&host.calls);
    for (int n = 0; n <= SEEDS; n++) {
        long found = 0, all = 0;
        ref_first(n, position.pits);
        do {
            const int expected = ref_value(solved.reference, position.pits);
            all++;
            if (!wari_probe_cached(solved.db, &position, &value))
                continue;
            found++;
            assert_int_equal(value, expected);
        } while (ref_next(position.pits));
        assert_true(n <= CACHED ? found == all : found < all);
    }
    ref_first(SEEDS + 1, position.pits);
    assert_false(wari_probe_cached(solved.db, &position, &value));
    position.pits[0] = 200;
    assert_false(wari_probe_cached(solved.db, &position, &value));
    assert_int_equal(atomic_load(&host.calls), calls);
    discard(&solved);
    assert_true(fault_host_clean(&host));
}

/* The cache holds only one chunk. Nothing is decoded in advance, because it would replace a chunk
 * that is in use. A failure to read is reported. */
static void decoding_ahead_leaves_room_in_the_cache(void **state)
{
    struct fault_host host;
    struct solved solved;
    (void)state;
    solve(&solved, WARI_AWARI, WARI_EVEN, 3);
    open_counted(&solved, &host, 1);
    const long calls = atomic_load(&host.calls);
    decode_levels(solved.db, 3);
    assert_true(atomic_load(&host.calls) <= calls + 2);
    open_counted(&solved, &host, 0);
    host.kinds = FAULT_READ;
    atomic_store(&host.calls, 0);
    host.fail_at = 1;
    struct wari_decoding_ahead ahead = {.seeds = 3};
    bool more;
    assert_int_equal(wari_decode_ahead(solved.db, &ahead, &more, NULL), WARI_IO);
    discard(&solved);
    assert_true(fault_host_clean(&host));
}

/* ---- In bulk ---- */

/* Returns all values of a level from the reference, in the order of the files. */
static int8_t *values_by_reference(const struct solved *solved, int seeds)
{
    struct wari_layout layout;
    struct wari_position position;
    uint64_t found = 0;
    int8_t *values = malloc((size_t)wari_level_positions(seeds));

    assert_non_null(values);
    wari_layout_init(&layout, seeds);
    ref_first(seeds, position.pits);
    do {
        if (!wari_position_stored(&position))
            continue;
        values[wari_layout_rank(&layout, &position)] =
            (int8_t)ref_value(solved->reference, position.pits);
        found++;
    } while (ref_next(position.pits));
    assert_int_equal(found, wari_level_positions(seeds));
    return values;
}

static void values_in_bulk_are_those_of_the_reference_in_any_pieces(void **state)
{
    /* Level 8 has ten chunks. The test reads ranges of these sizes, from one value to the whole
     * level. */
    static const size_t pieces[] = {1, 7, 1000, 8192, 40000, SIZE_MAX};
    struct solved solved;

    (void)state;
    solve(&solved, WARI_ABAPA, WARI_OWN, 8);
    for (int n = 0; n <= 8; n++) {
        uint64_t positions = wari_level_positions(n);
        int8_t *expected = values_by_reference(&solved, n);
        int8_t *values = malloc((size_t)positions);
        assert_non_null(values);
        for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
            memset(values, 99, (size_t)positions);
            for (uint64_t first = 0; first < positions;) {
                size_t count =
                    positions - first < pieces[p] ? (size_t)(positions - first) : pieces[p];
                assert_int_equal(wari_values(solved.db, n, first, count, values + first, NULL),
                                 WARI_OK);
                first += count;
            }
            assert_memory_equal(values, expected, positions);
        }
        free(values);
        free(expected);
    }
    discard(&solved);
}

static void values_that_a_level_does_not_have_are_refused(void **state)
{
    struct wari_error error;
    struct solved solved;
    int8_t values[16];

    (void)state;
    solve(&solved, WARI_AWARI, WARI_EVEN, 1); /* there are 12 positions with one seed */
    assert_int_equal(wari_values(solved.db, 1, 0, 12, values, NULL), WARI_OK);
    assert_int_equal(wari_values(solved.db, 1, 12, 0, values, NULL), WARI_OK);
    assert_int_equal(wari_values(solved.db, 1, 0, 13, values, &error), WARI_BAD_INPUT);
    assert_non_null(strstr(error.text, "12 stored positions"));
    assert_int_equal(wari_values(solved.db, 1, 11, 2, values, NULL), WARI_BAD_INPUT);
    assert_int_equal(wari_values(solved.db, 1, 13, 0, values, NULL), WARI_BAD_INPUT);
    assert_int_equal(wari_values(solved.db, 1, UINT64_MAX, 2, values, NULL), WARI_BAD_INPUT);
    assert_int_equal(wari_values(solved.db, 1, 2, SIZE_MAX, values, NULL), WARI_BAD_INPUT);
    assert_int_equal(wari_values(solved.db, 2, 0, 1, values, NULL), WARI_NOT_COVERED);
    assert_int_equal(wari_values(solved.db, -1, 0, 1, values, NULL), WARI_NOT_COVERED);
    assert_int_equal(wari_values(solved.db, 49, 0, 1, values, NULL), WARI_NOT_COVERED);
    discard(&solved);
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
    assert_int_equal(wari_find_line(solved.db, &position, &line, NULL), WARI_NOT_COVERED);
    position.pits[3] = 47;
    assert_int_equal(wari_probe(solved.db, &position, &value, &error), WARI_NOT_COVERED);
    assert_non_null(strstr(error.text, "no game reaches"));
    position.pits[3] = 48;
    assert_int_equal(wari_probe(solved.db, &position, &value, NULL), WARI_NOT_COVERED);
    position.pits[3] = 49;
    assert_int_equal(wari_probe(solved.db, &position, &value, NULL), WARI_BAD_INPUT);
    position.pits[3] = 255;
    position.pits[4] = 4; /* the sum of the seeds is 259; as a byte it would be 3 */
    assert_int_equal(wari_probe(solved.db, &position, &value, NULL), WARI_BAD_INPUT);
    assert_int_equal(wari_analyse(solved.db, &position, &analysis, NULL), WARI_BAD_INPUT);
    assert_int_equal(wari_find_line(solved.db, &position, &line, NULL), WARI_BAD_INPUT);
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

/* ---- Chunks that are read ---- */

static long probe_numbered(struct wari_db *db, const struct fault_host *host,
                           const struct solved *solved, int seeds, uint64_t number)
{
    struct wari_position position;
    const long before = atomic_load(&host->calls);
    assert_int_equal(wari_position_numbered(seeds, number, &position, NULL), WARI_OK);
    assert_int_equal(probe(db, &position), *table_cell(&solved->table, &position));
    return atomic_load(&host->calls) - before;
}

/* Level 7 has three full chunks of 8192, each with four streams of 2048. */
static void a_block_is_read_for_one_value_and_once_more_for_all_others(void **state)
{
    struct solved solved;
    struct fault_host host;
    struct wari_db *db;
    int8_t value, two[2];

    (void)state;
    solve(&solved, WARI_ABAPA, WARI_EVEN, 7);
    fault_host_init(&host, FAULT_READ, LONG_MAX); /* counts the calls without making any of them
                                                   * fail */
    assert_int_equal(wari_open(&db, solved.folder, &solved.variant,
                               &(struct wari_options){.host = &host.host}, NULL),
                     WARI_OK);
    assert_int_equal(probe_numbered(db, &host, &solved, 7, 8192 + 2048 + 500), 1);
    assert_int_equal(probe_numbered(db, &host, &solved, 7, 8192 + 2048 + 500), 0);
    assert_int_equal(probe_numbered(db, &host, &solved, 7, 8192 + 6144 + 7), 0);
    assert_int_equal(probe_numbered(db, &host, &solved, 7, 8192 + 511), 0);
    assert_int_equal(probe_numbered(db, &host, &solved, 7, 8192 + 512), 1);
    for (uint64_t number = 8192; number < 2 * 8192; number++)
        assert_int_equal(probe_numbered(db, &host, &solved, 7, number), 0);

    /* Reading in bulk decodes a whole chunk. */
    assert_int_equal(wari_values(db, 7, 0, 1, &value, NULL), WARI_OK);
    for (uint64_t number = 0; number < 8192; number++)
        assert_int_equal(probe_numbered(db, &host, &solved, 7, number), 0);
    assert_int_equal(probe_numbered(db, &host, &solved, 7, 2 * 8192), 1);
    assert_int_equal(wari_values(db, 7, 2 * 8192, 1, &value, NULL),
                     WARI_OK); /* this chunk is in the cache */
    assert_int_equal(wari_values(db, 7, 2 * 8192, 2, two, NULL), WARI_OK);
    for (uint64_t number = 2 * 8192; number < 3 * 8192; number++)
        assert_int_equal(probe_numbered(db, &host, &solved, 7, number), 0);
    wari_close(db);
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

TEST_GROUP(test_db_probe)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_position_of_every_variant_has_the_value_of_the_reference),
        cmocka_unit_test(values_in_the_cache_are_found_without_a_read),
        cmocka_unit_test(decoding_ahead_leaves_room_in_the_cache),
        cmocka_unit_test(values_in_bulk_are_those_of_the_reference_in_any_pieces),
        cmocka_unit_test(values_that_a_level_does_not_have_are_refused),
        cmocka_unit_test(the_published_position_of_three_seeds_is_worth_3_by_b_and_by_e),
        cmocka_unit_test(rule_sets_part_where_the_published_table_says_so),
        cmocka_unit_test(positions_beyond_the_database_are_refused_and_never_guessed),
        cmocka_unit_test(a_stored_value_that_is_not_the_best_of_its_moves_is_noticed),
        cmocka_unit_test(a_block_is_read_for_one_value_and_once_more_for_all_others),
        cmocka_unit_test(the_example_in_the_format_description_is_real),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
