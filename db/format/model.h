/* The statistics of a level that its chunks are coded with: how often each value comes in each
 * context. FORMAT.md, "Model", defines both.
 *
 * A context is what is known of a cell before its value: the neighbours' values, each less the
 * largest capture at hand there and plus the cell's own, give a guess (their mean) and a measure of
 * how much to trust it (their variance).
 */
#ifndef DB_CONTEXT_MODEL_H
#define DB_CONTEXT_MODEL_H

#include <stdint.h>

#include "db/host/host.h"

enum {
    WARI_FREQUENCY_BITS = 10, /* frequencies of a context add up to 1024 */
    WARI_FREQUENCY_SUM = 1 << WARI_FREQUENCY_BITS,
    WARI_SPREADS = 6,     /* classes of the variance */
    WARI_VARIANCES = 512, /* of variances; hardly any exceed that */
    /* Room for all sums: of six values less captures (-66 to 63) raised by 96 to be positive, and
     * six captures (up to 18). */
    WARI_RESIDUE_BIAS = 96,
    WARI_RESIDUES = 64 + 18 + 63 + 1,
    WARI_SUMS = 6 * (63 + WARI_RESIDUE_BIAS) + 6 * 18 + 1,
    WARI_SYMBOLS_MAX = 2 * WARI_SEEDS_MAX + 2, /* the escape, and -n to n */
    WARI_CONTEXTS_MAX = 4 * (2 * WARI_SEEDS_MAX + 1) + 2 * (WARI_SEEDS_MAX + 1),
    WARI_MODEL_BYTES_MAX = 2 * WARI_SYMBOLS_MAX * WARI_CONTEXTS_MAX + 4096, /* in a file */
};

/* Of the 1024 of a table, those that are a symbol's, as a decoder wants them: with state x = 1024 q
 * + p and a place p of the symbol's, the next state f q + p - start is x - (others q + start). */
struct wari_symbol_range {
    uint32_t others; /* 1024 - f: how many are not the symbol's */
    uint32_t start;
};

static inline uint32_t wari_symbol_frequency(struct wari_symbol_range range)
{
    return WARI_FREQUENCY_SUM - range.others;
}

/* Followed by as many ranges as there are symbols. Bytes for the symbols, so that the tables in use
 * stay in the L1 cache where a decoder waits for them. */
struct wari_table {
    uint8_t symbol[WARI_FREQUENCY_SUM]; /* [place among the 1024] */
    struct wari_symbol_range range[];
};

/* What a coder looks at. Symbol 0 is the escape, symbol 1 + v + n the value v.
 *
 * There is a table for every spread and class of guesses, the finer classes in all spreads:
 * contexts that share frequencies have copies. So the place of a table is a sum of two numbers, of
 * which a decoder finds each on its own. */
struct wari_model {
    const struct wari_host *host;
    int seeds;
    int symbols; /* 2n + 2 */
    int classes; /* of guesses: 2n + 1 */
    int contexts;
    int tables;                        /* [spread][class] */
    size_t table_bytes;                /* from one to the next */
    bool own_table[WARI_CONTEXTS_MAX]; /* [context], or its neighbour's frequencies */
    uint8_t *table;
    struct wari_symbol_range
        *range; /* [table][symbol], for encoders; NULL in a model from a file */

    /* The same as addresses: the table of a cell is at table_of_sum[sum of six R + 6 * 96, and 6 m]
     * + offset_of_spread[u]. */
    const uint8_t *table_of_sum[WARI_SUMS];
    size_t offset_of_spread[WARI_VARIANCES];
};

static inline const struct wari_table *wari_model_table(const struct wari_model *model,
                                                        uint32_t table)
{
    return (const struct wari_table *)(const void *)(model->table + table * model->table_bytes);
}

/* Of six times the variance: where each class begins. */
extern const uint16_t wari_spread_from[WARI_SPREADS];

/* How often each symbol came in each table: [tables][symbols], made by wari_counts_create(). */
struct wari_counts {
    const struct wari_host *host;
    struct wari_model *shape; /* without frequencies */
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
