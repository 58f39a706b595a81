/* The kernel for AArch64, where every processor has NEON: vectors of 16 bytes, and table look-ups
 * in 64 bytes. So 64 cells are four vectors, and a strip of children is gathered as with AVX-512
 * VBMI: by look-ups in the 64 bytes of each word.
 *
 * NEON lacks the following:
 *
 *     - Masks of one bit a cell. Masks are vectors of bytes; converting them from bits, or to bits,
 *       takes three instructions a vector.
 *     - Masked loads. Bytes after the last cells of a row are read, and their results are ignored.
 *     - Look-ups in 256 bytes, as tables that are indexed by a code need. Such a look-up consists
 *       of four look-ups in 64 bytes, each for a quarter of the indices, and the table takes half
 *       of all registers. So only one such table is used to find the cells that change. The cells
 *       found are merged one at a time.
 *     - PEXT. Bits are compacted run by run, as in plain C. */
#if defined(__aarch64__)

#include "solver/kernel/bytes.h"
#include "solver/kernel/vectors.h"

/* ---- Smallest children ----------------------------------------------------------------------- */

/* Copies `index`, but replaces the entries of the cells before offset `start` of the strip by 255.
 * No word has a byte with this index, so later_word() leaves those cells unchanged. */
WARI_INLINE uint8x16x4_t index_from(uint8x16x4_t index, uint32_t start)
{
    static const uint8_t places[WARI_VECTOR_BYTES] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                      8, 9, 10, 11, 12, 13, 14, 15};
    uint8x16x4_t later;

    for (int i = 0; i < WARI_QUARTERS; i++) {
        const uint8x16_t place =
            vaddq_u8(vld1q_u8(places), vdupq_n_u8((uint8_t)(WARI_VECTOR_BYTES * i)));
        later.val[i] = vorrq_u8(index.val[i], vcltq_u8(place, vdupq_n_u8((uint8_t)start)));
    }
    return later;
}

WARI_INLINE int8x16x4_t first_word(const int8_t *from, uint8x16x4_t index)
{
    const int8x16x4_t word = vld1q_s8_x4(from);
    int8x16x4_t cells;

    for (int i = 0; i < WARI_QUARTERS; i++)
        cells.val[i] = vqtbl4q_s8(word, index.val[i]);
    return cells;
}

/* Replaces cells by the children in a later word. A cell whose index lies outside the word stays
 * unchanged. */
WARI_INLINE int8x16x4_t later_word(int8x16x4_t cells, const int8_t *from, uint8x16x4_t index)
{
    const int8x16x4_t word = vld1q_s8_x4(from);

    for (int i = 0; i < WARI_QUARTERS; i++)
        cells.val[i] = vqtbx4q_s8(cells.val[i], word, index.val[i]);
    return cells;
}

WARI_INLINE void take_smaller(int8_t *least, int8x16x4_t cells)
{
    int8x16x4_t old = vld1q_s8_x4(least);

    for (int i = 0; i < WARI_QUARTERS; i++)
        old.val[i] = vminq_s8(old.val[i], cells.val[i]);
    vst1q_s8_x4(least, old);
}

WARI_INLINE void take_smaller_where(int8_t *least, int8x16x4_t cells, uint8x16x4_t where)
{
    int8x16x4_t old = vld1q_s8_x4(least);

    for (int i = 0; i < WARI_QUARTERS; i++)
        old.val[i] = vbslq_s8(where.val[i], vminq_s8(old.val[i], cells.val[i]), old.val[i]);
    vst1q_s8_x4(least, old);
}

/* Loads everything that the loop needs from the gather before the loop: the compiler must assume
 * that a store of cells may change the gather. */
WARI_INLINE void worst_of_source(const struct wari_source *source, struct wari_strips strips,
                                 int8_t *least)
{
    const struct wari_gather *gather = source->gather;
    const uint64_t all = source->last ? 0 : UINT64_MAX;
    const int8_t *row = source->row;
    const uint8_t *indices = gather->index + (size_t)strips.first * WARI_STRIP;
    const uint64_t *quiet = gather->quiet + strips.first;
    const uint32_t *first_of = gather->first_word + strips.first;
    const struct wari_word *words = gather->word, *word = words + first_of[0];
    struct wari_ahead ahead = wari_ahead_of(source, strips.first, strips.count);

    for (uint32_t i = 0; i < strips.count; i++) {
        const struct wari_word *end = words + first_of[i + 1];
        const uint8x16x4_t index = vld1q_u8_x4(indices + i * WARI_STRIP);
        int8x16x4_t cells = first_word(row + word->column, index);

        wari_fetch_two_lines(&ahead);
        while (++word < end)
            cells = later_word(cells, row + word->column, index_from(index, word->start));
        if ((quiet[i] | all) == UINT64_MAX)
            take_smaller(least + i * WARI_STRIP, cells);
        else
            take_smaller_where(least + i * WARI_STRIP, cells, wari_bytes_of_bits(quiet[i]));
    }
}

