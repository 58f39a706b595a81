/* Many positions in one request.
 *
 * The answer is an array with an element on a line for each position, in their order. It is made in
 * windows of some thousand positions as the client fetches it: the positions of a window are looked
 * up in the order of the files, so that what lies in one block is decoded once however small the
 * cache is, and then sent in the order they were asked for. So the memory of a request is bounded,
 * and a client whose system refuses it is noticed within a window. Each look-up takes a turn of its
 * own: requests in bulk share theirs, and keep nobody else waiting. Where a window takes long, an
 * empty line is sent now and then, as proxies and clients give up who is silent. A position without
 * an answer has its reason in its place: the request as a whole succeeds.
 */
#include "serve/api/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/api/string_array.h"
#include "serve/request/arguments.h"
#include "serve/request/reply.h"

enum {
    PIECE_BYTES = 32768,
    WINDOW = 2000, /* the blocks of 10,000 positions are decoded 5 times at most */
    SOME = 16,     /* look-ups between looks whether the client is still there */
    SILENCE_MS = 5000,
};

/* A position of the window that is to be looked up. */
struct element {
    uint64_t place; /* in the files, by level and number */
    size_t index;   /* in the window */
};

/* The answers of a window, one behind the other as they were found. */
struct window {
    struct element elements[WINDOW];
    size_t start[WINDOW], length[WINDOW]; /* in the text, by index */
    size_t count, found, sent;            /* answers in it, looked up, sent */
    size_t sent_bytes;                    /* of the one being sent */
    char *text;
    size_t used, room;
};

struct bulk {
    struct server *server;
    struct connection *connection;
    const struct database *database;
    enum answer_detail detail;
    char *body;             /* the positions point into it */
    const char **positions; /* NULL: one that cannot be a position */
    size_t count, next;     /* positions, and how many of them were in a window */
    bool ended;
    struct window window;
};

static void bulk_free(void *context)
{
    struct bulk *bulk = context;
    free(bulk->body);
    free(bulk->positions);
    free(bulk->window.text);
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
    struct string_array array = {.text = bulk->body, .length = length};
    bool more = true;
    while (more && bulk->count <= SERVE_POSITIONS_MAX) {
        const char *string = NULL;
        enum wari_status status = string_array_next(&array, &more, &string, error);
        if (status != WARI_OK)
            return status;
        if (more)
            bulk->positions[bulk->count++] = string;
    }
    return WARI_OK;
}

/* ---- A window ---- */

static enum wari_status read_position(const char *text, struct wari_setup *setup,
                                      struct wari_error *error)
{
    if (!text)
        return wari_fail(error, WARI_BAD_INPUT, "no text, or a zero byte in it");
    return wari_setup_parse(text, setup, error);
}

static json_t *one_answer(struct bulk *bulk, const char *position)
{
    struct wari_error error;
    struct wari_setup setup;
    struct answer answer;
    enum wari_status status = read_position(position, &setup, &error);
    if (status == WARI_OK)
        status = answer_find(bulk->database->db, &bulk->database->proof, &setup, bulk->detail,
                             &answer, &error);
    if (status == WARI_OK)
        return answer_json(&answer);
    const char *reason = failure_text(bulk->server, status, &error);
    make_plain(error.text); /* which the reason may be */
    return json_pack("{ss si}", "error", reason, "status", failure_code(status));
}

/* Where a position is looked up first: 0 if it is none, or has no number. */
static uint64_t place_of(const char *position)
{
    struct wari_setup setup;
    struct wari_error error;
    uint64_t number;
    if (read_position(position, &setup, &error) != WARI_OK ||
        wari_position_number(&setup.position, &number, &error) != WARI_OK)
        return 0;
    return (uint64_t)wari_seeds(&setup.position) << 48 | number; /* of 48 seeds: below 2^37 */
}

static int compare_places(const void *one, const void *other)
{
    const struct element *a = one, *b = other;
    return (a->place > b->place) - (a->place < b->place);
}

/* Adds an answer with what stands between it and the next, so that an empty line may come behind
 * it. False if memory runs out. */
static bool keep_answer(struct bulk *bulk, size_t index, const char *text)
{
    struct window *window = &bulk->window;
    const char *before = bulk->next + index == 0 ? "[\n" : "";
    const char *behind = bulk->next + index + 1 < bulk->count ? ",\n" : "";
    size_t length = strlen(before) + strlen(text) + strlen(behind);
    if (window->used + length + 1 > window->room) {
        size_t room = 2 * (window->used + length + 1);
        char *larger = realloc(window->text, room);
        if (!larger)
            return false;
        window->text = larger;
        window->room = room;
    }
    (void)snprintf(window->text + window->used, length + 1, "%s%s%s", before, text, behind);
    window->start[index] = window->used;
    window->length[index] = length;
    window->used += length;
    return true;
}

/* Looks up one position, in turn. */
static bool look_up(struct bulk *bulk, size_t index)
{
    char *text;
    workers_enter(&bulk->server->bulk_workers);
    json_t *object = one_answer(bulk, bulk->positions[bulk->next + index]);
    workers_leave(&bulk->server->bulk_workers);
    if (json_text(object, &text, NULL) != WARI_OK)
        return false;
    bool kept = keep_answer(bulk, index, text);
    free(text);
    return kept;
}

