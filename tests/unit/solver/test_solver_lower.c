/* The cache of lower levels: readers return the values in the files, whichever chunks are dropped
 * and read again, and for any number of threads at once. Data that cannot be read is never returned
 * as values.
 *
 * The levels have made-up values (tests/support/level_samples.h), which are the expected values.
 * A cache smaller than wari_lower_cache_bytes_min() is large enough for readers that use few
 * streams, and drops chunks all the time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "db/catalogue/catalogue_file.h"
#include "solver/level/lower_levels.h"
#include "tests/reference/random_positions.h"
#include "tests/support/fault_host.h"
#include "tests/support/level_samples.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

static const struct wari_variant variant = {WARI_AWARI, WARI_EVEN};

enum { STREAMS_USED = 5, THREADS = 4 };

/* The levels below `seeds`, and their values. */
struct levels {
    int seeds;
    uint64_t chunks;
    struct wari_catalogue catalogue;
    int8_t *values[WARI_SEEDS_MAX + 1];
};

/* The levels below FEW seeds have more chunks together than the smallest cache for one thread can
 * hold. The small scale uses only these levels; otherwise the test uses all levels below MANY
 * seeds. */
enum { FEW = 12, MANY = 15 };
static int8_t *values[MANY];

static int write_levels(void **state)
{
    const int seeds = test_scale(MANY, FEW);

    if (make_folder(state) != 0 ||
        sample_write_folder(wari_host_system(), folder, variant, seeds - 1, NULL) != WARI_OK)
        return -1;
    for (int i = 0; i < seeds; i++)
        values[i] = sample_values((struct wari_level_key){variant, i});
    return 0;
}

static int remove_levels(void **state)
{
    for (int i = 0; i < MANY; i++)
        free(values[i]);
    return remove_folder(state);
}

static struct levels *make_levels(int seeds)
{
    struct levels *levels = calloc(1, sizeof *levels);

    assert_non_null(levels);
    levels->seeds = seeds;
    assert_int_equal(
        wari_catalogue_read(&levels->catalogue, wari_host_system(), folder, variant, NULL),
        WARI_OK);
    for (int i = 0; i < seeds; i++) {
        levels->values[i] = values[i];
        levels->chunks += wari_chunk_count(wari_level_positions(i));
    }
    return levels;
}

static uint64_t bytes_of_slots(uint64_t slots)
{
    return slots * wari_lower_cache_bytes_to(0); /* level 0 has one chunk */
}

/* Opens a cache for solving the level that is two above the last one of `levels`, and adds all
 * levels below `first_missing`. */
static struct wari_lower_cache *open_cache(const struct levels *levels,
                                           const struct wari_host *host, uint64_t slots,
                                           int first_missing)
{
    struct wari_lower_cache *lower;

    assert_int_equal(wari_lower_cache_create(
                         &lower, host,
                         &(struct wari_lower_cache_files){folder, variant, levels->seeds + 1},
                         bytes_of_slots(slots), NULL),
                     WARI_OK);
    for (int i = 0; i < first_missing; i++)
        assert_int_equal(wari_lower_cache_add(lower, i, &levels->catalogue.level[i], NULL),
                         WARI_OK);
    return lower;
}

/* ---- Reading at random ----------------------------------------------------------------------- */

/* The values that a stream of the cache has returned last, which must stay valid. */
struct held_values {
    struct wari_lower_values range;
    int seeds;
};

/* The state of one reading thread. The thread counts errors and does not use assertions. */
struct reading_thread {
    const struct levels *levels;
    struct wari_lower_cache *lower;
    uint64_t seed;
    int rounds;
    long wrong, failed;
};

static bool is_right(const struct levels *levels, const struct held_values *held)
{
    return memcmp(held->range.values, levels->values[held->seeds] + held->range.first,
                  (size_t)held->range.positions) == 0;
}

/* Moves a stream to a random position. The values that the other streams hold must not change. */
static void visit(struct reading_thread *thread, struct wari_reader *reader,
                  struct held_values held[STREAMS_USED], struct random_positions *random)
{
    const int stream = (int)random_below(random, STREAMS_USED);
    const int seeds = thread->levels->seeds - 1 - (int)random_below(random, 4);
    const uint64_t at = random_below(random, (uint32_t)wari_level_positions(seeds));
    const struct wari_lower_values *range = wari_reader_at(reader, stream, seeds, at);

