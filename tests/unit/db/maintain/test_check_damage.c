/* Databases in memory are damaged in every way. wari_check() finds the damage and reports its
 * location, and a probe returns the true value or an error, never another value.
 *
 * Expected values come from the reference solver; expected locations are computed by hand from
 * db/FORMAT.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/format/chunk.h"
#include "db/host/bytes.h"
#include "db/maintain/check.h"
#include "db/wari.h"
#include "solver/build.h"
#include "tests/reference/random_positions.h"
#include "tests/support/memory_host.h"
#include "tests/support/scale.h"
#include "tests/support/table_files.h"
#include "tests/unit/groups.h"

/* The small level has one chunk, as all levels up to 5 seeds; the large level has ten. */
enum { SMALL = 4, LARGE = 8, HEADER = 128, ENTRY = 16 };

static const struct wari_variant variant = {WARI_ABAPA, WARI_OWN};
static const struct wari_variant stranger = {WARI_ABAPA, WARI_EVEN};

/* Hosts, each with a folder of two variants. `small` has the levels 0 to SMALL, `large` has the
 * levels 0 to LARGE. */
static struct memory_host *small, *large;
static struct memory_host *intact; /* a copy of the files before a test damages them */
static struct table truth;         /* the true values of `variant` */

static struct memory_host *build(int seeds)
{
    struct memory_host *memory = memory_host_create();
    const struct wari_variant variants[] = {variant, stranger};
    for (int i = 0; i < 2; i++) {
        const struct wari_build build = {.folder = "folder",
                                         .variant = variants[i],
                                         .seeds = seeds,
                                         .threads = 1,
                                         .host = &memory->host};
        assert_int_equal(wari_build(&build, NULL), WARI_OK);
    }
    return memory;
}

static int set_up(void **state)
{
    (void)state;
    assert_int_equal(table_solve(&truth, variant, LARGE), WARI_OK);
    small = build(SMALL);
    large = build(LARGE);
    intact = memory_host_create();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    table_free(&truth);
    memory_host_destroy(small);
    memory_host_destroy(large);
    memory_host_destroy(intact);
    return 0;
}

/* ---- Checks and probes ---------------------------------------------------------------------- */

struct findings {
    int count;
    enum wari_status worst;
    enum wari_status status; /* status of the first finding; the next field also describes this
                              * finding */
    char file[MEMORY_NAME], part[16];
    uint64_t offset;
};

static void note(void *context, const struct wari_damage *damage)
{
    struct findings *findings = context;
    if (strstr(damage->text, "listed but missing") == NULL) /* its text names levels, not files */
        assert_non_null(strstr(damage->text, damage->file));
    if (findings->count++ > 0)
        return;
    findings->status = damage->status;
    findings->offset = damage->offset;
    snprintf(findings->file, sizeof findings->file, "%s", damage->file);
    snprintf(findings->part, sizeof findings->part, "%s", damage->part);
}

static struct findings look(struct memory_host *memory)
{
    struct findings findings = {0};
    const struct wari_check check = {.folder = "folder",
                                     .variant = variant,
                                     .threads = 1,
                                     .host = &memory->host,
                                     .found = note,
                                     .context = &findings};
    struct wari_check_report report;
    assert_int_equal(wari_check(&check, &report, NULL), WARI_OK);
    assert_int_equal(report.damaged, findings.count);
    assert_true((report.worst == WARI_OK) == (findings.count == 0));
    findings.worst = report.worst;
    return findings;
}

/* Probes every step-th stored position of all levels. Returns the number of probes that gave a
 * value. */
static long probe(struct memory_host *memory, int seeds_max, uint64_t first, uint64_t step)
{
    const struct wari_options options = {.cache_bytes = 1 << 17, .host = &memory->host};
    struct wari_db *db;
    struct wari_error error;
    long answers = 0;
    enum wari_status status = wari_open(&db, "folder", &variant, &options, &error);
    if (status != WARI_OK) {
        assert_true(status == WARI_CORRUPT || status == WARI_MISMATCH || status == WARI_IO);
        assert_non_null(strstr(error.text, "abapa-own"));
        return 0;
    }
    for (int n = 0; n <= seeds_max; n++) {
        const uint64_t positions = wari_level_positions(n);
        for (uint64_t cell = first % positions; cell < positions; cell += step) {
            struct wari_position position;
            int value = 99;
            wari_layout_unrank(&truth.layout[n], cell, &position);
            status = wari_probe(db, &position, &value, &error);
            if (status != WARI_OK && status != WARI_CORRUPT && status != WARI_NOT_COVERED)
                fail_msg("%s", error.text);
            if (value != (status == WARI_OK ? truth.values[n][cell] : 99))
                fail_msg("level %d, cell %llu: %d", n, (unsigned long long)cell, value);
            answers += status == WARI_OK;
        }
    }
    wari_close(db);
    return answers;
}

