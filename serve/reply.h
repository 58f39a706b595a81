/* Responses. Each function queues a response and returns the value that libmicrohttpd's callback
 * must return. This value is MHD_NO, which drops the connection, only if there is no memory for a
 * response. */
#ifndef SERVE_REPLY_H
#define SERVE_REPLY_H

#include "answer/json.h"
#include "serve/page.h"
#include "serve/request.h"

/* Specifies how long clients and proxies may cache a response. */
enum reply_cache {
    CACHE_NOTHING,    /* errors, health */
    CACHE_REVALIDATE, /* ask each time if the tag is still valid: the page */
    CACHE_AN_HOUR,    /* values never change, but a database may get further levels */
};

/* Returns true, having queued a response 304, if the client already has the response with this tag.
 */
bool reply_not_modified(struct request *request, const char *etag, enum reply_cache cache,
                        enum MHD_Result *result);

/* Sends 200 with `object`, and releases it. NULL, which means that memory ran out, gives 503.
 * `etag` may be NULL. A long text is compressed with zstd for clients that accept this. */
enum MHD_Result reply_json(struct request *request, json_t *object, const char *etag,
                           enum reply_cache cache);

/* Sends a file of the page, or 304 if the client already has it. `link` is the value of the header
 * Link, which makes browsers load further files at once; NULL means none. */
enum MHD_Result reply_file(struct request *request, const struct page_file *file, const char *link);

/* Returns true if the client accepts a response that is compressed with `encoding`: "gzip" or
 * "zstd". */
bool reply_accepts(struct request *request, const char *encoding);

/* Sends 308 with another path and the arguments of this request. A relative path is relative to
 * that of the request. */
enum MHD_Result reply_redirect(struct request *request, const char *path);

/* Adds the headers that all our responses have, queues the response and releases it. A response of
 * NULL drops the connection. `etag` may be NULL. While the client is still sending its body, the
 * response is kept and sent afterwards. */
enum MHD_Result reply_queue(struct request *request, unsigned code, struct MHD_Response *response,
                            const char *type, const char *etag, enum reply_cache cache);

/* Sends the response that was kept while the client was sending its body. */
enum MHD_Result reply_delayed(struct request *request);

/* Sends {"error":REASON,"status":CODE}. */
enum MHD_Result reply_error(struct request *request, unsigned code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sends the error of a function that failed: 400 for bad input, 404 if the position or database is
 * not covered, 503 if memory ran out. Any other failure is the server's own: the client gets 500
 * with a general text, and only the operator gets the error's text, because it names files. */
enum MHD_Result reply_failure(struct request *request, enum wari_status status,
                              const struct wari_error *error);

/* Returns true if a browser asks, on behalf of a page of an allowed origin, which requests the page
 * may send to this path. reply_preflight() answers that. */
bool request_is_preflight(const struct request *request, const char *method);
enum MHD_Result reply_preflight(struct request *request);

/* Writes a complete 503 response, headers and body, for a client that is rejected before it sends a
 * request. Returns the length, which is less than `size` if that is at least 1,024. */
size_t write_rejection(char *text, size_t size);

/* Replaces every character other than printable ASCII by '?'. Error texts quote input, which need
 * not be UTF-8, but JSON must be. */
void replace_non_ascii(char *text);

/* The two parts of reply_failure(): the code, and the text for the client. If the failure is the
 * server's own, failure_text() also reports it to the operator. */
unsigned failure_code(enum wari_status status);
const char *failure_text(struct server *server, enum wari_status status,
                         const struct wari_error *error);

#endif
