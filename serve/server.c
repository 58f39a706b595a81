/* Starting, supervising and stopping the server.
 *
 * The acceptor's thread accepts connections (acceptor.h). libmicrohttpd runs a thread for each
 * accepted connection, which waits for the client and computes the responses; permits (permits.h)
 * limit how many of them work at the same time. The thread that calls server_run() checks the
 * deadlines. Invariant: a connection is in the list before its first request is handled, and leaves
 * the list before its socket is closed.
 *
 * A single event loop for many connections was tried and abandoned: with epoll, libmicrohttpd
 * 0.9.75 loses connections whose client sends a few bytes and closes, so that their entries are
 * never freed; and a response that takes a second to compute delayed all other connections of its
 * loop. */
#include "serve/server.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "serve/acceptor.h"
#include "serve/analysis.h"
#include "serve/hosts.h"
#include "serve/reply.h"
#include "serve/request.h"
#include "system/clock.h"
#include "system/huge_pages.h"
#include "system/platform.h"

enum {
    MEMORY_A_CONNECTION = 32768, /* bytes of memory for headers (if they are longer, the library
                                  * answers 431) and buffers */
    STACK = 1 << 20,             /* stack size of a connection's thread; lookups use a tenth of
                                  * it */
    /* Descriptors in addition to those of files, connections and the acceptor: those of the library
     * and of the terminal. */
    OTHER_DESCRIPTORS = 16,
    BACKLOG = 1024,
    TICK_MS = 50,
    PAGES_FROM = 1 << 17, /* allocations from this size on get pages of their own, as is glibc's
                             initial setting */
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
                     number == EADDRINUSE ? "; choose another port with --port" : "");
}

/* Returns the bound address, including the port if the system chose it. */
static struct sockaddr_storage bound_address(int socket)
{
    struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
    socklen_t length = sizeof address;
    if (getsockname(socket, (struct sockaddr *)&address, &length) != 0)
        address.ss_family = AF_UNSPEC;
    return address;
}

static enum wari_status open_socket(const struct serve_options *options, int *listener,
                                    struct wari_error *error)
{
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_PASSIVE, .ai_socktype = SOCK_STREAM};
    struct addrinfo *address;
    const int yes = 1;
    const int problem = getaddrinfo(options->address, NULL, &hints, &address);
    if (problem == EAI_MEMORY)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory to read --bind");
    if (problem != 0)
        return wari_fail(error, WARI_BAD_INPUT,
                         "--bind: \"%s\" is not a numeric address such as 127.0.0.1 or ::1",
                         options->address);
    if (address->ai_family == AF_INET6)
        ((struct sockaddr_in6 *)address->ai_addr)->sin6_port = htons(options->port);
    else
        ((struct sockaddr_in *)address->ai_addr)->sin_port = htons(options->port);
    int fd = wari_socket(address->ai_family);
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

/* Checks that the process may open enough descriptors for the requested number of connections. It
 * is better to fail at the start than to reject connections below that number later. All files are
 * open by now, and new descriptors get the lowest free numbers, so the highest number that will be
 * needed follows from `listener`. */
static enum wari_status check_descriptors(const struct serve_options *options, int listener,
                                          struct wari_error *error)
{
    struct rlimit limit;
    rlim_t needed =
        (rlim_t)listener + 1 + ACCEPTOR_DESCRIPTORS_MAX + options->connections + OTHER_DESCRIPTORS;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return WARI_OK;
    return wari_fail(error, WARI_BAD_INPUT,
                     "--connections %u needs %llu descriptors, but this process may open %llu; ask "
                     "for fewer or raise the limit (ulimit -n)",
                     options->connections, (unsigned long long)needed,
                     (unsigned long long)limit.rlim_cur);
}

static enum wari_status check_names(const struct serve_options *options, struct wari_error *error)
{
    if (!base_path_is_valid(options->base))
        return wari_fail(error, WARI_BAD_INPUT,
                         "--base: \"%s\" is not valid; a base begins and ends with a slash, has "
                         "letters, digits and . _ ~ - in between, and has at most %d bytes",
                         options->base, BASE_PATH_MAX);
    for (unsigned i = 0; i < options->host_count; i++) {
        if (!host_name_is_valid(options->hosts[i]))
            return wari_fail(
                error, WARI_BAD_INPUT,
                "--allow-host: \"%s\" is not a host name or address; give each one separately, "
                "without a port or brackets; it may have letters, digits and . - _ :",
                options->hosts[i]);
    }
    for (unsigned i = 0; i < options->origin_count; i++) {
        if (!origin_is_valid(options->origins[i]))
            return wari_fail(error, WARI_BAD_INPUT,
                             "--allow-origin: \"%s\" is not an origin; give http:// or https://, a "
                             "host and, if it is not the usual one, a port, without a slash at the "
                             "end, such as https://games.example; or * for all pages",
                             options->origins[i]);
    }
    return WARI_OK;
}

/* ---- Opening and closing connections ---- */

/* Called by the acceptor. Returns false if the connection must be rejected. The entry is reserved
 * here because the library reports a new connection only later, in a thread of its own, by calling
 * connection_changed(). */
static bool admit(void *context, int socket)
{
    struct server *server = context;
    struct sockaddr_storage address = {.ss_family = AF_UNSPEC}; /* the library does not use it */
    if (!connections_reserve(&server->connections, socket))
        return false;
    /* On failure, the library has closed the socket. */
    if (MHD_add_connection(server->daemon, socket, (struct sockaddr *)&address, sizeof address) !=
        MHD_YES)
        connections_cancel(&server->connections, socket);
    return true;
}

