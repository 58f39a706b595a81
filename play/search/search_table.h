/* The transposition table: results for positions, shared by any number of threads. */
#ifndef PLAY_SEARCH_SEARCH_TABLE_H
#define PLAY_SEARCH_SEARCH_TABLE_H

#include <stdatomic.h>

#include "db/host/host.h"

enum wari_bound { WARI_BOUND_NONE, WARI_BOUND_LOWER, WARI_BOUND_UPPER, WARI_BOUND_EXACT };

/* The result that is stored for a position. */
struct wari_stored_result {
    int score;             /* the utility that a search of `depth` found, in hundredths of a seed */
    int depth;             /* 0..127 */
    enum wari_bound bound; /* relation of `score` to the true result of the search; NONE means that
                              there is no score */
    int lead;              /* the mover's lead for which `score` was computed, in seeds */
    int pit;               /* the best move, or one that caused a cutoff; -1 if there is none */
    int least, most;       /* proven bounds of the value, in seeds */
};

struct wari_search_entry {
    _Atomic uint64_t key; /* key xor result, so that a half-written entry matches no key */
    _Atomic uint64_t stored;
};

struct wari_search_table {
    uint64_t buckets;
    size_t bytes;                      /* size of `stored` */
    struct wari_search_entry *entries; /* the entries; they begin at the first cache line boundary
                                        * in `stored` */
    void *stored;                      /* the allocated memory */
    unsigned age;                      /* number of the current search, modulo a small number */
};

/* Allocates an empty table with as many entries as fit into `bytes`. On failure there is nothing
 * to free. */
WARI_MUST_CHECK enum wari_status wari_search_table_make(struct wari_search_table *table,
                                                        const struct wari_host *host, size_t bytes,
                                                        struct wari_error *error);
void wari_search_table_free(struct wari_search_table *table, const struct wari_host *host);
void wari_search_table_clear(struct wari_search_table *table);

/* Starts a new search: entries of earlier searches will be replaced first. No other thread may
 * use the table during this call. */
void wari_search_table_next_age(struct wari_search_table *table);

/* Prefetches the cache line of a key that will be looked up soon. */
void wari_search_table_prefetch(const struct wari_search_table *table, uint64_t key);

/* Looks up a key. Returns false if nothing is stored. `key` comes from wari_search_board_key(),
 * so two boards are never confused. */
bool wari_search_table_find(const struct wari_search_table *table, uint64_t key,
                            struct wari_stored_result *stored);

/* Stores a result in place of the least worthy entry of its bucket. */
void wari_search_table_store(struct wari_search_table *table, uint64_t key,
                             const struct wari_stored_result *stored);

/* Estimates the part of the table that this search has written, in thousandths, from a sample. */
int wari_search_table_full(const struct wari_search_table *table);

#endif
