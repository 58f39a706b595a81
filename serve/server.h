/* The server: answers HTTP requests from the databases of a folder, and serves a web page to
 * explore them.
 *
 *     GET  /api/position    POST /api/positions    GET /api/moves    POST /api/game
 *     GET  /api/info        GET  /api/stats        GET /healthz      GET  / and the page's files
 *     GET  /api/analysis    GET  /api/move         POST /api/review
 *     GET  /api/puzzle      GET  /api/v1/openapi.json
 *
 * Every path below /api/ also exists below /api/v1/. openapi.json and wari-serve(1) describe the
 * requests and answers. The server never prints: it passes messages for the operator to
 * serve_options.report. */
#ifndef SERVE_SERVER_H
#define SERVE_SERVER_H

#include <stdatomic.h>

#include "serve/databases.h"

enum {
    SERVE_BODY_MAX = 1 << 20,    /* bytes of a body: 10,000 positions of 100 characters */
    SERVE_POSITIONS_MAX = 10000, /* per request: takes some seconds if lines are requested */
    SERVE_CONNECTIONS_MAX = 10000,
    SERVE_THREADS_MAX = 64,
    SERVE_SECONDS_MAX = 3600,
    SERVE_HOSTS_MAX = 16,
    SERVE_ORIGINS_MAX = 16,
};

struct serve_options {
    const char *address; /* numeric: 127.0.0.1, ::1 */
    const char
        *base;     /* path below which everything is served: "/", "/wari/" (base_path_is_valid()) */
    uint16_t port; /* 0 means any free port */
    unsigned threads; /* 1..SERVE_THREADS_MAX: simultaneous lookups */
    /* Number of simultaneous searches, 0..ANALYSIS_THREADS_MAX; 0 turns analysis off. */
    unsigned analysis_threads;
    unsigned connections; /* 1..SERVE_CONNECTIONS_MAX, each with a thread; further ones get 503 */
    unsigned seconds; /* 1..SERVE_SECONDS_MAX: time limit for the headers to arrive, for the body to
                         arrive, and for the response to be fetched, each; then the connection is
                         dropped */
    const char *const
        *hosts;          /* names of this server without a port, beside localhost and its address */
    unsigned host_count; /* 0..SERVE_HOSTS_MAX */
    /* Origins of pages of other sites that may use the API, such as "https://games.example", or
     * "*" for all (origin_is_valid()). */
    const char *const *origins;
    unsigned origin_count;            /* 0..SERVE_ORIGINS_MAX */
    void (*report)(const char *text); /* called by any thread with a line for the operator */
};

struct server;

/* Starts to listen and to answer, in threads of its own. `databases` must outlive the server. On
 * failure *server is NULL:
 *   WARI_BAD_INPUT   an address, host or base is not valid, or the process may not open enough
 *                    descriptors for so many connections
 *   WARI_IO          the address cannot be bound, or a thread cannot be started
 *   WARI_NO_MEMORY */
WARI_MUST_CHECK enum wari_status server_start(struct server **server,
                                              const struct serve_options *options,
                                              const struct databases *databases,
                                              struct wari_error *error);

/* Returns the port on which the server listens. */
uint16_t server_port(const struct server *server);

/* Returns true if the server listens on all addresses of the machine (0.0.0.0 or ::). */
bool server_is_everywhere(const struct server *server);

/* Counts the requests that were in flight when the server was told to stop, by their outcome. */
struct server_end {
    unsigned answered;
    unsigned lost; /* dropped, because the time of the request or of the shutdown was over, or
                    * because the client had disconnected */
};

/* Supervises the connections until *stop is true. Then stops accepting connections, lets requests
 * that have arrived be answered within the time limit of a request, drops all other connections,
 * and frees the server. */
void server_run(struct server *server, const atomic_bool *stop, struct server_end *end);

#endif
