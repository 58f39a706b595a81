/* Late sweeps of a streamed level; see late.h for the rules.
 *
 * Blocks are visited in turn. At its visit a block concludes looks, applies events and answers
 * questions, all in one go, so that each of its pieces is read once, and only those are read that
 * some record leads to. Records are words of 64 bits, in the lists of events.h, by block and part
 * of its rows; there are as many lists of looks and of questions as there are of events:
 *
 *     look       63      43 42      21 20  19     16 15     8 7        0
 *     (of the    +---------+----------+---+---------+--------+----------+
 *     parent)    |   row   |  column  | 1 |    0    | answers|  worst   |   0: concluded
 *                +---------+----------+---+---------+--------+----------+   answers: to come
 *     question   63      48 47      26 25                              0
 *     (to the    +---------+----------+---------------------------------+
 *     child)     | row - part's first |column|  look: page * 31 + place |
 *                +---------+----------+---------------------------------+
 *
 * A look stays where it is until it is concluded, so that questions can name it. That the events of
 * changes after an answer come after the conclusion (late.h) holds: a block's events are applied at
 * its visits only, after the conclusions; and a child changes only at its visits, before it
 * answers.
 *
 * What changes is not written to the pieces' file before late sweeps end: overlay.h.
 */
#ifndef SOLVER_STREAM_LATE_H
#define SOLVER_STREAM_LATE_H

#include "solver/overlay.h"

enum wari_record { WARI_RECORD_EVENT, WARI_RECORD_LOOK, WARI_RECORD_QUESTION, WARI_RECORDS };

/* What the visited block is to work on: for each kind and part the first page. */
struct wari_late_store {
    uint32_t head[WARI_RECORDS][WARI_PARTS_MAX];
    _Atomic uint32_t jobs[WARI_PARTS_MAX]; /* of each part, that are not done */
    uint32_t count;                        /* pieces that are touched: stream->list */
    _Atomic uint32_t overlaid;             /* pages of all overlays */
    uint32_t round, lent;                  /* since late sweeps began; pages that pieces have */
    struct wari_overlay overlay[];         /* of each piece, or stripe (none have any) */
};

/* For so many pieces. */
static inline uint64_t wari_late_store_bytes(uint64_t pieces)
{
    return (sizeof(struct wari_late_store) + pieces * sizeof(struct wari_overlay) + 7) / 8 * 8;
}

/* Pages of records there is room for at most: questions name looks by 26 bits. */
enum { WARI_LATE_PAGES_MAX = (1 << 26) / WARI_PAGE_EVENTS };

/* One round of visits. tally.pending: there are looks to be concluded in the next. */
struct wari_tally wari_stream_round(struct wari_level *level);

#endif
