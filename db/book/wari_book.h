/* Books: all values of one variant to N seeds in one file, for programs that take nothing else
 * along. FORMAT.md, "Book", describes the file.
 *
 *     static struct wari_book book;     (18 kB: better not on a small stack)
 *     struct wari_error error;
 *     if (wari_book_open_memory(&book, bytes, size, &error) != WARI_OK) ... error.text
 *     if (wari_book_value(&book, &position, &value, &error) == WARI_OK) ...
 *
 * Nothing here allocates, prints or keeps state: the caller owns the struct and gives the bytes. A
 * book that is open is only read, so any number of threads may use it at once, as far as its
 * source allows that. A call takes below 8 kB of stack. A value is given only if the block it
 * comes from passed its hash.
 */
#ifndef WARI_BOOK_H
#define WARI_BOOK_H

#include "wari_game.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WARI_BOOK_FORMAT = 1,  /* the version that is written and read */
    WARI_BOOK_CELLS = 128, /* values in a full block */
    WARI_BOOK_CONTEXTS = 182,
    WARI_BOOK_MODEL = 182 * (1 + 32 * 3), /* bytes of a model at most */
};

/* Where the bytes of a book come from. */
struct wari_book_source {
    /* Puts `bytes` bytes of the book from `offset` on into `buffer`, all of them, and returns 0;
     * any other number says that it cannot. It is never asked for bytes beyond `size`, and for no
     * more than WARI_BOOK_MODEL at a time. */
    int (*read)(void *context, uint64_t offset, void *buffer, size_t bytes);
    void *context;
    uint64_t size;    /* of the book in bytes */
    const char *name; /* for messages; must outlive the book */
};

/* An open book. The caller provides it and may let go of it at any time; nothing is to be closed.
 * Variant and seeds are for everybody, the rest for the library itself. */
struct wari_book {
    struct wari_variant variant;
    int seeds; /* all levels 0..seeds but 47, which cannot arise in a game */
    struct wari_book_source source;
    uint32_t seed; /* of the blocks' hashes: the hash of the header's first 48 bytes */
    uint64_t table, blocks, record;           /* where in the file they begin */
    uint64_t first_block[WARI_SEEDS_MAX + 2]; /* of each level; behind the last one all there are */
    uint16_t first[WARI_BOOK_CONTEXTS + 1];   /* of each context: its first symbol in `model` */
    uint8_t model[WARI_BOOK_MODEL];           /* as in the file */
};

/* Opens a book: reads and checks its header and model, 18 kB at most. On failure *book means
 * nothing:
 *   WARI_IO        the source could not read
 *   WARI_CORRUPT   it is damaged, or no book
 *   WARI_MISMATCH  another format version
 */
WARI_MUST_CHECK WARI_API enum wari_status wari_book_open(struct wari_book *book,
                                                         const struct wari_book_source *source,
                                                         struct wari_error *error);

/* The same from memory, say a file that is mapped; the bytes must outlive the book. */
WARI_MUST_CHECK WARI_API enum wari_status wari_book_open_memory(struct wari_book *book,
                                                                const void *bytes, size_t size,
                                                                struct wari_error *error);

/* WARI_MISMATCH if the book is of another variant than `wanted`; the text says of which. */
WARI_MUST_CHECK WARI_API enum wari_status wari_book_expect(const struct wari_book *book,
                                                           struct wari_variant wanted,
                                                           struct wari_error *error);

/* The exact value of `position` for the side to move: seeds it will still capture minus seeds the
 * opponent will still capture. On failure *value is left alone:
 *   WARI_BAD_INPUT     more than 48 seeds
 *   WARI_NOT_COVERED   more seeds than the book has (and always for 47)
 *   WARI_CORRUPT       a block is damaged; the text names its number and offset
 *   WARI_IO            the source could not read
 */
WARI_MUST_CHECK WARI_API enum wari_status wari_book_value(const struct wari_book *book,
                                                          const struct wari_position *position,
                                                          int *value, struct wari_error *error);

/* A position with all its moves, best first; moves of equal value with more captures first, then in
 * the order A..F. So moves[0] is a best move, if there is any. */
struct wari_analysis {
    int value;
    int count; /* 0: the game is over */
    struct {
        struct wari_move move;
        int value; /* of the position, if this move is played */
    } moves[WARI_HALF_PITS];
};

/* Fails like wari_book_value(). */
WARI_MUST_CHECK WARI_API enum wari_status wari_book_analyse(const struct wari_book *book,
                                                            const struct wari_position *position,
                                                            struct wari_analysis *analysis,
                                                            struct wari_error *error);

/* Puts a move of this value into its place among those that `analysis` has: for those who fill one
 * in, `count` first. */
WARI_API void wari_analysis_add(struct wari_analysis *analysis, const struct wari_move *move,
                                int value);

/* Values that the book holds of a level: those of the positions 0 .. wari_book_held() - 1, by
 * wari_position_number(). All others are found by their moves. 0 if there is no such level. */
WARI_API uint64_t wari_book_held(const struct wari_book *book, int seeds);

/* All values of block `block` of a level, WARI_BOOK_CELLS of them, fewer in the level's last block;
 * the position with number i is in block i / WARI_BOOK_CELLS. Unlike a probe this sees that the
 * block ends where it should. Fails like wari_book_value(); WARI_BAD_INPUT if there is no such
 * block. */
WARI_MUST_CHECK WARI_API enum wari_status wari_book_block(const struct wari_book *book, int seeds,
                                                          uint64_t block,
                                                          int8_t values[WARI_BOOK_CELLS],
                                                          struct wari_error *error);

/* Reads all of the book and checks the hash of the whole, and that all blocks can be decoded and
 * lie side by side. *hash (NULL is allowed) is the hash, FNV-1a with 64 bits. Fails like
 * wari_book_value(). */
WARI_MUST_CHECK WARI_API enum wari_status wari_book_check(const struct wari_book *book,
                                                          uint64_t *hash, struct wari_error *error);

#ifdef __cplusplus
}
#endif
#endif
