/* Many positions in one request.
 *
 * The answer is an array with an element on a line for each position, in their order, made piece by
 * piece as the client fetches it. A piece takes a few milliseconds at most, so that others who
 * share the thread are answered in between, and no answer is ever held whole. A position without an
 * answer has its reason in its place: the request as a whole succeeds.
 */
#include <stdlib.h>
#include <string.h>

#include "serve/server.h"

enum {
    PIECE_BYTES = 32768,
    PIECE_MS = 2, /* then what there is is sent */
};

struct bulk {
    struct server *server;
    const struct database *database;
    enum answer_detail detail;
    char *body;             /* the positions point into it, */
    json_t *list;           /* or into this */
    const char **positions; /* NULL: one that cannot be a position */
    size_t count, next;
    char *text; /* of the element being sent */
    size_t sent, length;
    bool ended;
};

static void bulk_free(void *context)
{
    struct bulk *bulk = context;
    free(bulk->body);
    json_decref(bulk->list);
    free(bulk->positions);
    free(bulk->text);
    free(bulk);
}

/* ---- What was asked ---- */

/* Cuts the body into lines; an end of line behind the last one is none of its own. */
static void cut_lines(struct bulk *bulk, size_t length)
{
    char *line = bulk->body;
    char *end = bulk->body + length;
    while (line < end && bulk->count <= SERVE_POSITIONS_MAX) {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop)
            stop = end;
        *stop = '\0';
        bool whole = strlen(line) == (size_t)(stop - line);
        bulk->positions[bulk->count++] = whole ? line : NULL;
        line = stop + 1;
    }
}

static enum wari_status read_list(struct bulk *bulk, size_t length, struct wari_error *error)
{
    json_error_t why;
    bulk->list = json_loadb(bulk->body, length, 0, &why);
    if (!bulk->list)
        return wari_fail(error, WARI_BAD_INPUT, "the JSON is wrong at line %d column %d: %s",
                         why.line, why.column, why.text);
    if (!json_is_array(bulk->list))
        return wari_fail(error, WARI_BAD_INPUT,
                         "the JSON must be an array of positions as strings");
    for (size_t i = 0; i < json_array_size(bulk->list) && bulk->count <= SERVE_POSITIONS_MAX; i++)
        bulk->positions[bulk->count++] = json_string_value(json_array_get(bulk->list, i));
    return WARI_OK;
}

/* ---- The answer, piece by piece ---- */

static json_t *one_answer(struct bulk *bulk, const char *position)
{
    struct wari_error error;
    struct wari_setup setup;
    struct answer answer;
    enum wari_status status;
    if (position)
        status = wari_setup_parse(position, &setup, &error);
    else
        status = wari_fail(&error, WARI_BAD_INPUT, "no text, or a zero byte in it");
    if (status == WARI_OK)
        status = answer_find(bulk->database->db, &setup, bulk->detail, &answer, &error);
    if (status == WARI_OK)
        return answer_json(&answer);
    return json_pack("{ss si}", "error", failure_text(bulk->server, status, &error), "status",
                     failure_code(status));
}

/* Makes the text of the next element, or of the end. False if memory runs out. */
static bool make_text(struct bulk *bulk)
{
    char *text;
    free(bulk->text);
    bulk->text = NULL;
    bulk->sent = bulk->length = 0;
    if (bulk->next == bulk->count) {
        bulk->ended = true;
        bulk->text = strdup("\n]\n");
    } else {
        if (json_text(one_answer(bulk, bulk->positions[bulk->next]), &text, NULL) != WARI_OK)
            return false;
        size_t room = strlen(text) + 3;
        bulk->text = malloc(room);
        if (bulk->text) {
            memcpy(bulk->text, bulk->next == 0 ? "[\n" : ",\n", 2);
            memcpy(bulk->text + 2, text, room - 2);
        }
        free(text);
        bulk->next++;
    }
    if (bulk->text)
        bulk->length = strlen(bulk->text);
    return bulk->text != NULL;
}

static ssize_t next_piece(void *context, uint64_t offset, char *buffer, size_t room)
{
    struct bulk *bulk = context;
    size_t filled = 0;
    int64_t end = clock_now() + PIECE_MS;
    (void)offset;
    while (filled < room) {
        if (bulk->sent == bulk->length) {
            if (bulk->ended || (filled > 0 && clock_now() > end))
                break;
            if (!make_text(bulk))
                return MHD_CONTENT_READER_END_WITH_ERROR;
        }
        size_t part = bulk->length - bulk->sent;
        if (part > room - filled)
            part = room - filled;
        memcpy(buffer + filled, bulk->text + bulk->sent, part);
        bulk->sent += part;
        filled += part;
    }
    return filled > 0 ? (ssize_t)filled : MHD_CONTENT_READER_END_OF_STREAM;
}

/* ---- The request ---- */

static struct bulk *new_bulk(struct request *request)
{
    struct bulk *bulk = calloc(1, sizeof *bulk);
    if (!bulk)
        return NULL;
    bulk->server = request->server;
    bulk->positions = malloc((SERVE_POSITIONS_MAX + 1) * sizeof *bulk->positions);
    bulk->body = request->body; /* its owner from here on */
    request->body = NULL;
    if (bulk->positions)
        return bulk;
    bulk_free(bulk);
    return NULL;
}

enum MHD_Result api_positions(struct request *request)
{
    const struct database *database;
    enum answer_detail detail;
    enum MHD_Result result;
    struct wari_error error;
    if (!request_database(request, &database, &result) ||
        !request_detail(request, ANSWER_FULL, &detail, &result))
        return result;
    struct bulk *bulk = new_bulk(request);
    if (!bulk)
        return reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "not enough memory; try again");
    bulk->database = database;
    bulk->detail = detail;
    enum wari_status status = WARI_OK;
    if (request->json)
        status = read_list(bulk, request->length, &error);
    else
        cut_lines(bulk, request->length);
    if (status != WARI_OK || bulk->count == 0 || bulk->count > SERVE_POSITIONS_MAX) {
        bool many = status == WARI_OK && bulk->count > 0;
        bulk_free(bulk);
        if (many)
            return reply_error(request, MHD_HTTP_CONTENT_TOO_LARGE,
                               "a request has at most %d positions; send several",
                               SERVE_POSITIONS_MAX);
        return reply_error(request, MHD_HTTP_BAD_REQUEST, "%s",
                           status != WARI_OK ? error.text : "the request has no positions");
    }
    struct MHD_Response *response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE_BYTES,
                                                                      next_piece, bulk, bulk_free);
    if (!response)
        bulk_free(bulk);
    return reply_queue(request, MHD_HTTP_OK, response, "application/json; charset=utf-8", NULL,
                       CACHE_NOTHING);
}
