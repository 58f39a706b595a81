/* Searches for many clients: what one of them can take from the others. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

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
    int first, others; /* how many positions the clients 1 and 2 could wait for */
    struct wari_error enough, full;
    struct analysis_answer last; /* of those of client 1 */
};

/* Two clients ask for all that they can. */
static void fill(struct told *told)
{
    struct analysis *analysis;
    struct analysis_answer answer;
    struct wari_error error;
    *told = (struct told){.first = 0};
    assert_int_equal(analysis_start(&analysis, 1, &error), WARI_OK);
    while (told->first < 2 * ANALYSIS_JOBS_MAX &&
           ask(analysis, 1, told->first, &told->last, &told->enough) == WARI_OK)
        told->first++;
    /* What it waits for already, it is told. */
    (void)!ask(analysis, 1, told->first - 1, &told->last, &error);
    while (told->others < 2 * ANALYSIS_JOBS_MAX &&
           ask(analysis, 2, told->first + told->others, &answer, &error) == WARI_OK)
        told->others++;
    (void)!ask(analysis, 3, told->first + told->others, &answer, &told->full);
    analysis_end(analysis);
}

/* Where the machine is busy with others, what was asked first is not waited for any more: again. */
static void one_client_leaves_room_for_others(void **state)
{
    struct told told;
    int64_t began;
    (void)state;
    do {
        began = clock_now();
        fill(&told);
    } while (clock_now() - began >= ANALYSIS_PATIENCE);
    assert_int_equal(told.first, ANALYSIS_CLIENT_MAX);
    assert_string_equal(told.enough.text, "your address waits for 512 positions; try again soon");
    assert_in_range(told.last.before, ANALYSIS_CLIENT_MAX - 3, ANALYSIS_CLIENT_MAX - 1);
    assert_int_equal(told.others, ANALYSIS_JOBS_MAX - ANALYSIS_CLIENT_MAX);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_client_leaves_room_for_others),
                                       cmocka_unit_test(many_ask_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
