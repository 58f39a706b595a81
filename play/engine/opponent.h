/* An engine in a match: a process, what it said of itself, and what it did wrong.
 */
#ifndef PLAY_ENGINE_OPPONENT_H
#define PLAY_ENGINE_OPPONENT_H

#include "play/engine/process.h"
#include "play/engine/uci.h"

/* What can go wrong with an engine. */
enum wari_fault {
    WARI_FAULT_NONE,
    WARI_FAULT_START,    /* it did not come up: not runnable, or no uciok or readyok in time */
    WARI_FAULT_TIMEOUT,  /* no move in time */
    WARI_FAULT_GONE,     /* it ended, or closed its input or output */
    WARI_FAULT_ILLEGAL,  /* a move that may not be played */
    WARI_FAULT_NONSENSE, /* "bestmove" with something that is no move of its side */
    WARI_FAULT_PASS,     /* it holds a game over that is not */
    WARI_FAULT_COUNT
};

/* A few words: "time-out". */
const char *wari_fault_text(enum wari_fault fault);

enum { WARI_OPPONENT_NAME = 64, WARI_OPPONENT_WHAT = 160 };

/* What a move may take. All that is not 0 of movetime, depth and nodes is said to the engine; a
 * clock where there is one. */
struct wari_opponent_limits {
    int start;     /* milliseconds for uciok, and for each readyok */
    int move;      /* "go movetime"; 0: not said, and it has an hour */
    int grace;     /* how much later a move may come */
    int depth;     /* "go depth" */
    int nodes;     /* "go nodes" */
    int clock;     /* milliseconds for a game; 0: there is no clock */
    int increment; /* milliseconds more after each move */
};

/* For an engine with the option Seed. */
struct wari_opponent_seed {
    uint64_t next; /* of its next game; 0: none */
    bool taken;    /* it has the option */
};

struct wari_opponent {
    const struct wari_host *host;
    char **words; /* the command */
    struct wari_variant variant;
    struct wari_opponent_seed seed;
    struct wari_opponent_limits limits;
    struct wari_processes *processes;
    int64_t left[2]; /* the clocks of South and North, milliseconds; the referee's */

    struct wari_process process;
    char name[WARI_OPPONENT_NAME]; /* what it calls itself; its command until it has. Clean text */
    bool ready;
    int starts;        /* how often it was started */
    int failed_starts; /* the last ones, in a row */
    uint64_t nonsense; /* lines that nobody understood */

    char what[WARI_OPPONENT_WHAT]; /* the last fault, in detail */
};

/* Does not start it yet. The pointers must outlive the opponent. */
void wari_opponent_init(struct wari_opponent *opponent, const struct wari_host *host, char **words,
                        struct wari_variant variant, const struct wari_opponent_limits *limits,
                        struct wari_processes *processes);

/* Makes it ready for a new game, starting it if need be. WARI_FAULT_START, with opponent->what, if
 * it does not come up. *interrupted: the stop flag was set. WARI_IO is the only failure: this
 * machine has no process or descriptor left for it, which is not its fault. */
WARI_MUST_CHECK enum wari_status wari_opponent_new_game(struct wari_opponent *opponent,
                                                        enum wari_fault *fault, bool *interrupted,
                                                        struct wari_error *error);

/* Asks for a move. Faults count themselves; after all but ILLEGAL, NONSENSE and PASS the process
 * has been ended and will be started again for the next game. WARI_NO_MEMORY is the only failure.
 * An engine that says 0000 is asked once more with the bare position: some hold a game over as soon
 * as one side has more than half of all seeds, or when a position comes for the second time. */
WARI_MUST_CHECK enum wari_status wari_opponent_move(struct wari_opponent *opponent,
                                                    const struct wari_game *game, int *pit,
                                                    enum wari_fault *fault, bool *interrupted,
                                                    struct wari_error *error);

/* Says quit and ends it. */
void wari_opponent_end(struct wari_opponent *opponent);

#endif
