/* Kernel for x86-64 with AVX2. One table look-up covers 16 bytes, so a struct wari_verify_vector,
 * which has 64 bytes, needs up to four look-ups. */
#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#include "verify/verify_strip.h"

#define KERNEL_TABLE wari_verify_kernel_avx2
#define KERNEL_TARGET __attribute__((target("avx2")))

enum { LANE_BYTES = 16, AVX2_BYTES = 32 };

/* Uses plain loads although other threads may change marks: each byte is the old one or the new
 * one. */
KERNEL_TARGET __attribute__((no_sanitize("thread"))) static inline __m256i
load_lane(const wari_verify_cell *cells)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)cells));
}

/* Expands each bit of `which` to a byte, 0xff or 0. */
KERNEL_TARGET static inline __m256i spread(uint32_t which)
{
    const __m256i byte_of = _mm256_set_epi64x(0x0303030303030303, 0x0202020202020202,
                                              0x0101010101010101, 0x0000000000000000);
    const __m256i bit_of = _mm256_set1_epi64x((long long)0x8040201008040201);
    const __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32((int)which), byte_of);
    return _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit_of), bit_of);
}

/* Returns for each row the cell at offset place[row] of the vector. The result is undefined for
 * rows whose cells are in another vector. Skips lanes that contain no needed cell. The memory after
 * the last cell of a level is large enough for these loads. */
KERNEL_TARGET static inline __m256i gather_from_vector(const wari_verify_cell *cells,
                                                       const struct wari_verify_vector *vector,
                                                       __m256i place)
{
    /* If a place lies outside the lane, bit 7 of its index is set, and the look-up gives 0. */
    const __m256i outside = _mm256_set1_epi8(0x70);
    __m256i found = _mm256_setzero_si256();

    for (int first = 0; first < WARI_VERIFY_ROWS; first += LANE_BYTES) {
        if ((vector->bytes >> first & 0xffff) == 0)
            continue;
        const __m256i within =
            _mm256_adds_epu8(_mm256_sub_epi8(place, _mm256_set1_epi8((char)first)), outside);
        found = _mm256_or_si256(
            found, _mm256_shuffle_epi8(load_lane(cells + vector->first + first), within));
    }
    return found;
}

/* Gathers one cell for each row of a strip. Returns false and leaves `codes` unchanged if more than
 * WARI_VERIFY_VECTORS vectors (verify_strip.h) would be needed to contain the cells. */
KERNEL_TARGET static inline bool gather_by_vectors(const wari_verify_cell *cells,
                                                   const struct wari_verify_vectors *vectors,
                                                   uint8_t codes[WARI_VERIFY_ROWS])
{
    for (int first = 0; first < WARI_VERIFY_ROWS && vectors->count > 0; first += AVX2_BYTES) {
        const __m256i place =
            _mm256_loadu_si256((const __m256i *)(const void *)(vectors->place + first));
        __m256i found = _mm256_setzero_si256();
        for (int i = 0; i < vectors->count; i++) {
            const uint32_t rows = (uint32_t)(vectors->vector[i].rows >> first);
            if (rows != 0)
                found = _mm256_or_si256(
                    found, _mm256_and_si256(gather_from_vector(cells, &vectors->vector[i], place),
                                            spread(rows)));
        }
        _mm256_storeu_si256((__m256i *)(void *)(codes + first), found);
    }
    return vectors->count > 0;
}

/* Returns a bit for each byte that is not 0. */
KERNEL_TARGET static inline uint64_t nonzero_mask(const uint8_t bytes[WARI_VERIFY_ROWS])
{
    uint64_t which = 0;
    for (int first = 0; first < WARI_VERIFY_ROWS; first += AVX2_BYTES) {
        const __m256i all = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + first));
        const __m256i zero = _mm256_cmpeq_epi8(all, _mm256_setzero_si256());
        which |= (uint64_t) ~(uint32_t)_mm256_movemask_epi8(zero) << first;
    }
    return which;
}

