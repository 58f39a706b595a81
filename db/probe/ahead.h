/* Decodes chunks into the cache before a caller needs them. */
#ifndef DB_PROBE_AHEAD_H
#define DB_PROBE_AHEAD_H

#include "db/wari.h"

/* A pass over the chunks of the levels 0 to `seeds`. The lower levels come first, because they are
 * smaller, and captures from all higher levels lead to them. The caller sets `seeds`, and all other
 * fields to 0. */
struct wari_decoding_ahead {
    int seeds;
    int level;
    uint64_t chunk; /* next chunk of the level */
    uint64_t count; /* number of chunks that the pass has decoded or found in the cache */
};

/* Decodes the next chunk into the cache, unless the cache has it, and sets *more to true. Sets
 * *more to false at the end of the pass: after the last chunk, or when only an eighth of the cache
 * is left for other chunks. Decoding a chunk takes some 0.1 ms. Fails like wari_values(). */
WARI_MUST_CHECK enum wari_status wari_decode_ahead(struct wari_db *db,
                                                   struct wari_decoding_ahead *ahead, bool *more,
                                                   struct wari_error *error);

#endif
