/* Level files: the reader returns what was written, and the writer accepts only what fits the
 * level.
 *
 * Expected values are the values that were written; counts are computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/format/codec.h"
#include "db/format/encoder.h"
#include "db/format/level_file.h"
#include "db/format/level_header.h"
#include "db/format/level_writer.h"
#include "db/format/model.h"
#include "db/host/bytes.h"
#include "index/level.h"
#include "tests/support/level_samples.h"
#include "tests/support/own_folder.h"
#include "tests/unit/groups.h"

/* The small level has 364 positions in one chunk; the large level has C(19,11) - C(13,11) =
 * 75,504 positions in ten chunks. */
static const struct wari_level_key small_level = {{WARI_ABAPA, WARI_OWN}, 3};
static const struct wari_level_key large_level = {{WARI_ABAPA, WARI_OWN}, 8};

/* ---- Writing and reading back ---- */

static void values_come_back_as_they_were_written(void **state)
{
    static const int levels[] = {0, 1, 5, 8, 9};

    (void)state;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        struct sample sample =
            sample_make(folder, (struct wari_level_key){{WARI_SLAM_ENDS, WARI_EVEN}, levels[i]});
        struct wari_level_file *file;
        struct wari_error error;
        assert_int_equal(sample_check(&sample, &error), WARI_OK);
        assert_int_equal(wari_level_file_open(
                             &file,
                             &(struct wari_level_address){wari_host_system(), folder, sample.key},
                             &sample.record, &error),
                         WARI_OK);
        assert_int_equal(wari_level_file_payload_hash(file), sample.record.payload_hash);
        assert_int_equal(sample.record.file_bytes, sample.image.size);
        wari_level_file_close(file);
        sample_free(&sample);
    }
}

static void chunks_are_full_but_for_the_last(void **state)
{
    struct sample sample = sample_make(folder, large_level);
    struct sample_reader reader = sample_open(&sample);

    (void)state;
    assert_int_equal(wari_chunk_count(0), 0);
    assert_int_equal(wari_chunk_count(8192), 1);
    assert_int_equal(wari_chunk_count(8193), 2);
    assert_int_equal(wari_chunk_count(75504), 10);
    assert_int_equal(wari_level_file_chunk_positions(reader.file, 0), 8192);
    assert_int_equal(wari_level_file_chunk_positions(reader.file, 8), 8192);
    assert_int_equal(wari_level_file_chunk_positions(reader.file, 9), 75504 - 9 * 8192);
    assert_int_equal(wari_level_file_chunk_positions(reader.file, 10), 0);
    sample_close(&reader);
    sample_free(&sample);
}

static void a_chunk_beyond_the_last_is_bad_input(void **state)
{
    struct sample sample = sample_make(folder, small_level);
    struct sample_reader reader = sample_open(&sample);
    int8_t values[WARI_CHUNK_POSITIONS];

    (void)state;
    assert_int_equal(wari_level_file_chunk(reader.file, reader.decoder, 1, values, NULL),
                     WARI_BAD_INPUT);
    assert_int_equal(wari_level_file_chunk(reader.file, reader.decoder, UINT64_MAX, values, NULL),
                     WARI_BAD_INPUT);
    sample_close(&reader);
    sample_free(&sample);
}

/* To decode a single value of a full chunk, the first cells of each stream are decoded: up to and
 * including the index of the value in its own stream, rounded up to a multiple of 64 cells. If
 * these are more than three quarters of a stream, the whole chunk is decoded. */
static void a_single_value_brings_those_before_it_in_each_lane(void **state)
{
    static const struct {
        size_t place, known;
    } cases[] = {
        {0, 64},      {63, 64},     {64, 128},    {2047, 2048}, {2048, 64}, {4096 + 1000, 1024},
        {1535, 1536}, {1536, 2048}, {8191, 2048}, {6144, 64},   {100, 128}};
    struct sample sample = sample_make(folder, large_level);
    struct sample_reader reader = sample_open(&sample);
    int8_t values[WARI_CHUNK_POSITIONS];

    (void)state;
    for (uint64_t chunk = 0; chunk < 10; chunk++) {
        const size_t count = wari_level_file_chunk_positions(reader.file, chunk);
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            const size_t place = cases[c].place % count;
            memset(values, 111, sizeof values);
            const size_t known = wari_level_file_steps(reader.file, chunk, place);
            assert_int_equal(wari_level_file_chunk_prefix(reader.file, reader.decoder, chunk, known,
                                                          values, NULL),
                             WARI_OK);
            assert_int_equal(known, chunk < 9 ? cases[c].known : 2048);
            for (size_t i = 0; i < count; i++)
                assert_int_equal(values[i], i % 2048 < known || chunk == 9
                                                ? sample.values[chunk * 8192 + i]
                                                : 111);
        }
    }
    assert_int_equal(wari_level_file_chunk_prefix(reader.file, reader.decoder, 10,
                                                  WARI_STEP_MULTIPLE, values, NULL),
                     WARI_BAD_INPUT);
    sample_close(&reader);
    sample_free(&sample);
}

