/* The start positions of a match: positions of a file, random positions inside the database, or
 * openings that are nearly equal. Each is played twice, from both sides. */
#ifndef TOOLS_MATCH_STARTS_H
#define TOOLS_MATCH_STARTS_H

#include <stdatomic.h>

#include "db/wari.h"
#include "play/game.h"

/* A list of positions, or a generator if the list is empty. */
struct starts {
    struct wari_variant variant;
    int most;        /* maximum number of seeds of a position in a file */
    uint64_t random; /* state of the generator */
    int seeds;       /* number of seeds of generated positions */
    struct wari_setup *list;
    int count, capacity;
};

/* Reads a file with a position or a diagram on each line. */
WARI_MUST_CHECK enum wari_status starts_read(struct starts *starts, const char *path,
                                             struct wari_error *error);

/* Options for making openings. */
struct opening_options {
    int count; /* number of openings */
    int plies; /* number of random moves from the start of the game */
    uint64_t seed;
    const atomic_bool *stop;
};

/* Makes openings, all different from each other. Generates up to four times as many openings as
 * are requested, estimates the value of each by a short search, and keeps those whose estimates are
 * nearest to 0. The same options and database give the same openings. Returns WARI_BAD_INPUT if
 * there are not enough openings of this length. */
WARI_MUST_CHECK enum wari_status starts_make_openings(struct starts *starts, struct wari_db *db,
                                                      const struct opening_options *options,
                                                      struct wari_error *error);

/* Sets *setup to the start position of game number `game`, starting with 0. Games 2n and 2n + 1
 * have the same position. They must be requested one after the other and with the same `setup`,
 * because the second request may leave *setup unchanged. */
WARI_MUST_CHECK enum wari_status starts_next(struct starts *starts, int game,
                                             struct wari_setup *setup, struct wari_error *error);

void starts_free(struct starts *starts);

#endif
