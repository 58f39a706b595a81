/* The model of a book, for its writer: how often each difference from the guess comes in each
 * context, counted and then rounded to shares of 4096. */
#ifndef DB_BIND_MODEL_H
#define DB_BIND_MODEL_H

#include "db/book/cells.h"

enum {
    WARI_DIFFERENCE_MAX = 2 * WARI_SEEDS_MAX, /* between a value and its guess */
    WARI_DIFFERENCES = 2 * WARI_DIFFERENCE_MAX + 1,
};

/* [context][difference + WARI_DIFFERENCE_MAX] */
struct wari_book_counts {
    uint64_t count[WARI_BOOK_CONTEXTS][WARI_DIFFERENCES];
};

/* The share of a symbol: `frequency` of 4096, from `start` on. Frequency 0: it has none, and is
 * written as the escape and the value. */
struct wari_book_share {
    uint16_t frequency;
    uint16_t start;
};

struct wari_book_shares {
    struct wari_book_share of[WARI_BOOK_CONTEXTS][WARI_DIFFERENCES];
    struct wari_book_share escape[WARI_BOOK_CONTEXTS];
};

/* Makes the model: as bytes for the file, *size of them, and as shares for the encoder. */
void wari_book_model(const struct wari_book_counts *counts, struct wari_book_shares *shares,
                     uint8_t bytes[WARI_BOOK_MODEL], size_t *size);

#endif
