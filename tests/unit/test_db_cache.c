/* The cache of decoded chunks: its bound, what goes first, and right values from many threads.
 *
 * Expected values: sizes by hand, values by a formula of chunk and place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "db/cache.h"
#include "db/level_file.h"
#include "db/wari.h"
#include "tests/support/fault_host.h"
#include "tests/support/level_samples.h"
#include "tests/support/scale.h"
#include "tests/support/table_files.h"

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
    wari_cache_keep(cache, chunk, values, WARI_CHUNK_POSITIONS);
}

static bool has(struct wari_cache *cache, uint64_t chunk)
{
    int8_t value = 0;
    size_t place = (size_t)(chunk * 1001 % WARI_CHUNK_POSITIONS);
    bool found = wari_cache_find(cache, chunk, place, &value);
    if (found)
        assert_int_equal(value, value_at(chunk, place));
    return found;
}

static void the_budget_bounds_the_chunks_and_one_is_always_kept(void **state)
{
    static const struct {
        size_t budget;
        uint64_t chunks;
        size_t least; /* capacity */
        size_t most;
    } cases[] = {
        {1, 100, 1, 1},
        {32767, 100, 1, 1},
        {32768, 100, 1, 1},
        {65535, 100, 1, 1},
        {65536, 100, 2, 2},
        {(size_t)7 << 15, 100, 7, 7},
        {(size_t)8 << 15, 100, 8, 8},
        {(size_t)100 << 15, 1000, 90, 100},
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

static void a_cache_that_is_large_enough_keeps_everything(void **state)
{
    struct wari_cache *cache = make_cache((size_t)64 << 15, 64);

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
    struct wari_cache *cache = make_cache((size_t)3 << 15, 100);

    (void)state;
    keep(cache, 10);
    keep(cache, 11);
    keep(cache, 12);
    assert_true(has(cache, 10)); /* 11 is the oldest now */
    keep(cache, 13);
    assert_false(has(cache, 11));
    assert_true(has(cache, 12));
    assert_true(has(cache, 13));
    keep(cache, 14);
    assert_false(has(cache, 10));
    keep(cache, 14); /* twice the same takes one place */
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
    /* Every allocation failing in turn, too. */
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

enum { THREADS = 4, SEEDS = 9 }; /* level 9: 167,596 stored positions in six chunks */

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

/* cmocka's assertions belong to the main thread: a thread counts. */
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

static void many_threads_on_one_handle_get_right_values_from_a_tiny_cache(void **state)
{
    static const size_t budgets[] = {1, 2 << 15, 4 << 15, 0};
    const struct wari_level_key key = {{WARI_AWARI, WARI_EVEN}, SEEDS};
    char folder[TABLE_FOLDER_MAX];
    struct wari_layout layout;
    int8_t *values = sample_values(key);

    (void)state;
    wari_layout_init(&layout, SEEDS);
    assert_true(table_folder_make(folder));
    assert_int_equal(sample_write_folder(wari_host_system(), folder, key.variant, SEEDS, NULL),
                     WARI_OK);
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
                                         .values = values,
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
    assert_true(table_folder_remove(folder));
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_budget_bounds_the_chunks_and_one_is_always_kept),
        cmocka_unit_test(a_cache_that_is_large_enough_keeps_everything),
        cmocka_unit_test(the_chunk_longest_unused_goes_first),
        cmocka_unit_test(a_cache_takes_all_its_memory_at_the_start_or_fails),
        cmocka_unit_test(many_threads_on_one_handle_get_right_values_from_a_tiny_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
