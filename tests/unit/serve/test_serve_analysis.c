/* Analysis for many clients: limits on the jobs of one client, so that enough are left for the
 * others. The clock advances only where a test says so, and nothing depends on the speed of the
 * machine. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "serve/analysis.h"
#include "serve/connections.h"
#include "tests/unit/groups.h"

/* ---- The clock ------------------------------------------------------------------------------- */

static struct {
    pthread_t tester; /* the thread that runs the tests */
    atomic_llong now; /* milliseconds */
    atomic_int step;  /* milliseconds by which the clock advances when another thread reads it */
    sem_t readings;   /* counts how often other threads have read the clock */
} test_clock;

static int64_t read_test_clock(void)
{
    long long now = atomic_load(&test_clock.now);

    if (!pthread_equal(pthread_self(), test_clock.tester)) {
        const int step = atomic_load(&test_clock.step);
        now = atomic_fetch_add(&test_clock.now, step) + step;
        (void)sem_post(&test_clock.readings);
    }
    return now;
}

/* Stops the clock before each test. */
static int stop_clock(void **state)
{
    (void)state;
    test_clock.tester = pthread_self();
    atomic_store(&test_clock.now, 1000000);
    atomic_store(&test_clock.step, 0);
    const int result = sem_init(&test_clock.readings, 0, 0);
    test_clock_replace(result == 0 ? read_test_clock : NULL);
    return result;
}

static int release_clock(void **state)
{
    (void)state;
    test_clock_replace(NULL);
    return sem_destroy(&test_clock.readings);
}

/* Waits until a searching thread has read the clock, as it does before and after each change of a
 * job's stage. */
static void wait_for_progress(void)
{
    while (sem_wait(&test_clock.readings) != 0) {
    }
}

/* ---- Queries --------------------------------------------------------------------------------- */

/* Returns one of 15,625 positions of 48 seeds, made by moving seeds from pits of four to their
 * neighbours. */
static struct wari_setup position(int number)
{
    struct wari_setup setup = {.position = {{4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}}};
    for (int pit = 0; pit < WARI_PITS; pit += 2, number /= 5) {
        setup.position.pits[pit] = (uint8_t)(4 - number % 5);
        setup.position.pits[pit + 1] = (uint8_t)(4 + number % 5);
    }
    return setup;
}

static enum wari_status ask(struct analysis *analysis, uint64_t client, int number,
                            struct analysis_result *answer, struct wari_error *error)
{
    const struct analysis_query query = {.variant = {WARI_AWARI, WARI_EVEN},
                                         .setup = position(number),
                                         .client = client,
                                         .count_earlier = true};
    return analysis_poll(analysis, &query, answer, error);
}

struct fill_result {
    int first, others; /* number of positions accepted from the first and the other client */
    struct wari_error client_error, full_error;
    struct analysis_result last; /* last result of the first client */
};

/* While the very first position is being searched, two clients query positions, one client after
 * the other. Each queries new positions until one is refused. */
static struct fill_result fill(uint64_t first, uint64_t other)
{
    struct analysis *analysis;
    struct analysis_result answer = {.state = ANALYSIS_WAITING};
    struct wari_error error;
    struct fill_result filled = {.first = 0};
    assert_int_equal(analysis_start(&analysis, 1, &error), WARI_OK);
    for (;; wait_for_progress()) {
        assert_int_equal(ask(analysis, first, 0, &answer, &error), WARI_OK);
        if (answer.state == ANALYSIS_SEARCHING)
            break;
    }
    while (filled.first < 2 * ANALYSIS_JOBS_MAX &&
           ask(analysis, first, filled.first, &filled.last, &filled.client_error) == WARI_OK)
        filled.first++;
    while (filled.others < 2 * ANALYSIS_JOBS_MAX &&
           ask(analysis, other, filled.first + filled.others, &answer, &error) == WARI_OK)
        filled.others++;
    (void)!ask(analysis, 3, filled.first + filled.others, &answer, &filled.full_error);
    /* A position that is waiting already can still be queried. */
    assert_int_equal(ask(analysis, first, filled.first - 1, &filled.last, &error), WARI_OK);
    analysis_end(analysis);
    return filled;
}

static void one_client_cannot_take_all_jobs(void **state)
{
    struct fill_result filled = fill(1, 2);
    (void)state;
    assert_int_equal(filled.first, ANALYSIS_CLIENT_MAX);
    assert_string_equal(filled.client_error.text,
                        "your address already has 512 positions waiting; try again soon");
    assert_int_equal(filled.last.state, ANALYSIS_WAITING);
    /* All other positions of the client wait before the last one, except the first one, which is
     * being searched. */
    assert_int_equal(filled.last.jobs_before, ANALYSIS_CLIENT_MAX - 2);
    assert_int_equal(filled.others, ANALYSIS_JOBS_MAX - ANALYSIS_CLIENT_MAX);
    assert_string_equal(filled.full_error.text,
                        "1024 positions are already waiting; try again soon");
}

/* Returns the client number of a connection from this machine to itself. */
static uint64_t client_from_here(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof here;
    struct connections connections;
    int listener = socket(AF_INET, SOCK_STREAM, 0), peer = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&here, length), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&here, &length), 0);
    assert_int_equal(connect(peer, (struct sockaddr *)&here, length), 0);
    int accepted = accept(listener, NULL, NULL);
    connections_init(&connections, 1, 1);
    assert_true(connections_reserve(&connections, accepted));
    struct connection *connection = connections_open(&connections, accepted);
    uint64_t client = connection->client;
    connections_close(&connections, connection);
    connections_destroy(&connections);
    assert_int_equal(close(accepted) | close(peer) | close(listener), 0);
    return client;
}

