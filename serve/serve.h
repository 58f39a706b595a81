/* The server: answers over HTTP from the databases of a folder, and a page to look at them with.
 *
 *     GET  /api/position    POST /api/positions    GET /api/moves    POST /api/game
 *     GET  /api/info        GET  /api/stats        GET /healthz      GET  / and what the page needs
 *
 * README.md describes each. Nothing here prints: what an operator should know goes to the function
 * that serve_options names. */
#ifndef SERVE_SERVE_H
#define SERVE_SERVE_H

#include <stdatomic.h>

#include "serve/databases.h"

enum {
    SERVE_BODY_MAX = 1 << 20,    /* bytes of a request: 10,000 positions of 100 characters */
    SERVE_POSITIONS_MAX = 10000, /* of a request: some seconds' work where lines are wanted */
    SERVE_CONNECTIONS_MAX = 10000,
    SERVE_THREADS_MAX = 64,
    SERVE_SECONDS_MAX = 3600,
};

struct serve_options {
    const char *address;  /* in numbers: 127.0.0.1, ::1 */
    uint16_t port;        /* 0: any that is free */
    unsigned threads;     /* 1..SERVE_THREADS_MAX, each with connections of its own */
    unsigned connections; /* 1..SERVE_CONNECTIONS_MAX; one more gets 503 */
    unsigned seconds;     /* 1..SERVE_SECONDS_MAX: for headers to arrive, for a body, and for an
                           * answer to be fetched, each; then the connection is cut */
    void (*note)(const char *text); /* one line for the operator; called by any thread */
};

struct server;

/* Starts to listen and answer, on threads of its own. `databases` must outlive the server.
 * WARI_BAD_INPUT: the address is none; WARI_IO: it cannot be bound, or no thread could be started;
 * WARI_NO_MEMORY. *server is NULL then. */
WARI_MUST_CHECK enum wari_status server_start(struct server **server,
                                              const struct serve_options *options,
                                              const struct databases *databases,
                                              struct wari_error *error);

/* The port that it listens on. */
uint16_t server_port(const struct server *server);

/* Watches over the connections until *stop is true. Then no connection is accepted any more,
 * requests that have arrived are answered (for as long as a request may take), and the server ends
 * and is freed. */
void server_run(struct server *server, const atomic_bool *stop);

#endif
