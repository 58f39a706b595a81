/* What is known of a position with any number of seeds, and of each of its moves: exactly, within
 * proven bounds, or about.
 */
#ifndef PLAY_REVIEW_APPRAISE_H
#define PLAY_REVIEW_APPRAISE_H

#include "play/search/search.h"

/* How a value is known. */
enum wari_kind {
    WARI_KIND_EXACT,    /* from the database, or proven by search: least == most */
    WARI_KIND_BOUND,    /* it lies between proven bounds; within these, an estimate */
    WARI_KIND_ESTIMATE, /* the bounds say no more than the seeds on the board do */
};

/* "exact", "bound" or "estimate". */
const char *wari_kind_name(enum wari_kind kind);

struct wari_appraised {
    enum wari_kind kind;
    bool searched;   /* false: it comes from the database */
    int score;       /* hundredths of a seed */
    int error;       /* its standard deviation; 0 where the value is exact */
    int least, most; /* proven, in seeds */
};

struct wari_appraised_move {
    struct wari_move move;
    struct wari_appraised value; /* of the position, if this move is played */
};

struct wari_appraisal {
    struct wari_appraised value;
    int count;
    struct wari_appraised_move moves[WARI_HALF_PITS]; /* best first */
    /* Of the search; depth 0 if there was none. Its line begins with the first of the moves. */
    struct wari_search_report last;
};

/* Appraises the position at hand of a game that has not ended: by the database if that has it, else
 * by a search with these limits. Where they ask for more lines than one, the last third of their
 * time goes to proofs. `db` is that of the search; NULL: there is none. Fails like wari_analyse(),
 * and like wari_search_run(). */
WARI_MUST_CHECK enum wari_status wari_appraise(struct wari_db *db, struct wari_search *search,
                                               const struct wari_game *game,
                                               const struct wari_search_limits *limits,
                                               struct wari_appraisal *appraisal,
                                               struct wari_error *error);

/* Adds what another search of the same position, which has so many seeds, found: bounds are kept,
 * and scores are those of the one that looked deeper. */
void wari_appraisal_add(struct wari_appraisal *appraisal, const struct wari_appraisal *more,
                        int seeds);

#endif
