/* Looking at a column of a strip and at where its moves lead: the inner loops of a proof, for each
 * set of instructions, all of which give the same. */
#ifndef VERIFY_STRIP_VERIFY_LOOK_H
#define VERIFY_STRIP_VERIFY_LOOK_H

#include "verify/verify_strip.h"

/* A position of value 0 has this byte; those of larger values have smaller ones. */
enum { WARI_VERIFY_ZERO = 2 * WARI_VERIFY_MIDDLE };

/* The byte of an unmarked position whose value is that of `code`, with the other sign. */
static inline uint8_t wari_verify_opposite(uint8_t code)
{
    return (uint8_t)(2 * WARI_VERIFY_ZERO - (code & ~WARI_VERIFY_MARK));
}

/* Sets of rows are bits, the first row lowest; bytes of rows that the strip does not have are 0. */
struct wari_verify_look {
    /* The bytes of a column of the strip. Returns which are marked. */
    uint64_t (*read)(const struct wari_verify_strip *strip, uint32_t column,
                     uint8_t codes[WARI_VERIFY_ROWS]);

    /* The bytes of the positions that a step leads to; 0 where it is not a quiet move. */
    void (*reach)(const struct wari_verify_strip *strip, const struct wari_verify_step *step,
                  uint8_t codes[WARI_VERIFY_ROWS]);

    /* What the best of a column's quiet moves is worth in each row, + MIDDLE; 0 where there is
     * none. */
    void (*best)(const struct wari_verify_strip *strip, uint32_t column,
                 uint8_t best[WARI_VERIFY_ROWS]);

    /* Rows whose value rests on a column's quiet moves: above 0, some move that attains it leads to
     * an unmarked position; below 0, none leads to a marked one. Stored rows only. */
    uint64_t (*supported)(const struct wari_verify_strip *strip, uint32_t column,
                          const uint8_t codes[WARI_VERIFY_ROWS]);
};

extern const struct wari_verify_look wari_verify_look_portable;
#if defined(__x86_64__)
extern const struct wari_verify_look wari_verify_look_avx512;
extern const struct wari_verify_look wari_verify_look_avx2;
#endif
#if defined(__aarch64__)
extern const struct wari_verify_look wari_verify_look_neon;
#endif

#endif
