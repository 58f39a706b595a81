/* Damaged level files: a reader never returns a value that differs from the value written, even
 * if bits were flipped, files were truncated or exchanged, or hashes were forged.
 *
 * Expected values are the values that were written; expected sizes are computed by hand from
 * FORMAT.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "db/format/codec.h"
#include "db/format/level_file.h"
#include "db/format/level_header.h"
#include "db/format/level_writer.h"
#include "db/format/model.h"
#include "db/host/bytes.h"
#include "tests/support/level_samples.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

/* The small level has 364 positions in one chunk; the large level has C(19,11) - C(13,11) =
 * 75,504 positions in ten chunks. */
static const struct wari_level_key small_level = {{WARI_ABAPA, WARI_OWN}, 3};
static const struct wari_level_key large_level = {{WARI_ABAPA, WARI_OWN}, 8};

/* Asserts that opening the file or reading its chunks is refused with a message that names the
 * file. */
static void assert_refused(const struct sample *sample)
{
    struct wari_error error;
    enum wari_status status = sample_check(sample, &error);
    assert_true(status == WARI_CORRUPT || status == WARI_MISMATCH);
    assert_int_equal(error.status, status);
    assert_non_null(strstr(error.text, sample->path));
}

static void assert_image_refused(const struct sample *sample, size_t size)
{
    file_store(sample->path, sample->image.bytes, size);
    assert_refused(sample);
}

/* Flips every step-th bit in the file, one at a time. */
static void assert_flips_refused(const struct sample *sample, size_t step)
{
    for (size_t bit = 0; bit < 8 * sample->image.size; bit += step) {
        uint8_t flipped = sample->image.bytes[bit / 8] ^ (uint8_t)(1 << bit % 8);
        struct wari_error error;
        file_patch(sample->path, bit / 8, &flipped, 1);
        assert_int_equal(sample_check(sample, &error), WARI_CORRUPT);
        assert_non_null(strstr(error.text, sample->path));
        assert_non_null(strstr(error.text, "offset "));
        file_patch(sample->path, bit / 8, sample->image.bytes + bit / 8, 1);
    }
    assert_int_equal(sample_check(sample, NULL), WARI_OK);
}

/* ---- Damage ---- */

static void every_flipped_bit_of_a_small_file_is_found(void **state)
{
    struct sample sample = sample_make(folder, small_level);

    (void)state;
    assert_flips_refused(&sample, (size_t)test_scale(1, 3));
    sample_free(&sample);
}

static void flipped_bits_all_over_a_file_of_several_chunks_are_found(void **state)
{
    struct sample sample = sample_make(folder, large_level);

    (void)state;
    assert_flips_refused(&sample, (size_t)test_scale(499, 4999));
    sample_free(&sample);
}

static void every_shorter_file_and_a_longer_one_is_refused(void **state)
{
    struct sample sample = sample_make(folder, small_level);

    (void)state;
    for (size_t size = 0; size < sample.image.size; size++)
        assert_image_refused(&sample, size);
    sample.image.bytes[sample.image.size] = 0;
    assert_image_refused(&sample, sample.image.size + 1);
    sample_free(&sample);
}

/* The version number counts as that of another version only if it agrees with the header's hash. */
static void a_flipped_bit_in_the_version_is_damage_and_no_other_version(void **state)
{
    struct sample sample = sample_make(folder, small_level);

    (void)state;
    for (int bit = 0; bit < 32; bit++) {
        uint8_t flipped = sample.image.bytes[8 + bit / 8] ^ (uint8_t)(1 << bit % 8);
        struct wari_error error;
        file_patch(sample.path, 8 + (size_t)bit / 8, &flipped, 1);
        assert_int_equal(sample_check(&sample, &error), WARI_CORRUPT);
        assert_non_null(strstr(error.text, "offset 8"));
        file_patch(sample.path, 8, sample.image.bytes + 8, 4);
    }
    sample_free(&sample);
}

