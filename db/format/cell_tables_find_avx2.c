/* Tables of cells for x86-64 with AVX2: 16 cells at a time. */
#if defined(__x86_64__)

#define FIND_NAME wari_find_avx2
#define FIND_CELLS 16
#define FIND_TARGET __attribute__((target("avx2")))
#include "db/format/cell_tables_find_loop.h"

#else
typedef int wari_no_avx2_here; /* a translation unit may not be empty */
#endif
