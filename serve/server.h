/* The server: answers over HTTP from the databases of a folder, and a page to look at them with.
 *
 *     GET  /api/position    POST /api/positions    GET /api/moves    POST /api/game
 *     GET  /api/info        GET  /api/stats        GET /healthz      GET  / and what the page needs
 *     GET  /api/analysis    GET  /api/move          POST /api/review
 *
 * wari-serve(1) describes each. Nothing here prints: what an operator should know goes to the
 * function that serve_options names. */
#ifndef SERVE_SERVER_H
#define SERVE_SERVER_H

#include <stdatomic.h>

#include "serve/databases.h"

enum {
    SERVE_BODY_MAX = 1 << 20,    /* bytes of a request: 10,000 positions of 100 characters */
    SERVE_POSITIONS_MAX = 10000, /* of a request: some seconds' work where lines are wanted */
    SERVE_CONNECTIONS_MAX = 10000,
    SERVE_THREADS_MAX = 64,
    SERVE_SECONDS_MAX = 3600,
    SERVE_HOSTS_MAX = 16,
};

struct serve_options {
    const char *address;       /* in numbers: 127.0.0.1, ::1 */
    const char *base;          /* below which all is: "/", "/wari/" (base_path_is_valid()) */
    uint16_t port;             /* 0: any that is free */
    unsigned threads;          /* 1..SERVE_THREADS_MAX: requests that look things up at a time */
    unsigned analysis_threads; /* 0..ANALYSIS_THREADS_MAX: searches at a time; 0: there are none */
    unsigned connections;      /* 1..SERVE_CONNECTIONS_MAX, a thread each; one more gets 503 */
    unsigned seconds;         /* 1..SERVE_SECONDS_MAX: for headers to arrive, for a body, and for an
                               * answer to be fetched, each; then the connection is cut */
    const char *const *hosts; /* names of this server beside localhost and its address, */
    unsigned host_count;      /* 0..SERVE_HOSTS_MAX; without a port */
    void (*report)(const char *text); /* one line for the operator; called by any thread */
};

struct server;

/* Starts to listen and answer, on threads of its own. `databases` must outlive the server.
 * WARI_BAD_INPUT: the address or a host is none, or there are fewer descriptors than connections;
 * WARI_IO: it cannot be bound, or no thread could be started; WARI_NO_MEMORY. *server is NULL then.
 */
WARI_MUST_CHECK enum wari_status server_start(struct server **server,
                                              const struct serve_options *options,
                                              const struct databases *databases,
                                              struct wari_error *error);

/* The port that it listens on. */
uint16_t server_port(const struct server *server);

/* Whether it listens at all addresses of the machine (0.0.0.0, ::), and at none that is a name. */
bool server_is_everywhere(const struct server *server);

/* What became of the requests that were in flight when the server was asked to end. */
struct server_end {
    unsigned answered;
    unsigned lost; /* cut because their time or the server's was up, or their client left */
};

/* Watches over the connections until *stop is true. Then no connection is accepted any more,
 * requests that have arrived are answered (for as long as a request may take), the others are cut,
 * and the server ends and is freed. */
void server_run(struct server *server, const atomic_bool *stop, struct server_end *end);

#endif
