/* The kernel for x86-64 with AVX-512 but without VBMI: from Skylake-X to Cascade Lake. It lacks
 * permutations of bytes, but has permutations of words of 16 bits. One permutation fetches the
 * words that contain the even output bytes, and another one fetches the words that contain the odd
 * output bytes. Then each word is shifted so that the requested byte is at its place. */
#if defined(__x86_64__)

#include <immintrin.h>
#include <stdint.h>

#define TARGET __attribute__((target("avx512f,avx512bw,bmi2,popcnt")))
#define INLINE TARGET static inline __attribute__((always_inline))

/* Selects one byte of each word of 16 bits: the low byte if the index of the requested byte is
 * even, otherwise the high byte. The bytes from `even` become the even bytes of the result, and the
 * bytes from `odd` become the odd bytes. */
INLINE __m512i bytes_of(__m512i even_index, __m512i even, __m512i odd_index, __m512i odd)
{
    const __m512i one = _mm512_set1_epi16(1);
    const __m512i even_shift = _mm512_slli_epi16(_mm512_and_si512(even_index, one), 3);
    const __m512i odd_shift = _mm512_slli_epi16(_mm512_and_si512(odd_index, one), 3);

    return _mm512_mask_mov_epi8(_mm512_srlv_epi16(even, even_shift), UINT64_C(0xaaaaaaaaaaaaaaaa),
                                _mm512_slli_epi16(_mm512_srlv_epi16(odd, odd_shift), 8));
}

INLINE __m512i permute(__m512i index, __m512i bytes)
{
    const __m512i odd = _mm512_srli_epi16(index, 8);

    return bytes_of(index, _mm512_permutexvar_epi16(_mm512_srli_epi16(index, 1), bytes), odd,
                    _mm512_permutexvar_epi16(_mm512_srli_epi16(odd, 1), bytes));
}

INLINE __m512i mask_permute(__m512i old, __mmask64 mask, __m512i index, __m512i bytes)
{
    return _mm512_mask_mov_epi8(old, mask, permute(index, bytes));
}

INLINE __m512i permute_two(__m512i low, __m512i index, __m512i high)
{
    const __m512i odd = _mm512_srli_epi16(index, 8);

    return bytes_of(index, _mm512_permutex2var_epi16(low, _mm512_srli_epi16(index, 1), high), odd,
                    _mm512_permutex2var_epi16(low, _mm512_srli_epi16(odd, 1), high));
}

#include "solver/kernel/avx512.h"

const struct wari_kernel_ops wari_kernel_avx512bw = WARI_AVX512_TABLE("avx512bw");

#else
typedef int wari_no_avx512bw_here; /* a translation unit may not be empty */
#endif
