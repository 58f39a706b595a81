/* A thread that accepts connections.
 *
 * Closing a socket that holds unread input resets the connection, and the client may then never see
 * the response that was sent to it. So a rejected client is sent the response and the end of the
 * stream, and its input is read and discarded until it closes the connection or a second has
 * passed. The number of connections in this state is limited; when the limit is reached, the oldest
 * is closed.
 *
 * Calls on the sockets of clients never block, because wari_accept() makes the sockets
 * non-blocking, and never raise SIGPIPE, because the program ignores that signal.
 *
 * One spare descriptor is kept open. When the process has no descriptor left, the spare one is
 * closed for as long as it takes to reject one client, which would otherwise wait for ever. */
#include "serve/acceptor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/connections.h"
#include "system/clock.h"
#include "system/platform.h"

enum {
    /* Rejected connections that are still being drained. */
    REJECTED_MAX = ACCEPTOR_DESCRIPTORS_MAX - 2,
    DRAIN_MS = 1000,
    ACCEPT_BATCH = 64, /* connections accepted in a row */
    WAIT_MS = 100,     /* milliseconds to wait after an accept that failed, and between checks of
                        * draining connections */
    /* Indices of the polled descriptors. */
    LISTENER = 0,
    STOP_EVENT, /* becomes readable when the acceptor is to stop */
    REJECTED,   /* the first of the rejected connections */
    POLLED = REJECTED + REJECTED_MAX,
};

struct acceptor {
    struct acceptor_config config;
    pthread_t thread;
    struct wari_event stop_event;
    int spare_descriptor;
    struct pollfd polled[POLLED];
    int64_t close_at[POLLED]; /* [index in `polled`]: time at which a rejected connection is closed
                               */
};

/* ---- Rejecting ---- */

static void close_rejected(struct acceptor *acceptor, int entry)
{
    close(acceptor->polled[entry].fd);
    acceptor->polled[entry].fd = -1;
}

/* Returns the index of a free entry; if there is none, closes the oldest connection to free one. */
static int find_entry(struct acceptor *acceptor)
{
    int first = REJECTED;
    for (int i = REJECTED; i < POLLED; i++) {
        if (acceptor->polled[i].fd < 0)
            return i;
        if (acceptor->close_at[i] < acceptor->close_at[first])
            first = i;
    }
    close_rejected(acceptor, first);
    return first;
}

static void reject(struct acceptor *acceptor, int socket)
{
    int entry = find_entry(acceptor);
    /* The send buffer of a fresh socket holds the whole response. If the client has already closed
     * the connection, nothing is lost. */
    (void)send(socket, acceptor->config.refusal, acceptor->config.length, 0);
    (void)shutdown(socket, SHUT_WR);
    acceptor->polled[entry] = (struct pollfd){.fd = socket, .events = POLLIN};
    acceptor->close_at[entry] = wari_milliseconds_now() + DRAIN_MS;
}

/* Discards the input of rejected clients, and closes connections that have ended or timed out. */
static void drain_rejected(struct acceptor *acceptor)
{
    char bytes[4096];
    int64_t now = wari_milliseconds_now();
    for (int i = REJECTED; i < POLLED; i++) {
        struct pollfd *each = &acceptor->polled[i];
        if (each->fd < 0)
            continue;
        ssize_t count = 1;
        if (each->revents)
            count = recv(each->fd, bytes, sizeof bytes, 0);
        if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) ||
            acceptor->close_at[i] < now)
            close_rejected(acceptor, i);
    }
}

/* ---- Accepting ---- */

/* Rejects one client when no descriptor is left, by means of the spare descriptor. Waits briefly
 * for the client's input, so that closing the socket does not reset the connection. */
