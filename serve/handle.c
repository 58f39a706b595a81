/* Handles a request: checks its form, finds its endpoint, and collects its body.
 *
 * A request is rejected as early as possible: for its path, method and arguments before its body is
 * read. An unknown or repeated argument is an error and not ignored, so that a response never
 * answers a question other than the intended one. */
#include "serve/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "serve/api.h"
#include "serve/hosts.h"
#include "serve/page.h"
#include "serve/reply.h"

enum {
    TAKES_RULES = 1 << ARGUMENT_RULES,
    TAKES_CYCLE = 1 << ARGUMENT_CYCLE,
    TAKES_POSITION = 1 << ARGUMENT_POSITION,
    TAKES_DETAIL = 1 << ARGUMENT_DETAIL,
    TAKES_LEVEL = 1 << ARGUMENT_LEVEL,
    TAKES_SEED = 1 << ARGUMENT_SEED,
    TAKES_DIFFICULTIES = 1 << ARGUMENT_EASIEST | 1 << ARGUMENT_HARDEST,
    TAKES_HISTORY = 1 << ARGUMENT_START | 1 << ARGUMENT_MOVES | 1 << ARGUMENT_REPETITION |
                    1 << ARGUMENT_REPETITION_SCORE,
    DISCARD_MAX = 8 * SERVE_BODY_MAX, /* bytes that are discarded of a body that is too long; after
                                         that the connection is dropped */
};

static const char *const argument_names[ARGUMENT_COUNT] = {
    "rules",   "cycle",   "p",     "detail", "level",      "seed",
    "easiest", "hardest", "start", "moves",  "repetition", "repetition_score"};

static const struct endpoint endpoints[] = {
    {"/api/position", false, true, TAKES_RULES | TAKES_CYCLE | TAKES_POSITION | TAKES_DETAIL,
     api_position},
    {"/api/positions", true, false, TAKES_RULES | TAKES_CYCLE | TAKES_DETAIL, api_positions},
    {"/api/analysis", false, false, TAKES_RULES | TAKES_CYCLE | TAKES_POSITION, api_analysis},
    {"/api/move", false, false,
     TAKES_RULES | TAKES_CYCLE | TAKES_POSITION | TAKES_LEVEL | TAKES_SEED | TAKES_HISTORY,
     api_move},
    {"/api/puzzle", false, true, TAKES_RULES | TAKES_CYCLE | TAKES_SEED | TAKES_DIFFICULTIES,
     api_puzzle},
    {"/api/moves", false, false, TAKES_RULES | TAKES_CYCLE | TAKES_POSITION, api_moves},
    {"/api/game", true, true, TAKES_RULES | TAKES_CYCLE, api_game},
    {"/api/review", true, true, TAKES_RULES | TAKES_CYCLE, api_review},
    {"/api/stats", false, false, TAKES_RULES | TAKES_CYCLE, api_stats},
    {"/api/info", false, false, 0, api_info},
    {"/healthz", false, false, 0, api_health},
};

/* ---- Arguments ---- */

struct argument_check {
    struct request *request;
    const char *name;    /* name of an invalid argument; NULL if there is none */
    const char *problem; /* what is wrong with it */
};

static enum MHD_Result check_argument(void *context, enum MHD_ValueKind kind, const char *name,
                                      size_t name_length, const char *value, size_t length)
{
    struct argument_check *check = context;
    struct request *request = check->request;
    (void)kind;
    check->name = name;
    check->problem = "is unknown here";
    for (int i = 0; i < ARGUMENT_COUNT; i++) {
        if (!(request->endpoint->arguments & 1u << i) || strcmp(argument_names[i], name) != 0 ||
            strlen(name) != name_length)
            continue;
        check->problem = "is given more than once";
        if (request->arguments[i])
            return MHD_NO;
        check->problem = "is empty or contains a zero byte";
        if (!value || length == 0 || strlen(value) != length)
            return MHD_NO;
        request->arguments[i] = value;
        check->name = NULL;
        return MHD_YES;
    }
    return MHD_NO;
}

