/* Sample level files with made-up values, written through the host table (db/host/host.h) that a
 * test passes. table_files.c writes tables of real positions with the system's host table. */
#include "tests/support/level_samples.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "db/catalogue/catalogue_file.h"
#include "db/format/chunk.h"
#include "db/format/decoder.h"
#include "db/format/encoder.h"
#include "db/format/level_file.h"
#include "db/format/level_writer.h"
#include "db/format/model.h"
#include "db/host/bytes.h"

int8_t *sample_values(struct wari_level_key key)
{
    uint64_t positions = wari_level_positions(key.seeds);
    int8_t *values = malloc(positions);
    assert_non_null(values);
    for (uint64_t i = 0; i < positions; i++) {
        uint64_t about[4] = {key.variant.rules, key.variant.cycle, (uint64_t)key.seeds, i};
        uint64_t random = XXH3_64bits(about, sizeof about) >> 32;
        values[i] = (int8_t)((int)(random % (2 * (uint64_t)key.seeds + 1)) - key.seeds);
    }
    return values;
}

void sample_histogram(int seeds, struct wari_level_record *record)
{
    uint64_t placements = wari_level_placements(seeds);
    uint64_t values = 2 * (uint64_t)seeds + 1;
    memset(record->histogram, 0, sizeof record->histogram);
    for (int v = -seeds; v <= seeds; v++)
        record->histogram[v + WARI_SEEDS_MAX] = placements / values;
    record->histogram[WARI_SEEDS_MAX] += placements % values;
}

enum wari_status sample_read_memory(void *values, uint64_t chunk, int8_t *out, size_t count,
                                    struct wari_error *error)
{
    (void)error;
    memcpy(out, (const int8_t *)values + chunk * WARI_CHUNK_POSITIONS, count);
    return WARI_OK;
}

enum wari_status sample_write(const struct wari_host *host, const char *folder,
                              struct wari_level_key key, const int8_t *values,
                              struct wari_level_record *record, struct wari_error *error)
{
    sample_histogram(key.seeds, record);
    record->payload_hash = XXH3_64bits(values, wari_level_positions(key.seeds));
    const struct wari_level_source source = {.payload_hash = record->payload_hash,
                                             .read = sample_read_memory,
                                             .context = (void *)values};
    return wari_level_write(&(struct wari_level_address){host, folder, key}, &source, record,
                            error);
}

enum wari_status sample_write_folder(const struct wari_host *host, const char *folder,
                                     struct wari_variant variant, int seeds_max,
                                     struct wari_error *error)
{
    struct wari_catalogue *catalogue = calloc(1, sizeof *catalogue);
    enum wari_status status = WARI_OK;
    assert_non_null(catalogue);
    catalogue->variant = variant;
    catalogue->seeds_max = seeds_max;
    for (int n = 0; n <= seeds_max && status == WARI_OK; n++) {
        struct wari_level_key key = {variant, n};
        if (!wari_catalogue_has(catalogue, n))
            continue;
        int8_t *values = sample_values(key);
        status = sample_write(host, folder, key, values, &catalogue->level[n], error);
        free(values);
    }
    if (status == WARI_OK)
        status = wari_catalogue_write(catalogue, host, folder, error);
    free(catalogue);
    return status;
}

enum wari_status sample_read(const struct wari_host *host, const char *folder,
                             struct wari_level_key key, const int8_t *values,
                             struct wari_error *error)
{
    uint64_t chunks = wari_chunk_count(wari_level_positions(key.seeds));
    struct wari_level_file *file;
    struct wari_decoder *decoder = NULL;
    int8_t *read = malloc(WARI_CHUNK_POSITIONS);
    assert_non_null(read);

    enum wari_status status =
        wari_level_file_open(&file, &(struct wari_level_address){host, folder, key}, NULL, error);
    if (status == WARI_OK)
        status = wari_decoder_create(&decoder, host, error);
    for (uint64_t chunk = 0; status == WARI_OK && chunk < chunks; chunk++) {
        size_t count = wari_level_file_chunk_positions(file, chunk);
        status = wari_level_file_chunk(file, decoder, chunk, read, error);
        if (status == WARI_OK && memcmp(read, values + chunk * WARI_CHUNK_POSITIONS, count) != 0)
            status = WARI_DIFFERENT;
    }
    wari_decoder_destroy(decoder);
    wari_level_file_close(file);
    free(read);
    return status;
}

/* ---- Files ---- */

