/* The lists of connections are protected by a lock. The deadlines are atomic, so that a request
 * needs no lock to change the deadline of its connection. */
#include "serve/connections.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "system/clock.h"

void connections_init(struct connections *connections, unsigned connections_max, unsigned seconds)
{
    connections->pending = NULL;
    connections->open = NULL;
    connections->count = 0;
    connections->connections_max = connections_max;
    connections->seconds = seconds;
    atomic_init(&connections->in_flight, 0);
    (void)pthread_mutex_init(&connections->lock, NULL); /* cannot fail without attributes */
}

void connections_destroy(struct connections *connections)
{
    struct connection *next;
    for (struct connection *each = connections->pending; each; each = next) {
        next = each->next;
        free(each);
    }
    (void)pthread_mutex_destroy(&connections->lock);
}

/* ---- The lists; the lock is held ---- */

static void list_add(struct connection **list, struct connection *connection)
{
    connection->previous = NULL;
    connection->next = *list;
    if (connection->next)
        connection->next->previous = connection;
    *list = connection;
}

static void list_remove(struct connection **list, struct connection *connection)
{
    if (connection->previous)
        connection->previous->next = connection->next;
    else
        *list = connection->next;
    if (connection->next)
        connection->next->previous = connection->previous;
}

static struct connection *remove_pending(struct connections *connections, int socket)
{
    struct connection *found = connections->pending;
    while (found && found->socket != socket)
        found = found->next;
    if (found)
        list_remove(&connections->pending, found);
    return found;
}

/* ---- Opening and closing ---- */

/* Identifies the client by its address. Of an IPv6 address only the upper 64 bits count, because a
 * household usually has all addresses that share them. */
static uint64_t client_of(int socket)
{
    enum { LOOPBACK = 127 };
    struct sockaddr_storage address = {0};
    socklen_t length = sizeof address;
    uint64_t client = 0;
    if (getpeername(socket, (struct sockaddr *)&address, &length) != 0)
        return CLIENT_UNIDENTIFIED; /* the client has disconnected */
    struct in_addr four = ((const struct sockaddr_in *)&address)->sin_addr;
    const struct in6_addr *six = &((const struct sockaddr_in6 *)&address)->sin6_addr;
    if (address.ss_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(six)) {
        memcpy(&client, six->s6_addr, sizeof client);
        /* The upper 64 bits of the loopback address ::1 are 0, that is, CLIENT_UNIDENTIFIED. */
        return client;
    }
    if (address.ss_family == AF_INET6)
        memcpy(&four, six->s6_addr + 12, sizeof four);
    return ntohl(four.s_addr) >> 24 == LOOPBACK ? CLIENT_UNIDENTIFIED : four.s_addr;
}

bool connections_reserve(struct connections *connections, int socket)
{
    pthread_mutex_lock(&connections->lock);
    /* Removes the entry of an earlier connection whose socket number was reused, if there is one.
     */
    struct connection *connection = remove_pending(connections, socket);
    if (!connection && connections->count < connections->connections_max) {
        connection = malloc(sizeof *connection);
        connections->count += connection != NULL;
    }
    if (connection) {
        connection->socket = socket;
        connection->client = client_of(socket);
        list_add(&connections->pending, connection);
    }
    pthread_mutex_unlock(&connections->lock);
    return connection != NULL;
}

void connections_cancel(struct connections *connections, int socket)
{
    pthread_mutex_lock(&connections->lock);
    struct connection *connection = remove_pending(connections, socket);
    connections->count -= connection != NULL;
    pthread_mutex_unlock(&connections->lock);
    free(connection);
}

struct connection *connections_open(struct connections *connections, int socket)
{
    pthread_mutex_lock(&connections->lock);
    struct connection *connection = remove_pending(connections, socket);
    atomic_init(&connection->deadline, 0);
    atomic_init(&connection->busy, false);
    connection->remaining_ms = 0;
    connection->target_end = NULL;
    connection_restart_timer(connections, connection);
    list_add(&connections->open, connection);
    pthread_mutex_unlock(&connections->lock);
    return connection;
}

void connections_close(struct connections *connections, struct connection *connection)
{
    pthread_mutex_lock(&connections->lock);
    list_remove(&connections->open, connection);
    connections->count--;
    pthread_mutex_unlock(&connections->lock);
    free(connection);
}

void connection_restart_timer(const struct connections *connections, struct connection *connection)
{
    atomic_store(&connection->deadline,
                 wari_milliseconds_now() + 1000 * (int64_t)connections->seconds);
}

void connection_pause_timer(struct connection *connection)
{
    connection->remaining_ms = atomic_load(&connection->deadline) - wari_milliseconds_now();
    atomic_store(&connection->deadline, INT64_MAX);
}

bool connection_is_broken(const struct connection *connection)
{
    struct pollfd end = {.fd = connection->socket};
    return poll(&end, 1, 0) == 1 && (end.revents & (POLLERR | POLLHUP)) != 0;
}

void connection_resume_timer(struct connection *connection)
{
    atomic_store(&connection->deadline, wari_milliseconds_now() + connection->remaining_ms);
}

static bool should_drop(const struct connection *connection, enum drop which, int64_t now)
{
    return which == DROP_ALL || (which == DROP_IDLE && !atomic_load(&connection->busy)) ||
           atomic_load(&connection->deadline) < now;
}

void connections_drop(struct connections *connections, enum drop which)
{
    int64_t now = wari_milliseconds_now();
    pthread_mutex_lock(&connections->lock);
    for (struct connection *each = connections->open; each; each = each->next) {
        /* The thread that owns the socket notices the shutdown and closes the socket. */
        if (should_drop(each, which, now))
            (void)shutdown(each->socket, SHUT_RDWR);
    }
    pthread_mutex_unlock(&connections->lock);
}
