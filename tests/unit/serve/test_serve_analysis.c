/* Searches for many clients: what one of them can take from the others. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "serve/analysis/analysis.h"
#include "serve/request/connections.h"

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
                            struct analysis_answer *answer, struct wari_error *error)
{
    const struct analysis_question question = {.variant = {WARI_AWARI, WARI_EVEN},
                                               .setup = position(number),
                                               .client = client,
                                               .place = true};
    return analysis_ask(analysis, &question, answer, error);
}

struct told {
    int first, others; /* how many positions the clients could wait for */
    struct wari_error enough, full;
    struct analysis_answer last; /* of those of client 1 */
    int64_t time;                /* milliseconds until it was given */
};

/* Two clients ask for all that they can, one after the other. */
static void fill(uint64_t first, uint64_t other, struct told *told)
{
    struct analysis *analysis;
    struct analysis_answer answer;
    struct wari_error error;
    *told = (struct told){.first = 0};
    const int64_t began = clock_now();
    assert_int_equal(analysis_start(&analysis, 1, &error), WARI_OK);
    while (told->first < 2 * ANALYSIS_JOBS_MAX &&
           ask(analysis, first, told->first, &told->last, &told->enough) == WARI_OK)
        told->first++;
    /* What it waits for already, it is told. */
    (void)!ask(analysis, first, told->first - 1, &told->last, &error);
    told->time = clock_now() - began;
    while (told->others < 2 * ANALYSIS_JOBS_MAX &&
           ask(analysis, other, told->first + told->others, &answer, &error) == WARI_OK)
        told->others++;
    (void)!ask(analysis, 3, told->first + told->others, &answer, &told->full);
    analysis_end(analysis);
}

/* Where the machine is busy with others, what was asked first is not waited for any more: again. */
static struct told fill_in_time(uint64_t first, uint64_t other)
{
    struct told told;
    int64_t began;
    do {
        began = clock_now();
        fill(first, other, &told);
    } while (clock_now() - began >= ANALYSIS_PATIENCE);
    return told;
}

static void one_client_leaves_room_for_others(void **state)
{
    struct told told = fill_in_time(1, 2);
    (void)state;
    assert_int_equal(told.first, ANALYSIS_CLIENT_MAX);
    assert_string_equal(told.enough.text, "your address waits for 512 positions; try again soon");
    /* Some have had their turn, of 100 ms, and stand behind it again. */
    const int turns = (int)(told.time / 100);
    assert_in_range(told.last.before, ANALYSIS_CLIENT_MAX - 3 - turns, ANALYSIS_CLIENT_MAX - 1);
    assert_int_equal(told.others, ANALYSIS_JOBS_MAX - ANALYSIS_CLIENT_MAX);
    assert_string_equal(told.full.text, "1024 positions are waited for; try again soon");
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
    assert_true(connections_expect(&connections, called));
    struct connection *connection = connections_begin(&connections, called);
    uint64_t client = connection->client;
    connections_remove(&connections, connection);
    connections_destroy(&connections);
    assert_int_equal(close(called) | close(caller) | close(door), 0);
    return client;
}

/* Behind a proxy on this machine all clients together had half of the places. */
static void clients_of_a_proxy_are_not_taken_for_one(void **state)
{
    struct told told = fill_in_time(client_from_here(), 1);
    (void)state;
    assert_int_equal(told.first, ANALYSIS_JOBS_MAX);
    assert_int_equal(told.others, 0);
    assert_string_equal(told.full.text, "1024 positions are waited for; try again soon");
}

static void *ask_often(void *context)
{
    struct analysis_answer answer;
    struct wari_error error;
    for (int i = 0; i < 500; i++)
        if (ask(context, (uint64_t)i % 3, i * i % 29, &answer, &error) != WARI_OK)
            return context;
    return NULL;
}

static void many_ask_at_once(void **state)
{
    enum { CLIENTS = 4 };
    struct analysis *analysis;
    struct wari_error error;
    pthread_t clients[CLIENTS];
    (void)state;
    assert_int_equal(analysis_start(&analysis, 2, &error), WARI_OK);
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(pthread_create(&clients[i], NULL, ask_often, analysis), 0);
    analysis_watch(analysis);
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

/* As a review does: asks for all of its positions each time, of which some may wait at a time.
 * Returns how many are known; -1: there is no room for them. */
static int ask_for_review(struct analysis *analysis, int client, int positions)
{
    enum { AT_ONCE = 20 };
    int known = 0;
    for (int i = 0, waiting = 0; i < positions; i++) {
        const struct analysis_question question = {.variant = {WARI_AWARI, WARI_EVEN},
                                                   .setup = small_position(client, i),
                                                   .enough = 1,
                                                   .client = (uint64_t)client,
                                                   .later = waiting >= AT_ONCE};
        struct analysis_answer answer;
        struct wari_error error;
        if (analysis_ask(analysis, &question, &answer, &error) != WARI_OK)
            return -1;
        known += answer.milliseconds > 0;
        waiting += answer.milliseconds == 0;
    }
    return known;
}

/* More than there is room for took each other's places, and searched for ever. */
static void reviews_that_have_begun_come_to_an_end(void **state)
{
    enum { CLIENTS = 3, POSITIONS = 400 };
    struct analysis *analysis;
    struct wari_error error;
    int known[CLIENTS] = {0}, refused = 0, turns = 0;
    (void)state;
    assert_int_equal(analysis_start(&analysis, 1, &error), WARI_OK);
    for (; known[0] + known[1] < 2 * POSITIONS; turns++) {
        for (int client = 0; client < CLIENTS; client++) {
            if (known[client] >= 0)
                known[client] = ask_for_review(analysis, client, POSITIONS);
            refused += known[client] < 0;
        }
        assert_true(turns < 1000); /* 25 or so */
        (void)nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    assert_true(refused > 0);
    analysis_end(analysis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_client_leaves_room_for_others),
                                       cmocka_unit_test(clients_of_a_proxy_are_not_taken_for_one),
                                       cmocka_unit_test(many_ask_at_once),
                                       cmocka_unit_test(reviews_that_have_begun_come_to_an_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
