/* The answers of the server when something fails. If memory for JSON runs out, the client gets the
 * status 503 with a request to try again, whichever allocation of Jansson fails. If there is no
 * memory for this answer either, the server closes the connection without an answer. A bulk answer,
 * whose beginning may have been sent already, breaks off before its last chunk. The server never
 * sends a part of an answer as if it were complete.
 *
 * The expected answers are those of the same server when nothing fails; tests/cli/serve.sh checks
 * those. */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/groups.h"

#ifdef WITH_SERVER

#include "serve/reply.h"
#include "serve/server.h"
#include "tests/support/builds.h"
#include "tests/support/failing_json.h"
#include "tests/support/level_samples.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"

enum { SEEDS = 6, ANSWER_MAX = 1 << 16, REQUEST_MAX = 1 << 14, SECONDS = 600 };
static const struct wari_variant variant = {WARI_ABAPA, WARI_OWN};

struct running {
    struct databases databases;
    struct server *server;
    pthread_t supervisor;
    atomic_bool stop;
    struct server_end end;
};

/* The server of most tests. */
static struct running shared;

/* The messages for the operator. */
static struct {
    atomic_int count;
    char last[200];
} reports;

static void count_report(const char *text)
{
    atomic_fetch_add(&reports.count, 1);
    snprintf(reports.last, sizeof reports.last, "%s", text);
}

static void *supervise(void *context)
{
    struct running *running = context;
    server_run(running->server, &running->stop, &running->end);
    return NULL;
}

static void start(struct running *running, const char *tables)
{
    static const char *const origin = "https://games.example";
    static const struct serve_options options = {.address = "127.0.0.1",
                                                 .base = "/wari/",
                                                 .threads = 2,
                                                 .analysis_threads = 1,
                                                 .connections = 10,
                                                 .seconds = SECONDS,
                                                 .origins = &origin,
                                                 .origin_count = 1,
                                                 .report = count_report};
    struct wari_error error = {WARI_OK, ""};
    if (databases_open(&running->databases, tables, &variant, 1, 1 << 20, &error) != WARI_OK ||
        server_start(&running->server, &options, &running->databases, &error) != WARI_OK)
        fail_msg("%s", error.text);
    assert_int_equal(pthread_create(&running->supervisor, NULL, supervise, running), 0);
}

static void end(struct running *running)
{
    atomic_store(&running->stop, true);
    assert_int_equal(pthread_join(running->supervisor, NULL), 0);
    databases_close(&running->databases);
}

static int start_shared(void **state)
{
    if (make_folder(state) != 0)
        return -1;
    build_database(folder, variant, SEEDS);
    failing_json_begin();
    start(&shared, folder);
    return 0;
}

static int end_shared(void **state)
{
    end(&shared);
    failing_json_end();
    return remove_folder(state);
}

/* ---- Calls of the HTTP library that fail ---- */

static atomic_long http_calls, http_fail_at; /* 0 means that no call fails */

static bool http_fails(void)
{
    return atomic_fetch_add(&http_calls, 1) + 1 == atomic_load(&http_fail_at);
}

/* These functions replace those of libmicrohttpd, which fail if memory runs out. */
enum MHD_Result MHD_add_response_header(struct MHD_Response *response, const char *header,
                                        const char *content)
{
    __typeof__(&MHD_add_response_header) real;
    *(void **)&real = dlsym(RTLD_NEXT, "MHD_add_response_header");
    return http_fails() ? MHD_NO : real(response, header, content);
}

struct MHD_Response *MHD_create_response_from_buffer(size_t size, void *buffer,
                                                     enum MHD_ResponseMemoryMode mode)
{
    __typeof__(&MHD_create_response_from_buffer) real;
    *(void **)&real = dlsym(RTLD_NEXT, "MHD_create_response_from_buffer");
    return http_fails() ? NULL : real(size, buffer, mode);
}

struct MHD_Response *MHD_create_response_from_callback(uint64_t size, size_t block,
                                                       MHD_ContentReaderCallback reader,
                                                       void *context,
                                                       MHD_ContentReaderFreeCallback release)
{
    __typeof__(&MHD_create_response_from_callback) real;
    *(void **)&real = dlsym(RTLD_NEXT, "MHD_create_response_from_callback");
    return http_fails() ? NULL : real(size, block, reader, context, release);
}

/* ---- Requests ---- */

struct question {
    const char *path; /* path of the address, without the base path of the server */
    const char *body; /* body of a POST request; NULL means a GET request */
    const char *headers;
};

/* Removes the header whose value changes with time. */
static void remove_date(char *answer)
{
    char *date = strstr(answer, "Date: ");
    if (date) {
        char *end = strchr(date, '\n');
        assert_non_null(end);
        memmove(date, end + 1, strlen(end + 1) + 1);
    }
}

/* Sends a request on a connection of its own. Stores everything that arrives until the server
 * closes the connection, except the date. */
