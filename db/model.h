/* The statistics of a level that its chunks are coded with: how often each value comes in each
 * context. FORMAT.md, "Model", defines both.
 *
 * A context is what is known of a cell before its value: the neighbours' values, each less the
 * largest capture at hand there and plus the cell's own, give a guess (their mean) and a measure of
 * how much to trust it (their variance).
 */
#ifndef DB_MODEL_H
#define DB_MODEL_H

#include "db/neighbours.h"

enum {
    WARI_FREQUENCY_BITS = 10, /* frequencies of a context add up to 1024 */
    WARI_FREQUENCY_SUM = 1 << WARI_FREQUENCY_BITS,
    WARI_SPREADS = 6, /* classes of the variance */
    /* Room for all sums: of six values less captures (-66 to 63) raised by 96 to be positive, and
     * six captures (up to 18). */
    WARI_RAISED = 96,
    WARI_SUMS = 6 * (63 + WARI_RAISED) + 6 * 18 + 1,
    WARI_SYMBOLS_MAX = 2 * WARI_SEEDS_MAX + 2, /* the escape, and -n to n */
    WARI_SYMBOLS_ROOM = 128,                   /* for those of a table: a power of two */
    WARI_CONTEXTS_MAX = 4 * (2 * WARI_SEEDS_MAX + 1) + 2 * (WARI_SEEDS_MAX + 1),
    WARI_MODEL_BYTES_MAX = 2 * WARI_SYMBOLS_MAX * WARI_CONTEXTS_MAX + 4096, /* in a file */
};

/* Of the 1024 of a table, those that are a symbol's:  31   16 15         0
 *                                                     | first | how many |                       */
typedef uint32_t wari_range;

static inline uint32_t wari_range_frequency(wari_range range)
{
    return range & 0xffff;
}

static inline uint32_t wari_range_start(wari_range range)
{
    return range >> 16;
}

/* Bytes for the symbols, so that the tables in use stay in the L1 cache where a decoder waits for
 * them. */
struct wari_table {
    uint8_t symbol[WARI_FREQUENCY_SUM]; /* [place among the 1024] */
    wari_range range[WARI_SYMBOLS_ROOM];
};

/* What a coder looks at. Symbol 0 is the escape, symbol 1 + v + n the value v. */
struct wari_model {
    const struct wari_host *host;
    int seeds;
    int symbols; /* 2n + 2 */
    int contexts;
    int tables;
    uint16_t context_table[WARI_CONTEXTS_MAX];   /* [context]: number of its table */
    bool own_table[WARI_CONTEXTS_MAX];           /* or that of its neighbour */
    uint16_t table_of[WARI_SPREADS * WARI_SUMS]; /* [spread * WARI_SUMS + sum] */
    struct wari_table *table;
};

/* What contexts are told apart by, the same for all levels. Made once for a coder. */
struct wari_contexts {
    uint32_t packed[WARI_RAISED + 64];           /* [R + 96] -> R * R << 12 | R + 96 */
    uint16_t square[6 * (63 + WARI_RAISED) + 1]; /* [S + 6 * 96] -> S * S / 6 */
    uint16_t spread[6 * 82 * 82 + 1]; /* [sum of squares less that] -> class * WARI_SUMS */
};

void wari_contexts_init(struct wari_contexts *contexts);

/* The table for a cell whose neighbours' packed values add up to `sum`. */
static inline uint32_t wari_model_table(const struct wari_model *model,
                                        const struct wari_contexts *contexts, uint32_t sum,
                                        uint32_t capture)
{
    const uint32_t raised = sum & 0xfff;
    const uint32_t spread = contexts->spread[(sum >> 12) - contexts->square[raised]];
    return model->table_of[spread + raised + 6 * capture];
}

/* How often each symbol came in each context: [contexts][symbols], made by wari_counts_create(). */
struct wari_counts {
    const struct wari_host *host;
    struct wari_model *shape; /* a table for each context, without frequencies */
    uint32_t count[];
};

WARI_MUST_CHECK enum wari_status wari_counts_create(struct wari_counts **counts,
                                                    const struct wari_host *host, int seeds,
                                                    struct wari_error *error);
void wari_counts_destroy(struct wari_counts *counts);      /* NULL is allowed */
size_t wari_counts_size(const struct wari_counts *counts); /* entries of `count` */
void wari_counts_add(struct wari_counts *to, const struct wari_counts *more);

/* The model that the counts give. It depends on nothing else. */
WARI_MUST_CHECK enum wari_status wari_model_create(struct wari_model **model,
                                                   const struct wari_counts *counts,
                                                   struct wari_error *error);
void wari_model_destroy(struct wari_model *model); /* NULL is allowed */

/* Bytes of memory that a model of a level takes at most. */
size_t wari_model_memory(int seeds);

/* As bytes, before zstd: a 16-bit frequency for each context and symbol. */
size_t wari_model_plain_bytes(int seeds);
void wari_model_store(const struct wari_model *model, uint8_t *bytes);

/* WARI_CORRUPT (the text says only why) if the bytes are no model of level `seeds`. */
WARI_MUST_CHECK enum wari_status wari_model_load(struct wari_model **model,
                                                 const struct wari_host *host, int seeds,
                                                 const uint8_t *bytes, struct wari_error *error);

#endif