/* Asserts that wari_check() finds the damage in `file`, at or after the location of the damage,
 * and that no probe returns a wrong value. */
static struct findings assert_found(struct memory_host *memory, int seeds_max, const char *file,
                                    uint64_t salt)
{
    struct findings findings = look(memory);
    if (findings.count == 0 || strcmp(findings.file, file) != 0)
        fail_msg("damage to %s (%llu) is not found", file, (unsigned long long)salt);
    probe(memory, seeds_max, salt, seeds_max == SMALL ? 41 : 7919);
    return findings;
}

/* ---- Bits ----------------------------------------------------------------------------------- */

/* Returns the offset of the part of a level file that contains byte `at`. */
static uint64_t part_start(const struct memory_file *file, uint64_t at, const char **part)
{
    const uint64_t chunks = wari_load64(file->bytes + 48);
    const uint64_t model = HEADER + chunks * ENTRY;
    const uint64_t payload = model + wari_load64(file->bytes + 80);
    *part = at < HEADER    ? "header"
            : at < model   ? "offset table"
            : at < payload ? "model"
                           : "chunks";
    if (at < payload)
        return at < HEADER ? 0 : at < model ? HEADER : model;
    uint64_t start = payload;
    for (uint64_t chunk = 0; wari_load64(file->bytes + HEADER + chunk * ENTRY) <= at; chunk++)
        start = wari_load64(file->bytes + HEADER + chunk * ENTRY);
    return start;
}

static void flip_and_look(struct memory_host *memory, int seeds_max, const char *name, uint64_t bit)
{
    struct memory_file *file = memory_host_file(memory, name);
    const char *part = "catalogue";
    const uint64_t start = strstr(name, ".wari") != NULL ? part_start(file, bit / 8, &part) : 0;

    file->bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    const struct findings findings = assert_found(memory, seeds_max, name, bit);
    if (findings.count != 1 || findings.status != WARI_CORRUPT || findings.offset != start ||
        strcmp(findings.part, part) != 0)
        fail_msg("%s, bit %llu: %s at offset %llu", name, (unsigned long long)bit, findings.part,
                 (unsigned long long)findings.offset);
    file->bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
}

/* Lists the files of the variant. */
static int names_of(struct memory_host *memory, const char *names[MEMORY_FILES])
{
    int count = 0;
    for (int i = 0; i < MEMORY_FILES; i++)
        if (memory->name[i].now != MEMORY_NONE && strstr(memory->name[i].text, "abapa-own"))
            names[count++] = memory->name[i].text;
    return count;
}

static void every_flipped_bit_of_every_file_is_found_and_named(void **state)
{
    const char *names[MEMORY_FILES];
    const int count = names_of(small, names);

    (void)state;
    assert_int_equal(count, SMALL + 2);
    for (int i = 0; i < count; i++) {
        const uint64_t bits = 8 * (uint64_t)memory_host_file(small, names[i])->size;
        for (uint64_t bit = 0; bit < bits; bit += (uint64_t)test_scale(1, 17))
            flip_and_look(small, SMALL, names[i], bit);
    }
    assert_int_equal(look(small).count, 0);
}

static void a_thousand_bits_flipped_at_random_are_found_and_named(void **state)
{
    const char *names[MEMORY_FILES];
    const int count = names_of(large, names);
    struct random_positions random;
    uint64_t all = 0;

    (void)state;
    random_positions_seed(&random, 5);
    for (int i = 0; i < count; i++)
        all += memory_host_file(large, names[i])->size;
    for (int flip = 0; flip < test_scale(1000, 100); flip++) {
        uint64_t byte = random_below(&random, (uint32_t)all);
        int i = 0;
        while (byte >= memory_host_file(large, names[i])->size)
            byte -= memory_host_file(large, names[i++])->size;
        flip_and_look(large, LARGE, names[i], 8 * byte + random_below(&random, 8));
    }
    assert_int_equal(look(large).count, 0);
}

