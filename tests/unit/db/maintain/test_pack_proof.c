/* A value is left out of a packed file only if it was proved: a wrong value at any position to be
 * left out is found, and the error names the position, on any thread and with any memory.
 *
 * Expected values: by hand; a database as it was built has no wrong value.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "db/catalogue/catalogue_file.h"
#include "db/format/level_writer.h"
#include "db/maintain/pack.h"
#include "db/maintain/pack_proof.h"
#include "solver/build.h"
#include "tests/support/counting_host.h"
#include "tests/support/fault_host.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

/* A packed file of this level leaves out the blocks 6 to 11. A thread proves at most 2048 rows of a
 * block at a time. 11 seeds are the smallest level in which a block that is left out has more rows
 * than that, and more than one column: block 10 has C(15,5) - C(9,5) = 2877 rows and 6 columns.
 * Block 6 is the largest of these blocks: it has C(11,5) - C(5,5) = 461 rows and 252 columns. Block
 * 11 has the most rows: 4116. */
enum { SEEDS = 11, STORED = 352716, POSITIONS = 701064, LEFT_OUT = POSITIONS - STORED };
enum { LARGEST = 461 * 252, LONGEST = 4116 };

static const struct wari_variant variant = {WARI_WARRI, WARI_EVEN};
static int8_t *values; /* values of the level */

static int set_up(void **state)
{
    struct wari_db *db;
    const struct wari_build build = {
        .folder = folder, .variant = variant, .seeds = SEEDS, .threads = 2};
    if (make_folder(state) != 0)
        return -1;
    assert_int_equal(wari_build(&build, NULL), WARI_OK);
    assert_int_equal(wari_level_positions(SEEDS), POSITIONS);
    assert_int_equal(wari_packed_positions(SEEDS), STORED);
    values = malloc(POSITIONS);
    assert_non_null(values);
    assert_int_equal(wari_open(&db, folder, &variant, NULL, NULL), WARI_OK);
    assert_int_equal(wari_values(db, SEEDS, 0, POSITIONS, values, NULL), WARI_OK);
    wari_close(db);
    return 0;
}

static int tear_down(void **state)
{
    free(values);
    return remove_folder(state);
}

static enum wari_status read_values(void *context, uint64_t chunk, int8_t *out, size_t count,
                                    struct wari_error *error)
{
    (void)context;
    (void)error;
    memcpy(out, values + chunk * WARI_CHUNK_POSITIONS, count);
    return WARI_OK;
}

/* Writes the level with the values in `values` and correct hashes. */
static void write_level(void)
{
    const struct wari_level_address address = {wari_host_system(), folder, {variant, SEEDS}};
    const struct wari_level_source source = {.payload_hash = XXH3_64bits(values, POSITIONS),
                                             .read = read_values};
    struct wari_catalogue *catalogue = malloc(sizeof *catalogue);
    assert_non_null(catalogue);
    assert_int_equal(wari_catalogue_read(catalogue, wari_host_system(), folder, variant, NULL),
                     WARI_OK);
    struct wari_level_record *record = &catalogue->level[SEEDS];
    record->payload_hash = source.payload_hash;
    assert_int_equal(wari_level_write(&address, &source, record, NULL), WARI_OK);
    assert_int_equal(wari_catalogue_write(catalogue, wari_host_system(), folder, NULL), WARI_OK);
    free(catalogue);
}

/* ---- Progress of the proof ------------------------------------------------------------------ */

struct watch {
    const struct counting_host *counting; /* NULL means that memory is not counted */
    size_t most;                          /* largest number of bytes that were allocated at a call
                                           * of progress() */
    uint64_t calls, done;
    uint64_t stop_at; /* the call of progress() that stops the proof; 0 means none */
};

static enum wari_status progress(void *context, uint64_t done, struct wari_error *error)
{
    struct watch *watch = context;
    const size_t held = watch->counting != NULL ? atomic_load(&watch->counting->bytes) : 0;
    watch->most = held > watch->most ? held : watch->most;
    if (done < watch->done || done > LEFT_OUT)
        return wari_fail(error, WARI_BAD_INPUT, "%llu done", (unsigned long long)done);
    watch->done = done;
    if (++watch->calls == watch->stop_at)
        return wari_fail(error, WARI_INTERRUPTED, "stopped by hand");
    return WARI_OK;
}

