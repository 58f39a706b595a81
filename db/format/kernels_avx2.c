/* The kernels for x86-64 with AVX2: 16 cells at a time. */
#if defined(__x86_64__)

#define KERNEL_NAME(name) name##_avx2
#define KERNEL_CELLS 16
#define KERNEL_TARGET __attribute__((target("avx2")))
#include "db/format/kernels_loop.h"

#else
typedef int wari_no_avx2_here; /* a translation unit may not be empty */
#endif
