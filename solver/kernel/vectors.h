/* What kernels with vectors of bytes have in common: fetching child rows ahead. */
#ifndef SOLVER_KERNEL_VECTORS_H
#define SOLVER_KERNEL_VECTORS_H

#include "solver/kernel/plain.h"

/* The stretch of a source that comes later, which is fetched while another one is read: two lines a
 * strip, which is a little more than strips take up. */
struct wari_ahead {
    const int8_t *next, *end;
};

WARI_INLINE struct wari_ahead wari_ahead_of(const struct wari_source *source, uint32_t first,
                                            uint32_t strips)
{
    struct wari_ahead stretch = {NULL, NULL};

    if (source->ahead) {
        const struct wari_gather *gather = source->ahead->gather;
        const struct wari_word *word = gather->word + gather->first_word[first];
        const struct wari_word *last = gather->word + gather->first_word[first + strips] - 1;
        stretch.next = source->ahead->row + word->column;
        stretch.end = source->ahead->row + last->column + 63;
    }
    return stretch;
}

WARI_INLINE void wari_fetch_two_lines(struct wari_ahead *stretch)
{
    if (stretch->next >= stretch->end)
        return;
    __builtin_prefetch(stretch->next);
    __builtin_prefetch(stretch->next + 64);
    stretch->next += 128;
}

#endif
