/* Tables of cells for x86-64 with AVX-512: 32 cells at a time. */
#if defined(__x86_64__)

#define FIND_NAME wari_find_avx512
#define FIND_CELLS 32
#define FIND_TARGET __attribute__((target("avx512f,avx512bw")))
#include "db/format/cell_tables_find_loop.h"

#else
typedef int wari_no_avx512_here; /* a translation unit may not be empty */
#endif
