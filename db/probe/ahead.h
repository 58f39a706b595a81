/* Decodes blocks before anybody needs them, as many as the cache can keep. */
#ifndef DB_PROBE_AHEAD_H
#define DB_PROBE_AHEAD_H

#include "db/wari.h"

/* A pass over the levels 0 to `seeds`, which are decoded in this order, since the lower levels are
 * smaller and needed by all higher ones. Start with zeros in the other fields. */
struct wari_decoding_ahead {
    int seeds;
    int level;
    uint64_t chunk; /* next chunk of the level */
    uint64_t count; /* number of chunks so far */
};

/* Decodes the next chunk into the cache, unless the cache has it, and sets *more to true. Sets
 * *more to false if the levels are complete, or if the cache holds as much of them as it can while
 * some entries remain for other levels. Takes some 0.1 ms if a chunk is decoded. Fails like
 * wari_values(). */
WARI_MUST_CHECK enum wari_status wari_decode_ahead(struct wari_db *db,
                                                   struct wari_decoding_ahead *ahead, bool *more,
                                                   struct wari_error *error);

#endif
