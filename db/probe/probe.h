/* Internal functions for values of positions, in addition to those of wari.h. */
#ifndef DB_PROBE_PROBE_H
#define DB_PROBE_PROBE_H

#include "db/probe/handle.h"

/* Computes the value of a position from the values of its moves, or from the end of the game,
 * even if its level's file holds the value. The database must cover all positions after its
 * moves. Fails like wari_probe(); *value is then undefined. */
WARI_MUST_CHECK enum wari_status wari_value_by_moves(struct wari_db *db,
                                                     const struct wari_position *position,
                                                     int *value, struct wari_error *error);

/* The file, or the book, that holds the value of a position. */
struct wari_origin {
    const char *path; /* path of the level's file, or of the book; valid until the handle is
                       * closed */
    bool is_book;     /* true if `path` is a book */
    bool held;     /* true if the file or book holds the value; false if it is the value of the best
                    * move */
    uint64_t part; /* valid only if `held`: number, within the level, of the chunk of the level file
                    * or of the block of the book */
};

/* Determines where the value of a position is stored. Reads nothing. Fails like wari_probe() if the
 * position is not covered. */
WARI_MUST_CHECK enum wari_status wari_probe_origin(const struct wari_db *db,
                                                   const struct wari_position *position,
                                                   struct wari_origin *origin,
                                                   struct wari_error *error);

/* Consecutive values of one chunk, beginning with number `offset`. */
struct wari_value_range {
    int seeds;
    uint64_t chunk; /* number of the chunk in the level */
    size_t offset;  /* number of the first value in the chunk */
    size_t count;
};

/* Returns the number of positions of a level whose values are in its file or in the book. These
 * positions have the numbers 0 .. result - 1. */
uint64_t wari_held_positions(const struct wari_db *db, int seeds);

/* Reads values that the file or the book holds, from the cache or by decoding them. `probes` is
 * true if a single value is requested, so that the chunk needs to be decoded only up to this
 * value. Fails like wari_probe(). */
WARI_MUST_CHECK enum wari_status wari_range_values(struct wari_db *db,
                                                   const struct wari_value_range *range,
                                                   int8_t *values, bool probes,
                                                   struct wari_error *error);

/* Checks that the database has the position's level, and sets *seeds to it. */
WARI_MUST_CHECK enum wari_status wari_check_covered(const struct wari_db *db,
                                                    const struct wari_position *position,
                                                    int *seeds, struct wari_error *error);

#endif
