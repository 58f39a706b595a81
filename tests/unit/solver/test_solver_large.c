/* Levels of up to 48 seeds, which are too large for a test to solve: their layout in memory and in
 * files, and sweeps over single items, compared with the moves of the game.
 *
 * A level has its full size, 204 GB for 48 seeds, in memory that is only reserved: pages that are
 * never written do not occupy memory. The test writes values into cells of child rows; each value
 * is computed from the number of its cell. Then one item is swept, and single cells are compared
 * with the results of game/ and index/ for their positions.
 *
 * Expected values: the moves of game/, the numbers of index/ (each has tests of its own), and
 * limits that follow from the number of bits of each field. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>

#include "db/format/codec.h"
#include "db/format/encoder.h"
#include "db/format/level_header.h"
#include "solver/level/column_walk.h"
#include "solver/level/events.h"
#include "solver/level/sweep.h"
#include "solver/memory/memory.h"
#include "solver/plan/plan.h"
#include "tests/reference/random_positions.h"
#include "tests/support/scale.h"
#include "tests/support/sow_half.h"
#include "tests/unit/groups.h"

/* ---- Reserved memory ------------------------------------------------------------------------- */

enum { BLOCKS = 32 };

struct reserve {
    struct wari_host host;
    struct {
        void *memory;
        size_t bytes;
    } block[BLOCKS];
    uint64_t bytes; /* size of all blocks that are allocated */
};

static void *reserve_memory(void *context, size_t bytes)
{
    struct reserve *reserve = context;
    int i = 0;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    assert_ptr_not_equal(memory, MAP_FAILED);
    while (reserve->block[i].memory != NULL)
        assert_true(++i < BLOCKS);
    reserve->block[i].memory = memory;
    reserve->block[i].bytes = bytes;
    reserve->bytes += bytes;
    return memory;
}

static void release_memory(void *context, void *memory)
{
    struct reserve *reserve = context;
    int i = 0;

    if (memory == NULL)
        return;
    while (reserve->block[i].memory != memory)
        assert_true(++i < BLOCKS);
    assert_int_equal(munmap(memory, reserve->block[i].bytes), 0);
    reserve->block[i].memory = NULL;
    reserve->bytes -= reserve->block[i].bytes;
}

static void reserve_init(struct reserve *reserve)
{
    *reserve = (struct reserve){.host = *wari_host_system()};
    reserve->host.context = reserve;
    reserve->host.allocate = reserve_memory;
    reserve->host.release = release_memory;
}

/* ---- Layout -------------------------------------------------------------------------------- */

static void check_layout(const struct wari_level *level, const struct reserve *reserve)
{
    const struct wari_layout *layout = &level->layout;
    const int n = layout->seeds;
    uint64_t end = 0;

    assert_int_equal((uintptr_t)level->resident.cells % 64, 0);
    for (int s = 0; s <= n; s++) {
        const uint64_t bytes = (uint64_t)layout->rows[s] * level->resident.pitch[s];
        assert_int_equal(level->resident.offset[s] % 64, 0);
        assert_in_range(level->resident.offset[s], end, end + 63);
        assert_in_range(level->resident.pitch[s], layout->columns[s], layout->columns[s] + 63);
        assert_true(layout->columns[s] < 56 || level->resident.pitch[s] % 64 == 0);
        end = level->resident.offset[s] + bytes + WARI_BLOCK_PADDING;
        assert_true(bytes / level->resident.pitch[s] == layout->rows[s]);
    }
    assert_true(end == level->resident.offset[n + 1]);
    assert_true(layout->block_offset[n + 1] == wari_level_positions(n));
    /* 64 bytes to align the cells, and a byte so that no block is empty */
    assert_in_range(reserve->bytes, wari_level_bytes(n), wari_level_bytes(n) + 256);
    assert_true(level->events.buffer_count < WARI_NO_EVENT_BUFFER);
    assert_in_range(end / 8 -
                        (uint64_t)level->events.buffer_count * sizeof(struct wari_event_buffer),
                    0, sizeof(struct wari_event_buffer));
    assert_in_range(level->events.ranges, 1, WARI_EVENT_RANGES_MAX);
    for (int s = 0; s <= n; s++)
        for (uint32_t part = 0; part < level->events.ranges; part++) {
            const uint32_t row =
                (uint32_t)(((uint64_t)part * layout->rows[s] + level->events.ranges - 1) /
                           level->events.ranges);
            if (row < layout->rows[s]) /* first row of the range */
                assert_int_equal(wari_event_range_of(&level->events, s, row),
                                 (uint64_t)row * level->events.ranges / layout->rows[s]);
            if (row > 0)
                assert_int_equal(wari_event_range_of(&level->events, s, row - 1),
                                 (uint64_t)(row - 1) * level->events.ranges / layout->rows[s]);
        }
}

