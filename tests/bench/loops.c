/* Measures the inner loops of dense sweeps of one kernel. The loops run over two blocks: a block of
 * 17 seeds, of which nine are on the opponent's side (31 strips and 1287 columns), and a block with
 * four seeds on the opponent's side, which has only two strips. The cells of child rows are random,
 * because the speed of the loops does not depend on them, except for the merge, where one cell in
 * 256 changes. */
#include "tests/bench/bench.h"

#include <stdlib.h>
#include <string.h>

#include "index/half.h"
#include "solver/kernel/choice.h"
#include "solver/kernel/kernel.h"
#include "solver/rows/halves.h"
#include "system/clock.h"
#include "tests/reference/random_positions.h"

enum {
    SEEDS = 17,
    OPPONENT_SEEDS = 9,
    MOVER_SEEDS = SEEDS - OPPONENT_SEEDS,
    FEW = 4,            /* seeds on the opponent's side of a block that has few strips */
    FEW_SOWN_COUNT = 5, /* 0 to 4 seeds may be sown on the opponent's side of that block */
    COLUMN_SETS = 200,
    TILES = 400,
    ROUNDS = 12,
    CHANGES_IN = 256,
};

enum {
    CHILDREN = 4 << 20,
    TILE = 64 * WARI_ITEM_STRIP_CELLS,
};

struct bench {
    const struct wari_kernel_ops *kernel;
    struct wari_tables *tables;
    int8_t *children; /* random cells, from which rows are taken */
    int8_t *tile;
    int8_t *cells; /* one strip of an item */
    struct wari_cells codes;
    struct random_positions random;
};

/* Returns a row of `columns` cells at some offset that depends on `row`. */
static const int8_t *row_of(const struct bench *bench, uint32_t row, uint32_t columns)
{
    const size_t pitch = ((size_t)columns + 63) / 64 * 64;

    return bench->children + row * pitch % (CHILDREN - pitch - 64) / 64 * 64;
}

/* Computes the smallest children of all columns of the block, one column after the other. */
static double worst_seconds(struct bench *bench)
{
    const struct wari_gather *gathers = bench->tables->gather[WARI_PARENTS_ROWS][OPPONENT_SEEDS];
    const uint32_t strips = gathers[0].strips, columns = wari_half_count(MOVER_SEEDS);
    wari_sowing sowing[WARI_HALF_PITS];
    const double start = wari_seconds_now();

    for (uint32_t column = 0; column < columns; column++) {
        struct wari_source source[WARI_HALF_PITS];
        int count = 0;
        wari_sow_halves(&bench->tables->halves, MOVER_SEEDS, column, 1, &sowing);
        for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
            const int sown = wari_sowing_sown(sowing[pit]);
            if (sowing[pit] == WARI_NO_SOWING)
                continue;
            source[count++] =
                (struct wari_source){.row = row_of(bench, wari_sowing_row(sowing[pit]),
                                                   wari_half_count(OPPONENT_SEEDS + sown)),
                                     .gather = &gathers[sown],
                                     .last = wari_sowing_last(sowing[pit])};
        }
        bench->kernel->worst(source, count, 0, strips, bench->tile, WARI_STRIP);
    }
    return wari_seconds_now() - start;
}

/* Computes the smallest children in the block of few strips, for 64 columns at a time. */
static double strip_seconds(struct bench *bench)
{
    const struct wari_gather *gathers = bench->tables->gather[WARI_PARENTS_ROWS][FEW];
    const uint32_t columns = wari_half_count(FEW + 1);
    struct wari_child child[WARI_ITEM_COLUMNS];
    const double start = wari_seconds_now();

    for (uint32_t group = 0; group < COLUMN_SETS; group++)
        for (int sown = 0; sown < FEW_SOWN_COUNT; sown++) {
            for (uint32_t i = 0; i < WARI_ITEM_COLUMNS; i++)
                child[i] = (struct wari_child){
                    row_of(bench, group * WARI_ITEM_COLUMNS + i * FEW_SOWN_COUNT, columns), i,
                    sown > 0};
            for (uint32_t strip = 0; strip < gathers[sown].strips; strip++)
                bench->kernel->worst_of_strip(&gathers[sown], strip, child, WARI_ITEM_COLUMNS,
                                              bench->tile);
        }
    return wari_seconds_now() - start;
}

