/* The cache of decoded chunks: its budget, the order of eviction, and correct values with many
 * threads.
 *
 * Expected sizes are computed by hand; the values in the cache follow a formula of
 * chunk and offset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "db/format/level_file.h"
#include "db/probe/cache.h"
#include "db/wari.h"
#include "tests/support/counting_host.h"
#include "tests/support/fault_host.h"
#include "tests/support/level_samples.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"
#include "tests/support/table_files.h"
#include "tests/unit/groups.h"

static struct wari_cache *make_cache(size_t budget, uint64_t chunks)
{
    struct wari_cache *cache;
    assert_int_equal(wari_cache_create(&cache, wari_host_system(), budget, chunks, NULL), WARI_OK);
    return cache;
}

static int8_t value_at(uint64_t chunk, size_t place)
{
    return (int8_t)((chunk * 31 + place * 7) % 97);
}

static void keep(struct wari_cache *cache, uint64_t chunk)
{
    int8_t values[WARI_CHUNK_POSITIONS];
    for (size_t i = 0; i < WARI_CHUNK_POSITIONS; i++)
        values[i] = value_at(chunk, i);
    wari_cache_insert(cache, chunk, values, WARI_CHUNK_POSITIONS, WARI_STREAM_POSITIONS);
}

static bool has(struct wari_cache *cache, uint64_t chunk)
{
    int8_t value = 0;
    size_t place = (size_t)(chunk * 1001 % WARI_CHUNK_POSITIONS);
    bool found = wari_cache_find(cache, chunk, place, &value, 1);
    if (found)
        assert_int_equal(value, value_at(chunk, place));
    return found;
}

/* The bookkeeping of a cache takes less than 8 KiB plus 32 bytes for each chunk. A chunk takes
 * 2^13 bytes. */
