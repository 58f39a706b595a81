/* Passes over a scratch file, and reading it: each piece finds what the pass before it left,
 * whichever lane that was in, and so does whoever holds it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <string.h>

#include "solver/bits/scratch.h"
#include "tests/reference/random_positions.h"
#include "tests/support/builds.h"
#include "tests/support/level_bench.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"
#include "tests/unit/groups.h"

enum { PIECES = 400 /* at most */ };

/* How often each piece was visited; those of a pass. */
struct visits {
    uint32_t times[PIECES];
    uint32_t count, chosen[PIECES];
};

static uint32_t next_chosen(struct wari_level *level, void *context, uint32_t i)
{
    const struct visits *visits = context;

    (void)level;
    return i < visits->count ? visits->chosen[i] : WARI_NO_PIECE;
}

/* A piece says how often it was visited, all over; what is not written says so, too. */
static bool visit(struct wari_level *level, const struct wari_lane *lane, void *context,
                  uint32_t piece)
{
    struct visits *visits = context;
    const struct wari_row_range rows = wari_scratch_rows_of(level, piece, lane->cells);
    const size_t bytes = (size_t)rows.count * rows.pitch;
    const bool writes = piece % 5 != 0 || visits->times[piece] == 0;

    for (size_t i = 0; i < bytes && visits->times[piece] > 0; i += 97)
        if ((uint8_t)rows.cells[i] != (uint8_t)(visits->times[piece] + piece))
            fail_msg("piece %u, byte %zu", piece, i);
    visits->times[piece] += writes;
    memset(rows.cells, (uint8_t)(visits->times[piece] + piece + !writes), bytes);
    return writes;
}

/* Each piece once, but some. */
static void choose(struct visits *visits, uint32_t pieces, struct random_positions *random)
{
    visits->count = 0;
    for (uint32_t piece = 0; piece < pieces; piece++)
        if (random_below(random, 4) > 0)
            visits->chosen[visits->count++] = piece;
}

static void pass_over(struct wari_level *level, struct visits *visits, bool first, bool chosen)
{
    const struct wari_pieces *pieces = &wari_scratch_of(level)->pieces;
    const struct wari_scratch_pass pass = {.from = first ? NULL : pieces,
                                           .to = pieces,
                                           .end = pieces->cut.count,
                                           .next = chosen ? next_chosen : NULL,
                                           .job = visit,
                                           .context = visits};

    wari_scratch_run(level, &pass);
}

static bool hold_some(struct wari_level *level, const struct wari_lane *lane, void *context,
                      uint32_t piece)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);
    const struct visits *visits = context;
    const uint32_t pieces = scratch->pieces.cut.count, share = wari_reading_share(scratch);
    uint32_t held[PIECES], count = 0;

    for (; count < share && count < pieces; count++) {
        held[count] = (piece * 7 + count * count) % pieces;
        assert_true(wari_scratch_pin(level, held[count], lane->room));
    }
    while (count-- > 0) {
        const int block = wari_piece_block(&scratch->pieces.cut, held[count]);
        const uint32_t row = wari_piece_row(&scratch->pieces.cut, block, held[count]);
        assert_int_equal((uint8_t)*wari_scratch_row(level, block, row),
                         (uint8_t)(visits->times[held[count]] + held[count]));
        wari_scratch_unpin(level, held[count]);
    }
    return false;
}

static void read_all(struct wari_level *level, struct visits *visits)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_scratch_pass pass = {
        .end = scratch->pieces.cut.count, .job = hold_some, .context = visits};

    wari_scratch_start_reading(level, scratch->shape.window);
    assert_in_range(scratch->reading.frames, wari_scratch_frames_read(scratch->shape.lanes),
                    scratch->pieces.cut.count - 1);
    wari_scratch_run(level, &pass);
    for (uint32_t i = 0; i < scratch->reading.frames; i++)
        assert_int_equal(scratch->reading.frame[i].users, 0);
}

static void jobs_find_what_was_left(void **state)
{
    struct bench bench =
        bench_open((struct wari_variant){WARI_AWARI, WARI_EVEN}, test_scale(12, 10));
    struct random_positions random;

    (void)state;
    random_positions_seed(&random, 12);
    for (int threads = 1; threads <= 3; threads++) {
        static struct visits visits;
        struct bench_run run;
        bench_begin_by_bits(&run, &bench, threads, 0);
        const uint32_t pieces = wari_scratch_of(&run.level)->pieces.cut.count;
        assert_in_range(pieces, 2, PIECES);
        memset(&visits, 0, sizeof visits);
        pass_over(&run.level, &visits, true, false);
        for (int i = 0; i < test_scale(40, 8); i++) {
            choose(&visits, pieces, &random);
            pass_over(&run.level, &visits, false, i % 3 > 0);
            if (i % 4 == 0)
                read_all(&run.level, &visits);
        }
        bench_check(&run);
        bench_end(&run);
    }
    bench_free(&bench);
}

TEST_GROUP(test_solver_passes)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(jobs_find_what_was_left)};

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
