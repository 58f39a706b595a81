/* The kernels for x86-64 with AVX-512, which process 32 cells at a time. With VBMI, the kernels
 * wari_find_avx512vbmi() and wari_captures_avx512vbmi() process 64 cells at a time. */
#if defined(__x86_64__)

#include <immintrin.h>

#define KERNEL_NAME(name) name##_avx512
#define KERNEL_CELLS 32
#define KERNEL_TARGET __attribute__((target("avx512f,avx512bw")))
#include "db/format/kernels_loop.h"

/* The following kernel computes the same as find_row_cells() of kernels_loop.h. Neighbours are
 * bytes, and masks tell which of them count. Neighbours by pit D are at most 49 cells before their
 * cells, so one permutation of the 128 bytes up to the last cell finds all of them; they need not
 * be copied. Sums of neighbours have 16 bits: each instruction multiplies bytes of two neighbours
 * and adds the products, for the cells in the lower or upper half of each lane of 16 bytes. */
#define VBMI_INLINE                                                                                \
    static inline __attribute__((always_inline, target("avx512f,avx512bw,avx512vbmi")))
#define VBMI_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi")))

enum { CELLS = 64, OTHERS = WARI_NEIGHBOURS + 1 };

/* Words for 64 cells: `low` for the lower half of each lane, `high` for the upper half. */
struct words {
    __m512i low, high;
};

/* Data that is the same for all cells of a row in one stream. */
struct span {
    const struct wari_cell_tables *tables;
    const uint8_t *biased; /* residues plus WARI_VALUE_BIAS (cell_tables.h), from the first cell of
                            * the chunk on */
    __m512i length;        /* length of a stream */
    bool first_stream;     /* no stream is before this one */
    int32_t above;         /* cells at least this far into their stream have a neighbour in the row
                            * above */
    size_t row_back;       /* distance to the row above; 0 if there is none */
};

/* Multiplies each byte by its factor, and returns the sum of each two adjacent products. */
VBMI_INLINE struct words multiply(struct words bytes, struct words factors)
{
    return (struct words){_mm512_maddubs_epi16(bytes.low, factors.low),
                          _mm512_maddubs_epi16(bytes.high, factors.high)};
}

VBMI_INLINE struct words add(struct words a, struct words b)
{
    return (struct words){_mm512_add_epi16(a.low, b.low), _mm512_add_epi16(a.high, b.high)};
}

VBMI_INLINE struct words interleave(__m512i a, __m512i b)
{
    return (struct words){_mm512_unpacklo_epi8(a, b), _mm512_unpackhi_epi8(a, b)};
}

/* Returns the mask of those of 32 cells whose neighbour counts. `distance` has the distance from
 * each cell to this neighbour, and `done` the number of cells before each cell in its stream. All
 * numbers are less than 2^15. */
VBMI_INLINE __mmask32 counting(const struct span *span, __m512i distance, __m512i done)
{
    const __mmask32 own = _mm512_cmple_epu16_mask(distance, done);

    if (span->first_stream)
        return own;
    return own | _mm512_cmple_epu16_mask(_mm512_sub_epi16(distance, span->length), done);
}

/* The variance and the mean of the six neighbours of each of 64 cells, one byte for each cell:
 * `variance` is six times the variance, limited to 255, and `mean` is rounded. */
struct moments {
    __m512i variance, mean;
};

/* Computes six times the variance, in 16 bits, from the sum S and the sum of squares. Let S = 6 m +
 * r. Then S * S / 6, rounded down, is m * (S + r) + r * r / 6. The result is less than 2^15. */
VBMI_INLINE __m512i variance_of(__m512i sum, __m512i squares)
{
    const __m512i sixth = _mm512_set1_epi16(10923); /* 2^16 / 6, rounded up */
    const __m512i mean = _mm512_mulhi_epu16(sum, sixth);
    const __m512i rest =
        _mm512_sub_epi16(sum, _mm512_mullo_epi16(mean, _mm512_set1_epi16(6))); /* 0 to 5 */
    const __m512i small = _mm512_shuffle_epi8(
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 0, 0, 1, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
        rest);

    return _mm512_sub_epi16(
        squares, _mm512_add_epi16(_mm512_mullo_epi16(mean, _mm512_add_epi16(sum, rest)), small));
}

