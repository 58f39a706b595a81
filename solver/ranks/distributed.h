/* A level that is distributed over ranks (solver/deal/ranks.h), and the passes over it.
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
 * Where a block holds children of its own, rows are sent from a copy made before its turn. So the
 * result of a pass does not depend on who is faster.
 */
#ifndef SOLVER_RANKS_DISTRIBUTED_H
#define SOLVER_RANKS_DISTRIBUTED_H

#include "solver/deal/ranks.h"
#include "solver/item/sweep.h"
#include "solver/mpi/net.h"

struct wari_rounds {
    struct wari_work work;
    uint32_t batch;  /* items that a rank computes in a round */
    uint32_t rounds; /* the same for all ranks */
};

/* What all ranks' items of one round give and take. There are two of each kind, for the round at
 * hand and the one before or behind it. */
struct wari_round {
    struct wari_exchange exchange;
    int8_t *out, *in;
    uint64_t *to;   /* [rank * batch + item]: where what that item gets from us stands in `out` */
    uint64_t *from; /* [item * ranks + rank]: where what our item gets from that rank is in `in` */
};

struct wari_distributed {
    struct wari_net *net;
    struct wari_level *level; /* this rank's share of it */
    struct wari_ranks ranks;
    struct wari_rounds turn[WARI_PARENTS_KINDS][WARI_SEEDS_MAX + 1];
    uint64_t buffer; /* bytes of each of the rounds' buffers: wari_ranks_buffer(), or what a round
                      * needs if that is more */
    struct wari_round rows[2];  /* to: a rank's item; from: see above */
    struct wari_round tiles[2]; /* the other way round: to [item * ranks + rank], from [rank * batch
                                 * + item] */
    int threads;                /* that take part */
    uint64_t *cursors;          /* [thread * ranks + rank] */
    void *memory;
    bool often; /* large enough for ranks to agree on going on after each turn */
};

/* Whether any rank has to stop; if so, they all do. */
bool wari_distributed_stopped(struct wari_distributed *distributed);

#endif
