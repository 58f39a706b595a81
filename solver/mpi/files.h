/* From a dealt level to a level file, byte for byte the one of a single process.
 *
 * The values of a level in index order are cut at block ends and where one rank's rows end and the
 * next one's begin: the **runs** of the ranks. A chunk belongs to the rank in whose run it begins;
 * values of it that lie in other runs are sent there first.
 */
#ifndef SOLVER_MPI_FILES_H
#define SOLVER_MPI_FILES_H

#include "solver/mpi/dealt.h"
#include "solver/store.h"

/* Where level files go. */
struct wari_disks {
    const char *folder;
    bool local;  /* folders of this name are not the same one for all ranks */
    bool keeper; /* this rank looks after its folder: the first of those that see it */
};

/* Positions of a block that a rank holds, and the chunks that begin among them. */
struct wari_chunk_run {
    uint64_t first, end;             /* positions */
    uint64_t first_chunk, end_chunk; /* equal: none begins here */
};
struct wari_chunk_run wari_chunk_run_of(const struct wari_ranks *ranks, int rank, int block);

/* This rank's chunks with their last values, which others hold. */
struct wari_tails {
    const struct wari_dealt *dealt;
    int8_t *values;
    uint32_t at[WARI_SEEDS_MAX + 1]; /* [block]: where those behind this rank's run begin */
};

/* Collective. */
WARI_MUST_CHECK enum wari_status
wari_tails_create(struct wari_tails *tails, struct wari_dealt *dealt, struct wari_error *error);
void wari_tails_destroy(struct wari_tails *tails);

/* As `read` of struct wari_chunks, whose context is the tails: chunks of this rank. */
void wari_tails_read(const struct wari_chunks *chunks, uint64_t chunk, size_t size, int8_t *values);

/* Writes the level, as wari_store_write() does; on local disks, to all of them. Collective, and all
 * ranks get the same status and record. */
WARI_MUST_CHECK enum wari_status
wari_dealt_write(struct wari_dealt *dealt, struct wari_store *store, const struct wari_disks *disks,
                 struct wari_variant variant, struct wari_level_record *record,
                 struct wari_error *error);

/* The hash of all values, which goes from rank to rank. Collective. */
uint64_t wari_dealt_payload_hash(struct wari_dealt *dealt);

#endif