static bool read_arguments(struct request *request, enum MHD_Result *result)
{
    struct argument_check check = {.request = request};
    MHD_get_connection_values_n(request->mhd_connection, MHD_GET_ARGUMENT_KIND, check_argument,
                                &check);
    if (!check.name)
        return true;
    *result = reply_error(request, MHD_HTTP_BAD_REQUEST, "the argument \"%.40s\" %s", check.name,
                          check.problem);
    return false;
}

/* ---- Headers ---- */

/* Finds the endpoint of a path. Paths below /api/ may name the version of the API: /api/v1/info is
 * /api/info. */
static const struct endpoint *find_endpoint(const char *path)
{
    static const char api[] = "/api/", version_1[] = "/api/v1/";
    char unversioned[sizeof "/api/positions"]; /* the longest path of the table */
    if (strncmp(path, version_1, sizeof version_1 - 1) == 0) {
        int length =
            snprintf(unversioned, sizeof unversioned, "%s%s", api, path + sizeof version_1 - 1);
        if (length < 0 || (size_t)length >= sizeof unversioned)
            return NULL;
        path = unversioned;
    }
    for (size_t i = 0; i < sizeof endpoints / sizeof endpoints[0]; i++) {
        if (strcmp(endpoints[i].path, path) == 0)
            return &endpoints[i];
    }
    return NULL;
}

static enum MHD_Result count_framing_headers(void *context, enum MHD_ValueKind kind,
                                             const char *name, const char *value)
{
    int *count = context;
    (void)kind;
    (void)value;
    *count += strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0 ||
              strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0;
    return MHD_YES;
}

/* Returns true if at most one header specifies where the request ends. If several do, a proxy and
 * this server may disagree about where the next request starts; that is how requests are smuggled.
 */
static bool has_clear_framing(struct request *request)
{
    int count = 0;
    MHD_get_connection_values(request->mhd_connection, MHD_HEADER_KIND, count_framing_headers,
                              &count);
    return count <= 1;
}

/* The part of a request's head that has not been visited yet. libmicrohttpd leaves the head in
 * memory as it arrived, except that zero bytes replace all ends of lines and the colons after
 * names. */
struct head {
    const char *next, *end;
    bool complete; /* everything so far belongs to a name or a value */
};

static void skip_zero_bytes(struct head *head, const char *from)
{
    head->next = from;
    while (head->next < head->end && *head->next == '\0')
        head->next++;
}

static enum MHD_Result follow_header(void *context, enum MHD_ValueKind kind, const char *name,
                                     const char *value)
{
    struct head *head = context;
    (void)kind;
    head->complete &= name == head->next;
    skip_zero_bytes(head, value + strlen(value));
    return MHD_YES;
}

/* Returns true if a zero byte hides a part of the target or of a header: libmicrohttpd 0.9 ends the
 * value "localhost\0.example" at the zero byte. Later versions refuse such a request themselves. */
static bool has_hidden_part(struct request *request, const char *method, const char *version)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(request->mhd_connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    if (MHD_get_version()[0] != '0' || !info)
        return false;
    struct head head = {.end = method + info->header_size, .complete = true};
    skip_zero_bytes(&head, version + strlen(version));
    MHD_get_connection_values(request->mhd_connection, MHD_HEADER_KIND, follow_header, &head);
    return !head.complete || head.next != head.end ||
           request->connection->target_end + 1 != version;
}

/* Returns true if the header has this media type, with or without parameters. */
static bool is_type(const char *header, const char *type)
{
    size_t length = strlen(type);
    return strncasecmp(header, type, length) == 0 && strchr("; \t", header[length]) != NULL;
}

/* Checks the headers that describe the body of a POST. */
static bool check_body_headers(struct request *request, enum MHD_Result *result)
{
    const char *type = MHD_lookup_connection_value(request->mhd_connection, MHD_HEADER_KIND,
                                                   MHD_HTTP_HEADER_CONTENT_TYPE);
    const char *length = MHD_lookup_connection_value(request->mhd_connection, MHD_HEADER_KIND,
                                                     MHD_HTTP_HEADER_CONTENT_LENGTH);
    request->body_is_json = type && is_type(type, "application/json");
    if (!request->body_is_json && !(type && is_type(type, "text/plain"))) {
        *result = reply_error(request, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE,
                              "the Content-Type must be text/plain or application/json");
        return false;
    }
    if (length && strtoull(length, NULL, 10) > SERVE_BODY_MAX) {
        *result = reply_error(request, MHD_HTTP_CONTENT_TOO_LARGE,
                              "a request may have at most %d bytes; split it into several",
                              SERVE_BODY_MAX);
        return false;
    }
    return true;
}

