/* Offset tables that are too large to be read when the file is opened: what the writer writes, what
 * a reader finds in them, and what it refuses.
 *
 * The file has level 27 and only values of 3. Expected: 573,681,400 positions in the blocks 0 to
 * 13, so 70,030 chunks of 16 bytes, and a table of 1,120,480 bytes (computed with other tools from
 * the formulas of FORMAT.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "db/format/level_file.h"
#include "db/format/level_header.h"
#include "db/host/bytes.h"
#include "tests/support/huge_tables.h"
#include "tests/support/level_samples.h"
#include "tests/support/own_folder.h"
#include "tests/unit/groups.h"

enum { SEEDS = 27, VALUE = 3, CHUNKS = 70030, TABLE = 128 };

static const struct wari_level_key key = {{WARI_AWARI, WARI_EVEN}, SEEDS};
static char path[WARI_PATH_MAX];
static struct file_image image;

static int make_file(void **state)
{
    struct wari_level_record record;
    if (make_folder(state) != 0)
        return -1;
    assert_int_equal(huge_tables_write_level(folder, key, VALUE, &record, NULL), WARI_OK);
    assert_int_equal(wari_level_path(path, folder, key, NULL), WARI_OK);
    image = file_load(path);
    return 0;
}

static int remove_file(void **state)
{
    free(image.bytes);
    return remove_folder(state);
}

static enum wari_status open_file(struct wari_level_file **file, struct wari_error *error)
{
    const struct wari_level_address address = {wari_host_system(), folder, key};
    return wari_level_file_open(file, &address, NULL, error);
}

/* Opens the file, decodes one chunk into `values`, and closes the file. */
static enum wari_status read_chunk(uint64_t chunk, int8_t *values, struct wari_error *error)
{
    struct wari_decoder *decoder;
    struct wari_level_file *file;
    enum wari_status status = open_file(&file, error);
    if (status != WARI_OK)
        return status;
    assert_int_equal(wari_decoder_create(&decoder, wari_host_system(), NULL), WARI_OK);
    status = wari_level_file_chunk(file, decoder, chunk, values, error);
    wari_decoder_destroy(decoder);
    wari_level_file_close(file);
    return status;
}

static enum wari_status check_table(struct wari_error *error)
{
    struct wari_level_file *file;
    enum wari_status status = open_file(&file, error);
    if (status != WARI_OK)
        return status;
    status = wari_level_file_check_table(file, error);
    wari_level_file_close(file);
    return status;
}

static void put(size_t offset, uint64_t number)
{
    uint8_t bytes[8];
    wari_store64(bytes, number);
    file_patch(path, offset, bytes, sizeof bytes);
}

static void restore(size_t offset)
{
    file_patch(path, offset, image.bytes + offset, 8);
}

/* The writer writes such a table in two parts. */
static void the_writer_hashes_the_whole_table(void **state)
{
    (void)state;
    assert_int_equal(wari_load64(image.bytes + 48), CHUNKS);
    assert_int_equal(wari_load64(image.bytes + 72),
                     wari_seeded_hash(key, WARI_HASH_TABLE, image.bytes + TABLE, 16 * CHUNKS));
    for (uint64_t chunk = 0; chunk < CHUNKS; chunk++) {
        const uint8_t *entry = image.bytes + TABLE + 16 * chunk;
        assert_int_equal(wari_load64(entry), image.size - 16 * (CHUNKS - 1 - chunk));
        assert_int_equal(wari_load64(entry + 8), wari_seeded_hash(key, chunk, huge_chunk, 16));
    }
    assert_int_equal(check_table(NULL), WARI_OK);
}

static void chunks_are_found_without_the_table_in_memory(void **state)
{
    static const uint64_t chunks[] = {0, 1, 65535, 65536, CHUNKS - 1};
    int8_t values[WARI_CHUNK_POSITIONS];
    struct wari_level_file *file;

    (void)state;
    assert_int_equal(open_file(&file, NULL), WARI_OK);
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        const size_t count = wari_level_file_chunk_positions(file, chunks[i]);
        assert_int_equal(count, chunks[i] < CHUNKS - 1 ? 8192 : 573681400 % 8192);
        assert_int_equal(wari_level_file_chunk_offset(file, chunks[i]),
                         image.size - 16 * (CHUNKS - chunks[i]));
        memset(values, 99, sizeof values);
        assert_int_equal(read_chunk(chunks[i], values, NULL), WARI_OK);
        for (size_t cell = 0; cell < count; cell++)
            assert_int_equal(values[cell], VALUE);
    }
    assert_int_equal(wari_level_file_chunk_offset(file, CHUNKS), image.size);
    assert_int_equal(read_chunk(CHUNKS, values, NULL), WARI_BAD_INPUT);
    wari_level_file_close(file);
}

