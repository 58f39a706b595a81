/* Keys, addresses and catalogue records of level files. */
#ifndef DB_FORMAT_LEVEL_RECORD_H
#define DB_FORMAT_LEVEL_RECORD_H

#include <stdint.h>

#include "db/host/host.h"

/* Advice for the user if a file cannot be used. */
#define WARI_GET_AGAIN                                                                             \
    "get the file again, or replace it with 'wari build --replace-damaged' (or delete it and "     \
    "build)"

/* The level that a file holds. It is part of every hash in the file. */
struct wari_level_key {
    struct wari_variant variant;
    int seeds;
};

/* The file of a level: its host, its folder and its key. */
struct wari_level_address {
    const struct wari_host *host;
    const char *folder;
    struct wari_level_key key;
};

/* Builds "<folder>/<rules>-<cycle>-<seeds>.wari". Returns WARI_BAD_INPUT if there is no such
 * variant or level, or if the path is too long. */
WARI_MUST_CHECK enum wari_status wari_level_path(char path[WARI_PATH_MAX], const char *folder,
                                                 struct wari_level_key key,
                                                 struct wari_error *error);

/* The catalogue's record of a level. */
struct wari_level_record {
    uint64_t payload_hash; /* XXH3 (64 bits) of the values in index order */
    uint64_t header_hash;  /* the hash in the header of the level's file; it ties the catalogue
                            * to this file */
    uint64_t file_bytes;
    uint64_t other_hash;  /* header hash of a second file, with equal values, that is replacing
                           * the first one */
    uint64_t other_bytes; /* size of that second file; 0 if no file is being replaced */
    uint64_t histogram[2 * WARI_SEEDS_MAX + 1]; /* [v + 48]: number of placements with value v */
};

/* Returns the number of positions in a packed file, which leaves out all values that can be
 * computed from others (`wari pack`). It holds the positions with at most n/2 seeds on the
 * opponent's side, which come first in the index order. A quiet move from any other position
 * leads to one of these positions. */
uint64_t wari_packed_positions(int seeds);

#endif