#define KERNEL_TILES
/* Returns a bit for each pair of equal bytes. */
KERNEL_TARGET static inline uint64_t equal_mask(const uint8_t a[WARI_VERIFY_ROWS],
                                                const uint8_t b[WARI_VERIFY_ROWS])
{
    uint64_t equal = 0;
    for (int first = 0; first < WARI_VERIFY_ROWS; first += AVX2_BYTES) {
        const __m256i bytes =
            _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(const void *)(a + first)),
                              _mm256_loadu_si256((const __m256i *)(const void *)(b + first)));
        equal |= (uint64_t)(uint32_t)_mm256_movemask_epi8(bytes) << first;
    }
    return equal;
}

KERNEL_TARGET static int kernel_keep(wari_verify_cell *cells, uint64_t kept)
{
    const __m256i mark = _mm256_set1_epi8(WARI_VERIFY_MARK);
    int marked = 0;
    for (int first = 0; first < WARI_VERIFY_ROWS; first += AVX2_BYTES) {
        __m256i *at = (__m256i *)(void *)(cells + first);
        const __m256i codes = _mm256_loadu_si256(at);
        const __m256i marks =
            _mm256_and_si256(_mm256_and_si256(codes, mark), spread((uint32_t)(kept >> first)));
        _mm256_storeu_si256(at, _mm256_or_si256(_mm256_andnot_si256(mark, codes), marks));
        marked +=
            __builtin_popcount((unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(marks, mark)));
    }
    return marked;
}

/* Transposes 64 rows of 64 bytes, in blocks of 32 rows and 16 columns. At first, lane q of a[i]
 * holds row 16q + i of the block. Each of four rounds interleaves the bytes of the vectors a[i] and
 * a[i + 8]. After the last round, lane q of a[i] holds column i of the rows from 16q on. */
KERNEL_TARGET static inline void transpose(const uint8_t *in, uint64_t in_pitch, uint8_t *out,
                                           uint64_t out_pitch)
{
    for (uint64_t row = 0; row < WARI_VERIFY_TILE; row += AVX2_BYTES) {
        for (uint64_t column = 0; column < WARI_VERIFY_TILE; column += LANE_BYTES) {
            __m256i a[LANE_BYTES], b[LANE_BYTES];
            for (uint64_t i = 0; i < LANE_BYTES; i++) {
                const uint8_t *from = in + (row + i) * in_pitch + column;
                const __m128i lane =
                    _mm_loadu_si128((const __m128i *)(const void *)(from + LANE_BYTES * in_pitch));
                a[i] = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)from));
                a[i] = _mm256_inserti128_si256(a[i], lane, 1);
            }
            for (int round = 0; round < 4; round++) {
                for (int i = 0; i < LANE_BYTES / 2; i++) {
                    b[2 * i] = _mm256_unpacklo_epi8(a[i], a[i + LANE_BYTES / 2]);
                    b[2 * i + 1] = _mm256_unpackhi_epi8(a[i], a[i + LANE_BYTES / 2]);
                }
                memcpy(a, b, sizeof a);
            }
            for (uint64_t i = 0; i < LANE_BYTES; i++)
                _mm256_storeu_si256((__m256i *)(void *)(out + (column + i) * out_pitch + row),
                                    a[i]);
        }
    }
}

/* Other threads may read the cells at the same time: each byte that they read is either the old or
 * the new one. */
KERNEL_TARGET __attribute__((no_sanitize("thread"))) static inline void
store_row(wari_verify_cell *cells, const uint8_t *codes, int count)
{
    if (count < WARI_VERIFY_TILE) {
        for (int i = 0; i < count; i++)
            wari_verify_write(&cells[i], codes[i]);
        return;
    }
    for (int first = 0; first < WARI_VERIFY_TILE; first += AVX2_BYTES)
        _mm256_storeu_si256((__m256i *)(void *)(cells + first),
                            _mm256_loadu_si256((const __m256i *)(const void *)(codes + first)));
}

#include "verify/verify_kernel_loops.h"

#else
typedef int wari_no_avx2_here; /* a translation unit may not be empty */
#endif
