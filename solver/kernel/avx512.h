/* The loops of both AVX-512 kernels. A strip of children is gathered by permutations of 64 bytes;
 * cells are encoded and decoded by tables in registers. A kernel without byte permutations (VBMI)
 * defines the following before it includes this file:
 *
 *     TARGET                                  the attribute of all functions
 *     permute(index, bytes)                   permutes 64 bytes, by six bits of each index
 *     mask_permute(old, mask, index, bytes)   permutes where the mask is set, and keeps `old` where
 *                                             it is clear
 *     permute_two(low, index, high)           permutes 128 bytes, by seven bits of each index
 *
 * A permutation selects from at most two registers. So a look-up in a table of 256 bytes takes two
 * permutations, and the sign of the index byte selects one of the results (look_up()). Bytes can be
 * interleaved only within lanes of 16 bytes, so a strip is transposed from registers whose lanes
 * are loaded from different columns (transpose_rows()). */
#ifndef SOLVER_KERNEL_AVX512_H
#define SOLVER_KERNEL_AVX512_H

#include <immintrin.h>

#include "solver/kernel/vectors.h"

/* choice.c checks that the processor has these instructions, and the AVX2 instructions that
 * half_bytes.c uses. */
#ifndef TARGET
#define TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi,bmi2,popcnt")))
#define permute _mm512_permutexvar_epi8
#define mask_permute _mm512_mask_permutexvar_epi8
#define permute_two _mm512_permutex2var_epi8
#endif

/* Gathers the children of a strip with one byte permutation for each word of the gather. The result
 * of each later word replaces the earlier results from the word's offset `start` on. */
TARGET static inline __m512i strip_of(const int8_t *row, const struct wari_word *word,
                                      const struct wari_word *end, const uint8_t *indices)
{
    const __m512i index = _mm512_loadu_si512(indices);
    __m512i cells = permute(index, _mm512_loadu_si512(row + word->column));

    while (++word < end)
        cells = mask_permute(cells, UINT64_MAX << word->start, index,
                             _mm512_loadu_si512(row + word->column));
    return cells;
}

/* Loads everything that the loop needs from the gather before the loop: the compiler must assume
 * that a store of cells may change the gather. */
TARGET static inline __attribute__((always_inline)) void
worst_of_source(const struct wari_source *source, struct wari_strips strips, int8_t *least)
{
    const struct wari_gather *gather = source->gather;
    const uint64_t all = source->last ? 0 : UINT64_MAX;
    const int8_t *row = source->row;
    const uint8_t *index = gather->index + (size_t)strips.first * WARI_STRIP;
    const uint64_t *quiet = gather->quiet + strips.first;
    const uint32_t *first_word = gather->first_word + strips.first;
    const struct wari_word *words = gather->word, *word = words + first_word[0];
    struct wari_ahead ahead = wari_ahead_of(source, strips.first, strips.count);

    for (uint32_t i = 0; i < strips.count; i++) {
        int8_t *strip = least + i * WARI_STRIP;
        const struct wari_word *end = words + first_word[i + 1];
        const __m512i old = _mm512_load_si512(strip);

        wari_fetch_two_lines(&ahead);
        _mm512_store_si512(strip,
                           _mm512_mask_min_epi8(old, quiet[i] | all, old,
                                                strip_of(row, word, end, index + i * WARI_STRIP)));
        word = end;
    }
}

TARGET static void worst_avx512(const struct wari_source *sources, int count, uint32_t first_strip,
                                uint32_t strips, int8_t *out, size_t pitch)
{
    wari_worst_by_bands(sources, count, (struct wari_strips){first_strip, strips}, out, pitch,
                        worst_of_source);
}

/* Nine in ten strips have one or two words (struct wari_word). For these strips `words` is passed
 * as a constant, so that the compiler generates a separate loop for one word and for two. */
TARGET static inline __attribute__((always_inline)) void
worst_of_words(const struct wari_gather *gather, uint32_t strip, uint32_t words,
               const struct wari_child *child, int count, int8_t *tile)
{
    const struct wari_word *word = gather->word + gather->first_word[strip];
    const __m512i index = _mm512_loadu_si512(gather->index + (size_t)strip * WARI_STRIP);
    const uint64_t quiet = gather->quiet[strip];
    const uint32_t next = gather->first_word[strip + 1];
    const uint32_t ahead = next < gather->words ? gather->word[next].column + 63 : word->column;

    for (int i = 0; i < count; i++) {
        _mm_prefetch(child[i].row + ahead, _MM_HINT_T0);
        __m512i cells = permute(index, _mm512_loadu_si512(child[i].row + word->column));
        for (uint32_t w = 1; w < words; w++)
            cells = mask_permute(cells, UINT64_MAX << word[w].start, index,
                                 _mm512_loadu_si512(child[i].row + word[w].column));
        __m512i *least = (__m512i *)(tile + child[i].column * WARI_STRIP);
        const __m512i old = _mm512_load_si512(least);
        const uint64_t where = child[i].last ? quiet : UINT64_MAX;
        _mm512_store_si512(least, _mm512_mask_min_epi8(old, where, old, cells));
    }
}

