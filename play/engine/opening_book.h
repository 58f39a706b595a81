/* Opening books: positions from the beginning of games, each with all its moves and the scores
 * that a long search gave these moves. `wari learn-book` makes opening books, and engines play from
 * them.
 *
 * A book of `wari book` (db/book/) is something else: it has the exact values of all positions
 * with few seeds. An opening book has estimates of a few positions with many seeds. */
#ifndef PLAY_ENGINE_OPENING_BOOK_H
#define PLAY_ENGINE_OPENING_BOOK_H

#include "db/host/host.h"
#include "play/text.h"

enum {
    WARI_OPENING_FORMAT = 1, /* the format version that is written and read */
    WARI_OPENINGS_MAX = 1000000,
    WARI_OPENING_BYTES_MAX = 128 * WARI_OPENINGS_MAX, /* no file of an opening book is larger */
    WARI_OPENING_DEPTH_MAX = 99,
};

/* The settings that determine the scores of an opening book. */
struct wari_opening_settings {
    struct wari_variant variant;
    int64_t nodes; /* limit on the positions of each search, at least 1 */
    int tables;    /* maximum number of seeds in the database that the searches used; -1 means that
                    * they had none */
};

struct wari_opening_move {
    struct wari_move move;
    int searched; /* score from the search, in hundredths of a seed: seeds that the mover of the
                   * position will still capture minus seeds that the other side will capture */
    int score; /* score from the whole book: if the book has the position after the move, computed
                * from the best score there; otherwise `searched` */
    int next;  /* index of the position after the move; -1 if the book does not have it */
};

/* A position of an opening book. */
struct wari_opening {
    struct wari_position position;
    int depth;    /* depth of the search, 1..WARI_OPENING_DEPTH_MAX */
    int count;    /* number of moves, at least 1 */
    int best;     /* index of the first move with the highest score */
    int64_t cost; /* cost of the cheapest line that leads here; see wari_opening_book_next() */
    struct wari_opening_move moves[WARI_HALF_PITS]; /* in the order A..F */
};

struct wari_opening_book {
    const struct wari_host *host;
    struct wari_opening_settings settings;
    int count, capacity;
    struct wari_opening *openings; /* in the order in which they were added; the first one is the
                                    * start position */
    int *slots;                    /* hash table of indices into `openings`; -1 means empty */
    uint64_t slot_count;           /* a power of two, or 0 */
};

/* Makes an empty book, which allocates no memory yet. `host` must outlive it. */
void wari_opening_book_begin(struct wari_opening_book *book, const struct wari_host *host,
                             const struct wari_opening_settings *settings);

/* Frees the memory and makes the book empty. A zeroed book is allowed. */
void wari_opening_book_free(struct wari_opening_book *book);

/* Reads the text of an opening book, which need not end with a zero byte, into an empty book
 * (wari_opening_book_begin()), whose settings are replaced. `name` is the name of the file, for
 * messages. On failure the book is empty:
 *   WARI_CORRUPT     the text is damaged, or is not an opening book
 *   WARI_MISMATCH    the text has another format version, or unknown rules
 *   WARI_NO_MEMORY */
WARI_MUST_CHECK enum wari_status wari_opening_book_read(struct wari_opening_book *book,
                                                        const char *text, size_t length,
                                                        const char *name, struct wari_error *error);

/* Appends the text of the book to `text`. Equal books have equal texts. */
WARI_MUST_CHECK enum wari_status wari_opening_book_write(const struct wari_opening_book *book,
                                                         struct wari_text *text,
                                                         struct wari_error *error);

/* Adds a position, which must have a legal move and must not be in the book. `scores` are the
 * scores of its moves by pit; scores of pits that cannot be played are ignored. Computes all scores
 * of the book anew.
 *   WARI_NO_MEMORY   an allocation failed, or the book has WARI_OPENINGS_MAX positions; the book is
 *                    unchanged */
WARI_MUST_CHECK enum wari_status wari_opening_book_add(struct wari_opening_book *book,
                                                       const struct wari_position *position,
                                                       int depth, const int scores[WARI_HALF_PITS],
                                                       struct wari_error *error);

/* Returns the entry of a position; NULL if the book does not have it. The pointer is valid until
 * the next position is added. */
const struct wari_opening *wari_opening_book_find(const struct wari_opening_book *book,
                                                  const struct wari_position *position);

/* Chooses the position to add next, near to best play: the position after the cheapest line that
 * leaves the book. The cost of a line is the sum of the costs of its moves. A move costs a constant
 * plus the hundredths of a seed that it loses by the scores of the book. Positions without a move
 * and positions of the database are not chosen. The result depends only on the contents of the
 * book. Returns false if there is no such position. */
bool wari_opening_book_next(struct wari_opening_book *book, struct wari_position *position);

#endif