    if (!range) {
        thread->failed++;
        return;
    }
    thread->wrong += at < range->first || at - range->first >= range->positions;
    held[stream] = (struct held_values){*range, seeds};
    for (int i = 0; i < STREAMS_USED; i++)
        thread->wrong += held[i].range.positions > 0 && !is_right(thread->levels, &held[i]);
}

static void *visit_often(void *context)
{
    struct reading_thread *thread = context;
    struct held_values held[STREAMS_USED] = {{{NULL, 0, 0}, 0}};
    struct random_positions random;
    struct wari_reader *reader;

    random_positions_seed(&random, thread->seed);
    if (wari_reader_create(&reader, thread->lower, NULL) != WARI_OK) {
        thread->failed++;
        return NULL;
    }
    for (int i = 0; i < thread->rounds; i++) {
        visit(thread, reader, held, &random);
        if (random_below(&random, 50) == 0) {
            wari_reader_release(reader);
            memset(held, 0, sizeof held);
        }
    }
    thread->wrong += wari_reader_failure(reader, NULL) != WARI_OK;
    wari_reader_destroy(reader);
    return NULL;
}

static void visit_by_threads(const struct levels *levels, struct wari_lower_cache *lower,
                             int threads, int rounds)
{
    struct reading_thread readers[THREADS];
    pthread_t thread[THREADS];

    for (int i = 0; i < threads; i++) {
        readers[i] = (struct reading_thread){levels, lower, (uint64_t)i + 1, rounds, 0, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, visit_often, &readers[i]), 0);
    }
    for (int i = 0; i < threads; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(readers[i].wrong, 0);
        assert_int_equal(readers[i].failed, 0);
    }
}

/* Uses a cache with one slot more than the threads can pin at once. */
static void chunks_are_dropped_and_read_again(void **state)
{
    struct levels *levels = make_levels(test_scale(13, FEW));

    (void)state;
    assert_true(levels->chunks > 60);
    for (int threads = 1; threads <= THREADS; threads += test_scale(1, THREADS - 1)) {
        struct wari_lower_cache *lower = open_cache(
            levels, wari_host_system(), (uint64_t)threads * STREAMS_USED + 1, levels->seeds);
        visit_by_threads(levels, lower, threads, test_scale(2000, 400));
        assert_true(wari_lower_cache_chunks_read(lower) > 2 * levels->chunks);
        wari_lower_cache_destroy(lower);
    }
    free(levels);
}

/* Lowers the limit by one slot, by part of an allocation and by many slots; the values that
 * remain are correct each time. */
static void cached_values_are_right_after_a_lower_limit(void **state)
{
    static const uint64_t steps[] = {1, 7, 64, 333};
    struct levels *levels = make_levels(test_scale(14, FEW));
    const uint64_t least = 2 * STREAMS_USED + 1;

    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i += (size_t)test_scale(1, 2)) {
        struct wari_lower_cache *lower =
            open_cache(levels, wari_host_system(), levels->chunks, levels->seeds);
        uint64_t slots = levels->chunks;
        visit_by_threads(levels, lower, 2, test_scale(2000, 100));
        for (int cut = 0; cut < 8; cut++) {
            const uint64_t step = steps[i] * (1 + (uint64_t)cut);
            slots = slots > least + step ? slots - step : least;
            wari_lower_cache_limit(lower, bytes_of_slots(slots));
            visit_by_threads(levels, lower, 2, test_scale(400, 30));
        }
        wari_lower_cache_limit(lower, bytes_of_slots(least));
        wari_lower_cache_limit(lower,
                               bytes_of_slots(levels->chunks)); /* a greater limit has no effect */
        const uint64_t before = wari_lower_cache_chunks_read(lower);
        visit_by_threads(levels, lower, 2, test_scale(2000, 100));
        assert_true(wari_lower_cache_chunks_read(lower) > before + 100);
        wari_lower_cache_destroy(lower);
    }
    free(levels);
}

