/* Kernel for AArch64. One table look-up covers 64 bytes, a complete struct wari_verify_vector. */
#if defined(__aarch64__)

#include <arm_neon.h>

#include "verify/verify_strip.h"

#define KERNEL_TABLE wari_verify_kernel_neon
#define KERNEL_TARGET

enum { NEON_BYTES = 16 };

/* Uses plain loads although other threads may change marks: each byte is the old one or the new
 * one. At least 64 bytes follow the last cell of a level. */
__attribute__((no_sanitize("thread"))) static inline uint8x16x4_t
load_vector(const wari_verify_cell *cells)
{
    const uint8_t *bytes = (const uint8_t *)(const void *)cells;
    return (uint8x16x4_t){{vld1q_u8(bytes), vld1q_u8(bytes + NEON_BYTES),
                           vld1q_u8(bytes + 2 * NEON_BYTES), vld1q_u8(bytes + 3 * NEON_BYTES)}};
}

/* Expands each bit of `which` to a byte, 0xff or 0. */
static inline uint8x16_t spread(uint16_t which)
{
    const uint8x16_t bit_of = vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
    const uint8x16_t bytes =
        vcombine_u8(vdup_n_u8((uint8_t)which), vdup_n_u8((uint8_t)(which >> 8)));
    return vtstq_u8(bytes, bit_of);
}

/* Gathers one cell for each row. Returns false if the cells lie in more than WARI_VERIFY_VECTORS
 * vectors. */
static inline bool gather_by_vectors(const wari_verify_cell *cells,
                                     const struct wari_verify_vectors *vectors,
                                     uint8_t codes[WARI_VERIFY_ROWS])
{
    for (int i = 0; i < vectors->count; i++) {
        const struct wari_verify_vector *vector = &vectors->vector[i];
        const uint8x16x4_t bytes = load_vector(cells + vector->first);
        for (int first = 0; first < WARI_VERIFY_ROWS; first += NEON_BYTES) {
            const uint8x16_t found = vqtbl4q_u8(bytes, vld1q_u8(vectors->place + first));
            const uint8x16_t before = i == 0 ? vdupq_n_u8(0) : vld1q_u8(codes + first);
            vst1q_u8(codes + first,
                     vbslq_u8(spread((uint16_t)(vector->rows >> first)), found, before));
        }
    }
    return vectors->count > 0;
}

/* Returns a bit for each byte that is not 0. */
static inline uint64_t nonzero_mask(const uint8_t bytes[WARI_VERIFY_ROWS])
{
    const uint8x8_t bit_of = vcreate_u8(UINT64_C(0x8040201008040201));
    uint64_t which = 0;
    for (int first = 0; first < WARI_VERIFY_ROWS; first += 8) {
        const uint8x8_t eight = vld1_u8(bytes + first);
        which |= (uint64_t)vaddv_u8(vand_u8(vtst_u8(eight, eight), bit_of)) << first;
    }
    return which;
}

#include "verify/verify_kernel_loops.h"

#else
typedef int wari_no_neon_here; /* a translation unit may not be empty */
#endif
