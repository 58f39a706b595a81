/* Choice of the codes that become half bytes, and the conversions to half bytes and back: in plain
 * C, with AVX2 (0.16 ns a cell, which is faster than a disk), and with NEON. */
#include "solver/kernel/half_bytes.h"

#include <string.h>

#include "solver/kernel/bytes.h"

enum { BATCHES_COUNTED = 64 }; /* sample size; enough to find the frequent codes */

void wari_choose_half_codes(const int8_t *cells, size_t batches, struct wari_half_codes *codes)
{
    const size_t step = batches / BATCHES_COUNTED + 1;
    uint32_t times[256] = {0};

    for (size_t batch = 0; batch < batches; batch += step)
        for (size_t i = 0; i < WARI_HALVES_BATCH; i++)
            times[(uint8_t)cells[batch * WARI_HALVES_BATCH + i]]++;
    memset(codes->half, WARI_HALF_CODES, sizeof codes->half);
    memset(codes->code, 0, sizeof codes->code);
    for (uint8_t half = 0; half < WARI_HALF_CODES; half++) {
        int most = 0;
        for (int code = 1; code < 256; code++)
            if (times[code] > times[most])
                most = code;
        if (times[most] == 0)
            return;
        codes->code[half] = (uint8_t)most;
        codes->half[most] = half;
        times[most] = 0;
    }
}

size_t wari_to_halves_portable(const int8_t *cells, size_t batches,
                               const struct wari_half_codes *codes, uint8_t *bytes, size_t capacity)
{
    uint8_t *halves = bytes + WARI_HALVES_HEAD;
    uint8_t *other = halves + batches * WARI_HALVES_BATCH / 2;
    const size_t least = (size_t)(other - bytes) + WARI_HALVES_BATCH + WARI_HALVES_AHEAD;

    if (capacity < least)
        return 0;
    memcpy(bytes, codes->code, WARI_HALVES_HEAD);
    for (const uint8_t *last = bytes + capacity - WARI_HALVES_BATCH - WARI_HALVES_AHEAD;
         batches > 0; batches--, cells += WARI_HALVES_BATCH, halves += WARI_HALVES_BATCH / 2) {
        if (other > last)
            return 0;
        for (int i = 0; i < WARI_HALVES_BATCH; i++) {
            const uint8_t code = (uint8_t)cells[i], half = codes->half[code];
            uint8_t *at = &halves[i % (WARI_HALVES_BATCH / 2)];
            *at = (uint8_t)(i < WARI_HALVES_BATCH / 2 ? half : *at | half << 4);
            *other = code;
            other += half == WARI_HALF_CODES;
        }
    }
    return (size_t)(other - bytes);
}

void wari_from_halves_portable(const uint8_t *bytes, size_t size, int8_t *cells, size_t batches)
{
    const uint8_t *halves = bytes + WARI_HALVES_HEAD, *end = bytes + size;
    const uint8_t *other = halves + batches * WARI_HALVES_BATCH / 2;

    for (; batches > 0; batches--, cells += WARI_HALVES_BATCH, halves += WARI_HALVES_BATCH / 2) {
        if (other > end)
            other = end;
        for (int i = 0; i < WARI_HALVES_BATCH; i++) {
            const uint8_t both = halves[i % (WARI_HALVES_BATCH / 2)];
            const uint8_t half = i < WARI_HALVES_BATCH / 2 ? both & 15 : both >> 4;
            cells[i] = (int8_t)(half == WARI_HALF_CODES ? *other : bytes[half]);
            other += half == WARI_HALF_CODES;
        }
    }
}

/* ---- Vectors --------------------------------------------------------------------------------- */

#if defined(__x86_64__)

/* choice.c checks that the processor has these instructions. */
#define AVX2 __attribute__((target("avx2,bmi,popcnt")))

/* Decodes 32 half bytes, then inserts the codes that have no half byte one by one. Returns the
 * address of the first of these codes that was not inserted. */
AVX2 static inline const uint8_t *decode_half_batch(__m256i halves, __m256i codes,
                                                    const uint8_t *other, int8_t *cells)
{
    const __m256i escape = _mm256_cmpeq_epi8(halves, _mm256_set1_epi8(WARI_HALF_CODES));
    uint32_t left = (uint32_t)_mm256_movemask_epi8(escape);

    _mm256_storeu_si256((void *)cells, _mm256_shuffle_epi8(codes, halves));
    for (; left != 0; left &= left - 1)
        cells[__builtin_ctz(left)] = (int8_t)*other++;
    return other;
}

AVX2 void wari_from_halves_avx2(const uint8_t *bytes, size_t size, int8_t *cells, size_t batches)
{
    const __m256i low = _mm256_set1_epi8(15);
    const __m256i codes = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)bytes));
    const uint8_t *halves = bytes + WARI_HALVES_HEAD, *end = bytes + size;
    const uint8_t *other = halves + batches * WARI_HALVES_BATCH / 2;

    for (; batches > 0; batches--, cells += WARI_HALVES_BATCH, halves += WARI_HALVES_BATCH / 2) {
        const __m256i both = _mm256_loadu_si256((const void *)halves);
        if (other > end)
            other = end;
        other = decode_half_batch(_mm256_and_si256(both, low), codes, other, cells);
        other = decode_half_batch(_mm256_and_si256(_mm256_srli_epi16(both, 4), low), codes, other,
                                  cells + WARI_HALVES_BATCH / 2);
    }
}

