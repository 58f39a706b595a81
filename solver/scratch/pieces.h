/* Cells in a scratch file, and those of them that are in memory.
 *
 * The rows of each block are cut into **pieces** of as many whole rows as fit into a **frame** of
 * memory. A piece has its place in the file and is in at most one frame:
 *
 *     file    piece 0 | piece 1 | ... | piece count-1     each padded to WARI_PIECE_ALIGN bytes
 *     memory  frame 0 | frame 1 | ...                     each holds a piece, or nothing
 *
 * A piece becomes half bytes (half_bytes.h) on its way to its place, and fills as much of that as
 * it needs.
 * Transfers go past the page cache (O_DIRECT) where the file system has that. Who needs pieces
 * says so some steps ahead: wari_pieces_want() gives them frames, taken from the pieces that will
 * not be needed for longest, and lists the transfers; wari_pieces_transfer() makes one of these,
 * for any number of threads at once. A frame that was written to goes to the file when it is taken
 * for another piece, so that what fits into memory is never written.
 *
 * The file has no name while it is in use: whatever ends the process frees it. What comes back from
 * it is what was written there: each piece has a checksum in memory (system/sum.h).
 */
#ifndef SOLVER_PIECES_H
#define SOLVER_PIECES_H

#include <stdatomic.h>

#include "db/host/host.h"
#include "index/level.h"

enum {
    WARI_PIECE_ALIGN = 4096,
    WARI_PIECE_PADDING = 64, /* readable behind the last row */
    WARI_STEPS_AHEAD = 2,    /* whose pieces are transferred while a step before them runs */
    WARI_SPARE_UNIT = 64,
};
#define WARI_NO_PIECE UINT32_MAX

/* Rounded up to whole units of what is transferred. */
static inline uint64_t wari_whole_units(uint64_t bytes)
{
    return (bytes + WARI_PIECE_ALIGN - 1) / WARI_PIECE_ALIGN * WARI_PIECE_ALIGN;
}

struct wari_kernel_ops;

struct wari_frame {
    uint32_t piece;    /* WARI_NO_PIECE: none */
    uint32_t step;     /* the last one that needs it */
    uint64_t next;     /* when it is needed again: the greater the later */
    atomic_bool dirty; /* to be written before another piece comes here */
};

/* Into `frame`: `old`, if not WARI_NO_PIECE, is written from it, then `piece` read if `read`. */
struct wari_transfer {
    uint32_t piece, frame, old;
    bool read;
    bool after; /* only when those of earlier steps are done: one of them writes this piece */
};

/* How the rows of a level's blocks are cut into pieces. */
struct wari_pieces_cut {
    int seeds;
    uint32_t count;                     /* pieces */
    uint32_t first[WARI_SEEDS_MAX + 2]; /* piece of a block */
    uint32_t rows[WARI_SEEDS_MAX + 1];  /* of a piece; the last one of a block may have fewer */
    uint32_t pitch[WARI_SEEDS_MAX + 1];
    uint32_t block_rows[WARI_SEEDS_MAX + 1];
    uint64_t reciprocal[WARI_SEEDS_MAX + 1]; /* 2^42 / rows, rounded up */
    uint64_t offset[WARI_SEEDS_MAX + 2];     /* in the file; [seeds + 1]: where the last one ends */
    uint32_t stride[WARI_SEEDS_MAX + 1];     /* bytes from piece to piece in the file */
};

struct wari_scratch_file {
    const struct wari_host *host;
    char path[WARI_PATH_MAX]; /* for messages */
    int fd, direct;           /* -1: closed; direct: -1 where the file system has none */
    atomic_uint_fast64_t bytes_read, bytes_written;
};

struct wari_pieces {
    struct wari_scratch_file *file;       /* which others may use, too */
    const struct wari_kernel_ops *kernel; /* makes half bytes; NULL: pieces stay as they are, and
                                           * have no sums: for hosts that move no bytes */
    struct wari_pieces_cut cut;
    int8_t **at; /* [piece]; NULL: not in memory */
    struct {
        struct wari_frame *frame;
        uint32_t count;
        uint32_t oldest; /* step: frames that this one or a later one needs are not taken */
        size_t bytes;    /* of a frame */
        int8_t *memory;
    } frames;
    struct {
        struct wari_transfer *transfer; /* a ring as long as there are frames */
        uint32_t listed;                /* by wari_pieces_want() */
        uint32_t settled;               /* of these, done for certain, as their user says */
    } transfers;
    struct {
        uint64_t base;    /* in the file: what comes before */
        uint32_t *halved; /* [piece]: bytes that its half bytes take in the file; 0: bytes are
                           * there */
        uint64_t *sum;    /* [piece]: of what was written to the file; 0: nothing was */
    } stored;
    struct {
        uint8_t *memory; /* that nobody else needs now: half bytes of pieces as they are read */
        uint64_t bytes;
        atomic_uint_fast64_t used; /* of these */
        uint32_t *at;              /* [piece]: 1 + where its half bytes are, in units of
                                    * WARI_SPARE_UNIT; 0: nowhere */
    } spare;
    void *tables; /* memory of all that is by piece or frame */
};

