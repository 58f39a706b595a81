/* Tests where the neighbours of cells are. Every kernel that this machine can run gives the same
 * result, for levels of all sizes, and for full and short chunks from all parts of a level. A
 * separate reader, which was written from FORMAT.md alone (test_format.c), shows that the
 * portable kernel is correct. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "db/format/neighbours.h"
#include "tests/reference/random_positions.h"
#include "tests/support/random_chunk.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

struct kernel {
    const char *name;
    wari_locate_kernel *locate;
};

/* Lists the kernels that this machine can run, except for the portable one. */
static size_t kernels(struct kernel kernel[2])
{
    size_t count = 0;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        kernel[count++] = (struct kernel){"avx2", wari_locate_avx2};
    if (__builtin_cpu_supports("avx512bw"))
        kernel[count++] = (struct kernel){"avx512", wari_locate_avx512};
#else
    (void)kernel;
#endif
    return count;
}

static struct wari_neighbours *new_neighbours(wari_locate_kernel *locate)
{
    struct wari_neighbours *neighbours = malloc(sizeof *neighbours);
    assert_non_null(neighbours);
    wari_neighbours_init(neighbours);
    neighbours->locate = locate;
    return neighbours;
}

static void assert_same(const struct wari_neighbours *one, const struct wari_neighbours *other,
                        size_t count)
{
    for (int k = 0; k < WARI_NEIGHBOURS; k++)
        assert_memory_equal(one->target[k], other->target[k], count * sizeof one->target[k][0]);
    assert_memory_equal(one->rows.capture, other->rows.capture, count);
}

static void compare_chunks(struct wari_neighbours *portable, struct wari_neighbours *fast,
                           int seeds, struct random_positions *random)
{
    struct wari_layout layout;
    wari_layout_init(&layout, seeds);
    for (int i = 0; i < test_scale(40, 6); i++) {
        const struct wari_chunk_range range = random_chunk(&layout, i, random);
        wari_neighbours_of(portable, &range);
        wari_neighbours_of(fast, &range);
        assert_same(portable, fast, range.count);
    }
}

static void every_kernel_finds_the_same_neighbours(void **state)
{
    struct kernel kernel[2];
    const size_t count = kernels(kernel);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        struct wari_neighbours *portable = new_neighbours(wari_locate_portable);
        struct wari_neighbours *fast = new_neighbours(kernel[i].locate);
        struct random_positions random;
        random_positions_seed(&random, 12);
        for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++)
            compare_chunks(portable, fast, seeds, &random);
        for (int seeds = WARI_SEEDS_MAX; seeds >= 0;
             seeds -= 5) /* the kernel's state is from another level, so it must be computed anew */
            compare_chunks(portable, fast, seeds, &random);
        free(portable);
        free(fast);
    }
}

/* Data about columns is kept from one row to the next (struct wari_columns). Data that is kept from
 * the previous chunk must not influence the result. */
static void chunks_do_not_depend_on_those_before(void **state)
{
    struct wari_neighbours *used = new_neighbours(wari_locate_portable);
    struct wari_layout layout;

    (void)state;
    wari_layout_init(&layout, 17);
    const uint64_t chunks = wari_chunk_count(wari_level_positions(17));
    for (uint64_t chunk = 0; chunk + 1 < chunks; chunk += (uint64_t)test_scale(23, 230)) {
        struct wari_neighbours *fresh = new_neighbours(wari_locate_portable);
        const uint64_t first = chunk * WARI_CHUNK_POSITIONS;
        wari_neighbours_of(used, &(struct wari_chunk_range){&layout, first, WARI_CHUNK_POSITIONS,
                                                            WARI_CHUNK_POSITIONS});
        wari_neighbours_of(fresh, &(struct wari_chunk_range){&layout, first, WARI_CHUNK_POSITIONS,
                                                             WARI_CHUNK_POSITIONS});
        assert_same(used, fresh, WARI_CHUNK_POSITIONS);
        free(fresh);
    }
    free(used);
}

/* If only the first `steps` cells of each stream are requested, these cells get the same neighbours
 * and captures as if all cells were requested. The rows have various lengths: shorter than a
 * stream, as long as a stream, and longer than a chunk. They have mover halves with up to 24 seeds.
 */
static void results_of_requested_cells_do_not_depend_on_the_other_cells(void **state)
{
    struct wari_neighbours *all = new_neighbours(wari_locate_portable);
    struct wari_neighbours *some = new_neighbours(wari_locate_portable);
    struct random_positions random;
    struct wari_layout layout;

    (void)state;
    random_positions_seed(&random, 5);
    wari_layout_init(&layout, 24);
    for (int block = 0; block <= 24; block++) {
        for (int i = 0; i < test_scale(12, 3); i++) {
            const size_t steps = i == 0 ? 1 : 1 + random_below(&random, 2048);
            const uint64_t first = layout.block_offset[block] / 8192 * 8192 +
                                   (uint64_t)random_below(&random, 3) * 8192;
            if (first + 8192 > layout.block_offset[25])
                continue;
            wari_neighbours_of(all, &(struct wari_chunk_range){&layout, first, 8192, 2048});
            wari_neighbours_of(some, &(struct wari_chunk_range){&layout, first, 8192, steps});
            for (size_t stream = 0; stream < 8192; stream += 2048) {
                for (int k = 0; k < WARI_NEIGHBOURS; k++)
                    assert_memory_equal(some->target[k] + stream, all->target[k] + stream,
                                        steps * sizeof all->target[k][0]);
                assert_memory_equal(some->rows.capture + stream, all->rows.capture + stream, steps);
            }
            memset(some->rows.capture, 99, 8192); /* overwrites the correct results, so that the
                                                   * next call must compute them again */
            memset(some->target, 99, sizeof some->target);
        }
    }
    free(all);
    free(some);
}

/* Tests rows of all lengths up to four vectors. A kernel may write up to 63 bytes past the end of a
 * row. The expected capture of a cell is the largest number in `taken` among the pits whose bit is
 * set in `reach` for the cell. */
static void check_captures(wari_captures_kernel *kernel)
{
    struct random_positions random;

    random_positions_seed(&random, 12);
    for (size_t cells = 1; cells <= 256; cells++) {
        uint8_t reach[320], capture[320 + 1], taken[WARI_HALF_PITS];
        for (size_t i = 0; i < sizeof reach; i++)
            reach[i] = (uint8_t)random_below(&random, 64);
        for (int pit = 0; pit < WARI_HALF_PITS; pit++)
            taken[pit] = (uint8_t)(random_below(&random, 2) * random_below(&random, 19));
        memset(capture, 99, sizeof capture);
        kernel(reach, taken, cells, capture);
        for (size_t i = 0; i < cells; i++) {
            uint8_t most = 0;
            for (int pit = 0; pit < WARI_HALF_PITS; pit++)
                if ((reach[i] >> pit & 1) && taken[pit] > most)
                    most = taken[pit];
            assert_int_equal(capture[i], most);
        }
        assert_int_equal(capture[cells + 63], 99);
    }
}

static void every_kernel_finds_the_largest_captures(void **state)
{
    (void)state;
    check_captures(wari_captures_portable);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi"))
        check_captures(wari_captures_avx512vbmi);
#endif
}

TEST_GROUP(test_db_neighbours)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_finds_the_same_neighbours),
        cmocka_unit_test(every_kernel_finds_the_largest_captures),
        cmocka_unit_test(chunks_do_not_depend_on_those_before),
        cmocka_unit_test(results_of_requested_cells_do_not_depend_on_the_other_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