static enum wari_status prove(const struct wari_host *host, int threads, size_t memory,
                              struct watch *watch, struct wari_error *error)
{
    /* The thread sanitizer makes decoding slow, so chunks are not decoded repeatedly; test_db_cache
     * tests a small cache. */
    const struct wari_options options = {.cache_bytes = test_for_races() ? 4000000 : 200000,
                                         .host = host};
    struct wari_db *db;
    enum wari_status status = wari_open(&db, folder, &variant, &options, error);
    if (status != WARI_OK)
        return status;
    const struct wari_proof proof = {.db = db,
                                     .seeds = SEEDS,
                                     .threads = threads,
                                     .memory = memory,
                                     .progress = progress,
                                     .context = watch};
    status = wari_prove(&proof, error);
    wari_close(db);
    return status;
}

/* Memory for values to be proved. It holds one column at a time, several columns but not all of the
 * largest block, or whole blocks. */
static const size_t rooms[] = {0, 20000, SIZE_MAX};
enum { ROOMS = 3 };

/* ---- Tests ---------------------------------------------------------------------------------- */

static void a_right_level_is_proved_to_the_last_position(void **state)
{
    (void)state;
    for (int threads = test_for_races() ? 4 : 1; threads <= 4; threads += 3) {
        for (int i = test_scale(0, threads == 1 ? 2 : 1); i < ROOMS; i += test_scale(1, ROOMS)) {
            struct watch watch = {.counting = NULL};
            struct wari_error error = {WARI_OK, ""};
            if (prove(NULL, threads, rooms[i], &watch, &error) != WARI_OK)
                fail_msg("%s", error.text);
            if (threads == 1) /* with several threads, another thread may process the last item,
                               * after the last report */
                assert_int_equal(watch.done, LEFT_OUT);
        }
    }
}

static void expect_found(uint64_t position, int threads, size_t memory)
{
    const int8_t right = values[position];
    char text[64];
    if (threads == 1 && test_for_races())
        return;
    struct watch watch = {.counting = NULL};
    struct wari_error error = {WARI_OK, ""};

    values[position] = (int8_t)(right > 0 ? right - 1 : right + 1);
    write_level();
    values[position] = right;
    snprintf(text, sizeof text, "level 11: the value of position number %llu is not",
             (unsigned long long)position);
    assert_int_equal(prove(NULL, threads, memory, &watch, &error), WARI_CORRUPT);
    if (strstr(error.text, text) == NULL)
        fail_msg("%s", error.text);
}

/* A quiet move from a position to be left out never leads to another position to be left out. So a
 * wrong value makes the proof fail at its own position only, which the error must name. */
static void a_wrong_value_anywhere_is_found_and_named(void **state)
{
    struct wari_layout layout;
    (void)state;
    wari_layout_init(&layout, SEEDS);
    const uint64_t ten = layout.block_offset[10], nine = layout.block_offset[9];
    const uint64_t at[] = {
        STORED,            /* the first one */
        ten - 1,           /* the last of block 9, in column 20: an item of fewer than 16 columns */
        nine + 15,         /* column 15 of row 0: the last column of an item (pack_proof.c) */
        nine + 16,         /* column 16 of row 0: the first column of the next item */
        ten + 2047 * 6,    /* the last row of an item */
        ten + 2048 * 6,    /* the first row of the next item */
        ten + 2876 * 6 + 5 /* the last of block 10 */
    };
    int turn = 0;
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i += (size_t)test_scale(1, 3), turn++)
        expect_found(at[i], turn % 2 == 0 ? 1 : 3, rooms[turn % ROOMS]);
    for (uint64_t position = POSITIONS - 1; position >= STORED;
         position -= (uint64_t)test_scale(17011, 240011), turn++)
        expect_found(position, turn % 2 == 0 ? 1 : 3, rooms[turn % ROOMS]);
    write_level();
}

/* The calling thread reports after each item that it has processed. If other threads are faster,
 * the calling thread may process fewer than forty items. */
static void the_progress_callback_can_stop_the_proof(void **state)
{
    (void)state;
    for (uint64_t call = 1; call <= 40; call += test_for_races() ? 39 : 13) {
        for (int threads = test_for_races() ? 3 : 1; threads <= 3; threads += 2) {
            struct watch watch = {.stop_at = call};
            struct wari_error error = {WARI_OK, ""};
            const enum wari_status status = prove(NULL, threads, 20000, &watch, &error);
            if (threads > 1 && call > 1 && watch.calls < call) {
                assert_int_equal(status, WARI_OK);
                continue;
            }
            assert_int_equal(status, WARI_INTERRUPTED);
            assert_string_equal(error.text, "stopped by hand");
            assert_int_equal(watch.calls, call);
        }
    }
}

