/* A handle with all levels up to 48 seeds: its memory, what it reads when it is opened, and
 * look-ups in level 48.
 *
 * The database is that of tests/support/huge_tables.h: all values of level n are n. The limits are
 * those that the project promises: 300 MB of memory; and opening reads 1 MiB of each level at most.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "db/format/level_header.h"
#include "db/host/bytes.h"
#include "db/wari.h"
#include "index/level.h"
#include "tests/support/counting_host.h"
#include "tests/support/huge_tables.h"
#include "tests/support/level_samples.h"
#include "tests/support/own_folder.h"
#include "tests/unit/groups.h"

enum { MEGABYTE = 1000000 };

static const struct wari_variant variant = {WARI_SLAM_WINS, WARI_EVEN};

/* In the second position, F captures the two seeds in a, which are all seeds of the opponent: a
 * grand slam, which wins all 48 seeds. */
static const struct wari_position positions[] = {
    {{4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}},
    {{10, 9, 9, 9, 9, 1, 1, 0, 0, 0, 0, 0}},
};
static const struct wari_position *const start = &positions[0], *const slam = &positions[1];

static int make_tables(void **state)
{
    if (make_folder(state) != 0)
        return -1;
    assert_int_equal(huge_tables_write(folder, variant, positions, 2, NULL), WARI_OK);
    return 0;
}

static struct wari_db *open_tables(const struct wari_host *host)
{
    const struct wari_options options = {.host = host};
    struct wari_error error;
    struct wari_db *db;
    if (wari_open(&db, folder, &variant, &options, &error) != WARI_OK)
        fail_msg("%s", error.text);
    return db;
}

/* ---- Memory, and what is read ---- */

/* A host that counts memory, and the bytes that are read. */
struct reading_host {
    struct counting_host memory;
    uint64_t read;
    size_t largest; /* bytes of the largest request */
};

static ssize_t count_read(void *context, int fd, void *buffer, size_t bytes, int64_t offset)
{
    struct reading_host *reading = context;
    const struct wari_host *system = wari_host_system();
    reading->read += bytes;
    reading->largest = bytes > reading->largest ? bytes : reading->largest;
    return system->pread(system->context, fd, buffer, bytes, offset);
}

static void a_handle_of_all_levels_takes_less_than_300_megabytes(void **state)
{
    struct reading_host reading = {.read = 0};
    struct wari_line line;
    int value;

    (void)state;
    counting_host_init(&reading.memory);
    reading.memory.host.pread = count_read;
    struct wari_db *db = open_tables(&reading.memory.host);
    assert_true(reading.read < 48 * (UINT64_C(1) << 20));
    assert_true(reading.largest <= 1 << 20);
    reading.read = 0;
    assert_int_equal(wari_probe(db, slam, &value, NULL), WARI_OK);
    assert_int_equal(value, 48);
    /* Two entries of the table, and one chunk. */
    assert_true(reading.read <= 32 + 17472);
    assert_int_equal(wari_find_line(db, slam, &line, NULL), WARI_OK);
    assert_true(atomic_load(&reading.memory.peak) < 300 * MEGABYTE);
    wari_close(db);
    assert_int_equal(atomic_load(&reading.memory.bytes), 0);
}

/* The number of positions of all levels: Romein and Bal 2003 count 889,063,398,406 with the start
 * position, which has no number. */
static void the_handle_has_all_positions_of_the_game(void **state)
{
    struct wari_level_info level;
    struct wari_info info;
    struct wari_db *db = open_tables(NULL);

    (void)state;
    wari_get_info(db, &info);
    assert_int_equal(info.seeds_max, 48);
    assert_int_equal(info.positions, UINT64_C(889063398405));
    assert_true(info.file_bytes > UINT64_C(1) << 32);
    assert_int_equal(wari_get_level_info(db, 48, &level, NULL), WARI_OK);
    assert_int_equal(level.positions, UINT64_C(203648015935));
    assert_int_equal(level.histogram[96], level.placements);
    assert_int_equal(wari_get_level_info(db, 47, &level, NULL), WARI_NOT_COVERED);
    wari_close(db);
}

/* ---- Look-ups ---- */

/* The opponent of the start position gets all seeds after every move. */
static void positions_of_48_seeds_have_the_values_of_their_files(void **state)
{
    struct wari_db *db = open_tables(NULL);
    struct wari_analysis analysis;
    struct wari_error error;
    int8_t values[2];

    (void)state;
    if (wari_analyse(db, start, &analysis, &error) != WARI_OK)
        fail_msg("%s", error.text);
    assert_int_equal(analysis.count, 6);
    for (int i = 0; i < analysis.count; i++)
        assert_int_equal(analysis.moves[i].value, -48);
    if (wari_analyse(db, slam, &analysis, &error) != WARI_OK)
        fail_msg("%s", error.text);
    assert_int_equal(analysis.value, 48);
    assert_int_equal(wari_probe_many(db, positions, 2, values, NULL), WARI_OK);
    assert_int_equal(values[0], -48);
    assert_int_equal(values[1], 48);
    wari_close(db);
}

