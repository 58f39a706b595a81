/* Implements net.h by MPI. This is the only file that calls MPI.
 *
 * No function blocks inside MPI, because blocking calls of MPI keep a processor busy. A rank that
 * waits polls for a moment, then sleeps between polls, so that there can be more ranks than
 * processors. The error handler of MPI is the default one, which ends the job.
 */
#include "solver/cluster/net.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "system/platform.h"

enum { HOST_NAME = 64, TAG_PASS = WARI_MESSAGE_KINDS };

struct wari_mpi {
    MPI_Comm comm;
    uint64_t *sizes;         /* buffer of wari_exchange_sizes(): two numbers sent to each rank, and
                              * two received from each rank */
    char (*name)[HOST_NAME]; /* [rank]: name of the host on which the rank runs */
};

/* ---- Waiting --------------------------------------------------------------------------------- */

/* Pauses between two polls. Sleeps instead of yielding: a process that yields the processor to
 * another process has to wait until the time slice of the other process is over, while a process
 * that wakes up from sleep runs at once. The pauses get longer with the number of polls. */
static void pause_between_polls(int polls)
{
    enum {
        POLLS_WITHOUT_SLEEP = 300,
        SLEEP_MIN = 20000, /* nanoseconds, like SLEEP_MAX */
        SLEEP_MAX = 500000,
    };
    const long wanted = SLEEP_MIN + (long)(polls - POLLS_WITHOUT_SLEEP) * (SLEEP_MIN / 8);
    const struct timespec pause = {0, wanted < SLEEP_MAX ? wanted : SLEEP_MAX};

    if (polls >= POLLS_WITHOUT_SLEEP)
        nanosleep(&pause, NULL);
}

static void wait_for(MPI_Request *requests, int count)
{
    int done = 0;

    for (int polls = 0; !done; polls++) {
        MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
        if (!done)
            pause_between_polls(polls);
    }
}

/* ---- Begin and end --------------------------------------------------------------------------- */

static void find_hosts(struct wari_net *net)
{
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "", mine[HOST_NAME] = "";
    int length = 0;
    MPI_Comm here;

    MPI_Get_processor_name(name, &length);
    memcpy(mine, name, (size_t)length < sizeof mine ? (size_t)length : sizeof mine - 1);
    wari_net_gather(net, mine, sizeof mine, net->mpi->name);
    MPI_Comm_split_type(net->mpi->comm, MPI_COMM_TYPE_SHARED, net->rank, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &net->on_this_host);
    MPI_Comm_free(&here);
}

static void allocate(struct wari_net *net, int ranks)
{
    const size_t entries = (size_t)ranks + 1;
    const size_t exchange = 2 * entries * (sizeof(uint64_t) + sizeof(MPI_Request));
    char *next;

    net->mpi = calloc(1, sizeof *net->mpi + WARI_EXCHANGES * exchange +
                             entries * (4 * sizeof(uint64_t) + HOST_NAME));
    if (!net->mpi) /* without memory for messages, the other ranks can only be aborted */
        MPI_Abort(MPI_COMM_WORLD, 5);
    next = (char *)(net->mpi + 1);
    for (int i = 0; i < WARI_EXCHANGES; i++, next += exchange) {
        net->exchange[i].send_at = (void *)next;
        net->exchange[i].receive_at = net->exchange[i].send_at + entries;
        net->exchange[i].requests = net->exchange[i].receive_at + entries;
    }
    net->mpi->sizes = (void *)next;
    net->mpi->name = (void *)(net->mpi->sizes + 4 * entries);
}

enum wari_status wari_net_begin(struct wari_net *net, int *argc, char ***argv,
                                struct wari_error *error)
{
    int provided, ranks = 1;

    memset(net, 0, sizeof *net);
    wari_pause_precisely();
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    allocate(net, ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &net->mpi->comm);
    MPI_Comm_rank(net->mpi->comm, &net->rank);
    net->ranks = ranks;
    find_hosts(net);
    if (provided < MPI_THREAD_FUNNELED)
        return wari_fail(error, WARI_MISMATCH,
                         "this MPI does not allow threads; use one built with thread support");
    return WARI_OK;
}

void wari_net_end(struct wari_net *net)
{
    MPI_Request request;

    MPI_Ibarrier(net->mpi->comm, &request);
    wait_for(&request, 1);
    MPI_Comm_free(&net->mpi->comm);
    free(net->mpi);
    net->mpi = NULL;
    MPI_Finalize();
}

const char *wari_net_host(const struct wari_net *net, int rank)
{
    return net->mpi->name[rank];
}

/* ---- Collective functions -------------------------------------------------------------------- */

static void reduce(struct wari_net *net, void *values, int count, MPI_Datatype type, MPI_Op op)
{
    MPI_Request request;

    MPI_Iallreduce(MPI_IN_PLACE, values, count, type, op, net->mpi->comm, &request);
    wait_for(&request, 1);
}

