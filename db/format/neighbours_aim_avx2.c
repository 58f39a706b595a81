/* Neighbours for x86-64 with AVX2: 16 cells at a time. */
#if defined(__x86_64__)

#define AIM_NAME wari_aim_avx2
#define AIM_CELLS 16
#define AIM_TARGET __attribute__((target("avx2")))
#include "db/format/neighbours_aim_loop.h"

#else
typedef int wari_no_avx2_here; /* a translation unit may not be empty */
#endif