static void worst_neon(const struct wari_source *sources, int count, uint32_t first_strip,
                       uint32_t strips, int8_t *out, size_t pitch)
{
    wari_worst_by_bands(sources, count, (struct wari_strips){first_strip, strips}, out, pitch,
                        worst_of_source);
}

/* Nine in ten strips have one or two words. For these two numbers the function is called with a
 * constant, so that the compiler generates a separate loop for each. */
WARI_INLINE void worst_of_words(const struct wari_gather *gather, uint32_t strip, uint32_t words,
                                const struct wari_child *child, int count, int8_t *tile)
{
    const struct wari_word *word = gather->word + gather->first_word[strip];
    const uint8x16x4_t index = vld1q_u8_x4(gather->index + (size_t)strip * WARI_STRIP);
    const uint8x16x4_t second = words > 1 ? index_from(index, word[1].start) : index;
    const uint8x16x4_t quiet = wari_bytes_of_bits(gather->quiet[strip]);

    for (int i = 0; i < count; i++) {
        int8_t *least = tile + child[i].column * WARI_STRIP;
        int8x16x4_t cells = first_word(child[i].row + word->column, index);
        if (words > 1)
            cells = later_word(cells, child[i].row + word[1].column, second);
        for (uint32_t w = 2; w < words; w++)
            cells =
                later_word(cells, child[i].row + word[w].column, index_from(index, word[w].start));
        if (child[i].last)
            take_smaller_where(least, cells, quiet);
        else
            take_smaller(least, cells);
    }
}

static void worst_of_strip_neon(const struct wari_gather *gather, uint32_t strip,
                                const struct wari_child *child, int count, int8_t *tile)
{
    const uint32_t words = gather->first_word[strip + 1] - gather->first_word[strip];

    if (words == 1)
        worst_of_words(gather, strip, 1, child, count, tile);
    else if (words == 2)
        worst_of_words(gather, strip, 2, child, count, tile);
    else
        worst_of_words(gather, strip, words, child, count, tile);
}

/* ---- Transposition --------------------------------------------------------------------------- */

/* Transposes 16 by 16 cells. Each round interleaves vector i with vector i + 8, which rotates the
 * combined index of vector and byte by one bit. After four rounds the number of the vector and the
 * position in it are exchanged. wari_transpose_plain() does the same, but the compiler needs 4 %
 * more instructions a position for it. */
WARI_INLINE void transpose_square(const int8_t *in, int8_t *out)
{
    int8x16_t a[WARI_VECTOR_BYTES], b[WARI_VECTOR_BYTES];

    for (int i = 0; i < WARI_VECTOR_BYTES; i++)
        a[i] = vld1q_s8(in + i * WARI_STRIP);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < WARI_VECTOR_BYTES / 2; i++) {
            b[2 * i] = vzip1q_s8(a[i], a[i + WARI_VECTOR_BYTES / 2]);
            b[2 * i + 1] = vzip2q_s8(a[i], a[i + WARI_VECTOR_BYTES / 2]);
        }
        memcpy(a, b, sizeof a);
    }
    for (int i = 0; i < WARI_VECTOR_BYTES; i++)
        vst1q_s8(out + i * WARI_ITEM_COLUMNS, a[i]);
}

/* Transposes `rows` by `columns` cells, both rounded up to multiples of 16. */
static void transpose(const int8_t *in, int8_t *out, int rows, int columns)
{
    for (int column = 0; column < columns; column += WARI_VECTOR_BYTES)
        for (int row = 0; row < rows; row += WARI_VECTOR_BYTES)
            transpose_square(in + column * WARI_STRIP + row,
                             out + row * WARI_ITEM_COLUMNS + column);
}

static void transpose_neon(const int8_t *in, int8_t *out)
{
    transpose(in, out, WARI_STRIP, WARI_ITEM_COLUMNS);
}

/* ---- Looking up ------------------------------------------------------------------------------ */

