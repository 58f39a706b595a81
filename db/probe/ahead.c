/* Decodes one chunk in each call, so that the caller can stop at any time. */
#include "db/probe/ahead.h"

#include "db/probe/probe.h"

/* Returns the number of chunks that may be decoded in advance: they fill all but an eighth of the
 * cache. */
static uint64_t capacity(const struct wari_db *db)
{
    const uint64_t entries = wari_cache_capacity(db->cache);
    return entries - entries / 8;
}

/* Returns the number of chunks that the file or the book holds for a level; 0 if the database lacks
 * the level. */
static uint64_t count_chunks(const struct wari_db *db, int seeds)
{
    if (!wari_catalogue_has(&db->catalogue, seeds))
        return 0;
    return wari_chunk_count(wari_held_positions(db, seeds));
}

enum wari_status wari_decode_ahead(struct wari_db *db, struct wari_decoding_ahead *ahead,
                                   bool *more, struct wari_error *error)
{
    int8_t values[WARI_CHUNK_POSITIONS];
    const int last = ahead->seeds < WARI_SEEDS_MAX ? ahead->seeds : WARI_SEEDS_MAX;
    while (ahead->level <= last && ahead->chunk >= count_chunks(db, ahead->level)) {
        ahead->level++;
        ahead->chunk = 0;
    }
    *more = ahead->level <= last && ahead->count < capacity(db);
    if (!*more)
        return WARI_OK;
    const struct wari_value_range range = {
        .seeds = ahead->level,
        .chunk = ahead->chunk,
        .count = wari_chunk_size(ahead->chunk, wari_held_positions(db, ahead->level)),
    };
    ahead->chunk++;
    ahead->count++;
    return wari_range_values(db, &range, values, false, error);
}