static void every_level_is_laid_out_in_memory_without_overlap(void **state)
{
    struct reserve reserve;

    (void)state;
    reserve_init(&reserve);
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++)
        for (int cycle = 0; cycle < WARI_CYCLE_COUNT; cycle++) {
            struct wari_level level = {.host = &reserve.host};
            assert_int_equal(
                wari_memory_open(&level, seeds, (enum wari_cycle)cycle, UINT64_MAX, NULL), WARI_OK);
            check_layout(&level, &reserve);
            wari_level_close(&level);
            assert_int_equal(reserve.bytes, 0);
        }
}

/* Checks that the fields for numbers of halves, moves, buffers and chunks have enough bits. */
static void numbers_of_48_seeds_fit_their_fields(void **state)
{
    const uint32_t halves = wari_half_count(WARI_SEEDS_MAX);
    uint64_t chunks = 0;

    (void)state;
    assert_int_equal(halves, 2869685); /* C(53, 5) */
    /* an event whose fields have their greatest values */
    assert_int_equal(wari_event_row(wari_event_of(halves - 1, 5, -1, -128)), halves - 1);
    assert_int_equal(wari_event_column(wari_event_of(0xffffff, halves - 1, -1, -1)), halves - 1);
    assert_int_equal(wari_event_code(wari_event_of(0xffffff, 0xffffff, -128, 127)), -128);
    assert_int_equal(wari_event_before(wari_event_of(0xffffff, 0xffffff, 1, -128)), -128);
    assert_true(halves <= WARI_SOWING_ROW);
    assert_int_equal(wari_sowing_sown((wari_sowing)WARI_SOWN_MAX << 27), WARI_SOWN_MAX);
    assert_true(halves / WARI_STRIP < 1 << 26); /* the width of the field `strip` of tables.h */
    assert_true(wari_event_list_of(WARI_SEEDS_MAX, WARI_EVENT_RANGES_MAX - 1) <
                WARI_EVENT_LIST_DEFERRED);
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++) {
        const uint64_t positions = wari_level_positions(seeds);
        const struct wari_level_header header = {.key = {{WARI_AWARI, WARI_EVEN}, seeds},
                                                 .model_bytes = WARI_MODEL_BYTES_MAX,
                                                 .stored = positions};
        assert_true(wari_chunk_count(positions) == (positions + 8191) / 8192);
        assert_true(wari_chunk_count(positions) < WARI_HASH_MODEL);
        /* an uncompressed level file ends far below the greatest off_t */
        assert_true(wari_header_payload_offset(&header) +
                        wari_chunk_count(positions) * WARI_CHUNK_BYTES_MAX <
                    UINT64_C(1) << 39);
        assert_true(wari_header_payload_offset(&header) >= wari_chunk_count(positions) * 16);
        assert_true(wari_plan_file_bytes(seeds) > positions / 3);
        chunks += wari_chunk_count(positions);
    }
    assert_int_equal(wari_chunk_count(wari_level_positions(48)), 24859377); /* computed by hand */
    assert_true(chunks + 2 < UINT32_MAX); /* slots of the cache of lower levels */
}

/* ---- Items --------------------------------------------------------------------------------- */

/* Sets the number of parents, the only part of the tables that the division into items needs. */
static void set_parents(struct wari_tables *tables)
{
    for (int s = 0; s <= WARI_SEEDS_MAX; s++)
        for (int kind = 0; kind < WARI_PARENTS_KINDS; kind++) {
            struct wari_gather *gather = &tables->gather[kind][s][0];
            gather->parents = kind == WARI_PARENTS_ROWS ? wari_row_count(s)
                                                        : wari_half_count(s) - wari_row_count(s);
            gather->strips = (gather->parents + WARI_STRIP - 1) / WARI_STRIP;
        }
}

/* Checks that items are ordered by columns and then by strips, and that each begins where the
 * previous one ends. */