/* Implements wari_to_halves like wari_to_halves_portable(), but finds all half bytes of a batch,
 * and the cells that have no half byte, at once. */
AVX2 size_t wari_to_halves_avx2(const int8_t *cells, size_t batches,
                                const struct wari_half_codes *codes, uint8_t *bytes,
                                size_t capacity)
{
    const struct wari_look_up_avx2 table = wari_look_up_load((const int8_t *)codes->half);
    const __m256i escape = _mm256_set1_epi8(WARI_HALF_CODES);
    uint8_t *halves = bytes + WARI_HALVES_HEAD;
    uint8_t *other = halves + batches * WARI_HALVES_BATCH / 2;

    if (capacity < (size_t)(other - bytes) + WARI_HALVES_BATCH + WARI_HALVES_AHEAD)
        return 0;
    memcpy(bytes, codes->code, WARI_HALVES_HEAD);
    for (const uint8_t *last = bytes + capacity - WARI_HALVES_BATCH - WARI_HALVES_AHEAD;
         batches > 0; batches--, cells += WARI_HALVES_BATCH, halves += WARI_HALVES_BATCH / 2) {
        const __m256i low = wari_look_up(&table, _mm256_loadu_si256((const void *)cells));
        const __m256i high = wari_look_up(&table, _mm256_loadu_si256((const void *)(cells + 32)));
        uint64_t others = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, escape)) |
                          (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, escape))
                              << 32;
        if (other > last)
            return 0;
        _mm256_storeu_si256((void *)halves, _mm256_or_si256(low, _mm256_slli_epi16(high, 4)));
        for (; others != 0; others &= others - 1)
            *other++ = (uint8_t)cells[__builtin_ctzll(others)];
    }
    return (size_t)(other - bytes);
}

#elif defined(__aarch64__)

enum { HALF_BATCH = WARI_HALVES_BATCH / 2 };

/* Returns a word whose bit i is set if half byte i stands for another code. */
WARI_NEON uint64_t others_of(uint8x16x4_t halves)
{
    const uint8x16_t other = vdupq_n_u8(WARI_HALF_CODES);

    return wari_bits_of_bytes(vceqq_u8(halves.val[0], other), vceqq_u8(halves.val[1], other),
                              vceqq_u8(halves.val[2], other), vceqq_u8(halves.val[3], other));
}

/* Implements wari_to_halves like wari_to_halves_portable(), but finds all half bytes of a batch,
 * and the cells that have no half byte, at once. */
size_t wari_to_halves_neon(const int8_t *cells, size_t batches, const struct wari_half_codes *codes,
                           uint8_t *bytes, size_t capacity)
{
    const struct wari_neon_table table = wari_neon_table((const int8_t *)codes->half);
    uint8_t *halves = bytes + WARI_HALVES_HEAD, *other = halves + batches * HALF_BATCH;

    if (capacity < (size_t)(other - bytes) + WARI_HALVES_BATCH + WARI_HALVES_AHEAD)
        return 0;
    memcpy(bytes, codes->code, WARI_HALVES_HEAD);
    for (const uint8_t *last = bytes + capacity - WARI_HALVES_BATCH - WARI_HALVES_AHEAD;
         batches > 0; batches--, cells += WARI_HALVES_BATCH, halves += HALF_BATCH) {
        uint8x16x4_t half;
        if (other > last)
            return 0;
#pragma GCC unroll 4
        for (int i = 0; i < WARI_QUARTERS; i++)
            half.val[i] = vreinterpretq_u8_s8(
                wari_neon_look_up(&table, vld1q_s8(cells + WARI_VECTOR_BYTES * i)));
        vst1q_u8(halves, vsliq_n_u8(half.val[0], half.val[2], 4));
        vst1q_u8(halves + WARI_VECTOR_BYTES, vsliq_n_u8(half.val[1], half.val[3], 4));
        for (uint64_t others = others_of(half); others != 0; others &= others - 1)
            *other++ = (uint8_t)cells[__builtin_ctzll(others)];
    }
    return (size_t)(other - bytes);
}

/* Decodes the half bytes of a batch, then inserts the codes that have no half byte one by one. */
void wari_from_halves_neon(const uint8_t *bytes, size_t size, int8_t *cells, size_t batches)
{
    const int8x16_t codes = vreinterpretq_s8_u8(vld1q_u8(bytes));
    const uint8x16_t low = vdupq_n_u8(15);
    const uint8_t *halves = bytes + WARI_HALVES_HEAD, *end = bytes + size;
    const uint8_t *other = halves + batches * HALF_BATCH;

    for (; batches > 0; batches--, cells += WARI_HALVES_BATCH, halves += HALF_BATCH) {
        const uint8x16_t first = vld1q_u8(halves), second = vld1q_u8(halves + WARI_VECTOR_BYTES);
        const uint8x16x4_t half = {{vandq_u8(first, low), vandq_u8(second, low),
                                    vshrq_n_u8(first, 4), vshrq_n_u8(second, 4)}};
        if (other > end)
            other = end;
        for (int i = 0; i < WARI_QUARTERS; i++)
            vst1q_s8(cells + WARI_VECTOR_BYTES * i, vqtbl1q_s8(codes, half.val[i]));
        for (uint64_t others = others_of(half); others != 0; others &= others - 1)
            cells[__builtin_ctzll(others)] = (int8_t)*other++;
    }
}

#endif
