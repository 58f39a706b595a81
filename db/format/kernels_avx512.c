/* The kernels for x86-64 with AVX-512: 32 cells at a time. */
#if defined(__x86_64__)

#define KERNEL_NAME(name) name##_avx512
#define KERNEL_CELLS 32
#define KERNEL_TARGET __attribute__((target("avx512f,avx512bw")))
#include "db/format/kernels_loop.h"

#else
typedef int wari_no_avx512_here; /* a translation unit may not be empty */
#endif
