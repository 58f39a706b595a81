/* A book has the values of the database that it was made from. It never gives a wrong value,
 * whatever bytes are changed, removed, moved or forged, and whatever calls fail.
 *
 * Expected values come from the reference solver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/book/block.h"
#include "db/book/header.h"
#include "db/host/bytes.h"
#include "db/host/temporary_file.h"
#include "db/maintain/bind.h"
#include "tests/support/fault_host.h"
#include "tests/support/scale.h"
#include "tests/support/solved.h"
#include "tests/unit/groups.h"

enum { SEEDS = 6, BOOK_MAX = 1 << 16 };

static struct solved solved;    /* tournament: the database of most tests */
static uint8_t whole[BOOK_MAX]; /* the book of `solved` */
static size_t size;
static struct wari_book book; /* reads the bytes in `whole` */

static void path_in(const struct solved *of, char path[WARI_PATH_MAX])
{
    assert_int_equal(wari_path(path, NULL, of->folder, "test.book"), WARI_OK);
}

static enum wari_status bind_in(const struct solved *of, int seeds, const struct wari_host *host,
                                struct wari_bind_report *report)
{
    char path[WARI_PATH_MAX];
    path_in(of, path);
    const struct wari_bind bind = {.db = of->db, .seeds = seeds, .path = path, .host = host};
    return wari_bind(&bind, report, NULL);
}