TARGET static void worst_of_strip_avx512(const struct wari_gather *gather, uint32_t strip,
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

/* Transposes 16 rows of the strip by all 64 columns. Lane q of a[i] is loaded from column 16 * q +
 * i, which saves shuffles. Each round then interleaves register i with register i + 8, which
 * rotates the combined index of register and byte by one bit. After four rounds, lane q of a[k] has
 * row k of the 16 columns from 16 * q on. */
TARGET static inline void transpose_rows(const int8_t *in, int8_t *out)
{
    __m512i a[16], b[16];

    for (int i = 0; i < 16; i++) {
        const __m128i *lane = (const __m128i *)(in + i * WARI_STRIP);
        a[i] = _mm512_castsi128_si512(_mm_loadu_si128(lane));
        a[i] = _mm512_inserti32x4(a[i], _mm_loadu_si128(lane + 16 * WARI_STRIP / 16), 1);
        a[i] = _mm512_inserti32x4(a[i], _mm_loadu_si128(lane + 32 * WARI_STRIP / 16), 2);
        a[i] = _mm512_inserti32x4(a[i], _mm_loadu_si128(lane + 48 * WARI_STRIP / 16), 3);
    }
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 8; i++) {
            b[2 * i] = _mm512_unpacklo_epi8(a[i], a[i + 8]);
            b[2 * i + 1] = _mm512_unpackhi_epi8(a[i], a[i + 8]);
        }
        memcpy(a, b, sizeof a);
    }
    for (int k = 0; k < 16; k++)
        _mm512_storeu_si512(out + k * WARI_ITEM_COLUMNS, a[k]);
}

/* Transposes `rows` rows, rounded up to a multiple of 16. */
TARGET static inline void transpose_inline(const int8_t *in, int8_t *out, int rows)
{
    for (int row = 0; row < rows; row += 16)
        transpose_rows(in + row, out + row * WARI_ITEM_COLUMNS);
}

TARGET static void transpose_avx512(const int8_t *in, int8_t *out)
{
    transpose_inline(in, out, WARI_STRIP);
}

/* A table of 256 bytes, in registers, for 64 look-ups at a time. */
struct look_up {
    __m512i part[4];
};

TARGET static inline struct look_up look_up_load(const int8_t table[256])
{
    struct look_up loaded;

    for (int i = 0; i < 4; i++)
        loaded.part[i] = _mm512_loadu_si512(table + 64 * i);
    return loaded;
}

TARGET static inline __m512i look_up(const struct look_up *table, __m512i at)
{
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(at),
                                  permute_two(table->part[0], at, table->part[1]),
                                  permute_two(table->part[2], at, table->part[3]));
}

TARGET static void look_up_avx512(const int8_t table[256], const int8_t *from, size_t count,
                                  int8_t *to)
{
    const struct look_up loaded = look_up_load(table);
    size_t i = 0;

    for (; i + 64 <= count; i += 64)
        _mm512_storeu_si512(to + i, look_up(&loaded, _mm512_loadu_si512(from + i)));
    if (i < count) {
        const __mmask64 rest = UINT64_MAX >> (64 - (count - i));
        _mm512_mask_storeu_epi8(to + i, rest,
                                look_up(&loaded, _mm512_maskz_loadu_epi8(rest, from + i)));
    }
}

