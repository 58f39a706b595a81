/* The cache of lower levels.
 *
 *     entry of a chunk (64 bits)      63..32          31..0
 *       0                             absent
 *       LOADING                       a reader is decoding the chunk; other readers wait
 *       otherwise                     slot + 2        number of streams that pin the chunk
 *
 * Only the reader that changes an entry to LOADING fills the slot. (wari_lower_cache_offer() fills
 * slots for a level that no reader reads yet.) A slot is taken away from a chunk only by changing
 * the entry of the chunk to absent, and only while no stream pins the chunk. So the memory of a
 * slot is never read while it is written. Slots are taken under a lock; pinning and unpinning need
 * no lock. */
#include "solver/level/lower_levels.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "system/huge_pages.h"
#include "system/spin.h"

#define LOADING (UINT64_C(1) << 32)
#define NO_SLOT UINT64_MAX

enum {
    SPARE_SLOTS = 8,        /* number of slots beyond the number that streams can pin, so that the
                             * clock algorithm soon finds an unpinned slot */
    PACKED_CACHE = 4 << 20, /* bytes of the library's cache for values that packed files omit; the
                             * size is an estimate */
    ALLOCATIONS = 16,       /* the cache is allocated in blocks of a sixteenth of its slots,
                             * since memory is returned to the system in whole blocks */
    ALLOCATION_SLOTS_MAX = 8192, /* upper limit on the size of a block: 64 MiB */
};

typedef _Atomic uint64_t entry;

struct lower_level {
    struct wari_layout layout;
    struct wari_level_reader *reader; /* NULL until the level is added */
    entry *entries;                   /* one for each chunk */
};

struct slot {
    entry *owner; /* entry of the chunk in this slot; NULL if the slot is free */
    atomic_bool recent;
};

#define SLOT_BYTES (WARI_CHUNK_POSITIONS + sizeof(struct slot))

struct wari_lower_cache {
    const struct wari_host *host;
    struct wari_lower_cache_files files;
    struct lower_level level[WARI_SEEDS_MAX + 1];
    atomic_flag lock; /* protects the next four fields */
    uint64_t slots_used;
    uint64_t hand; /* the next candidate for replacement (clock algorithm) */
    struct slot *slots;
    uint64_t slot_count;
    uint64_t allocation_slots, allocations;
    int8_t **allocation; /* [slot / allocation_slots] */
    struct {
        uint64_t own;      /* number of slots of the cache itself; slots with higher numbers are
                            * lent */
        struct slot *slot; /* the lent slots; NULL if there are none */
        int8_t *memory;    /* memory of the lent slots */
    } lent;                /* memory from wari_lower_cache_lend(), used for additional slots */
    atomic_uint_fast64_t chunks_read;
    struct wari_db *db; /* supplies the values that packed files omit; NULL until a packed file is
                         * added */
};

struct cursor {
    struct wari_lower_values range; /* the values of the pinned chunk; range.positions is 0 if no
                                     * chunk is pinned */
    int seeds;
    entry *pinned;
};

struct wari_reader {
    struct wari_lower_cache *lower;
    struct wari_decoder *decoder;
    enum wari_status status;
    struct wari_error error;
    struct cursor cursors[WARI_STREAMS];
};

uint64_t wari_lower_cache_bytes_min(int threads)
{
    return ((uint64_t)threads * WARI_STREAMS + SPARE_SLOTS) * SLOT_BYTES;
}

uint64_t wari_lower_cache_bytes_to(int last)
{
    uint64_t chunks = 0;

    for (int seeds = 0; seeds <= last; seeds++)
        if (wari_level_exists(seeds))
            chunks += wari_chunk_count(wari_level_positions(seeds));
    return chunks * SLOT_BYTES;
}

uint64_t wari_lower_cache_list_bytes(int seeds)
{
    return wari_chunk_count(wari_level_positions(seeds)) * sizeof(entry) +
           wari_level_file_memory(seeds);
}