/* The hash covers all bytes of the chunk, also those after the requested value. */
static void a_single_value_of_a_chunk_that_is_damaged_behind_it_is_refused(void **state)
{
    struct sample sample = sample_make(folder, large_level);
    struct sample_reader reader = sample_open(&sample);
    int8_t values[WARI_CHUNK_POSITIONS];

    (void)state;
    const uint8_t wrong =
        (uint8_t)(sample.image.bytes[wari_level_file_chunk_offset(reader.file, 4) - 1] ^ 1);
    file_patch(sample.path, wari_level_file_chunk_offset(reader.file, 4) - 1, &wrong, 1);
    assert_int_equal(wari_level_file_chunk_prefix(reader.file, reader.decoder, 3,
                                                  WARI_STEP_MULTIPLE, values, NULL),
                     WARI_CORRUPT);
    assert_int_equal(wari_level_file_chunk_prefix(reader.file, reader.decoder, 4,
                                                  WARI_STEP_MULTIPLE, values, NULL),
                     WARI_OK);
    sample_close(&reader);
    sample_free(&sample);
}

static void the_same_values_give_the_same_bytes_whatever_came_before(void **state)
{
    int8_t *values = sample_values(large_level);
    struct wari_model *model = sample_model(large_level.seeds, values);
    uint8_t first[WARI_CHUNK_BYTES_MAX], again[WARI_CHUNK_BYTES_MAX];
    struct wari_encoder *used;
    size_t first_bytes;

    (void)state;
    assert_int_equal(wari_encoder_create(&used, wari_host_system(), NULL), WARI_OK);
    assert_int_equal(wari_encoder_begin(used, large_level.seeds, NULL), WARI_OK);
    for (size_t start = 0; start < 8000; start += 1000) {
        assert_int_equal(
            wari_chunk_encode(used, model,
                              &(struct wari_chunk_values){0, values + start, 8192 - start}, first,
                              &first_bytes, NULL),
            WARI_OK);
        assert_int_equal(first_bytes, sample_encode(large_level.seeds, model, values + start,
                                                    8192 - start, again));
        assert_memory_equal(first, again, first_bytes);
    }
    wari_encoder_destroy(used);
    wari_model_destroy(model);
    free(values);
}

/* Two encoders, each of which surveys some of the chunks, make the same model as one encoder. */
static void a_model_does_not_depend_on_who_surveyed(void **state)
{
    int8_t *values = sample_values(large_level);
    struct wari_model *alone = sample_model(large_level.seeds, values);
    struct wari_model *shared;
    struct wari_encoder *two[2];
    const size_t bytes = wari_model_plain_bytes(large_level.seeds);
    uint8_t *first = malloc(bytes), *second = malloc(bytes);

    (void)state;
    assert_non_null(first);
    assert_non_null(second);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(wari_encoder_create(&two[i], wari_host_system(), NULL), WARI_OK);
        assert_int_equal(wari_encoder_begin(two[i], large_level.seeds, NULL), WARI_OK);
    }
    for (uint64_t chunk = 10; chunk-- > 0;)
        assert_int_equal(
            wari_encoder_survey(two[chunk % 3 == 0],
                                &(struct wari_chunk_values){chunk, values + chunk * 8192,
                                                            chunk == 9 ? 75504 - 9 * 8192 : 8192},
                                NULL),
            WARI_OK);
    assert_int_equal(wari_encoder_model(&shared, two, 2, NULL), WARI_OK);
    wari_model_store(alone, first);
    wari_model_store(shared, second);
    assert_memory_equal(first, second, bytes);
    for (int i = 0; i < 2; i++)
        wari_encoder_destroy(two[i]);
    wari_model_destroy(alone);
    wari_model_destroy(shared);
    free(first);
    free(second);
    free(values);
}

