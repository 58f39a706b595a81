/* What a search remembers of positions. */
#ifndef PLAY_SEARCH_SEARCH_TABLE_H
#define PLAY_SEARCH_SEARCH_TABLE_H

#include "db/host/host.h"

enum wari_bound { WARI_BOUND_NONE, WARI_BOUND_LOWER, WARI_BOUND_UPPER, WARI_BOUND_EXACT };

struct wari_search_entry {
    uint64_t key;
    int16_t score;
    int8_t depth;
    int8_t pit; /* the best move, or the one that was good enough; -1: none */
    uint8_t bound;
    bool proven; /* the bound is one of the exact value */
    uint8_t age; /* of the search that wrote it */
};

struct wari_search_table {
    uint64_t mask;
    struct wari_search_entry *entries;
};

/* The largest power of two of entries that fits. */
WARI_MUST_CHECK enum wari_status wari_search_table_make(struct wari_search_table *table,
                                                        const struct wari_host *host, size_t bytes,
                                                        struct wari_error *error);
void wari_search_table_clear(struct wari_search_table *table);

uint64_t wari_search_key(const struct wari_position *position);

/* NULL if nothing is known. */
const struct wari_search_entry *wari_search_table_find(const struct wari_search_table *table,
                                                       uint64_t key);

/* Keeps it, unless something worth more stands in its place. */
void wari_search_table_keep(struct wari_search_table *table, const struct wari_search_entry *entry);

#endif
