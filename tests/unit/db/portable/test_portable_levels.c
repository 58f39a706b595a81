/* The reader of level files for programs without libwari returns the values of files, as built and
 * as packed. It never returns a wrong value, whatever bytes are changed, removed or forged, and
 * whatever calls fail.
 *
 * Expected values come from the reference solver, expected hashes from xxHash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#include "db/format/level_header.h"
#include "db/host/bytes.h"
#include "db/maintain/pack.h"
#include "db/portable/wari_levels.h"
#include "db/portable/xxh3.h"
#include "tests/reference/random_positions.h"
#include "tests/support/level_samples.h"
#include "tests/support/scale.h"
#include "tests/support/solved.h"
#include "tests/unit/groups.h"

enum { SEEDS = 6, COUNT = SEEDS + 1, SMALL = 4 };

/* Byte offsets in a level file, as in FORMAT.md. */
enum { FORMAT_FIELD = 8, FILE_SIZE = 56, MODEL_HASH = 88, HEADER_HASH = 120, HEADER_END = 128 };

static struct solved solved; /* the folder of most tests */
static struct wari_open_level levels[WARI_SEEDS_MAX + 1];
static struct file_image images[WARI_SEEDS_MAX + 1]; /* the bytes that `levels` reads */
static struct wari_error error;

static int calls_left = -1; /* calls before one fails; -1 means that none does */

static int read_image(void *context, uint64_t offset, void *buffer, size_t bytes)
{
    const struct file_image *image = context;
    if (calls_left == 0)
        return 1;
    if (calls_left > 0)
        calls_left--;
    assert_in_range(offset, 0, image->size);
    assert_in_range(bytes, 0, image->size - offset);
    memcpy(buffer, image->bytes + offset, bytes);
    return 0;
}

static enum wari_status open_image(int seeds, struct wari_variant variant,
                                   wari_decompress *decompress)
{
    const struct wari_book_source source = {read_image, &images[seeds], images[seeds].size, "file"};
    return wari_levels_open(levels, seeds, variant, &source, decompress, &error);
}

static void load_image(const char *folder, struct wari_variant variant, int seeds)
{
    char path[WARI_PATH_MAX], name[WARI_LEVELS_NAME];
    wari_levels_name(variant, seeds, name);
    assert_int_equal(wari_path(path, NULL, folder, "%s", name), WARI_OK);
    free(images[seeds].bytes);
    images[seeds] = file_load(path);
}

static void close_all(void)
{
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        free(images[seeds].bytes);
        images[seeds] = (struct file_image){.size = 0};
        levels[seeds].source.read = NULL;
    }
}

/* Opens all levels of a folder. */
static void open_all(const struct solved *of)
{
    for (int seeds = 0; seeds <= of->seeds_max; seeds++) {
        load_image(of->folder, of->variant, seeds);
        assert_int_equal(open_image(seeds, of->variant, ZSTD_decompress), WARI_OK);
    }
}

static int set_up(void **state)
{
    (void)state;
    return solved_make(&solved, WARI_ABAPA, WARI_OWN, SEEDS) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    close_all();
    return solved_discard(&solved) ? 0 : -1;
}

/* ---- Values --------------------------------------------------------------------------------- */

static void assert_position(const struct solved *of, const struct wari_position *position)
{
    const int expected = ref_value(of->reference, position->pits);
    struct wari_analysis one, other;
    int value;
    assert_int_equal(wari_levels_value(levels, of->seeds_max + 1, position, &value, &error),
                     WARI_OK);
    assert_int_equal(value, expected);
    assert_int_equal(wari_levels_analyse(levels, of->seeds_max + 1, position, &one, &error),
                     WARI_OK);
    assert_int_equal(wari_analyse(of->db, position, &other, NULL), WARI_OK);
    assert_int_equal(one.value, expected);
    assert_int_equal(one.count, other.count);
    for (int i = 0; i < one.count; i++) {
        assert_int_equal(one.moves[i].value, other.moves[i].value);
        assert_int_equal(one.moves[i].move.pit, other.moves[i].move.pit);
    }
}