/* Cuts a level, with rows of the given pitches, for frames of `frame_bytes` (a multiple of
 * WARI_PIECE_ALIGN, a row and the padding fit). Then the bytes of the file; of tables for so many
 * frames, beside the frames themselves. */
void wari_pieces_cut_level(struct wari_pieces_cut *cut, const struct wari_layout *layout,
                           const uint32_t *pitch, size_t frame_bytes);
uint64_t wari_pieces_file_bytes(const struct wari_pieces_cut *cut);
uint64_t wari_pieces_table_bytes(const struct wari_pieces_cut *cut, uint32_t frames);

/* The scratch file, in `folder`. On failure nothing stays. WARI_BUSY if another process is just
 * making the same file. */
WARI_MUST_CHECK enum wari_status wari_scratch_file_open(struct wari_scratch_file *file,
                                                        const struct wari_host *host,
                                                        const char *folder, const char *name,
                                                        struct wari_error *error);
void wari_scratch_file_close(struct wari_scratch_file *file); /* or one of zeros, not opened */

/* Reads or writes `bytes` bytes of the file at `place`, past the page cache where that is possible:
 * all three are multiples of WARI_PIECE_ALIGN. For any number of threads at once. */
WARI_MUST_CHECK enum wari_status wari_scratch_file_bytes(struct wari_scratch_file *file,
                                                         void *memory, size_t bytes, uint64_t place,
                                                         bool write, struct wari_error *error);

/* Makes the tables: file, kernel, cut, frames.count, frames.bytes, frames.memory and stored.base
 * are set before. Two may use one file and its frames in turns, all of which are empty then. */
WARI_MUST_CHECK enum wari_status wari_pieces_open(struct wari_pieces *pieces,
                                                  struct wari_error *error);
void wari_pieces_close(struct wari_pieces *pieces);

/* The piece of a row. */
static inline uint32_t wari_piece_of(const struct wari_pieces *pieces, int block, uint32_t row)
{
    return pieces->cut.first[block] + (uint32_t)((row * pieces->cut.reciprocal[block]) >> 42);
}

/* The block of a piece; its first row, and how many it has. */
int wari_piece_block(const struct wari_pieces *pieces, uint32_t piece);
uint32_t wari_piece_row(const struct wari_pieces *pieces, int block, uint32_t piece);
uint32_t wari_piece_rows(const struct wari_pieces *pieces, int block, uint32_t piece);

/* A row of a piece that is in memory. */
static inline int8_t *wari_pieces_row(const struct wari_pieces *pieces, int block, uint32_t row)
{
    const uint32_t i = (uint32_t)((row * pieces->cut.reciprocal[block]) >> 42);

    return pieces->at[pieces->cut.first[block] + i] +
           (size_t)(row - i * pieces->cut.rows[block]) * pieces->cut.pitch[block];
}

/* Gives frames to pieces (distinct ones) that step `step` needs, and lists the transfers. Frames
 * that frames.oldest or later steps need are not taken. `read`: pieces that are not in memory are
 * to be read. False if there are not enough frames. */
bool wari_pieces_want(struct wari_pieces *pieces, const uint32_t *piece, uint32_t count,
                      uint32_t step, bool read);

/* Does not take the frame of a piece that step `step` needs. A thread that wants pieces by several
 * calls has to keep all of them first: a piece that is written and one that is read in the same
 * step must not be the same. */
void wari_pieces_keep(struct wari_pieces *pieces, uint32_t piece, uint32_t step);

/* Empties all frames, and lists the transfers by which those that were written to get into the
 * file.
 */
void wari_pieces_want_none(struct wari_pieces *pieces);

/* Lends memory, until it is taken back (0 bytes): half bytes of pieces that are read from now on
 * stay there, as many as fit, and are not read from the file again. For passes that go through all
 * pieces again and again and write few: who came first stays. Between passes. */
void wari_pieces_lend(struct wari_pieces *pieces, void *memory, uint64_t bytes);

/* Makes the i-th transfer. `room`: as long as a frame, and aligned like one, for the caller alone;
 * half bytes pass through it. */
WARI_MUST_CHECK enum wari_status wari_pieces_transfer(struct wari_pieces *pieces, uint32_t i,
                                                      uint8_t *room, struct wari_error *error);

/* Uses so many of the frames from now on, all of which are empty: as many as there are at most. */
void wari_pieces_use(struct wari_pieces *pieces, uint32_t frames);

/* A piece that is in memory was written to; whether it was. For any number of threads at once. */
void wari_pieces_written(struct wari_pieces *pieces, uint32_t piece);
bool wari_piece_is_dirty(const struct wari_pieces *pieces, uint32_t piece);

/* The frame of a piece that is in memory. */
struct wari_frame *wari_piece_frame(const struct wari_pieces *pieces, uint32_t piece);

#endif
