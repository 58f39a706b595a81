/* The blocks of a book: finds them, checks their hashes and decodes them. */
#ifndef DB_BOOK_BLOCK_H
#define DB_BOOK_BLOCK_H

#include "db/book/wari_book.h"

enum {
    WARI_BLOCK_HEAD = 8,          /* bytes of the hash and the state at the start of a block */
    WARI_BLOCK_BYTES = 336,       /* upper bound on the bytes of a block: 19 bits for each cell,
                                   * and the state */
    WARI_INDEX_ENTRY_BLOCKS = 16, /* number of blocks that one table entry describes */
    WARI_INDEX_ENTRY_BYTES = 40,  /* bytes of a table entry: the offset of its first block, and the
                                   * sizes of all its blocks */
    WARI_SYMBOL_BYTES = 3,        /* bytes of a symbol and its frequency in the model */
    WARI_STATE_LEAST = 1 << 16,
};

struct wari_block {
    int seeds;
    uint64_t number; /* number of the block, counted from the start of the book */
    uint64_t first;  /* number of the block's first cell, counted from the start of the level */
    int cells;
    uint64_t offset; /* file offset of the block */
    size_t size;
    uint8_t bytes[WARI_BLOCK_BYTES];
};

/* Reads the block that holds the value of cell `cell` of a level, where `cell` is below
 * wari_book_held(), and checks the hash of the block. Fails like wari_book_value(). */
WARI_MUST_CHECK enum wari_status wari_block_load(const struct wari_book *book, int seeds,
                                                 uint64_t cell, struct wari_block *block,
                                                 struct wari_error *error);

/* Decodes the first `count` values of a block. If these are all values of the block, also checks
 * that the block ends correctly. Returns WARI_CORRUPT if it does not, or if the bytes cannot be
 * decoded. */
WARI_MUST_CHECK enum wari_status wari_block_decode(const struct wari_book *book,
                                                   const struct wari_block *block, int count,
                                                   int8_t *values, struct wari_error *error);

/* Returns the initial state of a block's hash, which depends on the book and the number of the
 * block, so that an intact block in a wrong place fails the check. */
uint32_t wari_block_seed(uint32_t book_seed, uint64_t number);

/* Reads from the source of the book. Returns WARI_IO if the source fails. */
WARI_MUST_CHECK enum wari_status wari_book_read(const struct wari_book *book, uint64_t offset,
                                                void *buffer, size_t bytes,
                                                struct wari_error *error);

#endif
