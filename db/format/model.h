/* The model of a level: how often each value occurs in each context. The level's chunks are
 * encoded with it. FORMAT.md, "Model", defines models and contexts.
 *
 * A context summarises what is known about a cell before its value is known. Each neighbour
 * suggests a value for the cell: its own value, minus the largest capture at hand in the neighbour,
 * plus the largest capture at hand in the cell. The mean of the suggestions is the guess; their
 * variance tells how reliable the guess is. A **spread** is one of six classes of the variance. */
#ifndef DB_FORMAT_MODEL_H
#define DB_FORMAT_MODEL_H

#include <stdint.h>

#include "db/host/host.h"

enum {
    WARI_FREQUENCY_BITS = 10, /* the frequencies of a context add up to 1024 */
    WARI_FREQUENCY_SUM = 1 << WARI_FREQUENCY_BITS,
    WARI_SPREADS = 6,     /* number of classes of the variance */
    WARI_VARIANCES = 512, /* number of table entries for variances; larger variances are rare and
                           * use the last entry */
    /* The residue of a cell is its value minus the capture at hand, which is the largest number of
     * seeds that a move captures (FORMAT.md, "Capture at hand"). Tables have capacity for values
     * from -64 to 63, and for captures of 0 to 18 seeds. */
    WARI_RESIDUE_BIAS = 96, /* added to residues, so that they are positive */
    WARI_RESIDUES = 64 + 18 + 63 + 1,
    WARI_SUMS = 6 * (63 + WARI_RESIDUE_BIAS) + 6 * 18 + 1, /* table entries for the sum of six
                                                            * biased residues and six times a
                                                            * capture */
    WARI_SYMBOLS_MAX = 2 * WARI_SEEDS_MAX + 2, /* upper bound on the number of symbols: the
                                                * escape, and the values -n to n */
    WARI_CONTEXTS_MAX = 4 * (2 * WARI_SEEDS_MAX + 1) + 2 * (WARI_SEEDS_MAX + 1),
    /* Upper bound on the bytes of a model in a file. */
    WARI_MODEL_BYTES_MAX = 2 * WARI_SYMBOLS_MAX * WARI_CONTEXTS_MAX + 4096,
};

/* The part of a table's 1024 entries that belongs to one symbol, in the form that a decoder needs.
 * Let f be the number of these entries, and x = 1024 q + p the state, where entry p belongs to the
 * symbol. The next state, f q + p - start, is x - (others q + start). */
struct wari_symbol_range {
    uint32_t others; /* 1024 - f: the number of entries of other symbols */
    uint32_t start;
};

static inline uint32_t wari_symbol_frequency(struct wari_symbol_range range)
{
    return WARI_FREQUENCY_SUM - range.others;
}

/* The frequencies of one table; `range` has an element for each symbol. The symbols are stored
 * as bytes, so that the tables in use stay in the L1 cache: every step of a decoder depends on a
 * load from them. */
struct wari_table {
    uint8_t symbol[WARI_FREQUENCY_SUM]; /* symbol of each of the 1024 entries */
    struct wari_symbol_range range[];
};

/* The tables that encoder and decoder use. Symbol 0 is the escape, and symbol 1 + v + n is the
 * value v.
 *
 * For every spread there is a table for each of the 2n + 1 classes of guesses. Spreads with
 * wider classes, and contexts that share frequencies, have several copies of one table. So the
 * address of a table is a sum of two numbers that a decoder looks up independently. */
struct wari_model {
    const struct wari_host *host;
    int seeds;   /* n, the seeds of the level */
    int symbols; /* number of symbols: 2n + 2 */
    int classes; /* number of classes of guesses: 2n + 1 */
    int contexts;
    int tables;                        /* number of tables; their order is [spread][class] */
    size_t table_bytes;                /* distance from one table to the next, in bytes */
    bool own_table[WARI_CONTEXTS_MAX]; /* [context]: false if the context uses the frequencies of
                                        * a neighbour */
    uint8_t *table;
    struct wari_symbol_range
        *range; /* [table][symbol], for encoders; NULL in a model that was read from a file */

    /* The address of the table of a cell is table_of_sum[r + 6 * (WARI_RESIDUE_BIAS + m)] +
     * offset_of_spread[u]. Here r is the sum of the residues of the cell's six neighbours, m is the
     * largest capture at hand in the cell, and u measures the variance of the residues (FORMAT.md,
     * "Context"). */
    const uint8_t *table_of_sum[WARI_SUMS];
    size_t offset_of_spread[WARI_VARIANCES];
};

static inline const struct wari_table *wari_model_table(const struct wari_model *model,
                                                        uint32_t table)
{
    return (const struct wari_table *)(const void *)(model->table + table * model->table_bytes);
}

/* [spread]: six times the smallest variance that belongs to the spread. */
extern const uint16_t wari_spread_from[WARI_SPREADS];

/* The number of occurrences of each symbol in each table: [tables][symbols]. */
struct wari_counts {
    const struct wari_host *host;
    struct wari_model *shape; /* a model without frequencies, which gives the number of tables
                               * and symbols */
    uint32_t count[];
};

WARI_MUST_CHECK enum wari_status wari_counts_create(struct wari_counts **counts,
                                                    const struct wari_host *host, int seeds,
                                                    struct wari_error *error);
void wari_counts_destroy(struct wari_counts *counts);      /* NULL is allowed */
size_t wari_counts_size(const struct wari_counts *counts); /* returns the number of elements of
                                                            * `count` */
void wari_counts_add(struct wari_counts *to, const struct wari_counts *more);

/* Computes the model from the counts. The result depends on nothing else. */
WARI_MUST_CHECK enum wari_status wari_model_create(struct wari_model **model,
                                                   const struct wari_counts *counts,
                                                   struct wari_error *error);
void wari_model_destroy(struct wari_model *model); /* NULL is allowed */

/* Returns an upper bound on the memory of a level's model, in bytes. */
size_t wari_model_memory(int seeds);

/* The following functions convert a model to bytes, before compression, and back. The bytes
 * contain a 16-bit frequency for each context and symbol. */
size_t wari_model_plain_bytes(int seeds);
void wari_model_store(const struct wari_model *model, uint8_t *bytes);

/* Creates a model from the bytes. Returns WARI_CORRUPT, with only the reason as text, if they
 * are not a model of level `seeds`. */
WARI_MUST_CHECK enum wari_status wari_model_load(struct wari_model **model,
                                                 const struct wari_host *host, int seeds,
                                                 const uint8_t *bytes, struct wari_error *error);

/* Compresses a model for a file, into one zstd frame. `out` has a capacity of WARI_MODEL_BYTES_MAX
 * bytes. */
WARI_MUST_CHECK enum wari_status wari_model_pack(const struct wari_model *model, void *out,
                                                 size_t *bytes, struct wari_error *error);

/* Decompresses a model. Returns WARI_CORRUPT, with only the reason as text, if the bytes are not
 * a model of level `seeds`. */
WARI_MUST_CHECK enum wari_status wari_model_unpack(struct wari_model **model,
                                                   const struct wari_host *host, int seeds,
                                                   const void *packed, size_t bytes,
                                                   struct wari_error *error);

#endif
