/* Evaluates a position with any number of seeds, and each of its moves: exactly, within proven
 * bounds, or approximately. */
#ifndef PLAY_REVIEW_EVALUATE_H
#define PLAY_REVIEW_EVALUATE_H

#include "play/search/search.h"

/* How a value is known. */
enum wari_kind {
    WARI_KIND_EXACT,    /* from the database, or proven by search: least == most */
    WARI_KIND_BOUND,    /* within proven bounds, with an estimate between them */
    WARI_KIND_ESTIMATE, /* the bounds say no more than the number of seeds on the board */
};

/* Returns "exact", "bound" or "estimate". */
const char *wari_kind_name(enum wari_kind kind);

struct wari_value_result {
    enum wari_kind kind;
    bool searched;   /* false if the value comes from the database */
    int score;       /* in hundredths of a seed */
    int error;       /* standard deviation of the score; 0 if the value is exact */
    int least, most; /* proven bounds, in seeds */
};

struct wari_move_result {
    struct wari_move move;
    struct wari_value_result value; /* value of the position if this move is played */
};

struct wari_position_result {
    struct wari_value_result value;
    int count;
    struct wari_move_result moves[WARI_HALF_PITS]; /* best first */
    /* The last report of the search; its depth is 0 if there was no search. Its line starts with
     * the first of the moves. */
    struct wari_search_report last;
};

/* Evaluates the current position of a game that has not ended: with the database if it covers
 * the position, otherwise by a search with these limits. If the limits ask for several lines,
 * the last third of the time is used for proofs. `db` is the database of the search; NULL if
 * there is none. Fails like wari_analyse() and wari_search_run(). */
WARI_MUST_CHECK enum wari_status
wari_evaluate_position(struct wari_db *db, struct wari_search *search, const struct wari_game *game,
                       const struct wari_search_limits *limits, struct wari_position_result *result,
                       struct wari_error *error);

/* Merges the result of another search of the same position, which has `seeds` seeds: bounds are
 * narrowed, and scores come from the deeper search. If in both results the score of the position is
 * that of its best move, this is also true of the merged result. */
void wari_position_result_merge(struct wari_position_result *result,
                                const struct wari_position_result *more, int seeds);

#endif