/* Lets one thread prove the level, with `memory` bytes for the values to be proved, up to the
 * second call of progress(). Returns the larger of the numbers of bytes that are allocated at the
 * two calls. */
static size_t held_with_room(size_t memory)
{
    struct counting_host counting;
    struct watch watch = {.counting = &counting, .stop_at = 2};
    counting_host_init(&counting);
    assert_int_equal(prove(&counting.host, 1, memory, &watch, NULL), WARI_INTERRUPTED);
    return watch.most;
}

static void the_room_is_kept_to(void **state)
{
    if (test_for_races())
        return;
    const size_t column = held_with_room(0);
    const size_t some = held_with_room(20000);
    (void)state;
    assert_int_equal(wari_proof_memory_max(SEEDS), LARGEST);
    assert_true(some > column);
    assert_true(some <= column - LONGEST + 20000);
    assert_int_equal(held_with_room(SIZE_MAX), column - LONGEST + LARGEST);
}

struct packing {
    struct counting_host counting;
    atomic_bool stop;
    size_t held;
};

/* Stops at the first call during the proof. Before the proof, `done` is the number of positions
 * that were read, so it is greater than POSITIONS only after the proof has started. */
static void stop_amid_the_proof(void *context, int seeds, uint64_t done, uint64_t all)
{
    struct packing *packing = context;
    if (seeds < SEEDS || done <= POSITIONS || done >= all)
        return;
    packing->held = atomic_load(&packing->counting.bytes);
    atomic_store(&packing->stop, true);
}

static size_t held_with_memory(size_t memory)
{
    struct packing packing = {.held = 0};
    struct wari_pack_report report;
    counting_host_init(&packing.counting);
    atomic_init(&packing.stop, false);
    const struct wari_pack pack = {.folder = folder,
                                   .variant = variant,
                                   .threads = 1,
                                   .memory = memory,
                                   .host = &packing.counting.host,
                                   .progress = stop_amid_the_proof,
                                   .context = &packing,
                                   .stop = &packing.stop};
    assert_int_equal(wari_pack(&pack, &report, NULL), WARI_INTERRUPTED);
    assert_int_equal(atomic_load(&packing.counting.bytes), 0);
    return packing.held;
}

/* Half of the memory, but not more than the largest block takes, holds the values to be proved; the
 * rest is the cache. So all of the memory is used, and with 200,000 bytes more, 200,000 bytes more
 * should be allocated. The test allows a difference of two chunks, because the cache consists of
 * whole chunks and whole sets. */
static void packing_shares_out_the_memory_it_is_given(void **state)
{
    enum { CHUNK = 8192 + 16 };
    (void)state;
    if (test_for_races())
        return;
    held_with_memory(100000); /* packs the lower levels, which then stay as they are */
    const size_t less = held_with_memory(100000);
    const size_t more = held_with_memory(300000);
    assert_true(more <= less + 200000 + 2 * CHUNK);
    assert_true(more + 2 * CHUNK >= less + 200000);
}

static void a_read_that_fails_on_any_thread_ends_the_proof(void **state)
{
    struct fault_host host;
    struct wari_db *db;
    (void)state;
    fault_host_init(&host, FAULT_READ, LONG_MAX); /* only counts the reads */
    assert_int_equal(
        wari_open(&db, folder, &variant, &(struct wari_options){.host = &host.host}, NULL),
        WARI_OK);
    wari_close(db);
    const long opening = atomic_load(&host.calls);
    for (long k = 1; k <= 100; k += test_for_races() ? 49 : 9) {
        struct watch watch = {.counting = NULL};
        struct wari_error error = {WARI_OK, ""};
        fault_host_init(&host, FAULT_READ, opening + k);
        assert_int_equal(prove(&host.host, 3, SIZE_MAX, &watch, &error), WARI_IO);
        assert_true(fault_host_fired(&host));
        if (strstr(error.text, "warri-even-") == NULL)
            fail_msg("%s", error.text);
        assert_true(fault_host_clean(&host));
    }
}

TEST_GROUP(test_pack_proof)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_level_is_proved_to_the_last_position),
        cmocka_unit_test(a_wrong_value_anywhere_is_found_and_named),
        cmocka_unit_test(the_progress_callback_can_stop_the_proof),
        cmocka_unit_test(the_room_is_kept_to),
        cmocka_unit_test(a_read_that_fails_on_any_thread_ends_the_proof),
        cmocka_unit_test(packing_shares_out_the_memory_it_is_given),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