static void an_encoder_refuses_what_is_no_chunk_of_the_level(void **state)
{
    int8_t values[8192] = {0};
    uint8_t bytes[WARI_CHUNK_BYTES_MAX];
    struct wari_model *model = sample_model(3, values);
    struct wari_encoder *encoder;
    size_t size;

    (void)state;
    assert_int_equal(wari_encoder_create(&encoder, wari_host_system(), NULL), WARI_OK);
    assert_int_equal(wari_encoder_begin(encoder, 3, NULL), WARI_OK);
    for (int bad = 0; bad < 5; bad++) {
        const uint64_t chunk = bad == 0 ? 1 : 0;
        const size_t count = bad == 1 ? 0 : bad == 2 ? 365 : 364;
        values[7] = bad == 3 ? 4 : bad == 4 ? -4 : 0;
        assert_int_equal(wari_chunk_encode(encoder, model,
                                           &(struct wari_chunk_values){chunk, values, count}, bytes,
                                           &size, NULL),
                         WARI_BAD_INPUT);
        assert_int_equal(
            wari_encoder_survey(encoder, &(struct wari_chunk_values){chunk, values, count}, NULL),
            WARI_BAD_INPUT);
    }
    wari_encoder_destroy(encoder);
    wari_model_destroy(model);
}

/* ---- The writer keeps to the level ---- */

static void a_writer_refuses_too_many_chunks_too_few_and_impossible_sizes(void **state)
{
    const int8_t values[364] = {0};
    struct wari_model *model = sample_model(3, values);
    struct wari_level_writer *writer;
    struct wari_level_record record;
    uint8_t bytes[WARI_CHUNK_BYTES_MAX + 1] = {0};
    char path[WARI_PATH_MAX];
    const struct wari_host *host = wari_host_system();
    struct wari_level_key key = {{WARI_WARE, WARI_EVEN}, 3};

    (void)state;
    assert_int_equal(WARI_CHUNK_BYTES_MAX, WARI_CHUNK_BYTES_MAX);
    assert_int_equal(wari_level_path(path, folder, key, NULL), WARI_OK);
    assert_int_equal(wari_level_writer_open(&writer,
                                            &(struct wari_level_address){host, folder, key}, model,
                                            false, NULL),
                     WARI_OK);
    assert_int_equal(wari_level_writer_append(writer, bytes, 0, NULL), WARI_BAD_INPUT);
    assert_int_equal(wari_level_writer_append(writer, bytes, sizeof bytes, NULL), WARI_BAD_INPUT);
    assert_int_equal(wari_level_writer_append(writer, bytes, sizeof bytes - 1, NULL), WARI_OK);
    assert_int_equal(wari_level_writer_append(writer, bytes, 1, NULL), WARI_BAD_INPUT);
    wari_level_writer_abandon(writer);
    wari_level_writer_abandon(NULL);
    assert_false(file_exists(path));

    assert_int_equal(wari_level_writer_open(&writer,
                                            &(struct wari_level_address){host, folder, key}, model,
                                            false, NULL),
                     WARI_OK);
    assert_int_equal(wari_level_writer_place(writer, 0, NULL, &record, NULL), WARI_BAD_INPUT);
    assert_false(file_exists(path));
    wari_model_destroy(model);
}

/* A host that records which bytes are written and for which of them writing to disk was started. */
struct noting_host {
    struct wari_host host;
    off_t written, begun;
    int pieces;
};

static ssize_t note_write(void *context, int fd, const void *buffer, size_t bytes, off_t offset)
{
    struct noting_host *noting = context;
    const struct wari_host *system = wari_host_system();

    if (offset + (off_t)bytes > noting->written)
        noting->written = offset + (off_t)bytes;
    return system->pwrite(system->context, fd, buffer, bytes, offset);
}

static void note_begin_fsync(void *context, int fd, off_t offset, off_t bytes)
{
    struct noting_host *noting = context;

    assert_true(fd >= 0);
    assert_true(offset == noting->begun && bytes > 0 && offset + bytes <= noting->written);
    noting->begun += bytes;
    noting->pieces++;
}

/* At any time, the bytes for which writing to disk was not yet started are at most 1 MiB and one
 * chunk. Computed by hand: 165 chunks of 17,472 bytes are 2.9 MB, so it is started twice. */
