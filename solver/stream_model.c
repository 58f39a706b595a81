/* The cost of streaming, as a formula. A turn reads its blocks, and each block with children of
 * theirs once for each window, and a little more: pieces are read again when another pit comes to
 * them, and the more often the more blocks have their turn together. NOTES.md compares it with what
 * is counted. */
#include "solver/stream_model.h"

#include "solver/bits/bits.h"

static double block_bytes(const struct wari_layout *layout, int block)
{
    return (double)layout->rows[block] * wari_level_pitch(layout->columns[block]);
}

static double all_bytes(const struct wari_layout *layout)
{
    double bytes = 0;

    for (int block = 0; block <= layout->seeds; block++)
        bytes += block_bytes(layout, block);
    return bytes;
}

/* The share of what is swept that frames hold. */
static double kept(const struct wari_layout *layout, const struct wari_stream_shape *shape)
{
    const double share = (double)shape->frames * (double)shape->frame_bytes / all_bytes(layout);

    return share < 1 ? share : 1;
}

/* The share that late sweeps keep as half bytes, in memory that records leave. */
static double lent(const struct wari_layout *layout, const struct wari_stream_shape *shape)
{
    const double pool = (double)shape->pages + (double)shape->window;

    return pool * WARI_LATE_LENT / WARI_HALVED / all_bytes(layout);
}

/* What passes that only read have to read again of it, once each has been read: neither frames nor
 * the rest of the memory hold it. */
static double again(const struct wari_layout *layout, const struct wari_stream_shape *shape)
{
    const double halves = ((double)shape->pages + (double)shape->window) / WARI_HALVED * 100;
    const double left = all_bytes(layout) * (1 - kept(layout, shape)) - halves;

    return left > 0 ? left : 0;
}

/* How often a child is read for each window. Hardly less while frames hold up to a third: what they
 * keep from one turn is not what the next begins with. */
static double readings(const struct wari_turn *turn, double share)
{
    double often = 1.18 + 0.06 * (turn->count - 1);

    if (often > 1.78)
        often = 1.78;
    return share < 1 / 3.0 ? often : often * (1 - share) * 1.5;
}

struct wari_stream_bytes wari_stream_turn_bytes(int seeds, const struct wari_stream_shape *shape,
                                                struct wari_turn turn)
{
    struct wari_layout layout;
    struct wari_stream_bytes bytes;
    double share, own = 0, children = 0, windows;

    wari_layout_init(&layout, seeds);
    share = kept(&layout, shape);
    for (int block = turn.first; block < turn.first + turn.count; block++)
        own += block_bytes(&layout, block);
    windows = turn.count > 1 ? 1 : (double)(uint64_t)(own / (double)shape->window) + 1;
    for (int child = 0; child + turn.first <= seeds; child++)
        children += block_bytes(&layout, child);
    bytes.read = own * (1 - share) + windows * children * readings(&turn, share);
    bytes.written = own * (1 - share < 0.5 ? 2 * (1 - share) : 1);
    return bytes;
}

struct wari_stream_bytes wari_stream_sweep_bytes(int seeds, const struct wari_stream_shape *shape)
{
    struct wari_stream_bytes sum = {0, 0};
    struct wari_turn turns[WARI_SEEDS_MAX + 1];
    struct wari_layout layout;
    int count;

    wari_layout_init(&layout, seeds);
    count = wari_stream_turns(&layout, shape->window, turns);
    for (int i = 0; i < count; i++) {
        const struct wari_stream_bytes turn = wari_stream_turn_bytes(seeds, shape, turns[i]);
        sum.read += turn.read;
        sum.written += turn.written;
    }
    return sum;
}

int wari_stream_late_sweeps(enum wari_cycle cycle)
{
    return wari_late_sweeps(cycle) * 3 / 2;
}

struct wari_stream_bytes wari_stream_pass_bytes(enum wari_pass pass, int seeds,
                                                const struct wari_stream_shape *shape)
{
    const struct wari_stream_bytes sweep = wari_stream_sweep_bytes(seeds, shape);
    struct wari_layout layout;
    double once, late;

    wari_layout_init(&layout, seeds);
    once = all_bytes(&layout) * (1 - kept(&layout, shape));
    switch (pass) {
    case WARI_PASS_CAPTURES:
        /* the stripes, which come and go whole; and the rows made of them */
        return (struct wari_stream_bytes){all_bytes(&layout), all_bytes(&layout) + once};
    case WARI_PASS_DENSE:
        return sweep;
    case WARI_PASS_LATE:
        late = once - all_bytes(&layout) * lent(&layout, shape);
        return (struct wari_stream_bytes){WARI_LATE_READS * (late > 0 ? late : 0),
                                          WARI_LATE_WRITES * once};
    case WARI_PASS_COUNT: /* the cells, and the children of full halves, some of them twice */
        return (struct wari_stream_bytes){once + 1.5 * again(&layout, shape), 0};
    case WARI_PASS_WRITE:
        return (struct wari_stream_bytes){again(&layout, shape), 0};
    case WARI_PASSES:
        break;
    }
    return (struct wari_stream_bytes){0, 0};
}

/* ---- By bits --------------------------------------------------------------------------------- */

int wari_bits_sweeps(int seeds)
{
    return 46 + 17 * seeds / 20;
}

int wari_bits_told(int seeds)
{
    return seeds / 4 + 1;
}

/* A tenth of the bounds are nobody's best capture. */
static double bounds_of(int seeds)
{
    return 0.9 * seeds;
}

struct wari_bits_bytes wari_bits_position_bytes(int seeds)
{
    const double codes = WARI_HALVED / 100.0, lists = 0.46, snapshot = 1 / 8.0;
    const double snapshots = bounds_of(seeds) * snapshot;
    const double settled = codes * bounds_of(seeds) / WARI_BITS_SNAPSHOTS;

    return (struct wari_bits_bytes){.read = codes + lists, /* codes for planes */
                                    .written = lists + snapshots,
                                    .read_beside = snapshots + settled,
                                    .written_beside = settled};
}
