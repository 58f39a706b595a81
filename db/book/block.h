/* The blocks of a book: found, checked by their hashes, decoded. */
#ifndef DB_BOOK_BLOCK_H
#define DB_BOOK_BLOCK_H

#include "db/book/wari_book.h"

enum {
    WARI_BLOCK_HEAD = 8,          /* bytes: hash and state */
    WARI_BLOCK_BYTES = 336,       /* at most: 19 bits a cell, and what is left in the state */
    WARI_INDEX_ENTRY_BLOCKS = 16, /* blocks of an entry of the table */
    WARI_INDEX_ENTRY_BYTES = 40,  /* of an entry: where the first one begins, and their sizes */
    WARI_SYMBOL_BYTES = 3,        /* of the model: a symbol and its frequency */
    WARI_STATE_LEAST = 1 << 16,
};

struct wari_block {
    int seeds;
    uint64_t number; /* among all blocks of the book */
    uint64_t first;  /* cell of the level */
    int cells;
    uint64_t offset; /* in the file */
    size_t size;
    uint8_t bytes[WARI_BLOCK_BYTES];
};

/* Reads a block, of the level's wari_book_held() values the one that holds number `cell`, and
 * checks its hash. Fails like wari_book_value(). */
WARI_MUST_CHECK enum wari_status wari_block_load(const struct wari_book *book, int seeds,
                                                 uint64_t cell, struct wari_block *block,
                                                 struct wari_error *error);

/* Decodes the first `count` values. Where that is all of the block, it must end as it should.
 * WARI_CORRUPT. */
WARI_MUST_CHECK enum wari_status wari_block_decode(const struct wari_book *book,
                                                   const struct wari_block *block, int count,
                                                   int8_t *values, struct wari_error *error);

/* Where a block's hash begins: with what book this is and the block's number, so that an intact
 * block in a wrong place fails as a damaged one does. */
uint32_t wari_block_seed(uint32_t book_seed, uint64_t number);

/* Reads from the source. WARI_IO if it does not give the bytes. */
WARI_MUST_CHECK enum wari_status wari_book_read(const struct wari_book *book, uint64_t offset,
                                                void *buffer, size_t bytes,
                                                struct wari_error *error);

#endif
