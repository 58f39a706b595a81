/* What the parts of the server share: the server itself, and one request. */
#ifndef SERVE_REQUEST_REQUEST_H
#define SERVE_REQUEST_REQUEST_H

#include <microhttpd.h>
#include <sys/socket.h>

#include "serve/request/connections.h"
#include "serve/request/databases.h"
#include "serve/request/options.h"
#include "serve/request/workers.h"

struct door;
struct analysis;

struct server {
    struct MHD_Daemon *daemon;
    const struct databases *databases;
    struct serve_options options;
    struct door *door;
    struct analysis *analysis; /* NULL: it is turned off */
    struct connections connections;
    struct workers workers, bulk_workers; /* turns of requests in bulk are apart */
    char refusal[1024];                   /* what is sent to who is turned away */
    struct sockaddr_storage address;      /* at which it listens */
    atomic_bool draining;                 /* about to end: answers close their connections */
    atomic_bool ending;                   /* what has not been answered will not be */
    atomic_uint answered, lost;           /* requests that ended since `draining` */
    atomic_uint complaints;               /* lines that went to the operator */
};

/* ---- One request ---- */

enum { ARGUMENTS = 6 };

struct endpoint;

struct request {
    struct server *server;
    struct MHD_Connection *connection;
    const struct endpoint *endpoint;
    struct connection *record;
    const char *arguments[ARGUMENTS]; /* values by enum argument; NULL: not given */
    bool json;                        /* the body is application/json, else text/plain */
    bool too_long;
    bool sending; /* its client sends a body before it reads an answer */
    char *body;   /* `length` bytes and a 0 */
    size_t length, room;
    struct MHD_Response *held; /* the answer, with this code, until the body is through */
    unsigned held_code;
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
    bool works;         /* looks things up, in turn */
    unsigned arguments; /* those it takes: bits 1 << enum argument */
    enum MHD_Result (*answer)(struct request *request);
};

#endif
