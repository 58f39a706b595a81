/* What a search is asked to do, and the scale of its answers.
 */
#ifndef PLAY_SEARCH_LIMITS_H
#define PLAY_SEARCH_LIMITS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Scores are hundredths of a seed: what the side to move will still capture minus what its opponent
 * will, as far as the search can see. */
enum { WARI_SEED_SCORE = 100 };

enum {
    WARI_SEARCH_DEPTH_MAX = 99, /* moves; captures go on behind them */
};

struct wari_search_limits {
    int depth;            /* 1..WARI_SEARCH_DEPTH_MAX */
    int64_t milliseconds; /* from the call; below 0: no limit. It may be exceeded by one or two */
    const atomic_bool *stop; /* set by somebody else: come to an end; NULL: nobody will */
    int64_t nodes;           /* so many positions; 0: no limit */
    int lines;    /* so many first moves, best first, each with its own report; 0 counts as 1 */
    int pits;     /* first moves to choose from, bits 1 << pit, at least one of them legal; 0: all.
                   * What is found and proven is then of these, not of the position */
    bool obvious; /* the only move there is gets one iteration */
    bool prove;   /* look for a proof of who wins, with the stores as they are, rather than for what
                   * is likely: scores then say little, and it ends when that is proven. Without
                   * effect where a slam decides whatever the score */
};

#endif
