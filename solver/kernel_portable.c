/* The kernel for any machine. Child columns come in runs (long ones where few seeds are sown), so
 * closing them up is a sequence of short copies of fixed size. */
#include "solver/kernel_plain.h"

enum { COPY = 16 }; /* bytes copied at a time: most runs are shorter */

static uint32_t gather_runs(const int8_t *row, const struct wari_gather *gather, uint32_t segment,
                            int8_t *out)
{
    for (uint32_t word = gather->first_word[segment]; word < gather->first_word[segment + 1];
         word++) {
        const int8_t *from = row + gather->column[word];
        for (uint64_t mask = gather->mask[word]; mask != 0;) {
            const int start = __builtin_ctzll(mask);
            const uint64_t rest = ~(mask >> start);
            const int length = rest == 0 ? 64 : __builtin_ctzll(rest);
            for (int i = 0; i < length; i += COPY)
                memcpy(out + i, from + start + i, COPY);
            out += length;
            mask = start + length >= 64 ? 0 : mask & UINT64_MAX << (start + length);
        }
    }
    return 64 * (gather->first_word[segment + 1] - gather->first_word[segment]);
}

static uint32_t worst_portable(const struct wari_source *sources, int count, uint32_t segment,
                               int8_t worst[WARI_SEGMENT])
{
    int8_t gathered[WARI_SEGMENT + COPY] = {0};
    uint32_t loaded = 0;

    memset(worst, WARI_NO_QUIET, WARI_SEGMENT);
    for (int i = 0; i < count; i++) {
        const uint64_t *quiet = &sources[i].gather->quiet[segment * WARI_SEGMENT_WORDS];
        loaded += gather_runs(sources[i].row, sources[i].gather, segment, gathered);
        for (int word = 0; word < WARI_SEGMENT_WORDS; word++)
            wari_min_where(worst + 64 * word, gathered + 64 * word,
                           sources[i].last ? quiet[word] : UINT64_MAX);
    }
    return loaded;
}

static bool news_portable(const struct wari_source *sources, int count, uint32_t segment)
{
    return wari_news_plain(sources, count, segment);
}

static uint64_t grow_portable(const struct wari_patch *patch, uint64_t *changed)
{
    int8_t turned[WARI_GROUP * WARI_GROUP];

    wari_transpose_plain(patch->worst, turned);
    return wari_merge_plain(patch, turned, false, changed);
}

static uint64_t shrink_portable(const struct wari_patch *patch, uint64_t *changed)
{
    int8_t turned[WARI_GROUP * WARI_GROUP];

    wari_transpose_plain(patch->worst, turned);
    return wari_merge_plain(patch, turned, true, changed);
}

static void transpose_portable(const int8_t *in, int8_t *out)
{
    wari_transpose_plain(in, out);
}

const struct wari_kernel_ops wari_kernel_portable = {
    .name = "portable",
    .worst = worst_portable,
    .news = news_portable,
    .grow = grow_portable,
    .shrink = shrink_portable,
    .transpose = transpose_portable,
};
