/* Changes of late sweeps that wait in memory: whenever a piece is read, and however it came to its
 * frame, it is as its changes have left it; and nothing is written as long as there is room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "solver/stream_late.h"
#include "tests/reference/random_positions.h"
#include "tests/support/builds.h"
#include "tests/support/level_bench.h"
#include "tests/support/own_folder.h"
#include "tests/support/scale.h"

enum {
    PIECES = 30, /* of the level's; there are 24 frames */
    EACH = 2,    /* of a step */
    APART = WARI_STEPS_AHEAD + 1,
    STEPS = 80,        /* of a pass */
    CHANGES_MOST = 60, /* by a job */
    FEW_PAGES = 800,   /* enough for a list each, and soon used up */
    MANY_PAGES = 40000,
};

/* What is done to the pieces, and what they have to be. */
struct changes {
    bool first; /* nothing is in the file yet */
    uint32_t pass;
    uint32_t piece[STEPS][EACH];
    size_t bytes[PIECES];
    int8_t *cells[PIECES];
};

static uint32_t piece_of(const struct changes *changes, uint32_t step, uint32_t job)
{
    return changes->first ? step : changes->piece[step][job / 2];
}

static bool want_changed(struct wari_level *level, void *context, uint32_t step)
{
    const struct changes *changes = context;

    return changes->first ? wari_stream_want(level->stream, &step, 1, false)
                          : wari_stream_want(level->stream, changes->piece[step], EACH, true);
}

/* Two threads share a piece, each has half of the cells. */
static uint32_t jobs_of_changes(const struct wari_level *level, void *context, uint32_t step)
{
    const struct changes *changes = context;

    (void)level, (void)step;
    return changes->first ? 1 : 2 * EACH;
}

static void write_first(struct wari_level *level, struct wari_worker *worker, void *context,
                        uint32_t step, uint32_t i)
{
    const struct changes *changes = context;
    const uint32_t piece = piece_of(changes, step, i);

    (void)worker;
    memcpy(level->stream->pieces.at[piece], changes->cells[piece], changes->bytes[piece]);
    wari_pieces_written(&level->stream->pieces, piece);
}

static void compare_and_change(struct wari_level *level, struct wari_worker *worker, void *context,
                               uint32_t step, uint32_t i)
{
    const struct changes *changes = context;
    const uint32_t piece = piece_of(changes, step, i);
    const size_t half = changes->bytes[piece] / 2, from = i % 2 * half;
    int8_t *cells = level->stream->pieces.at[piece] + from;
    struct random_positions random;

    if (memcmp(cells, changes->cells[piece] + from, half) != 0) {
        struct wari_error error;
        (void)wari_fail(&error, WARI_CORRUPT, "piece %u is not what it was left as", piece);
        wari_team_fail(level->team, &error);
    }
    random_positions_seed(&random, (uint64_t)changes->pass << 32 | step << 8 | i);
    for (uint32_t left = random_below(&random, CHANGES_MOST + 1); left > 0; left--) {
        /* often the same few cells: the last code counts; few codes, or no half bytes come of it */
        const uint32_t cell = random_below(&random, (uint32_t)(left % 2 == 0 ? half : 16));
        const int8_t code = (int8_t)((int)random_below(&random, 18) - 3);
        cells[cell] = code;
        changes->cells[piece][from + cell] = code;
        wari_overlay_note(level, worker, piece, (uint32_t)from + cell, code);
    }
}

static void run_changes(struct wari_level *level, struct changes *changes)
{
    const struct wari_stream_pass pass = {.steps = changes->first ? PIECES : STEPS,
                                          .want = want_changed,
                                          .jobs = jobs_of_changes,
                                          .job = changes->first ? write_first : compare_and_change,
                                          .context = changes};

    wari_stream_run(level, &pass);
}

/* Few codes, so that half bytes are worth it. */
static void make_cells(const struct wari_level *level, struct changes *changes)
{
    const struct wari_pieces *pieces = &level->stream->pieces;
    struct random_positions random;

    random_positions_seed(&random, 1);
    memset(changes, 0, sizeof *changes);
    for (uint32_t piece = 0; piece < PIECES; piece++) {
        const int block = wari_piece_block(pieces, piece);
        changes->bytes[piece] =
            (size_t)wari_piece_rows(pieces, block, piece) * pieces->pitch[block];
        changes->cells[piece] = malloc(changes->bytes[piece]);
        assert_non_null(changes->cells[piece]);
        for (size_t i = 0; i < changes->bytes[piece]; i++)
            changes->cells[piece][i] = (int8_t)random_below(&random, 12);
    }
    changes->first = true;
}

static void choose_pieces(struct changes *changes)
{
    struct random_positions random;

    random_positions_seed(&random, 1000 + changes->pass);
    for (uint32_t step = 0; step < STEPS; step++)
        for (uint32_t i = 0; i < EACH; i++) /* not those of steps that may run at the same time */
            changes->piece[step][i] = i * (PIECES / EACH) + step % APART +
                                      APART * random_below(&random, PIECES / EACH / APART);
}