/* Reads every chunk of all levels once; returns the number of chunks that were decoded for that. */
static uint64_t read_all(const struct levels *levels, struct wari_lower_cache *lower)
{
    const uint64_t before = wari_lower_cache_chunks_read(lower);
    struct wari_reader *reader;

    assert_int_equal(wari_reader_create(&reader, lower, NULL), WARI_OK);
    for (int seeds = 0; seeds < levels->seeds; seeds++)
        for (uint64_t at = 0; at < wari_level_positions(seeds); at += WARI_CHUNK_POSITIONS) {
            const struct wari_lower_values *range = wari_reader_at(reader, 0, seeds, at);
            assert_non_null(range);
            assert_true(is_right(levels, &(struct held_values){*range, seeds}));
        }
    wari_reader_destroy(reader);
    return wari_lower_cache_chunks_read(lower) - before;
}

/* With lent memory for all chunks, each chunk is decoded once. When the memory is returned, the
 * cache is as small as before, and does not use the lent memory any more. */
static void lent_memory_is_used_until_it_is_returned(void **state)
{
    struct levels *levels = make_levels(test_scale(14, FEW));
    struct wari_lower_cache *lower = open_cache(levels, wari_host_system(), 16, levels->seeds);
    const size_t bytes = (size_t)bytes_of_slots(levels->chunks);
    void *memory = malloc(bytes);

    (void)state;
    assert_non_null(memory);
    assert_true(levels->chunks > 32);
    assert_int_equal(read_all(levels, lower), levels->chunks);
    for (int times = 0; times < 2; times++) {
        wari_lower_cache_lend(lower, memory, bytes);
        assert_true(read_all(levels, lower) <= levels->chunks);
        assert_int_equal(read_all(levels, lower), 0);
        wari_lower_cache_return(lower);
        memset(memory, 99, bytes);
        assert_true(read_all(levels, lower) > levels->chunks - 32);
        assert_true(read_all(levels, lower) > levels->chunks - 32);
    }
    free(memory);
    wari_lower_cache_destroy(lower);
    free(levels);
}

/* Uses the size that wari_lower_cache_bytes_min() returns, and all streams. */
static void least_cache_serves_all_streams(void **state)
{
    struct levels *levels = make_levels(test_scale(MANY, FEW));
    struct wari_lower_cache *lower;
    struct wari_reader *reader;
    struct held_values held[WARI_STREAMS];
    struct random_positions random;

    (void)state;
    /* The chunks do not all fit, so some are dropped. */
    assert_true(bytes_of_slots(levels->chunks) > wari_lower_cache_bytes_min(1));
    assert_int_equal(
        wari_lower_cache_create(&lower, wari_host_system(),
                                &(struct wari_lower_cache_files){folder, variant, levels->seeds},
                                wari_lower_cache_bytes_min(1), NULL),
        WARI_OK);
    for (int i = 0; i < levels->seeds; i++)
        assert_int_equal(wari_lower_cache_add(lower, i, &levels->catalogue.level[i], NULL),
                         WARI_OK);
    assert_int_equal(wari_reader_create(&reader, lower, NULL), WARI_OK);
    random_positions_seed(&random, 7);
    for (int round = 0; round < 6; round++) {
        for (int stream = 0; stream < WARI_STREAMS; stream++) {
            const int seeds = levels->seeds - 1 - (int)random_below(&random, 3);
            const uint64_t at = random_below(&random, (uint32_t)wari_level_positions(seeds));
            const struct wari_lower_values *range = wari_reader_at(reader, stream, seeds, at);
            assert_non_null(range);
            assert_true(at - range->first < range->positions);
            held[stream] = (struct held_values){*range, seeds};
        }
        for (int stream = 0; stream < WARI_STREAMS; stream++)
            assert_true(is_right(levels, &held[stream]));
    }
    wari_reader_destroy(reader);
    wari_lower_cache_destroy(lower);
    free(levels);
}

/* ---- Chunks of a level that was just built --------------------------------------------------- */

/* Offers the chunks of the last level, as write_level.c does before the level is added. */
static void offer(struct wari_lower_cache *lower, const struct levels *levels, int seeds)
{
    for (uint64_t i = 0; i < wari_chunk_count(wari_level_positions(seeds)); i++)
        wari_lower_cache_offer(lower, seeds, i, levels->values[seeds] + i * WARI_CHUNK_POSITIONS);
}

