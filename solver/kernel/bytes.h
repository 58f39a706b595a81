/* Operations that AVX2 and NEON lack, composed of existing instructions: converting bits to byte
 * masks and back, and look-ups in tables of 256 bytes. */
#ifndef SOLVER_KERNEL_BYTES_H
#define SOLVER_KERNEL_BYTES_H

#if defined(__x86_64__)

#include <immintrin.h>
#include <stdint.h>

#define WARI_AVX2 __attribute__((target("avx2"), always_inline)) static inline

/* Loads 16 bytes into both lanes. */
WARI_AVX2 __m256i wari_load_twice(const void *from)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(from));
}

/* Returns a vector whose byte i is -1 if bit i is set, and 0 otherwise. */
WARI_AVX2 __m256i wari_spread_to_bytes(uint32_t bits)
{
    const __m256i bytes =
        _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i each = _mm256_set1_epi64x((long long)UINT64_C(0x8040201008040201));
    const __m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32((int)bits), bytes);

    return _mm256_cmpeq_epi8(_mm256_and_si256(spread, each), each);
}

/* A table of 256 bytes, for 32 look-ups at a time by sixteen shuffles. Shuffles 0 to 7 serve the
 * indices 0 to 127, and shuffles 8 to 15 serve the indices 128 to 255. Shuffle k of eight changes
 * the result of an index i (reduced by 128 in the second half) only if i / 16 is at least k. The
 * results of the shuffles are combined by XOR, so each vector holds the difference from the
 * previous 16 entries of the table. */
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

/* Looks up the indices 0 to 127; the result for an index below 0 is 0. */
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

#elif defined(__aarch64__)

#include <arm_neon.h>

#define WARI_NEON static inline __attribute__((always_inline))

enum {
    WARI_VECTOR_BYTES = 16,
    WARI_QUARTERS = 4, /* number of vectors that hold 64 cells */
};

/* Returns vectors whose byte i is all ones if bit i is set, and 0 otherwise. */
WARI_NEON uint8x16x4_t wari_bytes_of_bits(uint64_t bits)
{
    static const uint8_t byte[WARI_VECTOR_BYTES] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    static const uint8_t bit[WARI_VECTOR_BYTES] = {1, 2, 4, 8, 16, 32, 64, 128,
                                                   1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t all = vreinterpretq_u8_u64(vdupq_n_u64(bits));
    uint8x16x4_t bytes;

    for (int i = 0; i < WARI_QUARTERS; i++) {
        const uint8x16_t at = vaddq_u8(vld1q_u8(byte), vdupq_n_u8((uint8_t)(2 * i)));
        bytes.val[i] = vtstq_u8(vqtbl1q_u8(all, at), vld1q_u8(bit));
    }
    return bytes;
}

/* Returns a word whose bit i is set if byte i is all ones. Each byte must be 0 or all ones. */
WARI_NEON uint64_t wari_bits_of_bytes(uint8x16_t first, uint8x16_t second, uint8x16_t third,
                                      uint8x16_t fourth)
{
    static const uint8_t bit[WARI_VECTOR_BYTES] = {1, 2, 4, 8, 16, 32, 64, 128,
                                                   1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t one = vld1q_u8(bit);
    const uint8x16_t low = vpaddq_u8(vandq_u8(first, one), vandq_u8(second, one));
    const uint8x16_t high = vpaddq_u8(vandq_u8(third, one), vandq_u8(fourth, one));
    const uint8x16_t all = vpaddq_u8(low, high);

    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
}

/* A table of 256 bytes, split into four tables of 64 bytes. A look-up in one of the four replaces
 * only the results whose index lies in that table. The table takes half of all registers. */
struct wari_neon_table {
    int8x16x4_t part[4];
};

WARI_NEON struct wari_neon_table wari_neon_table(const int8_t table[256])
{
    return (struct wari_neon_table){{vld1q_s8_x4(table), vld1q_s8_x4(table + 64),
                                     vld1q_s8_x4(table + 128), vld1q_s8_x4(table + 192)}};
}

WARI_NEON int8x16_t wari_neon_look_up(const struct wari_neon_table *table, int8x16_t code)
{
    uint8x16_t at = vreinterpretq_u8_s8(code), part = vdupq_n_u8(64);
    int8x16_t found = vqtbl4q_s8(table->part[0], at);

    __asm__(""
            : "+w"(part)); /* otherwise the compiler computes three constants from it and keeps each
                            * in a register */
    at = vsubq_u8(at, part);
    found = vqtbx4q_s8(found, table->part[1], at);
    at = vsubq_u8(at, part);
    found = vqtbx4q_s8(found, table->part[2], at);
    at = vsubq_u8(at, part);
    return vqtbx4q_s8(found, table->part[3], at);
}

#endif

#endif
