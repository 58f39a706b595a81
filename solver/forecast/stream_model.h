/* What streaming a level costs: the cells, bytes of memory, that go to and from the scratch file.
 */
#ifndef SOLVER_STREAM_MODEL_H
#define SOLVER_STREAM_MODEL_H

#include "solver/forecast/traffic.h"
#include "solver/scratch/stream.h"

/* Per cent of these bytes, a cell each, that go to and from the file, as half bytes: counted for
 * levels 22 to 24. */
enum { WARI_HALVED = 66 };

/* Where values grow by bits (bits/bits.h): sweeps over all cells, of all bounds together, and
 * bounds that need none; what such a sweep takes, of the time of a sweep over all cells; parents
 * that are looked at beside these sweeps, for each position; and what reading lists, filling planes
 * and settling take for each position and bound, in sowings. Fitted to levels 17 to 24, NOTES.md.
 */
int wari_bits_sweeps(int seeds, enum wari_cycle cycle);
int wari_bits_told(int seeds);
static const double wari_bits_sweep_share = 0.55, wari_bits_events = 0.2, wari_bits_sowings = 2;

/* Bytes of the scratch file for each position, and which of them are transferred beside sweeps. */
struct wari_bits_bytes {
    double read, written, read_beside, written_beside;
};
struct wari_bits_bytes wari_bits_position_bytes(int seeds, enum wari_cycle cycle);

/* Bytes read and written. */
struct wari_stream_bytes {
    double read, written;
};

/* By one pass over the level, beside what growing by bits takes. From division of memory and sizes
 * of blocks alone; a few multiplications. */
struct wari_stream_bytes wari_stream_pass_bytes(enum wari_pass pass, int seeds,
                                                const struct wari_stream_shape *shape);

#endif