static void the_budget_bounds_the_chunks_and_one_is_always_kept(void **state)
{
    static const struct {
        size_t budget;
        uint64_t chunks;
        size_t least; /* minimum and maximum of the capacity */
        size_t most;
    } cases[] = {
        {1, 100, 1, 1},
        {8191, 100, 1, 1},
        {8192, 100, 1, 1},
        {16384, 100, 1, 1}, /* two chunks would fit, but not their bookkeeping */
        {16384 + 8256, 100, 2, 2},
        {((size_t)7 << 13) + 8448, 100, 7, 7},
        {((size_t)8 << 13) + 8448, 100, 8, 8},
        {(size_t)100 << 13, 1000, 90, 99},
        {SIZE_MAX, 3, 3, 3},
        {SIZE_MAX, 1, 1, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wari_cache *cache = make_cache(cases[i].budget, cases[i].chunks);
        assert_in_range(wari_cache_capacity(cache), cases[i].least, cases[i].most);
        wari_cache_destroy(cache);
    }
    wari_cache_destroy(NULL);
}

static void all_memory_of_a_cache_stays_within_the_budget(void **state)
{
    (void)state;
    for (size_t budget = 41 << 10; budget < 4 << 20; budget += (size_t)test_scale(9973, 99991)) {
        struct counting_host host;
        struct wari_cache *cache;
        counting_host_init(&host);
        assert_int_equal(wari_cache_create(&cache, &host.host, budget, 1000, NULL), WARI_OK);
        for (uint64_t chunk = 0; chunk < (uint64_t)test_scale(150, 10); chunk++)
            keep(cache, chunk);
        assert_true(atomic_load(&host.peak) <= budget);
        /* Most of the budget is used: fewer than 8 chunks of memory are unused because sets must
         * be complete. */
        assert_true(atomic_load(&host.peak) + ((size_t)8 << 13) + 8192 > budget);
        wari_cache_destroy(cache);
        assert_int_equal(atomic_load(&host.bytes), 0);
    }
}

static void more_chunks_than_it_can_tell_apart_are_refused(void **state)
{
    struct wari_cache *cache;

    (void)state;
    assert_int_equal(wari_cache_create(&cache, wari_host_system(), 1, UINT64_C(1) << 32, NULL),
                     WARI_BAD_INPUT);
    assert_null(cache);
    cache = make_cache(1, UINT32_MAX);
    assert_int_equal(wari_cache_capacity(cache), 1);
    wari_cache_destroy(cache);
}

static void any_part_of_a_chunk_can_be_copied(void **state)
{
    static const size_t places[] = {0, 1, 7, 8, 9, 15, 100, 8184, 8191};
    static const size_t counts[] = {0, 1, 2, 7, 8, 9, 16, 17, 1000, 8192};
    struct wari_cache *cache = make_cache(1, 10);
    int8_t values[WARI_CHUNK_POSITIONS + 1];

    (void)state;
    keep(cache, 3);
    for (size_t p = 0; p < sizeof places / sizeof *places; p++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            size_t count = counts[c];
            if (count > WARI_CHUNK_POSITIONS - places[p])
                count = WARI_CHUNK_POSITIONS - places[p];
            values[count] = 111;
            assert_true(wari_cache_find(cache, 3, places[p], values, count));
            for (size_t i = 0; i < count; i++)
                assert_int_equal(values[i], value_at(3, places[p] + i));
            assert_int_equal(values[count], 111);
        }
    wari_cache_destroy(cache);
}

/* The last chunk of a level may be shorter than the others, and have any number of values. */
static void a_short_chunk_is_kept_to_its_last_value(void **state)
{
    (void)state;
    for (size_t count = 1; count < 20; count++) {
        struct wari_cache *cache = make_cache(1, 10);
        int8_t values[20], found[20];
        for (size_t i = 0; i < count; i++)
            values[i] = value_at(5, i);
        wari_cache_insert(cache, 5, values, count, WARI_STREAM_POSITIONS);
        assert_true(wari_cache_find(cache, 5, 0, found, count));
        assert_memory_equal(found, values, count);
        wari_cache_destroy(cache);
    }
}

/* Inserts a chunk in which only the first `known` of the 2048 cells of each stream are decoded.
 * All other cells have impossible values. */
static void keep_some(struct wari_cache *cache, uint64_t chunk, size_t known)
{
    int8_t values[WARI_CHUNK_POSITIONS];
    for (size_t i = 0; i < WARI_CHUNK_POSITIONS; i++)
        values[i] = (int8_t)(i % 2048 < known ? value_at(chunk, i) : 111);
    wari_cache_insert(cache, chunk, values, WARI_CHUNK_POSITIONS, known);
}

/* Asserts that a look-up of a single value succeeds if and only if the value is among the first
 * `known` values of its stream. */
static void expect_known(struct wari_cache *cache, uint64_t chunk, size_t known)
{
    for (size_t i = 0; i < WARI_CHUNK_POSITIONS; i++) {
        int8_t value = 0;
        assert_int_equal(wari_cache_find(cache, chunk, i, &value, 1), i % 2048 < known);
        if (i % 2048 < known)
            assert_int_equal(value, value_at(chunk, i));
    }
}

static void values_that_were_not_decoded_are_not_found(void **state)
{
    static const size_t known[] = {64, 128, 960, 1536, 1984};
    int8_t values[WARI_CHUNK_POSITIONS];

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct wari_cache *cache = make_cache((size_t)4 << 13, 100);
        assert_false(wari_cache_has(cache, 3));
        keep_some(cache, 3, known[i]);
        assert_true(wari_cache_has(cache, 3));
        expect_known(cache, 3, known[i]);
        assert_false(wari_cache_find(cache, 3, 0, values, 2)); /* several values can be found only
                                                                * in a complete chunk */
        wari_cache_destroy(cache);
    }
}

static void more_of_a_chunk_takes_the_place_of_less_and_never_the_other_way(void **state)
{
    struct wari_cache *cache = make_cache((size_t)4 << 13, 100);
    const size_t capacity = wari_cache_capacity(cache);

    (void)state;
    for (uint64_t chunk = 10; chunk < 10 + capacity; chunk++)
        keep(cache, chunk);
    keep_some(cache, 20, 64); /* the new chunk takes the entry of chunk 10 */
    keep_some(cache, 20, 1024);
    expect_known(cache, 20, 1024);
    keep_some(cache, 20, 512);
    expect_known(cache, 20, 1024);
    keep(cache, 20);
    expect_known(cache, 20, 2048);
    keep_some(cache, 20, 64);
    expect_known(cache, 20, 2048);
    for (uint64_t chunk = 11; chunk < 10 + capacity; chunk++)
        assert_true(has(cache, chunk));
    wari_cache_destroy(cache);
}

static void a_cache_that_is_large_enough_keeps_everything(void **state)
{
    struct wari_cache *cache = make_cache((size_t)66 << 13, 64);

    (void)state;
    for (uint64_t chunk = 0; chunk < 64; chunk++) {
        assert_false(has(cache, chunk));
        keep(cache, chunk);
    }
    for (uint64_t chunk = 0; chunk < 64; chunk++)
        assert_true(has(cache, chunk));
    wari_cache_destroy(cache);
}

