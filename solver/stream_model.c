/* The cost of streaming, as a formula. A turn reads its block, and each block with children of it
 * once for each window: a little more where frames are so few that pieces are read again when
 * another pit comes to them, less where frames keep something from one turn to the next. NOTES.md
 * compares it with what is counted. */
#include "solver/stream_model.h"

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
static double kept(const struct wari_layout *layout, enum wari_cycle cycle,
                   const struct wari_stream_shape *shape)
{
    const double arrays = cycle == WARI_OWN ? 2 : 1;
    const double share =
        (double)shape->frames * (double)shape->frame_bytes / arrays / all_bytes(layout);

    return share < 1 ? share : 1;
}

static double at_least_0(double value)
{
    return value > 0 ? value : 0;
}

struct wari_stream_bytes wari_stream_turn_bytes(int seeds, enum wari_cycle cycle,
                                                const struct wari_stream_shape *shape,
                                                struct wari_turn turn)
{
    struct wari_layout layout;
    struct wari_stream_bytes bytes;
    double share, own = 0, children = 0, windows;

    wari_layout_init(&layout, seeds);
    share = kept(&layout, cycle, shape);
    for (int block = turn.first; block < turn.first + turn.count; block++)
        own += block_bytes(&layout, block);
    windows = turn.count > 1 ? 1 : (double)(uint64_t)(own / (double)shape->window) + 1;
    for (int child = 0; child + turn.first <= seeds; child++)
        children += block_bytes(&layout, child);
    bytes.read = own * (1 - share) + windows * children * at_least_0(1.1 - 1.45 * share);
    bytes.written = own * (1 - share < 0.5 ? 2 * (1 - share) : 1);
    return bytes;
}

struct wari_stream_bytes wari_stream_sweep_bytes(int seeds, enum wari_cycle cycle,
                                                 const struct wari_stream_shape *shape)
{
    struct wari_stream_bytes sum = {0, 0};
    struct wari_turn turns[WARI_SEEDS_MAX + 1];
    struct wari_layout layout;
    int count;

    wari_layout_init(&layout, seeds);
    count = wari_stream_turns(&layout, shape->window, turns);
    for (int i = 0; i < count; i++) {
        const struct wari_stream_bytes turn =
            wari_stream_turn_bytes(seeds, cycle, shape, turns[i]);
        sum.read += turn.read;
        sum.written += turn.written;
    }
    return sum;
}

struct wari_stream_bytes wari_stream_pass_bytes(enum wari_pass pass, int seeds,
                                                enum wari_cycle cycle,
                                                const struct wari_stream_shape *shape)
{
    const struct wari_stream_bytes sweep = wari_stream_sweep_bytes(seeds, cycle, shape);
    struct wari_layout layout;
    double once;

    wari_layout_init(&layout, seeds);
    once = all_bytes(&layout) * (1 - kept(&layout, cycle, shape));
    switch (pass) {
    case WARI_PASS_CAPTURES:
        return (struct wari_stream_bytes){0, once};
    case WARI_PASS_DENSE:
        return sweep;
    case WARI_PASS_LATE:
        return (struct wari_stream_bytes){WARI_LATE_READS * once, WARI_LATE_WRITES * once};
    case WARI_PASS_COUNT: /* the cells, and the children of full halves */
        return (struct wari_stream_bytes){sweep.read, 0};
    case WARI_PASS_WRITE:
        return (struct wari_stream_bytes){once, 0};
    case WARI_PASSES:
        break;
    }
    return (struct wari_stream_bytes){0, 0};
}

struct wari_stream_bytes wari_stream_level_bytes(int seeds, enum wari_cycle cycle,
                                                 const struct wari_stream_shape *shape, int dense)
{
    struct wari_stream_bytes sum = {0, 0};

    for (int pass = 0; pass < WARI_PASSES; pass++) {
        const struct wari_stream_bytes bytes =
            wari_stream_pass_bytes((enum wari_pass)pass, seeds, cycle, shape);
        const int times = pass == WARI_PASS_DENSE ? dense : 1;
        sum.read += times * bytes.read;
        sum.written += times * bytes.written;
    }
    return sum;
}
