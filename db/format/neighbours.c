/* Neighbours of the cells of a chunk: rows.c says how far away they may be, neighbours_aim_loop.h
 * which of them count.
 */
#include "db/format/neighbours.h"

static wari_aim_kernel *fastest_aim(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bw"))
        return wari_aim_avx512;
    if (__builtin_cpu_supports("avx2"))
        return wari_aim_avx2;
#endif
    return wari_aim_portable;
}

void wari_neighbours_init(struct wari_neighbours *neighbours)
{
    neighbours->aim = fastest_aim();
    wari_rows_init(&neighbours->rows);
}

/* A row's part of a chunk, lane by lane. */
static void aim_row(struct wari_neighbours *neighbours, const struct wari_walk *row, size_t length,
                    size_t steps)
{
    const size_t end = row->at + row->cells;
    for (size_t lane = row->at / length * length; lane < end; lane += length) {
        struct wari_part part = wari_row_part(row, lane, length);
        if (part.at >= lane + steps)
            continue;
        if (part.cells > lane + steps - part.at)
            part.cells = (uint32_t)(lane + steps - part.at);
        neighbours->aim(neighbours, &part, length);
    }
}

void wari_neighbours_of(struct wari_neighbours *neighbours, const struct wari_section *section)
{
    const size_t length = wari_lane_cells(section->count);
    struct wari_walk row;
    wari_walk_begin(&row, &neighbours->rows, section);
    while (wari_walk_on(&row))
        aim_row(neighbours, &row, length, section->steps);
}