/* What is in the file, with nothing to put over it. */
static void compare_file(struct wari_level *level, const struct changes *changes)
{
    wari_stream_flush(level);
    for (uint32_t piece = 0; piece < PIECES; piece++) {
        level->stream->pieces.transfers = level->stream->pieces.settled = 0;
        level->stream->pieces.oldest = ++level->stream->step;
        assert_true(wari_stream_want(level->stream, &piece, 1, true));
        assert_int_equal(wari_pieces_transfer(&level->stream->pieces, 0,
                                              wari_stream_room(level->stream, 0), NULL),
                         WARI_OK);
        assert_memory_equal(level->stream->pieces.at[piece], changes->cells[piece],
                            changes->bytes[piece]);
    }
}

static uint64_t written(const struct wari_level *level)
{
    return atomic_load(&level->stream->pieces.bytes_written);
}

/* Pages that nobody uses. Threads that look for the last one at the same time may lose one each. */
static void assert_all_pages_are_back(const struct wari_level *level)
{
    const uint32_t used = atomic_load(&level->next_page);
    uint32_t pages = used < level->page_count ? level->page_count - used : 0;

    for (int i = 0; i < level->team->threads; i++)
        pages += level->team->worker[i].free_pages;
    assert_in_range(pages, level->page_count - (uint32_t)level->team->threads, level->page_count);
}

/* `rooms`: rounds begin, which lend what is left of the pool, and visits ask for room. `dry`: they
 * do not, and in the end no page is left while memory is lent. */
static void change_at_random(struct wari_level *level, uint32_t pages, bool rooms, bool dry)
{
    static struct changes changes;
    const struct wari_late_store *late = level->stream->late;
    uint64_t before, read = 0;

    make_cells(level, &changes);
    level->page_count = pages;
    wari_forget_events(level);
    run_changes(level, &changes);
    wari_stream_flush(level);
    changes.first = false;
    before = written(level);
    for (changes.pass = 0; changes.pass < (uint32_t)test_scale(20, 12); changes.pass++) {
        level->page_count = pages;
        if (rooms)
            wari_overlay_begin_round(level);
        if (dry && changes.pass > 3)
            level->page_count = 0;
        choose_pieces(&changes);
        read = atomic_load(&level->stream->pieces.bytes_read);
        run_changes(level, &changes);
        if (rooms && !dry)
            wari_overlay_make_room(level);
    }
    level->page_count = pages - late->lent;
    if (pages == MANY_PAGES && !dry) {
        assert_int_equal(written(level), before);
        assert_true(atomic_load(&late->overlaid) > PIECES);
        /* with what is lent all pieces stay in memory, most of them as half bytes */
        read = atomic_load(&level->stream->pieces.bytes_read) - read;
        assert_true(rooms ? read < 2 * level->stream->pieces.frame_bytes
                          : read > 5 * level->stream->pieces.frame_bytes);
    } else {
        assert_true(written(level) > before);
    }
    wari_overlay_end(level);
    assert_int_equal(atomic_load(&late->overlaid), 0);
    assert_int_equal(level->page_count, pages);
    assert_all_pages_are_back(level);
    compare_file(level, &changes);
    for (uint32_t piece = 0; piece < PIECES; piece++)
        free(changes.cells[piece]);
}

static void changes_are_there_whenever_a_piece_is_read(void **state)
{
    struct bench bench = bench_create((struct wari_variant){WARI_AWARI, WARI_EVEN}, REF_AWARI, 11);
    struct wari_page *pages = malloc(MANY_PAGES * sizeof *pages);

    (void)state;
    assert_non_null(pages);
    for (int threads = 1; threads <= 3; threads++) {
        struct bench_run run;
        bench_begin_streamed(&run, &bench, threads, 0);
        run.level.stream->alone = false;
        run.level.pages = pages;
        assert_true(run.level.stream->pieces.count >= PIECES);
        assert_true(run.level.stream->pieces.count <= FEW_PAGES / 4);
        assert_true(run.level.stream->pieces.frames < PIECES);
        assert_true(wari_stream_cap(run.level.stream) >= EACH);
        for (int rooms = 0; rooms < 2; rooms++) {
            change_at_random(&run.level, MANY_PAGES, rooms == 1, false);
            change_at_random(&run.level, FEW_PAGES, rooms == 1, false);
        }
        change_at_random(&run.level, MANY_PAGES, true, true);
        bench_check(&run);
        bench_end(&run);
    }
    free(pages);
    bench_free(&bench);
}

/* 24 bits say where in its piece a cell is. */
static void any_cell_of_a_frame_can_be_named(void **state)
{
    (void)state;
    for (int seeds = 0; seeds <= WARI_SEEDS_MAX; seeds++)
        for (uint64_t bytes = wari_stream_least(seeds); bytes < UINT64_C(1) << 42; bytes *= 4) {
            struct wari_stream_shape shape;
            assert_true(wari_stream_shape(seeds, bytes, &shape));
            assert_true(shape.frame_bytes <= WARI_OVERLAY_CELLS);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_are_there_whenever_a_piece_is_read),
        cmocka_unit_test(any_cell_of_a_frame_can_be_named),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
