/* The portable kernels, and the selection of the fastest kernels that this processor can run. */
#include "db/format/kernels.h"

#include "db/format/kernels_loop.h"

/* Vectors of 16 bytes, which every processor with vectors supports. */
typedef uint8_t bytes16 __attribute__((vector_size(16)));

void wari_captures_portable(const uint8_t *reach, const uint8_t taken[WARI_HALF_PITS], size_t cells,
                            uint8_t *capture)
{
    const bytes16 none = {0};

    for (size_t i = 0; i < cells; i += sizeof none) {
        bytes16 reached, most = none;
        memcpy(&reached, reach + i, sizeof reached);
        for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
            if (taken[pit] == 0)
                continue; /* on average this is true for four of the six pits; it is the same for
                           * all cells of the row */
            const bytes16 bit = none + (uint8_t)(1 << pit);
            const bytes16 here = (bytes16)((reached & bit) == bit) & (none + taken[pit]);
            const bytes16 larger = (bytes16)(here > most);
            most = (here & larger) | (most & ~larger);
        }
        memcpy(capture + i, &most, sizeof most);
    }
}

struct wari_format_kernels wari_format_kernels_fastest(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi"))
        return (struct wari_format_kernels){wari_captures_avx512vbmi, wari_locate_avx512,
                                            wari_find_avx512vbmi};
    if (__builtin_cpu_supports("avx512bw"))
        return (struct wari_format_kernels){wari_captures_portable, wari_locate_avx512,
                                            wari_find_avx512};
    if (__builtin_cpu_supports("avx2"))
        return (struct wari_format_kernels){wari_captures_portable, wari_locate_avx2,
                                            wari_find_avx2};
#endif
    return (struct wari_format_kernels){wari_captures_portable, wari_locate_portable,
                                        wari_find_portable};
}
