/* Whose chunks are whose. The values of a level in index order are cut at block ends and where one
 * rank's rows end and the next one's begin: the **runs** of the ranks. A chunk is the rank's in
 * whose run it ends; what of it lies in runs before is its **head**. */
#ifndef SOLVER_RANKS_CHUNKS_H
#define SOLVER_RANKS_CHUNKS_H

#include "solver/cluster/distributed.h"
#include "solver/write/batch_encoder.h"

/* Positions of a block that a rank holds, and the chunks that end among them. */
struct wari_chunk_run {
    uint64_t first, end;             /* positions */
    uint64_t first_chunk, end_chunk; /* equal: none ends here */
};
struct wari_chunk_run wari_chunk_run_of(const struct wari_ranks *ranks, int rank, int block);

/* The heads of this rank's chunks. */
struct wari_heads {
    struct wari_distributed *distributed;
    int8_t *values;
    uint32_t at[WARI_SEEDS_MAX + 1]; /* [block]: where that of the run's first chunk is */
};

/* Goes through the runs in order, from rank to rank: heads come to those whose they are, and all
 * get the hash of all values. `values` is released by the caller, in any case. Collective. */
WARI_MUST_CHECK enum wari_status wari_heads_create(struct wari_heads *heads,
                                                   struct wari_distributed *distributed,
                                                   uint64_t *payload_hash,
                                                   struct wari_error *error);

/* As `read` of struct wari_chunk_source, whose context is the heads: chunks of this rank. */
void wari_heads_read(const struct wari_chunk_source *chunks, uint64_t chunk, size_t size,
                     int8_t *values);

#endif
