/* What is behind a `struct wari_db`. Everything in it but cache, pool and choices is settled by
 * wari_open() and only read afterwards; those take any number of threads. */
#ifndef DB_HANDLE_H
#define DB_HANDLE_H

#include "db/cache.h"
#include "db/catalogue.h"
#include "db/choices.h"
#include "db/pool.h"
#include "db/wari.h"
#include "index/level.h"

struct wari_db {
    const struct wari_host *host;
    struct wari_catalogue catalogue;
    uint64_t positions;  /* of all levels */
    uint64_t file_bytes; /* of all levels */

    /* For each level that is present. */
    struct wari_level_file *file[WARI_SEEDS_MAX + 1];
    struct wari_layout layout[WARI_SEEDS_MAX + 1];
    uint64_t first_chunk[WARI_SEEDS_MAX + 1]; /* the cache's number of the level's chunk 0 */

    struct wari_cache *cache;
    struct wari_pool *pool;
    struct wari_choices *choices; /* moves of lines, by the number of the position in the handle */
};

/* What `count` numbered positions of a level that is present are worth by their moves, whether the
 * level's file leaves them out or not. Fails like wari_values(). */
WARI_MUST_CHECK enum wari_status wari_values_by_moves(struct wari_db *db, int seeds, uint64_t first,
                                                      size_t count, int8_t *values,
                                                      struct wari_error *error);

#endif