uint64_t wari_lower_cache_packed_bytes(int seeds, int threads)
{
    const uint64_t decoder = 600 << 10;
    uint64_t bytes = PACKED_CACHE + (uint64_t)threads * decoder;

    for (int level = 0; level <= seeds; level++)
        bytes += wari_level_file_memory(level);
    return bytes;
}

/* ---- The cache ------------------------------------------------------------------------------ */

/* Allocates the memory for all slots. Its pages become resident only when they are used. */
static enum wari_status allocate_slots(struct wari_lower_cache *lower, uint64_t slots,
                                       struct wari_error *error)
{
    void *memory;
    enum wari_status status =
        wari_allocate(lower->host, (size_t)slots * sizeof(struct slot) + 1,
                      "the slots of the cache of lower levels", &memory, error);

    if (status != WARI_OK)
        return status;
    lower->slots = memory;
    lower->allocation_slots = slots / ALLOCATIONS + 1;
    if (lower->allocation_slots > ALLOCATION_SLOTS_MAX)
        lower->allocation_slots = ALLOCATION_SLOTS_MAX;
    status = wari_allocate(
        lower->host, (size_t)(slots / lower->allocation_slots + 1) * sizeof *lower->allocation,
        "the cache of lower levels", &memory, error);
    lower->allocation = memory;
    while (status == WARI_OK && lower->slot_count < slots) {
        const uint64_t left = slots - lower->slot_count;
        const uint64_t more = left < lower->allocation_slots ? left : lower->allocation_slots;
        status = wari_allocate(lower->host, (size_t)more * WARI_CHUNK_POSITIONS,
                               "the cache of lower levels", &memory, error);
        if (status != WARI_OK)
            return status;
        wari_ask_for_huge_pages(memory, more * WARI_CHUNK_POSITIONS);
        lower->allocation[lower->allocations++] = memory;
        lower->slot_count += more;
    }
    return status;
}

/* Allocates the entries of a level, all absent. */
static enum wari_status allocate_level(struct wari_lower_cache *lower, int seeds,
                                       struct wari_error *error)
{
    const uint64_t chunks = wari_chunk_count(wari_level_positions(seeds));
    struct lower_level *level = &lower->level[seeds];
    void *memory;
    enum wari_status status;

    wari_layout_init(&level->layout, seeds);
    status = wari_allocate(lower->host, (size_t)chunks * sizeof(entry),
                           "the list of a level's chunks", &memory, error);
    if (status != WARI_OK)
        return status;
    level->entries = memory;
    for (uint64_t i = 0; i < chunks; i++)
        atomic_init(&level->entries[i], 0);
    return WARI_OK;
}

enum wari_status wari_lower_cache_create(struct wari_lower_cache **result,
                                         const struct wari_host *host,
                                         const struct wari_lower_cache_files *files, uint64_t bytes,
                                         struct wari_error *error)
{
    struct wari_lower_cache *lower;
    void *memory;
    enum wari_status status =
        wari_allocate(host, sizeof *lower, "the cache of lower levels", &memory, error);

    *result = NULL;
    if (status != WARI_OK)
        return status;
    lower = memory;
    memset(lower, 0, sizeof *lower);
    lower->host = host;
    lower->files = *files;
    atomic_flag_clear(&lower->lock);
    status = allocate_slots(lower, bytes / SLOT_BYTES, error);
    for (int i = 0; i < files->seeds && status == WARI_OK; i++)
        if (wari_level_exists(i))
            status = allocate_level(lower, i, error);
    if (status != WARI_OK)
        wari_lower_cache_destroy(lower);
    else
        *result = lower;
    return status;
}

