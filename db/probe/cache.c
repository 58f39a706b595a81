/* The cache of decoded chunks.
 *
 *     set 0    | entry | entry | ... |      chunk c belongs to set c mod sets and may use any entry
 *     set 1    | entry | entry | ... |      of this set; an entry is one decoded chunk of 8 KiB
 *     ...
 *
 * The cache is set-associative, as in a processor. A look-up compares a handful of numbers,
 * eviction needs no lists, and the memory is a fixed array, so the budget is never exceeded. Chunks
 * are numbered consecutively, so sets fill evenly. If the chunks of the whole database fit, each
 * chunk has its own set of one entry. The address of a value then does not depend on a tag, so the
 * processor fetches the value and the tag at the same time. This makes look-ups in a large cache
 * much faster, because they spend most of their time waiting for these two.
 *
 * The cache neither reads nor decodes chunks; its callers do. If two threads miss the same chunk,
 * both decode it, and the second thread finds that the chunk has already been inserted.
 *
 * Each entry has a tag:
 *
 *     bit 63             38 37     32 31                0
 *         +-----------------+---------+------------------+
 *         | times replaced  |  known  |   chunk number   |   NO_CHUNK: empty, or being written
 *         +-----------------+---------+------------------+
 *
 * `known` counts the decoded cells at the start of each stream, in multiples of WARI_STEP_MULTIPLE.
 * A probe decodes only as much of a chunk as it needs and inserts that; a caller that needs more
 * decodes the whole chunk.
 *
 * A look-up takes no lock. It reads the tag, then the values, then the tag again; if the tag is
 * unchanged, the values belong to it. A thread that inserts a chunk holds the lock of its set and
 * sets the tag to NO_CHUNK before it changes the first value. (A reader would be deceived only if
 * it paused for exactly 2^26 replacements of its entry.) Tags and values are atomic words, so there
 * is no data race; on common processors they cost the same as plain words.
 *
 * No thread ever waits for a lock. If another thread holds it, the chunk is not inserted, and will
 * be decoded again when it is needed again. A lock contains the number of the process whose thread
 * holds it, because fork() may copy a lock that is held: its thread does not exist in the child
 * process and would never release it. So a lock that names another process is free. The entry that
 * the missing thread was writing has the tag NO_CHUNK and is replaced like any other.
 *
 * Time is counted in inserted chunks. So look-ups write nothing as long as no chunk is inserted.
 *
 * Searches look up many chunks that are not in the cache. The tags of a large cache do not fit into
 * the caches of the processor. So the cache also has a bit for each chunk of the database, which is
 * set if the chunk is present. If other threads insert chunks at the same moment, a bit may be out
 * of date. A thread then only decodes the chunk again, or checks the tags in vain.
 */
#include "db/probe/cache.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "db/format/level_file.h"

enum {
    ENTRIES_PER_SET = 8, /* minimum number of entries in a set, if the cache has at least this many
                          * and cannot hold all chunks; eviction is then close to true LRU */
    LOCKS = 64, /* more locks than threads that insert chunks, so that two threads rarely use the
                 * same lock */
    WORD = 8,   /* number of values that are copied at once */
    ENTRY_WORDS = WARI_CHUNK_POSITIONS / WORD,
};

_Static_assert(WARI_CHUNK_POSITIONS % WORD == 0, "a chunk is a whole number of words");

#define NO_CHUNK UINT32_MAX

enum {
    KNOWN_SHIFT = 32,
    REPLACED_SHIFT = 38,
    ALL_KNOWN = WARI_STREAM_POSITIONS / WARI_STEP_MULTIPLE,
};

_Static_assert(ALL_KNOWN < 1 << (REPLACED_SHIFT - KNOWN_SHIFT), "a tag has enough bits for it");

enum { PRESENT_BITS = 64 };

typedef _Atomic uint64_t word;