/* The header is one that a program for version 1 wrote. Its other fields are 0. */
static void a_file_of_another_version_is_refused_with_both_versions_and_advice(void **state)
{
    static const struct {
        size_t offset;
        uint64_t value;
    } fields[] = {
        {0, 0x1a0a0d4952415789},
        {8, 0x0000008000000001},
        {24, 0x0000000100000000},
        {32, 0x0000001000008000},
        {40, 1},
        {48, 1},
        {56, 154},
        {64, 0xc44bdff4074eecdb},
        {72, 0x7d4d6ccc8c25e9af},
        {120, 0x008adc2a87980682},
    };
    struct sample sample = sample_make(folder, (struct wari_level_key){{WARI_AWARI, WARI_EVEN}, 0});
    uint8_t header[128] = {0};
    struct wari_error error;

    (void)state;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        wari_store64(header + fields[i].offset, fields[i].value);
    file_store(sample.path, header, sizeof header);
    assert_int_equal(sample_check(&sample, &error), WARI_MISMATCH);
    assert_non_null(strstr(error.text, sample.path));
    assert_non_null(strstr(error.text, "format version 1, but this program reads only version 2"));
    assert_non_null(strstr(error.text, "build the levels again"));
    sample_free(&sample);
}

static void a_missing_file_is_an_io_error_that_names_it(void **state)
{
    struct wari_level_key key = {{WARI_WARRI, WARI_OWN}, 7};
    struct wari_level_file *file;
    struct wari_error error;

    (void)state;
    assert_int_equal(
        wari_level_file_open(&file, &(struct wari_level_address){wari_host_system(), folder, key},
                             NULL, &error),
        WARI_IO);
    assert_non_null(strstr(error.text, "warri-own-7.wari"));
}

/* ---- Damage with correct hashes of model, table and header ---- */

static uint64_t chunks_in(const uint8_t *bytes)
{
    return wari_load64(bytes + 48);
}

static uint64_t payload_start(const uint8_t *bytes)
{
    return 128 + 16 * chunks_in(bytes) + wari_load64(bytes + 80);
}

/* Recomputes the hashes of model, table and header of an image. */
static void seal(struct sample *sample)
{
    uint8_t *bytes = sample->image.bytes;
    size_t table = (size_t)wari_chunk_count(wari_level_positions(sample->key.seeds)) * 16;
    uint64_t model = wari_load64(bytes + 80);
    if (128 + table + model <= sample->image.size)
        wari_store64(bytes + 88,
                     wari_seeded_hash(sample->key, WARI_HASH_MODEL, bytes + 128 + table, model));
    wari_store64(bytes + 72, wari_seeded_hash(sample->key, WARI_HASH_TABLE, bytes + 128, table));
    wari_store64(bytes + 120, wari_seeded_hash(sample->key, WARI_HASH_HEADER, bytes, 120));
}

static void sealing_an_untouched_file_changes_nothing(void **state)
{
    struct sample sample = sample_make(folder, large_level);
    struct file_image before = file_load(sample.path);

    (void)state;
    seal(&sample);
    assert_memory_equal(sample.image.bytes, before.bytes, before.size);
    free(before.bytes);
    sample_free(&sample);
}

static void a_sealed_header_that_no_writer_writes_is_refused(void **state)
{
    /* Each line changes a field of the header: its offset, its size, a value that no writer writes
     * there, and the expected status. The fields are: format, header size, rules, cycle, seeds,
     * codec, chunk length, entry size, positions, chunks, file size, model size, stored positions,
     * reserved. */
    static const struct {
        size_t offset;
        int size;
        uint64_t value;
        enum wari_status status;
    } changes[] = {
        {8, 4, 3, WARI_MISMATCH},          {8, 4, 0, WARI_MISMATCH},
        {8, 4, 1, WARI_MISMATCH},          {12, 4, 256, WARI_CORRUPT},
        {16, 4, 8, WARI_CORRUPT},          {20, 4, 2, WARI_CORRUPT},
        {24, 4, 49, WARI_CORRUPT},         {28, 4, 0, WARI_CORRUPT},
        {28, 4, 1, WARI_CORRUPT},          {32, 4, 32768, WARI_CORRUPT},
        {36, 4, 24, WARI_CORRUPT},         {40, 8, 363, WARI_CORRUPT},
        {48, 8, 2, WARI_CORRUPT},          {56, 8, 5, WARI_CORRUPT},
        {56, 8, 1 << 30, WARI_CORRUPT},    {80, 8, 0, WARI_CORRUPT},
        {80, 8, 1ull << 62, WARI_CORRUPT}, {96, 8, 363, WARI_CORRUPT},
        {104, 8, 1, WARI_CORRUPT},         {112, 8, 1ull << 63, WARI_CORRUPT},
    };
    struct sample sample = sample_make(folder, small_level);

    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct file_image good = file_load(sample.path);
        struct wari_error error;
        if (changes[i].size == 4)
            wari_store32(sample.image.bytes + changes[i].offset, (uint32_t)changes[i].value);
        else
            wari_store64(sample.image.bytes + changes[i].offset, changes[i].value);
        seal(&sample);
        file_store(sample.path, sample.image.bytes, sample.image.size);
        assert_int_equal(sample_check(&sample, &error), changes[i].status);
        assert_non_null(strstr(error.text, sample.path));
        file_store(sample.path, good.bytes, good.size);
        memcpy(sample.image.bytes, good.bytes, good.size);
        free(good.bytes);
    }
    assert_int_equal(sample_check(&sample, NULL), WARI_OK);
    sample_free(&sample);
}