void wari_lower_cache_destroy(struct wari_lower_cache *lower)
{
    if (!lower)
        return;
    for (int i = 0; i < lower->files.seeds; i++) {
        wari_level_reader_close(lower->level[i].reader);
        wari_release(lower->host, (void *)lower->level[i].entries);
    }
    wari_close(lower->db);
    for (uint64_t i = 0; i < lower->allocations; i++)
        wari_release(lower->host, lower->allocation[i]);
    wari_release(lower->host, lower->allocation);
    wari_release(lower->host, lower->slots);
    wari_release(lower->host, lower);
}

enum wari_status wari_lower_cache_add(struct wari_lower_cache *lower, int seeds,
                                      const struct wari_level_record *record,
                                      struct wari_error *error)
{
    const struct wari_level_address address = {
        lower->host, lower->files.folder, {lower->files.variant, seeds}};

    return wari_level_reader_share(&lower->level[seeds].reader, &address, record, &lower->db,
                                   PACKED_CACHE, error);
}

static struct slot *slot_at(const struct wari_lower_cache *lower, uint64_t slot)
{
    return lower->lent.slot && slot >= lower->lent.own ? &lower->lent.slot[slot - lower->lent.own]
                                                       : &lower->slots[slot];
}

static int8_t *slot_memory(const struct wari_lower_cache *lower, uint64_t slot)
{
    if (lower->lent.slot && slot >= lower->lent.own)
        return lower->lent.memory + (slot - lower->lent.own) * WARI_CHUNK_POSITIONS;
    return lower->allocation[slot / lower->allocation_slots] +
           slot % lower->allocation_slots * WARI_CHUNK_POSITIONS;
}

/* Empties all slots from `first` on. */
static void drop_from(struct wari_lower_cache *lower, uint64_t first)
{
    for (uint64_t slot = first; slot < lower->slots_used; slot++)
        if (slot_at(lower, slot)->owner)
            atomic_store_explicit(slot_at(lower, slot)->owner, 0, memory_order_relaxed);
    if (lower->slots_used > first)
        lower->slots_used = first;
    if (lower->hand >= lower->slots_used)
        lower->hand = 0;
}

/* Empties all slots from `first` on, and returns their memory to the system until they are used
 * again. */
static void give_back_from(struct wari_lower_cache *lower, uint64_t first)
{
    drop_from(lower, first);
    wari_give_back(lower->slots + first, (lower->slot_count - first) * sizeof *lower->slots);
    for (uint64_t slot = first, end; slot < lower->slot_count; slot = end) {
        end = (slot / lower->allocation_slots + 1) *
              lower->allocation_slots; /* end of the allocation */
        end = end < lower->slot_count ? end : lower->slot_count;
        wari_give_back(slot_memory(lower, slot), (end - slot) * WARI_CHUNK_POSITIONS);
    }
}

void wari_lower_cache_limit(struct wari_lower_cache *lower, uint64_t bytes)
{
    const uint64_t slots = bytes / SLOT_BYTES;

    if (slots >= lower->slot_count)
        return;
    give_back_from(lower, slots);
    while (lower->allocations > (slots + lower->allocation_slots - 1) / lower->allocation_slots)
        wari_release(lower->host, lower->allocation[--lower->allocations]);
    lower->slot_count = slots;
}

void wari_lower_cache_clear(struct wari_lower_cache *lower)
{
    give_back_from(lower, 0);
}

bool wari_lower_cache_holds_all(const struct wari_lower_cache *lower, int seeds)
{
    return wari_lower_cache_bytes_to(seeds) <= lower->slot_count * SLOT_BYTES;
}

void wari_lower_cache_lend(struct wari_lower_cache *lower, void *memory, uint64_t bytes)
{
    const uint64_t slots = bytes / SLOT_BYTES;

    lower->lent.own = lower->slot_count;
    lower->lent.slot = memory;
    lower->lent.memory = (int8_t *)memory + slots * sizeof(struct slot);
    lower->slot_count += slots;
}

void wari_lower_cache_return(struct wari_lower_cache *lower)
{
    drop_from(lower, lower->lent.own);
    lower->slot_count = lower->lent.own;
    lower->lent.slot = NULL;
}

