/* The loops for AArch64, which looks up 64 bytes at once: a window. */
#if defined(__aarch64__)

#include <arm_neon.h>

#include "verify/verify_strip.h"

#define LOOK_TABLE wari_verify_look_neon
#define LOOK_TARGET

enum { LANES = 16 };

/* Plain loads, where other threads may change marks: each byte is the old or the new one. Behind
 * the last cell of a level there are 64 bytes. */
__attribute__((no_sanitize("thread"))) static inline uint8x16x4_t
load_window(const wari_verify_cell *cells)
{
    const uint8_t *bytes = (const uint8_t *)(const void *)cells;
    return (uint8x16x4_t){{vld1q_u8(bytes), vld1q_u8(bytes + LANES), vld1q_u8(bytes + 2 * LANES),
                           vld1q_u8(bytes + 3 * LANES)}};
}

/* All bits of those bytes of which `which` has one. */
static inline uint8x16_t spread(uint16_t which)
{
    const uint8x16_t bit_of = vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
    const uint8x16_t bytes =
        vcombine_u8(vdup_n_u8((uint8_t)which), vdup_n_u8((uint8_t)(which >> 8)));
    return vtstq_u8(bytes, bit_of);
}

/* False if that takes more windows than there are. */
static inline bool look_by_windows(const wari_verify_cell *cells,
                                   const struct wari_verify_windows *windows,
                                   uint8_t codes[WARI_VERIFY_ROWS])
{
    for (int i = 0; i < windows->count; i++) {
        const struct wari_verify_window *window = &windows->window[i];
        const uint8x16x4_t bytes = load_window(cells + window->first);
        for (int first = 0; first < WARI_VERIFY_ROWS; first += LANES) {
            const uint8x16_t found = vqtbl4q_u8(bytes, vld1q_u8(windows->place + first));
            const uint8x16_t before = i == 0 ? vdupq_n_u8(0) : vld1q_u8(codes + first);
            vst1q_u8(codes + first,
                     vbslq_u8(spread((uint16_t)(window->rows >> first)), found, before));
        }
    }
    return windows->count > 0;
}

/* Bytes that are not 0. */
static inline uint64_t look_which(const uint8_t bytes[WARI_VERIFY_ROWS])
{
    const uint8x8_t bit_of = vcreate_u8(UINT64_C(0x8040201008040201));
    uint64_t which = 0;
    for (int first = 0; first < WARI_VERIFY_ROWS; first += 8) {
        const uint8x8_t eight = vld1_u8(bytes + first);
        which |= (uint64_t)vaddv_u8(vand_u8(vtst_u8(eight, eight), bit_of)) << first;
    }
    return which;
}

#include "verify/verify_look_loop.h"

#else
typedef int wari_no_neon_here; /* a translation unit may not be empty */
#endif
