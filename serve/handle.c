/* One request: which endpoint it is for, whether it is well formed, its body.
 *
 * A request is refused as early as can be: by its path, method and arguments before its body is
 * read. An argument that is unknown or given twice is an error, not ignored: an answer must never
 * be one to another question than was meant.
 */
#include "serve/handle.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "serve/api/api.h"
#include "serve/page/page.h"
#include "serve/request/hosts.h"
#include "serve/request/reply.h"

enum {
    RULES = 1 << ARGUMENT_RULES,
    CYCLE = 1 << ARGUMENT_CYCLE,
    POSITION = 1 << ARGUMENT_POSITION,
    DETAIL = 1 << ARGUMENT_DETAIL,
    LEVEL = 1 << ARGUMENT_LEVEL,
    SEED = 1 << ARGUMENT_SEED,
    DISCARD_MAX = 8 * SERVE_BODY_MAX, /* of a body that is too long before the connection is cut */
};

static const char *const argument_names[ARGUMENTS] = {"rules",  "cycle", "p",
                                                      "detail", "level", "seed"};

static const struct endpoint endpoints[] = {
    {"/api/position", false, true, RULES | CYCLE | POSITION | DETAIL, api_position},
    {"/api/positions", true, false, RULES | CYCLE | DETAIL, api_positions},
    {"/api/analysis", false, false, RULES | CYCLE | POSITION, api_analysis},
    {"/api/move", false, false, RULES | CYCLE | POSITION | LEVEL | SEED, api_move},
    {"/api/moves", false, false, RULES | CYCLE | POSITION, api_moves},
    {"/api/game", true, true, RULES | CYCLE, api_game},
    {"/api/review", true, true, RULES | CYCLE, api_review},
    {"/api/stats", false, false, RULES | CYCLE, api_stats},
    {"/api/info", false, false, 0, api_info},
    {"/healthz", false, false, 0, api_health},
};

/* ---- Arguments ---- */

struct reading {
    struct request *request;
    const char *wrong; /* name of an argument that is wrong, */
    const char *why;   /* and what is wrong about it */
};

static enum MHD_Result read_argument(void *context, enum MHD_ValueKind kind, const char *name,
                                     size_t name_length, const char *value, size_t length)
{
    struct reading *reading = context;
    struct request *request = reading->request;
    (void)kind;
    reading->wrong = name;
    reading->why = "is not one that this takes";
    for (int i = 0; i < ARGUMENTS; i++) {
        if (!(request->endpoint->arguments & 1u << i) || strcmp(argument_names[i], name) != 0 ||
            strlen(name) != name_length)
            continue;
        reading->why = "is given twice";
        if (request->arguments[i])
            return MHD_NO;
        reading->why = "is empty or has a zero byte";
        if (!value || length == 0 || strlen(value) != length)
            return MHD_NO;
        request->arguments[i] = value;
        reading->wrong = NULL;
        return MHD_YES;
    }
    return MHD_NO;
}

static bool read_arguments(struct request *request, enum MHD_Result *result)
{
    struct reading reading = {.request = request};
    MHD_get_connection_values_n(request->connection, MHD_GET_ARGUMENT_KIND, read_argument,
                                &reading);
    if (!reading.wrong)
        return true;
    *result = reply_error(request, MHD_HTTP_BAD_REQUEST, "the argument \"%.40s\" %s", reading.wrong,
                          reading.why);
    return false;
}

/* ---- Headers ---- */

static const struct endpoint *find_endpoint(const char *path)
{
    for (size_t i = 0; i < sizeof endpoints / sizeof endpoints[0]; i++) {
        if (strcmp(endpoints[i].path, path) == 0)
            return &endpoints[i];
    }
    return NULL;
}

static enum MHD_Result count_framing(void *context, enum MHD_ValueKind kind, const char *name,
                                     const char *value)
{
    int *count = context;
    (void)kind;
    (void)value;
    *count += strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0 ||
              strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0;
    return MHD_YES;
}

