/* A thread that accepts connections.
 *
 * To close a socket behind bytes that nobody has read resets the connection, and the client may
 * never see what was sent to it. So who is turned away gets the answer, then the end of what is
 * sent, and what the client sends is read away close_at it closes or a second has passed. There is
 * room for some at that; when it is full, the one who came first is let go.
 *
 * One descriptor is kept in spare_descriptor: where the process has none left, it is given up for
 * as long as it takes to turn somebody away, who would wait for ever otherwise.
 */
#include "serve/acceptor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/connections.h"

enum {
    REJECTED_MAX =
        ACCEPTOR_DESCRIPTORS_MAX - 2, /* who have been turned away and have not left yet */
    DRAIN_MS = 1000,
    ACCEPT_BATCH = 64, /* connections accepted in one go */
    WAIT_MS = 100,     /* where neither a connection nor a descriptor could be had */
    LISTENER = REJECTED_MAX,
    STOP_EVENT, /* rings when the acceptor is to close */
    POLLED,
};

struct acceptor {
    struct acceptor_config config;
    pthread_t thread;
    int stop_event, spare_descriptor;
    struct pollfd polled[POLLED];
    int64_t close_at[REJECTED_MAX]; /* when who is turned away has to be gone */
};

/* ---- Turning away ---- */

static void close_rejected(struct acceptor *acceptor, int entry)
{
    close(acceptor->polled[entry].fd);
    acceptor->polled[entry].fd = -1;
}

/* A free entry, if need be that of who came first. */
static int find_entry(struct acceptor *acceptor)
{
    int first = 0;
    for (int i = 0; i < REJECTED_MAX; i++) {
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
    /* A fresh socket has room for it all; who left already misses nothing. */
    (void)send(socket, acceptor->config.refusal, acceptor->config.length,
               MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)shutdown(socket, SHUT_WR);
    acceptor->polled[entry] = (struct pollfd){.fd = socket, .events = POLLIN};
    acceptor->close_at[entry] = clock_now() + DRAIN_MS;
}

/* Reads away what came from who is turned away, and sees off who is done. */
static void drain_rejected(struct acceptor *acceptor)
{
    char bytes[4096];
    int64_t now = clock_now();
    for (int i = 0; i < REJECTED_MAX; i++) {
        struct pollfd *each = &acceptor->polled[i];
        if (each->fd < 0)
            continue;
        ssize_t count = 1;
        if (each->revents)
            count = recv(each->fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) ||
            acceptor->close_at[i] < now)
            close_rejected(acceptor, i);
    }
}

/* ---- Accepting ---- */

static int accept_one(struct acceptor *acceptor)
{
    return accept4(acceptor->config.listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/* No descriptor is left: turns one away by means of the one in spare_descriptor, and waits a moment
 * for what it sends. */
static void reject_with_spare_descriptor(struct acceptor *acceptor)
{
    char bytes[4096];
    if (acceptor->spare_descriptor >= 0)
        close(acceptor->spare_descriptor);
    int socket = accept_one(acceptor);
    struct pollfd polled = {.fd = socket, .events = POLLIN};
    if (socket >= 0) {
        (void)send(socket, acceptor->config.refusal, acceptor->config.length,
                   MSG_DONTWAIT | MSG_NOSIGNAL);
        (void)shutdown(socket, SHUT_WR);
    }
    if (poll(&polled, 1, WAIT_MS) == 1)
        (void)!recv(socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (socket >= 0)
        close(socket);
    acceptor->spare_descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Not more than a few, so that nobody who leaves waits behind a flood. */
static void accept_batch(struct acceptor *acceptor)
{
    for (int i = 0; i < ACCEPT_BATCH; i++) {
        int socket = accept_one(acceptor);
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

static bool has_rejected(const struct acceptor *acceptor)
{
    for (int i = 0; i < REJECTED_MAX; i++) {
        if (acceptor->polled[i].fd >= 0)
            return true;
    }
    return false;
}

static void *run(void *context)
{
    struct acceptor *acceptor = context;
    for (;;) {
        int count = poll(acceptor->polled, POLLED, has_rejected(acceptor) ? WAIT_MS : -1);
        if (acceptor->polled[STOP_EVENT].revents)
            return NULL;
        if (count < 0)
            continue; /* a signal, or no memory for a moment */
        drain_rejected(acceptor);
        if (acceptor->polled[LISTENER].revents)
            accept_batch(acceptor);
    }
}

/* ---- Opening and closing ---- */

static void free_acceptor(struct acceptor *acceptor)
{
    for (int i = 0; i < REJECTED_MAX; i++) {
        if (acceptor->polled[i].fd >= 0)
            close_rejected(acceptor, i);
    }
    if (acceptor->stop_event >= 0)
        close(acceptor->stop_event);
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
    acceptor->stop_event = eventfd(0, EFD_CLOEXEC);
    acceptor->spare_descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    for (int i = 0; i < REJECTED_MAX; i++)
        acceptor->polled[i] = (struct pollfd){.fd = -1};
    acceptor->polled[LISTENER] = (struct pollfd){.fd = config->listener, .events = POLLIN};
    acceptor->polled[STOP_EVENT] = (struct pollfd){.fd = acceptor->stop_event, .events = POLLIN};
    int number =
        acceptor->stop_event < 0 ? errno : pthread_create(&acceptor->thread, NULL, run, acceptor);
    if (number != 0) {
        free_acceptor(acceptor);
        return acceptor_thread_error(number, error);
    }
    *started = acceptor;
    return WARI_OK;
}

enum wari_status acceptor_thread_error(int number, struct wari_error *error)
{
    const bool room = number == EAGAIN || number == ENOMEM;

    return wari_fail(error, room ? WARI_NO_MEMORY : WARI_IO,
                     "cannot start a thread for the server: %s%s", strerror(number),
                     room ? "; raise the limits (ulimit -u, ulimit -v)" : "");
}

void acceptor_stop(struct acceptor *acceptor)
{
    const uint64_t once = 1;
    /* Cannot fail: the counter has room for far more than one. */
    (void)!write(acceptor->stop_event, &once, sizeof once);
    (void)pthread_join(acceptor->thread, NULL);
    free_acceptor(acceptor);
}