static void a_sealed_table_with_impossible_sizes_is_refused(void **state)
{
    struct sample sample = sample_make(folder, large_level);
    uint8_t *table = sample.image.bytes + 128;
    const uint64_t start = payload_start(sample.image.bytes);
    const uint64_t entry[] = {0, 1, chunks_in(sample.image.bytes) - 1};
    const uint64_t first = wari_load64(table);
    const uint64_t second = wari_load64(table + 16);
    const uint64_t last = wari_load64(table + 16 * entry[2]);
    /* False ends of the first two chunks and of the last chunk: a chunk ends before the first
     * chunk starts, is empty, ends before the previous chunk, or is too long; or the last chunk
     * ends before or after the end of the file. */
    const uint64_t ends[][3] = {
        {0, second, last},           {start, second, last},
        {UINT64_MAX, second, last},  {first, first, last},
        {first, first - 1, last},    {start + 1, last - 1, last},
        {first, second, last + 1},   {first, second, last - 1},
        {first, second, UINT64_MAX}, {first, UINT64_MAX / 2, last},
    };

    (void)state;
    assert_int_equal(last, sample.image.size);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        for (int chunk = 0; chunk < 3; chunk++)
            wari_store64(table + 16 * entry[chunk], ends[i][chunk]);
        seal(&sample);
        file_store(sample.path, sample.image.bytes, sample.image.size);
        struct wari_level_file *file;
        assert_int_equal(wari_level_file_open(
                             &file,
                             &(struct wari_level_address){wari_host_system(), folder, sample.key},
                             NULL, NULL),
                         WARI_CORRUPT);
        assert_null(file);
    }
    sample_free(&sample);
}

static void swapped_chunks_are_refused_even_with_their_table_entries(void **state)
{
    struct sample sample = sample_make(folder, large_level);
    uint8_t *table = sample.image.bytes + 128;
    const uint64_t start = payload_start(sample.image.bytes);
    const uint64_t first = wari_load64(table);
    const uint64_t second = wari_load64(table + 16);
    uint8_t *payload = sample.image.bytes + start;
    uint8_t hash[8];
    uint8_t *copy = malloc(first - start);

    (void)state;
    assert_non_null(copy);
    memcpy(copy, payload, first - start);
    memmove(payload, payload + (first - start), second - first);
    memcpy(payload + (second - first), copy, first - start);
    wari_store64(table, start + (second - first));
    memcpy(hash, table + 8, 8);
    memcpy(table + 8, table + 24, 8);
    memcpy(table + 24, hash, 8);
    seal(&sample);
    assert_image_refused(&sample, sample.image.size);
    free(copy);
    sample_free(&sample);
}

/* Levels with the same number of seeds have the same number of chunks, so only the seed of the
 * hash distinguishes their chunks. (The model of a level with another number of seeds has
 * another size, so this test need not change the number of seeds.) */
