/* The kernel for any machine. Child columns come in runs (long ones where few seeds are sown), so
 * closing them up is a sequence of short copies of fixed size. */
#include "solver/kernel/plain.h"

enum { COPY = 32 };

WARI_INLINE void gather_runs(const struct wari_source *source, uint32_t strip, int8_t *out)
{
    const struct wari_gather *gather = source->gather;

    for (uint32_t at = gather->first_word[strip]; at < gather->first_word[strip + 1]; at++) {
        const int8_t *from = source->row + gather->word[at].column;
        for (uint64_t mask = gather->word[at].mask; mask != 0;) {
            const int start = __builtin_ctzll(mask);
            const uint64_t rest = ~(mask >> start);
            const int length = rest == 0 ? 64 : __builtin_ctzll(rest);
            for (int i = 0; i < length; i += COPY)
                memcpy(out + i, from + start + i, COPY);
            out += length;
            mask = start + length >= 64 ? 0 : mask & UINT64_MAX << (start + length);
        }
    }
}

static uint64_t worst_portable(const struct wari_source *sources, int count, uint32_t first_strip,
                               uint32_t strips, int8_t *out, size_t pitch)
{
    return wari_worst_plain(sources, count, (struct wari_strips){first_strip, strips}, out, pitch,
                            gather_runs);
}

static uint64_t worst_of_strip_portable(const struct wari_gather *gather, uint32_t strip,
                                        const struct wari_child *child, int count, int8_t *tile)
{
    return wari_worst_of_strip_plain(gather, strip, child, count, tile, gather_runs);
}

static void grow_portable(const struct wari_patch *patch, struct wari_merged *merged)
{
    wari_merge_plain(patch, merged, wari_grows, wari_cell_grown);
}

static void shrink_portable(const struct wari_patch *patch, struct wari_merged *merged)
{
    wari_merge_plain(patch, merged, wari_shrinks, wari_hope_shrunk);
}

static void transpose_portable(const int8_t *in, int8_t *out)
{
    wari_transpose_plain(in, out);
}

static void look_up_portable(const int8_t table[256], const int8_t *from, size_t count, int8_t *to)
{
    wari_look_up_plain(table, from, count, to);
}

WARI_BITS_RACY static void bits_of_column_portable(const struct wari_bit_source *sources, int count,
                                                   uint32_t strips, uint64_t *lost_child,
                                                   uint64_t *open_child, size_t pitch)
{
    wari_bits_of_column_plain(sources, count, strips,
                              (struct wari_bit_children){lost_child, open_child, pitch},
                              wari_close_up_runs);
}

WARI_BITS_RACY static uint64_t bits_decide_portable(const struct wari_bit_patch *patch,
                                                    struct wari_bits_decided *decided)
{
    return wari_bits_decide_plain(patch, decided);
}

WARI_BITS_RACY static bool bits_settle_portable(const struct wari_settling *settling,
                                                const struct wari_bit_stretch *stretch)
{
    return wari_bits_settle_plain(settling, stretch);
}

const struct wari_kernel_ops wari_kernel_portable = {
    .name = "portable",
    .worst = worst_portable,
    .worst_of_strip = worst_of_strip_portable,
    .grow = grow_portable,
    .shrink = shrink_portable,
    .transpose = transpose_portable,
    .look_up = look_up_portable,
    .to_halves = wari_to_halves_portable,
    .from_halves = wari_from_halves_portable,
    .bits_of_column = bits_of_column_portable,
    .bits_decide = bits_decide_portable,
    .bits_settle = bits_settle_portable,
};
