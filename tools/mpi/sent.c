/* What ranks send each other, as a formula of the level and their number.
 *
 * Each factor was fitted to the rules of dealing rows and work (solver/cluster/ranks.h), gone
 * through for 12, 24, 36 and 48 seeds and 16 ranks, and divided by the share of the cells that lie
 * with other ranks. Fewer ranks send less: 4 of them 0.84 to 0.86 bytes of rows for each sowing at
 * 11 to 14 seeds.
 */
#include "tools/mpi/sent.h"

static const double rows = 0.88, rows_a_seed = 0.022; /* for each sowing of a cell */
static const double tiles = 0.99;                     /* a cell: brought back once */
static const double counting_a_seed = 0.19;           /* a cell, from 11 seeds on */
static const double a_parent =
    15; /* of an event-driven sweep: an event, and what it asks; counted */

double wari_sent_bytes(enum wari_pass pass, int seeds, enum wari_cycle cycle, int ranks)
{
    const double away = (double)(ranks - 1) / ranks;

    switch (pass) {
    case WARI_PASS_CAPTURES:
        return away * tiles;
    case WARI_PASS_DENSE:
        return away * ((rows + rows_a_seed * seeds) * wari_sowings_of(seeds) + tiles);
    case WARI_PASS_EVENTS:
        return away * a_parent * wari_late_events(cycle);
    case WARI_PASS_COUNT:
        return seeds > 11 ? away * counting_a_seed * (seeds - 11) : 0;
    case WARI_PASS_WRITE: /* the file itself; a tenth of a byte */
    case WARI_PASSES:
        break;
    }
    return 0;
}