struct wari_cache {
    const struct wari_host *host;
    word *present; /* a bit for each chunk; NULL if these bits would take too much memory */
    uint32_t sets;
    uint32_t ways;          /* number of entries in a set */
    atomic_int lock[LOCKS]; /* the process whose thread holds the lock; 0 if no thread holds it */
    _Atomic uint64_t added; /* number of chunks inserted so far; it is the clock of the cache */
    word *tags;             /* [entry]: the tag of the entry */
    word *used;             /* [entry]: value of `added` when the entry was last used */
    word *values; /* [entry][word]: values of the entry, ENTRY_WORDS words for each entry */
};

/* Bytes of memory for each entry: its values, its tag, the time of its last use, and one word of
 * `present`. */
enum { ENTRY_BYTES = WARI_CHUNK_POSITIONS + 3 * (int)sizeof(word) };

static enum wari_status create_words(struct wari_cache *cache, size_t count, word **words,
                                     struct wari_error *error)
{
    void *memory;
    enum wari_status status = wari_allocate(cache->host, count * sizeof **words,
                                            "the cache of decoded chunks", &memory, error);
    *words = memory;
    return status;
}

/* Creates the bits of the chunks, all of them 0, unless they need more memory than ENTRY_BYTES
 * includes for them. */
static enum wari_status create_present(struct wari_cache *cache, uint64_t chunks,
                                       struct wari_error *error)
{
    const size_t words = (size_t)(chunks / PRESENT_BITS + 1);
    if (words > wari_cache_capacity(cache))
        return WARI_OK;
    enum wari_status status = create_words(cache, words, &cache->present, error);
    for (size_t i = 0; i < words && status == WARI_OK; i++)
        atomic_init(&cache->present[i], 0);
    return status;
}

static enum wari_status create_entries(struct wari_cache *cache, struct wari_error *error)
{
    size_t entries = wari_cache_capacity(cache);
    enum wari_status status = create_words(cache, entries, &cache->tags, error);
    if (status == WARI_OK)
        status = create_words(cache, entries, &cache->used, error);
    if (status == WARI_OK)
        status = create_words(cache, entries * ENTRY_WORDS, &cache->values, error);
    for (size_t i = 0; i < entries && status == WARI_OK; i++) {
        atomic_init(&cache->tags[i], NO_CHUNK);
        atomic_init(&cache->used[i], 0);
    }
    return status;
}

/* Returns the number of entries that fit the budget. The budget includes all memory of the
 * cache. */
static uint32_t count_entries(size_t budget, uint64_t chunks)
{
    size_t own = sizeof(struct wari_cache);
    size_t entries = budget > own ? (budget - own) / ENTRY_BYTES : 0;
    if (entries > chunks)
        entries = (size_t)chunks;
    return entries == 0 ? 1 : (uint32_t)entries;
}

enum wari_status wari_cache_create(struct wari_cache **cache, const struct wari_host *host,
                                   size_t budget, uint64_t chunks, struct wari_error *error)
{
    void *memory;
    *cache = NULL;
    if (chunks > NO_CHUNK)
        return wari_fail(error, WARI_BAD_INPUT,
                         "a cache of decoded chunks cannot number %llu of them",
                         (unsigned long long)chunks);
    enum wari_status status =
        wari_allocate(host, sizeof **cache, "the cache of decoded chunks", &memory, error);
    if (status != WARI_OK)
        return status;

    struct wari_cache *new = memory;
    uint32_t entries = count_entries(budget, chunks);
    memset(new, 0, sizeof *new);
    new->host = host;
    new->sets = entries == chunks           ? entries
                : entries < ENTRIES_PER_SET ? 1
                                            : entries / ENTRIES_PER_SET;
    new->ways = entries / new->sets;
    atomic_init(&new->added, 0);
    for (int i = 0; i < LOCKS; i++)
        atomic_init(&new->lock[i], 0);
    status = create_entries(new, error);
    if (status == WARI_OK)
        status = create_present(new, chunks, error);
    if (status == WARI_OK)
        *cache = new;
    else
        wari_cache_destroy(new);
    return status;
}

void wari_cache_destroy(struct wari_cache *cache)
{
    if (cache == NULL)
        return;
    wari_release(cache->host, cache->present);
    wari_release(cache->host, cache->values);
    wari_release(cache->host, cache->used);
    wari_release(cache->host, cache->tags);
    wari_release(cache->host, cache);
}