static void check_items(const struct wari_level *level, enum wari_parents kind, int block)
{
    const uint32_t rows = level->tables->gather[kind][block][0].parents;
    const uint32_t columns = level->layout.columns[block];
    const struct wari_item_cut cut = wari_items_of_block(level, kind, block);
    uint32_t column = 0, row = 0, width = 0, wrong = 0;

    for (uint32_t i = 0; i < cut.items; i++) {
        const struct wari_item item = wari_item_at(&cut, i);
        if (row == rows) {
            column += width;
            row = 0;
        }
        wrong += item.first_column != column || item.first_strip * WARI_STRIP != row;
        wrong += item.first_strip % WARI_BAND_STRIPS != 0 || item.rows != rows;
        wrong += item.strips == 0 || item.strips > WARI_ITEM_STRIPS_MAX;
        wrong += item.columns == 0 || item.columns > WARI_ITEM_COLUMNS;
        for (uint32_t strip = 0; strip < item.strips; strip++)
            row += wari_strip_rows(&item, item.first_strip + strip);
        width = item.columns;
    }
    assert_int_equal(wrong, 0);
    assert_true(rows == 0 ? cut.items == 0 : row == rows && column + width == columns);
}

static void items_cover_every_block_once(void **state)
{
    static struct wari_tables tables;
    struct wari_level level = {.tables = &tables};
    const int step = test_scale(1, 6);

    (void)state;
    set_parents(&tables);
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds += step) {
        wari_layout_init(&level.layout, seeds);
        for (int block = 0; block <= seeds; block++)
            for (int kind = 0; kind < WARI_PARENTS_KINDS; kind++)
                check_items(&level, (enum wari_parents)kind, block);
    }
}

static uint64_t mark_of(const struct wari_item *item)
{
    const uint64_t at =
        ((uint64_t)item->block << 58 | (uint64_t)item->first_column << 32 | item->first_strip) + 1;

    return (at ^ at >> 31) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Returns the first three pits of the first mover half of an item. */
static uint32_t beginning_of(const struct wari_level *level, const struct wari_item *item)
{
    uint8_t half[WARI_HALF_PITS];

    wari_half_unrank(level->layout.seeds - item->block, item->first_column, half);
    return (uint32_t)half[0] << 16 | (uint32_t)half[1] << 8 | half[2];
}

static void check_order(const struct wari_level *level, enum wari_parents kind)
{
    struct wari_column_walk walk = {.layout = &level->layout};
    uint64_t marks = 0, items = 0, taken = 0, early = 0;
    uint32_t last = 0, number;
    int block;

    for (block = 0; block <= level->layout.seeds; block++)
        walk.items[block] = wari_items_of_block(level, kind, block).items_of_columns;
    wari_column_walk_begin(&walk);
    for (; wari_column_walk_next(&walk, &block, &number); taken++) {
        const struct wari_item_cut cut = wari_items_of_block(level, kind, block);
        const struct wari_item item = wari_item_at(&cut, number);
        const uint32_t beginning = beginning_of(level, &item);
        early += beginning < last;
        last = beginning;
        marks += mark_of(&item);
    }
    for (block = 0; block <= level->layout.seeds; block++) {
        const struct wari_item_cut cut = wari_items_of_block(level, kind, block);
        for (uint32_t i = 0; i < cut.items; i++) {
            const struct wari_item item = wari_item_at(&cut, i);
            marks -= mark_of(&item);
        }
        items += cut.items;
    }
    assert_int_equal(taken, items);
    assert_int_equal(marks, 0); /* each item occurred once */
    assert_int_equal(early, 0);
}

static void passes_below_take_every_item_once_in_order(void **state)
{
    static struct wari_tables tables;
    struct reserve reserve;

    (void)state;
    set_parents(&tables);
    reserve_init(&reserve);
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds += seeds < 21 ? 1 : test_scale(9, 27)) {
        struct wari_level level = {.host = &reserve.host, .tables = &tables};
        assert_int_equal(wari_memory_open(&level, seeds, WARI_EVEN, UINT64_MAX, NULL), WARI_OK);
        for (int kind = 0; kind < WARI_PARENTS_KINDS; kind++)
            check_order(&level, (enum wari_parents)kind);
        wari_level_close(&level);
    }
}

/* ---- Sweeps over single items ---------------------------------------------------------------- */

struct trial {
    struct reserve reserve;
    struct wari_tables tables;
    struct wari_level level;
    struct wari_workers workers;
    struct wari_worker worker;
    struct wari_item item;
    void *tile;
    struct random_positions random;
    uint64_t quiet; /* number of quiet moves that were compared */
};

