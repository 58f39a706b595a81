/* Positions to learn from, with what they are worth.
 */
#ifndef TOOLS_LEARN_COLLECT_H
#define TOOLS_LEARN_COLLECT_H

#include "db/wari.h"
#include "tools/learn/network.h"

struct collection {
    struct wari_db *db;
    const struct wari_evaluation *evaluation; /* what is known so far; NULL: only exact values */
    uint64_t seed;
    int games; /* played; one position at random is added for each four of a game */
    int depth; /* of the searches that say what positions above the tables are worth */
    int threads;
};

/* Plays games from the start and keeps their positions: those in the database with their exact
 * values, those above with what a search says that has the database at its leaves. Who plays makes
 * the best move known, and now and then any. The samples are the same whatever the threads.
 * *samples is to be given to free(). */
WARI_MUST_CHECK enum wari_status collect(const struct collection *collection,
                                         struct sample **samples, size_t *count,
                                         struct wari_error *error);

#endif
