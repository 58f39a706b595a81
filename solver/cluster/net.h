/* Messages between the ranks of one job. net.c implements them by MPI and is the only file that
 * uses MPI. Unit tests replace net.c by a file in which ranks are threads
 * (tests/support/thread_net.c).
 *
 * Collective functions have to be called by all ranks in the same order, from their main threads. A
 * failure of MPI itself, for instance because a rank died, ends the job, and mpirun names the rank.
 */
#ifndef SOLVER_CLUSTER_NET_H
#define SOLVER_CLUSTER_NET_H

#include <string.h>

#include "db/host/host.h"

/* The purposes of messages. Messages are counted by purpose. */
enum wari_message_kind {
    WARI_MESSAGE_CODES,   /* capture pass: tiles of first codes, for the ranks that own the cells */
    WARI_MESSAGE_ROWS,    /* dense sweeps: child rows, for the ranks that process the parents */
    WARI_MESSAGE_TILES,   /* dense sweeps: tiles of smallest child codes, for the ranks that own the
                             parents */
    WARI_MESSAGE_EVENTS,  /* event-driven sweeps: events for parents */
    WARI_MESSAGE_QUERIES, /* event-driven sweeps: queries for children's codes, and replies */
    WARI_MESSAGE_COUNT,   /* child rows for the histogram */
    WARI_MESSAGE_FILE,    /* heads of chunks and encoded chunks */
    WARI_MESSAGE_KINDS
};

/* The number of messages, and the number of bytes in them. Empty messages are not counted. */
struct wari_traffic {
    uint64_t messages, bytes;
};

/* An exchange of bytes between all pairs of ranks. A rank sends the bytes
 * send[send_at[r] .. send_at[r + 1]) to rank r, and receives bytes from rank r to
 * receive[receive_at[r] .. receive_at[r + 1]). Bytes that a rank sends to itself are copied. */
struct wari_exchange {
    enum wari_message_kind kind;
    const void *send;
    void *receive;
    uint64_t *send_at, *receive_at; /* ranks + 1 entries each */
    void *requests;                 /* the MPI requests of the exchange */
    int pending;                    /* number of MPI requests that are not finished */
};

enum { WARI_EXCHANGES = 4 }; /* number of exchanges that can be in progress at the same time */

struct wari_net {
    int rank, ranks;  /* the index of this rank, and the number of all ranks */
    int on_this_host; /* number of ranks on the same host, including this one */
    struct wari_exchange exchange[WARI_EXCHANGES];
    struct wari_traffic sent[WARI_MESSAGE_KINDS];     /* messages sent by this rank for the
                                                       * current level */
    struct wari_traffic of_level[WARI_MESSAGE_KINDS]; /* messages sent by all ranks for the last
                                                       * finished level */
    struct wari_mpi *mpi;
};

/* Joins the job that mpirun started. argc and argv are pointers to the arguments of main(). */
WARI_MUST_CHECK enum wari_status wari_net_begin(struct wari_net *net, int *argc, char ***argv,
                                                struct wari_error *error);
void wari_net_end(struct wari_net *net);

/* Returns the name of the host that a rank runs on. */
const char *wari_net_host(const struct wari_net *net, int rank);

/* ---- Collective functions -------------------------------------------------------------------- */

/* Replaces each element of an array by the sum, or the maximum, of that element over all ranks. */
void wari_net_sum(struct wari_net *net, uint64_t *values, int count);
void wari_net_sum32(struct wari_net *net, uint32_t *values, size_t count);
void wari_net_max(struct wari_net *net, uint64_t *values, int count);

/* Copies bytes from one rank to all others. */
void wari_net_broadcast(struct wari_net *net, int from, void *bytes, size_t count);

/* Copies `bytes` bytes from every rank to all ranks. The bytes of rank r go to all + r * bytes. */
void wari_net_gather(struct wari_net *net, const void *mine, size_t bytes, void *all);

/* Combines the status of all ranks. Returns WARI_OK to all ranks if all of them pass WARI_OK.
 * Otherwise returns the status of the first rank that failed, not counting interruptions. If ranks
 * were only interrupted, returns WARI_INTERRUPTED. The error text begins with the number and the
 * host of the rank, unless all ranks failed or were interrupted. */
WARI_MUST_CHECK enum wari_status wari_net_agree(struct wari_net *net, enum wari_status status,
                                                struct wari_error *error);

/* ---- Exchanges ------------------------------------------------------------------------------- */

/* Begins an exchange. The buffers must not be used before wari_exchange_end(). */
void wari_exchange_begin(struct wari_exchange *exchange, struct wari_net *net);

/* Lets the exchange make progress, without waiting. It has to be called now and then while an
 * exchange is in progress, since MPI may transfer bytes only during such calls. */
void wari_exchange_progress(struct wari_exchange *exchange);

/* Waits until the exchange is finished. */
void wari_exchange_end(struct wari_exchange *exchange);

/* Copies the bytes that a rank sends to itself; a step of wari_exchange_begin(). */
static inline void wari_exchange_copy_own(struct wari_exchange *exchange, int rank)
{
    memcpy((char *)exchange->receive + exchange->receive_at[rank],
           (const char *)exchange->send + exchange->send_at[rank],
           (size_t)(exchange->send_at[rank + 1] - exchange->send_at[rank]));
}

/* Computes exchange->receive_at from the `send_at` of all ranks. Collective. Returns true if any
 * rank passes `more` as true. */
bool wari_exchange_sizes(struct wari_exchange *exchange, struct wari_net *net, bool more);

/* ---- Single messages ------------------------------------------------------------------------- */

/* Sends `count` bytes, less than 2 GiB, from rank `from` to rank `to`. Both ranks have to call it.
 * Does nothing on all other ranks, or if `from` is equal to `to`. */
void wari_net_send(struct wari_net *net, int from, int to, void *bytes, size_t count);

#endif
