/* Tests that two threads may record captures for the same full position (verify_level.h) at the
 * same time, and that the best capture is kept. The steps of the proof give each row to one thread
 * at a time; wari_verify_raise() does not rely on this. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>

#include "tests/support/scale.h"
#include "tests/unit/groups.h"
#include "verify/verify_level.h"

enum { CELLS = 1 << 12, THREADS = 2 };

struct raiser {
    pthread_barrier_t *barrier;
    wari_verify_cell *cells;
    int rounds, number;
};

/* Returns the value of the capture that a thread records for a cell in a round, -48..48. The values
 * of both threads are equal only by chance. */
static int worth_of(int round, int cell, int number)
{
    const uint32_t mixed = (uint32_t)(round * CELLS + cell) * 2654435761u;
    return (int)((mixed >> (number == 0 ? 8 : 16)) % 97) - 48;
}

static void *raise_all(void *context)
{
    const struct raiser *raiser = context;

    for (int round = 0; round < raiser->rounds; round++) {
        const struct wari_verify_row row = {
            .cells = raiser->cells + (size_t)round * CELLS,
            .full = true,
        };
        (void)pthread_barrier_wait(raiser->barrier);
        for (uint32_t cell = 0; cell < CELLS; cell++)
            wari_verify_enter(NULL, &row, cell, worth_of(round, (int)cell, raiser->number));
    }
    return NULL;
}

/* Fixed bug: the larger worth was sometimes lost, and a correct level was reported as wrong. */
static void the_better_of_two_captures_is_kept(void **state)
{
    const int rounds = test_scale(4000, 400);
    pthread_barrier_t barrier;
    pthread_t threads[THREADS];
    struct raiser raisers[THREADS];
    wari_verify_cell *cells = calloc((size_t)rounds * CELLS, sizeof *cells);
    int lost = 0;
    (void)state;

    assert_non_null(cells);
    assert_int_equal(pthread_barrier_init(&barrier, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++) {
        raisers[i] = (struct raiser){&barrier, cells, rounds, i};
        assert_int_equal(pthread_create(&threads[i], NULL, raise_all, &raisers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int round = 0; round < rounds; round++)
        for (int cell = 0; cell < CELLS; cell++) {
            const int one = worth_of(round, cell, 0), other = worth_of(round, cell, 1);
            const int best = one > other ? one : other;
            lost += wari_verify_read(&cells[(size_t)round * CELLS + (size_t)cell]) !=
                    best + WARI_VERIFY_MIDDLE;
        }
    assert_int_equal(lost, 0);
    (void)pthread_barrier_destroy(&barrier);
    free(cells);
}

TEST_GROUP(test_verify_cell)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_better_of_two_captures_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
