/* Tests the table and symbol that an encoder finds for each cell. Every kernel that this machine
 * can run gives the result that FORMAT.md ("Context") defines for the neighbours that a decoder
 * uses. The levels have all sizes, and the chunks are from all parts of a level, full and short. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "db/format/cell_tables.h"
#include "db/format/model.h"
#include "db/format/neighbours.h"
#include "tests/reference/random_positions.h"
#include "tests/support/random_chunk.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

enum { LONGEST_VECTOR = 32 }; /* maximum number of bytes that a kernel copies at once */

static size_t kernels(wari_find_kernel *kernel[4])
{
    size_t count = 0;
    kernel[count++] = wari_find_portable;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        kernel[count++] = wari_find_avx2;
    if (__builtin_cpu_supports("avx512bw"))
        kernel[count++] = wari_find_avx512;
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi"))
        kernel[count++] = wari_find_avx512vbmi;
#endif
    return count;
}

/* The state of one kernel, and what a decoder knows about the cells of the chunk. */
struct finding {
    struct wari_cell_tables tables;
    struct wari_neighbours neighbours;
    int8_t values[WARI_CHUNK_POSITIONS];
};

static int residue(const struct finding *finding, size_t target)
{
    return target == 0 ? 0
                       : finding->values[target - 1] - finding->neighbours.rows.capture[target - 1];
}

/* Computes the table of a cell by the definition in FORMAT.md. */
static int table_by_definition(const struct finding *finding, int seeds, size_t cell, size_t stream)
{
    static const int from[WARI_SPREADS] = {0, 1, 5, 21, 85, 170};
    const int before = residue(finding, cell % stream == 0 ? 0 : cell);
    int sum = before, squares = before * before;
    int spread = 0;
    for (int k = 0; k < WARI_NEIGHBOURS; k++) {
        const int near = residue(finding, finding->neighbours.target[k][cell]);
        sum += near;
        squares += near * near;
    }
    while (spread + 1 < WARI_SPREADS && squares - sum * sum / 6 >= from[spread + 1])
        spread++;
    int guess = sum + 6 * finding->neighbours.rows.capture[cell];
    guess = guess > 6 * seeds ? 6 * seeds : guess < -6 * seeds ? -6 * seeds : guess;
    return spread * (2 * seeds + 1) + (guess + 6 * seeds + 3) / 6;
}

static void check_chunk(struct finding *finding, const struct wari_chunk_range *range)
{
    const int seeds = range->layout->seeds;
    const size_t stream = wari_stream_cells(range->count);
    wari_neighbours_of(&finding->neighbours, range);
    wari_cell_tables_of(&finding->tables, range, finding->values);
    for (size_t i = 0; i < range->count; i++) {
        const int table = table_by_definition(finding, seeds, i, stream);
        assert_int_equal(finding->tables.entry[i],
                         table * (2 * seeds + 2) + finding->values[i] + seeds + 1);
    }
}

/* Makes values of one of four kinds: 0 differ little, like the values of a real level; 1 are all
 * equal; 2 are random, from -n to n; 3 are only -n and n. */
static void make_values(struct finding *finding, int seeds, int kind,
                        struct random_positions *random)
{
    const uint32_t all = 2 * (uint32_t)seeds + 1;
    const uint32_t range = kind == 0 ? 3 : kind == 1 ? 1 : all;
    const int least = kind == 2 || seeds == 0 ? -seeds : -1;
    for (size_t i = 0; i < WARI_CHUNK_POSITIONS; i++) {
        const uint32_t some = random_below(random, range > all ? all : range);
        finding->values[i] = (int8_t)(kind < 3        ? least + (int)some
                                      : some % 2 == 0 ? seeds
                                                      : -seeds);
    }
}

static void check_level(struct finding *finding, int seeds, struct random_positions *random)
{
    struct wari_layout layout;
    wari_layout_init(&layout, seeds);
    for (int i = 0; i < test_scale(16, 4); i++) {
        const struct wari_chunk_range range = random_chunk(&layout, i, random);
        make_values(finding, seeds, i % 4, random);
        check_chunk(finding, &range);
    }
}

static void every_kernel_finds_the_tables_that_a_decoder_has(void **state)
{
    wari_find_kernel *kernel[4];
    const size_t count = kernels(kernel);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        struct finding *finding = malloc(sizeof *finding);
        struct random_positions random;
        assert_non_null(finding);
        random_positions_seed(&random, 7);
        wari_neighbours_init(&finding->neighbours);
        wari_cell_tables_init(&finding->tables);
        finding->tables.find = kernel[i];
        for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++)
            check_level(finding, seeds, &random);
        /* From the second level on, the kernel's state is that of a larger level, so the kernel
         * has to compute it again. */
        for (int seeds = WARI_SEEDS_MAX; seeds >= 0; seeds -= 5)
            check_level(finding, seeds, &random);
        free(finding);
    }
}

/* Encodes every chunk of a level with rows of all lengths, in order, so that rows and runs continue
 * from one chunk to the next. */
static void all_chunks_of_a_level_fit_together(void **state)
{
    struct finding *finding = malloc(sizeof *finding);
    struct random_positions random;
    struct wari_layout layout;
    const int seeds = test_scale(15, 13);

    (void)state;
    assert_non_null(finding);
    random_positions_seed(&random, 8);
    wari_neighbours_init(&finding->neighbours);
    wari_cell_tables_init(&finding->tables);
    wari_layout_init(&layout, seeds);
    const uint64_t positions = wari_level_positions(seeds);
    for (uint64_t chunk = 0; chunk < wari_chunk_count(positions); chunk++) {
        const struct wari_chunk_range range =
            wari_whole_chunk_range(&layout, chunk, wari_chunk_size(chunk, positions));
        make_values(finding, seeds, 2, &random);
        check_chunk(finding, &range);
    }
    free(finding);
}

/* Computes the number of columns of each run with `seeds` seeds, in order (cell_tables.h defines
 * runs). Returns the number of runs. */
static size_t runs_of(int seeds, uint32_t *cells)
{
    size_t runs = 0;
    for (int a = 0; a <= seeds; a++)
        for (int b = 0; a + b <= seeds; b++)
            for (int c = 0; a + b + c <= seeds; c++) {
                const uint32_t left = (uint32_t)(seeds - a - b - c);
                cells[runs++] = (left + 2) * (left + 1) / 2;
            }
    return runs;
}

/* A chunk touches the most runs if its first cell is the last cell of a run. */
static void there_is_room_for_the_runs_of_every_chunk(void **state)
{
    uint32_t *cells = malloc(WARI_RUNS_CAPACITY * sizeof *cells);
    size_t most = 0;

    (void)state;
    assert_non_null(cells);
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        const size_t runs = runs_of(seeds, cells);
        for (size_t first = 0; first < runs; first++) {
            uint32_t touched = 1;
            size_t last = first;
            while (last + 1 < runs && touched < WARI_CHUNK_POSITIONS)
                touched += cells[++last];
            most = last - first + 1 > most ? last - first + 1 : most;
            assert_true(cells[first] + LONGEST_VECTOR <= WARI_RUN_CAPACITY);
        }
    }
    assert_int_equal(most, 556);
    assert_true(most <= WARI_CHUNK_RUNS);
    free(cells);
}

TEST_GROUP(test_db_cell_tables)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_room_for_the_runs_of_every_chunk),
        cmocka_unit_test(every_kernel_finds_the_tables_that_a_decoder_has),
        cmocka_unit_test(all_chunks_of_a_level_fit_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