uint64_t wari_lower_cache_row(const struct wari_lower_cache *lower, int seeds, int block,
                              uint32_t row)
{
    const struct wari_layout *layout = &lower->level[seeds].layout;

    return layout->block_offset[block] + (uint64_t)row * layout->columns[block];
}

uint64_t wari_lower_cache_chunks_read(const struct wari_lower_cache *lower)
{
    return atomic_load_explicit(&lower->chunks_read, memory_order_relaxed);
}

static uint64_t ready(uint64_t slot, uint64_t pins)
{
    return (slot + 2) << 32 | pins;
}

static uint64_t slot_of(uint64_t value)
{
    return (value >> 32) - 2;
}

/* Takes a slot for `owner`. Prefers a slot that was never used; if there is none and `replace` is
 * true, takes the slot of a chunk that no stream pins. There always is such a slot, since all
 * readers together pin fewer chunks than there are slots. Returns NO_SLOT if `replace` is false and
 * every slot is used. */
static uint64_t take_slot(struct wari_lower_cache *lower, entry *owner, bool replace)
{
    uint64_t slot = NO_SLOT;

    wari_spin_lock(&lower->lock);
    if (lower->slots_used < lower->slot_count)
        slot = lower->slots_used++;
    while (slot == NO_SLOT && replace) {
        struct slot *candidate = slot_at(lower, lower->hand);
        uint64_t idle = ready(lower->hand, 0);
        if (!candidate->owner ||
            (!atomic_exchange_explicit(&candidate->recent, false, memory_order_relaxed) &&
             atomic_compare_exchange_strong_explicit(candidate->owner, &idle, 0,
                                                     memory_order_acquire, memory_order_relaxed)))
            slot = lower->hand;
        lower->hand = (lower->hand + 1) % lower->slots_used;
    }
    if (slot != NO_SLOT) {
        slot_at(lower, slot)->owner = owner;
        atomic_store_explicit(&slot_at(lower, slot)->recent, true, memory_order_relaxed);
    }
    wari_spin_unlock(&lower->lock);
    return slot;
}

static void free_slot(struct wari_lower_cache *lower, uint64_t slot)
{
    wari_spin_lock(&lower->lock);
    slot_at(lower, slot)->owner = NULL;
    wari_spin_unlock(&lower->lock);
}

void wari_lower_cache_offer(struct wari_lower_cache *lower, int seeds, uint64_t chunk,
                            const int8_t *values)
{
    const uint64_t first = chunk * WARI_CHUNK_POSITIONS;
    const uint64_t left = wari_level_positions(seeds) - first;
    entry *mine;
    uint64_t slot;

    if (seeds + 2 > lower->files.seeds)
        return;
    mine = &lower->level[seeds].entries[chunk];
    slot = take_slot(lower, mine, false);
    if (slot == NO_SLOT)
        return;
    memcpy(slot_memory(lower, slot), values,
           (size_t)(left < WARI_CHUNK_POSITIONS ? left : WARI_CHUNK_POSITIONS));
    atomic_store_explicit(mine, ready(slot, 0), memory_order_release);
}

/* ---- Readers -------------------------------------------------------------------------------- */

enum wari_status wari_reader_create(struct wari_reader **result, struct wari_lower_cache *lower,
                                    struct wari_error *error)
{
    struct wari_reader *reader;
    void *memory;
    enum wari_status status =
        wari_allocate(lower->host, sizeof *reader, "a reader of lower levels", &memory, error);

    *result = NULL;
    if (status != WARI_OK)
        return status;
    reader = memory;
    memset(reader, 0, sizeof *reader);
    reader->lower = lower;
    status = wari_decoder_create(&reader->decoder, lower->host, error);
    if (status != WARI_OK)
        wari_reader_destroy(reader);
    else
        *result = reader;
    return status;
}

