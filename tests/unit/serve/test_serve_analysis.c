/* Searches for many clients: what one of them can take from the others. Time goes by only where a
 * test says so: nothing depends on how fast the machine is. */
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
    pthread_t tester; /* the thread of the tests */
    atomic_llong now; /* milliseconds */
    atomic_int step;  /* milliseconds that each look of another thread adds */
    sem_t looked;     /* how often other threads have looked at it */
} test_clock;

static int64_t look_at_clock(void)
{
    long long now = atomic_load(&test_clock.now);

    if (!pthread_equal(pthread_self(), test_clock.tester)) {
        const int step = atomic_load(&test_clock.step);
        now = atomic_fetch_add(&test_clock.now, step) + step;
        (void)sem_post(&test_clock.looked);
    }
    return now;
}

/* Before each test. */
static int stop_clock(void **state)
{
    (void)state;
    test_clock.tester = pthread_self();
    atomic_store(&test_clock.now, 1000000);
    atomic_store(&test_clock.step, 0);
    const int result = sem_init(&test_clock.looked, 0, 0);
    test_clock_replace(result == 0 ? look_at_clock : NULL);
    return result;
}

static int release_clock(void **state)
{
    (void)state;
    test_clock_replace(NULL);
    return sem_destroy(&test_clock.looked);
}

/* Waits until a thread that searches has looked at the clock, as it does before and after each
 * change of what it is doing. */
static void wait_for_progress(void)
{
    while (sem_wait(&test_clock.looked) != 0) {
    }
}

/* ---- Questions ------------------------------------------------------------------------------- */

/* One of 15,625 positions of 48 seeds: seeds are moved from pits of four to their neighbours. */
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

struct told {
    int first, others; /* how many positions the clients could wait for */
    struct wari_error enough, full;
    struct analysis_result last; /* of those of the first client */
};

/* Two clients ask for all that they can, one after the other, while the first position of all is
 * being searched. */
static struct told fill(uint64_t first, uint64_t other)
{
    struct analysis *analysis;
    struct analysis_result answer = {.state = ANALYSIS_WAITING};
    struct wari_error error;
    struct told told = {.first = 0};
    assert_int_equal(analysis_start(&analysis, 1, &error), WARI_OK);
    for (;; wait_for_progress()) {
        assert_int_equal(ask(analysis, first, 0, &answer, &error), WARI_OK);
        if (answer.state == ANALYSIS_SEARCHING)
            break;
    }
    while (told.first < 2 * ANALYSIS_JOBS_MAX &&
           ask(analysis, first, told.first, &told.last, &told.enough) == WARI_OK)
        told.first++;
    while (told.others < 2 * ANALYSIS_JOBS_MAX &&
           ask(analysis, other, told.first + told.others, &answer, &error) == WARI_OK)
        told.others++;
    (void)!ask(analysis, 3, told.first + told.others, &answer, &told.full);
    /* What it waits for already, it is told. */
    assert_int_equal(ask(analysis, first, told.first - 1, &told.last, &error), WARI_OK);
    analysis_end(analysis);
    return told;
}

static void one_client_leaves_room_for_others(void **state)
{
    struct told told = fill(1, 2);
    (void)state;
    assert_int_equal(told.first, ANALYSIS_CLIENT_MAX);
    assert_string_equal(told.enough.text,
                        "your address already has 512 positions waiting; try again soon");
    assert_int_equal(told.last.state, ANALYSIS_WAITING);
    assert_int_equal(told.last.jobs_before, ANALYSIS_CLIENT_MAX - 2); /* but itself and the first */
    assert_int_equal(told.others, ANALYSIS_JOBS_MAX - ANALYSIS_CLIENT_MAX);
    assert_string_equal(told.full.text, "1024 positions are already waiting; try again soon");
}

/* What a connection from this machine to itself is taken for. */
static uint64_t client_from_here(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof here;
    struct connections connections;
    int door = socket(AF_INET, SOCK_STREAM, 0), caller = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(door, (struct sockaddr *)&here, length), 0);
    assert_int_equal(listen(door, 1), 0);
    assert_int_equal(getsockname(door, (struct sockaddr *)&here, &length), 0);
    assert_int_equal(connect(caller, (struct sockaddr *)&here, length), 0);
    int called = accept(door, NULL, NULL);
    connections_init(&connections, 1, 1);
    assert_true(connections_reserve(&connections, called));
    struct connection *connection = connections_open(&connections, called);
    uint64_t client = connection->client;
    connections_close(&connections, connection);
    connections_destroy(&connections);
    assert_int_equal(close(called) | close(caller) | close(door), 0);
    return client;
}

/* Behind a proxy on this machine all clients together had half of the places. */
static void clients_of_a_proxy_are_not_taken_for_one(void **state)
{
    struct told told = fill(client_from_here(), 1);
    (void)state;
    assert_int_equal(told.first, ANALYSIS_JOBS_MAX);
    assert_int_equal(told.others, 0);
    assert_string_equal(told.full.text, "1024 positions are already waiting; try again soon");
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

/* Here slices end, and other positions have their turns: each look takes a millisecond. */
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

/* Positions of two seeds, which take no time; a client's are all different, and its own. */
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

/* As a review does: asks for all of its positions each time, of which some may wait at a time.
 * Returns how many are known; -1: there is no room for them. *last: the last one that waits, if
 * any. */
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

/* Those that wait are searched in their order: then all before it are known, too. */
static void wait_for(struct analysis *analysis, int client, int number)
{
    struct analysis_result answer;
    for (;; wait_for_progress()) {
        assert_int_equal(ask_small(analysis, client, number, false, &answer), WARI_OK);
        if (answer.milliseconds > 0)
            return;
    }
}

/* More than there is room for took each other's places, and searched for ever. */
static void reviews_that_have_begun_come_to_an_end(void **state)
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
        cmocka_unit_test_setup_teardown(one_client_leaves_room_for_others, stop_clock,
                                        release_clock),
        cmocka_unit_test_setup_teardown(clients_of_a_proxy_are_not_taken_for_one, stop_clock,
                                        release_clock),
        cmocka_unit_test_setup_teardown(many_ask_at_once, stop_clock, release_clock),
        cmocka_unit_test_setup_teardown(reviews_that_have_begun_come_to_an_end, stop_clock,
                                        release_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
