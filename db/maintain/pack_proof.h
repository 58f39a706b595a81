/* Proves that a level's file may leave values out: each of these values is the value of its
 * position's best move. */
#ifndef DB_MAINTAIN_PACK_PROOF_H
#define DB_MAINTAIN_PACK_PROOF_H

#include "db/probe/handle.h"

struct wari_proof {
    struct wari_db *db;
    int seeds;     /* the level; its file must hold the values of all positions */
    int threads;   /* at least 1; fewer run if the system cannot start that many */
    size_t memory; /* bytes for values to be proved; raised to the size of one column of a block
                    * if it is less */

    /* Called from time to time by the calling thread with the number of proved positions. A result
     * other than WARI_OK stops the proof, which then returns it. */
    enum wari_status (*progress)(void *context, uint64_t done, struct wari_error *error);
    void *context;
};

/* wari_proof_memory_max() returns the largest `memory` that speeds up the proof of a level;
 * wari_proof_memory_min() returns the memory that a proof takes at least. */
uint64_t wari_proof_memory_max(int seeds);
uint64_t wari_proof_memory_min(int seeds);

/* Proves the values of all positions that a packed file leaves out (wari_packed_positions()). In
 * addition to `memory`, this takes about 40 KB for each thread, and one decoder of the handle
 * for each thread.
 *   WARI_CORRUPT   a value is not the value of its position's best move, and the text names the
 *                  position; or a file is damaged
 *   WARI_IO, WARI_NO_MEMORY, and the results of progress() */
WARI_MUST_CHECK enum wari_status wari_prove(const struct wari_proof *proof,
                                            struct wari_error *error);

#endif
