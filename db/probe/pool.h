/* A pool of idle decoders. A thread that has to decode a chunk takes one and gives it back. There
 * are never more decoders than threads that decoded at the same time. After fork() the child
 * process can use its copy of the pool. */
#ifndef DB_PROBE_POOL_H
#define DB_PROBE_POOL_H

#include "db/format/level_file.h"

struct wari_pool;

/* A decoder, and the values of one chunk. */
struct wari_decoding {
    struct wari_decoder *decoder;
    int8_t values[WARI_CHUNK_POSITIONS];
};

/* Creates a pool with one decoder. */
WARI_MUST_CHECK enum wari_status
wari_pool_create(struct wari_pool **pool, const struct wari_host *host, struct wari_error *error);

/* Destroys a pool. All decoders must have been given back. NULL is allowed. */
void wari_pool_destroy(struct wari_pool *pool);

/* Takes an idle decoder, or creates one. */
WARI_MUST_CHECK enum wari_status
wari_pool_take(struct wari_pool *pool, struct wari_decoding **decoding, struct wari_error *error);
void wari_pool_give_back(struct wari_pool *pool, struct wari_decoding *decoding);

#endif
