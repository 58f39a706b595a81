/* What the parts of the server share: the server itself, and one request. */
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
    struct analysis *analysis; /* NULL: it is turned off */
    struct connections connections;
    struct permits permits, bulk_permits; /* turns of requests in bulk are apart */
    char refusal[1024];                   /* what is sent to who is turned away */
    struct sockaddr_storage address;      /* at which it listens */
    atomic_bool draining;                 /* about to end: answers close their connections */
    atomic_bool ending;                   /* what has not been answered will not be */
    atomic_uint answered, lost;           /* requests that ended since `draining` */
    atomic_uint failures_reported;        /* lines that went to the operator */
};

/* ---- One request ---- */

enum { ARGUMENT_COUNT = 6 };

struct endpoint;

struct request {
    struct server *server;
    struct MHD_Connection *mhd_connection;
    const struct endpoint *endpoint;
    struct connection *connection;
    const char *arguments[ARGUMENT_COUNT]; /* values by enum argument; NULL: not given */
    bool body_is_json;                     /* the body is application/json, else text/plain */
    bool body_too_long;
    bool body_pending; /* its client sends a body before it reads an answer */
    char *body;        /* `body_length` bytes and a 0 */
    size_t body_length, body_capacity;
    struct MHD_Response *delayed; /* the answer, with this code, until the body is through */
    unsigned delayed_code;
};

enum argument {
    ARGUMENT_RULES,
    ARGUMENT_CYCLE,
    ARGUMENT_POSITION,
    ARGUMENT_DETAIL,
    ARGUMENT_LEVEL,
    ARGUMENT_SEED,
};

/* A path of the API. The table of them is in handle.c. */
struct endpoint {
    const char *path;
    bool post;          /* POST, else GET and HEAD */
    bool needs_permit;  /* looks things up, in turn */
    unsigned arguments; /* those it takes: bits 1 << enum argument */
    enum MHD_Result (*answer)(struct request *request);
};

/* ---- handle.c ---- */

enum MHD_Result request_handle(void *server, struct MHD_Connection *connection, const char *path,
                               const char *method, const char *version, const char *bytes,
                               size_t *count, void **request);
void request_end(void *server, struct MHD_Connection *connection, void **request,
                 enum MHD_RequestTerminationCode how);

#endif