static void look_up_neon(const int8_t table[256], const int8_t *from, size_t count, int8_t *to)
{
    const struct wari_neon_table loaded = wari_neon_table(table);
    size_t i = 0;

    for (; i + WARI_VECTOR_BYTES <= count; i += WARI_VECTOR_BYTES)
        vst1q_s8(to + i, wari_neon_look_up(&loaded, vld1q_s8(from + i)));
    wari_look_up_plain(table, from + i, count - i, to + i);
}

/* ---- Merging --------------------------------------------------------------------------------- */

/* Returns a mask of the cells that change or whose best capture has to be looked up, like
 * wari_grows() and wari_shrinks(). `old` has the codes of the cells, `worst` those of their
 * smallest children, and `limit` the limits of the cells. `zero` and `lift` are zero and lift[0] of
 * struct wari_cells. */
typedef uint8x16_t find_changes(int8x16_t old, int8x16_t worst, int8x16_t limit, int8x16_t zero,
                                int8x16_t lift);

WARI_INLINE uint8x16_t grows(int8x16_t old, int8x16_t worst, int8x16_t limit, int8x16_t zero,
                             int8x16_t lift)
{
    const uint8x16_t above = vcgtq_s8(old, zero);

    return vorrq_u8(veorq_u8(vcgtq_s8(worst, limit), above),
                    vbicq_u8(vcleq_s8(worst, lift), above));
}

WARI_INLINE uint8x16_t shrinks(int8x16_t old, int8x16_t worst, int8x16_t limit, int8x16_t zero,
                               int8x16_t lift)
{
    (void)lift;
    return vbslq_u8(vcgtq_s8(old, zero), vcgtq_s8(worst, limit), vcltq_s8(worst, limit));
}

/* Finds, for each row of a strip, the columns whose cells change or need their best capture. A row
 * of the strip takes `quarters` vectors. The loop has no branch that depends on the cells, so that
 * no branch can be mispredicted. */
WARI_INLINE void find_columns(const struct wari_item_strip *strip, const int8_t *transposed,
                              const int8_t limits[256], find_changes *changes, int quarters,
                              uint64_t columns[WARI_STRIP])
{
    const struct wari_neon_table table = wari_neon_table(limits);
    const int8x16_t lift = vdupq_n_s8(strip->codes->lift[0]);
    const int8x16_t zero = vdupq_n_s8(strip->codes->zero);
    const uint64_t inside = UINT64_MAX >> (WARI_ITEM_COLUMNS - strip->width);
    const int8_t *cells = strip->cells;
    const size_t pitch = strip->pitch;
    const int rows = strip->rows;

    for (int row = 0; row < rows; row++, cells += pitch, transposed += WARI_ITEM_COLUMNS) {
        uint8x16_t found[WARI_QUARTERS] = {vdupq_n_u8(0), vdupq_n_u8(0), vdupq_n_u8(0),
                                           vdupq_n_u8(0)};
        __builtin_prefetch(cells + WARI_STRIP * pitch);
#pragma GCC unroll 4
        for (int i = 0; i < quarters; i++) {
            const int8x16_t old = vld1q_s8(cells + WARI_VECTOR_BYTES * i);
            const int8x16_t limit = wari_neon_look_up(&table, old);
            found[i] =
                changes(old, vld1q_s8(transposed + WARI_VECTOR_BYTES * i), limit, zero, lift);
            __asm__ volatile(""
                             :
                             :
                             : "memory"); /* otherwise gcc interleaves the iterations and
                                           * runs out of registers */
        }
        columns[row] = wari_bits_of_bytes(found[0], found[1], found[2], found[3]) & inside;
    }
}

WARI_INLINE void merge(const struct wari_item_strip *strip, const int8_t limits[256],
                       find_changes *changes, wari_merge_cell *merge_cell,
                       struct wari_merge_result *merged)
{
    int8_t transposed[WARI_ITEM_STRIP_CELLS];
    uint64_t columns[WARI_STRIP];

    wari_nothing_merged(merged);
    transpose(strip->worst, transposed, strip->rows, strip->width);
    if (strip->width > 3 * WARI_VECTOR_BYTES)
        find_columns(strip, transposed, limits, changes, 4, columns);
    else if (strip->width > 2 * WARI_VECTOR_BYTES)
        find_columns(strip, transposed, limits, changes, 3, columns);
    else if (strip->width > WARI_VECTOR_BYTES)
        find_columns(strip, transposed, limits, changes, 2, columns);
    else
        find_columns(strip, transposed, limits, changes, 1, columns);
    for (int row = 0; row < strip->rows; row++)
        if (columns[row] != 0)
            wari_merge_columns(strip, row, columns[row], transposed + row * WARI_ITEM_COLUMNS,
                               merge_cell, merged);
}

