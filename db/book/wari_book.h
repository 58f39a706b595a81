/* Books: all values of one variant up to N seeds in one file, for programs that must not depend
 * on other libraries. FORMAT.md, "Book", describes the file.
 *
 *      static struct wari_book book;     (18 kB: too large for a small stack)
 *      struct wari_error error;
 *      if (wari_book_open_memory(&book, bytes, size, &error) != WARI_OK) ... error.text
 *      if (wari_book_value(&book, &position, &value, &error) == WARI_OK) ...
 *
 * The functions never allocate, print or keep state: the caller owns the struct and provides the
 * bytes. They do not change an open book, so any number of threads may use it at once if its
 * source allows this. A call takes less than 8 kB of stack. A value is returned only if the hash
 * of its block is correct. */
#ifndef WARI_BOOK_H
#define WARI_BOOK_H

#include "wari_game.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WARI_BOOK_FORMAT = 1,  /* the format version that is written and read */
    WARI_BOOK_CELLS = 128, /* values in a full block */
    WARI_BOOK_CONTEXTS = 182,
    WARI_BOOK_MODEL = 182 * (1 + 32 * 3), /* upper bound on the bytes of a model */
};

/* The source of a book's bytes. */
struct wari_book_source {
    /* Copies exactly `bytes` bytes of the book, from `offset` on, into `buffer` and returns 0. Any
     * other result means failure. It is never called for bytes beyond `size`, and never for more
     * than WARI_BOOK_MODEL bytes of a book at a time. */
    int (*read)(void *context, uint64_t offset, void *buffer, size_t bytes);
    void *context;
    uint64_t size;    /* size of the book in bytes */
    const char *name; /* for messages; must outlive the book */
};

/* An open book. The caller provides the struct. It owns nothing: there is no function to close a
 * book, and the struct may be discarded at any time. Only the fields `variant` and `seeds` are for
 * callers. */
struct wari_book {
    struct wari_variant variant;
    int seeds; /* the book has all levels 0..seeds, except for 47, which does not occur in a game */
    struct wari_book_source source;
    uint32_t seed; /* seed of the blocks' hashes: the hash of the header's first 48 bytes */
    /* File offsets of the block table, of the blocks, and of the record. */
    uint64_t table, blocks, record;
    uint64_t first_block[WARI_SEEDS_MAX + 2]; /* [level]: number of its first block; [seeds + 1] is
                                               * the number of all blocks */
    uint16_t first[WARI_BOOK_CONTEXTS + 1];   /* [context]: number of its first symbol in `model` */
    uint8_t model[WARI_BOOK_MODEL];           /* the bytes of the model, as stored in the file */
};

/* Opens a book: reads and checks its header and model, at most 18 kB. `source` is copied. On
 * failure the contents of *book are undefined:
 *   WARI_IO        the source could not read
 *   WARI_CORRUPT   the book is damaged, or is not a book
 *   WARI_MISMATCH  the book has another format version */
WARI_MUST_CHECK WARI_API enum wari_status wari_book_open(struct wari_book *book,
                                                         const struct wari_book_source *source,
                                                         struct wari_error *error);

/* Opens a book in memory, such as a mapped file. The bytes must outlive the book. */
WARI_MUST_CHECK WARI_API enum wari_status wari_book_open_memory(struct wari_book *book,
                                                                const void *bytes, size_t size,
                                                                struct wari_error *error);

/* Returns WARI_OK if the book's variant is `wanted`. Otherwise returns WARI_MISMATCH with a text
 * that names the book's variant. */
WARI_MUST_CHECK WARI_API enum wari_status wari_book_expect(const struct wari_book *book,
                                                           struct wari_variant wanted,
                                                           struct wari_error *error);

/* Finds the exact value of `position` for the side to move: the seeds that it will still capture
 * minus the seeds that the opponent will still capture, in [-n, n] for n seeds on the board. On
 * failure *value is unchanged:
 *   WARI_BAD_INPUT     the position has more than 48 seeds
 *   WARI_NOT_COVERED   the position has more seeds than the book, or 47
 *   WARI_CORRUPT       a block is damaged; the text names its number and offset
 *   WARI_IO            the source could not read */
WARI_MUST_CHECK WARI_API enum wari_status wari_book_value(const struct wari_book *book,
                                                          const struct wari_position *position,
                                                          int *value, struct wari_error *error);

/* A position with all its legal moves, best first. Moves of equal value are sorted by the number
 * of captured seeds, the largest number first, and then in the order A..F. So moves[0] is a best
 * move if there is any move. */
struct wari_analysis {
    int value;
    int count; /* 0 means that the game is over */
    struct {
        struct wari_move move;
        int value; /* value of the position if this move is played */
    } moves[WARI_HALF_PITS];
};

/* Finds the values of a position and of all its moves. Fails like wari_book_value(); *analysis
 * is then undefined. */
WARI_MUST_CHECK WARI_API enum wari_status wari_book_analyse(const struct wari_book *book,
                                                            const struct wari_position *position,
                                                            struct wari_analysis *analysis,
                                                            struct wari_error *error);

/* Inserts a move with this value into the sorted moves of `analysis` and increments `count`. There
 * must be capacity for it. Only callers that fill in an analysis themselves need this; they set
 * `count` to 0 first. */
WARI_API void wari_analysis_add(struct wari_analysis *analysis, const struct wari_move *move,
                                int value);

/* Returns the number of values of a level that the book holds. These are the values of the
 * positions with numbers 0 .. result - 1, in the order that FORMAT.md defines ("Order of the
 * values"); all other values follow from the values after the moves. Returns 0 if the book does not
 * have the level. */
WARI_API uint64_t wari_book_held(const struct wari_book *book, int seeds);

/* Decodes all values of block `block` of a level: WARI_BOOK_CELLS values, or fewer in the last
 * block of the level. The position with number i is in block i / WARI_BOOK_CELLS. Unlike
 * wari_book_value(), this also checks that the block ends correctly. Fails like wari_book_value(),
 * and with WARI_BAD_INPUT if there is no such block; the contents of `values` are then undefined.
 */
WARI_MUST_CHECK WARI_API enum wari_status wari_book_block(const struct wari_book *book, int seeds,
                                                          uint64_t block,
                                                          int8_t values[WARI_BOOK_CELLS],
                                                          struct wari_error *error);

/* Reads the whole book. Checks its hash, decodes all blocks, and checks that there is no gap
 * between blocks. Sets *hash to the hash of the book (FNV-1a, 64 bits), unless `hash` is NULL.
 * Fails like wari_book_value(). */
WARI_MUST_CHECK WARI_API enum wari_status wari_book_check(const struct wari_book *book,
                                                          uint64_t *hash, struct wari_error *error);

#ifdef __cplusplus
}
#endif
#endif
