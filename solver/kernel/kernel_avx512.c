/* The kernel for x86-64 with AVX-512 VBMI. Defines nothing before it includes avx512.h, since the
 * default definitions in avx512.h use the instructions of VBMI. */
#if defined(__x86_64__)

#include "solver/kernel/avx512.h"

const struct wari_kernel_ops wari_kernel_avx512 = WARI_AVX512_TABLE("avx512");

#else
typedef int wari_no_avx512_here; /* a translation unit may not be empty */
#endif
