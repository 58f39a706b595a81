/* What passes do and move, from the layout of a level and from counts (NOTES.md).
 *
 * A dense sweep gathers a byte for each sowing, out of words of 64 columns of which not all are
 * wanted; it reads the cell, writes most cells while many change, and copies blocks that hold
 * children of their own.
 */
#include "solver/forecast/traffic.h"

#include "solver/bits/bits.h"
#include "solver/level/level.h"

static const double row_bytes = 1.77;  /* loaded for each sowing: 6.9 bytes at 20 seeds */
static const double merge_bytes = 2.7; /* read, written, and kept for those below it */
static const double event_bytes = 8;   /* events.h */
static const double event_loads = 64;  /* a cache line for each parent looked at */

double wari_sowings_of(int seeds)
{
    return 6.0 * seeds / (seeds + 11);
}

/* From sweep to sweep the share of cells that change falls to 0.77 of what it was (levels 20 and
 * 21). */
int wari_dense_sweeps(enum wari_cycle cycle, double events)
{
    int sweeps = cycle == WARI_OWN ? 30 : 17;

    for (double share = WARI_EVENTS_SHARE; share > events; share *= 0.77)
        sweeps++;
    return sweeps;
}

int wari_event_sweeps(enum wari_cycle cycle)
{
    return cycle == WARI_OWN ? 60 : 36;
}

double wari_late_events(enum wari_cycle cycle)
{
    return cycle == WARI_OWN ? 0.14 : 0.07;
}

double wari_memory_traffic(enum wari_pass pass, int seeds, enum wari_cycle cycle)
{
    if (pass == WARI_PASS_DENSE)
        return row_bytes * wari_sowings_of(seeds) + merge_bytes;
    if (pass == WARI_PASS_EVENTS)
        return wari_late_events(cycle) * (event_loads + 2 * event_bytes);
    return 1;
}

/* ---- The scratch file ------------------------------------------------------------------------ */

static double all_bytes(const struct wari_layout *layout)
{
    double bytes = 0;

    for (int block = 0; block <= layout->seeds; block++)
        bytes += (double)layout->rows[block] * wari_level_pitch(layout->columns[block]);
    return bytes;
}

/* The share of what is swept that frames hold. */
static double kept(const struct wari_layout *layout, const struct wari_bits_shape *shape)
{
    const double share =
        (double)shape->scratch.frames * (double)shape->scratch.frame_bytes / all_bytes(layout);

    return share < 1 ? share : 1;
}

/* What passes that only read have to read again of it, once each has been read: neither frames nor
 * the rest of the memory hold it. */
static double again(const struct wari_layout *layout, const struct wari_bits_shape *shape)
{
    const double halves =
        ((double)shape->scratch.pages + (double)shape->scratch.window) / WARI_HALVED;
    const double left = all_bytes(layout) * (1 - kept(layout, shape)) - halves;

    return left > 0 ? left : 0;
}

struct wari_scratch_bytes wari_scratch_pass_bytes(enum wari_pass pass, int seeds,
                                                  const struct wari_bits_shape *shape)
{
    struct wari_layout layout;
    double cells, once;

    wari_layout_init(&layout, seeds);
    cells = all_bytes(&layout);
    once = cells * (1 - kept(&layout, shape));
    if (pass == WARI_PASS_CAPTURES) /* stripes come and go whole; and the rows made of them */
        return (struct wari_scratch_bytes){.read = WARI_HALVED * cells,
                                           .written = WARI_HALVED * (cells + once)};
    if (pass == WARI_PASS_COUNT) /* and the children of full halves, some of them twice */
        return (struct wari_scratch_bytes){.read =
                                               WARI_HALVED * (once + 1.5 * again(&layout, shape))};
    if (pass == WARI_PASS_WRITE)
        return (struct wari_scratch_bytes){.read = WARI_HALVED * again(&layout, shape)};
    return (struct wari_scratch_bytes){.read = 0};
}

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
struct wari_scratch_bytes wari_bits_position_bytes(int seeds, enum wari_cycle cycle)
{
    const double codes = WARI_HALVED, lists = 0.46, snapshot = 1 / 8.0;
    const double snapshots = bounds_of(seeds) * snapshot;
    const double settled = codes * bounds_of(seeds) / WARI_BITS_SNAPSHOTS;

    return (struct wari_scratch_bytes){.read = codes * (cycle == WARI_OWN ? 1 + seeds : 1) + lists,
                                       .written = lists + snapshots,
                                       .read_beside = snapshots + settled,
                                       .written_beside = settled};
}
