/* What a search remembers of positions, for any number of threads at once.
 */
#ifndef PLAY_SEARCH_SEARCH_TABLE_H
#define PLAY_SEARCH_SEARCH_TABLE_H

#include <stdatomic.h>

#include "db/host/host.h"

enum wari_bound { WARI_BOUND_NONE, WARI_BOUND_LOWER, WARI_BOUND_UPPER, WARI_BOUND_EXACT };

/* Of one position. */
struct wari_memory {
    int score;             /* hundredths of a seed: what a search of `depth` found */
    int depth;             /* 0..127 */
    enum wari_bound bound; /* what the score is of the search's true result; NONE: there is none */
    int pit;               /* the best move, or the one that was good enough; -1: none */
    int least, most;       /* proven: the value in seeds lies between these */
};

struct wari_search_slot {
    _Atomic uint64_t key; /* xor what is remembered: half-written slots are nobody's */
    _Atomic uint64_t memory;
};

struct wari_search_table {
    uint64_t buckets;
    size_t bytes;                   /* of memory */
    struct wari_search_slot *slots; /* in memory, from the first line of the cache on */
    void *memory;
    unsigned age; /* of the search at hand */
};

/* As many slots as fit into `bytes`, empty. On failure there is nothing to free. */
WARI_MUST_CHECK enum wari_status wari_search_table_make(struct wari_search_table *table,
                                                        const struct wari_host *host, size_t bytes,
                                                        struct wari_error *error);
void wari_search_table_free(struct wari_search_table *table, const struct wari_host *host);
void wari_search_table_clear(struct wari_search_table *table);

/* A new search begins: what earlier ones wrote is given up first. No other thread is at it. */
void wari_search_table_next_age(struct wari_search_table *table);

/* The key will be asked for before long: its line comes to the processor meanwhile. */
void wari_search_table_expect(const struct wari_search_table *table, uint64_t key);

/* False if nothing is known. `key` is a board's (wari_search_board_key()), so no two boards are
 * mixed up. */
bool wari_search_table_find(const struct wari_search_table *table, uint64_t key,
                            struct wari_memory *memory);

/* Keeps it, in place of what is worth least in its bucket. */
void wari_search_table_keep(struct wari_search_table *table, uint64_t key,
                            const struct wari_memory *memory);

/* Thousandths of the table that this search has written, by a sample. */
int wari_search_table_full(const struct wari_search_table *table);

#endif
