/* Encodes the blocks of a book. */
#ifndef DB_MAINTAIN_BIND_ENCODE_H
#define DB_MAINTAIN_BIND_ENCODE_H

#include "db/book/block.h"
#include "db/maintain/bind_model.h"

/* Adds the `count` values of a block to the counts. `first` is the number of the block's first
 * cell. */
void wari_book_count(struct wari_book_counts *counts, int seeds, uint64_t first,
                     const int8_t *values, int count);

/* Fills in the bytes and the size of a block, except for its hash. */
void wari_book_encode(const struct wari_book_symbols *symbols, int seeds, uint64_t first,
                      const int8_t *values, int count, struct wari_block *block);

#endif
