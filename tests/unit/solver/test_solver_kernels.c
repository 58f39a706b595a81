/* Tests the kernel functions that compute the smallest child of each parent. Each kernel that runs
 * on this machine is compared with plain loops written here from the contracts of
 * solver/kernel/kernel.h, with real gathers and random cells. Therefore the kernels also agree with
 * each other. test_solver_merging.c tests the functions that process these children. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/each_kernel.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

enum { READ_AFTER = 64 }; /* bytes after a child row that a kernel may read */

/* ---- Names ----------------------------------------------------------------------------------- */

static void kernels_have_names(void **state)
{
    struct wari_error error;
    enum wari_kernel kernel = WARI_KERNEL_AVX2;

    (void)state;
    assert_int_equal(wari_kernel_parse("auto", &kernel, &error), WARI_OK);
    assert_int_equal(kernel, WARI_KERNEL_AUTO);
    assert_int_equal(wari_kernel_parse("portable", &kernel, &error), WARI_OK);
    assert_int_equal(kernel, WARI_KERNEL_PORTABLE);
    assert_string_equal(wari_kernel_name(WARI_KERNEL_PORTABLE), "portable");
    /* "auto" selects a kernel that has a name of its own and runs on this machine */
    assert_int_equal(wari_kernel_parse(wari_kernel_name(WARI_KERNEL_AUTO), &kernel, &error),
                     WARI_OK);
    assert_int_not_equal(kernel, WARI_KERNEL_AUTO);

    assert_int_equal(wari_kernel_parse("fast", &kernel, &error), WARI_BAD_INPUT);
    assert_non_null(strstr(error.text, "'fast'"));
    assert_non_null(strstr(error.text, "portable"));
    assert_int_equal(wari_kernel_parse("", &kernel, NULL), WARI_BAD_INPUT);
}

/* ---- Worst ----------------------------------------------------------------------------------- */

/* The sources of parents with `seeds` seeds: real gathers and random rows. */
struct sources {
    int count;
    struct wari_source list[WARI_HALF_PITS];
    struct wari_gather gather[WARI_HALF_PITS];
    int sown[WARI_HALF_PITS];
    int8_t *row[WARI_HALF_PITS];
};

static void make_sources(struct sources *sources, enum wari_parents kind, int seeds,
                         struct random_positions *random)
{
    sources->count = (int)random_below(random, WARI_HALF_PITS + 1);
    for (int i = 0; i < sources->count; i++) {
        const int sown = (int)random_below(random, WARI_SOWN_MAX - 8);
        assert_int_equal(wari_gather_create(&sources->gather[i], wari_host_system(),
                                            (struct wari_gather_key){WARI_AWARI, kind, seeds, sown},
                                            NULL),
                         WARI_OK);
        sources->sown[i] = sown;
        sources->row[i] = random_cells(random, wari_half_count(seeds + sown) + READ_AFTER, 126);
        sources->list[i] = (struct wari_source){
            .row = sources->row[i],
            .gather = &sources->gather[i],
            .last = random_below(random, 2),
            .ahead = i > 0 && random_below(random, 2) ? &sources->list[i - 1] : NULL,
        };
    }
}

static void free_sources(struct sources *sources)
{
    for (int i = 0; i < sources->count; i++) {
        wari_release(wari_host_system(), sources->gather[i].memory);
        free(sources->row[i]);
    }
}

/* Returns the smallest code of a parent's children by quiet moves. Finds each child by sowing into
 * the parent's half and ranking the result. Reads from the gather which moves are quiet;
 * test_solver_tables.c compares the gather with the reference. */
static int8_t expected_cell(const struct sources *sources, const uint8_t half[WARI_HALF_PITS],
                            uint32_t parent)
{
    int8_t worst = WARI_NO_QUIET;

    for (int i = 0; i < sources->count; i++) {
        const struct wari_source *source = &sources->list[i];
        const int sown = sources->sown[i];
        uint8_t child[WARI_HALF_PITS];
        for (int pit = 0; pit < WARI_HALF_PITS; pit++)
            child[pit] =
                (uint8_t)(half[pit] + sown / WARI_HALF_PITS + (pit < sown % WARI_HALF_PITS));
        const int8_t cell = source->row[wari_half_rank(child)];
        const bool quiet = !source->last || (source->gather->quiet[parent / 64] >> parent % 64 & 1);
        if (quiet && cell < worst)
            worst = cell;
    }
    return worst;
}

static int8_t *expected_of_block(const struct sources *sources, enum wari_parents kind, int seeds,
                                 uint32_t parents)
{
    int8_t *expected = malloc(parents + 1);
    uint8_t half[WARI_HALF_PITS];
    uint32_t parent = 0;

    assert_non_null(expected);
    wari_half_unrank(seeds, 0, half);
    do {
        if (wari_half_full(half) == (kind == WARI_PARENTS_FULL)) {
            assert_true(parent < parents);
            expected[parent] = expected_cell(sources, half, parent);
            parent++;
        }
    } while (wari_half_next(half));
    assert_int_equal(parent, parents);
    return expected;
}

struct strip_range {
    uint32_t first, strips;
};

/* Computes consecutive strips. Their results are written `pitch` bytes apart, and no other bytes
 * may be written. */
static void worst_of_strips(const struct wari_kernel_ops *kernel, const struct sources *sources,
                            struct strip_range range, uint32_t parents, const int8_t *expected,
                            size_t pitch)
{
    const uint32_t first = range.first, strips = range.strips;
    const size_t bytes = (strips - 1) * pitch + WARI_STRIP;
    int8_t *out = aligned_alloc(64, bytes);

    assert_non_null(out);
    memset(out, 0x55, bytes);
    kernel->worst(sources->list, sources->count, first, strips, out, pitch);
    for (uint32_t i = 0; i < strips; i++) {
        const uint32_t at = (first + i) * WARI_STRIP;
        const uint32_t count = parents - at < WARI_STRIP ? parents - at : WARI_STRIP;
        assert_memory_equal(out + i * pitch, expected + at, count);
        for (size_t j = i * pitch + WARI_STRIP; j < (i + 1) * pitch && j < bytes; j++)
            assert_int_equal(out[j], 0x55);
    }
    free(out);
}

