/* What the parts of the server share: the server, one request, and how it is answered. */
#ifndef SERVE_SERVER_H
#define SERVE_SERVER_H

#include <microhttpd.h>

#include "answer/answer.h"
#include "serve/connections.h"
#include "serve/serve.h"

struct server {
    struct MHD_Daemon *daemon;
    const struct databases *databases;
    struct serve_options options;
    struct connections connections;
    uint16_t port;
    atomic_bool draining;   /* about to end: answers close their connections */
    atomic_uint complaints; /* lines that went to the operator */
};

/* ---- One request ---- */

enum { ARGUMENTS = 4 };

struct endpoint;

struct request {
    struct server *server;
    struct MHD_Connection *connection;
    const struct endpoint *endpoint;
    struct connection *record;
    const char *arguments[ARGUMENTS]; /* values by enum argument; NULL: not given */
    bool json;                        /* the body is application/json, else text/plain */
    bool too_long;
    char *body; /* `length` bytes and a 0 */
    size_t length, room;
};

enum argument { ARGUMENT_RULES, ARGUMENT_CYCLE, ARGUMENT_POSITION, ARGUMENT_DETAIL };

/* A path of the API. The table of them is in request.c. */
struct endpoint {
    const char *path;
    bool post;          /* POST, else GET and HEAD */
    unsigned arguments; /* those it takes: bits 1 << enum argument */
    enum MHD_Result (*answer)(struct request *request);
};

enum MHD_Result api_position(struct request *request);
enum MHD_Result api_positions(struct request *request);
enum MHD_Result api_moves(struct request *request);
enum MHD_Result api_game(struct request *request);
enum MHD_Result api_info(struct request *request);
enum MHD_Result api_stats(struct request *request);
enum MHD_Result api_health(struct request *request);

/* The library calls these: for each piece of a request, and when it has ended. */
enum MHD_Result request_handle(void *server, struct MHD_Connection *connection, const char *path,
                               const char *method, const char *version, const char *bytes,
                               size_t *count, void **request);
void request_end(void *server, struct MHD_Connection *connection, void **request,
                 enum MHD_RequestTerminationCode how);

/* The database that the arguments name. False: an error was sent, as *result says. */
bool request_database(struct request *request, const struct database **database,
                      enum MHD_Result *result);

/* What the argument `detail` says; `otherwise` if it is not given. */
bool request_detail(struct request *request, enum answer_detail otherwise,
                    enum answer_detail *detail, enum MHD_Result *result);

/* ---- Answers ----
 * Each queues a response and returns what the library wants to hear: MHD_NO, which drops the
 * connection, only if there is no memory for a response. */

/* How long others may keep an answer. */
enum reply_cache {
    CACHE_NOTHING,    /* errors, health */
    CACHE_REVALIDATE, /* ask each time whether the tag still holds: the page */
    CACHE_AN_HOUR,    /* values never change, but a database may grow */
};

/* Whether the client has the answer with this tag already; if so, 304 was queued. */
bool reply_known(struct request *request, const char *etag, enum reply_cache cache,
                 enum MHD_Result *result);

/* 200 with an object, which is released; NULL: there was no memory for it. `etag` may be NULL. */
enum MHD_Result reply_json(struct request *request, json_t *object, const char *etag,
                           enum reply_cache cache);

/* 200 with these bytes, which must stay as long as the program. */
enum MHD_Result reply_bytes(struct request *request, const void *bytes, size_t count,
                            const char *type, const char *etag);

/* Adds the headers that all answers have, queues the response and releases it; NULL drops the
 * connection. `etag` may be NULL. */
enum MHD_Result reply_queue(struct request *request, unsigned code, struct MHD_Response *response,
                            const char *type, const char *etag, enum reply_cache cache);

/* {"error":REASON,"status":CODE} */
enum MHD_Result reply_error(struct request *request, unsigned code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a function that failed: 400 for bad input, 404 for what is not covered, 503 where
 * memory ran out. Anything else is the server's own trouble: 500, and the text goes to the operator
 * only, because it names files. */
enum MHD_Result reply_failure(struct request *request, enum wari_status status,
                              const struct wari_error *error);

/* The two parts of that: the code, and the text that may be told. */
unsigned failure_code(enum wari_status status);
const char *failure_text(struct server *server, enum wari_status status,
                         const struct wari_error *error);

#endif
