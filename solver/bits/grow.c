/* The run: one bound after the other, each to its fixed point. */
#include <string.h>

#include "solver/bits/lists.h"
#include "solver/bits/worker.h"
#include "solver/checkpoint.h"
#include "solver/clock.h"
#include "solver/huge_pages.h"

_Static_assert(sizeof(struct wari_bits_tile) <= (size_t)WARI_ITEM_STRIPS * WARI_PATCH,
               "it takes the place of a worker's tile");

/* Once a sweep decides so few of the cells, the next one tells the parents of those that it
 * decides. Likewise for the cells that a bound begins with. Between 0.0015 and 0.004 it hardly
 * matters (EXPERIMENTS.md). */
static const double tell_share = 0.004, tell_listed = 0.006;

/* ---- Memory ---------------------------------------------------------------------------------- */

static enum wari_status make_planes(struct wari_bits *bits, struct wari_error *error)
{
    const struct wari_level *level = bits->level;
    const uint64_t plane = bits->offset[level->layout.seeds + 1] + WARI_BITS_PADDING;
    enum wari_status status =
        2 * plane > SIZE_MAX ? wari_fail(error, WARI_NO_MEMORY, "the address space is too small")
                             : wari_allocate(level->host, (size_t)(2 * plane),
                                             "two bits for each cell", &bits->memory, error);

    if (status != WARI_OK)
        return status;
    wari_ask_for_huge_pages(bits->memory, 2 * plane);
    bits->won = bits->memory;
    bits->lost = bits->won + plane;
    memset(bits->won + plane - WARI_BITS_PADDING, 0, WARI_BITS_PADDING);
    memset(bits->lost + plane - WARI_BITS_PADDING, 0, WARI_BITS_PADDING);
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
        run->report(run->context, WARI_GROW, measure->sweeps, (double)changed / positions);
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

/* Sweeps until nothing is left to be found. */
static void sweep_to_end(const struct run *run)
{
    struct wari_bits *bits = run->bits;
    const struct wari_level *level = bits->level;
    const double few = tell_share * (double)level->layout.block_offset[level->layout.seeds + 1];
    bool tell = false;

    for (;;) {
        const double start = wari_seconds_now();
        const uint64_t changed = wari_bits_sweep(bits, tell);
        const bool lost = atomic_load_explicit(&bits->overflow, memory_order_relaxed);
        note_sweep(run, start, changed, true);
        if (wari_level_stopped(level) || changed == 0 || (tell && !lost))
            return;
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
        sweep_to_end(run);
        return;
    }
    wari_lists_apply(bits);
    if ((double)wari_lists_count(bits) > tell_listed * cells) {
        sweep_to_end(run);
        return;
    }
    start = wari_seconds_now();
    changed = wari_lists_tell(bits);
    note_sweep(run, start, changed, false);
    if (atomic_load_explicit(&bits->overflow, memory_order_relaxed))
        sweep_to_end(run);
}

static void solve_bounds(const struct run *run)
{
    struct wari_bits *bits = run->bits;
    const struct wari_level *level = bits->level;
    const int highest = bits->bound;

    for (; bits->bound > 0 && !wari_level_stopped(level); bits->bound--) {
        const bool first = bits->bound == highest;
        if (!first && wari_lists_count(bits) == 0)
            continue; /* what holds for the bound before holds for this one */
        solve_bound(run, first);
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

void wari_bits_grow(struct wari_level *level, int bound, wari_sweep_report *report, void *context)
{
    struct wari_error error;

    if (wari_level_stopped(level))
        return;
    if (begin(level, bound, &error) == WARI_OK)
        solve_bounds(&(struct run){level->stream->bits, report, context});
    else
        wari_team_fail(level->team, &error);
    end(level);
}