/* Computes wari_cell_low() for 64 cells. */
TARGET static inline __m512i low_codes(const struct wari_cells *codes, __m512i value, __m512i floor)
{
    const __m512i size = _mm512_sub_epi8(_mm512_setzero_si512(), value);
    const __m512i first = permute(size, _mm512_loadu_si512(codes->low.first));
    const __m512i reach = permute(size, _mm512_loadu_si512(codes->low.reach));
    const __mmask64 zero = _mm512_cmpeq_epi8_mask(value, _mm512_setzero_si512());
    const __m512i distance = _mm512_and_si512(_mm512_sub_epi8(value, floor), _mm512_set1_epi8(63));
    const __m512i apart =
        permute_two(_mm512_loadu_si512(codes->low.apart),
                    _mm512_mask_add_epi8(distance, zero, distance, _mm512_set1_epi8(64)),
                    _mm512_loadu_si512(codes->low.apart + 64));
    const __mmask64 none = _mm512_cmpeq_epi8_mask(floor, _mm512_set1_epi8(codes->none));
    const __m512i code = _mm512_sub_epi8(first, _mm512_min_epi8(apart, reach));

    return _mm512_mask_sub_epi8(code, none, code, _mm512_set1_epi8(1));
}

/* `fall` is the set of cells whose values are greater than their moves allow. Lowers these cells,
 * at most down to their floors. Removes the cells whose best capture has to be looked up from
 * `fall`, and stores them in *needs_capture. */
TARGET static __m512i fall_back(const struct wari_cells *codes, __m512i old, __m512i worst,
                                __m512i cells, __mmask64 *fall, __mmask64 *needs_capture)
{
    const struct look_up floors = look_up_load(codes->floor);
    const struct look_up values = look_up_load(codes->value);
    const __m512i known = look_up(&floors, old);
    const __m512i value = _mm512_sub_epi8(_mm512_setzero_si512(), look_up(&values, worst));
    const __mmask64 bound =
        _mm512_mask_cmplt_epi8_mask(*fall, known, _mm512_set1_epi8(codes->none));
    const __m512i floor =
        _mm512_mask_sub_epi8(known, bound, known, _mm512_set1_epi8(WARI_FLOOR_BELOW));

    *needs_capture = _mm512_mask_cmple_epi8_mask(bound, value, floor);
    *fall &= ~*needs_capture;
    return _mm512_mask_mov_epi8(cells, *fall,
                                low_codes(codes, _mm512_max_epi8(value, floor), floor));
}

/* Adds a query for each cell of a row that needs its best capture. */
static void add_queries(struct wari_merge_result *merged, int row, uint64_t columns,
                        const int8_t *worst)
{
    for (; columns != 0; columns &= columns - 1) {
        const int column = __builtin_ctzll(columns);
        merged->query[merged->query_count++] =
            (struct wari_capture_query){(uint8_t)row, (uint8_t)column, worst[column]};
    }
}

/* Writes the cells of a row back if any of them changed, and records the changed cells. */
TARGET static inline void write_row(const struct wari_item_strip *strip, int row, __mmask64 all,
                                    __m512i old, __m512i cells, struct wari_merge_result *merged)
{
    const __mmask64 differ = _mm512_mask_cmpneq_epi8_mask(all, cells, old);

    if (differ == 0)
        return;
    _mm512_mask_storeu_epi8(strip->cells + (size_t)row * strip->pitch, all, cells);
    merged->rows |= UINT64_C(1) << row;
    merged->differ[row] = differ;
    merged->changed += (uint64_t)_mm_popcnt_u64(differ);
}

/* The rows of a strip in which cells change, as two masks. */
struct rows_to_grow {
    uint64_t rise; /* bit r is set if a cell of row r rises */
    uint64_t fall; /* bit r is set if a cell of row r falls, or if its best capture has to be looked
                    * up first */
};

/* Finds the rows in which cells change. The loop has no branch that depends on the cells, so that
 * no branch can be mispredicted. */
TARGET static inline struct rows_to_grow rows_to_grow(const struct wari_item_strip *strip,
                                                      const int8_t *transposed, __mmask64 all)
{
    const struct look_up holds = look_up_load(strip->codes->hold);
    const __m512i lifts = _mm512_loadu_si512(strip->codes->lift);
    const __m512i zero = _mm512_set1_epi8(strip->codes->zero);
    struct rows_to_grow rows = {0, 0};

    for (int row = 0; row < strip->rows; row++) {
        const __m512i old = _mm512_maskz_loadu_epi8(all, strip->cells + (size_t)row * strip->pitch);
        const __m512i worst = _mm512_load_si512(transposed + row * WARI_ITEM_COLUMNS);
        const __m512i lift = permute(_mm512_sub_epi8(_mm512_max_epi8(old, zero), zero), lifts);
        const __mmask64 up = _mm512_mask_cmple_epi8_mask(all, worst, lift);
        const __mmask64 down = _mm512_mask_cmpgt_epi8_mask(all, worst, look_up(&holds, old));

        _mm_prefetch(strip->cells + (size_t)(row + WARI_STRIP) * strip->pitch, _MM_HINT_T0);
        rows.rise |= (uint64_t)(up != 0) << row;
        rows.fall |= (uint64_t)(down != 0) << row;
    }
    return rows;
}

