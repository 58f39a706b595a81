/* Level files have the format that db/FORMAT.md specifies: a simple reader that was written from
 * this document alone reads the correct values, and packed files leave out the specified values.
 *
 * Expected values come from the reference solver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "db/catalogue/catalogue_file.h"
#include "db/format/level_file.h"
#include "db/format/level_writer.h"
#include "db/probe/level_reader.h"
#include "db/wari.h"
#include "tests/reference/plain_reader.h"
#include "tests/support/level_samples.h"
#include "tests/support/table_files.h"
#include "tests/unit/groups.h"

enum { SEEDS = 8 };

static const struct wari_variant variants[] = {
    {WARI_AWARI, WARI_EVEN}, {WARI_WARRI, WARI_OWN}, {WARI_ABAPA, WARI_OWN},
    {WARI_WARE, WARI_EVEN},  {WARI_WARI, WARI_OWN},  {WARI_SLAM_GIVES, WARI_EVEN},
};

static int64_t read_plainly(const char *folder, struct wari_level_key key, int8_t *values)
{
    char path[WARI_PATH_MAX];
    assert_int_equal(wari_level_path(path, folder, key, NULL), WARI_OK);
    struct file_image image = file_load(path);
    int64_t count = plain_read_level(image.bytes, image.size, values);
    free(image.bytes);
    return count;
}

static void a_plain_reader_gets_all_values(void **state)
{
    char folder[TABLE_FOLDER_MAX];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct table truth;
        assert_int_equal(table_solve(&truth, variants[i], SEEDS), WARI_OK);
        assert_true(table_folder_make(folder));
        assert_int_equal(table_write(&truth, folder, NULL), WARI_OK);
        for (int n = 0; n <= SEEDS; n++) {
            const uint64_t positions = wari_level_positions(n);
            int8_t *values = malloc(positions);
            assert_non_null(values);
            assert_int_equal(read_plainly(folder, (struct wari_level_key){variants[i], n}, values),
                             positions);
            assert_memory_equal(values, truth.values[n], positions);
            free(values);
        }
        assert_true(table_folder_remove(folder));
        table_free(&truth);
    }
}

/* Random values lead to contexts and escapes that do not occur in real levels. */
static void a_plain_reader_gets_values_that_make_no_sense(void **state)
{
    char folder[TABLE_FOLDER_MAX];

    (void)state;
    assert_true(table_folder_make(folder));
    for (int n = 5; n <= SEEDS; n += 3) {
        struct wari_level_key key = {variants[0], n};
        struct sample sample = sample_make(folder, key);
        const uint64_t positions = wari_level_positions(n);
        int8_t *values = malloc(positions);
        assert_non_null(values);
        assert_int_equal(read_plainly(folder, key, values), positions);
        assert_memory_equal(values, sample.values, positions);
        free(values);
        sample_free(&sample);
    }
    assert_true(table_folder_remove(folder));
}

/* ---- Packed files --------------------------------------------------------------------------- */

/* Writes every level packed, and a catalogue of these files. */
static void write_packed(const struct table *truth, const char *folder)
{
    struct wari_catalogue *catalogue = malloc(sizeof *catalogue);
    assert_non_null(catalogue);
    assert_int_equal(table_write(truth, folder, NULL), WARI_OK);
    assert_int_equal(
        wari_catalogue_read(catalogue, wari_host_system(), folder, truth->variant, NULL), WARI_OK);
    for (int n = 0; n <= truth->seeds_max; n++) {
        const struct wari_level_address address = {wari_host_system(), folder, {truth->variant, n}};
        const struct wari_level_source source = {
            .packed = true,
            .payload_hash = catalogue->level[n].payload_hash,
            .read = sample_read_memory,
            .context = truth->values[n],
        };
        assert_int_equal(wari_level_write(&address, &source, &catalogue->level[n], NULL), WARI_OK);
    }
    assert_int_equal(wari_catalogue_write(catalogue, wari_host_system(), folder, NULL), WARI_OK);
    free(catalogue);
}

