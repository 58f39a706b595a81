/* Cells as half bytes, for the scratch file. Most cells of a range have one of a few codes. So the
 * fifteen most frequent codes take half a byte, and each other code takes an extra byte:
 *
 *     codes    16 bytes      the codes for half bytes 0 to 14; byte 15 is 0
 *     halves   count / 2     32 bytes for each 64 cells: the low four bits of byte i are for
 *                            cell i, the high four bits for cell 32 + i; 15 means that the cell
 *                            has another code, the next one in `others`
 *     others   1 byte each   the other codes, in the order of the cells
 *
 * This takes 0.6 bytes a cell on the disk. The data is read only by the process that wrote it, so
 * it needs no stable format. */
#ifndef SOLVER_KERNEL_HALF_BYTES_H
#define SOLVER_KERNEL_HALF_BYTES_H

#include <stddef.h>
#include <stdint.h>

enum {
    WARI_HALF_CODES = 15,
    WARI_HALVES_HEAD = 16,
    WARI_HALVES_BATCH = 64, /* cells that are converted together */
    WARI_HALVES_AHEAD = 64, /* number of bytes beyond the end of a buffer that may be written, and
                             * read */
};

/* The chosen codes, by half byte, and the half byte of each code: WARI_HALF_CODES for all other
 * codes. */
struct wari_half_codes {
    uint8_t code[WARI_HALVES_HEAD];
    uint8_t half[256];
};

/* Returns the number of batches of WARI_HALVES_BATCH cells, rounded up. */
static inline size_t wari_half_byte_batches(size_t cells)
{
    return (cells + WARI_HALVES_BATCH - 1) / WARI_HALVES_BATCH;
}

/* Chooses the fifteen most frequent codes of some cells, from a sample of their batches. */
void wari_choose_half_codes(const int8_t *cells, size_t batches, struct wari_half_codes *codes);

/* The conversions, as the kernels (kernel.h) implement them. wari_to_halves encodes whole batches
 * of cells. It returns the number of bytes written, or 0 if this number plus WARI_HALVES_AHEAD
 * exceeds `capacity`. wari_from_halves decodes whole batches; it reads at most WARI_HALVES_AHEAD
 * bytes beyond `size`, whatever their contents. */
typedef size_t wari_to_halves(const int8_t *cells, size_t batches,
                              const struct wari_half_codes *codes, uint8_t *bytes, size_t capacity);
typedef void wari_from_halves(const uint8_t *bytes, size_t size, int8_t *cells, size_t batches);

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