/* A flipped bit in one chunk must not affect the positions of all other chunks. */
static void a_flipped_bit_costs_the_values_of_one_chunk(void **state)
{
    struct memory_file *file = memory_host_file(large, "abapa-own-8.wari");
    const uint64_t all = wari_level_positions(LARGE);
    long answers = probe(large, LARGE, 0, 1);

    (void)state;
    file->bytes[file->size - 1] ^= 1;
    /* The last chunk has fewer positions than the others: the remainder of 75,504 positions. */
    assert_int_equal(probe(large, LARGE, 0, 1),
                     answers - (long)(all - 9 * (uint64_t)WARI_CHUNK_POSITIONS));
    file->bytes[file->size - 1] ^= 1;
}

/* ---- Lengths -------------------------------------------------------------------------------- */

static void cut_and_look(struct memory_host *memory, int seeds_max, size_t step)
{
    const char *names[MEMORY_FILES];
    const int count = names_of(memory, names);
    for (int i = 0; i < count; i++) {
        struct memory_file *file = memory_host_file(memory, names[i]);
        const size_t size = file->size;
        for (size_t cut = 0; cut < size; cut += step) {
            file->size = cut;
            assert_found(memory, seeds_max, names[i], cut);
        }
        file->size = size;
    }
    assert_int_equal(look(memory).count, 0);
}

static void every_shorter_file_is_found(void **state)
{
    (void)state;
    cut_and_look(small, SMALL, (size_t)test_scale(1, 5));
    cut_and_look(large, LARGE, (size_t)test_scale(101, 1009));
}

static void appended_bytes_are_found(void **state)
{
    static const size_t more[] = {1, 16, 512, 4096};
    const char *names[MEMORY_FILES];
    const int count = names_of(small, names);

    (void)state;
    memory_host_copy(intact, small, false, false);
    for (int i = 0; i < count; i++) {
        const struct memory_file *file = memory_host_file(intact, names[i]);
        uint8_t *longer = calloc(1, 2 * file->size + 4096);
        assert_non_null(longer);
        memcpy(longer, file->bytes, file->size);
        for (size_t k = 0; k < sizeof more / sizeof *more; k++) { /* zeros */
            memory_host_store(small, names[i], longer, file->size + more[k]);
            assert_found(small, SMALL, names[i], k);
        }
        memcpy(longer + file->size, file->bytes, file->size); /* the file once more */
        memory_host_store(small, names[i], longer, 2 * file->size);
        assert_found(small, SMALL, names[i], 0);
        memory_host_store(small, names[i], file->bytes, file->size);
        free(longer);
    }
    assert_int_equal(look(small).count, 0);
}

/* ---- Sectors, chunks, files ----------------------------------------------------------------- */

static void sectors_of_zeros_are_found(void **state)
{
    static const size_t sectors[] = {512, 4096};
    const char *names[MEMORY_FILES];
    const int count = names_of(large, names);
    long zeroed = 0;

    (void)state;
    memory_host_copy(intact, large, false, false);
    for (int i = 0; i < count; i++) {
        struct memory_file *file = memory_host_file(large, names[i]);
        for (int k = 0; k < 2; k++) {
            const size_t step = sectors[k] * (size_t)test_scale(1, 9);
            for (size_t at = 0; at < file->size; at += step) {
                const size_t left = file->size - at;
                const size_t bytes = left < sectors[k] ? left : sectors[k];
                memset(file->bytes + at, 0, bytes);
                assert_found(large, LARGE, names[i], at);
                memcpy(file->bytes + at, memory_host_file(intact, names[i])->bytes + at, bytes);
                zeroed++;
            }
        }
    }
    assert_int_equal(look(large).count, 0);
    assert_true(zeroed > 2 * count);
}

/* The chunks are exchanged twice: with their entries in the table exchanged as well, and
 * without. */
static void chunks_that_changed_places_are_found(void **state)
{
    struct memory_file *file = memory_host_file(large, "abapa-own-8.wari");
    const uint64_t start = HEADER + 10 * ENTRY + wari_load64(file->bytes + 80);
    const uint64_t middle = wari_load64(file->bytes + HEADER);
    const uint64_t end = wari_load64(file->bytes + HEADER + ENTRY);
    uint8_t *before = malloc(file->size);

    (void)state;
    assert_non_null(before);
    memcpy(before, file->bytes, file->size);
    memcpy(file->bytes + start, before + middle, end - middle);
    memcpy(file->bytes + start + (end - middle), before + start, middle - start);
    struct findings findings = assert_found(large, LARGE, "abapa-own-8.wari", 0);
    assert_string_equal(findings.part, "chunks");

    wari_store64(file->bytes + HEADER, start + (end - middle));
    memcpy(file->bytes + HEADER + 8, before + HEADER + ENTRY + 8, 8);
    memcpy(file->bytes + HEADER + ENTRY + 8, before + HEADER + 8, 8);
    findings = assert_found(large, LARGE, "abapa-own-8.wari", 0);
    assert_string_equal(findings.part, "offset table");
    memcpy(file->bytes, before, file->size);
    free(before);
    assert_int_equal(look(large).count, 0);
}