static void offered_chunks_are_not_read_and_are_the_same_bytes(void **state)
{
    struct levels *levels = make_levels(FEW);
    struct wari_lower_cache *lower = open_cache(levels, wari_host_system(), levels->chunks, 0);

    (void)state;
    for (int seeds = 0; seeds < levels->seeds; seeds++) {
        offer(lower, levels, seeds);
        assert_int_equal(wari_lower_cache_add(lower, seeds, &levels->catalogue.level[seeds], NULL),
                         WARI_OK);
    }
    visit_by_threads(levels, lower, THREADS, test_scale(500, 100));
    assert_int_equal(wari_lower_cache_chunks_read(lower), 0);
    wari_lower_cache_destroy(lower);
    free(levels);
}

/* A capture takes at least 2 seeds, so the last level does not read the level just below it. Fixed
 * bug: the level just below took a fifth of all memory. */
static void level_just_below_the_last_is_not_cached(void **state)
{
    struct levels *levels = make_levels(4);
    const struct wari_lower_cache_files files = {folder, variant, levels->seeds};
    struct wari_lower_cache *lower;
    struct wari_reader *reader;

    (void)state;
    assert_int_equal(wari_lower_cache_create(&lower, wari_host_system(), &files,
                                             bytes_of_slots(levels->chunks), NULL),
                     WARI_OK);
    for (int seeds = 0; seeds < levels->seeds; seeds++) {
        offer(lower, levels, seeds);
        assert_int_equal(wari_lower_cache_add(lower, seeds, &levels->catalogue.level[seeds], NULL),
                         WARI_OK);
    }
    assert_int_equal(wari_reader_create(&reader, lower, NULL), WARI_OK);
    assert_non_null(wari_reader_at(reader, 0, levels->seeds - 2, 0));
    assert_int_equal(wari_lower_cache_chunks_read(lower), 0);
    assert_non_null(wari_reader_at(reader, 0, levels->seeds - 1, 0));
    assert_int_equal(wari_lower_cache_chunks_read(lower), 1);
    wari_reader_destroy(reader);
    wari_lower_cache_destroy(lower);
    free(levels);
}

/* If the cache is full, an offered chunk is ignored and read from the file when it is needed. An
 * offer never drops a chunk. */
static void offers_beyond_the_capacity_are_read_from_files(void **state)
{
    struct levels *levels = make_levels(FEW);
    const uint64_t slots = THREADS * STREAMS_USED + 1;
    struct wari_lower_cache *lower = open_cache(levels, wari_host_system(), slots, 0);

    (void)state;
    assert_true(slots < levels->chunks);
    for (int seeds = 0; seeds < levels->seeds; seeds++) {
        offer(lower, levels, seeds);
        assert_int_equal(wari_lower_cache_add(lower, seeds, &levels->catalogue.level[seeds], NULL),
                         WARI_OK);
    }
    offer(lower, levels, levels->seeds - 1); /* offered again: the cache is full */
    visit_by_threads(levels, lower, THREADS, test_scale(500, 100));
    assert_true(wari_lower_cache_chunks_read(lower) > 0);
    wari_lower_cache_destroy(lower);
    free(levels);
}

/* ---- Chunks that cannot be read -------------------------------------------------------------- */

/* Changes the last byte of level 11's file, which belongs to the last chunk. */
static void flip_last_byte(char path[WARI_PATH_MAX])
{
    assert_int_equal(wari_level_path(path, folder, (struct wari_level_key){variant, 11}, NULL),
                     WARI_OK);
    struct file_image image = file_load(path);
    image.bytes[image.size - 1] ^= 4;
    file_patch(path, image.size - 1, &image.bytes[image.size - 1], 1);
    free(image.bytes);
}