struct file_image file_load(const char *path)
{
    struct file_image image;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    image.size = (size_t)ftell(file);
    image.bytes = malloc(image.size + 1);
    assert_non_null(image.bytes);
    rewind(file);
    assert_int_equal(fread(image.bytes, 1, image.size, file), image.size);
    assert_int_equal(fclose(file), 0);
    return image;
}

void file_store(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

void file_patch(const char *path, size_t offset, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, (long)offset, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* ---- Samples ---- */

struct sample sample_make(const char *folder, struct wari_level_key key)
{
    struct sample sample = {.folder = folder, .key = key, .values = sample_values(key)};
    assert_int_equal(wari_level_path(sample.path, folder, key, NULL), WARI_OK);
    assert_int_equal(
        sample_write(wari_host_system(), folder, key, sample.values, &sample.record, NULL),
        WARI_OK);
    sample.image = file_load(sample.path);
    return sample;
}

void sample_free(struct sample *sample)
{
    free(sample->values);
    free(sample->image.bytes);
}

enum wari_status sample_check(const struct sample *sample, struct wari_error *error)
{
    return sample_read(wari_host_system(), sample->folder, sample->key, sample->values, error);
}

struct sample_reader sample_open(const struct sample *sample)
{
    const struct wari_host *host = wari_host_system();
    struct sample_reader reader;
    assert_int_equal(
        wari_level_file_open(&reader.file,
                             &(struct wari_level_address){host, sample->folder, sample->key}, NULL,
                             NULL),
        WARI_OK);
    assert_int_equal(wari_decoder_create(&reader.decoder, host, NULL), WARI_OK);
    return reader;
}

void sample_close(struct sample_reader *reader)
{
    wari_decoder_destroy(reader->decoder);
    wari_level_file_close(reader->file);
}

struct wari_model *sample_model(int seeds, const int8_t *values)
{
    const uint64_t positions = wari_level_positions(seeds);
    struct wari_encoder *encoder;
    struct wari_model *model;
    assert_int_equal(wari_encoder_create(&encoder, wari_host_system(), NULL), WARI_OK);
    assert_int_equal(wari_encoder_begin(encoder, seeds, NULL), WARI_OK);
    for (uint64_t at = 0; at < positions; at += WARI_CHUNK_POSITIONS) {
        const uint64_t left = positions - at;
        assert_int_equal(
            wari_encoder_survey(encoder,
                                &(struct wari_chunk_values){
                                    at / WARI_CHUNK_POSITIONS, values + at,
                                    left < WARI_CHUNK_POSITIONS ? left : WARI_CHUNK_POSITIONS},
                                NULL),
            WARI_OK);
    }
    assert_int_equal(wari_encoder_model(&model, &encoder, 1, NULL), WARI_OK);
    wari_encoder_destroy(encoder);
    return model;
}

size_t sample_encode(int seeds, const struct wari_model *model, const int8_t *values, size_t count,
                     uint8_t *bytes)
{
    struct wari_encoder *encoder;
    size_t size;
    assert_int_equal(wari_encoder_create(&encoder, wari_host_system(), NULL), WARI_OK);
    assert_int_equal(wari_encoder_begin(encoder, seeds, NULL), WARI_OK);
    assert_int_equal(wari_chunk_encode(encoder, model,
                                       &(struct wari_chunk_values){0, values, count}, bytes, &size,
                                       NULL),
                     WARI_OK);
    wari_encoder_destroy(encoder);
    return size;
}

size_t sample_encode_escapes(const int8_t *values, size_t count, uint8_t *out)
{
    const size_t length = (count + 3) / 4;
    uint8_t bytes[WARI_CHUNK_BYTES_MAX];
    uint8_t *const end = bytes + sizeof bytes;
    uint8_t *at = end;
    uint32_t state[4] = {65536, 65536, 65536, 65536};

    for (size_t cell = 4 * length; cell-- > 0;) {
        const size_t lane = cell % 4;
        const size_t i = lane * length + cell / 4;
        if (i >= count)
            continue;
        if (state[lane] >= UINT32_C(1) << 25) { /* no space for seven bits: write a word */
            *--at = (uint8_t)(state[lane] >> 8);
            *--at = (uint8_t)state[lane];
            state[lane] >>= 16;
        }
        state[lane] = state[lane] << 7 | (uint32_t)(values[i] + 64);
    }
    for (size_t lane = 4; lane-- > 0;)
        wari_store32(at -= 4, state[lane]);
    memcpy(out, at, (size_t)(end - at));
    return (size_t)(end - at);
}
