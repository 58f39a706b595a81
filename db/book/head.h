/* The header of a book, 80 bytes: FORMAT.md draws it. */
#ifndef DB_BOOK_HEAD_H
#define DB_BOOK_HEAD_H

#include <stdint.h>

enum { /* where each field is */
       WARI_HEAD_FORMAT = 8,
       WARI_HEAD_LENGTH = 12,
       WARI_HEAD_RULES = 16,
       WARI_HEAD_CYCLE = 20,
       WARI_HEAD_SEEDS = 24,
       WARI_HEAD_CELLS = 28,
       WARI_HEAD_BLOCKS = 32,
       WARI_HEAD_MODEL = 40,
       WARI_HEAD_MODEL_HASH = 44,
       WARI_HEAD_RECORD = 48,
       WARI_HEAD_SIZE = 56,
       WARI_HEAD_RESERVED = 64, /* 12 bytes */
       WARI_HEAD_HASH = 76,
       WARI_HEAD_BYTES = 80,
       WARI_HEAD_TAIL = 8, /* bytes behind the record: the hash of the whole */
};

/* The first 8 bytes: a name between bytes that text transfers damage. */
#define WARI_HEAD_MAGIC "\x89WBOOK\r\n"

/* The number of each level's first block; behind the last level, of all blocks. */
void wari_head_count_blocks(int seeds, uint64_t first_block[]);

#endif
