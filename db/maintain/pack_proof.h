/* The proof that a level's file may leave values out: each of them is that of its position's best
 * move. */
#ifndef DB_MAINTAIN_PACK_PROOF_H
#define DB_MAINTAIN_PACK_PROOF_H

#include "db/probe/handle.h"

struct wari_proof {
    struct wari_db *db;
    int seeds;     /* the level; its file must hold all of it */
    int threads;   /* at least 1; fewer run if the system starts no more */
    size_t memory; /* bytes for values to be proved; raised to what one column of a block takes */

    /* Called from time to time by the calling thread with the number of proved positions. A result
     * other than WARI_OK stops the proof, which then returns it. */
    enum wari_status (*progress)(void *context, uint64_t done, struct wari_error *error);
    void *context;
};

/* Return the largest `memory` that is useful for a level, and the memory that a proof takes at
 * least.
 */
uint64_t wari_proof_memory_max(int seeds);
uint64_t wari_proof_memory_min(int seeds);

/* Proves the values of all positions that wari_packed_positions() leaves out. In addition to
 * `memory`, this takes some 40 KB for each thread, and a decoder of the handle for each.
 *   WARI_CORRUPT   a value is not that of its position's best move, and the text names the
 *                  position; or a file is damaged
 *   WARI_IO, WARI_NO_MEMORY, and the results of progress() */
WARI_MUST_CHECK enum wari_status wari_prove(const struct wari_proof *proof,
                                            struct wari_error *error);

#endif