static void a_writer_lets_bytes_go_to_disk_while_it_goes_on(void **state)
{
    const int8_t values[364] = {0};
    const uint8_t bytes[WARI_CHUNK_BYTES_MAX] = {0};
    const struct wari_level_key key = {{WARI_WARE, WARI_EVEN}, 12};
    const uint64_t chunks = wari_chunk_count(wari_level_positions(12));
    struct noting_host noting = {.host = *wari_host_system()};
    struct wari_model *model = sample_model(3, values); /* any model will do */
    struct wari_level_writer *writer;

    (void)state;
    noting.host.context = &noting;
    noting.host.pwrite = note_write;
    noting.host.begin_fsync = note_begin_fsync;
    assert_int_equal(wari_level_writer_open(&writer,
                                            &(struct wari_level_address){&noting.host, folder, key},
                                            model, false, NULL),
                     WARI_OK);
    for (uint64_t i = 0; i < chunks; i++) {
        assert_int_equal(wari_level_writer_append(writer, bytes, sizeof bytes, NULL), WARI_OK);
        assert_true(noting.written - noting.begun <= (1 << 20) + WARI_CHUNK_BYTES_MAX);
    }
    assert_int_equal(noting.pieces, 2);
    wari_level_writer_abandon(writer);
    wari_model_destroy(model);
}

static void there_are_no_files_for_levels_and_variants_that_do_not_exist(void **state)
{
    static const struct wari_level_key keys[] = {
        {{WARI_RULES_COUNT, WARI_EVEN}, 3},
        {{WARI_AWARI, WARI_CYCLE_COUNT}, 3},
        {{WARI_AWARI, WARI_EVEN}, -1},
        {{WARI_AWARI, WARI_EVEN}, 49},
    };
    const struct wari_level_key last = {{WARI_SLAM_WINS, WARI_OWN}, 48};
    struct wari_level_writer *writer;
    struct wari_level_file *file;
    char path[WARI_PATH_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        assert_int_equal(wari_level_writer_open(
                             &writer,
                             &(struct wari_level_address){wari_host_system(), folder, keys[i]},
                             NULL, false, NULL),
                         WARI_BAD_INPUT);
        assert_null(writer);
        assert_int_equal(
            wari_level_file_open(&file,
                                 &(struct wari_level_address){wari_host_system(), folder, keys[i]},
                                 NULL, NULL),
            WARI_BAD_INPUT);
        assert_null(file);
    }
    assert_int_equal(wari_level_path(path, "f", last, NULL), WARI_OK);
    assert_string_equal(path, "f/slam-wins-own-48.wari");
}

/* No machine here can build the highest level, so the test reads a header alone. */
static void the_header_of_the_last_level_is_read(void **state)
{
    struct wari_level_header header = {.key = {{WARI_SLAM_WINS, WARI_OWN}, 48},
                                       .file_bytes = UINT64_C(1) << 37,
                                       .model_bytes = 1,
                                       .stored = wari_level_positions(48)};
    struct wari_level_header read;
    uint8_t bytes[WARI_HEADER_BYTES];

    (void)state;
    wari_level_header_store(&header, bytes);
    assert_int_equal(wari_level_header_load(&read, bytes, "f", NULL), WARI_OK);
    assert_int_equal(read.key.seeds, 48);
    assert_int_equal(read.file_bytes, header.file_bytes);
}

/* ---- Interruptions ---- */

/* Copies the chunks with the numbers `first` to `last` from the bytes of the sample's level file,
 * and appends them to the file that is being written. */
static void append_chunks(struct wari_level_writer *writer, const struct sample *sample,
                          uint64_t first, uint64_t last)
{
    const uint8_t *bytes = sample->image.bytes, *table = bytes + WARI_HEADER_BYTES;
    const uint64_t payload = WARI_HEADER_BYTES + 16 * 10 + wari_load64(bytes + 80);

    for (uint64_t chunk = first; chunk <= last; chunk++) {
        const uint64_t start = chunk == 0 ? payload : wari_load64(table + 16 * (chunk - 1));
        const size_t size = (size_t)(wari_load64(table + 16 * chunk) - start);
        assert_int_equal(wari_level_writer_append(writer, bytes + start, size, NULL), WARI_OK);
    }
}

