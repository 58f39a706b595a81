/* What passes move, from the layout of a level and from counts (NOTES.md, "Cost model"). Nothing
 * here is measured in seconds, so it is the same on every machine.
 *
 * A dense sweep gathers a byte for each sowing, out of words of 64 columns of which not all are
 * wanted; it reads the cell, writes most cells while many change, and copies blocks that hold
 * children of their own.
 */
#include "solver/forecast/traffic.h"

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

int wari_late_sweeps(enum wari_cycle cycle)
{
    return cycle == WARI_OWN ? 60 : 36;
}

double wari_late_events(enum wari_cycle cycle)
{
    return cycle == WARI_OWN ? 0.14 : 0.07;
}

double wari_memory_traffic(enum wari_pass pass, int seeds, enum wari_cycle cycle)
{
    switch (pass) {
    case WARI_PASS_DENSE:
        return row_bytes * wari_sowings_of(seeds) + merge_bytes;
    case WARI_PASS_LATE:
        return wari_late_events(cycle) * (event_loads + 2 * event_bytes);
    case WARI_PASS_CAPTURES:
    case WARI_PASS_COUNT:
    case WARI_PASS_WRITE:
    case WARI_PASSES:
        break;
    }
    return 1;
}
