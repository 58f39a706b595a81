/* Kernel for x86-64 with AVX-512 VBMI. A move leads the 64 rows of a strip to cells in a few
 * vectors of 64 bytes. One byte permutation for each vector copies these cells into the order of
 * the rows. */
#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#include "verify/verify_strip.h"

#define KERNEL_TABLE wari_verify_kernel_avx512
#define KERNEL_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi,bmi2")))

enum { LANE_BYTES = 16 };

/* Gathers one cell for each row. Returns false if the cells lie in more than WARI_VERIFY_VECTORS
 * vectors. Reads only bytes that are needed. */
KERNEL_TARGET static inline bool gather_by_vectors(const wari_verify_cell *cells,
                                                   const struct wari_verify_vectors *vectors,
                                                   uint8_t codes[WARI_VERIFY_ROWS])
{
    const __m512i place = _mm512_loadu_si512(vectors->place);
    __m512i found = _mm512_setzero_si512();

    for (int i = 0; i < vectors->count; i++) {
        const struct wari_verify_vector *vector = &vectors->vector[i];
        const __m512i bytes =
            _mm512_maskz_loadu_epi8(vector->bytes, (const void *)(cells + vector->first));
        found = _mm512_mask_permutexvar_epi8(found, vector->rows, place, bytes);
    }
    _mm512_storeu_si512(codes, found);
    return vectors->count > 0;
}

/* Returns a bit for each byte that is not 0. */
KERNEL_TARGET static inline uint64_t nonzero_mask(const uint8_t bytes[WARI_VERIFY_ROWS])
{
    const __m512i all = _mm512_loadu_si512(bytes);
    return _mm512_test_epi8_mask(all, all);
}

#define KERNEL_EXPANDS
/* Returns the set of bytes of a vector that the rows in the set `rows` reach. The n-th row in
 * vector->rows reaches the n-th byte in vector->bytes, because the columns reached ascend from row
 * to row. */
KERNEL_TARGET static inline uint64_t bytes_of_rows(const struct wari_verify_vectors *vectors,
                                                   const struct wari_verify_vector *vector,
                                                   uint64_t rows)
{
    (void)vectors;
    return _pdep_u64(_pext_u64(rows, vector->rows), vector->bytes);
}

#define KERNEL_TILES
/* Returns a bit for each pair of equal bytes. */
KERNEL_TARGET static inline uint64_t equal_mask(const uint8_t a[WARI_VERIFY_ROWS],
                                                const uint8_t b[WARI_VERIFY_ROWS])
{
    return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(a), _mm512_loadu_si512(b));
}

KERNEL_TARGET static int kernel_keep(wari_verify_cell *cells, uint64_t kept)
{
    const __m512i mark = _mm512_set1_epi8(WARI_VERIFY_MARK);
    const __m512i codes = _mm512_loadu_si512((const void *)cells);
    const uint64_t marked = _mm512_test_epi8_mask(codes, mark);

    if (marked & ~kept)
        _mm512_storeu_si512((void *)cells,
                            _mm512_mask_sub_epi8(codes, marked & ~kept, codes, mark));
    return __builtin_popcountll(marked & kept);
}

/* Transposes 64 rows of 64 bytes, in blocks of 16 columns. Lane q of a[i] is loaded from row
 * 16q + i. Each of four rounds interleaves the bytes of the vectors i and i + 8. After them, lane q
 * of a[i] holds column i of the rows from 16q on. */
KERNEL_TARGET static inline void transpose(const uint8_t *in, uint64_t in_pitch, uint8_t *out,
                                           uint64_t out_pitch)
{
    for (uint64_t column = 0; column < WARI_VERIFY_TILE; column += LANE_BYTES) {
        __m512i a[LANE_BYTES], b[LANE_BYTES];
        for (uint64_t i = 0; i < LANE_BYTES; i++) {
            __m128i lane[4];
            for (uint64_t q = 0; q < 4; q++)
                lane[q] =
                    _mm_loadu_si128((const void *)(in + (q * LANE_BYTES + i) * in_pitch + column));
            a[i] = _mm512_castsi128_si512(lane[0]);
            a[i] = _mm512_inserti32x4(a[i], lane[1], 1);
            a[i] = _mm512_inserti32x4(a[i], lane[2], 2);
            a[i] = _mm512_inserti32x4(a[i], lane[3], 3);
        }
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < LANE_BYTES / 2; i++) {
                b[2 * i] = _mm512_unpacklo_epi8(a[i], a[i + LANE_BYTES / 2]);
                b[2 * i + 1] = _mm512_unpackhi_epi8(a[i], a[i + LANE_BYTES / 2]);
            }
            memcpy(a, b, sizeof a);
        }
        for (uint64_t i = 0; i < LANE_BYTES; i++)
            _mm512_storeu_si512(out + (column + i) * out_pitch, a[i]);
    }
}

/* Other threads may read the cells at the same time: each byte that they read is either the old or
 * the new one. */
KERNEL_TARGET static inline void store_row(wari_verify_cell *cells, const uint8_t *codes, int count)
{
    _mm512_mask_storeu_epi8((void *)cells, UINT64_MAX >> (WARI_VERIFY_TILE - count),
                            _mm512_loadu_si512(codes));
}

#include "verify/verify_kernel_loops.h"

#else
typedef int wari_no_avx512_here; /* a translation unit may not be empty */
#endif
