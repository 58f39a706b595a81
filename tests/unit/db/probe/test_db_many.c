/* Values of many positions at once. They are those of the reference solver, for level files,
 * packed files and books, for any order of the positions, any memory and any number of threads.
 * Each chunk is read once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "db/maintain/bind.h"
#include "db/maintain/pack.h"
#include "tests/support/fault_host.h"
#include "tests/support/scale.h"
#include "tests/support/solved.h"
#include "tests/unit/groups.h"

enum { THREADS = 4 };

/* All placements of 0..seeds_max seeds in a mixed order, and their values. */
struct array {
    size_t count;
    struct wari_position *positions;
    int8_t *expected, *values;
};

/* Returns the number of placements of 0..n seeds: the sum of C(m+11,11) for m in 0..n is
 * C(n+12,12). */
static size_t placements(int seeds_max)
{
    size_t count = 1;
    for (size_t i = 1; i <= 12; i++)
        count = count * ((size_t)seeds_max + i) / i;
    return count;
}

static struct array all_positions(const struct solved *solved)
{
    const size_t count = placements(solved->seeds_max);
    struct array array = {count, calloc(count, sizeof *array.positions), malloc(count),
                          malloc(count)};
    size_t at = 0;
    assert_true(array.positions && array.expected && array.values);
    for (int n = 0; n <= solved->seeds_max; n++) {
        struct wari_position position;
        ref_first(n, position.pits);
        do {
            at = (at + 7919) % count; /* a prime number that does not divide any of the counts */
            array.positions[at] = position;
            array.expected[at] = (int8_t)ref_value(solved->reference, position.pits);
        } while (ref_next(position.pits));
    }
    return array;
}

static void release(struct array *array)
{
    free(array->positions);
    free(array->expected);
    free(array->values);
}

static void expect_all(struct wari_db *db, struct array *array)
{
    memset(array->values, 99, array->count);
    assert_int_equal(wari_probe_many(db, array->positions, array->count, array->values, NULL),
                     WARI_OK);
    assert_memory_equal(array->values, array->expected, array->count);
    /* For a single position, the array of queries is small. Queries that do not fit into the array
     * are looked up one by one. */
    for (size_t i = 0; i < array->count; i += 97) {
        int8_t value = 99;
        assert_int_equal(wari_probe_many(db, &array->positions[i], 1, &value, NULL), WARI_OK);
        assert_int_equal(value, array->expected[i]);
    }
}

static void every_value_is_that_of_the_reference_however_it_is_kept(void **state)
{
    const int seeds_max = test_scale(7, 6); /* from 6 on, opponent halves can be full */
    (void)state;
    for (int r = 0; r < WARI_RULES_COUNT; r++) {
        struct solved solved;
        struct wari_pack_report packed;
        struct wari_bind_report bound;
        char path[WARI_PATH_MAX];
        assert_true(solved_make(&solved, (enum wari_rules)r, (enum wari_cycle)(r % 2), seeds_max));
        struct array array = all_positions(&solved);
        expect_all(solved.db, &array);

        assert_int_equal(wari_path(path, NULL, solved.folder, "test.book"), WARI_OK);
        const struct wari_bind bind = {.db = solved.db, .seeds = seeds_max, .path = path};
        assert_int_equal(wari_bind(&bind, &bound, NULL), WARI_OK);
        const struct wari_pack pack = {
            .folder = solved.folder, .variant = solved.variant, .threads = 1};
        assert_int_equal(wari_pack(&pack, &packed, NULL), WARI_OK);
        for (int book = 0; book < 2; book++) {
            wari_close(solved.db);
            assert_int_equal(
                book ? wari_open_book(&solved.db, path, NULL, NULL, NULL)
                     : wari_open(&solved.db, solved.folder, &solved.variant, NULL, NULL),
                WARI_OK);
            expect_all(solved.db, &array);
        }
        release(&array);
        assert_true(solved_discard(&solved));
    }
}

/* ---- Threads -------------------------------------------------------------------------------- */

struct pool {
    void (*work)(void *argument, size_t piece);
    void *argument;
    size_t pieces;
    atomic_size_t next;
};

static void *work(void *argument)
{
    struct pool *pool = argument;
    size_t piece;
    while ((piece = atomic_fetch_add(&pool->next, 1)) < pool->pieces)
        pool->work(pool->argument, piece);
    return NULL;
}

