/* The loops for x86-64 with AVX2, which looks up 16 bytes at a time: those of a window in up to
 * four parts. */
#if defined(__x86_64__)

#include <immintrin.h>

#include "verify/verify_strip.h"

#define LOOK_TABLE wari_verify_look_avx2
#define LOOK_TARGET __attribute__((target("avx2")))

enum { PART = 16, LANES = 32 };

/* Plain loads, where other threads may change marks: each byte is the old or the new one. */
LOOK_TARGET __attribute__((no_sanitize("thread"))) static inline __m256i
load_part(const wari_verify_cell *cells)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)cells));
}

/* All bits of those bytes of which `which` has one. */
LOOK_TARGET static inline __m256i spread(uint32_t which)
{
    const __m256i byte_of = _mm256_set_epi64x(0x0303030303030303, 0x0202020202020202,
                                              0x0101010101010101, 0x0000000000000000);
    const __m256i bit_of = _mm256_set1_epi64x((long long)0x8040201008040201);
    const __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32((int)which), byte_of);
    return _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit_of), bit_of);
}

/* The bytes of a window at these places, any byte for rows that have theirs elsewhere. Parts that
 * nobody asks for are not read; behind the last cell of a level there are parts enough. */
LOOK_TARGET static inline __m256i look_up(const wari_verify_cell *cells,
                                          const struct wari_verify_window *window, __m256i place)
{
    /* Bit 7 of a place outside of the part is set, which gives 0. */
    const __m256i outside = _mm256_set1_epi8(0x70);
    __m256i found = _mm256_setzero_si256();

    for (int first = 0; first < WARI_VERIFY_ROWS; first += PART) {
        if ((window->bytes >> first & 0xffff) == 0)
            continue;
        const __m256i within =
            _mm256_adds_epu8(_mm256_sub_epi8(place, _mm256_set1_epi8((char)first)), outside);
        found = _mm256_or_si256(
            found, _mm256_shuffle_epi8(load_part(cells + window->first + first), within));
    }
    return found;
}

/* False if that takes more windows than there are. */
LOOK_TARGET static inline bool look_by_windows(const wari_verify_cell *cells,
                                               const struct wari_verify_windows *windows,
                                               uint8_t codes[WARI_VERIFY_ROWS])
{
    for (int first = 0; first < WARI_VERIFY_ROWS && windows->count > 0; first += LANES) {
        const __m256i place =
            _mm256_loadu_si256((const __m256i *)(const void *)(windows->place + first));
        __m256i found = _mm256_setzero_si256();
        for (int i = 0; i < windows->count; i++) {
            const uint32_t rows = (uint32_t)(windows->window[i].rows >> first);
            if (rows != 0)
                found = _mm256_or_si256(
                    found,
                    _mm256_and_si256(look_up(cells, &windows->window[i], place), spread(rows)));
        }
        _mm256_storeu_si256((__m256i *)(void *)(codes + first), found);
    }
    return windows->count > 0;
}

/* Bytes that are not 0. */
LOOK_TARGET static inline uint64_t look_which(const uint8_t bytes[WARI_VERIFY_ROWS])
{
    uint64_t which = 0;
    for (int first = 0; first < WARI_VERIFY_ROWS; first += LANES) {
        const __m256i all = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + first));
        const __m256i zero = _mm256_cmpeq_epi8(all, _mm256_setzero_si256());
        which |= (uint64_t) ~(uint32_t)_mm256_movemask_epi8(zero) << first;
    }
    return which;
}

#include "verify/verify_look_loop.h"

#else
typedef int wari_no_avx2_here; /* a translation unit may not be empty */
#endif