VBMI_INLINE struct moments moments_of(const __m512i near[OTHERS])
{
    const __m512i one = _mm512_set1_epi8(1), sixth = _mm512_set1_epi16(10923);
    const __m512i three = _mm512_set1_epi16(3);
    const struct words ones = {one, one};
    struct words sum = {_mm512_setzero_si512(), _mm512_setzero_si512()}, squares = sum;

#pragma GCC unroll 3
    for (int k = 0; k < OTHERS; k += 2) {
        const struct words pair = interleave(near[k], near[k + 1]);
        sum = add(sum, multiply(pair, ones));
        squares = add(squares, multiply(pair, pair));
    }
    return (struct moments){
        .variance = _mm512_packus_epi16(variance_of(sum.low, squares.low),
                                        variance_of(sum.high, squares.high)),
        .mean = _mm512_packus_epi16(_mm512_mulhi_epu16(_mm512_add_epi16(sum.low, three), sixth),
                                    _mm512_mulhi_epu16(_mm512_add_epi16(sum.high, three), sixth)),
    };
}

VBMI_INLINE __m512i spreads_of(__m512i variance)
{
    __m512i spread = _mm512_setzero_si512();

#pragma GCC unroll 5
    for (int i = 1; i < WARI_SPREADS; i++)
        spread = _mm512_mask_add_epi8(
            spread, _mm512_cmpge_epu8_mask(variance, _mm512_set1_epi8((char)wari_spread_from[i])),
            spread, _mm512_set1_epi8(1));
    return spread;
}

/* Collects the six neighbours of 64 cells, with substitutes for those that do not count. The first
 * cell is cell `at` of the chunk, in the kept column `column`, and `done` cells of its stream are
 * before it. */
VBMI_INLINE void neighbours_of(const struct span *span, size_t at, size_t column, int32_t done,
                               __m512i near[OTHERS])
{
    static const uint8_t even[CELLS] = {
        0,  2,  4,   6,   8,   10,  12,  14,  16,  18,  20,  22,  24,  26,  28,  30,
        32, 34, 36,  38,  40,  42,  44,  46,  48,  50,  52,  54,  56,  58,  60,  62,
        64, 66, 68,  70,  72,  74,  76,  78,  80,  82,  84,  86,  88,  90,  92,  94,
        96, 98, 100, 102, 104, 106, 108, 110, 112, 114, 116, 118, 120, 122, 124, 126};
    static const uint8_t cell[CELLS] = {
        64,  65,  66,  67,  68,  69,  70,  71,  72,  73,  74,  75,  76,  77,  78,  79,
        80,  81,  82,  83,  84,  85,  86,  87,  88,  89,  90,  91,  92,  93,  94,  95,
        96,  97,  98,  99,  100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111,
        112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127};
    const struct wari_cell_tables *tables = span->tables;
    const __m512i index = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)cell));
    const __m512i here = _mm512_add_epi16(index, _mm512_set1_epi16((int16_t)(done - CELLS)));
    const __m512i later = _mm512_add_epi16(here, _mm512_set1_epi16(CELLS / 2));
    const uint8_t *biased = span->biased + at;
    __m512i before = _mm512_loadu_si512(biased - 1), found[WARI_NEIGHBOURS];
    __mmask64 counts[WARI_NEIGHBOURS];

    if (done == 0)
        before = _mm512_mask_mov_epi8(before, 1, _mm512_set1_epi8(WARI_VALUE_BIAS));
#pragma GCC unroll 4
    for (int k = 0; k < WARI_NEIGHBOURS - 1; k++) {
        const int16_t *distance = tables->rows.columns.distance[k] + column;
        const __m512i low = _mm512_loadu_si512(distance);
        const __m512i high = _mm512_loadu_si512(distance + CELLS / 2);
        counts[k] = _mm512_kunpackd(counting(span, high, later), counting(span, low, here));
        if (k == 0) {
            const __m512i back = _mm512_permutex2var_epi8(low, _mm512_loadu_si512(even), high);
            found[k] = _mm512_permutex2var_epi8(_mm512_loadu_si512(biased - CELLS),
                                                _mm512_sub_epi8(_mm512_loadu_si512(cell), back),
                                                _mm512_loadu_si512(biased));
        } else {
            found[k] = _mm512_loadu_si512(tables->moved[k] + WARI_RUN_CAPACITY + at);
        }
    }
    counts[4] = span->above <= done           ? UINT64_MAX
                : span->above - done >= CELLS ? 0
                                              : UINT64_MAX << (span->above - done);
    found[4] = _mm512_loadu_si512(biased - span->row_back);

    __m512i first = before, last = before;
#pragma GCC unroll 5
    for (int k = 0; k < WARI_NEIGHBOURS; k++) {
        last = _mm512_mask_mov_epi8(last, counts[k], found[k]);
        first = _mm512_mask_mov_epi8(first, counts[4 - k], found[4 - k]);
    }
    near[0] = before;
    near[1] = _mm512_mask_mov_epi8(first, counts[0], found[0]);
    near[2] = _mm512_mask_mov_epi8(last, counts[1], found[1]);
    near[3] = _mm512_mask_mov_epi8(before, counts[2], found[2]);
    near[4] = _mm512_mask_mov_epi8(first, counts[3], found[3]);
    near[5] = _mm512_mask_mov_epi8(last, counts[4], found[4]);
}

