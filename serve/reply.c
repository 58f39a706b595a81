/* Responses: the headers that all of them have, errors, and caching. */
#include "serve/reply.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zstd.h>

enum {
    REPORTS_MAX = 100, /* reports to the operator; a damaged file would otherwise fill the log */
    /* Other servers limit a header to this length, too; the URLs of the page are far shorter. */
    LOCATION_MAX = 8192,
    COMPRESSED_LEAST = 1024, /* JSON texts of fewer bytes are not compressed */
    COMPRESSION_LEVEL = 3,
};

static const char type_json[] = "application/json; charset=utf-8";

static bool add_header(struct MHD_Response *response, const char *name, const char *value)
{
    return MHD_add_response_header(response, name, value) == MHD_YES;
}

/* ---- Headers of every response ---- */

/* Sent with every response. */
static const char *const security[][2] = {
    {"Content-Security-Policy", page_policy},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
};

enum { SECURITY = sizeof security / sizeof security[0] };

static bool add_common_headers(struct MHD_Response *response)
{
    bool ours = MHD_get_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL) != NULL;
    bool added =
        ours || (add_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store") &&
                 add_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/html; charset=utf-8"));
    for (int i = 0; i < SECURITY; i++)
        added = added && add_header(response, security[i][0], security[i][1]);
    return added;
}

#ifdef RTLD_NEXT
/* libmicrohttpd itself answers a request that is not valid HTTP, or whose headers are too long, and
 * offers no way to add headers to those responses. But they, too, pass through
 * MHD_queue_response(). A program may define a function of that name, and the dynamic linker then
 * uses it for the library's own calls as well. A library that was linked to call only its own
 * functions would bypass it, as all libraries on macOS do. So tests/cli/serve.sh checks such
 * responses. RTLD_NEXT, by which the replaced function is found, is not part of POSIX. */
typedef enum MHD_Result (*queue_function)(struct MHD_Connection *connection, unsigned code,
                                          struct MHD_Response *response);

/* Returns the MHD_queue_response() of libmicrohttpd, which the function below replaces. */
static queue_function find_queue(void)
{
    queue_function queue;
    void *symbol = dlsym(RTLD_NEXT, "MHD_queue_response");
    _Static_assert(sizeof queue == sizeof symbol, "POSIX has them interchangeable");
    memcpy(&queue, &symbol, sizeof queue);
    return queue;
}

__attribute__((visibility("default"))) enum MHD_Result
MHD_queue_response(struct MHD_Connection *connection, unsigned code, struct MHD_Response *response)
{
    queue_function queue = find_queue();
    return queue && add_common_headers(response) ? queue(connection, code, response) : MHD_NO;
}
#endif

/* Sends a response of this server, with the headers that all responses must have. */
static enum MHD_Result queue_response(struct MHD_Connection *connection, unsigned code,
                                      struct MHD_Response *response)
{
#ifndef RTLD_NEXT
    if (!add_common_headers(response))
        return MHD_NO;
#endif
    return MHD_queue_response(connection, code, response);
}

size_t write_rejection(char *text, size_t size)
{
    static const char body[] =
        "{\"error\":\"too many connections; try again soon\",\"status\":503}\n";
    int length = snprintf(text, size,
                          "HTTP/1.1 503 Service Unavailable\r\n"
                          "Content-Type: application/json; charset=utf-8\r\n"
                          "Content-Length: %zu\r\nCache-Control: no-store\r\nRetry-After: 1\r\n"
                          "Connection: close\r\n",
                          sizeof body - 1);
    for (int i = 0; i < SECURITY; i++)
        length += snprintf(text + length, size - (size_t)length, "%s: %s\r\n", security[i][0],
                           security[i][1]);
    length += snprintf(text + length, size - (size_t)length, "\r\n%s", body);
    return (size_t)length;
}

/* ---- Pages of other sites ---- */

/* Allows a page of an allowed origin to read the response (CORS). If the headers of the response
 * depend on the origin, "Vary" keeps caches from giving it to a page of another origin. */
static bool add_origin_headers(const struct request *request, struct MHD_Response *response)
{
    if (request->depends_on_origin && !add_header(response, MHD_HTTP_HEADER_VARY, "Origin"))
        return false;
    return !request->readable_by ||
           (add_header(response, "Access-Control-Allow-Origin", request->readable_by) &&
            add_header(response, "Access-Control-Expose-Headers", "ETag, Retry-After"));
}

