/* The kernel for x86-64 with AVX-512 VBMI2: taking the child columns out of a row is a compress
 * under mask, 64 bytes a step; the four accumulators of a segment stay in registers. */
#if defined(__x86_64__)

#include <immintrin.h>

#include "solver/kernel_plain.h"

#define TARGET                                                                                     \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,bmi,bmi2,"    \
                          "popcnt")))

/* Writes up to 63 bytes behind the last parent. */
TARGET static inline uint32_t gather_compress(const int8_t *row, const struct wari_gather *gather,
                                              uint32_t segment, int8_t *out)
{
    const uint32_t end = gather->first_word[segment + 1];

    for (uint32_t word = gather->first_word[segment]; word < end; word++) {
        const uint64_t mask = gather->mask[word];
        const __m512i cells = _mm512_loadu_si512(row + gather->column[word]);
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(mask, cells));
        out += _mm_popcnt_u64(mask);
    }
    return 64 * (gather->first_word[segment + 1] - gather->first_word[segment]);
}

TARGET static uint32_t worst_avx512(const struct wari_source *sources, int count, uint32_t segment,
                                    int8_t worst[WARI_SEGMENT])
{
    int8_t gathered[WARI_SEGMENT + 64] __attribute__((aligned(64)));
    __m512i worst0 = _mm512_set1_epi8(WARI_NO_QUIET);
    __m512i worst1 = worst0, worst2 = worst0, worst3 = worst0;
    uint32_t loaded = 0;

    for (int i = 0; i < count; i++) {
        const uint64_t *quiet = &sources[i].gather->quiet[segment * WARI_SEGMENT_WORDS];
        const uint64_t all = sources[i].last ? 0 : UINT64_MAX;
        loaded += gather_compress(sources[i].row, sources[i].gather, segment, gathered);
        worst0 = _mm512_mask_min_epi8(worst0, quiet[0] | all, worst0, _mm512_load_si512(gathered));
        worst1 =
            _mm512_mask_min_epi8(worst1, quiet[1] | all, worst1, _mm512_load_si512(gathered + 64));
        worst2 =
            _mm512_mask_min_epi8(worst2, quiet[2] | all, worst2, _mm512_load_si512(gathered + 128));
        worst3 =
            _mm512_mask_min_epi8(worst3, quiet[3] | all, worst3, _mm512_load_si512(gathered + 192));
    }
    _mm512_storeu_si512(worst, worst0);
    _mm512_storeu_si512(worst + 64, worst1);
    _mm512_storeu_si512(worst + 128, worst2);
    _mm512_storeu_si512(worst + 192, worst3);
    return loaded;
}

TARGET static bool news_avx512(const struct wari_source *sources, int count, uint32_t segment)
{
    for (int i = 0; i < count; i++) {
        const struct wari_span span = sources[i].gather->span[segment];
        const __m512i since = _mm512_set1_epi8((char)sources[i].since);
        if (!sources[i].stamps)
            continue;
        for (uint32_t at = span.first; at <= span.last; at += 64) {
            const uint32_t left = span.last - at;
            const __mmask64 mask = UINT64_MAX >> (left < 63 ? 63 - left : 0);
            const __m512i stamps = _mm512_maskz_loadu_epi8(mask, sources[i].stamps + at);
            if (_mm512_mask_cmpge_epu8_mask(mask, stamps, since) != 0)
                return true;
        }
    }
    return false;
}

/* 16 columns of the patch by 64 rows: afterwards lane j of out[k] holds row 16 * j + k. Each round
 * interleaves register i with i + 8, which is one bit of the index each time. */
TARGET static inline void turn_lanes(const int8_t *in, __m512i out[16])
{
    __m512i a[16], b[16];

    for (int i = 0; i < 16; i++)
        a[i] = _mm512_loadu_si512(in + i * WARI_SEGMENT);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 8; i++) {
            b[2 * i] = _mm512_unpacklo_epi8(a[i], a[i + 8]);
            b[2 * i + 1] = _mm512_unpackhi_epi8(a[i], a[i + 8]);
        }
        memcpy(a, b, sizeof a);
    }
    memcpy(out, a, sizeof a);
}

