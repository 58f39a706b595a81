/* What the ranks of one job say to each other. The only file that knows MPI is net.c; unit tests
 * have another one in its place, in which ranks are threads (tests/support/thread_net.c).
 *
 * Collective calls are made by all ranks in the same order, by their main threads. What goes wrong
 * in MPI itself, a rank that died for instance, ends the job: mpirun says which rank it was.
 */
#ifndef SOLVER_MPI_NET_H
#define SOLVER_MPI_NET_H

#include <string.h>

#include "db/host/host.h"

/* Why bytes travel, for counting. */
enum wari_cargo {
    WARI_CARGO_CODES,   /* tiles of first codes, in the capture pass */
    WARI_CARGO_ROWS,    /* child rows for dense sweeps */
    WARI_CARGO_TILES,   /* smallest children, turned back into rows by their holder */
    WARI_CARGO_EVENTS,  /* event-driven sweeps */
    WARI_CARGO_QUERIES, /* and answers */
    WARI_CARGO_COUNT,   /* child rows for the histogram */
    WARI_CARGO_FILE,    /* values at the ends of chunks; whole files where disks are local */
    WARI_CARGO_KINDS
};

/* Messages with something in them, between two ranks. */
struct wari_traffic {
    uint64_t messages, bytes;
};

/* Bytes from each rank to each other. What goes to rank r: send[send_at[r] .. send_at[r + 1]), what
 * comes from it: receive[receive_at[r] .. receive_at[r + 1]). What goes to oneself is copied. */
struct wari_exchange {
    enum wari_cargo cargo;
    const void *send;
    void *receive;
    uint64_t *send_at, *receive_at; /* ranks + 1 entries each */
    void *requests;
    int pending;
};

enum { WARI_EXCHANGES = 4 }; /* that can be under way at once */

struct wari_net {
    int rank, ranks;
    int on_this_host; /* ranks, this one included */
    struct wari_exchange exchange[WARI_EXCHANGES];
    struct wari_traffic sent[WARI_CARGO_KINDS];     /* by this rank */
    struct wari_traffic of_level[WARI_CARGO_KINDS]; /* by all, for the level finished last */
    struct wari_mpi *mpi;
};

/* Joins the job that mpirun started; argc and argv as main() got them. */
WARI_MUST_CHECK enum wari_status wari_net_begin(struct wari_net *net, int *argc, char ***argv,
                                                struct wari_error *error);
void wari_net_end(struct wari_net *net);

/* The name of the machine that a rank is on. */
const char *wari_net_host(const struct wari_net *net, int rank);

/* ---- What all agree on ----------------------------------------------------------------------- */

/* Element by element, over all ranks. */
void wari_net_sum(struct wari_net *net, uint64_t *values, int count);
void wari_net_sum32(struct wari_net *net, uint32_t *values, size_t count);
void wari_net_most(struct wari_net *net, uint64_t *values, int count);

/* From one rank to all; all[rank * bytes], from every rank to all. */
void wari_net_broadcast(struct wari_net *net, int from, void *bytes, size_t count);
void wari_net_gather(struct wari_net *net, const void *mine, size_t bytes, void *all);

/* Makes one status of all of them: WARI_OK if all ranks are well, else the failure of the first one
 * that failed for a reason of its own, with its number and host in front of the text. */
WARI_MUST_CHECK enum wari_status wari_net_agree(struct wari_net *net, enum wari_status status,
                                                struct wari_error *error);

/* ---- Exchanges ------------------------------------------------------------------------------- */

/* Begins; buffers are not to be touched until the end. */
void wari_exchange_begin(struct wari_exchange *exchange, struct wari_net *net);

/* Lets it go on, without waiting. MPI does nothing unless it is called now and then. */
void wari_exchange_push(struct wari_exchange *exchange);
void wari_exchange_end(struct wari_exchange *exchange);

/* Copies what a rank sends to itself: a part of wari_exchange_begin(). */
static inline void wari_exchange_keep(struct wari_exchange *exchange, int rank)
{
    memcpy((char *)exchange->receive + exchange->receive_at[rank],
           (const char *)exchange->send + exchange->send_at[rank],
           (size_t)(exchange->send_at[rank + 1] - exchange->send_at[rank]));
}

/* Tells receivers what comes: fills in receive_at from everybody's send_at. True if `more` is true
 * for any of the ranks. */
bool wari_exchange_sizes(struct wari_exchange *exchange, struct wari_net *net, bool more);

/* ---- Rank after rank ------------------------------------------------------------------------- */

/* A message of less than 2 GiB from a rank to another one; nothing to do for all others, or from a
 * rank to itself. */
void wari_net_pass(struct wari_net *net, int from, int to, void *bytes, size_t count);

#endif