static const char *find_header(const struct request *request, const char *name)
{
    return MHD_lookup_connection_value(request->mhd_connection, MHD_HEADER_KIND, name);
}

bool request_is_preflight(const struct request *request, const char *method)
{
    return request->readable_by && strcmp(method, MHD_HTTP_METHOD_OPTIONS) == 0 &&
           find_header(request, "Origin") && find_header(request, "Access-Control-Request-Method");
}

enum MHD_Result reply_preflight(struct request *request)
{
    const bool post = request->endpoint && request->endpoint->post;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    /* A browser asks for the last header before a page from the Internet uses a server in the
     * visitor's own network. */
    bool added =
        add_header(response, "Access-Control-Allow-Methods", post ? "POST" : "GET, HEAD") &&
        add_header(response, "Access-Control-Allow-Headers", "Content-Type, If-None-Match") &&
        add_header(response, "Access-Control-Max-Age", "86400") &&
        (!find_header(request, "Access-Control-Request-Private-Network") ||
         add_header(response, "Access-Control-Allow-Private-Network", "true"));
    if (!added) {
        MHD_destroy_response(response);
        return MHD_NO;
    }
    return reply_queue(request, MHD_HTTP_NO_CONTENT, response, NULL, NULL, CACHE_NOTHING);
}

/* ---- Queueing ---- */

enum MHD_Result reply_queue(struct request *request, unsigned code, struct MHD_Response *response,
                            const char *type, const char *etag, enum reply_cache cache)
{
    static const char *const caching[] = {
        [CACHE_NOTHING] = "no-store",
        [CACHE_REVALIDATE] = "no-cache",
        [CACHE_AN_HOUR] = "public, max-age=3600",
    };
    if (!response)
        return MHD_NO;
    bool added = add_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, caching[cache]) &&
                 (!type || add_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type)) &&
                 (!etag || add_header(response, MHD_HTTP_HEADER_ETAG, etag));
    added = added && add_origin_headers(request, response);
    if (code == MHD_HTTP_SERVICE_UNAVAILABLE)
        added = added && add_header(response, MHD_HTTP_HEADER_RETRY_AFTER, "1");
    if (code == MHD_HTTP_METHOD_NOT_ALLOWED)
        added = added &&
                add_header(response, MHD_HTTP_HEADER_ALLOW,
                           request->endpoint && request->endpoint->post ? "POST" : "GET, HEAD");
    if (code == MHD_HTTP_SERVICE_UNAVAILABLE || atomic_load(&request->server->draining))
        added = added && add_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    if (added && request->body_pending) {
        request->delayed = response;
        request->delayed_code = code;
        return MHD_YES;
    }
    enum MHD_Result result =
        added ? queue_response(request->mhd_connection, code, response) : MHD_NO;
    MHD_destroy_response(response);
    return result;
}

enum MHD_Result reply_delayed(struct request *request)
{
    enum MHD_Result result =
        queue_response(request->mhd_connection, request->delayed_code, request->delayed);
    MHD_destroy_response(request->delayed);
    request->delayed = NULL;
    return result;
}

/* ---- Redirects ---- */

/* A URL being written. `complete` is false if a part did not fit. */
struct location {
    char text[LOCATION_MAX];
    size_t length;
    char separator; /* before the next argument: '?', then '&' */
    bool complete;
};

static void append_byte(struct location *location, char byte)
{
    location->complete = location->complete && location->length + 1 < LOCATION_MAX;
    if (location->complete)
        location->text[location->length++] = byte;
}

/* Appends bytes, with percent-encoding of those that have a meaning in a URL or could end the
 * header. The library passes arguments decoded. */
static void append_escaped(struct location *location, const char *bytes, size_t count)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._~-,:/";
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < count; i++) {
        const unsigned char byte = (unsigned char)bytes[i];
        const bool unreserved = byte != '\0' && strchr(allowed, byte);
        append_byte(location, unreserved ? bytes[i] : '%');
        if (unreserved)
            continue;
        append_byte(location, digits[byte >> 4]);
        append_byte(location, digits[byte & 15]);
    }
}