/* Copies a file to another name. */
static void put(const char *from, const char *under, enum wari_status expected)
{
    const struct memory_file *file = memory_host_file(intact, from);
    const struct memory_file *before = memory_host_file(intact, under);
    memory_host_store(small, under, file->bytes, file->size);
    const struct findings findings = assert_found(small, SMALL, under, file->size);
    assert_int_equal(findings.status, expected);
    memory_host_store(small, under, before->bytes, before->size);
}

static void files_of_another_level_or_variant_are_found(void **state)
{
    char from[MEMORY_NAME], under[MEMORY_NAME];

    (void)state;
    memory_host_copy(intact, small, false, false);
    for (int n = 0; n <= SMALL; n++) {
        snprintf(under, sizeof under, "abapa-own-%d.wari", n);
        for (int m = 0; m <= SMALL; m++) {
            snprintf(from, sizeof from, "abapa-own-%d.wari", m);
            if (m != n)
                put(from, under, WARI_MISMATCH);
        }
        snprintf(from, sizeof from, "abapa-even-%d.wari", n);
        put(from, under, WARI_MISMATCH);
        put("abapa-own.catalogue", under, WARI_CORRUPT);
    }
    put("abapa-even.catalogue", "abapa-own.catalogue", WARI_MISMATCH);
    put("abapa-own-3.wari", "abapa-own.catalogue", WARI_CORRUPT);
    assert_int_equal(look(small).count, 0);
}

static void a_missing_level_is_found(void **state)
{
    (void)state;
    memory_host_copy(intact, small, false, false);
    for (int n = 0; n <= SMALL; n++) {
        char name[MEMORY_NAME];
        snprintf(name, sizeof name, "abapa-own-%d.wari", n);
        assert_int_equal(small->host.unlink(small, name), 0);
        const struct findings findings = assert_found(small, SMALL, name, 0);
        assert_int_equal(findings.status, WARI_IO);
        assert_string_equal(findings.part, "file");
        memory_host_copy(small, intact, false, false);
    }
    assert_int_equal(look(small).count, 0);
}

/* The order of the findings does not matter: damage is worse than a file of another level, which
 * is worse than a missing file. */
static void the_worst_of_several_findings_is_reported(void **state)
{
    static const enum wari_status worst[] = {WARI_CORRUPT, WARI_MISMATCH, WARI_IO};
    static const int levels[] = {2, 3, 4};

    (void)state;
    memory_host_copy(intact, small, false, false);
    for (int turn = 0; turn < 6; turn++) {
        const int first = levels[turn % 3], second = levels[(turn + (turn < 3 ? 1 : 2)) % 3];
        const int third = 9 - first - second;
        for (int count = 1; count <= 3; count++) {
            char name[MEMORY_NAME];
            snprintf(name, sizeof name, "abapa-own-%d.wari", first);
            assert_int_equal(small->host.unlink(small, name), 0);
            if (count > 1) {
                const struct memory_file *other = memory_host_file(intact, "abapa-own-1.wari");
                snprintf(name, sizeof name, "abapa-own-%d.wari", second);
                memory_host_store(small, name, other->bytes, other->size);
            }
            if (count > 2) {
                snprintf(name, sizeof name, "abapa-own-%d.wari", third);
                memory_host_file(small, name)->bytes[HEADER] ^= 1;
            }
            const struct findings findings = look(small);
            assert_int_equal(findings.count, count);
            assert_int_equal(findings.worst, worst[3 - count]);
            memory_host_copy(small, intact, false, false);
        }
    }
}

TEST_GROUP(test_check_damage)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_flipped_bit_of_every_file_is_found_and_named),
        cmocka_unit_test(a_thousand_bits_flipped_at_random_are_found_and_named),
        cmocka_unit_test(a_flipped_bit_costs_the_values_of_one_chunk),
        cmocka_unit_test(every_shorter_file_is_found),
        cmocka_unit_test(appended_bytes_are_found),
        cmocka_unit_test(sectors_of_zeros_are_found),
        cmocka_unit_test(chunks_that_changed_places_are_found),
        cmocka_unit_test(files_of_another_level_or_variant_are_found),
        cmocka_unit_test(a_missing_level_is_found),
        cmocka_unit_test(the_worst_of_several_findings_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
