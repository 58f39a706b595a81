/* What a search remembers of positions, by hash: each has two places, one for the deepest entry of
 * this search and one for the latest. A key is all 64 bits of the hash, so that two positions are
 * taken for one another once in 10^12 look-ups or less; what is proven is proven but for that. */
#include "play/search/search_table.h"

#include <string.h>
#include <xxhash.h>

enum wari_status wari_search_table_make(struct wari_search_table *table,
                                        const struct wari_host *host, size_t bytes,
                                        struct wari_error *error)
{
    void *memory;
    uint64_t count = 2;
    while (2 * count * sizeof *table->entries <= bytes)
        count *= 2;
    enum wari_status status = wari_allocate(host, count * sizeof *table->entries,
                                            "the table of a search", &memory, error);
    table->entries = memory;
    table->mask = count - 1;
    if (status == WARI_OK)
        wari_search_table_clear(table);
    return status;
}

void wari_search_table_clear(struct wari_search_table *table)
{
    memset(table->entries, 0, (table->mask + 1) * sizeof *table->entries);
}

uint64_t wari_search_key(const struct wari_position *position)
{
    return XXH3_64bits(position, sizeof *position);
}

const struct wari_search_entry *wari_search_table_find(const struct wari_search_table *table,
                                                       uint64_t key)
{
    for (uint64_t i = 0; i < 2; i++) {
        const struct wari_search_entry *entry = &table->entries[(key & table->mask) ^ i];
        if (entry->key == key && entry->bound != WARI_BOUND_NONE)
            return entry;
    }
    return NULL;
}

void wari_search_table_keep(struct wari_search_table *table, const struct wari_search_entry *entry)
{
    struct wari_search_entry *deep = &table->entries[entry->key & table->mask];
    struct wari_search_entry *late = &table->entries[(entry->key & table->mask) ^ 1];
    bool same = deep->key == entry->key;
    if (late->key == entry->key && late->bound != WARI_BOUND_NONE) {
        *late = *entry;
        return;
    }
    *(same || deep->age != entry->age || entry->depth >= deep->depth ? deep : late) = *entry;
}