static void chunks_of_another_level_or_variant_are_refused_even_under_our_header(void **state)
{
    static const struct {
        size_t offset; /* offset of the field that is changed: rules or cycle */
        uint32_t was;
        struct wari_level_key now;
    } changes[] = {
        {16, WARI_ABAPA, {{WARI_WARRI, WARI_OWN}, 3}},
        {20, WARI_OWN, {{WARI_ABAPA, WARI_EVEN}, 3}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct sample sample = sample_make(folder, small_level);
        struct wari_error error;
        int8_t values[WARI_CHUNK_POSITIONS];
        const uint32_t fields[] = {(uint32_t)changes[i].now.variant.rules,
                                   (uint32_t)changes[i].now.variant.cycle,
                                   (uint32_t)changes[i].now.seeds};
        uint8_t *field = sample.image.bytes + changes[i].offset;
        assert_int_equal(wari_load32(field), changes[i].was);
        wari_store32(field, fields[(changes[i].offset - 16) / 4]);
        wari_store64(sample.image.bytes + 40, wari_level_positions(changes[i].now.seeds));
        sample.key = changes[i].now;
        assert_int_equal(wari_level_path(sample.path, folder, sample.key, NULL), WARI_OK);
        seal(&sample);
        file_store(sample.path, sample.image.bytes, sample.image.size);
        struct sample_reader reader = sample_open(&sample);
        assert_int_equal(wari_level_file_chunk(reader.file, reader.decoder, 0, values, &error),
                         WARI_CORRUPT);
        assert_non_null(strstr(error.text, "hash"));
        sample_close(&reader);
        sample_free(&sample);
    }
}

static void a_file_of_another_level_or_variant_is_a_mismatch(void **state)
{
    static const struct wari_level_key others[] = {
        {{WARI_ABAPA, WARI_EVEN}, 3},
        {{WARI_WARRI, WARI_OWN}, 3},
        {{WARI_ABAPA, WARI_OWN}, 2},
        {{WARI_ABAPA, WARI_OWN}, 8},
    };
    struct sample sample = sample_make(folder, small_level);

    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct sample other = sample_make(folder, others[i]);
        struct wari_error error;
        file_store(sample.path, other.image.bytes, other.image.size);
        assert_int_equal(sample_check(&sample, &error), WARI_MISMATCH);
        assert_non_null(strstr(error.text, sample.path));
        assert_non_null(strstr(error.text, wari_get_rules_info(others[i].variant.rules)->name));
        sample_free(&other);
    }
    sample_free(&sample);
}

static void an_intact_file_that_the_catalogue_does_not_mean_is_corrupt(void **state)
{
    struct sample sample = sample_make(folder, small_level);
    struct wari_level_record records[3] = {sample.record, sample.record, sample.record};
    struct wari_level_file *file;

    (void)state;
    records[0].header_hash ^= 1;
    records[1].payload_hash ^= 1;
    records[2].file_bytes += 1;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(wari_level_file_open(
                             &file,
                             &(struct wari_level_address){wari_host_system(), folder, sample.key},
                             &records[i], NULL),
                         WARI_CORRUPT);
        assert_null(file);
    }
    sample_free(&sample);
}

/* ---- Chunks with right hashes that decode to something else ---- */

/* Publishes the small level with `bytes` as its only chunk. */
static void write_chunk(const struct wari_model *model, const void *bytes, size_t size)
{
    struct wari_level_writer *writer;
    struct wari_level_record record;
    assert_int_equal(wari_level_writer_open(
                         &writer,
                         &(struct wari_level_address){wari_host_system(), folder, small_level},
                         model, false, NULL),
                     WARI_OK);
    assert_int_equal(wari_level_writer_append(writer, bytes, size, NULL), WARI_OK);
    assert_int_equal(wari_level_writer_place(writer, 0, NULL, &record, NULL), WARI_OK);
}

