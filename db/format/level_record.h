/* Levels as files: which one, what it is called, and what is kept of it elsewhere. */
#ifndef DB_FILE_LEVEL_RECORD_H
#define DB_FILE_LEVEL_RECORD_H

#include <stdint.h>

#include "db/host/host.h"

/* What to do where a file is of no use. `wari build` goes on above the levels that are there. */
#define WARI_GET_AGAIN "get the file again, or build the levels in another folder and copy it"

/* Which level of which variant a file holds; part of every hash in it. */
struct wari_level_key {
    struct wari_variant variant;
    int seeds;
};

/* Which file: on which machine, in which folder, of which level. */
struct wari_level_address {
    const struct wari_host *host;
    const char *folder;
    struct wari_level_key key;
};

/* "<folder>/<rules>-<cycle>-<seeds>.wari". WARI_BAD_INPUT if there is no such variant or level, or
 * the path is too long. */
WARI_MUST_CHECK enum wari_status wari_level_path(char path[WARI_PATH_MAX], const char *folder,
                                                 struct wari_level_key key,
                                                 struct wari_error *error);

/* What the catalogue keeps of a level. */
struct wari_level_record {
    uint64_t payload_hash; /* XXH3 (64 bits) of the values in index order */
    uint64_t header_hash;  /* binds the catalogue to this very file: the hash in its header */
    uint64_t file_bytes;
    uint64_t other_hash;  /* of a file with the same values that is just taking its place */
    uint64_t other_bytes; /* its size; 0: there is none */
    uint64_t histogram[2 * WARI_SEEDS_MAX + 1]; /* [v + 48], over all placements */
};

/* How many positions a level's file holds that leaves out what the others decide (`wari pack`):
 * those with at most n/2 seeds on the opponent's side, which come first. A quiet move from any
 * other one leads to one of these. */
uint64_t wari_packed_positions(int seeds);

#endif
