/* The proof that a level's file may leave values out: each of them is the best of its position's
 * moves. */
#ifndef DB_PACK_PACK_PROOF_H
#define DB_PACK_PACK_PROOF_H

#include "db/probe/handle.h"

struct wari_proof {
    struct wari_db *db;
    int seeds;   /* the level; its file holds all of it */
    int threads; /* at least 1; fewer run where no more can be started */
    size_t room; /* bytes for values to be proved; never less than one column of a block takes */

    /* Called now and then by the calling thread, with how many positions are proved. The proof ends
     * with what it returns unless that is WARI_OK. */
    enum wari_status (*look)(void *context, uint64_t done, struct wari_error *error);
    void *context;
};

/* The largest room that is of use for a level, and what a proof takes at least. */
uint64_t wari_proof_room(int seeds);
uint64_t wari_proof_least(int seeds);

/* Of all positions that wari_packed_positions() leaves out. Beside the room it takes some 40 KB a
 * thread, and a decoder of the handle for each.
 *   WARI_CORRUPT   a value is not that of its moves: the text names a position. Or a file is
 *                  damaged
 *   WARI_IO, WARI_NO_MEMORY, and what look() returns */
WARI_MUST_CHECK enum wari_status wari_prove(const struct wari_proof *proof,
                                            struct wari_error *error);

#endif
