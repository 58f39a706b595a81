/* Code shared by the kernels with vectors of bytes: processing a block band by band, and
 * prefetching child rows. */
#ifndef SOLVER_KERNEL_VECTORS_H
#define SOLVER_KERNEL_VECTORS_H

#include "solver/kernel/plain.h"

/* The bytes of a later source that are prefetched while the current source is read: two cache lines
 * a strip, which contain the 64 children of most strips (an estimate, not measured). */
struct wari_ahead {
    const int8_t *next, *end;
};

WARI_INLINE struct wari_ahead wari_ahead_of(const struct wari_source *source, uint32_t first,
                                            uint32_t strips)
{
    struct wari_ahead range = {NULL, NULL};

    if (source->ahead) {
        const struct wari_gather *gather = source->ahead->gather;
        const struct wari_word *word = gather->word + gather->first_word[first];
        const struct wari_word *last = gather->word + gather->first_word[first + strips] - 1;
        range.next = source->ahead->row + word->column;
        range.end = source->ahead->row + last->column + 63;
    }
    return range;
}

WARI_INLINE void wari_fetch_two_lines(struct wari_ahead *range)
{
    if (range->next >= range->end)
        return;
    __builtin_prefetch(range->next);
    __builtin_prefetch(range->next + 64);
    range->next += 128;
}

/* Lowers each entry of `least` to the child of the same parent if the child is smaller. `least` has
 * WARI_STRIP bytes a strip and is aligned to 64. */
typedef void wari_worst_of_source(const struct wari_source *source, struct wari_strips strips,
                                  int8_t *least);

/* Implements wari_kernel_ops.worst band by band; the smallest children of a band fit into the
 * first-level cache. */
WARI_INLINE void wari_worst_by_bands(const struct wari_source *sources, int count,
                                     struct wari_strips strips, int8_t *out, size_t pitch,
                                     wari_worst_of_source *worst_of_source)
{
    for (uint32_t done = 0; done < strips.count; done += WARI_BAND_STRIPS) {
        const uint32_t left = strips.count - done, first = strips.first + done;
        const uint32_t now = left < WARI_BAND_STRIPS ? left : WARI_BAND_STRIPS;
        int8_t least[WARI_BAND_ROWS] __attribute__((aligned(64)));

        for (uint32_t i = 0; i < now; i++) {
            memset(least + i * WARI_STRIP, WARI_NO_QUIET, WARI_STRIP);
            __asm__ volatile(""
                             :
                             :
                             : "memory"); /* otherwise gcc makes a slow "rep stos" of the
                                           * loop */
        }
        for (int s = 0; s < count; s++)
            worst_of_source(&sources[s], (struct wari_strips){first, now}, least);
        for (uint32_t i = 0; i < now; i++)
            memcpy(out + (done + i) * pitch, least + i * WARI_STRIP, WARI_STRIP);
    }
}

#endif