/* Unpins the chunk of a cursor, if it has one. */
static void unpin(struct cursor *cursor)
{
    if (cursor->pinned)
        atomic_fetch_sub_explicit(cursor->pinned, 1, memory_order_release);
    cursor->pinned = NULL;
    cursor->range.positions = 0;
}

void wari_reader_release(struct wari_reader *reader)
{
    for (int stream = 0; stream < WARI_STREAMS; stream++)
        unpin(&reader->cursors[stream]);
}

void wari_reader_destroy(struct wari_reader *reader)
{
    if (!reader)
        return;
    wari_reader_release(reader);
    wari_decoder_destroy(reader->decoder);
    wari_release(reader->lower->host, reader);
}

enum wari_status wari_reader_failure(const struct wari_reader *reader, struct wari_error *error)
{
    if (reader->status != WARI_OK && error)
        *error = reader->error;
    return reader->status;
}

/* Decodes a chunk whose entry this reader has changed to LOADING, and pins it. Returns false if
 * decoding fails. */
static bool load(struct wari_reader *reader, const struct lower_level *level, uint64_t chunk)
{
    struct wari_lower_cache *lower = reader->lower;
    entry *mine = &level->entries[chunk];
    const uint64_t slot = take_slot(lower, mine, true);

    reader->status = wari_level_reader_chunk(level->reader, reader->decoder, chunk,
                                             slot_memory(lower, slot), &reader->error);
    if (reader->status != WARI_OK) {
        free_slot(lower, slot);
        atomic_store_explicit(mine, 0, memory_order_release);
        return false;
    }
    atomic_fetch_add_explicit(&lower->chunks_read, 1, memory_order_relaxed);
    atomic_store_explicit(mine, ready(slot, 1), memory_order_release);
    return true;
}

/* Pins a chunk, after decoding it if it is absent. Returns false if decoding fails. */
static bool pin(struct wari_reader *reader, const struct lower_level *level, uint64_t chunk)
{
    entry *mine = &level->entries[chunk];
    uint64_t value = atomic_load_explicit(mine, memory_order_acquire);

    for (;;) {
        if (value == LOADING) {
            sched_yield();
            value = atomic_load_explicit(mine, memory_order_acquire);
        } else if (value == 0) {
            if (atomic_compare_exchange_strong_explicit(mine, &value, LOADING, memory_order_acquire,
                                                        memory_order_acquire))
                return load(reader, level, chunk);
        } else if (atomic_compare_exchange_weak_explicit(
                       mine, &value, value + 1, memory_order_acquire, memory_order_acquire)) {
            return true;
        }
    }
}

const struct wari_lower_values *wari_reader_at(struct wari_reader *reader, int stream, int seeds,
                                               uint64_t at)
{
    const struct lower_level *level = &reader->lower->level[seeds];
    struct cursor *cursor = &reader->cursors[stream];
    const uint64_t chunk = at / WARI_CHUNK_POSITIONS;
    const uint64_t first = chunk * WARI_CHUNK_POSITIONS;
    const uint64_t left = level->layout.block_offset[seeds + 1] - first;
    uint64_t slot;

    if (cursor->seeds == seeds && at - cursor->range.first < cursor->range.positions)
        return &cursor->range;
    unpin(cursor);
    if (reader->status != WARI_OK || !pin(reader, level, chunk))
        return NULL;
    cursor->pinned = &level->entries[chunk];
    slot = slot_of(atomic_load_explicit(cursor->pinned, memory_order_relaxed));
    atomic_store_explicit(&slot_at(reader->lower, slot)->recent, true, memory_order_relaxed);
    cursor->seeds = seeds;
    cursor->range = (struct wari_lower_values){
        .values = slot_memory(reader->lower, slot),
        .first = first,
        .positions = left < WARI_CHUNK_POSITIONS ? left : WARI_CHUNK_POSITIONS,
    };
    return &cursor->range;
}
