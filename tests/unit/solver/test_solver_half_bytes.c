/* Cells as half bytes, as solver/kernel/half_bytes.h describes them: an example worked out by
 * hand, encoding and decoding with every kernel, too small a buffer, and bytes that were never
 * encoded from cells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "solver/kernel/kernel.h"
#include "tests/support/each_kernel.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

enum { BATCHES_MOST = 300 };

static void *of_bytes(size_t bytes)
{
    void *memory = malloc(bytes);

    assert_non_null(memory);
    memset(memory, 0xa5, bytes);
    return memory;
}

static size_t capacity_for(size_t batches)
{
    return WARI_HALVES_HEAD + batches * WARI_HALVES_BATCH * 3 / 2 + WARI_HALVES_BATCH +
           WARI_HALVES_AHEAD;
}

/* Uses sixteen codes in 64 cells: 0 occurs 21 times, -1 to -14 occur three times each, and 99
 * occurs once. */
static void check_example(const struct wari_kernel_ops *kernel, struct random_positions *random)
{
    int8_t cells[WARI_HALVES_BATCH], back[WARI_HALVES_BATCH];
    const size_t capacity = capacity_for(1);
    uint8_t *bytes = of_bytes(capacity);
    struct wari_half_codes codes;

    (void)random;
    for (int i = 0; i < WARI_HALVES_BATCH; i++)
        cells[i] = (int8_t)(i < 45 ? -i / 3 : i < 63 ? 0 : 99);
    wari_choose_half_codes(cells, 1, &codes);
    assert_int_equal(codes.code[0], 0); /* the most frequent code */
    assert_int_equal(codes.half[99], WARI_HALF_CODES);
    assert_int_equal(kernel->to_halves(cells, 1, &codes, bytes, capacity),
                     WARI_HALVES_HEAD + 32 + 1);
    assert_memory_equal(bytes, codes.code, 15);
    assert_int_equal(bytes[15], 0);
    for (int i = 0; i < 32; i++) {
        assert_int_equal((int8_t)bytes[bytes[16 + i] & 15], cells[i]);
        if (i < 31)
            assert_int_equal((int8_t)bytes[bytes[16 + i] >> 4], cells[32 + i]);
    }
    assert_int_equal(bytes[16 + 31] >> 4, 15);
    assert_int_equal(bytes[48], 99);
    kernel->from_halves(bytes, 49, back, 1);
    assert_memory_equal(back, cells, sizeof cells);
    free(bytes);
}

static void an_example_worked_out_by_hand_is_encoded(void **state)
{
    (void)state;
    for_each_kernel(check_example);
}

/* Fills in random cells of several kinds: only one code, a few codes, or any code. Higher codes are
 * rarer. */
static void fill(struct random_positions *random, int8_t *cells, size_t batches)
{
    const uint32_t codes = 1 + random_below(random, random_below(random, 2) ? 256 : 20);

    for (size_t i = 0; i < batches * WARI_HALVES_BATCH; i++)
        cells[i] = (int8_t)(uint8_t)random_below(random, 1 + random_below(random, codes));
}

static void encode_and_decode(const struct wari_kernel_ops *kernel, struct random_positions *random)
{
    for (int i = 0; i < test_scale(400, 40); i++) {
        const size_t batches = 1 + random_below(random, BATCHES_MOST),
                     capacity = capacity_for(batches);
        const size_t cells = batches * WARI_HALVES_BATCH;
        int8_t *from = of_bytes(cells), *back = of_bytes(cells);
        uint8_t *bytes = of_bytes(capacity), *plain = of_bytes(capacity);
        struct wari_half_codes codes;
        size_t size, others = 0;
        fill(random, from, batches);
        wari_choose_half_codes(from, batches, &codes);
        for (size_t j = 0; j < cells; j++)
            others += codes.half[(uint8_t)from[j]] == WARI_HALF_CODES;
        size = kernel->to_halves(from, batches, &codes, bytes, capacity);
        assert_int_equal(size, WARI_HALVES_HEAD + cells / 2 + others);
        assert_int_equal(wari_to_halves_portable(from, batches, &codes, plain, capacity), size);
        assert_memory_equal(bytes, plain, size);
        kernel->from_halves(bytes, size, back, batches);
        assert_memory_equal(back, from, cells);
        free(from), free(back), free(bytes), free(plain);
    }
}

static void cells_are_the_same_after_encoding_and_decoding(void **state)
{
    (void)state;
    for_each_kernel(encode_and_decode);
}

/* Checks that nothing is written past the end of the buffer, and that 0 is returned if the buffer
 * is too small. */
static void encode_into_small_buffers(const struct wari_kernel_ops *kernel,
                                      struct random_positions *random)
{
    int8_t cells[4 * WARI_HALVES_BATCH];
    struct wari_half_codes codes;
    const size_t enough = capacity_for(4);

    for (size_t i = 0; i < sizeof cells; i++)
        cells[i] = (int8_t)(uint8_t)random_below(random, 256);
    wari_choose_half_codes(cells, 4, &codes);
    for (size_t capacity = 0; capacity < enough; capacity++) {
        uint8_t *bytes = of_bytes(capacity > 0 ? capacity : 1);
        const size_t size = kernel->to_halves(cells, 4, &codes, bytes, capacity);
        assert_true(size == 0 || size + WARI_HALVES_AHEAD <= capacity);
        assert_true(size == 0 || capacity > WARI_HALVES_HEAD + 3 * WARI_HALVES_BATCH);
        free(bytes);
    }
}

static void nothing_is_written_past_a_small_buffer(void **state)
{
    (void)state;
    for_each_kernel(encode_into_small_buffers);
}

/* Decodes random bytes. The decoded cells have no meaning, but nothing may be written outside of
 * them. */
static void decode_random_bytes(const struct wari_kernel_ops *kernel,
                                struct random_positions *random)
{
    for (int i = 0; i < test_scale(200, 20); i++) {
        const size_t batches = 1 + random_below(random, 8), cells = batches * WARI_HALVES_BATCH;
        const size_t size = WARI_HALVES_HEAD + cells / 2 + random_below(random, 40);
        uint8_t *bytes = of_bytes(size + WARI_HALVES_AHEAD);
        int8_t *back = of_bytes(cells + 1);
        for (size_t j = 0; j < size; j++)
            bytes[j] = (uint8_t)(random_below(random, 2) ? 0xff : random_below(random, 256));
        kernel->from_halves(bytes, size, back, batches);
        assert_int_equal((uint8_t)back[cells], 0xa5);
        free(bytes), free(back);
    }
}

static void decoding_random_bytes_writes_only_the_cells(void **state)
{
    (void)state;
    for_each_kernel(decode_random_bytes);
}

TEST_GROUP(test_solver_half_bytes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_example_worked_out_by_hand_is_encoded),
        cmocka_unit_test(cells_are_the_same_after_encoding_and_decoding),
        cmocka_unit_test(nothing_is_written_past_a_small_buffer),
        cmocka_unit_test(decoding_random_bytes_writes_only_the_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
