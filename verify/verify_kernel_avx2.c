/* Kernel for x86-64 with AVX2. Its table look-up covers 16 bytes, so a vector takes up to four
 * look-ups. */
#if defined(__x86_64__)

#include <immintrin.h>

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

/* Gathers one cell for each row. Returns false if the cells lie in more than WARI_VERIFY_VECTORS
 * vectors. */
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

#include "verify/verify_kernel_loops.h"

#else
typedef int wari_no_avx2_here; /* a translation unit may not be empty */
#endif
