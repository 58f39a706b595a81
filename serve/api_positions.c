/* /api/positions: looks up many positions in one request.
 *
 * The response is an array with one element on each line, in the order of the positions. It is
 * produced in batches as the client fetches it. The positions of a batch are looked up in the order
 * in which their values are stored, so that each block is decoded once however small the cache is,
 * and then sent in the order of the request. So the memory of a request is bounded, and a client
 * that has disconnected is noticed within a batch. Each lookup acquires a permit of its own; bulk
 * requests share a separate set of permits and therefore do not delay other requests. If a batch
 * takes long, empty lines are sent in between, because proxies and clients close a connection that
 * is silent. A position without a value has an error in its place; the request as a whole still
 * succeeds. */
#include "serve/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/reply.h"
#include "serve/string_array.h"
#include "system/clock.h"

enum {
    RESPONSE_BUFFER = 32768,
    BATCH_MAX = 2000,       /* positions of a batch. A request of 10,000 positions has 5 batches, so
                             * it decodes a block at most 5 times */
    LOOKUPS_PER_CHECK = 16, /* lookups between two checks that the client is still connected */
    KEEP_ALIVE_MS = 5000,
};

/* A position of the batch that is to be looked up. */
struct lookup {
    uint64_t file_order; /* sort key, by level and number, so that the order is that of the files */
    size_t index;        /* index of the position in the batch */
};

/* The answers of a batch, in the order in which they were looked up. */
struct batch {
    struct lookup lookups[BATCH_MAX];
    /* Offset in `text` and length of each answer, by its index in the batch. */
    size_t start[BATCH_MAX], length[BATCH_MAX];
    size_t count;      /* positions in the batch */
    size_t found;      /* answers found so far */
    size_t sent;       /* answers sent completely */
    size_t sent_bytes; /* bytes already sent of the next answer */
    char *text;
    size_t used, capacity;
};

struct bulk {
    struct server *server;
    struct connection *connection;
    const struct database *database;
    enum answer_detail detail;
    char *body;             /* the positions point into it */
    const char **positions; /* NULL for an element that is not a string */
    size_t count;           /* number of positions */
    size_t next;            /* first position that is in no batch yet */
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

/* ---- Parsing the request ---- */

/* Splits the body into lines, which end with a newline, a carriage return, or both. After the last
 * such end, there is no further line. */
static void split_lines(struct bulk *bulk, size_t length)
{
    char *line = bulk->body;
    char *end = bulk->body + length;
    while (line < end && bulk->count <= SERVE_POSITIONS_MAX) {
        char *stop = line;
        while (stop < end && *stop != '\n' && *stop != '\r')
            stop++;
        bool pair = stop + 1 < end && stop[0] == '\r' && stop[1] == '\n';
        *stop = '\0';
        bool complete = strlen(line) == (size_t)(stop - line);
        bulk->positions[bulk->count++] = complete ? line : NULL;
        line = stop + (pair ? 2 : 1);
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
        return wari_fail(error, WARI_BAD_INPUT, "this is not a string, or it contains a zero byte");
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
    replace_non_ascii(error.text); /* `reason` may point to it */
    return json_pack("{ss si}", "error", reason, "status", failure_code(status));
}

/* Returns the sort key of a position; 0 if the text is not a position or the position has no
 * number. */
static uint64_t file_order_of(const char *position)
{
    struct wari_setup setup;
    struct wari_error error;
    uint64_t number;
    if (read_position(position, &setup, &error) != WARI_OK ||
        wari_position_number(&setup.position, &number, &error) != WARI_OK)
        return 0;
    /* Even with 48 seeds the number is below 2^37. */
    return (uint64_t)wari_seeds(&setup.position) << 48 | number;
}

static int compare_lookups(const void *one, const void *other)
{
    const struct lookup *a = one, *b = other;
    return (a->file_order > b->file_order) - (a->file_order < b->file_order);
}

/* Appends an answer together with the separator that follows it, so that an empty line may be sent
 * after it. Returns false if memory runs out. */
static bool store_answer(struct bulk *bulk, size_t index, const char *text)
{
    struct batch *batch = &bulk->batch;
    const char *before = bulk->next + index == 0 ? "[\n" : "";
    const char *after = bulk->next + index + 1 < bulk->count ? ",\n" : "";
    size_t length = strlen(before) + strlen(text) + strlen(after);
    if (batch->used + length + 1 > batch->capacity) {
        size_t capacity = 2 * (batch->used + length + 1);
        char *larger = realloc(batch->text, capacity);
        if (!larger)
            return false;
        batch->text = larger;
        batch->capacity = capacity;
    }
    (void)snprintf(batch->text + batch->used, length + 1, "%s%s%s", before, text, after);
    batch->start[index] = batch->used;
    batch->length[index] = length;
    batch->used += length;
    return true;
}

/* Looks up one position, holding a permit. */
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

/* Looks up the rest of the batch, but stops after KEEP_ALIVE_MS. Returns false if memory runs out,
 * the server is stopping, or the client has disconnected. */
static bool fill_batch(struct bulk *bulk)
{
    struct batch *batch = &bulk->batch;
    const int64_t until = wari_milliseconds_now() + KEEP_ALIVE_MS;
    while (batch->found < batch->count && wari_milliseconds_now() < until) {
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

/* ---- Sending the response ---- */

/* Copies as much of the rest of the batch as fits into the buffer. Returns the number of bytes. */
static size_t copy_batch(struct batch *batch, char *buffer, size_t capacity)
{
    size_t filled = 0;
    while (batch->sent < batch->count && filled < capacity) {
        size_t bytes = batch->length[batch->sent] - batch->sent_bytes;
        if (bytes > capacity - filled)
            bytes = capacity - filled;
        memcpy(buffer + filled, batch->text + batch->start[batch->sent] + batch->sent_bytes, bytes);
        filled += bytes;
        batch->sent_bytes += bytes;
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
    bulk->body = request->body; /* takes ownership */
    request->body = NULL;
    if (bulk->positions)
        return bulk;
    bulk_free(bulk);
    return NULL;
}

/* Parses the positions. On failure queues an error response and frees `bulk`. */
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
    *result = many ? reply_error(request, MHD_HTTP_CONTENT_TOO_LARGE,
                                 "a request may have at most %d positions; split it into several",
                                 SERVE_POSITIONS_MAX)
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
        !request_detail(request, &detail, &result))
        return result;
    struct bulk *bulk = new_bulk(request);
    if (!bulk)
        return reply_error(request, MHD_HTTP_SERVICE_UNAVAILABLE, "not enough memory; try again");
    bulk->database = database;
    bulk->detail = detail;
    if (!read_positions(request, bulk, &result))
        return result;
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, RESPONSE_BUFFER, read_response, bulk, bulk_free);
    if (!response)
        bulk_free(bulk);
    return reply_queue(request, MHD_HTTP_OK, response, "application/json; charset=utf-8", NULL,
                       CACHE_NOTHING);
}
