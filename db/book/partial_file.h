/* Finds the values of all positions with a file that holds the values of only some positions. The
 * value of any other position is the value of its best move.
 *
 * A file may leave out positions of two kinds: those with more than half of the seeds on the
 * opponent's side, and those whose opponent has no empty pit. The mover becomes the opponent after
 * a move. So a quiet move from a position of the first kind leads to a position that the file
 * holds, since the mover is left with fewer than half of the seeds and with an empty pit. A quiet
 * move from a position of the second kind leads to a position that the file holds, or to one of the
 * first kind. A capture leads to a lower level, where the position may be left out as well. So the
 * recursion ends. */
#ifndef DB_BOOK_PARTIAL_FILE_H
#define DB_BOOK_PARTIAL_FILE_H

#include "db/book/wari_book.h"

struct wari_partial_file {
    enum wari_rules rules;
    const void *file;
    /* Returns true if the file holds the value of this position. */
    bool (*holds)(const void *file, const struct wari_position *position);
    /* Finds the value of a position for which holds() returns true. */
    enum wari_status (*find)(const void *file, const struct wari_position *position, int *value,
                             struct wari_error *error);
};

/* Finds the value of a position, whether the file holds it or not. The file must cover the level of
 * the position and all lower levels. On failure *value is unchanged. */
WARI_MUST_CHECK enum wari_status wari_partial_value(const struct wari_partial_file *partial,
                                                    const struct wari_position *position,
                                                    int *value, struct wari_error *error);

/* Finds the values of a position that the file covers, and of all its moves. */
WARI_MUST_CHECK enum wari_status wari_partial_analyse(const struct wari_partial_file *partial,
                                                      const struct wari_position *position,
                                                      struct wari_analysis *analysis,
                                                      struct wari_error *error);

#endif
