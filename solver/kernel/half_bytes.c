/* Choice of the codes that become half bytes, and the conversions to half bytes and back: in plain
 * C, with AVX2 (0.16 ns a cell, which is faster than a disk), and with NEON. */
#include "solver/kernel/half_bytes.h"

#include <string.h>

#include "solver/kernel/bytes.h"
#include "solver/kernel/plain.h"

enum {
    BATCHES_COUNTED = 64, /* sample size; enough to find the frequent codes */
    HALF_BATCH = WARI_HALVES_BATCH / 2,
};

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

/* ---- Conversions of all batches, one after the other ----------------------------------------- */

/* Converts a batch of cells to half bytes. `table` has the half byte of each code, in the form that
 * the instruction set needs. Returns a word whose bit i is set if cell i has another code. */
typedef uint64_t encode_batch(const void *table, const int8_t *cells, uint8_t *halves);

WARI_INLINE size_t to_halves(const int8_t *cells, size_t batches,
                             const struct wari_half_codes *codes, const void *table,
                             encode_batch *encode, uint8_t *bytes, size_t capacity)
{
    uint8_t *halves = bytes + WARI_HALVES_HEAD, *other = halves + batches * HALF_BATCH;
    const size_t least = (size_t)(other - bytes) + WARI_HALVES_BATCH + WARI_HALVES_AHEAD;

    if (capacity < least)
        return 0;
    memcpy(bytes, codes->code, WARI_HALVES_HEAD);
    for (const uint8_t *last = bytes + capacity - WARI_HALVES_BATCH - WARI_HALVES_AHEAD;
         batches > 0; batches--, cells += WARI_HALVES_BATCH, halves += HALF_BATCH) {
        if (other > last)
            return 0;
        for (uint64_t others = encode(table, cells, halves); others != 0; others &= others - 1)
            *other++ = (uint8_t)cells[__builtin_ctzll(others)];
    }
    return (size_t)(other - bytes);
}

/* Converts half bytes to a batch of cells. `codes` has the code of each half byte, in the form that
 * the instruction set needs. Returns a word whose bit i is set if cell i has another code. */
typedef uint64_t decode_batch(const void *codes, const uint8_t *halves, int8_t *cells);

WARI_INLINE void from_halves(const uint8_t *bytes, size_t size, const void *codes,
                             decode_batch *decode, int8_t *cells, size_t batches)
{
    const uint8_t *halves = bytes + WARI_HALVES_HEAD, *end = bytes + size;
    const uint8_t *other = halves + batches * HALF_BATCH;

    for (; batches > 0; batches--, cells += WARI_HALVES_BATCH, halves += HALF_BATCH) {
        if (other > end)
            other = end;
        for (uint64_t others = decode(codes, halves, cells); others != 0; others &= others - 1)
            cells[__builtin_ctzll(others)] = (int8_t)*other++;
    }
}

/* ---- Plain C --------------------------------------------------------------------------------- */

WARI_INLINE uint64_t encode_plain(const void *table, const int8_t *cells, uint8_t *halves)
{
    const uint8_t *half = table;
    uint64_t others = 0;

    for (int i = 0; i < HALF_BATCH; i++) {
        const uint8_t low = half[(uint8_t)cells[i]], high = half[(uint8_t)cells[HALF_BATCH + i]];
        halves[i] = (uint8_t)(low | high << 4);
        others |= (uint64_t)(low == WARI_HALF_CODES) << i;
        others |= (uint64_t)(high == WARI_HALF_CODES) << (HALF_BATCH + i);
    }
    return others;
}

WARI_INLINE uint64_t decode_plain(const void *codes, const uint8_t *halves, int8_t *cells)
{
    const int8_t *code = codes;
    uint64_t others = 0;

    for (int i = 0; i < HALF_BATCH; i++) {
        const uint8_t low = halves[i] & 15, high = halves[i] >> 4;
        cells[i] = code[low];
        cells[HALF_BATCH + i] = code[high];
        others |= (uint64_t)(low == WARI_HALF_CODES) << i;
        others |= (uint64_t)(high == WARI_HALF_CODES) << (HALF_BATCH + i);
    }
    return others;
}

size_t wari_to_halves_portable(const int8_t *cells, size_t batches,
                               const struct wari_half_codes *codes, uint8_t *bytes, size_t capacity)
{
    return to_halves(cells, batches, codes, codes->half, encode_plain, bytes, capacity);
}

void wari_from_halves_portable(const uint8_t *bytes, size_t size, int8_t *cells, size_t batches)
{
    from_halves(bytes, size, bytes, decode_plain, cells, batches);
}

/* ---- Vectors --------------------------------------------------------------------------------- */

#if defined(__x86_64__)