/* Checks all positions, or one in seven in small tests. */
static void assert_all_positions(const struct solved *of)
{
    for (int seeds = 0; seeds <= of->seeds_max; seeds++) {
        struct wari_position position;
        int number = 0;
        ref_first(seeds, position.pits);
        do
            if (number++ % test_scale(1, 7) == 0)
                assert_position(of, &position);
        while (ref_next(position.pits));
    }
}

static void pack_folder(const struct solved *of)
{
    const struct wari_pack pack = {.folder = of->folder, .variant = of->variant, .threads = 1};
    struct wari_pack_report report;
    assert_int_equal(wari_pack(&pack, &report, NULL), WARI_OK);
    assert_int_equal(report.packed, of->seeds_max); /* level 0 has one value, packed or not */
}

/* Level 6 is the first level with more than one chunk. */
static void the_values_are_those_of_the_reference_as_built_and_packed(void **state)
{
    static const struct {
        enum wari_rules rules;
        enum wari_cycle cycle;
        int seeds;
    } cases[] = {
        {WARI_WARRI, WARI_OWN, 4}, {WARI_SLAM_GIVES, WARI_EVEN, 4}, {WARI_AWARI, WARI_EVEN, 6}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct solved one;
        assert_true(solved_make(&one, cases[i].rules, cases[i].cycle, cases[i].seeds));
        open_all(&one);
        assert_false(levels[3].packed);
        assert_all_positions(&one);
        pack_folder(&one);
        open_all(&one);
        assert_true(levels[3].packed);
        assert_all_positions(&one);
        close_all();
        assert_true(solved_discard(&one));
    }
}

/* Random values lead to contexts and escapes that do not occur in real levels. Level 7 has four
 * chunks. They are decoded from the last value to the first, and from the first to the last. */
static void values_that_make_no_sense_are_read_in_any_order(void **state)
{
    const struct wari_level_key key = {solved.variant, 7};
    char folder[TABLE_FOLDER_MAX];
    (void)state;
    assert_true(table_folder_make(folder));
    struct sample sample = sample_make(folder, key);
    open_all(&solved);
    load_image(folder, key.variant, key.seeds);
    assert_int_equal(open_image(key.seeds, key.variant, ZSTD_decompress), WARI_OK);
    assert_true(levels[7].chunks > 3);
    struct wari_layout layout;
    wari_layout_init(&layout, key.seeds);
    for (int backwards = 0; backwards < 2; backwards++)
        for (uint64_t i = 0; i < levels[7].stored; i += (uint64_t)test_scale(1, 5)) {
            const uint64_t number = backwards ? levels[7].stored - 1 - i : i;
            struct wari_position position;
            int value;
            wari_layout_unrank(&layout, number, &position);
            assert_int_equal(wari_levels_value(levels, 8, &position, &value, &error), WARI_OK);
            assert_int_equal(value, sample.values[number]);
        }
    sample_free(&sample);
    close_all();
    assert_true(table_folder_remove(folder));
}

static void hashes_are_those_of_xxhash(void **state)
{
    enum { MOST = WARI_LEVELS_READ };
    static uint8_t bytes[MOST];
    static const uint64_t seeds[] = {0, 1, UINT64_C(0x9e3779b97f4a7c15), UINT64_MAX};
    (void)state;
    for (size_t i = 0; i < MOST; i++)
        bytes[i] = (uint8_t)(i * i * 31 >> 7);
    for (size_t count = WARI_XXH3_LEAST; count <= MOST; count += count < 270    ? 1
                                                                 : count < 2500 ? 61
                                                                                : 48319)
        for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
            assert_true(wari_xxh3(bytes + i, count - i, seeds[i]) ==
                            XXH3_64bits_withSeed(bytes + i, count - i, seeds[i]) ||
                        count - i < WARI_XXH3_LEAST);
    assert_true(wari_xxh3(bytes, MOST, 7) == XXH3_64bits_withSeed(bytes, MOST, 7));
}

/* ---- Damage --------------------------------------------------------------------------------- */

/* Finds the values of all positions of a level. Returns the first failure. */
static enum wari_status read_level(int seeds)
{
    struct wari_position position;
    ref_first(seeds, position.pits);
    do {
        int value = 99;
        const enum wari_status status = wari_levels_value(levels, COUNT, &position, &value, &error);
        if (status != WARI_OK) {
            assert_int_equal(value, 99);
            return status;
        }
        assert_int_equal(value, ref_value(solved.reference, position.pits));
    } while (ref_next(position.pits));
    return WARI_OK;
}