static void the_chunk_longest_unused_goes_first(void **state)
{
    struct wari_cache *cache = make_cache((size_t)4 << 13, 100);

    (void)state;
    keep(cache, 10);
    keep(cache, 11);
    keep(cache, 12);
    assert_true(has(cache, 10)); /* chunk 11 is now the one not used for the longest time */
    keep(cache, 13);
    assert_false(has(cache, 11));
    assert_true(has(cache, 12));
    assert_true(has(cache, 13));
    keep(cache, 14);
    assert_false(has(cache, 10));
    keep(cache, 14); /* inserting a chunk twice takes only one entry */
    assert_true(has(cache, 12));
    assert_true(has(cache, 13));
    assert_true(has(cache, 14));
    wari_cache_destroy(cache);
}

static void a_cache_takes_all_its_memory_at_the_start_or_fails(void **state)
{
    struct fault_host host;
    struct wari_cache *cache;
    long k = 0;

    (void)state;
    /* Repeats the test with each allocation failing in turn. */
    do {
        fault_host_init(&host, FAULT_ALLOCATE, ++k);
        enum wari_status status = wari_cache_create(&cache, &host.host, 1 << 20, 1000, NULL);
        assert_int_equal(status, fault_host_fired(&host) ? WARI_NO_MEMORY : WARI_OK);
        assert_true((cache == NULL) == (status != WARI_OK));
        long blocks = atomic_load(&host.blocks);
        for (uint64_t chunk = 0; cache != NULL && chunk < 1000; chunk++)
            keep(cache, chunk);
        assert_int_equal(atomic_load(&host.blocks), blocks);
        wari_cache_destroy(cache);
        assert_true(fault_host_clean(&host));
    } while (fault_host_fired(&host));
    assert_true(k > 1);
}

/* ---- Threads ---- */

enum { THREADS = 4, SEEDS = 9 }; /* level 9 has 167,596 stored positions in 21 chunks */

struct prober {
    struct wari_db *db;
    int8_t *values;
    const struct wari_layout *layout;
    int probes;
    uint64_t random;
    long wrong;
};

static uint64_t next_random(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *random >> 20;
}

/* Each thread counts its errors, because cmocka's assertions work in the main thread only. */
static void *probe_at_random(void *argument)
{
    struct prober *prober = argument;
    uint64_t positions = wari_level_positions(SEEDS);
    for (int i = 0; i < prober->probes; i++) {
        struct wari_position position;
        uint64_t rank = next_random(&prober->random) % positions;
        int value;
        wari_layout_unrank(prober->layout, rank, &position);
        if (wari_probe(prober->db, &position, &value, NULL) != WARI_OK ||
            value != prober->values[rank])
            prober->wrong++;
    }
    return NULL;
}

/* A thread that looks up chunks and inserts those that it does not find. There are twenty
 * chunks, and the cache has entries for two of them. */
struct user {
    struct wari_cache *cache;
    int rounds;
    uint64_t random;
    long found;
    long wrong;
};

static void *use_cache(void *argument)
{
    struct user *user = argument;
    for (int i = 0; i < user->rounds; i++) {
        uint64_t chunk = next_random(&user->random) % 20;
        size_t place = next_random(&user->random) % WARI_CHUNK_POSITIONS;
        size_t most = next_random(&user->random) % 2 == 0 ? 1 : WARI_CHUNK_POSITIONS - place;
        size_t count = 1 + next_random(&user->random) % most;
        int8_t values[WARI_CHUNK_POSITIONS];
        if (!wari_cache_find(user->cache, chunk, place, values, count)) {
            if (next_random(&user->random) % 2 == 0)
                keep(user->cache, chunk);
            else
                keep_some(user->cache, chunk, 64 * (1 + next_random(&user->random) % 31));
            continue;
        }
        user->found++;
        for (size_t v = 0; v < count; v++)
            user->wrong += values[v] != value_at(chunk, place + v);
    }
    return NULL;
}

