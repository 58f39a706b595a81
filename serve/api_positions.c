/* Many positions in one request.
 *
 * The answer is an array with an lookup on a line for each position, in their order. It is made in
 * windows of some thousand positions as the client fetches it: the positions of a batch are looked
 * up in the order of the files, so that what lies in one block is decoded once however small the
 * cache is, and then sent in the order they were asked for. So the memory of a request is bounded,
 * and a client whose system refuses it is noticed within a batch. Each look-up takes a turn of its
 * own: requests in bulk share theirs, and keep nobody else waiting. Where a batch takes long, an
 * empty line is sent now and then, as proxies and clients give up who is silent. A position without
 * an answer has its reason in its file_order: the request as a whole succeeds.
 */
#include "serve/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/reply.h"
#include "serve/string_array.h"

enum {
    BUFFER_BYTES = 32768,
    BATCH_MAX = 2000,       /* the blocks of 10,000 positions are decoded 5 times at most */
    LOOKUPS_PER_CHECK = 16, /* look-ups between looks whether the client is still there */
    KEEP_ALIVE_MS = 5000,
};

/* A position of the batch that is to be looked up. */
struct lookup {
    uint64_t file_order; /* in the files, by level and number */
    size_t index;        /* in the batch */
};

/* The answers of a batch, one behind the other as they were found. */
struct batch {
    struct lookup lookups[BATCH_MAX];
    size_t start[BATCH_MAX], length[BATCH_MAX]; /* in the text, by index */
    size_t count, found, sent;                  /* answers in it, looked up, sent */
    size_t sent_bytes;                          /* of the one being sent */
    char *text;
    size_t used, capacity;
};

struct bulk {
    struct server *server;
    struct connection *connection;
    const struct database *database;
    enum answer_detail detail;
    char *body;             /* the positions point into it */
    const char **positions; /* NULL: one that cannot be a position */
    size_t count, next;     /* positions, and how many of them were in a batch */
    bool ended;
    struct batch batch;
};

static void bulk_free(void *context)
{
    struct bulk *bulk = context;
    free(bulk->body);
    free(bulk->positions);
    free(bulk->batch.text);
    free(bulk);
}

/* ---- What was asked ---- */

/* Cuts the body into lines; an end of line behind the last one is none of its own. */
static void split_lines(struct bulk *bulk, size_t length)
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

/* ---- A batch ---- */

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
    replace_non_ascii(error.text); /* which the reason may be */
    return json_pack("{ss si}", "error", reason, "status", failure_code(status));
}

/* Where a position is looked up first: 0 if it is none, or has no number. */
static uint64_t file_order_of(const char *position)
{
    struct wari_setup setup;
    struct wari_error error;
    uint64_t number;
    if (read_position(position, &setup, &error) != WARI_OK ||
        wari_position_number(&setup.position, &number, &error) != WARI_OK)
        return 0;
    return (uint64_t)wari_seeds(&setup.position) << 48 | number; /* of 48 seeds: below 2^37 */
}

static int compare_lookups(const void *one, const void *other)
{
    const struct lookup *a = one, *b = other;
    return (a->file_order > b->file_order) - (a->file_order < b->file_order);
}

/* Adds an answer with what stands between it and the next, so that an empty line may come behind
 * it. False if memory runs out. */
static bool store_answer(struct bulk *bulk, size_t index, const char *text)
{
    struct batch *batch = &bulk->batch;
    const char *before = bulk->next + index == 0 ? "[\n" : "";
    const char *behind = bulk->next + index + 1 < bulk->count ? ",\n" : "";
    size_t length = strlen(before) + strlen(text) + strlen(behind);
    if (batch->used + length + 1 > batch->capacity) {
        size_t capacity = 2 * (batch->used + length + 1);
        char *larger = realloc(batch->text, capacity);
        if (!larger)
            return false;
        batch->text = larger;
        batch->capacity = capacity;
    }
    (void)snprintf(batch->text + batch->used, length + 1, "%s%s%s", before, text, behind);
    batch->start[index] = batch->used;
    batch->length[index] = length;
    batch->used += length;
    return true;
}

