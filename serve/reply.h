/* How requests are answered. Each function queues a response and returns what the library wants to
 * hear: MHD_NO, which drops the connection, only if there is no memory for a response. */
#ifndef SERVE_REPLY_H
#define SERVE_REPLY_H

#include "answer/json.h"
#include "serve/request.h"

/* How long others may keep an answer. */
enum reply_cache {
    CACHE_NOTHING,    /* errors, health */
    CACHE_REVALIDATE, /* ask each time whether the tag still holds: the page */
    CACHE_AN_HOUR,    /* values never change, but a database may grow */
};

/* Whether the client has the answer with this tag already; if so, 304 was queued. */
bool reply_not_modified(struct request *request, const char *etag, enum reply_cache cache,
                        enum MHD_Result *result);

/* 200 with an object, which is released; NULL: there was no memory for it. `etag` may be NULL. */
enum MHD_Result reply_json(struct request *request, json_t *object, const char *etag,
                           enum reply_cache cache);

/* 200 with these bytes, which must stay as long as the program. */
enum MHD_Result reply_bytes(struct request *request, const void *bytes, size_t count,
                            const char *type, const char *etag);

/* 308 to another path, with the arguments of this request; a relative one counts from the path of
 * the request. */
enum MHD_Result reply_redirect(struct request *request, const char *path);

/* Adds the headers that our answers have, queues the response and releases it; NULL drops the
 * connection. `etag` may be NULL. While the client sends its body, the response is held. */
enum MHD_Result reply_queue(struct request *request, unsigned code, struct MHD_Response *response,
                            const char *type, const char *etag, enum reply_cache cache);

/* Sends the answer that was held while the client sent its body. */
enum MHD_Result reply_delayed(struct request *request);

/* {"error":REASON,"status":CODE} */
enum MHD_Result reply_error(struct request *request, unsigned code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a function that failed: 400 for bad input, 404 for what is not covered, 503 where
 * memory ran out. Anything else is the server's own trouble: 500, and the text goes to the operator
 * only, because it names files. */
enum MHD_Result reply_failure(struct request *request, enum wari_status status,
                              const struct wari_error *error);

/* Writes the whole of a 503 for who is turned away before a request: headers and body. Returns its
 * length, less than `size` for a kilobyte. */
size_t write_rejection(char *text, size_t size);

/* Makes what is not printable ASCII '?': reasons quote what was sent, which need not be UTF-8, and
 * JSON has to be. */
void replace_non_ascii(char *text);

/* The two parts of that: the code, and the text that may be told. */
unsigned failure_code(enum wari_status status);
const char *failure_text(struct server *server, enum wari_status status,
                         const struct wari_error *error);

#endif