size_t wari_cache_capacity(const struct wari_cache *cache)
{
    return (size_t)cache->sets * cache->ways;
}

/* ---- Looking up ----------------------------------------------------------------------------- */

static uint32_t set_of(const struct wari_cache *cache, uint64_t chunk)
{
    return (uint32_t)chunk % cache->sets;
}

static size_t first_entry(const struct wari_cache *cache, uint64_t chunk)
{
    return (size_t)set_of(cache, chunk) * cache->ways;
}

/* Finds the entry that holds the chunk or a part of it, and sets *tag to its tag. Returns NULL
 * if there is no such entry. */
static word *find_tag(const struct wari_cache *cache, uint64_t chunk, uint64_t *tag)
{
    word *tags = cache->tags + first_entry(cache, chunk);
    for (uint32_t i = 0; i < cache->ways; i++) {
        *tag = atomic_load_explicit(&tags[i], memory_order_acquire);
        if ((uint32_t)*tag == (uint32_t)chunk)
            return &tags[i];
    }
    return NULL;
}

static void copy_out(const word *from, size_t offset, int8_t *values, size_t count)
{
    from += offset / WORD;
    offset %= WORD;
    while (count > 0) {
        uint64_t eight = atomic_load_explicit(from++, memory_order_relaxed);
        int8_t bytes[WORD];
        size_t bytes_now = count < WORD - offset ? count : WORD - offset;
        memcpy(bytes, &eight, WORD);
        if (bytes_now == WORD)
            memcpy(values, bytes, WORD);
        else
            for (size_t i = 0; i < bytes_now; i++)
                values[i] = bytes[offset + i];
        values += bytes_now;
        count -= bytes_now;
        offset = 0;
    }
}

static uint64_t known_of(uint64_t tag)
{
    return tag >> KNOWN_SHIFT & ((1 << (REPLACED_SHIFT - KNOWN_SHIFT)) - 1);
}

static bool is_known(uint64_t tag, size_t offset, size_t count)
{
    const uint64_t known = known_of(tag);
    return known == ALL_KNOWN ||
           (count == 1 && offset % WARI_STREAM_POSITIONS < known * WARI_STEP_MULTIPLE);
}

/* Returns false if the cache does not hold the chunk, and usually true if it does: in the moment in
 * which a chunk is inserted, the result may be either. */
static bool may_be_present(const struct wari_cache *cache, uint64_t chunk)
{
    return !cache->present ||
           (atomic_load_explicit(&cache->present[chunk / PRESENT_BITS], memory_order_relaxed) >>
                chunk % PRESENT_BITS &
            1) != 0;
}

bool wari_cache_find(struct wari_cache *cache, uint64_t chunk, size_t offset, int8_t *values,
                     size_t count)
{
    uint64_t tag;
    word *where;
    if (!may_be_present(cache, chunk))
        return false;
    while ((where = find_tag(cache, chunk, &tag)) != NULL && is_known(tag, offset, count)) {
        size_t entry = (size_t)(where - cache->tags);
        copy_out(cache->values + entry * ENTRY_WORDS, offset, values, count);
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(where, memory_order_relaxed) != tag)
            continue; /* the entry was replaced in the meantime; the chunk may have been inserted
                       * again */

        if (cache->ways == 1)
            return true; /* there is never a choice of entries to replace, so `used` is not needed
                          */
        uint64_t now = atomic_load_explicit(&cache->added, memory_order_relaxed);
        if (atomic_load_explicit(&cache->used[entry], memory_order_relaxed) != now)
            atomic_store_explicit(&cache->used[entry], now, memory_order_relaxed);
        return true;
    }
    return false;
}

bool wari_cache_has(const struct wari_cache *cache, uint64_t chunk)
{
    uint64_t tag;
    return find_tag(cache, chunk, &tag) != NULL;
}

/* ---- Adding --------------------------------------------------------------------------------- */

