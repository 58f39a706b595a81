/* Cells in a scratch file.
 *
 * The rows of each block are cut into **pieces** of as many whole rows as fit into a frame of
 * memory. Each has its place in the file:
 *
 *     piece 0 | piece 1 | ... | piece count-1     each padded to WARI_PIECE_ALIGN bytes
 *
 * A piece becomes half bytes (half_bytes.h) on its way there, and fills as much of its place as it
 * needs; or, where each is written once, one is put behind the other. What comes back is what was
 * written: each piece has a checksum in memory (system/sum.h).
 */
#ifndef SOLVER_PIECES_H
#define SOLVER_PIECES_H

#include "index/level.h"
#include "solver/bits/scratch_file.h"

enum { WARI_PIECE_PADDING = 64 /* readable behind the last row */ };
#define WARI_NO_PIECE UINT32_MAX

struct wari_kernel_ops;

/* How the rows of a level's blocks are cut into pieces. */
struct wari_pieces_cut {
    int seeds;
    uint32_t count;                     /* pieces */
    uint32_t first[WARI_SEEDS_MAX + 2]; /* piece of a block */
    uint32_t rows[WARI_SEEDS_MAX + 1];  /* of a piece; the last one of a block may have fewer */
    uint32_t pitch[WARI_SEEDS_MAX + 1]; /* bytes from row to row */
    uint32_t block_rows[WARI_SEEDS_MAX + 1];
    uint64_t offset[WARI_SEEDS_MAX + 2]; /* in the file; [seeds + 1]: where the last one ends */
};

struct wari_pieces {
    struct wari_scratch_file *file; /* which others may use, too */
    const struct wari_kernel_ops *kernel;
    struct wari_pieces_cut cut;
    size_t frame_bytes;
    uint64_t base;    /* in the file: what comes before */
    bool in_turn;     /* written once each, one behind the other */
    uint64_t *sum;    /* [piece]: of what was written to the file; 0: nothing was */
    uint32_t *halved; /* [piece]: bytes that its half bytes take in the file; 0: bytes are there */
    uint32_t *unit;   /* [piece]: its first one in the file, from base on, if they go in turn; and
                       * [count]: the first one that is free */
};

/* Cuts a level, with rows as in memory, for frames of `frame_bytes` (a multiple of
 * WARI_PIECE_ALIGN, a row and the padding fit). */
void wari_pieces_cut_level(struct wari_pieces_cut *cut, const struct wari_layout *layout,
                           size_t frame_bytes);

/* Numbers the pieces, and gives them places, where all that is by block is set but `first` and
 * `offset`. */
void wari_pieces_number(struct wari_pieces_cut *cut);

/* Bytes of the file; and of what is in memory of each piece. */
uint64_t wari_pieces_file_bytes(const struct wari_pieces_cut *cut);
uint64_t wari_pieces_table_bytes(const struct wari_pieces_cut *cut);

/* Makes what is in memory of each piece: all else is set before. */
WARI_MUST_CHECK enum wari_status wari_pieces_open(struct wari_pieces *pieces,
                                                  struct wari_error *error);
void wari_pieces_close(struct wari_pieces *pieces); /* or one of zeros */

/* Begins anew with pieces that go in turn: none is written yet. */
void wari_pieces_begin(struct wari_pieces *pieces);

/* The piece of a row; its block, first row, and number of rows. */
static inline uint32_t wari_piece_of(const struct wari_pieces_cut *cut, int block, uint32_t row)
{
    return cut->first[block] + row / cut->rows[block];
}

int wari_piece_block(const struct wari_pieces_cut *cut, uint32_t piece);
uint32_t wari_piece_row(const struct wari_pieces_cut *cut, int block, uint32_t piece);
uint32_t wari_piece_rows(const struct wari_pieces_cut *cut, int block, uint32_t piece);

/* Reads a piece into a frame, or writes it from there. `room`: as long as a frame, and aligned like
 * one, which half bytes pass through. For any number of threads at once, a piece each. */
WARI_MUST_CHECK enum wari_status wari_piece_read(const struct wari_pieces *pieces, uint32_t piece,
                                                 int8_t *cells, uint8_t *room,
                                                 struct wari_error *error);
WARI_MUST_CHECK enum wari_status wari_piece_write(const struct wari_pieces *pieces, uint32_t piece,
                                                  int8_t *cells, uint8_t *room,
                                                  struct wari_error *error);

#endif