/* The end in an entry is the end of one chunk and the start of the next chunk. So after damage to
 * the end, neither of these two chunks can be read; after damage to the hash, only the first of
 * them cannot be read. All other chunks can be read. */
static void damaged_entries_cost_the_chunks_that_they_describe(void **state)
{
    enum { DAMAGED = 40000 };
    const size_t at = TABLE + 16 * DAMAGED;
    const uint64_t end = wari_load64(image.bytes + at);
    const uint64_t ends[] = {0,       1,        end - 16,    end - 1,    end + 1,
                             end + 8, end + 16, end + 17472, UINT64_MAX, image.size};
    int8_t values[WARI_CHUNK_POSITIONS];
    struct wari_error error;

    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        put(at, ends[i]);
        for (uint64_t chunk = DAMAGED - 1; chunk <= DAMAGED + 2; chunk++) {
            const bool hit = chunk == DAMAGED || chunk == DAMAGED + 1;
            assert_int_equal(read_chunk(chunk, values, &error), hit ? WARI_CORRUPT : WARI_OK);
            if (hit) {
                assert_non_null(strstr(error.text, path));
                assert_non_null(strstr(error.text, "offset "));
            }
        }
        assert_int_equal(check_table(&error), WARI_CORRUPT);
        assert_non_null(strstr(error.text, "offset table at offset 128"));
        restore(at);
    }
    put(at + 8, 0);
    assert_int_equal(read_chunk(DAMAGED, values, &error), WARI_CORRUPT);
    assert_non_null(strstr(error.text, "chunk 40000 at offset "));
    assert_int_equal(read_chunk(DAMAGED + 1, values, NULL), WARI_OK);
    assert_int_equal(check_table(NULL), WARI_CORRUPT);
    restore(at + 8);
    assert_int_equal(check_table(NULL), WARI_OK);
}

static void a_table_with_a_wrong_end_is_refused_when_the_file_is_opened(void **state)
{
    const size_t last = TABLE + 16 * (CHUNKS - 1);
    struct wari_level_file *file;
    struct wari_error error;

    (void)state;
    put(last, image.size - 1);
    assert_int_equal(open_file(&file, &error), WARI_CORRUPT);
    assert_non_null(strstr(error.text, "offset table"));
    assert_null(file);
    restore(last);
    assert_int_equal(check_table(NULL), WARI_OK);
}

/* The ends of two chunks are exchanged, and all hashes are made correct. */
static void a_sealed_table_with_an_impossible_size_is_found_by_a_check(void **state)
{
    uint8_t *bytes = malloc(image.size);
    struct wari_error error;

    (void)state;
    assert_non_null(bytes);
    memcpy(bytes, image.bytes, image.size);
    memcpy(bytes + TABLE + 16 * 69000, image.bytes + TABLE + 16 * 69001, 8);
    memcpy(bytes + TABLE + 16 * 69001, image.bytes + TABLE + 16 * 69000, 8);
    wari_store64(bytes + 72, wari_seeded_hash(key, WARI_HASH_TABLE, bytes + TABLE, 16 * CHUNKS));
    wari_store64(bytes + 120, wari_seeded_hash(key, WARI_HASH_HEADER, bytes, 120));
    file_store(path, bytes, image.size);
    assert_int_equal(check_table(&error), WARI_CORRUPT);
    assert_non_null(strstr(error.text, "chunk 69001 has an impossible size"));
    file_store(path, image.bytes, image.size);
    assert_int_equal(check_table(NULL), WARI_OK);
    free(bytes);
}

TEST_GROUP(test_db_offset_table)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_writer_hashes_the_whole_table),
        cmocka_unit_test(chunks_are_found_without_the_table_in_memory),
        cmocka_unit_test(damaged_entries_cost_the_chunks_that_they_describe),
        cmocka_unit_test(a_table_with_a_wrong_end_is_refused_when_the_file_is_opened),
        cmocka_unit_test(a_sealed_table_with_an_impossible_size_is_found_by_a_check),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
