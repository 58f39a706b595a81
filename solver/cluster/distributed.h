/* A level that is distributed over ranks (solver/cluster/ranks.h), and the passes over it.
 *
 * A pass goes from block to block, as in the memory backend. In each block every rank computes its
 * items of parents. The ranks that own the child rows send them without a request, because all
 * ranks know from the sowing tables which rows every other rank needs. The results, tiles of
 * smallest child codes or of first codes, are sent to the ranks that own the parents, which merge
 * them into their cells. All this is done in **rounds** of a few items, so that buffers stay small.
 * While a round is computed, the rows of the next round and the tiles of the previous round are
 * transferred:
 *
 *     rows of round k+1    ......[ pack ][--------- travel --------]
 *     compute round k      ..............[=========================]
 *     tiles of round k-1   ..............[--- travel ---][ merge ].
 *
 * If cells of a block have children in the same block, the block is copied before it is processed,
 * and child rows are sent from the copy. So the result of a pass does not depend on which rank is
 * faster.
 */
#ifndef SOLVER_CLUSTER_DISTRIBUTED_H
#define SOLVER_CLUSTER_DISTRIBUTED_H

#include "solver/cluster/net.h"
#include "solver/cluster/ranks.h"
#include "solver/level/sweep.h"

/* The division of a block's items into rounds. */
struct wari_round_plan {
    struct wari_work work;
    uint32_t batch;  /* number of items that a rank computes in a round */
    uint32_t rounds; /* number of rounds, the same for all ranks */
};

/* The rows, or the tiles, that are exchanged for one round. A rank has two such structs for rows
 * and two for tiles, because two rounds overlap. */
struct wari_round {
    struct wari_exchange *exchange;
    int8_t *out, *in;
    /* Offsets in `out` or `in`: */
    uint64_t *own; /* [item * ranks + rank]: bytes sent to `rank` or received from it, for an item
                    * of this rank */
    uint64_t *others; /* [rank * batch + item]: bytes sent to `rank` or received from it, for an
                       * item of `rank` */
};

struct wari_distributed {
    struct wari_net *net;
    struct wari_level *level; /* contains this rank's partition of the level */
    struct wari_ranks ranks;
    struct wari_round_plan plan[WARI_PARENTS_KINDS][WARI_SEEDS_MAX + 1];
    uint64_t buffer; /* size of each buffer of the rounds, in bytes: wari_ranks_buffer(), or the
                      * size that a round needs if that is greater */
    struct wari_round rows[2], tiles[2];
    int threads; /* number of threads that are used for this level */
    /* [thread * ranks + rank]: the next row from `rank` for the item of the thread. */
    const int8_t **cursors;
    void *memory;
    bool agree_often; /* the ranks agree after each block, and not only after each pass, on whether
                       * the level was stopped; true for large levels */
};

/* Opens a level that is distributed over the ranks of `net` (distributed_backend.c), like
 * wari_memory_open(). *distributed has to exist until the level is closed. Collective; all ranks
 * get the same status. */
WARI_MUST_CHECK enum wari_status wari_distributed_open(struct wari_distributed *distributed,
                                                       struct wari_net *net,
                                                       struct wari_level *level, int seeds,
                                                       enum wari_cycle cycle,
                                                       struct wari_error *error);

/* The kind of a pass. If `sweep` is set, the pass is a dense sweep; if `histogram` is set, it
 * counts the positions whose opponent half is full; if neither is set, it is the capture pass. */
struct wari_job {
    const struct wari_sweep *sweep;
    uint64_t *histogram; /* [v + WARI_SEEDS_MAX]: the pass adds the number of positions with value v
                          * and a full opponent half */
};

/* Processes one block in a pass (distributed_pass.c). Collective. */
void wari_distributed_block(struct wari_distributed *distributed, int block,
                            const struct wari_job *job, struct wari_sweep_result *result);

/* Runs an event-driven sweep (distributed_events.c), by the steps of level/recheck.h: sends events
 * to the owners of parents, and queries to the owners of children. Collective. */
void wari_distributed_event_sweep(struct wari_distributed *distributed,
                                  struct wari_sweep_result *result);

#endif