/* Whether the headers agree where the request ends. If they do not, a proxy in front and this
 * server may take different bytes for the next request, which is how requests are smuggled in. */
static bool is_framed(struct request *request)
{
    int count = 0;
    MHD_get_connection_values(request->connection, MHD_HEADER_KIND, count_framing, &count);
    return count <= 1;
}

/* Whether the header says `type`, alone or with parameters. */
static bool is_type(const char *header, const char *type)
{
    size_t length = strlen(type);
    return strncasecmp(header, type, length) == 0 && strchr("; \t", header[length]) != NULL;
}

/* Looks at what a POST announces. */
static bool accept_body(struct request *request, enum MHD_Result *result)
{
    const char *type = MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND,
                                                   MHD_HTTP_HEADER_CONTENT_TYPE);
    const char *length = MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND,
                                                     MHD_HTTP_HEADER_CONTENT_LENGTH);
    request->json = type && is_type(type, "application/json");
    if (!request->json && !(type && is_type(type, "text/plain"))) {
        *result = reply_error(request, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE,
                              "the Content-Type must be text/plain or application/json");
        return false;
    }
    if (length && strtoull(length, NULL, 10) > SERVE_BODY_MAX) {
        *result = reply_error(request, MHD_HTTP_CONTENT_TOO_LARGE,
                              "a request has at most %d bytes; send several", SERVE_BODY_MAX);
        return false;
    }
    return true;
}

static bool is_read(const char *method)
{
    return strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
}

/* Lets the endpoint answer, in turn. The client's time to fetch the answer begins then. */
static enum MHD_Result answer(struct request *request)
{
    struct server *server = request->server;
    connection_pause(request->record);
    if (request->endpoint->works)
        workers_enter(&server->workers);
    enum MHD_Result result = request->endpoint->answer(request);
    if (request->endpoint->works)
        workers_leave(&server->workers);
    connection_restart(&server->connections, request->record);
    return result;
}

static enum MHD_Result send_file(struct request *request, const char *path, const char *method)
{
    struct page_file file;
    enum MHD_Result result;
    if (!page_find(path, &file))
        return reply_error(request, MHD_HTTP_NOT_FOUND, "there is nothing at this path");
    if (!is_read(method))
        return reply_error(request, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD work here");
    if (reply_known(request, file.etag, CACHE_REVALIDATE, &result))
        return result;
    return reply_bytes(request, file.bytes, file.count, file.type, file.etag);
}

/* What is not below the server's folder. */
static enum MHD_Result answer_outside(struct request *request, const char *path)
{
    const char *base = request->server->options.base;
    const char *redirect = path_redirect(base, path);
    if (redirect)
        return reply_elsewhere(request, redirect);
    return reply_error(request, MHD_HTTP_NOT_FOUND,
                       "there is nothing at this path; all is below %s", base);
}

/* Answers a request whose headers have arrived, or finds that its body is needed. */
static enum MHD_Result begin(struct request *request, const char *path, const char *method)
{
    enum MHD_Result result = MHD_YES;
    const char *below = path_below(request->server->options.base, path_of(path));
    if (!below)
        return answer_outside(request, path_of(path));
    request->endpoint = find_endpoint(below);
    if (!request->endpoint)
        return send_file(request, below, method);
    bool post = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
    if (request->endpoint->post ? !post : !is_read(method))
        return reply_error(request, MHD_HTTP_METHOD_NOT_ALLOWED, "only %s here",
                           request->endpoint->post ? "POST works" : "GET and HEAD work");
    if (!read_arguments(request, &result))
        return result;
    if (!post)
        return answer(request);
    if (!accept_body(request, &result))
        return result;
    return MHD_YES;
}

/* ---- The body ---- */

/* Whether the client sends a body of a size that is worth reading before it looks for an answer. A
 * connection that is closed while it sends is reset, and the answer may be lost on the way. Who
 * asks for leave first (Expect) waits for the answer. */
static bool is_sending(struct request *request)
{
    const char *length = MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND,
                                                     MHD_HTTP_HEADER_CONTENT_LENGTH);
    return !MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND,
                                        MHD_HTTP_HEADER_EXPECT) &&
           (!length || strtoull(length, NULL, 10) <= DISCARD_MAX);
}