static void damaged_chunk_fails_and_others_are_read(void **state)
{
    struct levels *levels = make_levels(FEW);
    struct wari_lower_cache *lower = open_cache(levels, wari_host_system(), 6, levels->seeds);
    const uint64_t last = wari_level_positions(11) - 1;
    char path[WARI_PATH_MAX];

    (void)state;
    flip_last_byte(path);
    for (int round = 0; round < 20; round++) { /* a failed read must free its slot; otherwise the
                                                * cache would run out of slots */
        struct wari_error error = {WARI_OK, ""};
        struct wari_reader *reader;
        assert_int_equal(wari_reader_create(&reader, lower, NULL), WARI_OK);
        const struct wari_lower_values *range = wari_reader_at(reader, 0, 11, 5);
        assert_non_null(range);
        assert_true(is_right(levels, &(struct held_values){*range, 11}));
        assert_int_equal(wari_reader_failure(reader, &error), WARI_OK);
        assert_null(wari_reader_at(reader, 1, 11, last));
        assert_int_equal(wari_reader_failure(reader, &error), WARI_CORRUPT);
        assert_non_null(strstr(error.text, path));
        assert_null(
            wari_reader_at(reader, 2, 10, 0)); /* a reader that failed returns no values any more */
        wari_reader_destroy(reader);
    }
    flip_last_byte(path);
    visit_by_threads(levels, lower, 1, 200); /* the file is correct again */
    wari_lower_cache_destroy(lower);
    free(levels);
}

static void *meet_damage(void *context)
{
    struct reading_thread *thread = context;
    struct wari_reader *reader;
    struct wari_error error;

    for (int i = 0; i < thread->rounds; i++) {
        if (wari_reader_create(&reader, thread->lower, NULL) != WARI_OK) {
            thread->failed++;
            return NULL;
        }
        thread->wrong += wari_reader_at(reader, 0, 11, wari_level_positions(11) - 1) != NULL ||
                         wari_reader_failure(reader, &error) != WARI_CORRUPT;
        wari_reader_destroy(reader);
    }
    return NULL;
}

/* A thread that waits for a chunk that another thread is reading must notice if that read fails. */
static void damaged_chunk_fails_for_every_thread(void **state)
{
    struct levels *levels = make_levels(FEW);
    struct wari_lower_cache *lower =
        open_cache(levels, wari_host_system(), THREADS + 1, levels->seeds);
    struct reading_thread readers[THREADS];
    pthread_t thread[THREADS];
    char path[WARI_PATH_MAX];

    (void)state;
    flip_last_byte(path);
    for (int i = 0; i < THREADS; i++) {
        readers[i] = (struct reading_thread){levels, lower, 0, test_scale(200, 40), 0, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, meet_damage, &readers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(readers[i].wrong, 0);
        assert_int_equal(readers[i].failed, 0);
    }
    wari_lower_cache_destroy(lower);
    free(levels);
}

static void failed_read_is_an_io_error(void **state)
{
    struct levels *levels = make_levels(FEW);
    struct fault_host fault;

    (void)state;
    fault_host_init(&fault, FAULT_READ, 0);
    fault.error = EIO;
    struct wari_lower_cache *lower = open_cache(levels, &fault.host, 6, levels->seeds);
    struct wari_error error = {WARI_OK, ""};
    struct wari_reader *reader;
    assert_int_equal(wari_reader_create(&reader, lower, NULL), WARI_OK);
    assert_non_null(wari_reader_at(reader, 0, 11, 0));
    fault.fail_at = atomic_load(&fault.calls) + 1;
    assert_non_null(wari_reader_at(reader, 0, 11, 1)); /* the chunk is still in the cache */
    assert_null(wari_reader_at(reader, 0, 10, 0));
    assert_int_equal(wari_reader_failure(reader, &error), WARI_IO);
    assert_non_null(strstr(error.text, strerror(EIO)));
    wari_reader_destroy(reader);
    wari_lower_cache_destroy(lower);
    assert_true(fault_host_clean(&fault));
    free(levels);
}

TEST_GROUP(test_solver_lower)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_are_dropped_and_read_again),
        cmocka_unit_test(cached_values_are_right_after_a_lower_limit),
        cmocka_unit_test(least_cache_serves_all_streams),
        cmocka_unit_test(lent_memory_is_used_until_it_is_returned),
        cmocka_unit_test(offered_chunks_are_not_read_and_are_the_same_bytes),
        cmocka_unit_test(level_just_below_the_last_is_not_cached),
        cmocka_unit_test(offers_beyond_the_capacity_are_read_from_files),
        cmocka_unit_test(damaged_chunk_fails_and_others_are_read),
        cmocka_unit_test(damaged_chunk_fails_for_every_thread),
        cmocka_unit_test(failed_read_is_an_io_error),
    };
    return cmocka_run_group_tests(tests, write_levels, remove_levels);
}
