/* Starting, watching and ending the server.
 *
 * libmicrohttpd runs a few threads, each with an event loop and connections of its own; all waiting
 * for the network is theirs, and handlers only compute. The thread that started them watches the
 * clock. What always holds: a connection is on the list before its first request is looked at and
 * leaves it before its socket is closed.
 */
#include "serve/server.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    SPARE_CONNECTIONS = 64, /* that are only told that there are too many */
    MEMORY_A_CONNECTION =
        32768, /* for headers, beyond which the library answers 431, and buffers */
    BACKLOG = 1024,
    TICK_MS = 50,
};

/* ---- Listening ---- */

static enum wari_status fail_to_listen(const struct serve_options *options, int socket,
                                       struct wari_error *error)
{
    int number = errno;
    if (socket >= 0)
        close(socket);
    return wari_fail(error, WARI_IO, "cannot listen on %s port %u: %s%s", options->address,
                     options->port, strerror(number),
                     number == EADDRINUSE ? "; choose another one with --port" : "");
}

/* The port that the system chose, or the one asked for. */
static uint16_t bound_port(int socket)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getsockname(socket, (struct sockaddr *)&address, &length) != 0)
        return 0;
    if (address.ss_family == AF_INET6)
        return ntohs(((const struct sockaddr_in6 *)&address)->sin6_port);
    return ntohs(((const struct sockaddr_in *)&address)->sin_port);
}

static enum wari_status open_socket(const struct serve_options *options, int *listener,
                                    struct wari_error *error)
{
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_PASSIVE, .ai_socktype = SOCK_STREAM};
    struct addrinfo *address;
    const int yes = 1;
    if (getaddrinfo(options->address, NULL, &hints, &address) != 0)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--bind: \"%s\" is no address in numbers, such as 127.0.0.1 or ::1",
                         options->address);
    if (address->ai_family == AF_INET6)
        ((struct sockaddr_in6 *)address->ai_addr)->sin6_port = htons(options->port);
    else
        ((struct sockaddr_in *)address->ai_addr)->sin_port = htons(options->port);
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool listening = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                     bind(fd, address->ai_addr, address->ai_addrlen) == 0 &&
                     listen(fd, BACKLOG) == 0;
    int number = errno;
    freeaddrinfo(address);
    errno = number;
    if (!listening)
        return fail_to_listen(options, fd, error);
    *listener = fd;
    return WARI_OK;
}

/* ---- Connections come and go ---- */

static void notice_connection(void *context, struct MHD_Connection *connection, void **record,
                              enum MHD_ConnectionNotificationCode what)
{
    struct server *server = context;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *record = info ? connections_add(&server->connections, info->connect_fd) : NULL;
    } else if (*record) {
        connections_remove(&server->connections, *record);
        *record = NULL;
    }
}

/* A zero byte would end a path or an argument before its end: where there is one, nothing is taken
 * for what it is not, and what is left as it stands is no path and no argument of ours. */
static size_t unescape(void *context, struct MHD_Connection *connection, char *text)
{
    (void)context;
    (void)connection;
    return strstr(text, "%00") ? strlen(text) : MHD_http_unescape(text);
}

/* ---- Start, run, end ---- */

enum wari_status server_start(struct server **started, const struct serve_options *options,
                              const struct databases *databases, struct wari_error *error)
{
    int listener = -1;
    struct server *server = calloc(1, sizeof *server);
    *started = NULL;
    if (!server)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for a server");
    server->options = *options;
    server->databases = databases;
    enum wari_status status = open_socket(options, &listener, error);
    if (status != WARI_OK) {
        free(server);
        return status;
    }
    server->port = bound_port(listener);
    connections_init(&server->connections, options->seconds);
    server->daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC, 0, NULL, NULL, request_handle, server,
        MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_THREAD_POOL_SIZE, options->threads,
        MHD_OPTION_CONNECTION_LIMIT, options->connections + SPARE_CONNECTIONS * options->threads,
        MHD_OPTION_CONNECTION_TIMEOUT, options->seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)MEMORY_A_CONNECTION, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_UNESCAPE_CALLBACK,
        unescape, NULL, MHD_OPTION_NOTIFY_COMPLETED, request_end, server,
        MHD_OPTION_NOTIFY_CONNECTION, notice_connection, server, MHD_OPTION_END);
    if (!server->daemon) {
        connections_destroy(&server->connections);
        close(listener);
        free(server);
        return wari_fail(error, WARI_IO, "cannot start %u threads for the server: %s",
                         options->threads, strerror(errno));
    }
    *started = server;
    return WARI_OK;
}

uint16_t server_port(const struct server *server)
{
    return server->port;
}

static void wait_a_tick(void)
{
    const struct timespec tick = {.tv_nsec = TICK_MS * 1000000};
    (void)nanosleep(&tick, NULL); /* a signal ends it early, and is what the caller looks for */
}

void server_run(struct server *server, const atomic_bool *stop)
{
    while (!atomic_load(stop)) {
        wait_a_tick();
        connections_cut(&server->connections);
    }
    atomic_store(&server->draining, true);
    int listener = MHD_quiesce_daemon(server->daemon);
    if (listener >= 0)
        close(listener);
    int64_t end = clock_now() + 1000 * (int64_t)server->options.seconds;
    while (atomic_load(&server->connections.in_flight) > 0 && clock_now() < end) {
        wait_a_tick();
        connections_cut(&server->connections);
    }
    MHD_stop_daemon(server->daemon);
    connections_destroy(&server->connections);
    free(server);
}