static size_t read_book(const struct solved *of, uint8_t bytes[BOOK_MAX])
{
    char path[WARI_PATH_MAX];
    path_in(of, path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t count = fread(bytes, 1, BOOK_MAX, file);
    assert_in_range(count, 1, BOOK_MAX - 1);
    fclose(file);
    return count;
}

static int set_up(void **state)
{
    struct wari_bind_report report;
    (void)state;
    assert_true(solved_make(&solved, WARI_ABAPA, WARI_OWN, SEEDS));
    assert_int_equal(bind_in(&solved, SEEDS, NULL, &report), WARI_OK);
    size = read_book(&solved, whole);
    assert_int_equal(size, report.bytes);
    assert_int_equal(wari_book_open_memory(&book, whole, size, NULL), WARI_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    assert_true(solved_discard(&solved));
    return 0;
}

/* ---- Values --------------------------------------------------------------------------------- */

/* Checks the value and the moves of a position, whether or not the position has a number. */
static void assert_position(const struct solved *of, const struct wari_book *read,
                            struct wari_db *db, const struct wari_position *position)
{
    const int expected = ref_value(of->reference, position->pits);
    struct wari_analysis one, other;
    int value;
    assert_int_equal(wari_book_value(read, position, &value, NULL), WARI_OK);
    assert_int_equal(value, expected);
    assert_int_equal(wari_probe(db, position, &value, NULL), WARI_OK);
    assert_int_equal(value, expected);
    assert_int_equal(wari_book_analyse(read, position, &one, NULL), WARI_OK);
    assert_int_equal(wari_analyse(of->db, position, &other, NULL), WARI_OK);
    assert_int_equal(one.value, expected);
    assert_int_equal(one.count, other.count);
    for (int i = 0; i < one.count; i++) {
        assert_int_equal(one.moves[i].value, other.moves[i].value);
        assert_int_equal(one.moves[i].move.pit, other.moves[i].move.pit);
    }
}

/* Checks all positions, or a third of them in small tests. */
static void assert_all_positions(const struct solved *of)
{
    static uint8_t bytes[BOOK_MAX];
    static struct wari_book read;
    char path[WARI_PATH_MAX];
    struct wari_db *db;
    path_in(of, path);
    assert_int_equal(wari_book_open_memory(&read, bytes, read_book(of, bytes), NULL), WARI_OK);
    assert_int_equal(wari_open_book(&db, path, &of->variant, NULL, NULL), WARI_OK);
    for (int seeds = 0; seeds <= of->seeds_max; seeds++) {
        struct wari_position position;
        int number = 0;
        ref_first(seeds, position.pits);
        do
            if (number++ % test_scale(1, 3) == 0)
                assert_position(of, &read, db, &position);
        while (ref_next(position.pits));
    }
    wari_close(db);
}

static void a_book_has_the_values_of_the_reference_in_every_variant(void **state)
{
    (void)state;
    for (int rules = 0; rules < WARI_RULES_COUNT; rules++)
        for (int cycle = 0; cycle < WARI_CYCLE_COUNT; cycle++) {
            struct solved one;
            struct wari_bind_report report;
            assert_true(solved_make(&one, (enum wari_rules)rules, (enum wari_cycle)cycle, 5));
            assert_int_equal(bind_in(&one, 5, NULL, &report), WARI_OK);
            assert_all_positions(&one);
            assert_true(solved_discard(&one));
        }
    assert_all_positions(&solved);
}

static void a_book_of_fewer_seeds_has_these_alone(void **state)
{
    struct wari_bind_report report;
    (void)state;
    for (int seeds = 0; seeds < SEEDS; seeds++) {
        struct solved less = solved;
        less.seeds_max = seeds;
        assert_int_equal(bind_in(&solved, seeds, NULL, &report), WARI_OK);
        assert_all_positions(&less);
    }
    assert_int_equal(bind_in(&solved, SEEDS + 1, NULL, &report), WARI_NOT_COVERED);
    assert_int_equal(bind_in(&solved, SEEDS, NULL, &report), WARI_OK);
}

static void a_handle_on_a_book_says_what_one_on_its_folder_says(void **state)
{
    char path[WARI_PATH_MAX];
    struct wari_db *db;
    (void)state;
    path_in(&solved, path);
    assert_int_equal(wari_open_book(&db, path, NULL, NULL, NULL), WARI_OK);
    for (int seeds = 0; seeds <= SEEDS; seeds++) {
        const size_t count = (size_t)wari_level_size(seeds);
        struct wari_level_info one, other;
        int8_t *values = malloc(count);
        assert_non_null(values);
        assert_int_equal(wari_values(db, seeds, 0, count, values, NULL), WARI_OK);
        assert_memory_equal(values, solved.table.values[seeds], count);
        free(values);
        assert_int_equal(wari_get_level_info(db, seeds, &one, NULL), WARI_OK);
        assert_int_equal(wari_get_level_info(solved.db, seeds, &other, NULL), WARI_OK);
        assert_int_equal(one.payload_hash, other.payload_hash);
        assert_memory_equal(one.histogram, other.histogram, sizeof one.histogram);
    }
    wari_close(db);
}

/* A packed file leaves out the same positions as a book, so the numbers of positions must be equal.
 */
static void a_book_holds_half_of_each_level(void **state)
{
    struct wari_book all = book;
    (void)state;
    all.seeds = WARI_SEEDS_MAX;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++)
        assert_int_equal(wari_book_held(&all, seeds),
                         seeds == 47 ? 0 : wari_packed_positions(seeds));
    assert_int_equal(wari_book_held(&book, SEEDS + 1), 0);
    assert_int_equal(wari_book_held(&book, -1), 0);
}

static void invalid_queries_are_refused(void **state)
{
    const struct wari_variant other = {WARI_ABAPA, WARI_EVEN};
    struct wari_position position = {{0}};
    struct wari_analysis analysis;
    struct wari_db *db;
    int8_t values[WARI_BOOK_CELLS];
    char path[WARI_PATH_MAX];
    int value = 99;
    (void)state;
    position.pits[3] = SEEDS + 1;
    assert_int_equal(wari_book_value(&book, &position, &value, NULL), WARI_NOT_COVERED);
    assert_int_equal(wari_book_analyse(&book, &position, &analysis, NULL), WARI_NOT_COVERED);
    position.pits[3] = WARI_SEEDS_MAX + 1;
    assert_int_equal(wari_book_value(&book, &position, &value, NULL), WARI_BAD_INPUT);
    assert_int_equal(value, 99);
    assert_int_equal(wari_book_block(&book, 0, 1, values, NULL), WARI_BAD_INPUT);
    assert_int_equal(wari_book_block(&book, SEEDS + 1, 0, values, NULL), WARI_BAD_INPUT);
    path_in(&solved, path);
    assert_int_equal(wari_open_book(&db, path, &other, NULL, NULL), WARI_MISMATCH);
    assert_null(db);
    assert_int_equal(wari_open_book(&db, "/no/such/book", NULL, NULL, NULL), WARI_IO);
    assert_int_equal(wari_open_book(&db, solved.folder, NULL, NULL, NULL), WARI_IO);
}

/* ---- Damage --------------------------------------------------------------------------------- */

/* Asserts that every value in each block that can be decoded is correct. Returns true if all
 * blocks can be decoded. */
static bool assert_blocks(const struct wari_book *read)
{
    bool all = true;
    for (int seeds = 0; seeds <= SEEDS; seeds++) {
        const uint64_t held = wari_book_held(read, seeds);
        for (uint64_t first = 0; first < held; first += WARI_BOOK_CELLS) {
            int8_t values[WARI_BOOK_CELLS];
            const size_t count =
                held - first < WARI_BOOK_CELLS ? (size_t)(held - first) : (size_t)WARI_BOOK_CELLS;
            const enum wari_status status =
                wari_book_block(read, seeds, first / WARI_BOOK_CELLS, values, NULL);
            if (status == WARI_OK)
                assert_memory_equal(values, solved.table.values[seeds] + first, count);
            else
                assert_int_equal(status, WARI_CORRUPT);
            all &= status == WARI_OK;
        }
    }
    return all;
}

static void every_byte_that_is_changed_is_found(void **state)
{
    struct wari_book read;
    const uint8_t changes[] = {0x01, 0x80, 0xff};
    (void)state;
    for (size_t at = 0; at < size; at += (size_t)test_scale(1, 7)) {
        const uint8_t change = changes[at % sizeof changes];
        whole[at] ^= change;
        enum wari_status status = wari_book_open_memory(&read, whole, size, NULL);
        if (status == WARI_OK) {
            const bool all = assert_blocks(&read);
            assert_true(all || at < book.record);
            status = wari_book_check(&read, NULL, NULL);
        }
        assert_int_equal(status, WARI_CORRUPT);
        whole[at] ^= change;
    }
    assert_int_equal(wari_book_check(&book, NULL, NULL), WARI_OK);
}

static void a_book_that_is_cut_or_longer_is_refused(void **state)
{
    struct wari_book read;
    (void)state;
    for (size_t bytes = 0; bytes < size; bytes += bytes < 1000 ? 1 : (size_t)test_scale(1, 7)) {
        uint8_t *cut = malloc(
            bytes + 1); /* a separate allocation, so that sanitizers detect a read after its end */
        assert_non_null(cut);
        memcpy(cut, whole, bytes);
        assert_int_equal(wari_book_open_memory(&read, cut, bytes, NULL), WARI_CORRUPT);
        free(cut);
    }
    assert_int_equal(wari_book_open_memory(&read, whole, size + 1, NULL), WARI_CORRUPT);
}

static void head_again(uint8_t *bytes)
{
    wari_store32(bytes + WARI_BOOK_HEADER_HASH,
                 wari_fnv32(WARI_FNV32_BEGIN, bytes, WARI_BOOK_HEADER_HASH));
}

static void another_format_is_distinguished_from_damage(void **state)
{
    static uint8_t other[BOOK_MAX];
    struct wari_book read;
    (void)state;
    memcpy(other, whole, size);
    wari_store32(other + WARI_BOOK_HEADER_FORMAT, WARI_BOOK_FORMAT + 1);
    assert_int_equal(wari_book_open_memory(&read, other, size, NULL), WARI_CORRUPT);
    head_again(other);
    assert_int_equal(wari_book_open_memory(&read, other, size, NULL), WARI_MISMATCH);
}

static void headers_that_contradict_themselves_are_refused(void **state)
{
    static uint8_t other[BOOK_MAX];
    struct wari_book read;
    (void)state;
    for (int at = WARI_BOOK_HEADER_LENGTH; at < WARI_BOOK_HEADER_HASH; at++) {
        if (at / 4 == WARI_BOOK_HEADER_RULES / 4 || at / 4 == WARI_BOOK_HEADER_CYCLE / 4)
            continue; /* the bytes name another variant, so the hashes of the blocks do not match */
        memcpy(other, whole, size);
        other[at] ^= 0x40;
        head_again(other);
        if (wari_book_open_memory(&read, other, size, NULL) == WARI_OK)
            assert_int_equal(wari_book_check(&read, NULL, NULL), WARI_CORRUPT);
    }
    memcpy(other, whole, size);
    wari_store32(other + WARI_BOOK_HEADER_RULES, WARI_AWARI);
    head_again(other);
    assert_int_equal(wari_book_open_memory(&read, other, size, NULL), WARI_OK);
    assert_false(assert_blocks(&read));
}

/* Corrects the hash of `block` after its bytes were changed. */
static void hash_again(uint8_t *bytes, const struct wari_block *block)
{
    uint8_t *at = bytes + block->offset;
    wari_store32(at,
                 wari_fnv32(wari_block_seed(book.seed, block->number), at + 4, block->size - 4));
}

static void an_intact_block_in_a_wrong_place_is_refused(void **state)
{
    static uint8_t other[BOOK_MAX];
    struct wari_block one, next;
    struct wari_book read;
    int8_t values[WARI_BOOK_CELLS];
    (void)state;
    memcpy(other, whole, size);
    assert_int_equal(wari_block_load(&book, SEEDS, 0, &one, NULL), WARI_OK);
    assert_int_equal(wari_block_load(&book, SEEDS, WARI_BOOK_CELLS, &next, NULL), WARI_OK);
    /* Makes the first table entry point to the second block, with the right size. */
    uint8_t *entry =
        other + book.table + one.number / WARI_INDEX_ENTRY_BLOCKS * WARI_INDEX_ENTRY_BYTES;
    const uint64_t before = one.number % WARI_INDEX_ENTRY_BLOCKS;
    wari_store64(entry, wari_load64(entry) + one.size);
    wari_store16(entry + 8 + 2 * before, (uint16_t)next.size);
    assert_int_equal(wari_book_open_memory(&read, other, size, NULL), WARI_OK);
    assert_int_equal(wari_book_block(&read, SEEDS, 0, values, NULL), WARI_CORRUPT);
}

/* Sanitizers check that no memory outside the buffers is read or written. Every value that is
 * returned must be possible in the level. */
static void made_up_bytes_behind_right_hashes_do_no_harm(void **state)
{
    static uint8_t other[BOOK_MAX];
    struct wari_book read;
    uint32_t random = 1;
    (void)state;
    for (int i = 0; i < test_scale(50000, 1000); i++) {
        struct wari_block block;
        int8_t values[WARI_BOOK_CELLS];
        const int seeds = i % (SEEDS + 1);
        memcpy(other, whole, size);
        assert_int_equal(wari_block_load(&book, seeds, 0, &block, NULL), WARI_OK);
        for (size_t at = 4; at < block.size; at += 1 + random % 16) {
            random = random * 1664525 + 1013904223;
            other[block.offset + at] = (uint8_t)(random >> 24);
        }
        hash_again(other, &block);
        assert_int_equal(wari_book_open_memory(&read, other, size, NULL), WARI_OK);
        if (wari_book_block(&read, seeds, 0, values, NULL) == WARI_OK)
            for (int cell = 0; cell < block.cells; cell++)
                assert_in_range(values[cell] + seeds, 0, 2 * seeds);
    }
}

/* The test adds a word to a block, with a correct hash. */
static void a_block_ends_with_its_values(void **state)
{
    static uint8_t other[BOOK_MAX];
    struct wari_block block;
    struct wari_book read;
    int8_t values[WARI_BOOK_CELLS];
    (void)state;
    memcpy(other, whole, size);
    assert_int_equal(wari_block_load(&book, SEEDS, 0, &block, NULL), WARI_OK);
    uint8_t *entry =
        other + book.table + block.number / WARI_INDEX_ENTRY_BLOCKS * WARI_INDEX_ENTRY_BYTES;
    block.size += 2; /* the block now includes the first bytes of the next block */
    wari_store16(entry + 8 + 2 * (block.number % WARI_INDEX_ENTRY_BLOCKS), (uint16_t)block.size);
    hash_again(other, &block);
    assert_int_equal(wari_book_open_memory(&read, other, size, NULL), WARI_OK);
    assert_int_equal(wari_book_block(&read, SEEDS, 0, values, NULL), WARI_CORRUPT);
}

/* One byte of the models is changed, and their hash is corrected. A changed symbol is found when
 * blocks are decoded; any other change is found when the book is opened. */
static void made_up_models_are_refused(void **state)
{
    static uint8_t other[BOOK_MAX];
    struct wari_book read;
    const size_t bytes = (size_t)(book.table - WARI_BOOK_HEADER_BYTES);
    (void)state;
    for (size_t at = 0; at < bytes; at += (size_t)test_scale(1, 5)) {
        const bool symbol = at >= WARI_BOOK_CONTEXTS && (at - WARI_BOOK_CONTEXTS) % 3 == 0;
        memcpy(other, whole, size);
        other[WARI_BOOK_HEADER_BYTES + at] ^= 0x10;
        wari_store32(other + WARI_BOOK_HEADER_MODEL_HASH,
                     wari_fnv32(WARI_FNV32_BEGIN, other + WARI_BOOK_HEADER_BYTES, bytes));
        head_again(other);
        const enum wari_status status = wari_book_open_memory(&read, other, size, NULL);
        assert_int_equal(status, symbol ? WARI_OK : WARI_CORRUPT);
        if (symbol)
            assert_int_equal(wari_book_check(&read, NULL, NULL), WARI_CORRUPT);
    }
}

/* ---- Calls that fail ------------------------------------------------------------------------ */

static int calls_left;

static int read_or_fail(void *context, uint64_t offset, void *buffer, size_t bytes)
{
    (void)context;
    assert_true(offset <= size && bytes <= size - offset);
    if (calls_left-- == 0)
        return -1;
    memcpy(buffer, whole + offset, bytes);
    return 0;
}

static void a_source_that_fails_is_reported(void **state)
{
    const struct wari_book_source source = {read_or_fail, NULL, size, "source"};
    const struct wari_position position = {{0, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1}};
    enum wari_status status;
    struct wari_book read;
    int value = 99, k = 0;
    (void)state;
    do {
        calls_left = k++;
        status = wari_book_open(&read, &source, NULL);
        if (status == WARI_OK)
            status = wari_book_value(&read, &position, &value, NULL);
        assert_true(status == WARI_OK || (status == WARI_IO && value == 99));
    } while (status != WARI_OK);
    assert_in_range(k, 5, 60); /* two reads to open, two for each value */
    assert_int_equal(value, ref_value(solved.reference, position.pits));
}

static void the_kth_call_to_the_machine_fails(void **state)
{
    static uint8_t found[BOOK_MAX];
    struct wari_bind_report report;
    struct fault_host fault;
    char path[WARI_PATH_MAX], temporary[WARI_PATH_MAX];
    bool fired = true;
    (void)state;
    path_in(&solved, path);
    assert_int_equal(wari_unfinished_path(temporary, path, NULL), WARI_OK);
    for (long k = 1; fired; k++) {
        struct wari_db *db;
        const struct wari_options options = {.host = &fault.host};
        fault_host_init(&fault, FAULT_ANY, k);
        enum wari_status status = bind_in(&solved, SEEDS, &fault.host, &report);
        if (status == WARI_OK) {
            status = wari_open_book(&db, path, NULL, &options, NULL);
            wari_close(db);
        }
        fired = fault_host_fired(&fault);
        assert_true(status == WARI_OK || fired);
        assert_true(fault_host_clean(&fault));
        assert_int_equal(read_book(&solved, found), size);
        assert_memory_equal(found, whole, size);
        assert_true(access(temporary, F_OK) != 0 || fired);
    }
}

TEST_GROUP(test_book)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_book_has_the_values_of_the_reference_in_every_variant),
        cmocka_unit_test(a_book_of_fewer_seeds_has_these_alone),
        cmocka_unit_test(a_handle_on_a_book_says_what_one_on_its_folder_says),
        cmocka_unit_test(a_book_holds_half_of_each_level),
        cmocka_unit_test(invalid_queries_are_refused),
        cmocka_unit_test(every_byte_that_is_changed_is_found),
        cmocka_unit_test(a_book_that_is_cut_or_longer_is_refused),
        cmocka_unit_test(another_format_is_distinguished_from_damage),
        cmocka_unit_test(headers_that_contradict_themselves_are_refused),
        cmocka_unit_test(an_intact_block_in_a_wrong_place_is_refused),
        cmocka_unit_test(made_up_bytes_behind_right_hashes_do_no_harm),
        cmocka_unit_test(a_block_ends_with_its_values),
        cmocka_unit_test(made_up_models_are_refused),
        cmocka_unit_test(a_source_that_fails_is_reported),
        cmocka_unit_test(the_kth_call_to_the_machine_fails),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