TARGET static void grow_avx512(const struct wari_item_strip *strip,
                               struct wari_merge_result *merged)
{
    const struct look_up rises = look_up_load(strip->codes->rise);
    const struct look_up holds = look_up_load(strip->codes->hold);
    const __mmask64 all = UINT64_MAX >> (64 - strip->width);
    int8_t transposed[WARI_ITEM_STRIP_CELLS] __attribute__((aligned(64)));

    wari_nothing_merged(merged);
    transpose_inline(strip->worst, transposed, strip->rows);
    const struct rows_to_grow rows = rows_to_grow(strip, transposed, all);
    for (uint64_t left = rows.fall; left != 0; left &= left - 1) {
        const int row = __builtin_ctzll(left);
        const __m512i old = _mm512_maskz_loadu_epi8(all, strip->cells + (size_t)row * strip->pitch);
        const __m512i worst = _mm512_load_si512(transposed + row * WARI_ITEM_COLUMNS);
        __m512i cells = _mm512_max_epi8(old, look_up(&rises, worst));
        __mmask64 fall = _mm512_mask_cmpgt_epi8_mask(all, worst, look_up(&holds, old));
        __mmask64 needs_capture;

        cells = fall_back(strip->codes, old, worst, cells, &fall, &needs_capture);
        if (needs_capture != 0)
            add_queries(merged, row, needs_capture, transposed + row * WARI_ITEM_COLUMNS);
        write_row(strip, row, all, old, cells, merged);
    }
    for (uint64_t left = rows.rise & ~rows.fall; left != 0; left &= left - 1) {
        const int row = __builtin_ctzll(left);
        const __m512i old = _mm512_maskz_loadu_epi8(all, strip->cells + (size_t)row * strip->pitch);
        const __m512i worst = _mm512_load_si512(transposed + row * WARI_ITEM_COLUMNS);

        write_row(strip, row, all, old, _mm512_max_epi8(old, look_up(&rises, worst)), merged);
    }
}

/* Raises the upper bounds of the cells in `rise` to the value of their best quiet move, but not
 * above 0. These upper bounds are below 0 and below that value. */
TARGET static inline __m512i risen(const struct wari_cells *codes, __m512i old, __m512i quiet,
                                   __mmask64 rise)
{
    const struct look_up floors = look_up_load(codes->floor);
    const __m512i known = look_up(&floors, old);
    const __m512i floor = _mm512_max_epi8(known, _mm512_set1_epi8((char)(codes->none - 1)));
    const __m512i value = _mm512_min_epi8(quiet, _mm512_setzero_si512());

    return _mm512_mask_mov_epi8(old, rise, low_codes(codes, value, floor));
}

/* Returns `cells` after lowering the upper bounds of the cells in *fall, which are above 0 and
 * greater than the moves of these cells allow. If the best capture of such a cell has to be looked
 * up, the cell is left unchanged, and its bit moves from *fall to *needs_capture. */
TARGET static inline __m512i fallen(const struct wari_cells *codes, __m512i old, __m512i quiet,
                                    __m512i cells, __mmask64 *fall, __mmask64 *needs_capture)
{
    const struct look_up floors = look_up_load(codes->floor);
    const struct look_up shifts = look_up_load(codes->upper_codes.shift);
    const struct look_up backs = look_up_load(codes->upper_codes.back);
    const __m512i floor = look_up(&floors, old);
    const __m512i anchor = permute(quiet, _mm512_loadu_si512(codes->upper_codes.anchor));
    const __mmask64 above = _mm512_cmpgt_epi8_mask(quiet, floor);

    *needs_capture = _mm512_mask_cmplt_epi8_mask(*fall, floor, _mm512_set1_epi8(codes->none)) |
                     _mm512_mask_cmpeq_epi8_mask(*fall & above, anchor, _mm512_set1_epi8(INT8_MIN));
    *fall &= ~*needs_capture;
    cells = _mm512_mask_mov_epi8(cells, *fall, look_up(&backs, old));
    return _mm512_mask_add_epi8(cells, *fall & above, anchor, look_up(&shifts, old));
}