static bool is_read(const char *method)
{
    return strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
}

/* Lets the endpoint answer the request, while the thread holds a permit (permits.h) if the endpoint
 * needs one. Only then does the time limit for fetching the response start. */
static enum MHD_Result answer(struct request *request)
{
    struct server *server = request->server;
    connection_pause_timer(request->connection);
    if (request->endpoint->needs_permit)
        permits_acquire(&server->permits);
    enum MHD_Result result = request->endpoint->answer(request);
    if (request->endpoint->needs_permit)
        permits_release(&server->permits);
    connection_restart_timer(&server->connections, request->connection);
    return result;
}

/* Sends a file of the page. index.html is sent with its texts in the reader's language, which
 * storage.js stores in a cookie when the reader selects one. A header of index.html names the first
 * request of its script, so that the browser can send it without waiting for the script. */
static enum MHD_Result send_file(struct request *request, const char *path, const char *method)
{
    static const char link[] = "<api/info>; rel=preload; as=fetch; crossorigin=anonymous";
    struct page_file file;
    char language[PAGE_LANGUAGE];
    page_language(
        MHD_lookup_connection_value(request->mhd_connection, MHD_COOKIE_KIND, "wari-language"),
        MHD_lookup_connection_value(request->mhd_connection, MHD_HEADER_KIND,
                                    MHD_HTTP_HEADER_ACCEPT_LANGUAGE),
        language);
    if (!page_find(path, language, reply_accepts(request, "gzip"), &file))
        return reply_error(request, MHD_HTTP_NOT_FOUND, "there is nothing at this path");
    if (!is_read(method))
        return reply_error(request, MHD_HTTP_METHOD_NOT_ALLOWED,
                           "only GET and HEAD are allowed here");
    return reply_file(request, &file, file.is_start ? link : NULL);
}

/* Answers a request for a path that is not below the server's base. */
static enum MHD_Result answer_outside(struct request *request, const char *path)
{
    const char *base = request->server->options.base;
    const char *redirect = path_redirect(base, path);
    if (redirect)
        return reply_redirect(request, redirect);
    return reply_error(request, MHD_HTTP_NOT_FOUND,
                       "there is nothing at this path; everything is below %s", base);
}

/* Answers a request whose headers have arrived, unless its body is needed first. */
static enum MHD_Result begin(struct request *request, const char *path, const char *method)
{
    enum MHD_Result result = MHD_YES;
    const char *below = path_strip_base(request->server->options.base, target_path(path));
    if (!below)
        return answer_outside(request, target_path(path));
    request->endpoint = find_endpoint(below);
    if (request_is_preflight(request, method))
        return reply_preflight(request);
    if (!request->endpoint)
        return send_file(request, below, method);
    bool post = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
    if (request->endpoint->post ? !post : !is_read(method))
        return reply_error(request, MHD_HTTP_METHOD_NOT_ALLOWED, "only %s allowed here",
                           request->endpoint->post ? "POST is" : "GET and HEAD are");
    if (!read_arguments(request, &result))
        return result;
    if (!post)
        return answer(request);
    if (!check_body_headers(request, &result))
        return result;
    return MHD_YES;
}

/* ---- The body ---- */

/* Returns true if the client sends its body before it reads a response, and the body is not too
 * long to be discarded. Closing the connection while the client is sending would reset it, and the
 * response might be lost. A client that sends "Expect: 100-continue" waits for the response first.
 */
static bool body_will_be_sent(struct request *request)
{
    const char *length = MHD_lookup_connection_value(request->mhd_connection, MHD_HEADER_KIND,
                                                     MHD_HTTP_HEADER_CONTENT_LENGTH);
    return !MHD_lookup_connection_value(request->mhd_connection, MHD_HEADER_KIND,
                                        MHD_HTTP_HEADER_EXPECT) &&
           (!length || strtoull(length, NULL, 10) <= DISCARD_MAX);
}

