/* Chooses a kernel: by name, or the fastest that this machine can run. */
#include "solver/kernel/choice.h"

#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "solver/kernel/kernel.h"

static const char *const names[] = {"auto", "portable", "avx2", "avx512bw", "avx512", "neon"};

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
    case WARI_KERNEL_AVX512BW:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               runs_here(WARI_KERNEL_AVX2);
    case WARI_KERNEL_AVX512:
        return __builtin_cpu_supports("avx512vbmi") && runs_here(WARI_KERNEL_AVX512BW);
#elif defined(__aarch64__)
    case WARI_KERNEL_NEON:
        return true;
#endif
    default:
        return false;
    }
}

#if defined(__x86_64__)
/* Returns true on AMD processors before family 0x19 and on Hygon processors: PEXT is microcoded
 * there and takes up to hundreds of cycles. */
static bool emulates_pext(void)
{
    unsigned version, vendor[3], unused[3];
    unsigned family;

    if (!__get_cpuid(0, &unused[0], &vendor[0], &vendor[2], &vendor[1]) ||
        !__get_cpuid(1, &version, &unused[0], &unused[1], &unused[2]))
        return false;
    family = (version >> 8 & 0xf) + (version >> 20 & 0xff); /* base family plus extended family; the
                                                             * extended family is 0 unless the base
                                                             * family is 0xf */
    return (memcmp(vendor, "AuthenticAMD", sizeof vendor) == 0 && family < 0x19) ||
           memcmp(vendor, "HygonGenuine", sizeof vendor) == 0;
}
#endif

const struct wari_kernel_ops *wari_kernel_ops(enum wari_kernel kernel)
{
#if defined(__x86_64__)
    const bool automatic = kernel == WARI_KERNEL_AUTO;

    if (kernel == WARI_KERNEL_AVX512 || (automatic && runs_here(WARI_KERNEL_AVX512)))
        return &wari_kernel_avx512;
    if (kernel == WARI_KERNEL_AVX512BW || (automatic && runs_here(WARI_KERNEL_AVX512BW)))
        return &wari_kernel_avx512bw;
    if (kernel == WARI_KERNEL_AVX2 || (automatic && runs_here(WARI_KERNEL_AVX2)))
        return emulates_pext() ? &wari_kernel_avx2_runs : &wari_kernel_avx2;
#elif defined(__aarch64__)
    if (kernel == WARI_KERNEL_NEON || kernel == WARI_KERNEL_AUTO)
        return &wari_kernel_neon;
#else
    (void)kernel;
#endif
    return &wari_kernel_portable;
}

const char *wari_kernel_name(enum wari_kernel kernel)
{
    return wari_kernel_ops(kernel)->name;
}

const char *wari_kernel_listed(int number, bool *here)
{
    const int kernel = number + WARI_KERNEL_PORTABLE;

    if (number < 0 || kernel >= (int)(sizeof names / sizeof *names))
        return NULL;
    *here = runs_here((enum wari_kernel)kernel);
    return names[kernel];
}

enum wari_status wari_kernel_parse(const char *name, enum wari_kernel *kernel,
                                   struct wari_error *error)
{
    for (int i = WARI_KERNEL_AUTO; i <= WARI_KERNEL_NEON; i++) {
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
    return wari_fail(
        error, WARI_BAD_INPUT,
        "unknown kernel '%s'; choose one of auto, portable, avx2, avx512bw, avx512 and neon", name);
}
