/* The model of a level, with which its chunks are encoded: how often each value occurs in each
 * context. FORMAT.md, "Model", defines both.
 *
 * A context summarises what is known about a cell before its value is known. The values of the
 * neighbours, each minus the largest capture at hand there and plus the largest capture at hand in
 * the cell, give a guess (their mean) and a measure of its reliability (their variance, or
 * "spread").
 */
#ifndef DB_FORMAT_MODEL_H
#define DB_FORMAT_MODEL_H

#include <stdint.h>

#include "db/host/host.h"

enum {
    WARI_FREQUENCY_BITS = 10, /* the frequencies of a context add up to 1024 */
    WARI_FREQUENCY_SUM = 1 << WARI_FREQUENCY_BITS,
    WARI_SPREADS = 6, /* classes of the variance */
    WARI_VARIANCES =
        512, /* table entries for variances; larger ones are rare and count as the largest */
    /* Capacity for all sums: six residues (-66 to 63), raised by 96 to be positive, and six times a
     * capture (up to 18). */
    WARI_RESIDUE_BIAS = 96,
    WARI_RESIDUES = 64 + 18 + 63 + 1,
    WARI_SUMS = 6 * (63 + WARI_RESIDUE_BIAS) + 6 * 18 + 1,
    WARI_SYMBOLS_MAX = 2 * WARI_SEEDS_MAX + 2, /* the escape, and -n to n */
    WARI_CONTEXTS_MAX = 4 * (2 * WARI_SEEDS_MAX + 1) + 2 * (WARI_SEEDS_MAX + 1),
    WARI_MODEL_BYTES_MAX =
        2 * WARI_SYMBOLS_MAX * WARI_CONTEXTS_MAX + 4096, /* upper bound on the size in a file */
};

/* The part of a table's 1024 entries that belongs to one symbol, in the form that a decoder needs:
 * with state x = 1024 q + p, where entry p belongs to the symbol, the next state f q + p - start is
 * x - (others q + start). */
struct wari_symbol_range {
    uint32_t others; /* 1024 - f: the number of entries of other symbols */
    uint32_t start;
};

static inline uint32_t wari_symbol_frequency(struct wari_symbol_range range)
{
    return WARI_FREQUENCY_SUM - range.others;
}

/* The frequencies of one table; `range` has an element for each symbol. The symbols are bytes, so
 * that the tables in use stay in the L1 cache: a decoder waits for them. */
struct wari_table {
    uint8_t symbol[WARI_FREQUENCY_SUM]; /* symbol of each of the 1024 entries */
    struct wari_symbol_range range[];
};

/* The tables that encoder and decoder use. Symbol 0 is the escape, and symbol 1 + v + n is the
 * value v.
 *
 * There is a table for every spread and class of guesses, in the finer classes for all spreads;
 * contexts that share frequencies have copies of them. So the address of a table is a sum of two
 * numbers that a decoder looks up independently. */
struct wari_model {
    const struct wari_host *host;
    int seeds;
    int symbols; /* 2n + 2 */
    int classes; /* 2n + 1 classes of guesses */
    int contexts;
    int tables;                        /* number of tables: [spread][class] */
    size_t table_bytes;                /* from one table to the next */
    bool own_table[WARI_CONTEXTS_MAX]; /* [context]: false if it uses the frequencies of a neighbour
                                        */
    uint8_t *table;
    struct wari_symbol_range
        *range; /* [table][symbol], for encoders; NULL in a model that was read from a file */

    /* The same as addresses: the table of a cell is at table_of_sum[sum of the six R + 6 * 96 + 6
     * m] + offset_of_spread[u]. */
    const uint8_t *table_of_sum[WARI_SUMS];
    size_t offset_of_spread[WARI_VARIANCES];
};

static inline const struct wari_table *wari_model_table(const struct wari_model *model,
                                                        uint32_t table)
{
    return (const struct wari_table *)(const void *)(model->table + table * model->table_bytes);
}

/* The smallest number of each class of six times the variance. */
extern const uint16_t wari_spread_from[WARI_SPREADS];

/* The number of occurrences of each symbol in each table: [tables][symbols]. */
struct wari_counts {
    const struct wari_host *host;
    struct wari_model *shape; /* a model without frequencies */
    uint32_t count[];
};

WARI_MUST_CHECK enum wari_status wari_counts_create(struct wari_counts **counts,
                                                    const struct wari_host *host, int seeds,
                                                    struct wari_error *error);
void wari_counts_destroy(struct wari_counts *counts);      /* NULL is allowed */
size_t wari_counts_size(const struct wari_counts *counts); /* number of elements of `count` */
void wari_counts_add(struct wari_counts *to, const struct wari_counts *more);

/* Computes the model from the counts. It depends on nothing else. */
WARI_MUST_CHECK enum wari_status wari_model_create(struct wari_model **model,
                                                   const struct wari_counts *counts,
                                                   struct wari_error *error);
void wari_model_destroy(struct wari_model *model); /* NULL is allowed */

/* Returns an upper bound on the memory of a level's model, in bytes. */
size_t wari_model_memory(int seeds);

/* The model as bytes, before compression: a frequency of 16 bits for each context and symbol. */
size_t wari_model_plain_bytes(int seeds);
void wari_model_store(const struct wari_model *model, uint8_t *bytes);

/* Makes a model from these bytes. WARI_CORRUPT, with only the reason as text, if they are no model
 * of level `seeds`. */
WARI_MUST_CHECK enum wari_status wari_model_load(struct wari_model **model,
                                                 const struct wari_host *host, int seeds,
                                                 const uint8_t *bytes, struct wari_error *error);

#endif
