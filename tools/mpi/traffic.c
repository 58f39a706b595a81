/* The traffic between ranks, as a formula of the level and the number of ranks.
 *
 * Each factor was fitted to the rules by which rows and work are distributed
 * (solver/cluster/ranks.h): these rules were evaluated for 12, 24, 36 and 48 seeds and 16 ranks,
 * and the result was divided by the fraction of the cells that other ranks hold. Fewer ranks send
 * less: 4 ranks send 0.84 to 0.86 bytes of rows for each sowing at 11 to 14 seeds.
 */
#include "tools/mpi/mpi.h"

/* Bytes of child rows that are sent for each sowing of a cell: row_bytes, plus row_bytes_per_seed
 * for each seed of the level. */
static const double row_bytes = 0.88, row_bytes_per_seed = 0.022;
/* Bytes of results that are sent for each cell. One rank computes the tile of an item
 * (solver/cluster/rounds.h) and sends each row of the tile to the rank that owns the row, so each
 * result is sent once. */
static const double tile_bytes = 0.99;
/* Bytes that the histogram pass (WARI_PASS_COUNT) sends for each cell, per seed above 11. */
static const double count_bytes_per_seed = 0.19;
/* Bytes for each parent that an event-driven sweep updates: the event, and the queries that it
 * causes. This number was measured. */
static const double event_bytes = 15;

double wari_bytes_sent(enum wari_pass pass, int seeds, enum wari_cycle cycle, int ranks)
{
    const double remote = (double)(ranks - 1) / ranks;

    switch (pass) {
    case WARI_PASS_CAPTURES:
        return remote * tile_bytes;
    case WARI_PASS_DENSE:
        return remote *
               ((row_bytes + row_bytes_per_seed * seeds) * wari_sowings_of(seeds) + tile_bytes);
    case WARI_PASS_EVENTS:
        return remote * event_bytes * wari_late_events(cycle, true);
    case WARI_PASS_COUNT:
        return seeds > 11 ? remote * count_bytes_per_seed * (seeds - 11) : 0;
    case WARI_PASS_WRITE: /* the file itself, a tenth of a byte per position: neglected */
    case WARI_PASSES:
        break;
    }
    return 0;
}