static void copy_in(word *to, const int8_t *values, size_t count)
{
    for (; count >= WORD; count -= WORD, values += WORD) {
        uint64_t eight;
        memcpy(&eight, values, WORD);
        atomic_store_explicit(to++, eight, memory_order_relaxed);
    }
    if (count > 0) {
        uint64_t last = 0;
        memcpy(&last, values, count);
        atomic_store_explicit(to, last, memory_order_relaxed);
    }
}

static void copy_known(word *to, const int8_t *values, size_t count, size_t known)
{
    if (known == WARI_STREAM_POSITIONS) {
        copy_in(to, values, count);
        return;
    }
    for (size_t stream = 0; stream < count; stream += WARI_STREAM_POSITIONS)
        copy_in(to + stream / WORD, values + stream, known);
}

/* Returns the least recently used entry of the chunk's set. The caller holds the lock of the set.
 */
static size_t choose_victim(const struct wari_cache *cache, uint64_t chunk)
{
    size_t first = first_entry(cache, chunk);
    size_t victim = first;
    uint64_t oldest = UINT64_MAX;
    for (size_t entry = first; entry < first + cache->ways; entry++) {
        uint64_t used = atomic_load_explicit(&cache->used[entry], memory_order_relaxed);
        if (used < oldest) {
            oldest = used;
            victim = entry;
        }
    }
    return victim;
}

/* Notes that an entry which held the chunk `before` (NO_CHUNK if it was empty) now holds `chunk`.
 * Must be called before the tag names the chunk. If fork() copies the cache between the two steps,
 * the child process then has a bit without its chunk, but never a chunk without its bit. */
static void note_presence(struct wari_cache *cache, uint32_t before, uint64_t chunk)
{
    if (!cache->present)
        return;
    if (before != NO_CHUNK)
        (void)atomic_fetch_and_explicit(&cache->present[before / PRESENT_BITS],
                                        ~(UINT64_C(1) << before % PRESENT_BITS),
                                        memory_order_relaxed);
    (void)atomic_fetch_or_explicit(&cache->present[chunk / PRESENT_BITS],
                                   UINT64_C(1) << chunk % PRESENT_BITS, memory_order_relaxed);
}

static void replace(struct wari_cache *cache, size_t entry, uint64_t chunk, const int8_t *values,
                    size_t count, size_t known)
{
    word *tag = &cache->tags[entry];
    const uint64_t before = atomic_load_explicit(tag, memory_order_relaxed);
    uint64_t replaced = (before >> REPLACED_SHIFT) + 1;
    uint64_t now = atomic_fetch_add_explicit(&cache->added, 1, memory_order_relaxed) + 1;

    replaced <<= REPLACED_SHIFT;
    atomic_store_explicit(tag, replaced | NO_CHUNK, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    note_presence(cache, (uint32_t)before, chunk);
    copy_known(cache->values + entry * ENTRY_WORDS, values, count, known);
    atomic_store_explicit(&cache->used[entry], now, memory_order_relaxed);
    atomic_store_explicit(tag,
                          replaced | (uint64_t)(known / WARI_STEP_MULTIPLE) << KNOWN_SHIFT | chunk,
                          memory_order_release);
}

/* Takes a lock if no thread of this process holds it. */
static bool try_lock(atomic_int *lock)
{
    const int self = (int)getpid();
    int holder = atomic_load_explicit(lock, memory_order_relaxed);
    return holder != self && atomic_compare_exchange_strong_explicit(
                                 lock, &holder, self, memory_order_acquire, memory_order_relaxed);
}

void wari_cache_insert(struct wari_cache *cache, uint64_t chunk, const int8_t *values, size_t count,
                       size_t known)
{
    atomic_int *lock = &cache->lock[set_of(cache, chunk) % LOCKS];
    uint64_t tag;
    if (!try_lock(lock))
        return;
    const word *there = find_tag(cache, chunk, &tag);
    if (there == NULL)
        replace(cache, choose_victim(cache, chunk), chunk, values, count, known);
    else if (known_of(tag) * WARI_STEP_MULTIPLE < known)
        replace(cache, (size_t)(there - cache->tags), chunk, values, count, known);
    atomic_store_explicit(lock, 0, memory_order_release);
}
