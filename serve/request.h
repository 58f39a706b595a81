/* The server and a single request, as all files of serve/ know them. */
#ifndef SERVE_REQUEST_H
#define SERVE_REQUEST_H

#include <microhttpd.h>
#include <sys/socket.h>

#include "serve/connections.h"
#include "serve/databases.h"
#include "serve/permits.h"
#include "serve/server.h"

struct acceptor;
struct analysis;

struct server {
    struct MHD_Daemon *daemon;
    const struct databases *databases;
    struct serve_options options;
    struct acceptor *acceptor;
    struct analysis *analysis; /* NULL if analysis is turned off */
    struct connections connections;
    struct permits permits, bulk_permits; /* bulk requests have permits of their own */
    char refusal[1024];                   /* complete response for rejected clients */
    struct sockaddr_storage address;      /* address on which the server listens */
    atomic_bool draining;                 /* shutting down: responses close their connections */
    atomic_bool ending;                   /* time is up: requests not yet answered are abandoned */
    atomic_uint answered, lost;           /* requests that ended since `draining` was set */
    atomic_uint failures_reported;        /* failures reported to the operator */
};

/* ---- One request ---- */

enum { ARGUMENT_COUNT = 12 };

struct endpoint;

struct request {
    struct server *server;
    struct MHD_Connection *mhd_connection;
    const struct endpoint *endpoint;
    struct connection *connection;
    const char *arguments[ARGUMENT_COUNT]; /* indexed by enum argument; NULL if not given */
    const char *readable_by; /* value of Access-Control-Allow-Origin: the origin whose pages may
                              * read the response, or "*"; NULL if only pages of this server may */
    bool depends_on_origin;  /* responses to other origins differ in that header */
    bool body_is_json;       /* the body is application/json; if false, text/plain */
    bool body_too_long;
    bool body_pending; /* the client sends its body before it reads a response */
    char *body;        /* `body_length` bytes and a final 0 */
    size_t body_length, body_capacity;
    struct MHD_Response
        *delayed; /* response to send, with delayed_code, after the body has arrived */
    unsigned delayed_code;
};

enum argument {
    ARGUMENT_RULES,
    ARGUMENT_CYCLE,
    ARGUMENT_POSITION,
    ARGUMENT_DETAIL,
    ARGUMENT_LEVEL,
    ARGUMENT_SEED,
    ARGUMENT_EASIEST,
    ARGUMENT_HARDEST,
    ARGUMENT_START,
    ARGUMENT_MOVES,
    ARGUMENT_REPETITION,
    ARGUMENT_REPETITION_SCORE,
};

/* A path of the API. handle.c has the table of all endpoints. */
struct endpoint {
    const char *path;
    bool post;          /* POST; if false, GET and HEAD */
    bool needs_permit;  /* a permit is held while the endpoint computes its answer */
    unsigned arguments; /* permitted arguments: bits 1 << enum argument */
    enum MHD_Result (*answer)(struct request *request);
};

/* ---- Callbacks of libmicrohttpd (handle.c) ---- */

enum MHD_Result request_handle(void *server, struct MHD_Connection *connection, const char *path,
                               const char *method, const char *version, const char *bytes,
                               size_t *count, void **request);
void request_end(void *server, struct MHD_Connection *connection, void **request,
                 enum MHD_RequestTerminationCode how);

#endif
