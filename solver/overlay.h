/* What late sweeps have changed in pieces, and the scratch file does not have yet.
 *
 * A late sweep goes through nearly all pieces and changes a cell in some thousand. Writing pieces
 * for that would be half of all its transfers; so changes stay in memory, for each piece in a list
 * of pages from the pool of records, the oldest page first:
 *
 *     change   31     24 23               0
 *     (two in  +--------+------------------+
 *     a word)  |  code  | cell of the piece|
 *              +--------+------------------+
 *
 * They are put over a piece whenever it has been read, so nobody who reads pieces has to know. What
 * always holds: a piece that is to be written (its frame is dirty) has no changes here; of any
 * other piece, file and changes together are what its cells are.
 */
#ifndef SOLVER_OVERLAY_H
#define SOLVER_OVERLAY_H

#include "solver/events.h"
#include "solver/stream.h"

/* Cells that a piece may have, bytes of a frame. */
#define WARI_OVERLAY_CELLS (UINT64_C(1) << 24)

/* The changes of a piece. */
struct wari_overlay {
    uint32_t pages, first, last; /* number of pages; 0: none */
    atomic_bool taken;           /* by a thread that changes it */
};

/* A cell of a piece that is in memory has become `code`: notes it, or has the piece written when
 * its frame is wanted, where there is no page or more pieces than a list each is worth. Several
 * threads may change the same piece, but not the same cell. */
void wari_overlay_note(struct wari_level *level, struct wari_worker *worker, uint32_t piece,
                       uint32_t cell, int8_t code);

/* Puts the changes of a piece over its cells, as they have just come from the file. For any number
 * of threads at once, while nobody notes changes of this piece. */
void wari_overlay_apply(const struct wari_level *level, uint32_t piece);

/* Brings all changes into the pieces, which are then to be written, and gives all pages back: by a
 * pass over the pieces that have some. */
void wari_overlay_settle(struct wari_level *level);

/* A round of late sweeps begins, with the whole pool in level->page_count: lends what records will
 * not need of it to the pieces (wari_pieces_lend()). Before each visit: takes it back when records
 * are short of pages after all, and settles if it has to. The last round is over: settles, and the
 * pool is whole again. */
void wari_overlay_begin_round(struct wari_level *level);
void wari_overlay_make_room(struct wari_level *level);
void wari_overlay_end(struct wari_level *level);

#endif