/* Computes wari_upper_shrunk() for 64 cells at a time. */
TARGET static void shrink_avx512(const struct wari_item_strip *strip,
                                 struct wari_merge_result *merged)
{
    const struct look_up leasts = look_up_load(strip->codes->upper_codes.least);
    const struct look_up holds = look_up_load(strip->codes->hold);
    const struct look_up values = look_up_load(strip->codes->value);
    const __mmask64 all = UINT64_MAX >> (64 - strip->width);
    int8_t transposed[WARI_ITEM_STRIP_CELLS] __attribute__((aligned(64)));

    wari_nothing_merged(merged);
    transpose_inline(strip->worst, transposed, strip->rows);
    for (int row = 0; row < strip->rows; row++) {
        const size_t at = (size_t)row * strip->pitch;
        const __m512i old = _mm512_maskz_loadu_epi8(all, strip->cells + at);
        const __m512i worst = _mm512_load_si512(transposed + row * WARI_ITEM_COLUMNS);
        const __mmask64 rise = _mm512_mask_cmplt_epi8_mask(all, worst, look_up(&leasts, old));
        __mmask64 fall = _mm512_mask_cmpgt_epi8_mask(all, worst, look_up(&holds, old)),
                  needs_capture;

        _mm_prefetch(strip->cells + at + WARI_STRIP * strip->pitch, _MM_HINT_T0);
        if ((rise | fall) == 0)
            continue;
        const __m512i quiet = _mm512_sub_epi8(_mm512_setzero_si512(), look_up(&values, worst));
        const __m512i cells = fallen(strip->codes, old, quiet,
                                     risen(strip->codes, old, quiet, rise), &fall, &needs_capture);
        if (needs_capture != 0)
            add_queries(merged, row, needs_capture, transposed + row * WARI_ITEM_COLUMNS);
        write_row(strip, row, all, old, cells, merged);
    }
}

WARI_BITS_LOOPS(TARGET, avx512, wari_close_up_pext)

/* Loads the first `cells` bits, 1 to 64, and sets the others to zero. No byte after the last of
 * these bits is read. */
TARGET WARI_BITS_INLINE __mmask64 first_bits(const uint8_t *bytes, uint32_t cells)
{
    const __mmask64 there = (UINT64_C(1) << (cells + 7) / 8) - 1;
    const __m512i word = _mm512_maskz_loadu_epi8(there, bytes);

    return (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(word)) & UINT64_MAX >> (64 - cells);
}

TARGET WARI_BITS_RACY static bool bits_fold_avx512(const struct wari_fold_tables *tables,
                                                   const struct wari_fold_range *range)
{
    __mmask64 changed = 0;

    for (uint32_t i = 0; i < range->count; i += 64) {
        const uint32_t left = range->count - i, count = left < 64 ? left : 64;
        const __mmask64 cells = UINT64_MAX >> (64 - count);
        const __m512i codes = _mm512_maskz_loadu_epi8(cells, range->cells + i);
        const __mmask64 won = first_bits(range->won + i / 8, count);
        __m512i folded = codes;
        __mmask64 before = 0;
        for (int j = 0; j < tables->snapshots; j++) {
            const __mmask64 decided = first_bits(range->snapshot[j] + i / 8, count);
            const __mmask64 fresh = decided & ~before;
            const int8_t(*const table)[256] = tables->code + (tables->snapshots - j);
            before = decided;
            if (fresh & won) {
                const struct look_up loaded = look_up_load(table[WARI_BITS_WON_CODES]);
                folded = _mm512_mask_mov_epi8(folded, fresh & won, look_up(&loaded, codes));
            }
            if (fresh & ~won) {
                const struct look_up loaded = look_up_load(table[0]);
                folded = _mm512_mask_mov_epi8(folded, fresh & ~won, look_up(&loaded, codes));
            }
        }
        changed |= _mm512_cmpneq_epi8_mask(codes, folded);
        _mm512_mask_storeu_epi8(range->cells + i, cells, folded);
    }
    return changed != 0;
}

/* The table of functions of the kernel with this name. */
#define WARI_AVX512_TABLE(kernel)                                                                  \
    {                                                                                              \
        .name = kernel, .worst = worst_avx512, .worst_of_strip = worst_of_strip_avx512,            \
        .grow = grow_avx512, .shrink = shrink_avx512, .transpose = transpose_avx512,               \
        .look_up = look_up_avx512, .to_halves = wari_to_halves_avx2,                               \
        .from_halves = wari_from_halves_avx2, .bits_of_column = bits_of_column_avx512,             \
        .bits_decide = bits_decide_avx512, .bits_fold = bits_fold_avx512,                          \
    }

#endif
