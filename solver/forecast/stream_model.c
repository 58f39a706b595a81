/* The cost of streaming, as a formula. NOTES.md compares it with what is counted. */
#include "solver/forecast/stream_model.h"

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

/* What passes that only read have to read again of it, once each has been read: neither frames nor
 * the rest of the memory hold it. */
static double again(const struct wari_layout *layout, const struct wari_stream_shape *shape)
{
    const double halves = ((double)shape->pages + (double)shape->window) / WARI_HALVED * 100;
    const double left = all_bytes(layout) * (1 - kept(layout, shape)) - halves;

    return left > 0 ? left : 0;
}

struct wari_stream_bytes wari_stream_pass_bytes(enum wari_pass pass, int seeds,
                                                const struct wari_stream_shape *shape)
{
    struct wari_layout layout;
    double once;

    wari_layout_init(&layout, seeds);
    once = all_bytes(&layout) * (1 - kept(&layout, shape));
    switch (pass) {
    case WARI_PASS_CAPTURES:
        /* the stripes, which come and go whole; and the rows made of them */
        return (struct wari_stream_bytes){all_bytes(&layout), all_bytes(&layout) + once};
    case WARI_PASS_COUNT: /* the cells, and the children of full halves, some of them twice */
        return (struct wari_stream_bytes){once + 1.5 * again(&layout, shape), 0};
    case WARI_PASS_WRITE:
        return (struct wari_stream_bytes){again(&layout, shape), 0};
    case WARI_PASS_DENSE: /* by bits: below */
    case WARI_PASS_LATE:
    case WARI_PASSES:
        break;
    }
    return (struct wari_stream_bytes){0, 0};
}

/* ---- By bits --------------------------------------------------------------------------------- */

int wari_bits_sweeps(int seeds, enum wari_cycle cycle)
{
    const int even = 46 + 17 * seeds / 20;

    return cycle == WARI_OWN ? even * 5 / 4 : even;
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

/* With cycle rule `own` planes are filled once more for each bound. */
struct wari_bits_bytes wari_bits_position_bytes(int seeds, enum wari_cycle cycle)
{
    const double codes = WARI_HALVED / 100.0, lists = 0.46, snapshot = 1 / 8.0;
    const double snapshots = bounds_of(seeds) * snapshot;
    const double settled = codes * bounds_of(seeds) / WARI_BITS_SNAPSHOTS;

    return (struct wari_bits_bytes){.read = codes * (cycle == WARI_OWN ? 1 + seeds : 1) + lists,
                                    .written = lists + snapshots,
                                    .read_beside = snapshots + settled,
                                    .written_beside = settled};
}
