/* The kernel for x86-64 with AVX2 and BMI2: child columns are closed up eight at a time with PEXT,
 * the rest is plain C compiled for AVX2. */
#if defined(__x86_64__)

#include <immintrin.h>

#include "solver/kernel_plain.h"

#define TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))

TARGET static uint32_t gather_pext(const int8_t *row, const struct wari_gather *gather,
                                   uint32_t segment, int8_t *out)
{
    for (uint32_t word = gather->first_word[segment]; word < gather->first_word[segment + 1];
         word++) {
        const int8_t *from = row + gather->column[word];
        for (uint64_t mask = gather->mask[word]; mask != 0; mask >>= 8, from += 8) {
            const uint64_t bytes = _pdep_u64(mask & 0xff, UINT64_C(0x0101010101010101)) * 0xff;
            uint64_t cells;
            memcpy(&cells, from, sizeof cells);
            cells = _pext_u64(cells, bytes);
            memcpy(out, &cells, sizeof cells);
            out += _mm_popcnt_u64(mask & 0xff);
        }
    }
    return 64 * (gather->first_word[segment + 1] - gather->first_word[segment]);
}

TARGET static uint32_t worst_avx2(const struct wari_source *sources, int count, uint32_t segment,
                                  int8_t worst[WARI_SEGMENT])
{
    int8_t gathered[WARI_SEGMENT + 8] = {0};
    uint32_t loaded = 0;

    memset(worst, WARI_NO_QUIET, WARI_SEGMENT);
    for (int i = 0; i < count; i++) {
        const uint64_t *quiet = &sources[i].gather->quiet[segment * WARI_SEGMENT_WORDS];
        loaded += gather_pext(sources[i].row, sources[i].gather, segment, gathered);
        for (int word = 0; word < WARI_SEGMENT_WORDS; word++)
            wari_min_where(worst + 64 * word, gathered + 64 * word,
                           sources[i].last ? quiet[word] : UINT64_MAX);
    }
    return loaded;
}

TARGET static bool news_avx2(const struct wari_source *sources, int count, uint32_t segment)
{
    return wari_news_plain(sources, count, segment);
}

TARGET static uint64_t grow_avx2(const struct wari_patch *patch, uint64_t *changed)
{
    int8_t turned[WARI_GROUP * WARI_GROUP];

    wari_transpose_plain(patch->worst, turned);
    return wari_merge_plain(patch, turned, false, changed);
}

TARGET static uint64_t shrink_avx2(const struct wari_patch *patch, uint64_t *changed)
{
    int8_t turned[WARI_GROUP * WARI_GROUP];

    wari_transpose_plain(patch->worst, turned);
    return wari_merge_plain(patch, turned, true, changed);
}

TARGET static void transpose_avx2(const int8_t *in, int8_t *out)
{
    wari_transpose_plain(in, out);
}

const struct wari_kernel_ops wari_kernel_avx2 = {
    .name = "avx2",
    .worst = worst_avx2,
    .news = news_avx2,
    .grow = grow_avx2,
    .shrink = shrink_avx2,
    .transpose = transpose_avx2,
};

#else
typedef int wari_no_avx2_here; /* a translation unit may not be empty */
#endif
