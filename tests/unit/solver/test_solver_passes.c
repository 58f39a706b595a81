/* Running passes over scratch files: whatever pieces the steps of a pass want, and however soon
 * they want what is just being read or written, each job finds what the jobs before it have left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "solver/scratch/passes.h"
#include "solver/scratch/scratch.h"
#include "tests/reference/random_positions.h"
#include "tests/support/builds.h"
#include "tests/support/level_bench.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"

enum { PIECES = 30 /* of the level's; there are fewer frames */, STEPS = 3000 };

/* Pieces by the step, and how often each was wanted in all steps. */
struct visits {
    uint32_t each; /* pieces of a step */
    bool first;    /* nothing is in the file yet */
    uint32_t piece[STEPS][PIECES];
    uint32_t times[PIECES];
};

static bool want_visited(struct wari_level *level, void *context, uint32_t step)
{
    const struct visits *visits = context;

    return wari_scratch_want(wari_scratch_of(level), visits->piece[step], visits->each,
                             !visits->first);
}

static uint32_t jobs_of_visit(const struct wari_level *level, void *context, uint32_t step)
{
    const struct visits *visits = context;

    (void)level, (void)step;
    return visits->each;
}

/* A piece counts how often it was visited, by jobs of neighbouring steps at the same time. */
static void count_visit(struct wari_level *level, struct wari_worker *worker, void *context,
                        uint32_t step, uint32_t i)
{
    const struct visits *visits = context;
    const uint32_t piece = visits->piece[step][i];
    uint32_t *count = (void *)wari_scratch_of(level)->pieces.at[piece];

    (void)worker;
    if (visits->first)
        *count = 1;
    else
        __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
    wari_pieces_written(&wari_scratch_of(level)->pieces, piece);
}

static void run_visits(struct wari_level *level, struct visits *visits, uint32_t steps)
{
    const struct wari_scratch_pass pass = {.steps = steps,
                                           .want = want_visited,
                                           .jobs = jobs_of_visit,
                                           .job = count_visit,
                                           .context = visits};

    wari_scratch_run(level, &pass);
}

/* `each` different ones of PIECES. */
static void choose(struct visits *visits, uint32_t step, struct random_positions *random)
{
    for (uint32_t i = 0; i < PIECES; i++)
        visits->piece[step][i] = i;
    for (uint32_t i = 0; i < visits->each; i++) {
        const uint32_t j = i + random_below(random, PIECES - i);
        const uint32_t piece = visits->piece[step][j];
        visits->piece[step][j] = visits->piece[step][i];
        visits->piece[step][i] = piece;
        visits->times[piece]++;
    }
}

static void visit_at_random(struct wari_level *level, uint32_t each, uint32_t steps)
{
    static struct visits visits;
    struct random_positions random;

    random_positions_seed(&random, each);
    memset(&visits, 0, sizeof visits);
    visits.each = 1;
    visits.first = true;
    for (uint32_t i = 0; i < PIECES; i++) {
        visits.piece[i][0] = i;
        visits.times[i]++;
    }
    run_visits(level, &visits, PIECES);
    visits.first = false;
    visits.each = each;
    for (uint32_t step = 0; step < steps; step++)
        choose(&visits, step, &random);
    run_visits(level, &visits, steps);
    visits.each = 1;
    for (uint32_t i = 0; i < PIECES; i++) {
        uint32_t count;
        visits.piece[0][0] = i;
        visits.times[i]++;
        run_visits(level, &visits, 1);
        assert_non_null(wari_scratch_of(level)->pieces.at[i]);
        memcpy(&count, wari_scratch_of(level)->pieces.at[i], sizeof count);
        assert_int_equal(count, visits.times[i]);
    }
    wari_scratch_flush(level);
}

static void jobs_find_what_was_left(void **state)
{
    struct bench bench = bench_create((struct wari_variant){WARI_AWARI, WARI_EVEN}, REF_AWARI, 12);

    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        struct bench_run run;
        bench_begin_by_bits(&run, &bench, threads, 650 << 10); /* 400 give it frames for all */
        wari_scratch_of(&run.level)->alone = false;
        assert_true(wari_scratch_of(&run.level)->pieces.cut.count >= PIECES);
        assert_true(wari_scratch_of(&run.level)->pieces.frames.count < PIECES);
        for (uint32_t each = 1;
             each <= wari_scratch_cap(wari_scratch_of(&run.level)->pieces.frames.count); each++)
            visit_at_random(&run.level, each, (uint32_t)test_scale(STEPS, STEPS / 10));
        bench_check(&run);
        bench_end(&run);
    }
    bench_free(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(jobs_find_what_was_left)};

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
