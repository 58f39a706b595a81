/* Chooses a kernel: by name, or the fastest that this machine can run. */
#include "solver/kernel.h"

#include <string.h>

static const char *const names[] = {"auto", "portable", "avx2", "avx512"};

static bool runs_here(enum wari_kernel kernel)
{
    switch (kernel) {
    case WARI_KERNEL_AUTO:
    case WARI_KERNEL_PORTABLE:
        return true;
#if defined(__x86_64__)
    case WARI_KERNEL_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    case WARI_KERNEL_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#else
    case WARI_KERNEL_AVX2:
    case WARI_KERNEL_AVX512:
        return false;
#endif
    }
    return false;
}

const struct wari_kernel_ops *wari_kernel_ops(enum wari_kernel kernel)
{
#if defined(__x86_64__)
    const bool automatic = kernel == WARI_KERNEL_AUTO;

    if (kernel == WARI_KERNEL_AVX512 || (automatic && runs_here(WARI_KERNEL_AVX512)))
        return &wari_kernel_avx512;
    if (kernel == WARI_KERNEL_AVX2 || (automatic && runs_here(WARI_KERNEL_AVX2)))
        return &wari_kernel_avx2;
#else
    (void)kernel;
#endif
    return &wari_kernel_portable;
}

const char *wari_kernel_name(enum wari_kernel kernel)
{
    return wari_kernel_ops(kernel)->name;
}

enum wari_status wari_kernel_parse(const char *name, enum wari_kernel *kernel,
                                   struct wari_error *error)
{
    for (int i = WARI_KERNEL_AUTO; i <= WARI_KERNEL_AVX512; i++) {
        if (strcmp(name, names[i]) != 0)
            continue;
        if (!runs_here((enum wari_kernel)i))
            return wari_fail(error, WARI_MISMATCH,
                             "kernel '%s' needs instructions that this machine lacks; "
                             "leave the choice to 'auto'",
                             name);
        *kernel = (enum wari_kernel)i;
        return WARI_OK;
    }
    return wari_fail(error, WARI_BAD_INPUT,
                     "unknown kernel '%s'; there are auto, portable, avx2 and avx512", name);
}