static double transpose_seconds(struct bench *bench)
{
    const double start = wari_seconds_now();

    for (int i = 0; i < TILES; i++)
        bench->kernel->transpose(bench->tile + (size_t)(i % 8) * WARI_ITEM_STRIP_CELLS,
                                 bench->cells);
    return wari_seconds_now() - start;
}

/* Fills in cells and their smallest children. One child in 256 has a random value, the others agree
 * with the cell's value, so that the cell does not change. */
static void fill_tiles(struct bench *bench)
{
    for (size_t i = 0; i < 8 * WARI_ITEM_STRIP_CELLS; i++) {
        const size_t column = i / WARI_STRIP % WARI_ITEM_COLUMNS, row = i % WARI_STRIP;
        const int value = (int)random_below(&bench->random, 2 * SEEDS + 1) - SEEDS;
        const bool changes = random_below(&bench->random, CHANGES_IN) == 0;
        const int child = changes ? value : -value;
        bench->tile[i] = wari_cell_code(&bench->codes, child, WARI_NO_CAPTURE);
        bench->cells[i / WARI_ITEM_STRIP_CELLS * WARI_ITEM_STRIP_CELLS + row * WARI_ITEM_COLUMNS +
                     column] = wari_cell_code(&bench->codes, value, WARI_NO_CAPTURE);
    }
}

static double merge_seconds(struct bench *bench)
{
    static struct wari_merge_result merged;
    double seconds = 0;

    for (int i = 0; i < TILES; i += 8) {
        fill_tiles(bench);
        const double start = wari_seconds_now();
        for (size_t j = 0; j < 8; j++) {
            const struct wari_item_strip strip = {
                .codes = &bench->codes,
                .worst = bench->tile + j * WARI_ITEM_STRIP_CELLS,
                .cells = bench->cells + j * WARI_ITEM_STRIP_CELLS,
                .pitch = WARI_ITEM_COLUMNS,
                .rows = WARI_STRIP,
                .width = WARI_ITEM_COLUMNS,
            };
            bench->kernel->grow(&strip, &merged);
        }
        seconds += wari_seconds_now() - start;
    }
    return seconds;
}

static double least_of(double (*seconds)(struct bench *bench), struct bench *bench)
{
    double least = seconds(bench);

    for (int i = 1; i < ROUNDS; i++) {
        const double now = seconds(bench);
        least = now < least ? now : least;
    }
    return least;
}

static void measure(struct bench *bench, struct bench_loops *loops)
{
    const double nanoseconds = 1e9;
    const double cells = (double)wari_half_count(MOVER_SEEDS) * wari_row_count(OPPONENT_SEEDS);
    const double few =
        (double)COLUMN_SETS * WARI_ITEM_COLUMNS * FEW_SOWN_COUNT * wari_row_count(FEW);
    const double tiles = (double)TILES * WARI_ITEM_STRIP_CELLS;

    for (size_t i = 0; i < CHILDREN; i++)
        bench->children[i] = (int8_t)(random_below(&bench->random, 200) - 100);
    loops->worst = least_of(worst_seconds, bench) / cells * nanoseconds;
    loops->worst_of_strip = least_of(strip_seconds, bench) / few * nanoseconds;
    loops->transpose = least_of(transpose_seconds, bench) / tiles * nanoseconds;
    loops->merge = least_of(merge_seconds, bench) / tiles * nanoseconds;
}

bool bench_loops(enum wari_kernel kernel, struct bench_loops *loops)
{
    struct bench bench = {.kernel = wari_kernel_ops(kernel)};
    const bool made = wari_tables_create(&bench.tables, wari_host_system(), WARI_AWARI, SEEDS, 1,
                                         NULL) == WARI_OK;

    random_positions_seed(&bench.random, 1);
    wari_cells_init(&bench.codes, SEEDS, WARI_EVEN);
    bench.children = aligned_alloc(64, CHILDREN);
    bench.tile = aligned_alloc(64, TILE);
    /* One more strip than is used, because loops read one strip ahead. */
    bench.cells = aligned_alloc(64, (size_t)(8 + 1) * WARI_ITEM_STRIP_CELLS);
    const bool whole = made && bench.children && bench.tile && bench.cells;
    if (whole)
        measure(&bench, loops);
    free(bench.cells);
    free(bench.tile);
    free(bench.children);
    if (made)
        wari_tables_destroy(bench.tables);
    return whole;
}