static void no_reader_gets_values_of_two_chunks_while_others_replace_them(void **state)
{
    struct wari_cache *cache = make_cache((size_t)3 << 13, 20);
    struct user users[THREADS];
    pthread_t threads[THREADS];
    long found = 0;

    (void)state;
    assert_int_equal(wari_cache_capacity(cache), 2);
    for (int t = 0; t < THREADS; t++) {
        users[t] = (struct user){
            .cache = cache, .rounds = test_scale(5000, 500), .random = (uint64_t)t + 1};
        assert_int_equal(pthread_create(&threads[t], NULL, use_cache, &users[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_join(threads[t], NULL), 0);
        assert_int_equal(users[t].wrong, 0);
        found += users[t].found;
    }
    assert_true(found > 0);
    wari_cache_destroy(cache);
}

static const struct wari_level_key key = {{WARI_AWARI, WARI_EVEN}, SEEDS};

/* The sample values of level SEEDS. make_samples() also writes them, with lower levels, into the
 * folder. */
static int8_t *samples;

static int make_samples(void **state)
{
    if (make_folder(state) != 0 ||
        sample_write_folder(wari_host_system(), folder, key.variant, SEEDS, NULL) != WARI_OK)
        return -1;
    samples = sample_values(key);
    return 0;
}

static int remove_samples(void **state)
{
    free(samples);
    return remove_folder(state);
}

static void many_threads_on_one_handle_get_right_values_from_a_tiny_cache(void **state)
{
    static const size_t budgets[] = {1, 3 << 13, 5 << 13, 0};
    struct wari_layout layout;

    (void)state;
    wari_layout_init(&layout, SEEDS);
    for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
        struct fault_host host;
        const struct wari_options options = {.cache_bytes = budgets[b], .host = &host.host};
        struct prober probers[THREADS];
        pthread_t threads[THREADS];
        struct wari_db *db;

        fault_host_init(&host, 0, 0);
        assert_int_equal(wari_open(&db, folder, &key.variant, &options, NULL), WARI_OK);
        for (int t = 0; t < THREADS; t++) {
            probers[t] = (struct prober){.db = db,
                                         .values = samples,
                                         .layout = &layout,
                                         .probes = test_scale(2000, 300),
                                         .random = (uint64_t)t + 1};
            assert_int_equal(pthread_create(&threads[t], NULL, probe_at_random, &probers[t]), 0);
        }
        for (int t = 0; t < THREADS; t++) {
            assert_int_equal(pthread_join(threads[t], NULL), 0);
            assert_int_equal(probers[t].wrong, 0);
        }
        wari_close(db);
        assert_true(fault_host_clean(&host));
    }
}

/* The memory that a handle takes in addition to its cache does not depend on the cache budget. */
static void an_open_database_keeps_to_its_cache_budget(void **state)
{
    static const size_t budgets[] = {1, 100000, 200000, 400000};
    struct wari_layout layout;
    size_t least = 0;

    (void)state;
    wari_layout_init(&layout, SEEDS);
    for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
        struct counting_host host;
        const struct wari_options options = {.cache_bytes = budgets[b], .host = &host.host};
        struct prober prober = {
            .values = samples, .layout = &layout, .probes = test_scale(1000, 100), .random = 1};

        counting_host_init(&host);
        assert_int_equal(wari_open(&prober.db, folder, &key.variant, &options, NULL), WARI_OK);
        probe_at_random(&prober);
        assert_int_equal(prober.wrong, 0);
        /* With a budget of 1 byte, the cache still holds one chunk, which is part of the peak. */
        if (b == 0)
            least = atomic_load(&host.peak);
        else
            assert_true(atomic_load(&host.peak) <= least - WARI_CHUNK_POSITIONS + budgets[b]);
        wari_close(prober.db);
        assert_int_equal(atomic_load(&host.bytes), 0);
    }
}

TEST_GROUP(test_db_cache)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_budget_bounds_the_chunks_and_one_is_always_kept),
        cmocka_unit_test(all_memory_of_a_cache_stays_within_the_budget),
        cmocka_unit_test(more_chunks_than_it_can_tell_apart_are_refused),
        cmocka_unit_test(any_part_of_a_chunk_can_be_copied),
        cmocka_unit_test(a_short_chunk_is_kept_to_its_last_value),
        cmocka_unit_test(values_that_were_not_decoded_are_not_found),
        cmocka_unit_test(more_of_a_chunk_takes_the_place_of_less_and_never_the_other_way),
        cmocka_unit_test(a_cache_that_is_large_enough_keeps_everything),
        cmocka_unit_test(the_chunk_longest_unused_goes_first),
        cmocka_unit_test(a_cache_takes_all_its_memory_at_the_start_or_fails),
        cmocka_unit_test(no_reader_gets_values_of_two_chunks_while_others_replace_them),
        cmocka_unit_test(many_threads_on_one_handle_get_right_values_from_a_tiny_cache),
        cmocka_unit_test(an_open_database_keeps_to_its_cache_budget),
    };
    return cmocka_run_group_tests(tests, make_samples, remove_samples);
}