static void grow_neon(const struct wari_item_strip *strip, struct wari_merge_result *merged)
{
    int8_t limits[256];

    wari_grow_limits(strip->codes, limits);
    merge(strip, limits, grows, wari_cell_grown, merged);
}

static void shrink_neon(const struct wari_item_strip *strip, struct wari_merge_result *merged)
{
    int8_t limits[256];

    wari_shrink_limits(strip->codes, limits);
    merge(strip, limits, shrinks, wari_upper_shrunk, merged);
}

/* ---- Bits ------------------------------------------------------------------------------------ */

WARI_BITS_LOOPS(, neon, wari_close_up_runs)

/* For each cell whose bit is set in `where`, replaces the byte of the cell in `folded` by the
 * entry of `table` for the cell's code in `codes`. */
WARI_INLINE void fold_where(int8x16x4_t *folded, int8x16x4_t codes, uint64_t where,
                            const int8_t table[256])
{
    const uint8x16x4_t mask = wari_bytes_of_bits(where);
    const struct wari_neon_table loaded = wari_neon_table(table);

#pragma GCC unroll 4
    for (int i = 0; i < WARI_QUARTERS; i++)
        folded->val[i] =
            vbslq_s8(mask.val[i], wari_neon_look_up(&loaded, codes.val[i]), folded->val[i]);
}

/* Folds the snapshots into the codes of 64 cells, from offset `at` on. Looks up new codes only for
 * snapshots in which some of these cells were newly decided; there are few such snapshots. Returns
 * true if a code changed. */
WARI_INLINE bool fold_cells(const struct wari_fold_tables *tables,
                            const struct wari_fold_range *range, uint32_t at)
{
    const int8x16x4_t codes = vld1q_s8_x4(range->cells + at);
    const uint64_t won = wari_bits_word(range->won + at / 8);
    int8x16x4_t folded = codes;
    uint8x16_t same = vdupq_n_u8(UINT8_MAX);
    uint64_t before = 0;

    for (int j = 0; j < tables->snapshots; j++) {
        const uint64_t decided = wari_bits_word(range->snapshot[j] + at / 8);
        const uint64_t fresh = decided & ~before;
        const int8_t(*const table)[256] = tables->code + (tables->snapshots - j);
        before = decided;
        if (fresh & won)
            fold_where(&folded, codes, fresh & won, table[WARI_BITS_WON_CODES]);
        if (fresh & ~won)
            fold_where(&folded, codes, fresh & ~won, table[0]);
    }
    if (before == 0)
        return false;
    vst1q_s8_x4(range->cells + at, folded);
    for (int i = 0; i < WARI_QUARTERS; i++)
        same = vandq_u8(same, vceqq_s8(codes.val[i], folded.val[i]));
    return vminvq_u8(same) == 0;
}

static bool bits_fold_neon(const struct wari_fold_tables *tables,
                           const struct wari_fold_range *range)
{
    const uint32_t whole = range->count / 64 * 64;
    struct wari_fold_range rest = {.won = range->won + whole / 8,
                                   .cells = range->cells + whole,
                                   .count = range->count - whole};
    bool changed = false;

    for (uint32_t i = 0; i < whole; i += 64)
        changed |= fold_cells(tables, range, i);
    for (int j = 0; j < tables->snapshots; j++)
        rest.snapshot[j] = range->snapshot[j] + whole / 8;
    return wari_bits_fold_plain(tables, &rest) || changed;
}

const struct wari_kernel_ops wari_kernel_neon = {
    .name = "neon",
    .worst = worst_neon,
    .worst_of_strip = worst_of_strip_neon,
    .grow = grow_neon,
    .shrink = shrink_neon,
    .transpose = transpose_neon,
    .look_up = look_up_neon,
    .to_halves = wari_to_halves_neon,
    .from_halves = wari_from_halves_neon,
    .bits_of_column = bits_of_column_neon,
    .bits_decide = bits_decide_neon,
    .bits_fold = bits_fold_neon,
};

#else
typedef int wari_no_neon_here; /* a translation unit may not be empty */
#endif
