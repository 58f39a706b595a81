/* The kernel for x86-64 with AVX2 and BMI2: child columns are closed up eight at a time with PEXT,
 * the rest is plain C compiled for AVX2. */
#if defined(__x86_64__)

#include <immintrin.h>

#include "solver/kernel_plain.h"

#define TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))

TARGET WARI_INLINE void gather_pext(const struct wari_source *source, uint32_t strip, int8_t *out)
{
    const struct wari_gather *gather = source->gather;

    for (uint32_t at = gather->first_word[strip]; at < gather->first_word[strip + 1]; at++) {
        const int8_t *from = source->row + gather->word[at].column;
        for (uint64_t mask = gather->word[at].mask; mask != 0; mask >>= 8, from += 8) {
            const uint64_t bytes = _pdep_u64(mask & 0xff, UINT64_C(0x0101010101010101)) * 0xff;
            uint64_t cells;
            memcpy(&cells, from, sizeof cells);
            cells = _pext_u64(cells, bytes);
            memcpy(out, &cells, sizeof cells);
            out += _mm_popcnt_u64(mask & 0xff);
        }
    }
}

TARGET static uint64_t worst_avx2(const struct wari_source *sources, int count,
                                  uint32_t first_strip, uint32_t strips, int8_t *out, size_t pitch)
{
    return wari_worst_plain(sources, count, first_strip, strips, out, pitch, gather_pext);
}

TARGET static uint64_t worst_of_strip_avx2(const struct wari_gather *gather, uint32_t strip,
                                           const struct wari_child *child, int count, int8_t *tile)
{
    return wari_worst_of_strip_plain(gather, strip, child, count, tile, gather_pext);
}

TARGET static void grow_avx2(const struct wari_patch *patch, struct wari_merged *merged)
{
    wari_merge_plain(patch, merged, wari_cell_grown);
}

TARGET static void shrink_avx2(const struct wari_patch *patch, struct wari_merged *merged)
{
    wari_merge_plain(patch, merged, wari_hope_shrunk);
}

TARGET static void transpose_avx2(const int8_t *in, int8_t *out)
{
    wari_transpose_plain(in, out);
}

TARGET static void look_up_avx2(const int8_t table[256], const int8_t *from, size_t count,
                                int8_t *to)
{
    wari_look_up_plain(table, from, count, to);
}

TARGET WARI_BITS_INLINE uint64_t close_up(uint64_t bits, uint64_t mask)
{
    return _pext_u64(bits, mask);
}

TARGET WARI_BITS_RACY static void bits_of_column_avx2(const struct wari_bit_source *sources,
                                                      int count, uint32_t strips,
                                                      uint64_t *lost_child, uint64_t *open_child,
                                                      size_t pitch)
{
    wari_bits_of_column_plain(sources, count, strips, lost_child, open_child, pitch, close_up);
}

TARGET WARI_BITS_RACY static uint64_t bits_decide_avx2(const struct wari_bit_patch *patch,
                                                       struct wari_bits_decided *decided)
{
    return wari_bits_decide_plain(patch, decided);
}

TARGET WARI_BITS_RACY static bool bits_settle_avx2(const struct wari_settling *settling,
                                                   const struct wari_bit_stretch *stretch)
{
    return wari_bits_settle_plain(settling, stretch);
}

const struct wari_kernel_ops wari_kernel_avx2 = {
    .name = "avx2",
    .worst = worst_avx2,
    .worst_of_strip = worst_of_strip_avx2,
    .grow = grow_avx2,
    .shrink = shrink_avx2,
    .transpose = transpose_avx2,
    .look_up = look_up_avx2,
    .to_halves = wari_to_halves_portable,
    .from_halves = wari_from_halves_avx2,
    .bits_of_column = bits_of_column_avx2,
    .bits_decide = bits_decide_avx2,
    .bits_settle = bits_settle_avx2,
};

#else
typedef int wari_no_avx2_here; /* a translation unit may not be empty */
#endif
