/* What streaming a level costs: the cells, bytes of memory, that go to and from the scratch file.
 */
#ifndef SOLVER_STREAM_MODEL_H
#define SOLVER_STREAM_MODEL_H

#include "solver/stream.h"
#include "solver/traffic.h"

/* How often the late sweeps of a level read it, but for what is in memory, and write it, when they
 * end; and per cent of the memory for records that pieces have meanwhile: counted for levels 20 to
 * 22, NOTES.md. */
enum { WARI_LATE_READS = 41, WARI_LATE_WRITES = 1, WARI_LATE_LENT = 60 };

/* Per cent of these bytes, a cell each, that go to and from the file, as half bytes: counted for
 * levels 22 to 24. */
enum { WARI_HALVED = 66 };

/* Late sweeps of a streamed level: a look takes one more than in memory. */
int wari_stream_late_sweeps(enum wari_cycle cycle);

/* What an event costs them, times what it does in memory: it is marked, and looks ask questions;
 * and a visit to a block, whatever there is to do, as so many events of one thread. Fitted to
 * levels 20 and 22, NOTES.md. */
static const double wari_late_records = 2.2, wari_late_visit = 4000;

/* Where values grow by bits (bits/bits.h): sweeps over all cells, of all bounds together, and
 * bounds that need none; what such a sweep takes, of the time of a sweep over all cells; parents
 * that are looked at beside these sweeps, for each position; and what reading lists, filling planes
 * and settling take for each position and bound, in sowings. Fitted to levels 17 to 24, NOTES.md.
 */
int wari_bits_sweeps(int seeds);
int wari_bits_told(int seeds);
static const double wari_bits_sweep_share = 0.55, wari_bits_events = 0.2, wari_bits_sowings = 2;

/* Bytes of the scratch file for each position, and which of them are transferred beside sweeps. */
struct wari_bits_bytes {
    double read, written, read_beside, written_beside;
};
struct wari_bits_bytes wari_bits_position_bytes(int seeds);

/* Bytes read and written. */
struct wari_stream_bytes {
    double read, written;
};

/* By one turn in a dense sweep that is not the first one; by all turns of such a sweep;
 * by one pass over the level (all late sweeps count as one). From division of memory and sizes of
 * blocks alone; a few multiplications. */
struct wari_stream_bytes wari_stream_turn_bytes(int seeds, const struct wari_stream_shape *shape,
                                                struct wari_turn turn);
struct wari_stream_bytes wari_stream_sweep_bytes(int seeds, const struct wari_stream_shape *shape);
struct wari_stream_bytes wari_stream_pass_bytes(enum wari_pass pass, int seeds,
                                                const struct wari_stream_shape *shape);

#endif
