/* Searches positions with more seeds than the database: alpha-beta search with positions of the
 * database as leaves. */
#ifndef PLAY_SEARCH_SEARCH_H
#define PLAY_SEARCH_SEARCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "db/wari.h"
#include "play/game.h"

/* The unit of scores: scores are hundredths of a seed. A score is the number of seeds that the
 * side to move will still capture minus the number that its opponent will still capture, as
 * estimated by the search. */
enum { WARI_SEED_SCORE = 100 };

enum {
    WARI_SEARCH_DEPTH_MAX = 99, /* maximal depth in moves; captures are searched beyond this
                                 * depth */
};

/* The use of the database by a search. Finding a value in the cache of the database takes about as
 * long as searching one position; reading and decoding a value takes as long as some hundred
 * positions. */
enum wari_probing {
    WARI_PROBING_ALWAYS, /* reads the value of every covered position that it meets. With one thread
                          * and without a time limit, the result then depends only on the position,
                          * the database and the earlier searches */
    WARI_PROBING_CHEAP,  /* takes values from the cache, and reads a value only where the read saves
                          * more time than it takes. Searches other positions as if the database did
                          * not cover them. The result depends on the cache and on the speed of the
                          * machine. Has no effect if `prove` is set */
};

struct wari_search_limits {
    int depth;            /* 1..WARI_SEARCH_DEPTH_MAX */
    int64_t milliseconds; /* time limit from the call, in milliseconds; negative means no limit. May
                             be exceeded by one or two */
    int64_t usual;        /* time in milliseconds after which a search usually ends, between two
                           * iterations; 0 or less means that there is none. The search ends earlier if
                           * nearly all positions were searched for the best move, and later if the best
                           * move has changed or its score has fallen */
    const atomic_bool *stop; /* set to true to end the search; may be NULL */
    int64_t nodes;           /* limit on positions; 0 means no limit */
    int lines; /* number of first moves to report, best first, each in its own report; 0 means 1 */
    int pits;  /* set of first moves to choose from, bits 1 << pit, at least one of them legal; 0
                  means all. Scores and proofs then refer to these moves, not to the position */
    bool obvious; /* if there is only one move, stop as soon as its score is useful: after ten
                   * iterations or a twentieth of the time */
    bool result; /* play for the result of the game, given the stores: a won game is worth more than
                  * the seeds alone (utility.h). A move that is proven to win is then preferred to a
                  * move that probably gets more seeds but may not win. Any other move is preferred
                  * to a move that is proven to lose. Reported scores are still numbers of seeds;
                  * the scores of unproven moves are computed back from their utility, so they are
                  * less exact. No effect in rule sets where a slam decides the game whatever the
                  * score */
    struct wari_repetition repetition; /* the rule that ends the game when a position returns. If
                                        * `times` is 0, the search scores the first return by the
                                        * cycle rule */
    enum wari_probing probing;
    bool prove; /* search for a proof of who wins, given the stores, rather than for the most likely
                   score. Scores then mean little, and the search ends when the winner is proven. No
                   effect in rule sets where a slam decides the game whatever the score */
};

struct wari_evaluation;

enum {
    WARI_SEARCH_HASH_MB = 16, /* default size of the transposition table */
    WARI_SEARCH_HASH_MB_MAX = 65536,
    WARI_SEARCH_THREADS_MAX = 256,
};

/* The result of a complete iteration. */
struct wari_search_report {
    int depth;
    int score;
    int pit;  /* the move that the report is about */
    int rank; /* 1 for the best move; 2 and more for the next ones if several lines were requested
               */

    /* Proven bounds: the exact value of the position, in seeds, lies between them. A proof rests
     * on the database, on ends of the game and on the number of seeds, never on an estimate or
     * on a repeated position. */
    int least, most;
    struct {
        int least, most;
    } moves[WARI_HALF_PITS]; /* proven bounds of each move, indexed by pit */
    bool proven; /* true if the score is exact: for rank 1, the proven bounds of the position are
                  * equal; for other ranks, the proven bounds of the move `pit` are equal */
    int error;   /* standard deviation of the estimate in hundredths of a seed; 0 if proven */
    uint64_t nodes;
    uint64_t probes; /* number of values that came from the database */
    uint64_t reads;  /* number of values that were not in its cache, and had to be read */
    int full;        /* used fraction of the transposition table, in thousandths; set only in
                      * reports to a listener */
    int64_t milliseconds;
    int line_count; /* principal variation: the moves that led to the score, as far as the table
                       still has them */
    struct {
        uint8_t pit;
        bool opponent; /* true if the opponent of the side to move makes this move */
    } line[WARI_SEARCH_DEPTH_MAX];
};

/* Receives a report after each iteration. */
struct wari_search_listener {
    void (*report)(void *context, const struct wari_search_report *report);
    void *context;
};

/* The state of a search. Only one caller may use it at a time. */
struct wari_search;

struct wari_search_settings {
    int hash_mb; /* size of the table in megabytes (10^6 bytes; 1..WARI_SEARCH_HASH_MB_MAX) */
    int threads; /* 1..WARI_SEARCH_THREADS_MAX; 0 means 1 */
    const struct wari_evaluation *evaluation; /* NULL means the learned weights of the variant */
    struct wari_variant variant;              /* used if there is no database */
};

/* Creates a search. `db` must outlive it; if `db` is NULL, everything is searched. If it returns
 * WARI_NO_MEMORY, *search is NULL. */
WARI_MUST_CHECK enum wari_status wari_search_new(struct wari_search **search, struct wari_db *db,
                                                 const struct wari_host *host,
                                                 const struct wari_search_settings *settings,
                                                 struct wari_error *error);
void wari_search_free(struct wari_search *search); /* NULL is allowed */

/* Returns the size of the table in bytes, which freeing the search releases; 0 for NULL. */
size_t wari_search_table_bytes(const struct wari_search *search);

/* Copies a random sample of at most `most` positions whose values the last search did not read
 * (WARI_PROBING_CHEAP). Returns the number of positions in the sample. */
int wari_search_unread(const struct wari_search *search, struct wari_position *positions, int most);

/* Clears the results of earlier searches. */
void wari_search_clear(struct wari_search *search);

/* Searches the current position of a game that has not ended (the third occurrence of a position
 * does not count as an end). The search counts how often a position has occurred, in the game since
 * its last capture and in the line that is searched. limits->repetition determines after how many
 * occurrences the game ends, and the score that it then has. Proven bounds ignore
 * limits->repetition: they are the bounds in a game that no repetition ends.
 *
 * Each iteration goes one move deeper and is reported to `listener` unless that is NULL. *last
 * receives the last report, or a better move found by the iteration that was interrupted. The first
 * iteration is never interrupted. The search also ends when the score is proven.
 *
 * If a probe of the database fails, the search continues without the database and returns the
 * status of the probe; *last is valid all the same.
 *   WARI_NO_MEMORY   no memory for the positions of the game; *last is invalid and its depth is -1
 */
WARI_MUST_CHECK enum wari_status wari_search_run(struct wari_search *search,
                                                 const struct wari_game *game,
                                                 const struct wari_search_limits *limits,
                                                 const struct wari_search_listener *listener,
                                                 struct wari_search_report *last,
                                                 struct wari_error *error);

#endif
