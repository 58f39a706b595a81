/* Computes once for a strip all data that do not depend on the column, so that the kernels only
 * need look-ups. */
#include "verify/verify_strip.h"

#include <string.h>

#include "index/half.h"

/* Advances to the next stored row, or to the next full row. */
static void next_row(uint8_t pits[WARI_HALF_PITS], bool full)
{
    do {
        if (!wari_half_next(pits))
            return;
    } while (wari_half_full(pits) != full);
}

static void first_row(const struct wari_verify_item *item, uint8_t pits[WARI_HALF_PITS])
{
    if (!item->full) {
        wari_row_unrank(item->block, item->first, pits);
        return;
    }
    wari_half_unrank(item->block - WARI_HALF_PITS, item->first, pits);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++)
        pits[pit]++;
}

/* Computes where the moves of a row of the strip lead, for each number of seeds dropped into it. */
static void fill_row(struct wari_verify_strip *strip, int row)
{
    const int seeds = strip->level->layout.seeds;
    const bool slam_is_quiet = strip->level->proof->slam == WARI_SLAM_NO_CAPTURE;
    uint8_t sown[WARI_HALF_PITS];

    memcpy(sown, strip->pits[row], sizeof sown);
    for (int t = 0; t <= seeds - strip->block; t++) {
        if (t > 0) {
            uint8_t after[WARI_HALF_PITS];
            sown[(t - 1) % WARI_HALF_PITS]++;
            memcpy(after, sown, sizeof after);
            const int captured = wari_verify_capture(after, t);
            const bool quiet = captured == 0 || (slam_is_quiet && captured == strip->block + t);
            strip->quiet[t][row] = quiet ? 0xff : 0;
            strip->any_quiet[t] |= quiet;
        }
        strip->column[t][row] = wari_half_rank(sown);
    }
}

static void find_vectors(struct wari_verify_vectors *vectors, const uint32_t *column, int rows)
{
    struct wari_verify_vector *vector = vectors->vector;

    vectors->count = 0;
    memset(vectors->place, 0, sizeof vectors->place);
    for (int row = 0; row < rows; row++) {
        if (vectors->count == 0 || column[row] - vector->first >= WARI_VERIFY_ROWS) {
            if (vectors->count == WARI_VERIFY_VECTORS) {
                vectors->count = 0;
                return;
            }
            vector = &vectors->vector[vectors->count++];
            *vector = (struct wari_verify_vector){.first = column[row]};
        }
        vectors->place[row] = (uint8_t)(column[row] - vector->first);
        vector->bytes |= UINT64_C(1) << vectors->place[row];
        vector->rows |= UINT64_C(1) << row;
    }
}

void wari_verify_strip_fill(struct wari_verify_strip *strip, const struct wari_verify_level *level,
                            const struct wari_verify_item *item)
{
    const uint32_t columns = level->layout.columns[item->block];
    const uint64_t *offset = item->full ? level->full_offset : level->layout.block_offset;
    uint8_t pits[WARI_HALF_PITS];

    strip->level = level;
    strip->moves = level->proof->columns.of[level->layout.seeds - item->block];
    strip->columns = columns;
    strip->block = item->block;
    strip->rows = item->rows;
    strip->full = item->full;
    strip->pending = level->pending + item->first_word;
    memset(strip->quiet, 0, sizeof strip->quiet);
    memset(strip->any_quiet, 0, sizeof strip->any_quiet);
    first_row(item, pits);
    for (int row = 0; row < strip->rows; row++) {
        strip->row[row] = item->first + (uint32_t)row;
        strip->first[row] = offset[item->block] + (uint64_t)strip->row[row] * columns;
        memcpy(strip->pits[row], pits, sizeof pits);
        fill_row(strip, row);
        next_row(pits, item->full);
    }
    for (int t = 0; t <= level->layout.seeds - item->block; t++)
        find_vectors(&strip->vectors[t], strip->column[t], strip->rows);
}

void wari_verify_strip_prefetch(const struct wari_verify_strip *strip, uint32_t column)
{
    const int turn = (int)(column % WARI_VERIFY_ROWS);

    /* Each call prefetches the next cache line of the strip's own cells in one row. A cache line
     * has 64 columns, so after 64 calls this is done for all of the up to 64 rows. */
    if (turn < strip->rows && column + WARI_VERIFY_ROWS < strip->columns && !strip->full)
        __builtin_prefetch(
            (const void *)&strip->level->cells[strip->first[turn] + column + WARI_VERIFY_ROWS], 1);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        struct wari_verify_strip_move move;
        if (!wari_verify_strip_find_move(strip, &strip->moves[column], pit, &move))
            continue;
        const wari_verify_cell *cells = wari_verify_strip_row(strip, &move);
        const uint32_t *reached = strip->column[move.t];
        __builtin_prefetch((const void *)(cells + reached[0]));
        __builtin_prefetch((const void *)(cells + reached[strip->rows / 2]));
        __builtin_prefetch((const void *)(cells + reached[strip->rows - 1]));
    }
}

void wari_verify_strip_bounds(const struct wari_verify_strip *strip,
                              const struct wari_verify_strip_move *move,
                              uint8_t bounds[WARI_VERIFY_ROWS])
{
    const struct wari_verify_bounds *all = &strip->level->bounds;
    const wari_verify_cell *cells = wari_verify_bound_row(all, move->block, move->row);

    memset(bounds, 0, WARI_VERIFY_ROWS);
    if (all->row_bytes[move->block] == 0)
        return;
    for (int row = 0; row < strip->rows; row++) {
        if (!move->lands || strip->quiet[move->t][row])
            bounds[row] = (uint8_t)wari_verify_bound(cells, all->wide[move->block],
                                                     strip->column[move->t][row]);
    }
}

/* ---- Selection of the kernel ---- */
const struct wari_verify_kernel *wari_verify_kernel_listed(int number)
{
    const struct wari_verify_kernel *listed[] = {&wari_verify_kernel_portable, NULL, NULL, NULL};
    int count = 1;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        listed[count++] = &wari_verify_kernel_avx2;
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi") &&
        __builtin_cpu_supports("bmi2"))
        listed[count++] = &wari_verify_kernel_avx512;
#endif
#if defined(__aarch64__)
    listed[count++] = &wari_verify_kernel_neon;
#endif
    return number < count ? listed[number] : NULL;
}

const struct wari_verify_kernel *wari_verify_kernel_fastest(void)
{
    const struct wari_verify_kernel *kernel = NULL, *next;
    for (int i = 0; (next = wari_verify_kernel_listed(i)); i++)
        kernel = next;
    return kernel;
}

void wari_verify_strip_begin(struct wari_verify_strip *strip, const struct wari_verify_level *level,
                             const struct wari_verify_item *item)
{
    wari_verify_strip_fill(strip, level, item);
    strip->kernel = wari_verify_kernel_fastest();
}
