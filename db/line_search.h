/* The shortest way to the next event of a line of play; db/line.c plays it. */
#ifndef DB_LINE_SEARCH_H
#define DB_LINE_SEARCH_H

#include "db/wari.h"

/* Positions that one search looks at, at most. (None of 50,000 random positions with 20 seeds
 * needed more than 800. A search that fails costs a few milliseconds.) */
enum { WARI_LINE_SEARCH_MAX = 2000 };

/* wari_line() with searches of at most `positions` positions, 1..WARI_LINE_SEARCH_MAX. */
WARI_MUST_CHECK enum wari_status wari_line_within(struct wari_db *db, int positions,
                                                  const struct wari_position *position,
                                                  struct wari_line *line, struct wari_error *error);

/* The best move that is an event: it captures or ends the game. An index of analysis->moves; -1 if
 * the line goes on with a quiet best move, one that does neither. */
int wari_line_event(enum wari_rules rules, const struct wari_analysis *analysis);

/* Memory for searches, one at a time. */
struct wari_line_search;

WARI_MUST_CHECK enum wari_status wari_line_search_new(struct wari_line_search **search,
                                                      struct wari_db *db, struct wari_error *error);
void wari_line_search_free(struct wari_line_search *search, struct wari_db *db);

/* Looks for the shortest way over quiet best moves to a position where there is an event or the
 * game is over. *pits are its moves, *length of them; they last until the next search. *length is 0
 * if there is none among so many positions. Fails like wari_analyse(). */
WARI_MUST_CHECK enum wari_status wari_line_search(struct wari_line_search *search,
                                                  struct wari_db *db, int positions,
                                                  const struct wari_position *position,
                                                  const uint8_t **pits, int *length,
                                                  struct wari_error *error);

#endif