/* Returns the made-up value of a cell with this number. */
static int value_of(uint64_t number, int seeds)
{
    const uint64_t mixed = (number ^ number >> 29) * UINT64_C(0x9e3779b97f4a7c15);

    return (int)((mixed >> 33) % (uint64_t)(2 * seeds + 1)) - seeds;
}

static int8_t code_of(const struct wari_level *level, uint64_t number)
{
    const int value = value_of(number, level->layout.seeds);

    return wari_cell_code(&level->codes, value, value > 0 ? value : WARI_NO_CAPTURE);
}

static void trial_begin(struct trial *trial, enum wari_rules rules, int seeds, uint64_t random_seed)
{
    memset(trial, 0, sizeof *trial);
    reserve_init(&trial->reserve);
    random_positions_seed(&trial->random, random_seed);
    trial->tables.rules = rules;
    set_parents(&trial->tables);
    wari_halves_init(&trial->tables.halves);
    trial->workers = (struct wari_workers){.count = 1, .worker = &trial->worker};
    trial->level.tables = &trial->tables;
    trial->level.kernel = wari_kernel_ops(WARI_KERNEL_AUTO);
    trial->level.host = &trial->reserve.host;
    trial->level.workers = &trial->workers;
    assert_int_equal(wari_memory_open(&trial->level, seeds, WARI_EVEN, UINT64_MAX, NULL), WARI_OK);
    /* use small pages, so that a written byte takes a page of 4 KiB instead of 2 MiB */
    for (int i = 0; i < BLOCKS; i++)
        if (trial->reserve.block[i].memory)
            (void)madvise(trial->reserve.block[i].memory, trial->reserve.block[i].bytes,
                          MADV_NOHUGEPAGE);
    trial->tile =
        reserve_memory(&trial->reserve, (size_t)WARI_ITEM_STRIPS_MAX * WARI_ITEM_STRIP_CELLS);
    trial->worker.tile = trial->tile;
}

/* Makes a gather for each number of seeds that the mover halves of the item sow on the
 * opponent's side. */
static void make_tables(struct trial *trial)
{
    const struct wari_item *item = &trial->item;
    const int seeds = trial->level.layout.seeds - item->block;

    for (uint32_t column = item->first_column; column < item->first_column + item->columns;
         column++) {
        uint8_t half[WARI_HALF_PITS];
        wari_half_unrank(seeds, column, half);
        for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
            const wari_sowing sowing = sow_half(half, pit);
            if (sowing == WARI_NO_SOWING)
                continue;
            struct wari_gather *gather =
                &trial->tables.gather[WARI_PARENTS_ROWS][item->block][wari_sowing_sown(sowing)];
            if (!gather->memory)
                assert_int_equal(wari_gather_create(gather, wari_host_system(),
                                                    (struct wari_gather_key){
                                                        trial->tables.rules, WARI_PARENTS_ROWS,
                                                        item->block, wari_sowing_sown(sowing)},
                                                    NULL),
                                 WARI_OK);
        }
    }
}

static void trial_end(struct trial *trial)
{
    for (int sown = 0; sown <= WARI_SOWN_MAX; sown++)
        wari_release(wari_host_system(),
                     trial->tables.gather[WARI_PARENTS_ROWS][trial->item.block][sown].memory);
    release_memory(&trial->reserve, trial->tile);
    wari_level_close(&trial->level);
    assert_int_equal(trial->reserve.bytes, 0);
}

/* Writes the codes of the row that a sowing leads to, at the address where the sweep reads them. */
static void fill_child_row(struct trial *trial, int child, uint32_t row)
{
    struct wari_level *level = &trial->level;
    const struct wari_layout *layout = &level->layout;
    const uint64_t first = layout->block_offset[child] + (uint64_t)row * layout->columns[child];
    int8_t *cells =
        (child == trial->item.block ? level->resident.copy
                                    : level->resident.cells + level->resident.offset[child]) +
        (uint64_t)row * level->resident.pitch[child];
    int8_t values[64];

    for (uint32_t column = 0; column < layout->columns[child]; column++)
        cells[column] = code_of(level, first + column);
    if (child == trial->item.block)
        return;
    /* `values`, by which the file writer reads values, must return the values of these cells */
    const uint32_t count = layout->columns[child] < 64 ? layout->columns[child] : 64;
    level->backend->values(level, first + layout->columns[child] - count, count, values);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(values[i],
                         value_of(first + layout->columns[child] - count + i, layout->seeds));
}

