/* A level that is dealt to ranks (solver/ranks.h), and the passes over it.
 *
 * A pass goes from block to block, as in memory. In a block's **turn** every rank computes its
 * items of parents. The child rows for these are sent by whoever holds them, without being asked:
 * all ranks know from the sowing tables what every other one needs. What comes out, tiles of
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
#ifndef SOLVER_MPI_DEALT_H
#define SOLVER_MPI_DEALT_H

#include "solver/histogram.h"
#include "solver/mpi/net.h"
#include "solver/ranks.h"

struct wari_turn {
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

struct wari_dealt {
    struct wari_net *net;
    struct wari_level *level; /* this rank's share of it */
    struct wari_ranks ranks;
    struct wari_turn turn[WARI_PARENTS_KINDS][WARI_SEEDS_MAX + 1];
    uint64_t buffer; /* bytes of each of the rounds' buffers: wari_ranks_buffer(), or what a round
                      * needs if that is more */
    struct wari_round rows[2];  /* to: a rank's item; from: see above */
    struct wari_round tiles[2]; /* the other way round: to [item * ranks + rank], from [rank * batch
                                 * + item] */
    int threads;                /* that take part */
    uint64_t *cursors;          /* [thread * ranks + rank] */
    void *memory;
    int dense_sweeps, late_sweeps; /* so far */
    bool often;                    /* large enough for ranks to agree on going on after each turn */
};

/* Deals the level. `level` is the rank's share, made with wari_ranks_share() and the rules of the
 * other arguments; `ranks` becomes the dealt level's. Collective, and all ranks get the same
 * status. */
WARI_MUST_CHECK enum wari_status wari_dealt_create(struct wari_dealt *dealt, struct wari_net *net,
                                                   struct wari_level *level,
                                                   const struct wari_ranks *ranks,
                                                   struct wari_error *error);
void wari_dealt_destroy(struct wari_dealt *dealt);

/* ---- Passes; all collective ------------------------------------------------------------------ */

/* What a pass does with its items: exactly one of the pointers is set, or none in the capture pass.
 */
struct wari_job {
    const struct wari_sweep *sweep;
    struct wari_placements *counts; /* of each thread: the pass looks at full halves */
};

/* A block's turn. */
void wari_dealt_turn(struct wari_dealt *dealt, int block, const struct wari_job *job,
                     struct wari_tally *tally);

void wari_dealt_captures(struct wari_dealt *dealt);
void wari_dealt_grow(struct wari_dealt *dealt, wari_sweep_report *report, void *context);

/* Cycle rule `own`; the same for all ranks. */
bool wari_dealt_shrink(struct wari_dealt *dealt, wari_sweep_report *report, void *context);
enum wari_status wari_dealt_histogram(struct wari_dealt *dealt,
                                      uint64_t histogram[2 * WARI_SEEDS_MAX + 1],
                                      struct wari_error *error);

/* One late sweep (late.c): events to holders of parents, questions to holders of children. */
void wari_dealt_late(struct wari_dealt *dealt, struct wari_tally *tally);

/* Whether any rank has to stop; if so, they all do. */
bool wari_dealt_stopped(struct wari_dealt *dealt);

/* ---- Rounds (rounds.c) ----------------------------------------------------------------------- */

/* What the strips of an item need of a child row, by seeds sown; columns 0 where there is no such
 * move. */
void wari_item_needs(const struct wari_level *level, const struct wari_item *item,
                     struct wari_need needs[WARI_SOWN_MAX + 1]);

/* Where this rank's row of a child block is in memory, for an item. */
static inline const int8_t *wari_dealt_row(const struct wari_level *level,
                                           const struct wari_item *item, int child, uint32_t row)
{
    if (child == item->block && item->parents == WARI_PARENTS_ROWS)
        return level->scratch +
               (uint64_t)(row - level->share.first_row[child]) * level->pitch[child];
    return level->cells + wari_level_place(level, child, row);
}

/* Items of a rank in a round, and the first of them. */
uint32_t wari_round_items(const struct wari_turn *turn, int rank, uint32_t round);
static inline struct wari_item wari_round_item(const struct wari_turn *turn, int rank,
                                               uint32_t round, uint32_t i)
{
    return wari_work_item(&turn->work, rank, round * turn->batch + i);
}

/* Bytes of a tile that belong to rows `from` to before `to`: each strip's, column by column, filled
 * up to cache lines. */
uint64_t wari_tile_bytes(const struct wari_item *item, uint32_t from, uint32_t to);

/* Fits rounds into the buffers; they grow where even the smallest do not fit. */
void wari_plan_rounds(struct wari_dealt *dealt);

/* Puts the rows into the buffer that others need in a round, and says where those will be that come
 * in; then the exchange can begin. */
void wari_pack_rows(struct wari_dealt *dealt, const struct wari_turn *turn, uint32_t round,
                    struct wari_round *rows);

/* Says where the tiles of a round go and come to. */
void wari_place_tiles(struct wari_dealt *dealt, const struct wari_turn *turn, uint32_t round,
                      struct wari_round *tiles);

#endif