/* Stores words of 64 cells in the order of the cells. */
VBMI_INLINE void store(struct words words, uint16_t *to)
{
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);

    _mm512_storeu_si512(to, _mm512_permutex2var_epi64(words.low, first, words.high));
    _mm512_storeu_si512(to + CELLS / 2, _mm512_permutex2var_epi64(words.low, second, words.high));
}

/* Stores `entry` for 64 cells. */
VBMI_INLINE void store_entries(struct wari_cell_tables *tables, size_t at, struct moments moments)
{
    const int seeds = tables->seeds, symbols = 2 * seeds + 2;
    const __m512i capture = _mm512_loadu_si512(tables->rows.capture + at);
    const __m512i raised = _mm512_subs_epu8(_mm512_add_epi8(moments.mean, capture),
                                            _mm512_set1_epi8((char)(WARI_VALUE_BIAS - seeds)));
    const __m512i class = _mm512_min_epu8(raised, _mm512_set1_epi8((char)(2 * seeds)));
    const __m512i symbol = _mm512_add_epi8(_mm512_loadu_si512(tables->value + at),
                                           _mm512_set1_epi8((char)(seeds + 1)));
    const __m512i factor = _mm512_set1_epi16((int16_t)(1 << 8 | symbols));
    const __m512i tables_of_spread = _mm512_set1_epi16((int16_t)((2 * seeds + 1) * symbols));
    const struct words spread = interleave(spreads_of(moments.variance), _mm512_setzero_si512());
    const struct words of_spread = {_mm512_mullo_epi16(spread.low, tables_of_spread),
                                    _mm512_mullo_epi16(spread.high, tables_of_spread)};

    store(add(of_spread, multiply(interleave(class, symbol), (struct words){factor, factor})),
          tables->entry + at);
}

VBMI_INLINE void find_cells(struct wari_cell_tables *tables, const struct wari_row_cells *range,
                            size_t length)
{
    const bool first_stream = range->stream == 0;
    const bool earlier = !first_stream && range->above >= (int32_t)length;
    const struct span span = {
        .tables = tables,
        .biased = tables->biased + WARI_CHUNK_POSITIONS + WARI_RUN_CAPACITY,
        .length = _mm512_set1_epi16((int16_t)length),
        .first_stream = first_stream,
        .above = earlier ? range->above - (int32_t)length : range->above,
        .row_back = range->above == WARI_NO_DISTANCE ? 0 : (size_t)range->above,
    };

    for (uint32_t i = 0; i < range->cells; i += CELLS) {
        __m512i near[OTHERS];
        neighbours_of(&span, range->at + i, range->skip + i,
                      (int32_t)(range->at - range->stream + i), near);
        store_entries(tables, range->at + i, moments_of(near));
    }
}

/* The mask of the pits reached is the index of a table of 64 captures. */
VBMI_TARGET void wari_captures_avx512vbmi(const uint8_t *reach, const uint8_t taken[WARI_HALF_PITS],
                                          size_t cells, uint8_t *capture)
{
    static const uint64_t with_pit[WARI_HALF_PITS] = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc,
                                                      0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00,
                                                      0xffff0000ffff0000, 0xffffffff00000000};
    __m512i table = _mm512_setzero_si512();

    for (int pit = 0; pit < WARI_HALF_PITS; pit++)
        table =
            _mm512_mask_max_epu8(table, with_pit[pit], table, _mm512_set1_epi8((char)taken[pit]));
    for (size_t i = 0; i < cells; i += CELLS)
        _mm512_storeu_si512(capture + i,
                            _mm512_permutexvar_epi8(_mm512_loadu_si512(reach + i), table));
}

VBMI_TARGET void wari_find_avx512vbmi(struct wari_cell_tables *tables,
                                      const struct wari_row_iterator *row, size_t length)
{
    const struct wari_cell_shifts *shifts = &tables->shifts;
    uint8_t *biased = tables->biased + WARI_CHUNK_POSITIONS + WARI_RUN_CAPACITY + row->at;
    const size_t end = row->at + row->cells;

    bias_row(tables->value + row->at, tables->rows.capture + row->at, row->cells, biased);
    for (int k = 0; k < 3; k++)
        move_shifts(shifts->shift[k], shifts->shifts[k], row->skip, row->cells, biased,
                    tables->moved[k + 1] + WARI_RUN_CAPACITY + row->at);
    for (size_t stream = row->at / length * length; stream < end; stream += length) {
        const struct wari_row_cells range = wari_row_cells_of_stream(row, stream, length);
        find_cells(tables, &range, length);
    }
}

#else
typedef int wari_no_avx512_here; /* C forbids an empty translation unit */
#endif
