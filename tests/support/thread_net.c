/* Ranks as threads. Collective calls make the memory of each rank visible to all others between
 * two barriers; messages are copied into a list and taken from it. A message of an unexpected
 * size, or one that is never received, ends the program, because then the ranks disagree about
 * the messages. */
#include "tests/support/thread_net.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 16, PASSED = WARI_MESSAGE_KINDS };

struct message {
    struct message *next;
    int from, to, kind;
    size_t size;
    char bytes[];
};

struct wari_mpi {
    int ranks;
    pthread_barrier_t barrier;
    void *shown[RANKS_MAX];
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    struct message *first;
};

static void give_up(const char *why)
{
    fprintf(stderr, "thread_net: %s\n", why);
    abort();
}

/* ---- Running -------------------------------------------------------------------------------- */

struct thread {
    struct wari_net net;
    uint64_t places[WARI_EXCHANGES][2][RANKS_MAX + 1]; /* offsets of the rank's exchanges */
    void (*work)(struct wari_net *net, void *context);
    void *context;
};

static void *run(void *argument)
{
    struct thread *thread = argument;

    thread->work(&thread->net, thread->context);
    return NULL;
}

void thread_ranks_run(int ranks, void (*work)(struct wari_net *net, void *context), void *context)
{
    struct wari_mpi mpi = {.ranks = ranks};
    struct thread threads[RANKS_MAX];
    pthread_t id[RANKS_MAX];

    pthread_barrier_init(&mpi.barrier, NULL, (unsigned)ranks);
    pthread_mutex_init(&mpi.lock, NULL);
    pthread_cond_init(&mpi.arrived, NULL);
    for (int rank = 0; rank < ranks; rank++) {
        threads[rank] = (struct thread){
            .net = {.rank = rank, .ranks = ranks, .on_this_host = ranks, .mpi = &mpi},
            .work = work,
            .context = context};
        for (int i = 0; i < WARI_EXCHANGES; i++) {
            threads[rank].net.exchange[i].send_at = threads[rank].places[i][0];
            threads[rank].net.exchange[i].receive_at = threads[rank].places[i][1];
        }
        if (pthread_create(&id[rank], NULL, run, &threads[rank]) != 0)
            give_up("no thread");
    }
    for (int rank = 0; rank < ranks; rank++)
        pthread_join(id[rank], NULL);
    if (mpi.first)
        give_up("a message that nobody took");
    pthread_cond_destroy(&mpi.arrived);
    pthread_mutex_destroy(&mpi.lock);
    pthread_barrier_destroy(&mpi.barrier);
}

const char *wari_net_host(const struct wari_net *net, int rank)
{
    static const char *const names[RANKS_MAX] = {"zero", "one", "two", "three", "four", "five"};

    (void)net;
    return names[rank] ? names[rank] : "many";
}

/* ---- Collective calls ------------------------------------------------------------------------ */

/* Makes memory of this rank visible to all ranks until hide() is called. */
static void show(struct wari_net *net, void *mine)
{
    net->mpi->shown[net->rank] = mine;
    pthread_barrier_wait(&net->mpi->barrier);
}

static void hide(struct wari_net *net)
{
    pthread_barrier_wait(&net->mpi->barrier);
}

/* Replaces values of `size` bytes by the result of `add` over the values of all ranks. */
static void combine(struct wari_net *net, void *values, size_t size, size_t count,
                    void (*add)(void *sum, const void *more))
{
    char *sum = calloc(count + 1, size);

    if (!sum)
        give_up("no memory");
    show(net, values);
    for (int rank = 0; rank < net->ranks; rank++)
        for (size_t i = 0; i < count; i++)
            add(sum + i * size, (const char *)net->mpi->shown[rank] + i * size);
    hide(net);
    memcpy(values, sum, count * size);
    free(sum);
}

static void add64(void *sum, const void *more)
{
    *(uint64_t *)sum += *(const uint64_t *)more;
}

static void add32(void *sum, const void *more)
{
    *(uint32_t *)sum += *(const uint32_t *)more;
}

static void most64(void *sum, const void *more)
{
    if (*(const uint64_t *)more > *(uint64_t *)sum)
        *(uint64_t *)sum = *(const uint64_t *)more;
}

void wari_net_sum(struct wari_net *net, uint64_t *values, int count)
{
    combine(net, values, sizeof *values, (size_t)count, add64);
}

void wari_net_sum32(struct wari_net *net, uint32_t *values, size_t count)
{
    combine(net, values, sizeof *values, count, add32);
}

