/* Buckets of four slots in a line of the cache. What is kept in a slot:
 *
 *     bits   63..58  57..56  55..53  52..46   45..32   31..24  23..16  15..0
 *            age     bound   pit+1   depth    0        most    least   score
 *
 * A slot is two words, written one after the other by any thread at any time. The first holds the
 * key xor the second, so that halves of two writers do not fit together and count as nothing.
 */
#include "play/search/search_table.h"

#include <string.h>

enum { SLOTS = 4, AGES = 64, SAMPLE = 250 };

enum wari_status wari_search_table_make(struct wari_search_table *table,
                                        const struct wari_host *host, size_t bytes,
                                        struct wari_error *error)
{
    const size_t bucket = SLOTS * sizeof *table->slots;
    const size_t all = bytes > 2 * bucket ? bytes : 2 * bucket;
    *table = (struct wari_search_table){
        .buckets = all / bucket - 1, /* one is lost in aligning */
        .bytes = all,
    };
    enum wari_status status =
        wari_allocate(host, all, "the table of a search", &table->memory, error);
    if (status != WARI_OK)
        return status;
    table->slots = (void *)(((uintptr_t)table->memory + bucket - 1) / bucket * bucket);
    wari_search_table_clear(table);
    return WARI_OK;
}

void wari_search_table_free(struct wari_search_table *table, const struct wari_host *host)
{
    wari_release(host, table->memory);
    *table = (struct wari_search_table){0};
}

void wari_search_table_clear(struct wari_search_table *table)
{
    memset(table->slots, 0, (size_t)table->buckets * SLOTS * sizeof *table->slots);
}

void wari_search_table_next_age(struct wari_search_table *table)
{
    table->age = (table->age + 1) % AGES;
}

static uint64_t pack(const struct wari_search_table *table, const struct wari_memory *memory)
{
    return (uint64_t)table->age << 58 | (uint64_t)memory->bound << 56 |
           (uint64_t)(memory->pit + 1) << 53 | (uint64_t)memory->depth << 46 |
           (uint64_t)(uint8_t)memory->most << 24 | (uint64_t)(uint8_t)memory->least << 16 |
           (uint16_t)memory->score;
}

static void unpack(uint64_t packed, struct wari_memory *memory)
{
    *memory = (struct wari_memory){.score = (int16_t)(packed & 0xFFFF),
                                   .depth = (int)(packed >> 46 & 0x7F),
                                   .bound = (enum wari_bound)(packed >> 56 & 3),
                                   .pit = (int)(packed >> 53 & 7) - 1,
                                   .least = (int8_t)(packed >> 16 & 0xFF),
                                   .most = (int8_t)(packed >> 24 & 0xFF)};
}

/* The upper half of a product; machines of 32 bits have no type for all of it. */
static uint64_t upper_product(uint64_t a, uint64_t b)
{
    const uint64_t a_low = (uint32_t)a, a_high = a >> 32;
    const uint64_t b_low = (uint32_t)b, b_high = b >> 32;
    const uint64_t middle = a_high * b_low + (a_low * b_low >> 32);
    const uint64_t other = a_low * b_high + (uint32_t)middle;

    return a_high * b_high + (middle >> 32) + (other >> 32);
}

static struct wari_search_slot *bucket_of(const struct wari_search_table *table, uint64_t key)
{
    return &table->slots[upper_product(key, table->buckets) * SLOTS];
}

void wari_search_table_expect(const struct wari_search_table *table, uint64_t key)
{
    __builtin_prefetch(bucket_of(table, key));
}

static uint64_t load(const _Atomic uint64_t *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

bool wari_search_table_find(const struct wari_search_table *table, uint64_t key,
                            struct wari_memory *memory)
{
    const struct wari_search_slot *slots = bucket_of(table, key);
    for (int i = 0; i < SLOTS; i++) {
        uint64_t packed = load(&slots[i].memory);
        if ((load(&slots[i].key) ^ packed) != key || packed == 0)
            continue;
        unpack(packed, memory);
        return true;
    }
    return false;
}

/* What is given up first has the least of this: depth, and four for each search that is past. */
static int worth(const struct wari_search_table *table, uint64_t packed)
{
    int past = (int)(table->age - (unsigned)(packed >> 58) + AGES) % AGES;
    return packed == 0 ? -1000 : (int)(packed >> 46 & 0x7F) - 4 * past;
}

void wari_search_table_keep(struct wari_search_table *table, uint64_t key,
                            const struct wari_memory *memory)
{
    struct wari_search_slot *slots = bucket_of(table, key);
    struct wari_search_slot *slot = NULL;
    int least = 0;
    for (int i = 0; i < SLOTS; i++) {
        uint64_t packed = load(&slots[i].memory);
        if (packed != 0 && (load(&slots[i].key) ^ packed) == key) {
            slot = &slots[i];
            break;
        }
        int each = worth(table, packed);
        if (!slot || each < least) {
            slot = &slots[i];
            least = each;
        }
    }
    uint64_t packed = pack(table, memory);
    atomic_store_explicit(&slot->memory, packed, memory_order_relaxed);
    atomic_store_explicit(&slot->key, key ^ packed, memory_order_relaxed);
}

int wari_search_table_full(const struct wari_search_table *table)
{
    uint64_t buckets = table->buckets < SAMPLE ? table->buckets : SAMPLE;
    int full = 0;
    for (uint64_t i = 0; i < buckets * SLOTS; i++) {
        uint64_t packed = load(&table->slots[i].memory);
        full += packed != 0 && packed >> 58 == table->age;
    }
    return (int)((uint64_t)full * 1000 / (buckets * SLOTS));
}