static void every_changed_byte_is_found(void **state)
{
    static const uint8_t changes[] = {0x01, 0x80, 0xff, 0x10};
    (void)state;
    open_all(&solved);
    struct file_image *image = &images[SMALL];
    assert_in_range(image->size, 300, 2000);
    for (size_t at = 0; at < image->size; at++) {
        image->bytes[at] ^= changes[at % sizeof changes];
        if (open_image(SMALL, solved.variant, ZSTD_decompress) == WARI_OK)
            assert_int_equal(read_level(SMALL), WARI_CORRUPT);
        else
            assert_int_equal(error.status, WARI_CORRUPT);
        assert_non_null(strstr(error.text, "file: "));
        image->bytes[at] ^= changes[at % sizeof changes];
    }
    assert_int_equal(open_image(SMALL, solved.variant, ZSTD_decompress), WARI_OK);
    assert_int_equal(read_level(SMALL), WARI_OK);
    for (size_t size = image->size; size-- > 0;) {
        image->size = size;
        assert_int_equal(open_image(SMALL, solved.variant, ZSTD_decompress), WARI_CORRUPT);
    }
    close_all();
}

/* Corrects the hashes of the header, the model and the only chunk of an image. */
static void seal(const struct file_image *image, struct wari_level_key key)
{
    const size_t model = HEADER_END + WARI_ENTRY_BYTES;
    const size_t bytes = (size_t)wari_load64(image->bytes + 80);
    const size_t chunk = model + bytes;
    wari_store64(image->bytes + MODEL_HASH,
                 wari_seeded_hash(key, WARI_HASH_MODEL, image->bytes + model, bytes));
    wari_store64(image->bytes + HEADER_END + 8,
                 wari_seeded_hash(key, 0, image->bytes + chunk, image->size - chunk));
    wari_store64(image->bytes + HEADER_HASH,
                 wari_seeded_hash(key, WARI_HASH_HEADER, image->bytes, HEADER_HASH));
}

/* Forged values may be wrong, but they are in range, and no byte outside of the file is read. */
static void forged_bytes_with_correct_hashes_do_no_harm(void **state)
{
    const struct wari_level_key key = {solved.variant, SMALL};
    struct random_positions random;
    int refused = 0;
    (void)state;
    random_positions_seed(&random, 1);
    open_all(&solved);
    struct file_image *image = &images[SMALL];
    uint8_t *intact = malloc(image->size);
    assert_non_null(intact);
    memcpy(intact, image->bytes, image->size);
    for (int round = 0; round < test_scale(3000, 300); round++) {
        const size_t first = round % 3 == 0 ? 16 : HEADER_END + WARI_ENTRY_BYTES;
        for (int i = 0; i < 3; i++) {
            const size_t at = first + random_below(&random, (uint32_t)(image->size - first));
            if (at < 80 || at >= 88) /* not the size of the model, which seal() needs */
                image->bytes[at] = (uint8_t)random_below(&random, 256);
        }
        seal(image, key);
        enum wari_status status = open_image(SMALL, solved.variant, ZSTD_decompress);
        struct wari_position position;
        ref_first(SMALL, position.pits);
        do {
            int value = 0;
            if (status == WARI_OK)
                status = wari_levels_value(levels, COUNT, &position, &value, &error);
            assert_in_range(value + SMALL, 0, 2 * SMALL);
        } while (ref_next(position.pits));
        assert_true(status == WARI_OK || status == WARI_CORRUPT || status == WARI_MISMATCH);
        refused += status != WARI_OK;
        memcpy(image->bytes, intact, image->size);
    }
    assert_true(refused > 20);
    free(intact);
    close_all();
}

/* ---- Refusals ------------------------------------------------------------------------------- */

static size_t fail_to_decompress(void *out, size_t capacity, const void *bytes, size_t count)
{
    (void)out;
    (void)bytes;
    (void)count;
    return capacity + 1;
}