static void ask_server(const struct running *running, const struct question *question,
                       char answer[ANSWER_MAX])
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons(server_port(running->server)),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char request[REQUEST_MAX];
    const int socket_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const char *body = question->body ? question->body : "";
    const int length = snprintf(request, sizeof request,
                                "%s /wari%s HTTP/1.1\r\nHost: localhost\r\nConnection: "
                                "close\r\nContent-Type: text/plain\r\n"
                                "Content-Length: %zu\r\n%s\r\n%s",
                                question->body ? "POST" : "GET", question->path, strlen(body),
                                question->headers ? question->headers : "", body);
    size_t received = 0;
    ssize_t count;

    assert_true(length > 0 && length < REQUEST_MAX);
    assert_int_equal(connect(socket_fd, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(send(socket_fd, request, (size_t)length, MSG_NOSIGNAL), length);
    while ((count = recv(socket_fd, answer + received, ANSWER_MAX - 1 - received, 0)) > 0)
        received += (size_t)count;
    assert_true(received < ANSWER_MAX - 1);
    answer[received] = '\0';
    close(socket_fd);
    remove_date(answer);
}

static void ask(const struct question *question, char answer[ANSWER_MAX])
{
    ask_server(&shared, question, answer);
}

/* ---- Memory ---- */

static const char unavailable[] = "HTTP/1.1 503 Service Unavailable\r\n";
static const char reason[] = "\r\n\r\n{\"error\":\"not enough memory";
static const char reason_end[] = "\",\"status\":503}\n";

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool ends_with(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

/* Checks the answer to a request during which one allocation failed, or also all later ones. */
static void check_failure(const char *answer, bool later_too, bool bulk)
{
    if (bulk) {
        assert_false(ends_with(answer, "0\r\n\r\n"));
    } else if (later_too) {
        assert_string_equal(answer, "");
    } else {
        assert_true(starts_with(answer, unavailable));
        assert_non_null(strstr(answer, "\r\nRetry-After: 1\r\n"));
        assert_non_null(strstr(answer, reason));
        assert_true(ends_with(answer, reason_end));
    }
}

/* Sends the request once for each allocation of JSON memory that it needs. This allocation fails,
 * alone or together with all later ones. With WARI_TEST_SCALE=small, some of the later allocations
 * are skipped, since most of them are for further JSON members of the same kind. */
static void whole_or_unavailable(const struct question *question, bool bulk)
{
    static char expected[ANSWER_MAX], answer[ANSWER_MAX];

    failing_json_at(0, false);
    ask(question, expected);
    if (!starts_with(expected, "HTTP/1.1 200 OK\r\n"))
        fail_msg("%s: %s", question->path, expected);
    for (int later_too = 0; later_too < 2; later_too++) {
        long number = 1;
        for (bool fired = true; fired; number += test_scale(1, 1 + (int)number / 8)) {
            failing_json_at(number, later_too);
            ask(question, answer);
            fired = failing_json_fired();
            if (fired)
                check_failure(answer, later_too, bulk);
            else
                assert_string_equal(answer, expected);
        }
        assert_true(number > 3);
    }
}

/* A game whose positions are all in the tables. */
static const char game[] = "[Variant \"abapa\"]\n[Cycle \"own\"]\n"
                           "[FEN \"1-1-0-0-0-0-1-0-0-0-0-0-23-22-S\"]\n\n1. B a 2. C b *\n";

static void an_answer_is_whole_or_says_that_memory_is_missing(void **state)
{
    static const struct question questions[] = {
        {"/healthz", NULL, NULL},
        {"/api/info", NULL, NULL},
        {"/api/stats", NULL, NULL},
        {"/api/position?p=0-1-0-0-0-1-0-1-0-0-0-0-23-22-N", NULL, NULL},
        /* The mover has no seeds: the game is over. */
        {"/api/moves?p=0+0+0+0+0+0+1+0+0+0+0+0", NULL, NULL},
        /* A grand slam is refused, or wins the game (data/RULES.md). */
        {"/api/moves?rules=wari&cycle=own&p=0+0+0+3+2+0+1+0+0+0+0+0", NULL, NULL},
        {"/api/moves?rules=slam-wins&cycle=even&p=0+0+0+3+2+0+1+0+0+0+0+0", NULL, NULL},
        {"/api/analysis?p=1+0+0+0+0+1+1+0+0+0+0+0", NULL, NULL},
        /* The position has more seeds than the tables, but the game is over. */
        {"/api/analysis?p=0+0+0+0+0+0+7+0+0+0+0+0", NULL, NULL},
        {"/api/move?p=1+0+0+0+0+1+1+0+0+0+0+0&level=master", NULL, NULL},
        {"/api/puzzle?seed=1", NULL, NULL},
        {"/api/game", game, NULL},
        {"/api/review", game, NULL},
        /* The answer has a remark about the record. */
        {"/api/game?rules=abapa&cycle=own", "[fen \"\"]\n1. D a *\n", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++)
        whole_or_unavailable(&questions[i], false);
}

static void a_bulk_answer_is_whole_or_breaks_off(void **state)
{
    static const struct question question = {"/api/positions?detail=moves",
                                             "1 0 0 0 0 1 1 0 0 0 0 0\nx\n", NULL};
    (void)state;
    whole_or_unavailable(&question, true);
}

/* A refusal that cannot be formatted becomes the status 503, too. */
static void a_refusal_is_whole_or_says_that_memory_is_missing(void **state)
{
    static const struct question question = {"/api/position?p=1", NULL, NULL};
    static char expected[ANSWER_MAX], answer[ANSWER_MAX];
    (void)state;
    failing_json_at(0, false);
    ask(&question, expected);
    assert_true(starts_with(expected, "HTTP/1.1 400 Bad Request\r\n"));
    failing_json_at(1, false);
    ask(&question, answer);
    check_failure(answer, false, false);
    failing_json_at(1, true);
    ask(&question, answer);
    check_failure(answer, true, false);
}

/* An answer without one of its headers could be cached wrongly, or read by pages of other sites. So
 * if a header cannot be added, the server closes the connection without an answer. */
static void no_answer_lacks_a_header(void **state)
{
    static const struct question questions[] = {
        {"/api/stats", NULL, "Origin: https://games.example\r\nAccept-Encoding: zstd\r\n"},
        {"/api/stats", NULL, "If-None-Match: *\r\n"},
        {"/api/positions", "1 0 0 0 0 1 1 0 0 0 0 0\n", NULL},
        {"/api/positions", NULL, NULL}, /* another method is allowed */
        {"/", NULL, "Accept-Encoding: gzip\r\n"},
        {"/style.css", NULL, "If-None-Match: *\r\n"},
        {"", NULL, NULL}, /* is redirected */
        {"/nothing", NULL, NULL},
    };
    static char expected[ANSWER_MAX], answer[ANSWER_MAX];
    (void)state;
    failing_json_at(0, false);
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        atomic_store(&http_fail_at, 0);
        ask(&questions[i], expected);
        assert_true(starts_with(expected, "HTTP/1.1 "));
        long number = 1;
        for (bool fired = true; fired; number++) {
            atomic_store(&http_calls, 0);
            atomic_store(&http_fail_at, number);
            ask(&questions[i], answer);
            fired = atomic_load(&http_calls) >= number;
            assert_string_equal(answer, fired ? "" : expected);
        }
        assert_true(number > 5);
    }
    atomic_store(&http_fail_at, 0);
}

/* ---- Damage ---- */

/* The damaged block holds the last position of the level. The operator gets a hundred reports, and
 * then a message that no more reports follow. */
static void damage_is_reported_a_hundred_times(void **state)
{
    enum { POSITIONS = 130, REPORTS = 100 };
    static char body[REQUEST_MAX], answer[ANSWER_MAX];
    char tables[TABLE_FOLDER_MAX], path[WARI_PATH_MAX], text[WARI_POSITION_TEXT];
    const struct question question = {"/api/positions?detail=value", body, NULL};
    static struct running running;
    struct wari_layout layout;
    struct wari_position position;
    struct folder_image image = folder_load(folder);
    size_t length = 0;
    int refused = 0;

    (void)state;
    assert_true(table_folder_make(tables));
    folder_store(tables, &image);
    folder_free(&image);
    assert_int_equal(wari_level_path(path, tables, (struct wari_level_key){variant, SEEDS}, NULL),
                     WARI_OK);
    struct file_image file = file_load(path);
    file.bytes[file.size - 1] ^= 1;
    file_store(path, file.bytes, file.size);
    free(file.bytes);
    wari_layout_init(&layout, SEEDS);
    wari_layout_unrank(&layout, wari_level_positions(SEEDS) - 1, &position);
    wari_position_text(&position, text);
    for (int i = 0; i < POSITIONS; i++)
        length += (size_t)snprintf(body + length, sizeof body - length, "%s\n", text);

    failing_json_at(0, false);
    atomic_store(&reports.count, 0);
    start(&running, tables);
    ask_server(&running, &question, answer);
    end(&running);
    for (const char *at = answer;
         (at = strstr(
              at, "{\"error\":\"the database is damaged at this position; the server's operator "
                  "has been notified\",\"status\":500}"));
         at++)
        refused++;
    assert_int_equal(refused, POSITIONS);
    assert_int_equal(atomic_load(&reports.count), REPORTS + 1);
    assert_string_equal(reports.last, "further failures of this kind are not reported");
    assert_true(table_folder_remove(tables));
}

TEST_GROUP(test_serve_failures)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damage_is_reported_a_hundred_times),
        cmocka_unit_test(no_answer_lacks_a_header),
        cmocka_unit_test(an_answer_is_whole_or_says_that_memory_is_missing),
        cmocka_unit_test(a_bulk_answer_is_whole_or_breaks_off),
        cmocka_unit_test(a_refusal_is_whole_or_says_that_memory_is_missing),
    };
    return cmocka_run_group_tests(tests, start_shared, end_shared);
}

#else

/* For example, the programs for musl and AArch64 have no server. But each group needs a test. */
static void there_is_no_server_to_test(void **state)
{
    (void)state;
}

TEST_GROUP(test_serve_failures)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_no_server_to_test),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
