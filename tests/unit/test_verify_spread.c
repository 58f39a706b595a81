/* The verifier's fixed points do not lean on what makes them fast.
 *
 * wari_verify_spread() follows a change to the positions it may be reached from; here changes
 * spread in ways that have nothing to do with moves, so only passes that go on until nothing
 * changes get to the end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "index/half.h"
#include "solver/verify.h"

enum { SEEDS = 3, POSITIONS = 364 }; /* C(14, 11): with 3 seeds no half is full */

/* A verifier of level SEEDS, as far as spreading asks for one, with all positions open. It comes
 * first, so that an examination finds the rest from it. */
struct bench {
    struct wari_verifier verifier;
    struct wari_verify verify;
    struct wari_verify_half halves[SEEDS + 1][56]; /* C(8, 5) with 3 seeds */
    wari_verify_word open[POSITIONS / 64 + 1];
    _Atomic uint64_t examined;
};

static struct bench *prepare(void)
{
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    bench->verifier.verify = &bench->verify;
    bench->verifier.threads = 1;
    bench->verifier.seeds = SEEDS;
    bench->verifier.open = bench->open;
    wari_layout_init(&bench->verifier.layout[SEEDS], SEEDS);
    for (int s = 0; s <= SEEDS; s++) {
        for (uint32_t i = 0; i < wari_half_count(s); i++)
            wari_half_unrank(s, i, bench->halves[s][i].pits);
        bench->verifier.halves[s] = bench->halves[s];
    }
    for (uint64_t cell = 0; cell < POSITIONS; cell++)
        atomic_fetch_or(&bench->open[cell / 64], UINT64_C(1) << cell % 64);
    return bench;
}

static bool examine_nothing(const struct wari_verifier *verifier, uint64_t cell,
                            const struct wari_position *position)
{
    struct bench *bench = (struct bench *)verifier;
    assert_int_equal(wari_layout_rank(&verifier->layout[SEEDS], position), cell);
    atomic_fetch_add(&bench->examined, 1);
    return false;
}

/* A position goes when the one numbered after it is gone. */
static bool examine_follower(const struct wari_verifier *verifier, uint64_t cell,
                             const struct wari_position *position)
{
    (void)position;
    bool last = cell == POSITIONS - 1;
    return (last || !wari_verify_has(verifier->open, cell + 1)) &&
           wari_verify_take(verifier->open, cell);
}

static void changes_that_follow_no_move_are_found(void **state)
{
    struct bench *bench = prepare();
    const struct wari_verify_task task = {"test", bench->open, examine_follower};

    (void)state;
    assert_int_equal(wari_verify_spread(&bench->verifier, &task), WARI_OK);
    for (uint64_t cell = 0; cell < POSITIONS; cell++)
        assert_false(wari_verify_has(bench->open, cell));
    free(bench);
}

static void a_pass_without_change_is_the_last(void **state)
{
    struct bench *bench = prepare();
    const struct wari_verify_task task = {"test", bench->open, examine_nothing};

    (void)state;
    assert_int_equal(wari_verify_spread(&bench->verifier, &task), WARI_OK);
    assert_int_equal(atomic_load(&bench->examined), POSITIONS);
    free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_that_follow_no_move_are_found),
        cmocka_unit_test(a_pass_without_change_is_the_last),
    };
    return cmocka_run_group_tests_name("verify spreads", tests, NULL, NULL);
}