/* Looks up one position, in turn. */
static bool look_up(struct bulk *bulk, size_t index)
{
    char *text;
    permits_acquire(&bulk->server->bulk_permits);
    json_t *object = one_answer(bulk, bulk->positions[bulk->next + index]);
    permits_release(&bulk->server->bulk_permits);
    if (json_text(object, &text, NULL) != WARI_OK)
        return false;
    bool stored = store_answer(bulk, index, text);
    free(text);
    return stored;
}

static void begin_batch(struct bulk *bulk)
{
    struct batch *batch = &bulk->batch;
    size_t left = bulk->count - bulk->next;
    batch->count = left < BATCH_MAX ? left : BATCH_MAX;
    batch->used = batch->found = batch->sent = batch->sent_bytes = 0;
    for (size_t i = 0; i < batch->count; i++)
        batch->lookups[i] = (struct lookup){file_order_of(bulk->positions[bulk->next + i]), i};
    qsort(batch->lookups, batch->count, sizeof batch->lookups[0], compare_lookups);
}

/* Looks up what is left of the batch, or for KEEP_ALIVE_MS. False if memory runs out, the server
 * ends, or the client has left. */
static bool fill_batch(struct bulk *bulk)
{
    struct batch *batch = &bulk->batch;
    const int64_t until = clock_now() + KEEP_ALIVE_MS;
    while (batch->found < batch->count && clock_now() < until) {
        if (atomic_load(&bulk->server->ending) ||
            (batch->found % LOOKUPS_PER_CHECK == 0 && connection_is_broken(bulk->connection)) ||
            !look_up(bulk, batch->lookups[batch->found].index))
            return false;
        batch->found++;
    }
    if (batch->found == batch->count)
        bulk->next += batch->count;
    return true;
}

/* ---- The answer, piece by piece ---- */

/* Copies what is left of the batch, or as much of it as there is capacity for. */
static size_t copy_batch(struct batch *batch, char *buffer, size_t capacity)
{
    size_t filled = 0;
    while (batch->sent < batch->count && filled < capacity) {
        size_t part = batch->length[batch->sent] - batch->sent_bytes;
        if (part > capacity - filled)
            part = capacity - filled;
        memcpy(buffer + filled, batch->text + batch->start[batch->sent] + batch->sent_bytes, part);
        filled += part;
        batch->sent_bytes += part;
        if (batch->sent_bytes == batch->length[batch->sent]) {
            batch->sent++;
            batch->sent_bytes = 0;
        }
    }
    return filled;
}

static ssize_t read_response(void *context, uint64_t offset, char *buffer, size_t capacity)
{
    static const char end[] = "\n]\n";
    struct bulk *bulk = context;
    struct batch *batch = &bulk->batch;
    (void)offset;
    if (batch->sent == batch->count && bulk->next < bulk->count)
        begin_batch(bulk);
    if (batch->found < batch->count) {
        connection_pause_timer(bulk->connection);
        bool filled = fill_batch(bulk);
        connection_resume_timer(bulk->connection);
        if (!filled)
            return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    if (batch->found < batch->count) {
        *buffer = '\n';
        return 1;
    }
    size_t filled = copy_batch(batch, buffer, capacity);
    if (filled > 0)
        return (ssize_t)filled;
    if (bulk->ended || capacity < sizeof end - 1)
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
    bulk->connection = request->connection;
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
    if (request->body_is_json)
        status = read_list(bulk, request->body_length, &error);
    else
        split_lines(bulk, request->body_length);
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
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, BUFFER_BYTES, read_response, bulk, bulk_free);
    if (!response)
        bulk_free(bulk);
    return reply_queue(request, MHD_HTTP_OK, response, "application/json; charset=utf-8", NULL,
                       CACHE_NOTHING);
}
