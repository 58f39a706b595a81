/* A level that is distributed over ranks (solver/cluster/ranks.h), and the passes over it.
 *
 * A pass goes from block to block, as in memory. In a block's **turn** every rank computes its
 * items of parents. The child rows for these are sent by the ranks that hold them, without being
 * asked: all ranks know from the sowing tables what every other one needs. What comes out, tiles of
 * smallest children (or of first codes), goes to the holders of the parents' rows, who merge them
 * into their cells. Both travel in **rounds** of a few items, so that buffers stay small; while a
 * round is computed, the rows of the next one and the tiles of the last one are on their way:
 *
 *     rows of round k+1    ......[ pack ][--------- travel --------]
 *     compute round k      ..............[=========================]
 *     tiles of round k-1   ..............[--- travel ---][ merge ].
 *
 * Where a block has children of its own, rows are sent from a copy made before its turn. So the
 * result of a pass does not depend on who is faster.
 */
#ifndef SOLVER_RANKS_DISTRIBUTED_H
#define SOLVER_RANKS_DISTRIBUTED_H

#include "solver/cluster/net.h"
#include "solver/cluster/ranks.h"
#include "solver/level/sweep.h"

/* A block's turn. */
struct wari_rounds {
    struct wari_work work;
    uint32_t batch;  /* items that a rank computes in a round */
    uint32_t rounds; /* the same for all ranks */
};

/* What all ranks' items of one round give or take. There are two, for the round at hand and the one
 * before or behind it. */
struct wari_round {
    struct wari_exchange *exchange;
    int8_t *out, *in;
    /* Where it stands in `out` or `in`: */
    uint64_t *mine;   /* [item * ranks + rank]: for an item of this rank, to or from that one */
    uint64_t *theirs; /* [rank * batch + item]: for that one's items, from or to this one */
};

struct wari_distributed {
    struct wari_net *net;
    struct wari_level *level; /* this rank's share of it */
    struct wari_ranks ranks;
    struct wari_rounds turn[WARI_PARENTS_KINDS][WARI_SEEDS_MAX + 1];
    uint64_t buffer; /* bytes of each of the rounds' buffers: wari_ranks_buffer(), or what a round
                      * needs if that is more */
    struct wari_round rows[2], tiles[2];
    int threads;            /* that take part */
    const int8_t **cursors; /* [thread * ranks + rank]: of the item that a thread computes */
    void *memory;
    bool often; /* large enough for ranks to agree on going on after each turn */
};

/* Opens a level over the ranks of `net` (distributed_backend.c), as wari_memory_open();
 * `distributed` has to stay until it is closed. Collective, and all ranks get the same status. */
WARI_MUST_CHECK enum wari_status wari_distributed_open(struct wari_distributed *distributed,
                                                       struct wari_net *net,
                                                       struct wari_level *level, int seeds,
                                                       enum wari_cycle cycle,
                                                       struct wari_error *error);

/* What a pass does with its items: exactly one of the pointers is set, or none in the capture pass.
 */
struct wari_job {
    const struct wari_sweep *sweep;
    uint64_t *histogram; /* to be added to: the pass looks at full halves */
};

/* A block's turn in a pass (distributed_turn.c). Collective. */
void wari_distributed_turn(struct wari_distributed *distributed, int block,
                           const struct wari_job *job, struct wari_sweep_result *result);

/* An event-driven sweep (distributed_events.c), by the steps of level/recheck.h: events to holders
 * of parents, queries to holders of children. Collective. */
void wari_distributed_event_sweep(struct wari_distributed *distributed,
                                  struct wari_sweep_result *result);

#endif
