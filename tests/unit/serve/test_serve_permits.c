/* Turns: no more at a time than there are, and who yields lets others come first. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "serve/permits.h"
#include "tests/unit/groups.h"

struct desk {
    struct permits permits;
    atomic_int inside, most, visits;
    sem_t go; /* who stays inside waits for this */
};

static void visit(struct desk *desk)
{
    int inside = atomic_fetch_add(&desk->inside, 1) + 1;
    int most = atomic_load(&desk->most);
    while (inside > most && !atomic_compare_exchange_weak(&desk->most, &most, inside)) {
    }
    atomic_fetch_add(&desk->visits, 1);
    atomic_fetch_sub(&desk->inside, 1);
}

static void *come_once(void *context)
{
    struct desk *desk = context;
    permits_acquire(&desk->permits);
    visit(desk);
    permits_release(&desk->permits);
    return NULL;
}

static int count_waiting(struct desk *desk)
{
    pthread_mutex_lock(&desk->permits.lock);
    int count = (int)desk->permits.waiting;
    pthread_mutex_unlock(&desk->permits.lock);
    return count;
}

static void who_yields_lets_who_waits_come_first(void **state)
{
    static struct desk desk;
    pthread_t other;
    (void)state;
    permits_init(&desk.permits, 1);
    permits_acquire(&desk.permits);
    permits_yield(&desk.permits); /* nobody waits */
    assert_int_equal(pthread_create(&other, NULL, come_once, &desk), 0);
    while (count_waiting(&desk) == 0)
        (void)sched_yield();
    assert_int_equal(atomic_load(&desk.visits), 0);
    permits_yield(&desk.permits);
    assert_int_equal(atomic_load(&desk.visits), 1);
    permits_release(&desk.permits);
    assert_int_equal(pthread_join(other, NULL), 0);
    permits_destroy(&desk.permits);
}

static void *come_and_stay(void *context)
{
    struct desk *desk = context;
    permits_acquire(&desk->permits);
    atomic_fetch_add(&desk->inside, 1);
    while (sem_wait(&desk->go) != 0) {
    }
    atomic_fetch_sub(&desk->inside, 1);
    permits_release(&desk->permits);
    return NULL;
}

static void who_comes_when_all_turns_are_taken_waits(void **state)
{
    enum { THREADS = 6, TURNS = 2 };
    static struct desk desk;
    pthread_t others[THREADS];
    (void)state;
    permits_init(&desk.permits, TURNS);
    assert_int_equal(sem_init(&desk.go, 0, 0), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&others[i], NULL, come_and_stay, &desk), 0);
    while (atomic_load(&desk.inside) + count_waiting(&desk) < THREADS)
        (void)sched_yield();
    assert_int_equal(atomic_load(&desk.inside), TURNS);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(sem_post(&desk.go), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(others[i], NULL), 0);
    assert_int_equal(desk.permits.available, TURNS);
    assert_int_equal(sem_destroy(&desk.go), 0);
    permits_destroy(&desk.permits);
}

static void *come_and_yield(void *context)
{
    struct desk *desk = context;
    for (int i = 0; i < 50; i++) {
        permits_acquire(&desk->permits);
        for (int k = 0; k < 10; k++) {
            visit(desk);
            permits_yield(&desk->permits);
        }
        permits_release(&desk->permits);
    }
    return NULL;
}

static void no_more_come_at_a_time_than_there_are_turns(void **state)
{
    enum { THREADS = 6, TURNS = 2 };
    static struct desk desk;
    pthread_t others[THREADS];
    (void)state;
    permits_init(&desk.permits, TURNS);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&others[i], NULL, come_and_yield, &desk), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(others[i], NULL), 0);
    assert_int_equal(atomic_load(&desk.visits), THREADS * 500);
    assert_in_range(atomic_load(&desk.most), 1, TURNS);
    assert_int_equal(desk.permits.available, TURNS);
    permits_destroy(&desk.permits);
}

TEST_GROUP(test_serve_permits)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_yields_lets_who_waits_come_first),
        cmocka_unit_test(who_comes_when_all_turns_are_taken_waits),
        cmocka_unit_test(no_more_come_at_a_time_than_there_are_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
