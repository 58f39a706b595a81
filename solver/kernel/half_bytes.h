/* Cells as half bytes, for the scratch file. Most cells of a piece have one of a few codes, so the
 * fifteen most frequent ones take half a byte, and the others a byte more:
 *
 *     codes    16 bytes      [0..14]; 15: 0
 *     halves   count / 2     of each group of 64 cells 32 bytes: in byte i the low four bits for
 *                            cell i, the high four bits for cell 32 + i; 15: another code, which
 *     others   a byte each   is the next of these
 *
 * That makes 0.6 bytes a cell of what goes to and from the disk. They live as long as the process
 * that made them: no format that anybody else reads.
 */
#ifndef SOLVER_KERNEL_HALF_BYTES_H
#define SOLVER_KERNEL_HALF_BYTES_H

#include <stddef.h>
#include <stdint.h>

enum {
    WARI_HALF_CODES = 15,
    WARI_HALVES_HEAD = 16,
    WARI_HALVES_GROUP = 64, /* cells */
    WARI_HALVES_AHEAD = 64, /* bytes behind the last one that may be written, and read */
};

/* Which half byte stands for a code: WARI_HALF_CODES for those that have none. */
struct wari_half_codes {
    uint8_t code[WARI_HALVES_HEAD];
    uint8_t half[256];
};

/* Cells are counted in whole groups. */
static inline size_t wari_half_byte_groups(size_t cells)
{
    return (cells + WARI_HALVES_GROUP - 1) / WARI_HALVES_GROUP;
}

/* The codes for some cells, by some of their groups. */
void wari_choose_half_codes(const int8_t *cells, size_t groups, struct wari_half_codes *codes);

/* The kernels (kernel.h). From whole groups of cells: returns the bytes these take, or 0 if they
 * and WARI_HALVES_AHEAD are more than `room`. And back to cells: bytes behind `size` are not read
 * but for WARI_HALVES_AHEAD, whatever stands there. */
typedef size_t wari_to_halves(const int8_t *cells, size_t groups,
                              const struct wari_half_codes *codes, uint8_t *bytes, size_t room);
typedef void wari_from_halves(const uint8_t *bytes, size_t size, int8_t *cells, size_t groups);

wari_to_halves wari_to_halves_portable;
wari_from_halves wari_from_halves_portable;
#if defined(__x86_64__)
wari_to_halves wari_to_halves_avx2;
wari_from_halves wari_from_halves_avx2;
#elif defined(__aarch64__)
wari_to_halves wari_to_halves_neon;
wari_from_halves wari_from_halves_neon;
#endif

#endif