static void a_chunk_that_no_encoder_writes_is_corrupt(void **state)
{
    struct sample sample = sample_make(folder, small_level);
    struct wari_model *model = sample_model(3, sample.values);
    uint8_t bytes[2 * WARI_CHUNK_BYTES_MAX];
    struct wari_error error;

    (void)state;
    write_chunk(model, "too short", 9);
    assert_int_equal(sample_check(&sample, &error), WARI_CORRUPT);
    assert_non_null(strstr(error.text, "chunk 0 at offset"));
    write_chunk(model, "long enough to hold four states", 31);
    assert_int_equal(sample_check(&sample, NULL), WARI_CORRUPT);
    write_chunk(model, bytes, sample_encode(3, model, sample.values, 363, bytes));
    assert_int_equal(sample_check(&sample, NULL), WARI_CORRUPT);
    size_t size = sample_encode(3, model, sample.values, 364, bytes);
    write_chunk(model, bytes, size);
    assert_int_equal(sample_check(&sample, NULL), WARI_OK);
    for (size_t shorter = 1; shorter < size; shorter++) {
        write_chunk(model, bytes, shorter);
        assert_int_equal(sample_check(&sample, NULL), WARI_CORRUPT);
    }
    memset(bytes + size, 0, 2);
    for (size_t more = 1; more <= 2; more++) {
        write_chunk(model, bytes, size + more);
        assert_int_equal(sample_check(&sample, NULL), WARI_CORRUPT);
    }
    for (size_t at = 0; at < 16; at++) { /* the first 16 bytes are the states that decoding
                                          * starts with */
        bytes[at] ^= 1;
        write_chunk(model, bytes, size);
        assert_int_not_equal(sample_check(&sample, NULL), WARI_OK);
        bytes[at] ^= 1;
    }
    wari_model_destroy(model);
    sample_free(&sample);
}

/* Makes a model in which every value is escaped, so that chunks can be written by hand. */
static struct wari_model *model_of_escapes(int seeds)
{
    const size_t size = wari_model_plain_bytes(seeds);
    uint8_t *plain = calloc(1, size);
    struct wari_model *model;

    assert_non_null(plain);
    for (size_t at = 1; at < size; at += 2 * (2 * (size_t)seeds + 2))
        plain[at] = 1024 >> 8;
    assert_int_equal(wari_model_load(&model, wari_host_system(), seeds, plain, NULL), WARI_OK);
    free(plain);
    return model;
}

static void a_value_beyond_the_seeds_of_the_level_is_corrupt(void **state)
{
    static const int8_t wrong[] = {4, -4, 60, 63, -64};
    struct sample sample = sample_make(folder, small_level);
    struct wari_model *model = model_of_escapes(3);
    uint8_t bytes[WARI_CHUNK_BYTES_MAX];

    (void)state;
    write_chunk(model, bytes, sample_encode_escapes(sample.values, 364, bytes));
    assert_int_equal(sample_check(&sample, NULL), WARI_OK);
    for (size_t i = 0; i < sizeof wrong; i++) {
        struct wari_error error;
        int8_t right = sample.values[100];
        sample.values[100] = wrong[i];
        write_chunk(model, bytes, sample_encode_escapes(sample.values, 364, bytes));
        assert_int_equal(sample_check(&sample, &error), WARI_CORRUPT);
        assert_non_null(strstr(error.text, "outside the range"));
        sample.values[100] = right;
    }
    wari_model_destroy(model);
    sample_free(&sample);
}

/* Writes the large level, with the value of `cell` replaced by `value`. Every value is written as
 * an escape (model_of_escapes()). If `cut` is true, chunk 2 is truncated to half of its bytes. */
static void write_escapes(struct sample *sample, uint64_t cell, int8_t value, bool cut)
{
    struct wari_model *model = model_of_escapes(8);
    struct wari_level_writer *writer;
    struct wari_level_record record;
    uint8_t bytes[WARI_CHUNK_BYTES_MAX];
    const int8_t right = sample->values[cell];

    sample->values[cell] = value;
    assert_int_equal(wari_level_writer_open(
                         &writer,
                         &(struct wari_level_address){wari_host_system(), folder, large_level},
                         model, false, NULL),
                     WARI_OK);
    for (uint64_t chunk = 0; chunk < 10; chunk++) {
        const size_t count = wari_chunk_size(chunk, 75504);
        const size_t size = sample_encode_escapes(sample->values + chunk * 8192, count, bytes);
        const size_t kept = cut && chunk == 2 ? size / 4 * 2 : size;
        assert_int_equal(wari_level_writer_append(writer, bytes, kept, NULL), WARI_OK);
    }
    assert_int_equal(wari_level_writer_place(writer, 0, NULL, &record, NULL), WARI_OK);
    sample->values[cell] = right;
    wari_model_destroy(model);
}