static void compare_values(struct wari_db *db, const struct table *truth, int n)
{
    const uint64_t positions = wari_level_positions(n);
    int8_t *values = malloc(positions);
    assert_non_null(values);
    assert_int_equal(wari_values(db, n, 0, positions, values, NULL), WARI_OK);
    assert_memory_equal(values, truth->values[n], positions);
    for (uint64_t cell = 0; cell < positions; cell += n < 6 ? 1 : 37) {
        struct wari_position position;
        int value = 99;
        wari_layout_unrank(&truth->layout[n], cell, &position);
        assert_int_equal(wari_probe(db, &position, &value, NULL), WARI_OK);
        assert_int_equal(value, truth->values[n][cell]);
    }
    free(values);
}

static void compare_chunks(const char *folder, const struct table *truth, int n)
{
    struct wari_level_reader *reader;
    struct wari_decoder *decoder;
    int8_t values[WARI_CHUNK_POSITIONS];
    const uint64_t positions = wari_level_positions(n);
    assert_int_equal(
        wari_level_reader_open(
            &reader, &(struct wari_level_address){wari_host_system(), folder, {truth->variant, n}},
            NULL, NULL),
        WARI_OK);
    assert_int_equal(wari_decoder_create(&decoder, wari_host_system(), NULL), WARI_OK);
    for (uint64_t chunk = 0; chunk < wari_chunk_count(positions); chunk++) {
        const uint64_t first = chunk * WARI_CHUNK_POSITIONS;
        const uint64_t left = positions - first;
        assert_int_equal(wari_level_reader_chunk(reader, decoder, chunk, values, NULL), WARI_OK);
        assert_memory_equal(values, truth->values[n] + first,
                            left < WARI_CHUNK_POSITIONS ? left : WARI_CHUNK_POSITIONS);
    }
    wari_decoder_destroy(decoder);
    wari_level_reader_close(reader);
}

/* In every rule set, a position that a packed file leaves out has the value of its best move. */
static void packed_levels_have_all_values(void **state)
{
    char folder[TABLE_FOLDER_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct table truth;
        struct wari_db *db;
        assert_int_equal(table_solve(&truth, variants[i], SEEDS - 1), WARI_OK);
        assert_true(table_folder_make(folder));
        write_packed(&truth, folder);
        assert_int_equal(wari_open(&db, folder, &variants[i], NULL, NULL), WARI_OK);
        for (int n = 0; n < SEEDS; n++) {
            compare_values(db, &truth, n);
            compare_chunks(folder, &truth, n);
        }
        wari_close(db);
        assert_true(table_folder_remove(folder));
        table_free(&truth);
    }
}

/* Level 7 has the blocks 0 to 7; the file holds the first four. Computed by hand: the blocks 0 to 3
 * have 1, 6, 21 and 56 opponent halves, each with C(12,5), C(11,5), C(10,5) and C(9,5) mover
 * halves. */
static void packed_files_hold_the_blocks_up_to_half_the_seeds(void **state)
{
    char folder[TABLE_FOLDER_MAX];
    struct table truth;
    struct wari_level_file *file;
    int8_t *values = malloc(wari_level_positions(7));

    (void)state;
    assert_non_null(values);
    assert_int_equal(wari_packed_positions(7), 1 * 792 + 6 * 462 + 21 * 252 + 56 * 126);
    assert_int_equal(table_solve(&truth, variants[0], 7), WARI_OK);
    assert_true(table_folder_make(folder));
    write_packed(&truth, folder);
    assert_int_equal(wari_level_file_open(
                         &file,
                         &(struct wari_level_address){wari_host_system(), folder, {variants[0], 7}},
                         NULL, NULL),
                     WARI_OK);
    assert_int_equal(wari_level_file_stored(file), 15912);
    assert_int_equal(wari_level_file_chunk_positions(file, 1), 15912 - 8192);
    assert_int_equal(wari_level_file_chunk_positions(file, 2), 0);
    wari_level_file_close(file);
    assert_int_equal(read_plainly(folder, (struct wari_level_key){variants[0], 7}, values), 15912);
    assert_memory_equal(values, truth.values[7], 15912);
    assert_true(table_folder_remove(folder));
    table_free(&truth);
    free(values);
}

TEST_GROUP(test_format)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_reader_gets_all_values),
        cmocka_unit_test(a_plain_reader_gets_values_that_make_no_sense),
        cmocka_unit_test(packed_levels_have_all_values),
        cmocka_unit_test(packed_files_hold_the_blocks_up_to_half_the_seeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
