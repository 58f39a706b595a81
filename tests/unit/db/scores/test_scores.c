/* Offsets in score files, and reading them.
 *
 * Expected values: the order from an odometer that counts through f, e, d, c, b, a, F, ..., A; the
 * published sizes; and positions whose numbers were counted by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/scores/score_file.h"
#include "index/half.h"
#include "tests/unit/groups.h"

/* Advances `count` digits, the first of which is the most significant, to the next digits with a
 * sum of at most `most`. Returns false after the last. */
static bool advance(uint8_t *digits, int count, int most)
{
    for (int at = count - 1; at >= 0; at--) {
        int sum = 0;
        for (int i = 0; i < at; i++)
            sum += digits[i];
        if (sum + digits[at] < most) {
            digits[at]++;
            return true;
        }
        digits[at] = 0;
    }
    return false;
}

/* Sets a position from its counts of f, e, d, c, b, a, F, ..., A. */
static struct wari_position position_of(const uint8_t digits[WARI_PITS])
{
    struct wari_position position;

    for (int i = 0; i < WARI_HALF_PITS; i++) {
        position.pits[WARI_PITS - 1 - i] = digits[i];
        position.pits[WARI_HALF_PITS - 1 - i] = digits[WARI_HALF_PITS + i];
    }
    return position;
}

static void positions_are_numbered_in_the_order_of_their_counts(void **state)
{
    struct wari_score_order order;

    (void)state;
    wari_score_order_init(&order);
    for (int seeds = 0; seeds <= 8; seeds++) {
        uint8_t digits[WARI_PITS] = {0};
        uint64_t expected = 0;
        do {
            const struct wari_position position = position_of(digits);
            if (wari_seeds(&position) == seeds && wari_position_stored(&position)) {
                assert_int_equal(wari_score_offset(&order, &position), expected);
                expected++;
            }
        } while (advance(digits, WARI_PITS, seeds));
        assert_int_equal(expected, wari_level_positions(seeds));
    }
}

/* The offset of a row is the offset of the row before it plus the number of columns of that row. */
static void rows_of_large_levels_follow_each_other(void **state)
{
    static const int levels[] = {20, 36, 46, 48};
    struct wari_score_order order;

    (void)state;
    wari_score_order_init(&order);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        const int seeds = levels[i];
        uint8_t half[WARI_HALF_PITS], digits[WARI_HALF_PITS] = {0};
        uint64_t state_of_random = 1, expected = 0;
        bool known = true;
        for (int row = 0; row < 20000; row++) {
            for (int pit = 0; pit < WARI_HALF_PITS; pit++)
                half[pit] = digits[WARI_HALF_PITS - 1 - pit];
            if (!wari_half_full(half)) {
                if (known)
                    assert_int_equal(wari_score_row_offset(&order, seeds, half), expected);
                known = true;
                expected = wari_score_row_offset(&order, seeds, half) +
                           wari_half_count(seeds - wari_half_seeds(half));
            }
            if (!advance(digits, WARI_HALF_PITS, seeds)) {
                assert_int_equal(expected, wari_level_positions(seeds));
                break;
            }
            known = known && row % 100 != 99;
            if (row % 100 == 99) /* continue at a random row */
                for (int pit = 0, left = seeds; pit < WARI_HALF_PITS; pit++) {
                    state_of_random = state_of_random * 6364136223846793005U + 1442695040888963407U;
                    digits[pit] = (uint8_t)((state_of_random >> 33) % (uint64_t)(left / 2 + 1));
                    left -= digits[pit];
                }
        }
    }
}

static void the_last_position_of_level_48_is_the_last_byte(void **state)
{
    struct wari_position position = {{0}};
    struct wari_score_order order;

    (void)state;
    wari_score_order_init(&order);
    position.pits[WARI_PITS - 1] = 48;
    assert_true(wari_score_offset(&order, &position) == UINT64_C(203648015934));
    position.pits[WARI_PITS - 1] = 0;
    position.pits[0] = 48;
    assert_int_equal(wari_score_offset(&order, &position), 0);
    position.pits[0] = 0;
    position.pits[WARI_HALF_PITS - 1] = 48; /* all in F: the last of C(53, 5) columns */
    assert_int_equal(wari_score_offset(&order, &position), 2869684);
}

/* Reads parts of a file while `bytes` holds its contents in memory. One byte in memory differs from
 * the file, so that the test notices whether the reader uses the memory or the file. */
static void read_from_memory(struct wari_score_file *file, int8_t *bytes, size_t count)
{
    int8_t part[100];

    assert_int_equal(wari_score_file_size(file), count);
    bytes[1234] = 7 - bytes[1234];
    file->held = bytes;
    for (uint64_t offset = 0; offset + sizeof part <= count; offset += 617) {
        assert_int_equal(wari_score_file_read(file, offset, sizeof part, part, NULL), WARI_OK);
        assert_memory_equal(part, bytes + offset, sizeof part);
    }
    file->held = NULL;
}

/* The test writes a file of level 7 in which the value at offset i is i % 15 - 7. */
static void a_reader_finds_each_value_in_the_order_of_the_level(void **state)
{
    enum { SEEDS = 7, POSITIONS = 31812 };
    char folder[] = "/tmp/wari-scores-XXXXXX", path[64];
    static int8_t bytes[POSITIONS], values[POSITIONS];
    struct wari_score_reader reader;
    struct wari_score_file file;
    struct wari_layout layout;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/scores.%d", folder, SEEDS);
    for (int i = 0; i < POSITIONS; i++)
        bytes[i] = (int8_t)(i % 15 - 7);
    const int fd = open(path, O_WRONLY | O_CREAT, 0666);
    assert_int_equal(write(fd, bytes, sizeof bytes), sizeof bytes);
    close(fd);

    wari_layout_init(&layout, SEEDS);
    assert_int_equal(wari_score_file_open(&file, wari_host_system(), folder, SEEDS, NULL), WARI_OK);
    assert_int_equal(wari_score_reader_create(&reader, &file, NULL), WARI_OK);
    assert_int_equal(wari_score_read(&reader, 0, POSITIONS, values, NULL), WARI_OK);
    for (uint64_t i = 0; i < POSITIONS; i++) {
        struct wari_position position;
        int8_t single;
        int value;
        wari_layout_unrank(&layout, i, &position);
        assert_int_equal(values[i], bytes[wari_score_offset(&file.order, &position)]);
        if (i % 97 != 0)
            continue;
        assert_int_equal(wari_score_file_value(&file, &position, &value, NULL), WARI_OK);
        assert_int_equal(value, values[i]);
        assert_int_equal(wari_score_read(&reader, i, 1, &single, NULL), WARI_OK);
        assert_int_equal(single, values[i]);
    }
    read_from_memory(&file, bytes, POSITIONS);
    wari_score_reader_destroy(&reader);
    wari_score_file_close(&file);
    unlink(path);
    rmdir(folder);
}

TEST_GROUP(test_scores)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_are_numbered_in_the_order_of_their_counts),
        cmocka_unit_test(rows_of_large_levels_follow_each_other),
        cmocka_unit_test(the_last_position_of_level_48_is_the_last_byte),
        cmocka_unit_test(a_reader_finds_each_value_in_the_order_of_the_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
