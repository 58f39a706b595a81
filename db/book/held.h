/* Values of all positions, from a file that holds some of them. The value of any other position is
 * that of its best move.
 *
 * A file may leave out positions with more than half of the seeds on the opponent's side, and those
 * whose opponent has no empty pit. A quiet move leaves fewer than half of the seeds on the mover's
 * side, or an empty pit there. This is then the opponent's side, so the move leads to a position
 * that the file holds. A capture leads to a lower level, where the position may be left out as
 * well. Since every capture leads to a lower level, the recursion ends. */
#ifndef DB_BOOK_HELD_H
#define DB_BOOK_HELD_H

#include "db/book/wari_book.h"

struct wari_held {
    enum wari_rules rules;
    const void *file;
    /* Returns true if the file holds the value of this position. */
    bool (*holds)(const void *file, const struct wari_position *position);
    /* Finds a value that the file holds. */
    enum wari_status (*find)(const void *file, const struct wari_position *position, int *value,
                             struct wari_error *error);
};

/* Finds the value of any position whose level, and all lower ones, the file covers. On failure
 * *value is unchanged. */
WARI_MUST_CHECK enum wari_status wari_held_value(const struct wari_held *held,
                                                 const struct wari_position *position, int *value,
                                                 struct wari_error *error);

/* Finds the values of such a position and of all its moves. */
WARI_MUST_CHECK enum wari_status wari_held_analyse(const struct wari_held *held,
                                                   const struct wari_position *position,
                                                   struct wari_analysis *analysis,
                                                   struct wari_error *error);

#endif
