/* What AVX2 lacks, made of what it has: bits as masks of bytes, and tables of 256 bytes. */
#ifndef SOLVER_KERNEL_BYTES_AVX2_H
#define SOLVER_KERNEL_BYTES_AVX2_H

#include <immintrin.h>
#include <stdint.h>

#define WARI_AVX2 __attribute__((target("avx2"), always_inline)) static inline

/* The same 16 bytes twice. */
WARI_AVX2 __m256i wari_load_twice(const void *from)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(from));
}

/* Byte i: -1 where bit i is set, else 0. */
WARI_AVX2 __m256i wari_spread_to_bytes(uint32_t bits)
{
    const __m256i bytes =
        _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i each = _mm256_set1_epi64x((long long)UINT64_C(0x8040201008040201));
    const __m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32((int)bits), bytes);

    return _mm256_cmpeq_epi8(_mm256_and_si256(spread, each), each);
}

/* A table of 256 bytes, looked up 32 at a time: sixteen shuffles, of which those that are not below
 * the byte's upper half count, so that each has to have the difference to the one before. */
struct wari_look_up_avx2 {
    __m256i step[16];
};

WARI_AVX2 struct wari_look_up_avx2 wari_look_up_load(const int8_t table[256])
{
    struct wari_look_up_avx2 loaded;

    for (int i = 0; i < 16; i++)
        loaded.step[i] = i % 8 == 0 ? wari_load_twice(table + 16 * i)
                                    : _mm256_xor_si256(wari_load_twice(table + 16 * i),
                                                       wari_load_twice(table + 16 * (i - 1)));
    return loaded;
}

/* Bytes below 0 give 0. */
WARI_AVX2 __m256i wari_look_up_half(const __m256i step[8], __m256i at)
{
    __m256i found = _mm256_shuffle_epi8(step[0], at);

    for (int i = 1; i < 8; i++) {
        at = _mm256_subs_epi8(at, _mm256_set1_epi8(16));
        found = _mm256_xor_si256(found, _mm256_shuffle_epi8(step[i], at));
    }
    return found;
}

WARI_AVX2 __m256i wari_look_up(const struct wari_look_up_avx2 *table, __m256i at)
{
    const __m256i upper = _mm256_xor_si256(at, _mm256_set1_epi8(INT8_MIN));

    return _mm256_or_si256(wari_look_up_half(table->step, at),
                           wari_look_up_half(table->step + 8, upper));
}

#endif