static void connection_changed(void *context, struct MHD_Connection *connection, void **record,
                               enum MHD_ConnectionNotificationCode what)
{
    struct server *server = context;
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        *record = connections_open(
            &server->connections,
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd);
    else
        connections_close(&server->connections, *record);
}

/* A decoded zero byte would truncate a path or an argument. A text that contains one is therefore
 * not decoded at all; with its "%00" it matches no path and no valid argument. */
static size_t unescape(void *context, struct MHD_Connection *connection, char *text)
{
    (void)context;
    (void)connection;
    return strstr(text, "%00") ? strlen(text) : MHD_http_unescape(text);
}

/* Called with the target of a request before its arguments are split off. */
static void *note_target(void *context, const char *target, struct MHD_Connection *connection)
{
    struct connection *record =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    (void)context;
    record->target_end = target + strlen(target);
    return NULL;
}

/* ---- Start, run, stop ---- */

static void free_server(struct server *server)
{
    if (server->daemon)
        MHD_stop_daemon(server->daemon);
    analysis_end(server->analysis);
    connections_destroy(&server->connections);
    permits_destroy(&server->permits);
    permits_destroy(&server->bulk_permits);
    free(server);
}

/* Starts the library and the acceptor, which takes ownership of the listener. */
static enum wari_status open_up(struct server *server, int listener, struct wari_error *error)
{
    struct acceptor_config config = {
        .listener = listener,
        .admit = admit,
        .context = server,
        .refusal = server->refusal,
        .length = write_rejection(server->refusal, sizeof server->refusal),
    };
    server->daemon = MHD_start_daemon(
        MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_ITC |
            MHD_USE_NO_LISTEN_SOCKET,
        0, NULL, NULL, request_handle, server, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)2 * SERVE_CONNECTIONS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)MEMORY_A_CONNECTION, MHD_OPTION_THREAD_STACK_SIZE, (size_t)STACK,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL,
        MHD_OPTION_URI_LOG_CALLBACK, note_target, NULL, MHD_OPTION_NOTIFY_COMPLETED, request_end,
        server, MHD_OPTION_NOTIFY_CONNECTION, connection_changed, server, MHD_OPTION_END);
    if (server->daemon)
        return acceptor_start(&server->acceptor, &config, error);
    int number = errno;
    close(listener);
    return acceptor_thread_error(number, error);
}

enum wari_status server_start(struct server **started, const struct serve_options *options,
                              const struct databases *databases, struct wari_error *error)
{
    int listener = -1;
    struct server *server = calloc(1, sizeof *server);
    *started = NULL;
    if (!server)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for a server");
    wari_map_large_blocks(PAGES_FROM);
    server->options = *options;
    server->databases = databases;
    connections_init(&server->connections, options->connections, options->seconds);
    permits_init(&server->permits, options->threads);
    permits_init(&server->bulk_permits, (options->threads + 1) / 2);
    enum wari_status status = check_names(options, error);
    if (status == WARI_OK && options->analysis_threads > 0)
        status = analysis_start(&server->analysis, options->analysis_threads, error);
    if (status == WARI_OK)
        status = open_socket(options, &listener, error);
    if (status == WARI_OK) {
        server->address = bound_address(listener);
        status = check_descriptors(options, listener, error);
        if (status != WARI_OK)
            close(listener);
    }
    if (status == WARI_OK)
        status = open_up(server, listener, error);
    if (status == WARI_OK)
        *started = server;
    else
        free_server(server);
    return status;
}

uint16_t server_port(const struct server *server)
{
    const struct sockaddr_storage *address = &server->address;
    if (address->ss_family == AF_INET6)
        return ntohs(((const struct sockaddr_in6 *)address)->sin6_port);
    return ntohs(((const struct sockaddr_in *)address)->sin_port);
}

bool server_is_everywhere(const struct server *server)
{
    const struct sockaddr_storage *address = &server->address;
    if (address->ss_family == AF_INET6) {
        const struct in6_addr *six = &((const struct sockaddr_in6 *)address)->sin6_addr;
        const uint8_t four[4] = {0};
        return IN6_IS_ADDR_UNSPECIFIED(six) ||
               (IN6_IS_ADDR_V4MAPPED(six) && memcmp(six->s6_addr + 12, four, sizeof four) == 0);
    }
    return address->ss_family == AF_INET &&
           ((const struct sockaddr_in *)address)->sin_addr.s_addr == htonl(INADDR_ANY);
}

static void wait_a_tick(void)
{
    const struct timespec tick = {.tv_nsec = TICK_MS * 1000000};
    (void)nanosleep(&tick, NULL); /* a signal interrupts it, and the caller checks for that */
}

void server_run(struct server *server, const atomic_bool *stop, struct server_end *end)
{
    while (!atomic_load(stop)) {
        wait_a_tick();
        connections_drop(&server->connections, DROP_EXPIRED);
        if (server->analysis)
            analysis_tick(server->analysis);
    }
    atomic_store(&server->draining, true);
    if (server->analysis)
        analysis_stop(server->analysis);
    acceptor_stop(server->acceptor);
    int64_t last = wari_milliseconds_now() + 1000 * (int64_t)server->options.seconds;
    do {
        connections_drop(&server->connections, DROP_IDLE);
        wait_a_tick();
    } while (atomic_load(&server->connections.in_flight) > 0 && wari_milliseconds_now() < last);
    atomic_store(&server->ending, true);
    connections_drop(&server->connections, DROP_ALL);
    MHD_stop_daemon(server->daemon);
    server->daemon = NULL;
    end->answered = atomic_load(&server->answered);
    end->lost = atomic_load(&server->lost);
    free_server(server);
}
