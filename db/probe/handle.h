/* The definition of `struct wari_db`. wari_open() or wari_open_book() sets all fields; afterwards
 * they are only read, except for cache, pool and moves, which any number of threads may use. */
#ifndef DB_PROBE_HANDLE_H
#define DB_PROBE_HANDLE_H

#include "db/book/book_file.h"
#include "db/catalogue/catalogue.h"
#include "db/probe/cache.h"
#include "db/probe/move_cache.h"
#include "db/probe/pool.h"
#include "db/wari.h"
#include "index/level.h"

struct wari_db {
    const struct wari_host *host;
    struct wari_catalogue catalogue;
    uint64_t positions;  /* number of stored positions of all levels */
    uint64_t file_bytes; /* total size of all level files, or size of the book */

    struct wari_book_file *book; /* NULL if the values are in level files */
    /* For each level that is present. `file` is used only if there is no book. */
    struct wari_level_file *file[WARI_SEEDS_MAX + 1];
    struct wari_layout layout[WARI_SEEDS_MAX + 1];
    uint64_t first_chunk[WARI_SEEDS_MAX + 1]; /* the number of the level's chunk 0 in the cache */

    struct wari_cache *cache;
    struct wari_pool *pool;
    struct wari_move_cache *moves; /* moves of perfect play; the key is the number of the position
                                    * in the whole database */
};

#endif
