/* No more threads hold a permit at a time than there are permits, and a thread that yields lets a
 * waiting thread come first. */
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

struct shared {
    struct permits permits;
    atomic_int inside, most, visits;
    sem_t go; /* posted to let a thread release its permit */
};

static void visit(struct shared *shared)
{
    int inside = atomic_fetch_add(&shared->inside, 1) + 1;
    int most = atomic_load(&shared->most);
    while (inside > most && !atomic_compare_exchange_weak(&shared->most, &most, inside)) {
    }
    atomic_fetch_add(&shared->visits, 1);
    atomic_fetch_sub(&shared->inside, 1);
}

static void *work_once(void *context)
{
    struct shared *shared = context;
    permits_acquire(&shared->permits);
    visit(shared);
    permits_release(&shared->permits);
    return NULL;
}

static int count_waiting(struct shared *shared)
{
    pthread_mutex_lock(&shared->permits.lock);
    int count = (int)shared->permits.waiting;
    pthread_mutex_unlock(&shared->permits.lock);
    return count;
}

static void a_thread_that_yields_lets_a_waiting_one_come_first(void **state)
{
    static struct shared shared;
    pthread_t other;
    (void)state;
    permits_init(&shared.permits, 1);
    permits_acquire(&shared.permits);
    permits_yield(&shared.permits); /* no thread is waiting */
    assert_int_equal(pthread_create(&other, NULL, work_once, &shared), 0);
    while (count_waiting(&shared) == 0)
        (void)sched_yield();
    assert_int_equal(atomic_load(&shared.visits), 0);
    permits_yield(&shared.permits);
    assert_int_equal(atomic_load(&shared.visits), 1);
    permits_release(&shared.permits);
    assert_int_equal(pthread_join(other, NULL), 0);
    permits_destroy(&shared.permits);
}

static void *hold_permit(void *context)
{
    struct shared *shared = context;
    permits_acquire(&shared->permits);
    atomic_fetch_add(&shared->inside, 1);
    while (sem_wait(&shared->go) != 0) {
    }
    atomic_fetch_sub(&shared->inside, 1);
    permits_release(&shared->permits);
    return NULL;
}

static void a_thread_waits_while_all_permits_are_held(void **state)
{
    enum { THREADS = 6, PERMITS = 2 };
    static struct shared shared;
    pthread_t others[THREADS];
    (void)state;
    permits_init(&shared.permits, PERMITS);
    assert_int_equal(sem_init(&shared.go, 0, 0), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&others[i], NULL, hold_permit, &shared), 0);
    while (atomic_load(&shared.inside) + count_waiting(&shared) < THREADS)
        (void)sched_yield();
    assert_int_equal(atomic_load(&shared.inside), PERMITS);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(sem_post(&shared.go), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(others[i], NULL), 0);
    assert_int_equal(shared.permits.available, PERMITS);
    assert_int_equal(sem_destroy(&shared.go), 0);
    permits_destroy(&shared.permits);
}

static void *work_and_yield(void *context)
{
    struct shared *shared = context;
    for (int i = 0; i < 50; i++) {
        permits_acquire(&shared->permits);
        for (int k = 0; k < 10; k++) {
            visit(shared);
            permits_yield(&shared->permits);
        }
        permits_release(&shared->permits);
    }
    return NULL;
}

static void no_more_threads_work_at_a_time_than_there_are_permits(void **state)
{
    enum { THREADS = 6, PERMITS = 2 };
    static struct shared shared;
    pthread_t others[THREADS];
    (void)state;
    permits_init(&shared.permits, PERMITS);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&others[i], NULL, work_and_yield, &shared), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(others[i], NULL), 0);
    assert_int_equal(atomic_load(&shared.visits), THREADS * 500);
    assert_in_range(atomic_load(&shared.most), 1, PERMITS);
    assert_int_equal(shared.permits.available, PERMITS);
    permits_destroy(&shared.permits);
}

TEST_GROUP(test_serve_permits)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_that_yields_lets_a_waiting_one_come_first),
        cmocka_unit_test(a_thread_waits_while_all_permits_are_held),
        cmocka_unit_test(no_more_threads_work_at_a_time_than_there_are_permits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