void wari_net_sum(struct wari_net *net, uint64_t *values, int count)
{
    reduce(net, values, count, MPI_UINT64_T, MPI_SUM);
}

void wari_net_sum32(struct wari_net *net, uint32_t *values, size_t count)
{
    enum { NUMBERS_AT_ONCE = 1 << 18 };

    for (size_t done = 0; done < count; done += NUMBERS_AT_ONCE)
        reduce(net, values + done,
               count - done < NUMBERS_AT_ONCE ? (int)(count - done) : (int)NUMBERS_AT_ONCE,
               MPI_UINT32_T, MPI_SUM);
}

void wari_net_max(struct wari_net *net, uint64_t *values, int count)
{
    reduce(net, values, count, MPI_UINT64_T, MPI_MAX);
}

void wari_net_broadcast(struct wari_net *net, int from, void *bytes, size_t count)
{
    enum { BYTES_AT_ONCE = 1 << 26 };
    MPI_Request request;

    for (size_t done = 0; done < count; done += BYTES_AT_ONCE) {
        const size_t size = count - done < BYTES_AT_ONCE ? count - done : (size_t)BYTES_AT_ONCE;
        MPI_Ibcast((char *)bytes + done, (int)size, MPI_BYTE, from, net->mpi->comm, &request);
        wait_for(&request, 1);
    }
}

void wari_net_gather(struct wari_net *net, const void *mine, size_t bytes, void *all)
{
    MPI_Request request;

    MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, net->mpi->comm, &request);
    wait_for(&request, 1);
}

/* ---- Exchanges ------------------------------------------------------------------------------- */

void wari_exchange_begin(struct wari_exchange *exchange, struct wari_net *net)
{
    MPI_Request *requests = exchange->requests;
    struct wari_traffic *sent = &net->sent[exchange->kind];

    exchange->pending = 0;
    wari_exchange_copy_own(exchange, net->rank);
    for (int i = 1; i < net->ranks; i++) {
        const int rank = (net->rank + net->ranks - i) % net->ranks;
        const uint64_t at = exchange->receive_at[rank];
        const uint64_t bytes = exchange->receive_at[rank + 1] - at;
        if (bytes > 0)
            MPI_Irecv((char *)exchange->receive + at, (int)bytes, MPI_BYTE, rank,
                      (int)exchange->kind, net->mpi->comm, &requests[exchange->pending++]);
    }
    for (int i = 1; i < net->ranks; i++) {
        const int rank = (net->rank + i) % net->ranks;
        const uint64_t at = exchange->send_at[rank];
        const uint64_t bytes = exchange->send_at[rank + 1] - at;
        if (bytes == 0)
            continue;
        MPI_Isend((const char *)exchange->send + at, (int)bytes, MPI_BYTE, rank,
                  (int)exchange->kind, net->mpi->comm, &requests[exchange->pending++]);
        sent->messages++;
        sent->bytes += bytes;
    }
}

void wari_exchange_progress(struct wari_exchange *exchange)
{
    int done;

    if (exchange->pending == 0)
        return;
    MPI_Testall(exchange->pending, exchange->requests, &done, MPI_STATUSES_IGNORE);
    if (done)
        exchange->pending = 0;
}

void wari_exchange_end(struct wari_exchange *exchange)
{
    if (exchange->pending > 0)
        wait_for(exchange->requests, exchange->pending);
    exchange->pending = 0;
}

bool wari_exchange_sizes(struct wari_exchange *exchange, struct wari_net *net, bool more)
{
    uint64_t *to = net->mpi->sizes, *from = to + 2 * (size_t)net->ranks;
    MPI_Request request;
    bool any = false;

    for (int rank = 0; rank < net->ranks; rank++) {
        to[2 * rank] = exchange->send_at[rank + 1] - exchange->send_at[rank];
        to[2 * rank + 1] = more;
    }
    MPI_Ialltoall(to, 2, MPI_UINT64_T, from, 2, MPI_UINT64_T, net->mpi->comm, &request);
    wait_for(&request, 1);
    exchange->receive_at[0] = 0;
    for (int rank = 0; rank < net->ranks; rank++) {
        exchange->receive_at[rank + 1] = exchange->receive_at[rank] + from[2 * rank];
        any |= from[2 * rank + 1] != 0;
    }
    return any;
}

/* ---- Single messages ------------------------------------------------------------------------- */

void wari_net_send(struct wari_net *net, int from, int to, void *bytes, size_t count)
{
    MPI_Request request;

    if (from == to || (net->rank != from && net->rank != to))
        return;
    if (net->rank == from)
        MPI_Isend(bytes, (int)count, MPI_BYTE, to, TAG_PASS, net->mpi->comm, &request);
    else
        MPI_Irecv(bytes, (int)count, MPI_BYTE, from, TAG_PASS, net->mpi->comm, &request);
    wait_for(&request, 1);
}
