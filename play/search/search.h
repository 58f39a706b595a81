/* Looking ahead from positions with more seeds than the database: alpha-beta with the database at
 * its leaves.
 */
#ifndef PLAY_SEARCH_SEARCH_H
#define PLAY_SEARCH_SEARCH_H

#include "db/wari.h"
#include "play/game.h"
#include "play/search/limits.h"

struct wari_evaluation;

enum {
    WARI_SEARCH_HASH_MB = 16, /* for the table of positions, unless asked otherwise */
    WARI_SEARCH_HASH_MB_MAX = 65536,
    WARI_SEARCH_THREADS_MAX = 256,
};

/* What a whole iteration found. */
struct wari_search_report {
    int depth;
    int score;
    int pit;  /* the move */
    int rank; /* 1: the best move; 2..: the next ones, where more than one was asked for */

    /* Proven: the exact value of the position, in seeds, lies between these. That rests on the
     * database, on ends of the game and on the seeds there are, never on an estimate, nor on a
     * position that repeats. */
    int least, most;
    struct {
        int least, most;
    } moves[WARI_HALF_PITS]; /* the same of each move, by its pit */
    bool proven;             /* the score is exact: of the position for rank 1, else of the move */
    int error; /* standard deviation of the estimate, hundredths of a seed; 0 where proven */
    uint64_t nodes;
    uint64_t look_ups; /* in the database */
    int full;          /* thousandths of the table of positions; for a listener alone */
    int64_t milliseconds;
    int line_count; /* the moves that led to the score, as far as the table still knows */
    struct {
        uint8_t pit;
        bool opponent; /* of the side to move */
    } line[WARI_SEARCH_DEPTH_MAX];
};

/* Who hears of each iteration. */
struct wari_search_listener {
    void (*say)(void *context, const struct wari_search_report *report);
    void *context;
};

/* A workspace for searches; one caller at a time may use it. */
struct wari_search;

struct wari_search_settings {
    int hash_mb; /* megabytes (10^6 bytes; 1..WARI_SEARCH_HASH_MB_MAX) */
    int threads; /* 1..WARI_SEARCH_THREADS_MAX; 0 counts as 1 */
    const struct wari_evaluation *evaluation; /* NULL: that of the variant */
    struct wari_variant variant;              /* where there is no database */
};

/* `db` must outlive the search; NULL: there is none, and everything is searched. WARI_NO_MEMORY:
 * *search is NULL. */
WARI_MUST_CHECK enum wari_status wari_search_new(struct wari_search **search, struct wari_db *db,
                                                 const struct wari_host *host,
                                                 const struct wari_search_settings *settings,
                                                 struct wari_error *error);
void wari_search_free(struct wari_search *search); /* NULL is allowed */

/* Bytes of its table, which whoever frees it gets back; 0 for NULL. */
size_t wari_search_table_bytes(const struct wari_search *search);

/* Forgets what earlier searches found. */
void wari_search_clear(struct wari_search *search);

/* Searches from the position at hand of a game that has not ended (a third repetition is no
 * matter). Positions of the game since its last capture count as seen: to come back to one is worth
 * what the cycle rule pays. Each iteration goes one move deeper and is reported to `listener`
 * (unless NULL); the last report, or what the iteration that was cut short found better, goes to
 * *last. The first iteration is never cut short. Ends when the score is proven, too.
 *
 * Where a look-up in the database fails, the search goes on without it: it returns that status, and
 * *last holds all the same.
 *   WARI_NO_MEMORY   there is no memory for the positions of the game: *last means nothing, and its
 *                    depth is -1 */
WARI_MUST_CHECK enum wari_status wari_search_run(struct wari_search *search,
                                                 const struct wari_game *game,
                                                 const struct wari_search_limits *limits,
                                                 const struct wari_search_listener *listener,
                                                 struct wari_search_report *last,
                                                 struct wari_error *error);

#endif