static enum MHD_Result append_argument(void *context, enum MHD_ValueKind kind, const char *name,
                                       size_t name_length, const char *value, size_t length)
{
    struct location *location = context;
    (void)kind;
    append_byte(location, location->separator);
    location->separator = '&';
    append_escaped(location, name, name_length);
    if (value) {
        append_byte(location, '=');
        append_escaped(location, value, length);
    }
    return location->complete ? MHD_YES : MHD_NO;
}

enum MHD_Result reply_redirect(struct request *request, const char *path)
{
    struct location location = {.separator = '?', .complete = true};
    append_escaped(&location, path, strlen(path));
    MHD_get_connection_values_n(request->mhd_connection, MHD_GET_ARGUMENT_KIND, append_argument,
                                &location);
    if (!location.complete)
        return reply_error(request, MHD_HTTP_URI_TOO_LONG,
                           "this has moved to %s; the arguments are too long to redirect them",
                           path);
    struct MHD_Response *response =
        MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    if (response && !add_header(response, MHD_HTTP_HEADER_LOCATION, location.text)) {
        MHD_destroy_response(response);
        return MHD_NO;
    }
    return reply_queue(request, MHD_HTTP_PERMANENT_REDIRECT, response, NULL, NULL, CACHE_NOTHING);
}

/* Returns true if the client already has the response with this tag. Tags include their quotes, so
 * none is a part of another, and a substring search of the list suffices. */
static bool is_known(struct request *request, const char *etag)
{
    const char *tags = MHD_lookup_connection_value(request->mhd_connection, MHD_HEADER_KIND,
                                                   MHD_HTTP_HEADER_IF_NONE_MATCH);
    return tags && (strcmp(tags, "*") == 0 || strstr(tags, etag));
}

/* Returns true if the client knows this tag as a weak one (W/"..."), because the server or a proxy
 * has compressed the response. */
static bool is_known_as_weak(const struct request *request, const char *etag)
{
    const char *tags = find_header(request, MHD_HTTP_HEADER_IF_NONE_MATCH);
    const char *found = tags ? strstr(tags, etag) : NULL;
    return found && found - tags >= 2 && strncmp(found - 2, "W/", 2) == 0;
}

bool reply_not_modified(struct request *request, const char *etag, enum reply_cache cache,
                        enum MHD_Result *result)
{
    if (!is_known(request, etag))
        return false;
    char tag[sizeof "W/" + ETAG_TEXT];
    struct MHD_Response *response =
        MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    if (response && !add_header(response, MHD_HTTP_HEADER_VARY, "Accept-Encoding")) {
        MHD_destroy_response(response);
        response = NULL;
    }
    /* A cache goes on using a stored response only if this answer has the tag of the response. */
    snprintf(tag, sizeof tag, "%s%s", is_known_as_weak(request, etag) ? "W/" : "", etag);
    *result = reply_queue(request, MHD_HTTP_NOT_MODIFIED, response, NULL, tag, cache);
    return true;
}

/* ---- Compression ---- */

/* Parses an element of Accept-Encoding, such as "gzip" or "gzip;q=0.5". Returns true if it allows
 * `encoding`; a weight of 0 forbids it. */
static bool allows(const char *element, size_t length, const char *encoding)
{
    const size_t name = strcspn(element, ",; \t");
    const char *weight = memchr(element, '=', length);
    return name == strlen(encoding) && strncasecmp(element, encoding, name) == 0 &&
           (!weight || strtod(weight + 1, NULL) > 0);
}

bool reply_accepts(struct request *request, const char *encoding)
{
    const char *element = MHD_lookup_connection_value(request->mhd_connection, MHD_HEADER_KIND,
                                                      MHD_HTTP_HEADER_ACCEPT_ENCODING);
    while (element && *element) {
        const size_t length = strcspn(element, ",");
        if (allows(element, length, encoding))
            return true;
        element += length;
        element += strspn(element, ", \t");
    }
    return false;
}

/* Replaces a text by its compressed form. Returns false, and leaves the text as it is, if the
 * compression fails or the result is not shorter. */
static bool compress_text(char **text, size_t *length)
{
    const size_t capacity = ZSTD_compressBound(*length);
    char *compressed = malloc(capacity);
    if (!compressed)
        return false;
    const size_t count = ZSTD_compress(compressed, capacity, *text, *length, COMPRESSION_LEVEL);
    if (ZSTD_isError(count) || count >= *length) {
        free(compressed);
        return false;
    }
    free(*text);
    *text = compressed;
    *length = count;
    return true;
}

