/* The run: one bound after the other, each to its fixed point. */
#include <string.h>

#include "solver/bits/lists.h"
#include "solver/bits/sweep.h"
#include "solver/item/sweep.h"
#include "solver/system/clock.h"
#include "solver/system/huge_pages.h"
#include "solver/write/checkpoint.h"

_Static_assert(sizeof(struct wari_bits_tile) <= (size_t)WARI_ITEM_STRIPS * WARI_PATCH,
               "it takes the place of a worker's tile");

/* Once a sweep decides so few of the cells, the next one tells the parents of those that it
 * decides. Likewise for the cells that a bound begins with. Between 0.0015 and 0.004 it hardly
 * matters: 14.3, 14.3 and 13.7 s for level 22 with 0.0015, 0.0025 and 0.004. */
static const double tell_share = 0.004, tell_listed = 0.006;

/* ---- Memory ---------------------------------------------------------------------------------- */

static enum wari_status make_planes(struct wari_bits *bits, struct wari_error *error)
{
    const struct wari_level *level = bits->level;
    const uint64_t plane = bits->offset[level->layout.seeds + 1] + WARI_BITS_PADDING;
    const int planes = level->stream->shape.bits.planes;
    const uint64_t bytes = wari_bits_planes_bytes(&level->layout, planes);
    const uint64_t sums = wari_bits_snapshot_units(&level->layout) * WARI_BITS_PLACES;
    enum wari_status status =
        bytes > SIZE_MAX ? wari_fail(error, WARI_NO_MEMORY, "the address space is too small")
                         : wari_allocate(level->host, (size_t)bytes, "the bits of a level's cells",
                                         &bits->memory, error);

    if (status != WARI_OK)
        return status;
    wari_ask_for_huge_pages(bits->memory, bytes);
    bits->sum = bits->memory;
    bits->won = (uint8_t *)(bits->sum + sums);
    bits->lost = bits->won + plane;
    if (planes > 2) {
        bits->kept = bits->lost + plane;
        bits->none = bits->kept + plane;
    }
    for (int i = 1; i <= planes; i++)
        memset(bits->won + i * plane - WARI_BITS_PADDING, 0, WARI_BITS_PADDING);
    memset(bits->won + (uint64_t)planes * plane, 0,
           bytes - (uint64_t)planes * plane - sums * sizeof *bits->sum);
    return wari_bits_make_workers(bits, level->stream->shape.bits.pages, error);
}

/* All that is not needed while the planes are there goes back to the system. */
static void make_room(struct wari_level *level)
{
    struct wari_stream *stream = level->stream;
    const struct wari_stream_shape *shape = &stream->shape;

    wari_stream_flush(level);
    wari_pieces_use(&stream->pieces, shape->bits.frames);
    wari_give_back(stream->pieces.memory + shape->bits.frames * shape->frame_bytes,
                   (shape->frames - shape->bits.frames) * shape->frame_bytes);
    wari_give_back(level->pages, shape->pages + shape->window);
}

enum wari_status wari_bits_create(struct wari_level *level, int bound, struct wari_error *error)
{
    struct wari_bits *bits;
    void *memory;
    enum wari_status status =
        wari_allocate(level->host, sizeof *bits, "what solving by bits needs", &memory, error);

    if (status != WARI_OK)
        return status;
    level->stream->bits = bits = memory;
    memset(bits, 0, sizeof *bits);
    bits->level = level;
    bits->bound = bound;
    bits->rule = &wari_bits_grows;
    wari_bits_lay_out(bits, &level->layout);
    wari_lower_forget(level->lower);
    status = wari_lists_begin(bits, error);
    if (status != WARI_OK)
        wari_bits_destroy(level);
    return status;
}

void wari_bits_destroy(struct wari_level *level)
{
    struct wari_bits *bits = level->stream->bits;

    if (!bits)
        return;
    wari_release(level->host, bits->gather);
    wari_release(level->host, bits->page);
    wari_release(level->host, bits->memory);
    wari_lists_destroy(bits);
    wari_release(level->host, bits);
    level->stream->bits = NULL;
}

static enum wari_status begin(struct wari_level *level, int bound, struct wari_error *error)
{
    struct wari_stream *stream = level->stream;
    enum wari_status status = WARI_OK;

