/* Collects positions with their values, for learning. */
#ifndef TOOLS_LEARN_COLLECT_H
#define TOOLS_LEARN_COLLECT_H

#include "db/wari.h"
#include "tools/learn/network.h"

struct collection {
    struct wari_db *db;
    const struct wari_evaluation
        *evaluation; /* the evaluation so far; NULL means that only exact values are used */
    uint64_t seed;
    int games; /* number of games to play; for every four positions of a game one random position is
                  added */
    int depth; /* depth of the searches that give the values of positions above the tables */
    int threads;
};

/* Plays games from the start and collects their positions: those in the database with their
 * exact values, those above it with the value of a search that has the database at its leaves.
 * The games follow the best known move, and sometimes a random one. The samples do not depend on
 * the number of threads. The caller passes *samples to free(). */
WARI_MUST_CHECK enum wari_status collect(const struct collection *collection,
                                         struct sample **samples, size_t *count,
                                         struct wari_error *error);

#endif