/* The columns belong to several kinds. All kinds share the gathers, but they have different child
 * rows, and their last seeds may fall on different sides. */
enum { KINDS = 3 };

struct kinds {
    struct sources sources[KINDS];
    int8_t *expected[KINDS];
};

static void make_kinds(struct kinds *kinds, const struct sources *first, enum wari_parents kind,
                       int seeds, uint32_t parents, struct random_positions *random)
{
    for (int k = 0; k < KINDS; k++) {
        struct sources *mine = &kinds->sources[k];
        *mine = *first;
        for (int i = 0; i < mine->count; i++) {
            const uint32_t cells = wari_half_count(seeds + mine->sown[i]) + READ_AFTER;
            mine->row[i] = random_cells(random, cells, 126);
            mine->list[i].row = mine->row[i];
            mine->list[i].last = random_below(random, 2);
        }
        kinds->expected[k] = expected_of_block(mine, kind, seeds, parents);
    }
}

static void free_kinds(struct kinds *kinds)
{
    for (int k = 0; k < KINDS; k++) {
        for (int i = 0; i < kinds->sources[k].count; i++)
            free(kinds->sources[k].row[i]);
        free(kinds->expected[k]);
    }
}

/* Computes one strip for some columns: in each step, one move of all these columns. The other
 * columns must not change. */
static void worst_of_columns(const struct wari_kernel_ops *kernel, const struct kinds *kinds,
                             uint32_t strip, uint32_t parents, struct random_positions *random)
{
    const uint32_t at = strip * WARI_STRIP;
    const uint32_t rows = parents - at < WARI_STRIP ? parents - at : WARI_STRIP;
    const uint64_t columns = random_below(random, 1 << 16) * UINT64_C(0x0001000300010001);
    int8_t *tile = aligned_alloc(64, WARI_ITEM_STRIP_CELLS);

    assert_non_null(tile);
    memset(tile, WARI_NO_QUIET, WARI_ITEM_STRIP_CELLS);
    for (int i = 0; i < kinds->sources[0].count; i++) {
        const struct wari_gather *gather = kinds->sources[0].list[i].gather;
        struct wari_child child[WARI_ITEM_COLUMNS];
        int count = 0;
        for (uint32_t column = 0; column < WARI_ITEM_COLUMNS; column++) {
            const struct wari_source *source = &kinds->sources[column % KINDS].list[i];
            if (columns >> column & 1)
                child[count++] = (struct wari_child){source->row, column, source->last};
        }
        kernel->worst_of_strip(gather, strip, child, count, tile);
    }
    for (uint32_t column = 0; column < WARI_ITEM_COLUMNS; column++)
        for (uint32_t row = 0; row < rows; row++)
            assert_int_equal(tile[column * WARI_STRIP + row],
                             columns >> column & 1 ? kinds->expected[column % KINDS][at + row]
                                                   : WARI_NO_QUIET);
    free(tile);
}

/* Computes each strip in a call of its own, all strips in one call, and random ranges of strips,
 * shorter and longer than WARI_BAND_STRIPS. */
static void worst(const struct wari_kernel_ops *kernel, struct random_positions *random)
{
    int short_strips = 0, long_ranges = 0, without = 0;

    for (int round = 0; round < test_scale(200, 30); round++) {
        const enum wari_parents kind = (enum wari_parents)random_below(random, 2);
        const int seeds = (int)random_below(random, 11) + (kind == WARI_PARENTS_FULL ? 6 : 0);
        const uint32_t rows = wari_row_count(seeds);
        const uint32_t parents = kind == WARI_PARENTS_ROWS ? rows : wari_half_count(seeds) - rows;
        const uint32_t strips = (parents + WARI_STRIP - 1) / WARI_STRIP;
        struct sources sources;
        make_sources(&sources, kind, seeds, random);
        int8_t *expected = expected_of_block(&sources, kind, seeds, parents);
        struct kinds kinds;
        make_kinds(&kinds, &sources, kind, seeds, parents, random);
        for (uint32_t strip = 0; strip < strips; strip++) {
            worst_of_strips(kernel, &sources, (struct strip_range){strip, 1}, parents, expected,
                            WARI_STRIP);
            worst_of_columns(kernel, &kinds, strip, parents, random);
        }
        worst_of_strips(kernel, &sources, (struct strip_range){0, strips}, parents, expected,
                        WARI_ITEM_STRIP_CELLS);
        for (int i = 0; i < 10; i++) {
            const uint32_t first = random_below(random, strips);
            const uint32_t count = 1 + random_below(random, strips - first);
            worst_of_strips(kernel, &sources, (struct strip_range){first, count}, parents, expected,
                            WARI_STRIP * (1 + random_below(random, 3)));
            long_ranges += count > WARI_BAND_STRIPS;
        }
        short_strips += parents % WARI_STRIP != 0;
        without += sources.count == 0;
        free(expected);
        free_kinds(&kinds);
        free_sources(&sources);
    }
    assert_true(short_strips > 0 && long_ranges > 0 && without > 0);
}

static void worst_is_that_of_plain_loops(void **state)
{
    (void)state;
    for_each_kernel(worst);
}

TEST_GROUP(test_solver_kernels)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_have_names),
        cmocka_unit_test(worst_is_that_of_plain_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
