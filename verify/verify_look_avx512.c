/* The loops for x86-64 with AVX-512 VBMI: the positions that 64 rows reach come by one permutation
 * of bytes for each window. */
#if defined(__x86_64__)

#include <immintrin.h>

#include "verify/verify_strip.h"

#define LOOK_TABLE wari_verify_look_avx512
#define LOOK_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi")))

/* False if that takes more windows than there are. Nothing is read but what is asked for. */
LOOK_TARGET static inline bool look_by_windows(const wari_verify_cell *cells,
                                               const struct wari_verify_windows *windows,
                                               uint8_t codes[WARI_VERIFY_ROWS])
{
    const __m512i place = _mm512_loadu_si512(windows->place);
    __m512i found = _mm512_setzero_si512();

    for (int i = 0; i < windows->count; i++) {
        const struct wari_verify_window *window = &windows->window[i];
        const __m512i bytes =
            _mm512_maskz_loadu_epi8(window->bytes, (const void *)(cells + window->first));
        found = _mm512_mask_permutexvar_epi8(found, window->rows, place, bytes);
    }
    _mm512_storeu_si512(codes, found);
    return windows->count > 0;
}

/* Bytes that are not 0. */
LOOK_TARGET static inline uint64_t look_which(const uint8_t bytes[WARI_VERIFY_ROWS])
{
    const __m512i all = _mm512_loadu_si512(bytes);
    return _mm512_test_epi8_mask(all, all);
}

#include "verify/verify_look_loop.h"

#else
typedef int wari_no_avx512_here; /* a translation unit may not be empty */
#endif
