/* The model of a book, for its writer: counts how often each difference between a value and its
 * guess occurs in each context (db/book/cells.h), and computes frequencies out of 4096 from these
 * counts. */
#ifndef DB_MAINTAIN_BIND_MODEL_H
#define DB_MAINTAIN_BIND_MODEL_H

#include "db/book/cells.h"

enum {
    /* The largest difference between a value and its guess. */
    WARI_DIFFERENCE_MAX = 2 * WARI_SEEDS_MAX,
    WARI_DIFFERENCES = 2 * WARI_DIFFERENCE_MAX + 1,
};

/* Indexed by [context][difference + WARI_DIFFERENCE_MAX]. */
struct wari_book_counts {
    uint64_t count[WARI_BOOK_CONTEXTS][WARI_DIFFERENCES];
};

/* The range of a symbol: `frequency` out of 4096, beginning at `start`. Frequency 0 means that
 * the model does not have the symbol; its values are written as the escape followed by the
 * value. */
struct wari_book_symbol {
    uint16_t frequency;
    uint16_t start;
};

struct wari_book_symbols {
    struct wari_book_symbol of[WARI_BOOK_CONTEXTS][WARI_DIFFERENCES];
    struct wari_book_symbol escape[WARI_BOOK_CONTEXTS];
};

/* Computes the model in two forms: as *size bytes for the file, and as ranges of symbols for the
 * encoder. */
void wari_book_model(const struct wari_book_counts *counts, struct wari_book_symbols *symbols,
                     uint8_t bytes[WARI_BOOK_MODEL], size_t *size);

#endif