/* Fixed bug: all clients behind a proxy on this machine together had only half of the jobs. */
static void clients_of_a_proxy_have_no_common_limit(void **state)
{
    struct fill_result filled = fill(client_from_here(), 1);
    (void)state;
    assert_int_equal(filled.first, ANALYSIS_JOBS_MAX);
    assert_int_equal(filled.others, 0);
    assert_string_equal(filled.full_error.text,
                        "1024 positions are already waiting; try again soon");
}

static void *ask_often(void *context)
{
    struct analysis_result answer;
    struct wari_error error;
    for (int i = 0; i < 500; i++)
        if (ask(context, (uint64_t)i % 3, i * i % 29, &answer, &error) != WARI_OK)
            return context;
    return NULL;
}

/* Several clients query at the same time. Each reading of the clock advances it by a millisecond,
 * so slices end during the test, and positions take turns. */
static void many_ask_at_once(void **state)
{
    enum { CLIENTS = 4 };
    struct analysis *analysis;
    struct wari_error error;
    pthread_t clients[CLIENTS];
    (void)state;
    atomic_store(&test_clock.step, 1);
    assert_int_equal(analysis_start(&analysis, 2, &error), WARI_OK);
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(pthread_create(&clients[i], NULL, ask_often, analysis), 0);
    for (int i = 0; i < 100; i++)
        analysis_tick(analysis);
    for (int i = 0; i < CLIENTS; i++) {
        void *failed;
        assert_int_equal(pthread_join(clients[i], &failed), 0);
        assert_null(failed);
    }
    analysis_end(analysis);
}

/* ---- Reviews --------------------------------------------------------------------------------- */

/* Returns a position of two seeds, which takes no time to search. All positions of all clients
 * differ. */
static struct wari_setup small_position(int client, int number)
{
    struct wari_setup setup = {0};
    setup.position.pits[number % WARI_HALF_PITS] = 1;
    number /= WARI_HALF_PITS;
    setup.position.pits[WARI_HALF_PITS + number % WARI_HALF_PITS] = 1;
    setup.stores[0] = (uint8_t)(number / WARI_HALF_PITS);
    setup.stores[1] = (uint8_t)(20 + client);
    return setup;
}

static enum wari_status ask_small(struct analysis *analysis, int client, int number, bool later,
                                  struct analysis_result *answer)
{
    const struct analysis_query query = {.variant = {WARI_AWARI, WARI_EVEN},
                                         .setup = small_position(client, number),
                                         .enough_ms = 1,
                                         .client = (uint64_t)client,
                                         .defer = later};
    struct wari_error error;
    return analysis_poll(analysis, &query, answer, &error);
}

/* Queries all positions of a client, like a review, with at most 20 positions waiting at a time.
 * Returns how many positions are known, or -1 if the analysis is full. Sets *last to the last
 * waiting position, if there is one. */
static int ask_for_review(struct analysis *analysis, int client, int positions, int *last)
{
    enum { AT_ONCE = 20 };
    struct analysis_result answer;
    int known = 0;
    for (int i = 0, waiting = 0; i < positions; i++) {
        if (ask_small(analysis, client, i, waiting >= AT_ONCE, &answer) != WARI_OK)
            return -1;
        known += answer.milliseconds > 0;
        if (answer.milliseconds == 0 && waiting++ < AT_ONCE)
            *last = i;
    }
    return known;
}

/* Waits until a position is known. Waiting positions are searched in order, so all before it are
 * then known, too. */
static void wait_for(struct analysis *analysis, int client, int number)
{
    struct analysis_result answer;
    for (;; wait_for_progress()) {
        assert_int_equal(ask_small(analysis, client, number, false, &answer), WARI_OK);
        if (answer.milliseconds > 0)
            return;
    }
}

/* Fixed bug: reviews of more positions than the analysis can remember evicted each other's
 * positions and never finished. */
static void reviews_that_have_started_finish(void **state)
{
    enum { CLIENTS = 3, POSITIONS = 400 };
    struct analysis *analysis;
    struct wari_error error;
    int known[CLIENTS] = {0}, last[CLIENTS] = {0}, refused = 0, turns = 0;
    (void)state;
    assert_int_equal(analysis_start(&analysis, 1, &error), WARI_OK);
    for (; known[0] + known[1] < 2 * POSITIONS; turns++) {
        for (int client = 0; client < CLIENTS; client++) {
            if (known[client] >= 0)
                known[client] = ask_for_review(analysis, client, POSITIONS, &last[client]);
            refused += known[client] < 0;
        }
        assert_true(turns < 100); /* 20 at a time: 21 turns */
        for (int client = 0; client < CLIENTS; client++)
            if (known[client] >= 0)
                wait_for(analysis, client, last[client]);
        atomic_fetch_add(&test_clock.now, 20);
    }
    assert_true(refused > 0);
    analysis_end(analysis);
}

TEST_GROUP(test_serve_analysis)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_client_cannot_take_all_jobs, stop_clock, release_clock),
        cmocka_unit_test_setup_teardown(clients_of_a_proxy_have_no_common_limit, stop_clock,
                                        release_clock),
        cmocka_unit_test_setup_teardown(many_ask_at_once, stop_clock, release_clock),
        cmocka_unit_test_setup_teardown(reviews_that_have_started_finish, stop_clock,
                                        release_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