/* Appends a part of the body. Returns MHD_NO, which drops the connection, if the client has sent
 * far too much. */
static enum MHD_Result append_body(struct request *request, const char *bytes, size_t count)
{
    if (request->delayed || request->body_too_long ||
        count > SERVE_BODY_MAX - request->body_length) {
        request->body_too_long = true;
        request->body_length += count;
        return request->body_length > DISCARD_MAX ? MHD_NO : MHD_YES;
    }
    if (request->body_length + count + 1 > request->body_capacity) {
        size_t capacity = 2 * (request->body_length + count + 1);
        char *body = realloc(request->body, capacity);
        if (!body)
            return MHD_NO;
        request->body = body;
        request->body_capacity = capacity;
    }
    memcpy(request->body + request->body_length, bytes, count);
    request->body_length += count;
    request->body[request->body_length] = '\0';
    return MHD_YES;
}

static enum MHD_Result finish_body(struct request *request)
{
    request->body_pending = false;
    if (request->delayed)
        return reply_delayed(request);
    connection_restart_timer(&request->server->connections, request->connection);
    if (request->body_too_long)
        return reply_error(request, MHD_HTTP_CONTENT_TOO_LARGE,
                           "a request may have at most %d bytes; split it into several",
                           SERVE_BODY_MAX);
    if (request->body_length == 0)
        return reply_error(request, MHD_HTTP_BAD_REQUEST, "the request has no body");
    return answer(request);
}

/* ---- Callbacks of libmicrohttpd ---- */

static struct request *new_request(struct server *server, struct MHD_Connection *connection)
{
    struct request *request = calloc(1, sizeof *request);
    if (!request)
        return NULL;
    request->server = server;
    request->mhd_connection = connection;
    request->connection =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    connection_restart_timer(&server->connections, request->connection);
    atomic_store(&request->connection->busy, true);
    return request;
}

enum MHD_Result request_handle(void *context, struct MHD_Connection *connection, const char *path,
                               const char *method, const char *version, const char *bytes,
                               size_t *count, void **slot)
{
    struct server *server = context;
    struct request *request = *slot;
    enum MHD_Result refused = MHD_YES;
    if (!request) {
        *slot = request = new_request(server, connection);
        if (!request)
            return MHD_NO;
        atomic_fetch_add(&server->connections.in_flight, 1);
        if (has_hidden_part(request, method, version))
            return reply_error(request, MHD_HTTP_BAD_REQUEST,
                               "the head of this request contains a zero byte or a folded line");
        if (!has_clear_framing(request))
            return reply_error(request, MHD_HTTP_BAD_REQUEST,
                               "more than one header specifies the length of this request");
        bool post = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
        request->body_pending = post && body_will_be_sent(request);
        if (!request_is_allowed(request, path, version, &refused))
            return refused;
        /* A POST can be rejected before its body is stored, or even sent. Other requests wait for
         * their end, because a response before the end would close the connection. */
        return post ? begin(request, path, method) : MHD_YES;
    }
    if (*count > 0) {
        enum MHD_Result result = append_body(request, bytes, *count);
        *count = 0;
        return result;
    }
    return request->endpoint || request->delayed ? finish_body(request)
                                                 : begin(request, path, method);
}

void request_end(void *context, struct MHD_Connection *connection, void **slot,
                 enum MHD_RequestTerminationCode how)
{
    struct server *server = context;
    struct request *request = *slot;
    (void)connection;
    if (!request)
        return;
    *slot = NULL;
    connection_restart_timer(&server->connections, request->connection);
    atomic_store(&request->connection->busy, false);
    if (atomic_load(&server->draining))
        atomic_fetch_add(
            how == MHD_REQUEST_TERMINATED_COMPLETED_OK ? &server->answered : &server->lost, 1);
    if (request->delayed)
        MHD_destroy_response(request->delayed);
    free(request->body);
    free(request);
    atomic_fetch_sub(&server->connections.in_flight, 1);
}
