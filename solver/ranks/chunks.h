/* Whose chunks are whose, and their last values. */
#ifndef SOLVER_RANKS_CHUNKS_H
#define SOLVER_RANKS_CHUNKS_H

#include "solver/ranks/distributed.h"
#include "solver/write/store.h"

/* Positions of a block that a rank holds, and the chunks that begin among them. */
struct wari_chunk_run {
    uint64_t first, end;             /* positions */
    uint64_t first_chunk, end_chunk; /* equal: none begins here */
};
struct wari_chunk_run wari_chunk_run_of(const struct wari_ranks *ranks, int rank, int block);

/* This rank's chunks with their last values, which others hold. */
struct wari_tails {
    const struct wari_distributed *distributed;
    int8_t *values;
    uint32_t at[WARI_SEEDS_MAX + 1]; /* [block]: where those behind this rank's run begin */
};

/* Collective. */
WARI_MUST_CHECK enum wari_status wari_tails_create(struct wari_tails *tails,
                                                   struct wari_distributed *distributed,
                                                   struct wari_error *error);
void wari_tails_destroy(struct wari_tails *tails);

/* As `read` of struct wari_chunks, whose context is the tails: chunks of this rank. */
void wari_tails_read(const struct wari_chunks *chunks, uint64_t chunk, size_t size, int8_t *values);

#endif