static void run(void *context, void (*each)(void *argument, size_t piece), void *argument,
                size_t pieces)
{
    struct pool pool = {.work = each, .argument = argument, .pieces = pieces};
    pthread_t threads[THREADS];
    (void)context;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &pool), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static void threads_of_the_program_share_the_work(void **state)
{
    struct fault_host fault;
    struct solved solved;
    (void)state;
    fault_host_init(&fault, FAULT_READ, LONG_MAX);
    fault.host.run = run;
    const struct wari_options options = {.cache_bytes = 1, .host = &fault.host};
    assert_true(solved_make(&solved, WARI_WARRI, WARI_OWN, 8));
    struct array array = all_positions(&solved);
    wari_close(solved.db);
    assert_int_equal(wari_open(&solved.db, solved.folder, NULL, &options, NULL), WARI_OK);
    memset(array.values, 99, array.count);
    assert_int_equal(wari_probe_many(solved.db, array.positions, array.count, array.values, NULL),
                     WARI_OK);
    assert_memory_equal(array.values, array.expected, array.count);
    release(&array);
    assert_true(solved_discard(&solved));
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* Computed by hand. Levels 0 to 5 have one chunk each. Levels 6, 7 and 8 have C(n+11,11) -
 * C(n+5,11) positions, in chunks of 8192, which makes 2, 4 and 10 chunks. The cache has an entry
 * for only one chunk. Positions with a full opponent half need values of other chunks; the batch
 * reads these chunks in the same pass. */
static void each_chunk_is_read_once_in_a_batch(void **state)
{
    struct fault_host fault;
    struct solved solved;
    const size_t count = 37449; /* number of positions of a batch: 2^18 / 7 */
    (void)state;
    fault_host_init(&fault, FAULT_READ, LONG_MAX);
    const struct wari_options options = {.cache_bytes = 1, .host = &fault.host};
    assert_true(solved_make(&solved, WARI_ABAPA, WARI_EVEN, 8));
    struct array array = all_positions(&solved);
    wari_close(solved.db);
    assert_int_equal(wari_open(&solved.db, solved.folder, NULL, &options, NULL), WARI_OK);
    const long before = atomic_load(&fault.calls);
    assert_int_equal(wari_probe_many(solved.db, array.positions, count, array.values, NULL),
                     WARI_OK);
    assert_int_equal(atomic_load(&fault.calls) - before, 6 + 2 + 4 + 10);
    assert_memory_equal(array.values, array.expected, count);
    release(&array);
    assert_true(solved_discard(&solved));
}

/* ---- Failures ------------------------------------------------------------------------------- */

static void a_position_that_is_refused_is_named_by_its_place(void **state)
{
    struct solved solved;
    struct wari_error error;
    int8_t values[3];
    struct wari_position positions[3] = {{{1}}, {{1, 1}}, {{0, 0, 5}}};
    (void)state;
    assert_true(solved_make(&solved, WARI_AWARI, WARI_EVEN, 4));
    assert_int_equal(wari_probe_many(solved.db, positions, 0, NULL, &error), WARI_OK);
    assert_int_equal(wari_probe_many(solved.db, positions, 2, values, &error), WARI_OK);
    assert_int_equal(wari_probe_many(solved.db, positions, 3, values, &error), WARI_NOT_COVERED);
    assert_string_equal(error.text, "positions[2]: the position has 5 seeds; the "
                                    "database goes up to 4");
    assert_int_equal(wari_probe_many(solved.db, positions, 3, values, NULL), WARI_NOT_COVERED);
    positions[1].pits[7] = 255;
    assert_int_equal(wari_probe_many(solved.db, positions, 2, values, &error), WARI_BAD_INPUT);
    assert_non_null(strstr(error.text, "positions[1]: "));
    positions[1].pits[7] = 45;
    assert_int_equal(wari_probe_many(solved.db, positions, 2, values, &error), WARI_NOT_COVERED);
    assert_non_null(strstr(error.text, "47 seeds"));
    assert_true(solved_discard(&solved));
}

static void every_failing_call_is_reported_and_leaves_nothing(void **state)
{
    struct solved solved;
    (void)state;
    assert_true(solved_make(&solved, WARI_AWARI, WARI_OWN, 6));
    struct array array = all_positions(&solved);
    for (int threads = 0; threads < 2; threads++) {
        bool fired = true;
        for (long k = 1; fired; k++) {
            struct fault_host fault;
            struct wari_db *db;
            struct wari_error error = {0};
            enum wari_status status = WARI_OK;
            fault_host_init(&fault, FAULT_ANY, 0);
            fault.host.run = threads ? run : NULL;
            const struct wari_options options = {.cache_bytes = 1, .host = &fault.host};
            assert_int_equal(wari_open(&db, solved.folder, NULL, &options, NULL), WARI_OK);
            fault.fail_at = k;
            status = wari_probe_many(db, array.positions, array.count, array.values, &error);
            fired = fault_host_fired(&fault);
            assert_int_equal(status != WARI_OK, fired);
            assert_true(!fired || error.text[0] != '\0');
            if (!fired)
                assert_memory_equal(array.values, array.expected, array.count);
            fault.fail_at = 0;
            wari_close(db);
            assert_true(fault_host_clean(&fault));
        }
    }
    release(&array);
    assert_true(solved_discard(&solved));
}

TEST_GROUP(test_db_many)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_is_that_of_the_reference_however_it_is_kept),
        cmocka_unit_test(threads_of_the_program_share_the_work),
        cmocka_unit_test(each_chunk_is_read_once_in_a_batch),
        cmocka_unit_test(a_position_that_is_refused_is_named_by_its_place),
        cmocka_unit_test(every_failing_call_is_reported_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