static void assert_refused(enum wari_status status, enum wari_status expected, const char *words)
{
    assert_int_equal(status, expected);
    assert_int_equal(error.status, expected);
    assert_non_null(strstr(error.text, words));
}

static void what_cannot_be_opened_is_refused_with_the_reason(void **state)
{
    const struct wari_variant even = {WARI_ABAPA, WARI_EVEN};
    (void)state;
    open_all(&solved);
    assert_refused(open_image(2, solved.variant, NULL), WARI_MISMATCH, "need zstd");
    assert_refused(open_image(2, solved.variant, fail_to_decompress), WARI_CORRUPT,
                   "cannot be decompressed");
    assert_refused(open_image(2, even, ZSTD_decompress), WARI_MISMATCH,
                   "this file has level 2 of abapa own, not 2 of abapa even");
    load_image(solved.folder, solved.variant, 3);
    struct file_image third = images[3];
    images[3] = images[2];
    assert_refused(open_image(3, solved.variant, ZSTD_decompress), WARI_MISMATCH,
                   "this file has level 2");
    images[3] = third;
    assert_refused(open_image(47, solved.variant, ZSTD_decompress), WARI_BAD_INPUT, "no level 47");

    /* A file of a later version has the hash of its version. */
    uint8_t *header = images[2].bytes;
    wari_store32(header + FORMAT_FIELD, 3);
    wari_store64(header + HEADER_HASH, wari_seeded_hash((struct wari_level_key){solved.variant, 2},
                                                        WARI_HASH_HEADER, header, HEADER_HASH));
    assert_refused(open_image(2, solved.variant, ZSTD_decompress), WARI_MISMATCH,
                   "format version 3");
    assert_null(levels[2].source.read);
    close_all();
}

static void positions_that_the_levels_do_not_cover_are_refused(void **state)
{
    struct wari_position position = {{0, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0}};
    int value = 99;
    (void)state;
    open_all(&solved);
    assert_refused(wari_levels_value(levels, 4, &position, &value, &error), WARI_NOT_COVERED,
                   "the level with 4 seeds");
    position.pits[0] = 43;
    assert_refused(wari_levels_value(levels, 49, &position, &value, &error), WARI_NOT_COVERED,
                   "the level with 47 seeds");
    position.pits[0] = 200;
    assert_refused(wari_levels_value(levels, 49, &position, &value, &error), WARI_BAD_INPUT,
                   "at most 48 seeds, not 204");
    assert_int_equal(value, 99);

    /* F captures two seeds. */
    const struct wari_position capture = {{1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1}};
    struct wari_analysis analysis;
    levels[2].variant.cycle = WARI_EVEN;
    assert_refused(wari_levels_analyse(levels, COUNT, &capture, &analysis, &error), WARI_MISMATCH,
                   "different variants");
    levels[2].source.read = NULL;
    assert_refused(wari_levels_analyse(levels, COUNT, &capture, &analysis, &error),
                   WARI_NOT_COVERED, "the level with 2 seeds");
    close_all();
}

static void a_source_that_fails_is_reported(void **state)
{
    struct wari_position position = {{0, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0}};
    enum wari_status status;
    int calls = 0;
    (void)state;
    open_all(&solved);
    do { /* the first call fails, in the next round the second one, and so on */
        int value = 99;
        calls_left = calls++;
        status = open_image(4, solved.variant, ZSTD_decompress);
        if (status == WARI_OK)
            status = wari_levels_value(levels, COUNT, &position, &value, &error);
        assert_true(status == WARI_OK || (status == WARI_IO && value == 99));
    } while (status != WARI_OK);
    assert_int_equal(calls, 6);
    calls_left = -1;
    close_all();
}

TEST_GROUP(test_portable_levels)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_those_of_xxhash),
        cmocka_unit_test(the_values_are_those_of_the_reference_as_built_and_packed),
        cmocka_unit_test(values_that_make_no_sense_are_read_in_any_order),
        cmocka_unit_test(every_changed_byte_is_found),
        cmocka_unit_test(forged_bytes_with_correct_hashes_do_no_harm),
        cmocka_unit_test(what_cannot_be_opened_is_refused_with_the_reason),
        cmocka_unit_test(positions_that_the_levels_do_not_cover_are_refused),
        cmocka_unit_test(a_source_that_fails_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