static void fill_children(struct trial *trial)
{
    const struct wari_item *item = &trial->item;

    for (uint32_t column = 0; column < item->columns; column++) {
        const wari_sowing *sowings =
            *wari_item_sowings(&trial->level, &trial->worker, item, column);
        for (int pit = 0; pit < WARI_HALF_PITS; pit++)
            if (sowings[pit] != WARI_NO_SOWING)
                fill_child_row(
                    trial, trial->level.layout.seeds - item->block - wari_sowing_sown(sowings[pit]),
                    wari_sowing_row(sowings[pit]));
    }
}

static int8_t *cell_at(const struct trial *trial, uint32_t row, uint32_t column)
{
    const struct wari_level *level = &trial->level;

    return level->resident.cells + level->resident.offset[trial->item.block] +
           (uint64_t)row * level->resident.pitch[trial->item.block] + column;
}

static uint32_t item_rows(const struct wari_item *item)
{
    const uint32_t last = item->first_strip + item->strips - 1;

    return (item->strips - 1) * WARI_STRIP + wari_strip_rows(item, last);
}

/* Compares a cell with the best quiet move, computed by game/ and index/. */
static void check_cell(struct trial *trial, uint32_t row, uint32_t column)
{
    const struct wari_layout *layout = &trial->level.layout;
    const int n = layout->seeds, s = trial->item.block;
    struct wari_position position;
    struct wari_moves moves;
    int best = -n - 1;

    wari_row_unrank(s, row, position.pits + WARI_HALF_PITS);
    wari_half_unrank(n - s, column, position.pits);
    assert_true(wari_layout_rank(layout, &position) ==
                layout->block_offset[s] + (uint64_t)row * layout->columns[s] + column);
    wari_find_moves(trial->tables.rules, &position, &moves);
    for (int i = 0; i < moves.count; i++) {
        const struct wari_move *move = &moves.list[i];
        if (move->captured > 0 || move->ends || move->again)
            continue;
        const int value = -value_of(wari_layout_rank(layout, &move->next), n);
        best = value > best ? value : best;
        trial->quiet++;
    }
    /* The trial computes neither captures nor ends of the game, so it has no value for a position
     * without a quiet move. */
    if (best >= -n)
        assert_int_equal(wari_cell_value(&trial->level.codes, *cell_at(trial, row, column)), best);
}

static uint64_t sweep_an_item(enum wari_rules rules, int seeds, uint64_t random_seed)
{
    static struct trial trial; /* too large for the stack */
    const struct wari_sweep sweep = {0};
    struct wari_sweep_result tally = {0};

    trial_begin(&trial, rules, seeds, random_seed);
    const int block = (int)random_below(&trial.random, (uint32_t)seeds + 1);
    const struct wari_item_cut cut = wari_items_of_block(&trial.level, WARI_PARENTS_ROWS, block);
    trial.item = wari_item_at(&cut, random_seed % 3 == 0 ? cut.items - 1
                                                         : random_below(&trial.random, cut.items));
    make_tables(&trial);
    fill_children(&trial);
    const struct wari_item *item = &trial.item;
    const uint32_t first = item->first_strip * WARI_STRIP, rows = item_rows(item);
    for (uint32_t row = first; row < first + rows; row++)
        memset(cell_at(&trial, row, item->first_column),
               wari_cell_code(&trial.level.codes, 0, WARI_NO_CAPTURE), item->columns);
    wari_sweep_lines(&trial.level, &trial.worker, item, &sweep, &tally);
    assert_int_equal(tally.cells, (uint64_t)rows * item->columns);
    check_cell(&trial, first, item->first_column);
    check_cell(&trial, first + rows - 1, item->first_column + item->columns - 1);
    for (int i = test_scale(1000, 100); i > 0; i--)
        check_cell(&trial, first + random_below(&trial.random, rows),
                   item->first_column + random_below(&trial.random, item->columns));
    trial_end(&trial);
    return trial.quiet;
}

/* Includes 47 seeds. No build has that level, but everything that is tested here holds for it,
 * too. */