/* A request for one value decodes the first cells of all four streams, in multiples of 64 cells.
 * The reader checks exactly the values that it decodes. */
static void a_value_beyond_the_seeds_is_corrupt_for_who_asks_for_one_near_it(void **state)
{
    struct sample sample = sample_make(folder, large_level);
    int8_t values[WARI_CHUNK_POSITIONS];

    (void)state;
    for (uint64_t lane = 0; lane < 4; lane++) {
        write_escapes(&sample, 2 * 8192 + lane * 2048 + 100, 9, false);
        struct sample_reader reader = sample_open(&sample);
        for (size_t place = 0; place < 8192; place += 601) {
            const bool near = place % 2048 >= 64;
            assert_int_equal(wari_level_file_chunk_prefix(
                                 reader.file, reader.decoder, 2,
                                 wari_level_file_steps(reader.file, 2, place), values, NULL),
                             near ? WARI_CORRUPT : WARI_OK);
            if (!near)
                assert_int_equal(values[place], sample.values[2 * 8192 + place]);
        }
        sample_close(&reader);
    }
    sample_free(&sample);
}

/* Each value takes the same number of bits, so the first half of the bytes contains the first
 * half of each stream. After these bytes, the decoder finds bytes of the previous chunk in its
 * buffer, which look like valid ones. */
static void a_chunk_that_is_cut_is_corrupt_for_who_asks_for_what_it_lacks(void **state)
{
    struct sample sample = sample_make(folder, large_level);
    int8_t values[WARI_CHUNK_POSITIONS];

    (void)state;
    write_escapes(&sample, 0, sample.values[0], true);
    struct sample_reader reader = sample_open(&sample);
    for (size_t place = 0; place < 8192; place += 97) {
        const bool there = place % 2048 < 900;
        if (!there && place % 2048 < 1100)
            continue;
        assert_int_equal(
            wari_level_file_chunk_prefix(reader.file, reader.decoder, 1, 2048, values, NULL),
            WARI_OK);
        assert_int_equal(wari_level_file_chunk_prefix(reader.file, reader.decoder, 2,
                                                      wari_level_file_steps(reader.file, 2, place),
                                                      values, NULL),
                         there ? WARI_OK : WARI_CORRUPT);
        if (there)
            assert_int_equal(values[place], sample.values[2 * 8192 + place]);
    }
    sample_close(&reader);
    sample_free(&sample);
}

TEST_GROUP(test_db_damage)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_flipped_bit_of_a_small_file_is_found),
        cmocka_unit_test(flipped_bits_all_over_a_file_of_several_chunks_are_found),
        cmocka_unit_test(every_shorter_file_and_a_longer_one_is_refused),
        cmocka_unit_test(a_flipped_bit_in_the_version_is_damage_and_no_other_version),
        cmocka_unit_test(a_file_of_another_version_is_refused_with_both_versions_and_advice),
        cmocka_unit_test(a_missing_file_is_an_io_error_that_names_it),
        cmocka_unit_test(sealing_an_untouched_file_changes_nothing),
        cmocka_unit_test(a_sealed_header_that_no_writer_writes_is_refused),
        cmocka_unit_test(a_sealed_table_with_impossible_sizes_is_refused),
        cmocka_unit_test(swapped_chunks_are_refused_even_with_their_table_entries),
        cmocka_unit_test(chunks_of_another_level_or_variant_are_refused_even_under_our_header),
        cmocka_unit_test(a_file_of_another_level_or_variant_is_a_mismatch),
        cmocka_unit_test(an_intact_file_that_the_catalogue_does_not_mean_is_corrupt),
        cmocka_unit_test(a_chunk_that_no_encoder_writes_is_corrupt),
        cmocka_unit_test(a_value_beyond_the_seeds_of_the_level_is_corrupt),
        cmocka_unit_test(a_value_beyond_the_seeds_is_corrupt_for_who_asks_for_one_near_it),
        cmocka_unit_test(a_chunk_that_is_cut_is_corrupt_for_who_asks_for_what_it_lacks),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