/* ---- JSON ---- */

/* A strong tag promises that the bytes are always the same. But a text is compressed for some
 * clients only, so a compressed text has a weak tag (W/"..."). */
static enum MHD_Result reply_object(struct request *request, unsigned code, json_t *object,
                                    const char *etag, enum reply_cache cache)
{
    char *text, tag[sizeof "W/" + ETAG_TEXT];
    size_t length;
    if (json_text(object, &text, NULL) != WARI_OK) {
        if (code == MHD_HTTP_SERVICE_UNAVAILABLE)
            return MHD_NO; /* there is no memory even for the error */
        return reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "not enough memory; try again");
    }
    length = strlen(text);
    text[length++] = '\n'; /* replaces the final 0, which is not needed */
    const bool is_long = length >= COMPRESSED_LEAST;
    const bool compressed =
        is_long && reply_accepts(request, "zstd") && compress_text(&text, &length);
    struct MHD_Response *response =
        MHD_create_response_from_buffer(length, text, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        free(text);
        return MHD_NO;
    }
    if ((is_long && !add_header(response, MHD_HTTP_HEADER_VARY, "Accept-Encoding")) ||
        (compressed && !add_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "zstd"))) {
        MHD_destroy_response(response);
        return MHD_NO;
    }
    snprintf(tag, sizeof tag, "%s%s", compressed ? "W/" : "", etag ? etag : "");
    return reply_queue(request, code, response, type_json, etag ? tag : NULL, cache);
}

enum MHD_Result reply_json(struct request *request, json_t *object, const char *etag,
                           enum reply_cache cache)
{
    return reply_object(request, MHD_HTTP_OK, object, etag, cache);
}

/* ---- Files ---- */

enum MHD_Result reply_file(struct request *request, const struct page_file *file, const char *link)
{
    const bool known = is_known(request, file->etag);
    struct MHD_Response *response = MHD_create_response_from_buffer(
        known ? 0 : file->count, (void *)(uintptr_t)file->bytes, MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    bool added =
        add_header(response, MHD_HTTP_HEADER_VARY,
                   link ? "Accept-Encoding, Accept-Language, Cookie" : "Accept-Encoding") &&
        (!link || add_header(response, MHD_HTTP_HEADER_LINK, link)) &&
        (known || !file->encoding ||
         add_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, file->encoding));
    if (!added) {
        MHD_destroy_response(response);
        return MHD_NO;
    }
    return reply_queue(request, known ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK, response,
                       known ? NULL : file->type, file->etag, CACHE_REVALIDATE);
}

void replace_non_ascii(char *text)
{
    for (; *text; text++) {
        if (*text < ' ' || *text > '~')
            *text = '?';
    }
}

enum MHD_Result reply_error(struct request *request, unsigned code, const char *format, ...)
{
    char text[sizeof((struct wari_error *)0)->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    replace_non_ascii(text);
    return reply_object(request, code, json_pack("{ss si}", "error", text, "status", code), NULL,
                        CACHE_NOTHING);
}

unsigned failure_code(enum wari_status status)
{
    if (status == WARI_BAD_INPUT)
        return MHD_HTTP_BAD_REQUEST;
    if (status == WARI_NOT_COVERED)
        return MHD_HTTP_NOT_FOUND;
    if (status == WARI_NO_MEMORY)
        return MHD_HTTP_SERVICE_UNAVAILABLE;
    return MHD_HTTP_INTERNAL_SERVER_ERROR;
}

const char *failure_text(struct server *server, enum wari_status status,
                         const struct wari_error *error)
{
    if (failure_code(status) != MHD_HTTP_INTERNAL_SERVER_ERROR)
        return error->text;
    unsigned reported = atomic_fetch_add(&server->failures_reported, 1);
    if (reported < REPORTS_MAX)
        server->options.report(error->text);
    else if (reported == REPORTS_MAX)
        server->options.report("further failures of this kind are not reported");
    return status == WARI_CORRUPT
               ? "the database is damaged at this position; the server's operator has been notified"
               : "the database cannot be read; the server's operator has been notified";
}

enum MHD_Result reply_failure(struct request *request, enum wari_status status,
                              const struct wari_error *error)
{
    return reply_error(request, failure_code(status), "%s",
                       failure_text(request->server, status, error));
}