static void reject_with_spare_descriptor(struct acceptor *acceptor)
{
    char bytes[4096];
    if (acceptor->spare_descriptor >= 0)
        close(acceptor->spare_descriptor);
    int socket = wari_accept(acceptor->config.listener);
    struct pollfd polled = {.fd = socket, .events = POLLIN};
    if (socket >= 0) {
        (void)send(socket, acceptor->config.refusal, acceptor->config.length, 0);
        (void)shutdown(socket, SHUT_WR);
    }
    if (poll(&polled, 1, WAIT_MS) == 1)
        (void)!recv(socket, bytes, sizeof bytes, 0);
    if (socket >= 0)
        close(socket);
    acceptor->spare_descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Accepts a limited number of connections, so that a flood of them does not delay the draining of
 * rejected ones. */
static void accept_batch(struct acceptor *acceptor)
{
    for (int i = 0; i < ACCEPT_BATCH; i++) {
        int socket = wari_accept(acceptor->config.listener);
        int number = errno;
        if (socket >= 0 && !acceptor->config.admit(acceptor->config.context, socket))
            reject(acceptor, socket);
        if (socket >= 0 || number == EINTR || number == ECONNABORTED)
            continue;
        if (number == EMFILE || number == ENFILE || number == ENOBUFS || number == ENOMEM)
            reject_with_spare_descriptor(acceptor);
        return;
    }
}

/* Returns the number of entries up to the last one in use. poll() fails if it gets more entries
 * than the process may have descriptors, and this limit may be lowered while the server runs. */
static int count_polled(const struct acceptor *acceptor)
{
    int count = POLLED;

    while (count > REJECTED && acceptor->polled[count - 1].fd < 0)
        count--;
    return count;
}

static void *accept_connections(void *context)
{
    struct acceptor *acceptor = context;
    for (;;) {
        const int polled = count_polled(acceptor);
        int count = poll(acceptor->polled, (nfds_t)polled, polled > REJECTED ? WAIT_MS : -1);
        if (acceptor->polled[STOP_EVENT].revents)
            return NULL;
        if (count < 0)
            continue; /* a signal, or a temporary lack of memory */
        drain_rejected(acceptor);
        if (acceptor->polled[LISTENER].revents)
            accept_batch(acceptor);
    }
}

/* ---- Start and stop ---- */

static void free_acceptor(struct acceptor *acceptor)
{
    for (int i = REJECTED; i < POLLED; i++) {
        if (acceptor->polled[i].fd >= 0)
            close_rejected(acceptor, i);
    }
    wari_event_close(&acceptor->stop_event);
    if (acceptor->spare_descriptor >= 0)
        close(acceptor->spare_descriptor);
    close(acceptor->config.listener);
    free(acceptor);
}

enum wari_status acceptor_start(struct acceptor **started, const struct acceptor_config *config,
                                struct wari_error *error)
{
    struct acceptor *acceptor = malloc(sizeof *acceptor);
    *started = NULL;
    if (!acceptor) {
        close(config->listener);
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for a server");
    }
    acceptor->config = *config;
    const int opened = wari_event_open(&acceptor->stop_event);
    int number = opened == 0 ? 0 : errno;
    acceptor->spare_descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    for (int i = REJECTED; i < POLLED; i++)
        acceptor->polled[i] = (struct pollfd){.fd = -1};
    acceptor->polled[LISTENER] = (struct pollfd){.fd = config->listener, .events = POLLIN};
    acceptor->polled[STOP_EVENT] =
        (struct pollfd){.fd = acceptor->stop_event.receiver, .events = POLLIN};
    if (number == 0)
        number = pthread_create(&acceptor->thread, NULL, accept_connections, acceptor);
    if (number != 0) {
        free_acceptor(acceptor);
        return acceptor_thread_error(number, error);
    }
    *started = acceptor;
    return WARI_OK;
}

enum wari_status acceptor_thread_error(int number, struct wari_error *error)
{
    const bool exhausted = number == EAGAIN || number == ENOMEM;

    return wari_fail(error, exhausted ? WARI_NO_MEMORY : WARI_IO,
                     "cannot start a thread for the server: %s%s", strerror(number),
                     exhausted ? "; raise the limits (ulimit -u, ulimit -v)" : "");
}

void acceptor_stop(struct acceptor *acceptor)
{
    wari_event_set(&acceptor->stop_event);
    (void)pthread_join(acceptor->thread, NULL);
    free_acceptor(acceptor);
}