/* choice.c checks that the processor has these instructions. */
#define AVX2 __attribute__((target("avx2,bmi,popcnt")))

/* Returns a word whose bit i is set if half byte i stands for another code. */
WARI_AVX2 uint64_t others_of(__m256i low, __m256i high)
{
    const __m256i other = _mm256_set1_epi8(WARI_HALF_CODES);
    const uint64_t upper = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, other));

    return upper << 32 | (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, other));
}

WARI_AVX2 uint64_t encode_avx2(const void *table, const int8_t *cells, uint8_t *halves)
{
    const __m256i low = wari_look_up(table, _mm256_loadu_si256((const void *)cells));
    const __m256i high =
        wari_look_up(table, _mm256_loadu_si256((const void *)(cells + HALF_BATCH)));

    _mm256_storeu_si256((void *)halves, _mm256_or_si256(low, _mm256_slli_epi16(high, 4)));
    return others_of(low, high);
}

WARI_AVX2 uint64_t decode_avx2(const void *codes, const uint8_t *halves, int8_t *cells)
{
    const __m256i code = *(const __m256i *)codes, mask = _mm256_set1_epi8(15);
    const __m256i both = _mm256_loadu_si256((const void *)halves);
    const __m256i low = _mm256_and_si256(both, mask);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(both, 4), mask);

    _mm256_storeu_si256((void *)cells, _mm256_shuffle_epi8(code, low));
    _mm256_storeu_si256((void *)(cells + HALF_BATCH), _mm256_shuffle_epi8(code, high));
    return others_of(low, high);
}

AVX2 size_t wari_to_halves_avx2(const int8_t *cells, size_t batches,
                                const struct wari_half_codes *codes, uint8_t *bytes,
                                size_t capacity)
{
    const struct wari_look_up_avx2 table = wari_look_up_load((const int8_t *)codes->half);

    return to_halves(cells, batches, codes, &table, encode_avx2, bytes, capacity);
}

AVX2 void wari_from_halves_avx2(const uint8_t *bytes, size_t size, int8_t *cells, size_t batches)
{
    const __m256i codes = wari_load_twice(bytes);

    from_halves(bytes, size, &codes, decode_avx2, cells, batches);
}

#elif defined(__aarch64__)

/* Returns a word whose bit i is set if half byte i stands for another code. */
WARI_NEON uint64_t others_of(uint8x16x4_t halves)
{
    const uint8x16_t other = vdupq_n_u8(WARI_HALF_CODES);

    return wari_bits_of_bytes(vceqq_u8(halves.val[0], other), vceqq_u8(halves.val[1], other),
                              vceqq_u8(halves.val[2], other), vceqq_u8(halves.val[3], other));
}

WARI_NEON uint64_t encode_neon(const void *table, const int8_t *cells, uint8_t *halves)
{
    uint8x16x4_t half;

#pragma GCC unroll 4
    for (int i = 0; i < WARI_QUARTERS; i++)
        half.val[i] =
            vreinterpretq_u8_s8(wari_neon_look_up(table, vld1q_s8(cells + WARI_VECTOR_BYTES * i)));
    vst1q_u8(halves, vsliq_n_u8(half.val[0], half.val[2], 4));
    vst1q_u8(halves + WARI_VECTOR_BYTES, vsliq_n_u8(half.val[1], half.val[3], 4));
    return others_of(half);
}

WARI_NEON uint64_t decode_neon(const void *codes, const uint8_t *halves, int8_t *cells)
{
    const int8x16_t code = *(const int8x16_t *)codes;
    const uint8x16_t first = vld1q_u8(halves), second = vld1q_u8(halves + WARI_VECTOR_BYTES);
    const uint8x16_t mask = vdupq_n_u8(15);
    const uint8x16x4_t half = {{vandq_u8(first, mask), vandq_u8(second, mask), vshrq_n_u8(first, 4),
                                vshrq_n_u8(second, 4)}};

    for (int i = 0; i < WARI_QUARTERS; i++)
        vst1q_s8(cells + WARI_VECTOR_BYTES * i, vqtbl1q_s8(code, half.val[i]));
    return others_of(half);
}

size_t wari_to_halves_neon(const int8_t *cells, size_t batches, const struct wari_half_codes *codes,
                           uint8_t *bytes, size_t capacity)
{
    const struct wari_neon_table table = wari_neon_table((const int8_t *)codes->half);

    return to_halves(cells, batches, codes, &table, encode_neon, bytes, capacity);
}

void wari_from_halves_neon(const uint8_t *bytes, size_t size, int8_t *cells, size_t batches)
{
    const int8x16_t codes = vreinterpretq_s8_u8(vld1q_u8(bytes));

    from_halves(bytes, size, &codes, decode_neon, cells, batches);
}

#endif