static void items_of_levels_to_48_seeds_are_swept_as_the_game_moves(void **state)
{
    const int pieces = test_scale_long(6, 2, 1);
    uint64_t quiet = 0;

    (void)state;
    for (int seeds = 30; seeds <= WARI_SEEDS_MAX; seeds += seeds < 37 ? 7 : test_scale(1, 4))
        for (int i = 0; i < pieces; i++)
            quiet +=
                sweep_an_item(i % 2 ? WARI_ABAPA : WARI_AWARI, seeds, (uint64_t)(seeds * 100 + i));
    assert_true(quiet > 1000);
}

/* ---- Chunks -------------------------------------------------------------------------------- */

static void values_of_chunk(int seeds, uint64_t chunk, int8_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (int8_t)value_of(chunk * WARI_CHUNK_POSITIONS + i / 3, seeds);
}

static size_t chunk_size(int seeds, uint64_t chunk)
{
    const uint64_t left = wari_level_positions(seeds) - chunk * WARI_CHUNK_POSITIONS;

    return left < WARI_CHUNK_POSITIONS ? (size_t)left : (size_t)WARI_CHUNK_POSITIONS;
}

/* Encodes and decodes values that do not occur in any level and that the model predicts badly. */
static void check_chunk(struct wari_encoder *encoder, struct wari_decoder *decoder,
                        const struct wari_model *model, int seeds, uint64_t chunk)
{
    const size_t count = chunk_size(seeds, chunk);
    struct wari_layout layout;
    int8_t values[WARI_CHUNK_POSITIONS], back[WARI_CHUNK_POSITIONS];
    size_t bytes;

    wari_layout_init(&layout, seeds);
    const struct wari_chunk_range range = wari_whole_chunk_range(&layout, chunk, count);
    values_of_chunk(seeds, chunk, values, count);
    assert_int_equal(wari_chunk_encode(encoder, model,
                                       &(struct wari_chunk_values){chunk, values, count},
                                       wari_decoder_buffer(decoder), &bytes, NULL),
                     WARI_OK);
    assert_true(bytes <= WARI_CHUNK_BYTES_MAX);
    assert_int_equal(wari_chunk_decode(decoder, model, &range, bytes, back, NULL), WARI_OK);
    assert_memory_equal(values, back, count);
}

static void chunks_of_levels_to_48_seeds_are_decoded_to_the_encoded_values(void **state)
{
    struct random_positions random;
    struct wari_encoder *encoder;
    struct wari_decoder *decoder;

    (void)state;
    random_positions_seed(&random, 37);
    assert_int_equal(wari_encoder_create(&encoder, wari_host_system(), NULL), WARI_OK);
    assert_int_equal(wari_decoder_create(&decoder, wari_host_system(), NULL), WARI_OK);
    for (int seeds = 37; seeds <= WARI_SEEDS_MAX; seeds++) {
        const uint64_t chunks = wari_chunk_count(wari_level_positions(seeds));
        int8_t values[WARI_CHUNK_POSITIONS];
        struct wari_model *model;
        uint64_t surveyed = 0;
        for (uint64_t chunk = 0; chunk < chunks; chunk++)
            surveyed += wari_chunk_surveyed(chunks, chunk);
        assert_in_range(surveyed, 1024, 2047);
        assert_int_equal(wari_encoder_begin(encoder, seeds, NULL), WARI_OK);
        assert_true(wari_chunk_surveyed(chunks, 0));
        values_of_chunk(seeds, 0, values, WARI_CHUNK_POSITIONS);
        assert_int_equal(
            wari_encoder_survey(encoder,
                                &(struct wari_chunk_values){0, values, WARI_CHUNK_POSITIONS}, NULL),
            WARI_OK);
        assert_int_equal(wari_encoder_model(&model, &encoder, 1, NULL), WARI_OK);
        check_chunk(encoder, decoder, model, seeds, chunks - 1);
        for (int i = 0; i < 20; i++)
            check_chunk(encoder, decoder, model, seeds, random_below(&random, (uint32_t)chunks));
        wari_model_destroy(model);
    }
    wari_encoder_destroy(encoder);
    wari_decoder_destroy(decoder);
}

TEST_GROUP(test_solver_large)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_is_laid_out_in_memory_without_overlap),
        cmocka_unit_test(numbers_of_48_seeds_fit_their_fields),
        cmocka_unit_test(items_cover_every_block_once),
        cmocka_unit_test(passes_below_take_every_item_once_in_order),
        cmocka_unit_test(items_of_levels_to_48_seeds_are_swept_as_the_game_moves),
        cmocka_unit_test(chunks_of_levels_to_48_seeds_are_decoded_to_the_encoded_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
