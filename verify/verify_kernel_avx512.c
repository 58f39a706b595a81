/* Kernel for x86-64 with AVX-512 VBMI. One permutation of bytes for each vector reads the
 * positions that 64 rows reach. */
#if defined(__x86_64__)

#include <immintrin.h>

#include "verify/verify_strip.h"

#define KERNEL_TABLE wari_verify_kernel_avx512
#define KERNEL_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi")))

/* Gathers one cell for each row. Returns false if the cells lie in more than WARI_VERIFY_VECTORS
 * vectors. Reads only bytes that are needed. */
KERNEL_TARGET static inline bool gather_by_vectors(const wari_verify_cell *cells,
                                                   const struct wari_verify_vectors *vectors,
                                                   uint8_t codes[WARI_VERIFY_ROWS])
{
    const __m512i place = _mm512_loadu_si512(vectors->place);
    __m512i found = _mm512_setzero_si512();

    for (int i = 0; i < vectors->count; i++) {
        const struct wari_verify_vector *vector = &vectors->vector[i];
        const __m512i bytes =
            _mm512_maskz_loadu_epi8(vector->bytes, (const void *)(cells + vector->first));
        found = _mm512_mask_permutexvar_epi8(found, vector->rows, place, bytes);
    }
    _mm512_storeu_si512(codes, found);
    return vectors->count > 0;
}

/* Returns a bit for each byte that is not 0. */
KERNEL_TARGET static inline uint64_t nonzero_mask(const uint8_t bytes[WARI_VERIFY_ROWS])
{
    const __m512i all = _mm512_loadu_si512(bytes);
    return _mm512_test_epi8_mask(all, all);
}

#include "verify/verify_kernel_loops.h"

#else
typedef int wari_no_avx512_here; /* a translation unit may not be empty */
#endif
