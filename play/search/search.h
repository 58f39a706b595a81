/* Looking ahead from positions with more seeds than the database: alpha-beta with the database at
 * its leaves.
 */
#ifndef PLAY_SEARCH_SEARCH_H
#define PLAY_SEARCH_SEARCH_H

#include <stdatomic.h>

#include "db/wari.h"
#include "play/game.h"

/* Scores are hundredths of a seed: what the side to move will still capture minus what its opponent
 * will, as far as the search can see. */
enum { WARI_SEED_SCORE = 100 };

enum {
    WARI_SEARCH_DEPTH_MAX = 99, /* moves; captures go on behind them */
    WARI_SEARCH_HASH_MB = 16,   /* for the table of positions, unless asked otherwise */
    WARI_SEARCH_HASH_MB_MAX = 65536,
};

struct wari_search_limits {
    int depth;            /* 1..WARI_SEARCH_DEPTH_MAX */
    int64_t milliseconds; /* from the call; below 0: no limit. It may be exceeded by one or two */
    const atomic_bool *stop; /* set by somebody else: come to an end; NULL: nobody will */
    int64_t nodes;           /* so many positions; 0: no limit */
};

/* What a whole iteration found. */
struct wari_search_report {
    int depth;
    int score;
    int pit; /* the move */
    /* The score is the exact value: it rests on the database, on ends of the game and on what
     * cannot be better, never on an estimate, nor on a position that repeats. */
    bool proven;
    uint64_t nodes;
    int64_t milliseconds;
    int line_count; /* the moves that led to the score, as far as the table still knows */
    struct {
        uint8_t pit;
        bool opponent; /* of the side to move */
    } line[WARI_SEARCH_DEPTH_MAX];
};

/* A workspace for searches; one thread at a time may use it. */
struct wari_search;

/* `db` must outlive the search. Takes `hash_mb` megabytes (10^6 bytes; 1..WARI_SEARCH_HASH_MB_MAX)
 * from the host. WARI_NO_MEMORY: *search is NULL. */
WARI_MUST_CHECK enum wari_status wari_search_new(struct wari_search **search, struct wari_db *db,
                                                 const struct wari_host *host, int hash_mb,
                                                 struct wari_error *error);
void wari_search_free(struct wari_search *search); /* NULL is allowed */

/* Forgets what earlier searches found. */
void wari_search_clear(struct wari_search *search);

/* Searches from the position at hand of a game that has not ended (a third repetition is no
 * matter). Positions of the game since its last capture count as seen: to come back to one is worth
 * what the cycle rule pays. Each iteration goes one move deeper and is reported to `say` (unless
 * NULL); the last report, or what the iteration that was cut short found better, goes to *last. The
 * first iteration is never cut short. Ends when the score is proven, too. Fails like wari_probe();
 * *last then means nothing. */
WARI_MUST_CHECK enum wari_status
wari_search_run(struct wari_search *search, const struct wari_game *game,
                const struct wari_search_limits *limits,
                void (*say)(void *context, const struct wari_search_report *report), void *context,
                struct wari_search_report *last, struct wari_error *error);

#endif