static void begin_window(struct bulk *bulk)
{
    struct window *window = &bulk->window;
    size_t left = bulk->count - bulk->next;
    window->count = left < WINDOW ? left : WINDOW;
    window->used = window->found = window->sent = window->sent_bytes = 0;
    for (size_t i = 0; i < window->count; i++)
        window->elements[i] = (struct element){place_of(bulk->positions[bulk->next + i]), i};
    qsort(window->elements, window->count, sizeof window->elements[0], compare_places);
}

/* Looks up what is left of the window, or for SILENCE_MS. False if memory runs out, the server
 * ends, or the client has left. */
static bool fill_window(struct bulk *bulk)
{
    struct window *window = &bulk->window;
    const int64_t until = clock_now() + SILENCE_MS;
    while (window->found < window->count && clock_now() < until) {
        if (atomic_load(&bulk->server->ending) ||
            (window->found % SOME == 0 && connection_is_lost(bulk->connection)) ||
            !look_up(bulk, window->elements[window->found].index))
            return false;
        window->found++;
    }
    if (window->found == window->count)
        bulk->next += window->count;
    return true;
}

/* ---- The answer, piece by piece ---- */

/* Copies what is left of the window, or as much of it as there is room for. */
static size_t copy_window(struct window *window, char *buffer, size_t room)
{
    size_t filled = 0;
    while (window->sent < window->count && filled < room) {
        size_t part = window->length[window->sent] - window->sent_bytes;
        if (part > room - filled)
            part = room - filled;
        memcpy(buffer + filled, window->text + window->start[window->sent] + window->sent_bytes,
               part);
        filled += part;
        window->sent_bytes += part;
        if (window->sent_bytes == window->length[window->sent]) {
            window->sent++;
            window->sent_bytes = 0;
        }
    }
    return filled;
}

static ssize_t next_piece(void *context, uint64_t offset, char *buffer, size_t room)
{
    static const char end[] = "\n]\n";
    struct bulk *bulk = context;
    struct window *window = &bulk->window;
    (void)offset;
    if (window->sent == window->count && bulk->next < bulk->count)
        begin_window(bulk);
    if (window->found < window->count) {
        connection_pause(bulk->connection);
        bool filled = fill_window(bulk);
        connection_go_on(bulk->connection);
        if (!filled)
            return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    if (window->found < window->count) {
        *buffer = '\n';
        return 1;
    }
    size_t filled = copy_window(window, buffer, room);
    if (filled > 0)
        return (ssize_t)filled;
    if (bulk->ended || room < sizeof end - 1)
        return MHD_CONTENT_READER_END_OF_STREAM;
    bulk->ended = true;
    memcpy(buffer, end, sizeof end - 1);
    return sizeof end - 1;
}

/* ---- The request ---- */

static struct bulk *new_bulk(struct request *request)
{
    struct bulk *bulk = calloc(1, sizeof *bulk);
    if (!bulk)
        return NULL;
    bulk->server = request->server;
    bulk->connection = request->record;
    bulk->positions = malloc((SERVE_POSITIONS_MAX + 1) * sizeof *bulk->positions);
    bulk->body = request->body; /* its owner from here on */
    request->body = NULL;
    if (bulk->positions)
        return bulk;
    bulk_free(bulk);
    return NULL;
}

/* Reads the positions; refuses and frees it all if they cannot be read. */
static bool read_positions(struct request *request, struct bulk *bulk, enum MHD_Result *result)
{
    struct wari_error error;
    enum wari_status status = WARI_OK;
    if (request->json)
        status = read_list(bulk, request->length, &error);
    else
        cut_lines(bulk, request->length);
    if (status == WARI_OK && bulk->count > 0 && bulk->count <= SERVE_POSITIONS_MAX)
        return true;
    bool many = status == WARI_OK && bulk->count > 0;
    bulk_free(bulk);
    *result =
        many ? reply_error(request, MHD_HTTP_CONTENT_TOO_LARGE,
                           "a request has at most %d positions; send several", SERVE_POSITIONS_MAX)
             : reply_error(request, MHD_HTTP_BAD_REQUEST, "%s",
                           status != WARI_OK ? error.text : "the request has no positions");
    return false;
}

enum MHD_Result api_positions(struct request *request)
{
    const struct database *database;
    enum answer_detail detail;
    enum MHD_Result result;
    if (!request_database(request, &database, &result) ||
        !request_detail(request, ANSWER_FULL, &detail, &result))
        return result;
    struct bulk *bulk = new_bulk(request);
    if (!bulk)
        return reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "not enough memory; try again");
    bulk->database = database;
    bulk->detail = detail;
    if (!read_positions(request, bulk, &result))
        return result;
    struct MHD_Response *response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE_BYTES,
                                                                      next_piece, bulk, bulk_free);
    if (!response)
        bulk_free(bulk);
    return reply_queue(request, MHD_HTTP_OK, response, "application/json; charset=utf-8", NULL,
                       CACHE_NOTHING);
}
