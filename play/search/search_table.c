/* The table has buckets of four entries, each bucket in one cache line. The second word of an
 * entry has these fields:
 *
 *     bits   63..58  57..56  55..53  52..46  45..40  39..32  31..24  23..16  15..0
 *            age     bound   pit+1   depth   0       lead   most    least   score
 *
 * Any thread may write an entry at any time, one word after the other. The first word is the key
 * xor the second word. If two threads write the same entry at the same time, the two words may
 * come from different threads; they then match no key, and the entry counts as empty. */
#include "play/search/search_table.h"

#include <string.h>

enum { BUCKET_ENTRIES = 4, AGES = 64, SAMPLE = 250 };

enum wari_status wari_search_table_make(struct wari_search_table *table,
                                        const struct wari_host *host, size_t bytes,
                                        struct wari_error *error)
{
    const size_t bucket = BUCKET_ENTRIES * sizeof *table->entries;
    const size_t all = bytes > 2 * bucket ? bytes : 2 * bucket;
    *table = (struct wari_search_table){
        .buckets = all / bucket - 1, /* one bucket is lost by the alignment */
        .bytes = all,
    };
    enum wari_status status =
        wari_allocate(host, all, "the table of a search", &table->stored, error);
    if (status != WARI_OK)
        return status;
    table->entries = (void *)(((uintptr_t)table->stored + bucket - 1) / bucket * bucket);
    wari_search_table_clear(table);
    return WARI_OK;
}

void wari_search_table_free(struct wari_search_table *table, const struct wari_host *host)
{
    wari_release(host, table->stored);
    *table = (struct wari_search_table){0};
}

void wari_search_table_clear(struct wari_search_table *table)
{
    memset(table->entries, 0, (size_t)table->buckets * BUCKET_ENTRIES * sizeof *table->entries);
}

void wari_search_table_next_age(struct wari_search_table *table)
{
    table->age = (table->age + 1) % AGES;
}

static uint64_t pack(const struct wari_search_table *table, const struct wari_stored_result *stored)
{
    return (uint64_t)table->age << 58 | (uint64_t)stored->bound << 56 |
           (uint64_t)(stored->pit + 1) << 53 | (uint64_t)stored->depth << 46 |
           (uint64_t)(uint8_t)stored->most << 24 | (uint64_t)(uint8_t)stored->least << 16 |
           (uint64_t)(uint8_t)stored->lead << 32 | (uint16_t)stored->score;
}

static void unpack(uint64_t packed, struct wari_stored_result *stored)
{
    *stored = (struct wari_stored_result){.score = (int16_t)(packed & 0xFFFF),
                                          .lead = (int8_t)(packed >> 32 & 0xFF),
                                          .depth = (int)(packed >> 46 & 0x7F),
                                          .bound = (enum wari_bound)(packed >> 56 & 3),
                                          .pit = (int)(packed >> 53 & 7) - 1,
                                          .least = (int8_t)(packed >> 16 & 0xFF),
                                          .most = (int8_t)(packed >> 24 & 0xFF)};
}

/* The upper half of a key is enough, because a table has fewer than 2^30 buckets
 * (WARI_SEARCH_HASH_MB_MAX). So the product has at most 62 bits. */
static struct wari_search_entry *bucket_of(const struct wari_search_table *table, uint64_t key)
{
    return &table->entries[((key >> 32) * table->buckets >> 32) * BUCKET_ENTRIES];
}

void wari_search_table_prefetch(const struct wari_search_table *table, uint64_t key)
{
    __builtin_prefetch(bucket_of(table, key));
}

static uint64_t load(const _Atomic uint64_t *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

bool wari_search_table_find(const struct wari_search_table *table, uint64_t key,
                            struct wari_stored_result *stored)
{
    const struct wari_search_entry *entries = bucket_of(table, key);
    for (int i = 0; i < BUCKET_ENTRIES; i++) {
        uint64_t packed = load(&entries[i].stored);
        if ((load(&entries[i].key) ^ packed) != key || packed == 0)
            continue;
        unpack(packed, stored);
        return true;
    }
    return false;
}

/* Returns how useful an entry is: its depth minus four for each search since it was written. The
 * least useful entry is replaced first. */
static int worth(const struct wari_search_table *table, uint64_t packed)
{
    int past = (int)(table->age - (unsigned)(packed >> 58) + AGES) % AGES;
    return packed == 0 ? -1000 : (int)(packed >> 46 & 0x7F) - 4 * past;
}

void wari_search_table_store(struct wari_search_table *table, uint64_t key,
                             const struct wari_stored_result *stored)
{
    struct wari_search_entry *entries = bucket_of(table, key);
    struct wari_search_entry *entry = NULL;
    int least = 0;
    for (int i = 0; i < BUCKET_ENTRIES; i++) {
        uint64_t packed = load(&entries[i].stored);
        if (packed != 0 && (load(&entries[i].key) ^ packed) == key) {
            entry = &entries[i];
            break;
        }
        int each = worth(table, packed);
        if (!entry || each < least) {
            entry = &entries[i];
            least = each;
        }
    }
    uint64_t packed = pack(table, stored);
    atomic_store_explicit(&entry->stored, packed, memory_order_relaxed);
    atomic_store_explicit(&entry->key, key ^ packed, memory_order_relaxed);
}

int wari_search_table_full(const struct wari_search_table *table)
{
    uint64_t buckets = table->buckets < SAMPLE ? table->buckets : SAMPLE;
    int full = 0;
    for (uint64_t i = 0; i < buckets * BUCKET_ENTRIES; i++) {
        uint64_t packed = load(&table->entries[i].stored);
        full += packed != 0 && packed >> 58 == table->age;
    }
    return (int)((uint64_t)full * 1000 / (buckets * BUCKET_ENTRIES));
}