void wari_net_max(struct wari_net *net, uint64_t *values, int count)
{
    combine(net, values, sizeof *values, (size_t)count, most64);
}

void wari_net_broadcast(struct wari_net *net, int from, void *bytes, size_t count)
{
    show(net, bytes);
    if (net->rank != from)
        memcpy(bytes, net->mpi->shown[from], count);
    hide(net);
}

void wari_net_gather(struct wari_net *net, const void *mine, size_t bytes, void *all)
{
    show(net, (void *)(uintptr_t)mine);
    for (int rank = 0; rank < net->ranks; rank++)
        memcpy((char *)all + (size_t)rank * bytes, net->mpi->shown[rank], bytes);
    hide(net);
}

/* ---- Messages ------------------------------------------------------------------------------- */

static void put(struct wari_net *net, int to, int kind, const void *bytes, size_t size)
{
    struct message *message = malloc(sizeof *message + size);
    struct message **last = &net->mpi->first;

    if (!message)
        give_up("no memory");
    *message = (struct message){.from = net->rank, .to = to, .kind = kind, .size = size};
    memcpy(message->bytes, bytes, size);
    pthread_mutex_lock(&net->mpi->lock);
    while (*last)
        last = &(*last)->next;
    *last = message;
    pthread_cond_broadcast(&net->mpi->arrived);
    pthread_mutex_unlock(&net->mpi->lock);
}

static struct message *take_first(struct wari_net *net, int from, int kind)
{
    for (struct message **at = &net->mpi->first; *at; at = &(*at)->next) {
        struct message *message = *at;
        if (message->from != from || message->to != net->rank || message->kind != kind)
            continue;
        *at = message->next;
        return message;
    }
    return NULL;
}

static void get(struct wari_net *net, int from, int kind, void *bytes, size_t size)
{
    struct message *message;

    pthread_mutex_lock(&net->mpi->lock);
    while ((message = take_first(net, from, kind)) == NULL)
        pthread_cond_wait(&net->mpi->arrived, &net->mpi->lock);
    pthread_mutex_unlock(&net->mpi->lock);
    if (message->size != size)
        give_up("a message of another size than expected");
    memcpy(bytes, message->bytes, size);
    free(message);
}

void wari_net_send(struct wari_net *net, int from, int to, void *bytes, size_t count)
{
    if (from == to)
        return;
    if (net->rank == from)
        put(net, to, PASSED, bytes, count);
    else if (net->rank == to)
        get(net, from, PASSED, bytes, count);
}

/* ---- Exchanges ------------------------------------------------------------------------------- */

void wari_exchange_begin(struct wari_exchange *exchange, struct wari_net *net)
{
    wari_exchange_copy_own(exchange, net->rank);
    for (int rank = 0; rank < net->ranks; rank++) {
        const uint64_t at = exchange->send_at[rank], end = exchange->send_at[rank + 1];
        if (rank == net->rank || at == end)
            continue;
        put(net, rank, (int)exchange->kind, (const char *)exchange->send + at, (size_t)(end - at));
        net->sent[exchange->kind].messages++;
        net->sent[exchange->kind].bytes += end - at;
    }
    exchange->requests = net; /* the network, for wari_exchange_end() */
    exchange->pending = 1;
}

void wari_exchange_progress(struct wari_exchange *exchange)
{
    (void)exchange;
}

void wari_exchange_end(struct wari_exchange *exchange)
{
    struct wari_net *net = exchange->requests;

    for (int rank = 0; exchange->pending && rank < net->ranks; rank++) {
        const uint64_t at = exchange->receive_at[rank], end = exchange->receive_at[rank + 1];
        if (rank != net->rank && at != end)
            get(net, rank, (int)exchange->kind, (char *)exchange->receive + at, (size_t)(end - at));
    }
    exchange->pending = 0;
}

bool wari_exchange_sizes(struct wari_exchange *exchange, struct wari_net *net, bool more)
{
    const uint64_t any = more;
    uint64_t all[RANKS_MAX][RANKS_MAX + 1], mine[RANKS_MAX + 1] = {0};
    bool result = false;

    for (int rank = 0; rank < net->ranks; rank++)
        mine[rank] = exchange->send_at[rank + 1] - exchange->send_at[rank];
    mine[RANKS_MAX] = any;
    wari_net_gather(net, mine, sizeof mine, all);
    exchange->receive_at[0] = 0;
    for (int rank = 0; rank < net->ranks; rank++) {
        exchange->receive_at[rank + 1] = exchange->receive_at[rank] + all[rank][net->rank];
        result |= all[rank][RANKS_MAX] != 0;
    }
    return result;
}
