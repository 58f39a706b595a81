/* Values of positions, beyond what wari.h has of them. */
#ifndef DB_PROBE_PROBE_H
#define DB_PROBE_PROBE_H

#include "db/probe/handle.h"

/* What a position is worth by its moves, or by its end: its value, whether it has a number or not,
 * and whether its level's file leaves it out or not. All that its moves lead to must be covered.
 * Fails like wari_probe(); *value then means nothing. */
WARI_MUST_CHECK enum wari_status wari_value_by_moves(struct wari_db *db,
                                                     const struct wari_position *position,
                                                     int *value, struct wari_error *error);

/* Where the value of a position comes from. */
struct wari_origin {
    const char *path; /* of the level's file, or of the book; as long as the handle is open */
    bool held;        /* by the file, in `block`; otherwise the value is that of the best move */
    uint64_t block;   /* of the level, from 0: a chunk, or a block of a book */
};

/* Fails like wari_probe() where the position is not covered; nothing is read. */
WARI_MUST_CHECK enum wari_status wari_probe_origin(const struct wari_db *db,
                                                   const struct wari_position *position,
                                                   struct wari_origin *origin,
                                                   struct wari_error *error);

/* Values of one chunk, number `offset` and those that follow it. */
struct wari_value_range {
    int seeds;
    uint64_t chunk; /* of the level */
    size_t offset;  /* in the chunk */
    size_t count;
};

/* Positions of a level whose values are written down: those with numbers below this one. */
uint64_t wari_held_positions(const struct wari_db *db, int seeds);

/* Values that are written down: from the cache, or decoded. `probes`: one value is wanted, and no
 * more of the chunk than that takes needs to be decoded. Fails like wari_probe(). */
WARI_MUST_CHECK enum wari_status wari_range_values(struct wari_db *db,
                                                   const struct wari_value_range *range,
                                                   int8_t *values, bool probes,
                                                   struct wari_error *error);

/* Whether the database has the position's level, which *seeds then is. */
WARI_MUST_CHECK enum wari_status wari_check_covered(const struct wari_db *db,
                                                    const struct wari_position *position,
                                                    int *seeds, struct wari_error *error);

#endif