    if (!stream->bits) {
        status = wari_bits_create(level, bound, error);
        if (status != WARI_OK)
            return status;
        wari_lists_make(stream->bits);
    }
    make_room(level);
    status = wari_bits_make_words(stream->bits, error);
    return status == WARI_OK ? make_planes(stream->bits, error) : status;
}

static void end(struct wari_level *level)
{
    wari_stream_flush(level);
    wari_pieces_use(&level->stream->pieces, level->stream->shape.frames);
    wari_bits_destroy(level);
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

struct run {
    struct wari_bits *bits;
    wari_sweep_report *report;
    void *context;
};

static void note_sweep(const struct run *run, double start, uint64_t changed, bool dense)
{
    const struct wari_level *level = run->bits->level;
    struct wari_level_measure *measure = level->measure;
    const double positions = (double)level->layout.block_offset[level->layout.seeds + 1];

    measure->sweeps++;
    if (dense) {
        measure->dense_sweeps++;
        measure->dense_seconds += wari_seconds_now() - start;
        measure->work += 1;
    }
    for (int i = 0; i < level->team->threads; i++) {
        measure->bytes_moved += run->bits->worker[i].moved;
        run->bits->worker[i].moved = 0;
    }
    if (run->report)
        run->report(run->context, run->bits->rule == &wari_bits_grows ? WARI_GROW : WARI_SHRINK,
                    measure->sweeps, (double)changed / positions);
}

static void save_if_due(struct wari_bits *bits)
{
    struct wari_level *level = bits->level;
    const double start = wari_seconds_now();

    if (!wari_checkpoint_is_due(level))
        return;
    if (wari_checkpoint_has_room(level)) {
        wari_bits_snapshot(bits);
        wari_bits_settle(bits);
        wari_bits_await(bits);
    }
    level->checkpoint->bound = bits->bound;
    wari_checkpoint_if_due(level);
    level->checkpoint->cost = wari_seconds_now() - start; /* settling, too */
}

/* Sweeps until nothing is left to be found; returns the number of cells that changed. */
static uint64_t sweep_to_end(const struct run *run)
{
    struct wari_bits *bits = run->bits;
    const struct wari_level *level = bits->level;
    const double few = tell_share * (double)level->layout.block_offset[level->layout.seeds + 1];
    uint64_t all = 0;
    bool tell = false;

    for (;;) {
        const double start = wari_seconds_now();
        const uint64_t changed = wari_bits_sweep(bits, tell);
        const bool lost = atomic_load_explicit(&bits->overflow, memory_order_relaxed);
        note_sweep(run, start, changed, true);
        all += changed;
        if (wari_level_stopped(level) || changed == 0 || (tell && !lost))
            return all;
        save_if_due(bits);
        tell = (double)changed < few;
    }
}

/* The first bound begins with codes, and those after it with the bits of the one before. */
static void solve_bound(const struct run *run, bool first)
{
    struct wari_bits *bits = run->bits;
    const struct wari_level *level = bits->level;
    const double cells = (double)level->layout.block_offset[level->layout.seeds + 1];
    double start;
    uint64_t changed;

    if (first) {
        wari_bits_from_codes(bits);
        (void)sweep_to_end(run);
        return;
    }
    wari_lists_apply(bits);
    if ((double)wari_lists_count(bits) > tell_listed * cells) {
        (void)sweep_to_end(run);
        return;
    }
    start = wari_seconds_now();
    changed = wari_lists_tell(bits);
    note_sweep(run, start, changed, false);
    if (atomic_load_explicit(&bits->overflow, memory_order_relaxed))
        (void)sweep_to_end(run);
}

/* Takes out of so many hopes those that do not stand up; returns how many are left. */
static uint64_t shrink(const struct run *run, uint64_t hopes)
{
    struct wari_bits *bits = run->bits;
    const struct wari_level *level = bits->level;
    const double few = tell_share * (double)level->layout.block_offset[level->layout.seeds + 1];
    bool lost = true;

    bits->rule = &wari_bits_shrinks;
    if (hopes > 0 && (double)hopes < few) {
        const double start = wari_seconds_now();
        const uint64_t changed = wari_bits_doubt(bits);
        note_sweep(run, start, changed, false);
        hopes -= changed;
        lost = atomic_load_explicit(&bits->overflow, memory_order_relaxed);
    }
    if (hopes > 0 && lost)
        hopes -= sweep_to_end(run);
    bits->rule = &wari_bits_grows;
    return hopes;
}

/* Cycle rule `own`: what can be held for ever is won and lost, too, and all that follows from it.
 * Whether anything followed, so that now more may be held. */
static bool hold(const struct run *run)
{
    struct wari_bits *bits = run->bits;
    const struct wari_level *level = bits->level;
    const double few = tell_share * (double)level->layout.block_offset[level->layout.seeds + 1];
    uint64_t held, changed;
    double start;
    bool tell;

    held = shrink(run, wari_bits_hope(bits));
    if (held == 0 || wari_level_stopped(level))
        return false;
    tell = (double)held < few;
    start = wari_seconds_now();
    changed = wari_bits_believe(bits, tell);
    note_sweep(run, start, changed, false);
    if (!tell || atomic_load_explicit(&bits->overflow, memory_order_relaxed))
        changed += sweep_to_end(run);
    return changed > held && !wari_level_stopped(level);
}

/* A bound without a list finds the cells of the one before; blocks that may be held are other ones
 * if their surplus, as even or odd as the seeds, may be just this bound. */
static bool is_needed(const struct wari_bits *bits)
{
    return wari_lists_count(bits) > 0 ||
           (bits->holds && (bits->level->layout.seeds - bits->bound) % 2 == 0);
}

/* Cycle rule `own`, when all bounds are grown: whether for any of them more can be held. From the
 * lowest on, so that what may be held is never more than what was won and lost for the one before:
 * that is little, and goes in few sweeps. */
static bool may_hold_more(const struct run *run)
{
    struct wari_bits *bits = run->bits;
    const struct wari_level *level = bits->level;
    uint64_t held = 0;

    for (bits->bound = 1; bits->bound <= level->layout.seeds && held == 0; bits->bound++) {
        const uint64_t hopes = wari_bits_from_codes(bits);
        if (wari_level_stopped(level))
            break;
        held = shrink(run, hopes);
        if (wari_level_stopped(level))
            break;
        if (level->checkpoint)
            level->checkpoint->bound = 1; /* nothing is left of higher ones */
        wari_checkpoint_if_due(run->bits->level);
    }
    return held > 0 && !wari_level_stopped(level);
}

static void solve_bounds(const struct run *run)
{
    struct wari_bits *bits = run->bits;
    const struct wari_level *level = bits->level;
    const int highest = bits->bound;

    for (; bits->bound > 0 && !wari_level_stopped(level); bits->bound--) {
        const bool first = bits->bound == highest;
        if (!first && !is_needed(bits))
            continue; /* what holds for the bound before holds for this one */
        if (first || wari_lists_count(bits) > 0)
            solve_bound(run, first);
        while (bits->holds && hold(run))
            ;
        if (wari_level_stopped(level))
            break;
        wari_bits_snapshot(bits);
        save_if_due(bits);
    }
    wari_bits_await(bits);
    bits->count = true;
    wari_bits_settle(bits);
    wari_bits_await(bits);
}

/* One run from a bound on; whether that has to be done once more, with `holds`. */
static bool grow(struct wari_level *level, int bound, bool holds, const struct run *report)
{
    struct wari_error error;
    bool again = false;

    if (wari_level_stopped(level))
        return false;
    if (begin(level, bound, &error) == WARI_OK) {
        struct run run = *report;
        run.bits = level->stream->bits;
        run.bits->holds = holds;
        solve_bounds(&run);
        again = run.bits->kept && !holds && !wari_level_stopped(level) && may_hold_more(&run);
    } else {
        wari_team_fail(level->team, &error);
    }
    end(level);
    return again;
}

/* That something can be held is rare: at 3, 7 and 9 seeds, in all rule sets, and at no other number
 * up to 13. So bounds are grown without regard for it, which takes a fourth of the time, and only
 * if that was not enough everything is done again. */
void wari_bits_grow(struct wari_level *level, int bound, wari_sweep_report *report, void *context)
{
    const struct run run = {NULL, report, context};

    if (!grow(level, bound, false, &run))
        return;
    memset(level->counts, 0, sizeof level->counts);
    level->counted = false;
    wari_stream_captures(level);
    (void)grow(level, level->layout.seeds, true, &run);
}
