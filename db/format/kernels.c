/* The portable kernels, and the selection of the fastest kernels that this processor can run. */
#include "db/format/kernels.h"

#include "db/format/kernels_loop.h"

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
