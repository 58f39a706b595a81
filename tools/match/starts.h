/* Where the games of a match start from: positions of a file, random ones inside the database, or
 * openings that are near equal. Each is played twice, with sides changed. */
#ifndef TOOLS_MATCH_STARTS_H
#define TOOLS_MATCH_STARTS_H

#include <stdatomic.h>

#include "db/wari.h"
#include "play/game.h"

/* A list, or a generator where it is empty. */
struct starts {
    struct wari_variant variant;
    int most;        /* seeds of a position in a file */
    uint64_t random; /* the generator's state */
    int seeds;       /* of positions that it makes */
    struct wari_setup *list;
    int count, room;
};

/* Reads a file: a position, or a diagram, on each line. */
WARI_MUST_CHECK enum wari_status starts_read(struct starts *starts, const char *path,
                                             struct wari_error *error);

/* What openings are made of. */
struct opening_wish {
    int count; /* so many */
    int plies; /* random moves from the start of the game */
    uint64_t seed;
    const atomic_bool *stop;
};

/* Makes different openings: of four times as many, those nearest to equal as a short search above
 * the database sees them. The same wish and database give the same ones. WARI_BAD_INPUT: there are
 * not so many of so few plies. */
WARI_MUST_CHECK enum wari_status starts_make_openings(struct starts *starts, struct wari_db *db,
                                                      const struct opening_wish *wish,
                                                      struct wari_error *error);

/* The position of game number `game`, from 0: the same for two games in a row, which must be asked
 * for one after the other. */
WARI_MUST_CHECK enum wari_status starts_next(struct starts *starts, int game,
                                             struct wari_setup *setup, struct wari_error *error);

void starts_free(struct starts *starts);

#endif