TARGET static inline void transpose_inline(const int8_t *in, int8_t *out)
{
    __m512i lanes[4][16];

    for (int quarter = 0; quarter < 4; quarter++)
        turn_lanes(in + 16 * quarter * WARI_SEGMENT, lanes[quarter]);
    for (int k = 0; k < 16; k++) {
        const __m512i low01 = _mm512_shuffle_i32x4(lanes[0][k], lanes[1][k], 0x44);
        const __m512i high01 = _mm512_shuffle_i32x4(lanes[0][k], lanes[1][k], 0xee);
        const __m512i low23 = _mm512_shuffle_i32x4(lanes[2][k], lanes[3][k], 0x44);
        const __m512i high23 = _mm512_shuffle_i32x4(lanes[2][k], lanes[3][k], 0xee);
        int8_t *row = out + k * WARI_GROUP;
        _mm512_storeu_si512(row, _mm512_shuffle_i32x4(low01, low23, 0x88));
        _mm512_storeu_si512(row + 16 * WARI_GROUP, _mm512_shuffle_i32x4(low01, low23, 0xdd));
        _mm512_storeu_si512(row + 32 * WARI_GROUP, _mm512_shuffle_i32x4(high01, high23, 0x88));
        _mm512_storeu_si512(row + 48 * WARI_GROUP, _mm512_shuffle_i32x4(high01, high23, 0xdd));
    }
}

TARGET static void transpose_avx512(const int8_t *in, int8_t *out)
{
    transpose_inline(in, out);
}

TARGET static inline uint64_t merge(const struct wari_patch *patch, bool shrink, uint64_t *changed)
{
    const __m512i zero = _mm512_setzero_si512();
    const __m512i surplus = _mm512_set1_epi8((char)patch->surplus);
    const __mmask64 columns = patch->columns;
    const __mmask64 all = UINT64_MAX >> (64 - patch->width);
    int8_t turned[WARI_GROUP * WARI_GROUP] __attribute__((aligned(64)));
    uint64_t changed_rows = 0;

    transpose_inline(patch->worst, turned);
    for (int row = 0; row < patch->rows; row++) {
        const size_t at = (size_t)row * patch->pitch;
        const __m512i old = _mm512_maskz_loadu_epi8(all, patch->values + at);
        const __m512i captures = _mm512_maskz_loadu_epi8(columns, patch->captures + at);
        const __m512i worst = _mm512_load_si512(turned + row * WARI_GROUP);
        __m512i best = _mm512_max_epi8(captures, _mm512_sub_epi8(zero, worst));
        if (shrink) {
            const __m512i floor = _mm512_maskz_loadu_epi8(columns, patch->floor + at);
            const __m512i high =
                _mm512_mask_max_epi8(floor, _mm512_cmpge_epi8_mask(floor, zero), floor, surplus);
            const __m512i low =
                _mm512_mask_min_epi8(floor, _mm512_cmple_epi8_mask(floor, zero), floor, surplus);
            best = _mm512_min_epi8(_mm512_max_epi8(best, low), high);
        }
        const __mmask64 differ = _mm512_mask_cmpneq_epi8_mask(columns, best, old);
        if (differ != 0) {
            _mm512_mask_storeu_epi8(patch->out + at, all, _mm512_mask_mov_epi8(old, columns, best));
            changed_rows |= UINT64_C(1) << row;
            *changed += (uint64_t)_mm_popcnt_u64(differ);
        }
    }
    return changed_rows;
}

TARGET static uint64_t grow_avx512(const struct wari_patch *patch, uint64_t *changed)
{
    return merge(patch, false, changed);
}

TARGET static uint64_t shrink_avx512(const struct wari_patch *patch, uint64_t *changed)
{
    return merge(patch, true, changed);
}

const struct wari_kernel_ops wari_kernel_avx512 = {
    .name = "avx512",
    .worst = worst_avx512,
    .news = news_avx512,
    .grow = grow_avx512,
    .shrink = shrink_avx512,
    .transpose = transpose_avx512,
};

#else
typedef int wari_no_avx512_here; /* a translation unit may not be empty */
#endif