/* Takes a piece. MHD_NO cuts the connection of somebody who goes on and on. */
static enum MHD_Result take_piece(struct request *request, const char *bytes, size_t count)
{
    if (request->held || request->too_long || count > SERVE_BODY_MAX - request->length) {
        request->too_long = true;
        request->length += count;
        return request->length > DISCARD_MAX ? MHD_NO : MHD_YES;
    }
    if (request->length + count + 1 > request->room) {
        size_t room = 2 * (request->length + count + 1);
        char *body = realloc(request->body, room);
        if (!body)
            return MHD_NO;
        request->body = body;
        request->room = room;
    }
    memcpy(request->body + request->length, bytes, count);
    request->length += count;
    request->body[request->length] = '\0';
    return MHD_YES;
}

static enum MHD_Result finish(struct request *request)
{
    request->sending = false;
    if (request->held)
        return reply_held(request);
    connection_restart(&request->server->connections, request->record);
    if (request->too_long)
        return reply_error(request, MHD_HTTP_CONTENT_TOO_LARGE,
                           "a request has at most %d bytes; send several", SERVE_BODY_MAX);
    if (request->length == 0)
        return reply_error(request, MHD_HTTP_BAD_REQUEST, "the request has no body");
    return answer(request);
}

/* ---- What the library calls ---- */

static struct request *new_request(struct server *server, struct MHD_Connection *connection)
{
    struct request *request = calloc(1, sizeof *request);
    if (!request)
        return NULL;
    request->server = server;
    request->connection = connection;
    request->record =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    connection_restart(&server->connections, request->record);
    atomic_store(&request->record->busy, true);
    return request;
}

enum MHD_Result request_handle(void *context, struct MHD_Connection *connection, const char *path,
                               const char *method, const char *version, const char *bytes,
                               size_t *count, void **place)
{
    struct server *server = context;
    struct request *request = *place;
    enum MHD_Result refused = MHD_YES;
    if (!request) {
        *place = request = new_request(server, connection);
        if (!request)
            return MHD_NO;
        atomic_fetch_add(&server->connections.in_flight, 1);
        if (!is_framed(request))
            return reply_error(request, MHD_HTTP_BAD_REQUEST,
                               "several headers say where this request ends");
        bool post = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
        request->sending = post && is_sending(request);
        if (!request_invited(request, path, version, &refused))
            return refused;
        /* A POST is refused before its body is kept, or even sent. The others wait for their end:
         * an answer before it would end the connection. */
        return post ? begin(request, path, method) : MHD_YES;
    }
    if (*count > 0) {
        enum MHD_Result result = take_piece(request, bytes, *count);
        *count = 0;
        return result;
    }
    return request->endpoint || request->held ? finish(request) : begin(request, path, method);
}

void request_end(void *context, struct MHD_Connection *connection, void **place,
                 enum MHD_RequestTerminationCode how)
{
    struct server *server = context;
    struct request *request = *place;
    (void)connection;
    if (!request)
        return;
    *place = NULL;
    connection_restart(&server->connections, request->record);
    atomic_store(&request->record->busy, false);
    if (atomic_load(&server->draining))
        atomic_fetch_add(
            how == MHD_REQUEST_TERMINATED_COMPLETED_OK ? &server->answered : &server->lost, 1);
    if (request->held)
        MHD_destroy_response(request->held);
    free(request->body);
    free(request);
    atomic_fetch_sub(&server->connections.in_flight, 1);
}