/* Writes the first seven chunks of the sample's level to its temporary file, and then closes the
 * writer without finishing the file. Sets *part to the state after five chunks. */
static void interrupt_writer(const struct sample *sample, struct wari_level_part *part)
{
    struct wari_level_writer *writer;
    struct wari_model *model = sample_model(sample->key.seeds, sample->values);
    const struct wari_level_address address = {wari_host_system(), folder, sample->key};

    assert_int_equal(wari_level_writer_open(&writer, &address, model, false, NULL), WARI_OK);
    append_chunks(writer, sample, 0, 4);
    assert_int_equal(wari_level_writer_save(writer, part, NULL), WARI_OK);
    append_chunks(writer, sample, 5, 6);
    wari_level_writer_close(writer);
    wari_model_destroy(model);
}

static void a_writer_goes_on_after_an_interruption_with_the_same_bytes(void **state)
{
    struct sample sample = sample_make(folder, large_level);
    const struct wari_level_address address = {wari_host_system(), folder, sample.key};
    struct wari_level_record record = sample.record;
    struct wari_level_writer *writer;
    struct wari_level_part part;

    (void)state;
    interrupt_writer(&sample, &part);
    assert_int_equal(part.written, 5);
    assert_int_equal(wari_level_writer_resume(&writer, &address, &part, false, NULL), WARI_OK);
    append_chunks(writer, &sample, 5, 9);
    assert_int_equal(
        wari_level_writer_place(writer, sample.record.payload_hash, NULL, &record, NULL), WARI_OK);
    struct file_image written = file_load(sample.path);
    assert_int_equal(written.size, sample.image.size);
    assert_memory_equal(written.bytes, sample.image.bytes, written.size);
    free(written.bytes);
    sample_free(&sample);
}

static void a_file_that_is_not_the_interrupted_one_is_refused(void **state)
{
    struct sample sample = sample_make(folder, large_level);
    const struct wari_level_address address = {wari_host_system(), folder, sample.key};
    struct wari_level_part part, other;
    struct wari_level_writer *writer;
    struct wari_error error;
    char path[WARI_PATH_MAX + 4];

    (void)state;
    interrupt_writer(&sample, &part);
    other = part;
    other.written = 11; /* the level has ten chunks */
    assert_int_equal(wari_level_writer_resume(&writer, &address, &other, false, &error),
                     WARI_CORRUPT);
    assert_null(writer);
    other = part;
    other.table_hash ^= 1;
    assert_int_equal(wari_level_writer_resume(&writer, &address, &other, false, &error),
                     WARI_CORRUPT);
    assert_non_null(strstr(error.text, "is not the one that was saved"));
    other = part;
    other.end = sample.image.size + 1; /* more bytes than the file has */
    assert_int_equal(wari_level_writer_resume(&writer, &address, &other, false, &error),
                     WARI_CORRUPT);
    (void)snprintf(path, sizeof path, "%s.tmp", sample.path);
    assert_int_equal(remove(path), 0);
    assert_int_equal(wari_level_writer_resume(&writer, &address, &part, false, &error), WARI_IO);
    assert_null(writer);
    sample_free(&sample);
}

TEST_GROUP(test_db_level_file)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_back_as_they_were_written),
        cmocka_unit_test(chunks_are_full_but_for_the_last),
        cmocka_unit_test(a_chunk_beyond_the_last_is_bad_input),
        cmocka_unit_test(a_single_value_brings_those_before_it_in_each_lane),
        cmocka_unit_test(a_single_value_of_a_chunk_that_is_damaged_behind_it_is_refused),
        cmocka_unit_test(the_same_values_give_the_same_bytes_whatever_came_before),
        cmocka_unit_test(a_model_does_not_depend_on_who_surveyed),
        cmocka_unit_test(an_encoder_refuses_what_is_no_chunk_of_the_level),
        cmocka_unit_test(a_writer_refuses_too_many_chunks_too_few_and_impossible_sizes),
        cmocka_unit_test(a_writer_lets_bytes_go_to_disk_while_it_goes_on),
        cmocka_unit_test(a_writer_goes_on_after_an_interruption_with_the_same_bytes),
        cmocka_unit_test(a_file_that_is_not_the_interrupted_one_is_refused),
        cmocka_unit_test(there_are_no_files_for_levels_and_variants_that_do_not_exist),
        cmocka_unit_test(the_header_of_the_last_level_is_read),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