static void a_line_from_a_position_of_48_seeds_is_found(void **state)
{
    struct wari_db *db = open_tables(NULL);
    struct wari_line line;
    struct wari_error error;

    (void)state;
    if (wari_find_line(db, slam, &line, &error) != WARI_OK)
        fail_msg("%s", error.text);
    assert_int_equal(line.count, 1);
    assert_int_equal(line.moves[0].pit, 5);
    assert_int_equal(line.end, WARI_LINE_SLAM);
    wari_close(db);
}

/* ---- What is refused ---- */

/* The database was written for `positions` alone. No move from these two positions leads to the
 * position in this test, so its chunk is a hole. */
static void a_hole_in_a_sparse_file_is_refused(void **state)
{
    struct wari_db *db = open_tables(NULL);
    const struct wari_position hole = {{40, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0}};
    struct wari_error error;
    int value = 99;

    (void)state;
    assert_int_equal(wari_probe(db, &hole, &value, &error), WARI_CORRUPT);
    assert_int_equal(value, 99);
    assert_non_null(strstr(error.text, "slam-wins-even-48.wari: chunk "));
    assert_non_null(strstr(error.text, "offset table at offset "));
    wari_close(db);
}

/* Opens the file of level 48 for reading and writing, and reads its header. */
static FILE *open_level_48(uint8_t header[WARI_HEADER_BYTES])
{
    char path[WARI_PATH_MAX];

    assert_int_equal(wari_path(path, NULL, folder, "slam-wins-even-48.wari"), WARI_OK);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fread(header, 1, WARI_HEADER_BYTES, file), WARI_HEADER_BYTES);
    return file;
}

/* Writes `end` as the end of a chunk and of the chunk before it, so that the chunk is empty. */
static void write_entries(FILE *file, uint64_t chunk, uint64_t end)
{
    uint8_t entries[2 * 16] = {0};

    wari_store64(entries, end);
    wari_store64(entries + 16, end);
    assert_int_equal(fseeko(file, (off_t)(WARI_HEADER_BYTES + 16 * (chunk - 1)), SEEK_SET), 0);
    assert_int_equal(fwrite(entries, 1, sizeof entries, file), sizeof entries);
    assert_int_equal(fflush(file), 0);
}

/* The offset table is too large to be checked when the file is opened, so only the probe can find
 * that a chunk is empty. The chunk is placed as if each chunk before it had one byte, which is the
 * least possible size, so nothing else is wrong with its place. */
static void an_empty_chunk_of_a_large_table_is_refused(void **state)
{
    const struct wari_position hole = {{40, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0}};
    uint8_t header[WARI_HEADER_BYTES];
    struct wari_error error;
    unsigned long long chunk;
    int value;

    (void)state;
    struct wari_db *db = open_tables(NULL);
    assert_int_equal(wari_probe(db, &hole, &value, &error), WARI_CORRUPT);
    assert_int_equal(sscanf(strstr(error.text, "chunk "), "chunk %llu", &chunk), 1);
    FILE *file = open_level_48(header);
    const uint64_t chunks = wari_load64(header + 48), model = wari_load64(header + 80);
    write_entries(file, chunk, WARI_HEADER_BYTES + 16 * chunks + model + chunk);
    assert_int_equal(wari_probe(db, &hole, &value, &error), WARI_CORRUPT);
    assert_non_null(strstr(error.text, " has an impossible size"));
    write_entries(file, chunk, 0);
    assert_int_equal(fclose(file), 0);
    wari_close(db);
}

static void a_file_of_level_48_that_is_cut_is_refused(void **state)
{
    struct wari_error error;
    struct wari_db *db;
    uint8_t header[WARI_HEADER_BYTES];

    (void)state;
    FILE *file = open_level_48(header);
    const uint64_t size = wari_load64(header + 56);
    assert_true(size > UINT64_C(1) << 36);
    assert_int_equal(ftruncate(fileno(file), (off_t)(size - 1)), 0);
    assert_int_equal(wari_open(&db, folder, &variant, NULL, &error), WARI_CORRUPT);
    assert_non_null(strstr(error.text, "slam-wins-even-48.wari: the file ends at offset "));
    assert_int_equal(ftruncate(fileno(file), (off_t)size), 0);
    assert_int_equal(fclose(file), 0);
    wari_close(open_tables(NULL));
}

TEST_GROUP(test_db_whole_game)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handle_of_all_levels_takes_less_than_300_megabytes),
        cmocka_unit_test(the_handle_has_all_positions_of_the_game),
        cmocka_unit_test(positions_of_48_seeds_have_the_values_of_their_files),
        cmocka_unit_test(a_line_from_a_position_of_48_seeds_is_found),
        cmocka_unit_test(a_hole_in_a_sparse_file_is_refused),
        cmocka_unit_test(an_empty_chunk_of_a_large_table_is_refused),
        cmocka_unit_test(a_file_of_level_48_that_is_cut_is_refused),
    };
    return cmocka_run_group_tests(tests, make_tables, remove_folder);
}
