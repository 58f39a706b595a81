/* Neighbours for x86-64 with AVX-512: 32 cells at a time. */
#if defined(__x86_64__)

#define AIM_NAME wari_aim_avx512
#define AIM_CELLS 32
#define AIM_TARGET __attribute__((target("avx512f,avx512bw")))
#include "db/format/neighbours_aim_loop.h"

#else
typedef int wari_no_avx512_here; /* a translation unit may not be empty */
#endif
