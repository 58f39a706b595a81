/* An engine in a match: its process, the information it gave, and its faults. */
#ifndef PLAY_ENGINE_OPPONENT_H
#define PLAY_ENGINE_OPPONENT_H

#include "play/engine/process.h"
#include "play/engine/uci.h"

/* Faults of an engine. */
enum wari_fault {
    WARI_FAULT_NONE,
    WARI_FAULT_START,    /* it did not start: not executable, or no uciok or readyok in time. Loses
                            no game, because the engine is started again at once */
    WARI_FAULT_TIMEOUT,  /* it sent no move in time */
    WARI_FAULT_GONE,     /* it exited, or closed its input or output */
    WARI_FAULT_ILLEGAL,  /* it sent an illegal move */
    WARI_FAULT_NONSENSE, /* "bestmove" followed by something that is not a move of its side */
    WARI_FAULT_PASS,     /* it declared that the game is over although it is not */
    WARI_FAULT_COUNT
};

/* Returns a short description such as "time-out". */
const char *wari_fault_text(enum wari_fault fault);

enum { WARI_OPPONENT_NAME = 64, WARI_FAULT_DETAIL = 160 };

/* Limits of a move. The engine is told `move`, `depth` and `nodes` unless they are 0, and the
 * clocks of both sides unless `clock` is 0. */
struct wari_opponent_limits {
    int start;     /* milliseconds until uciok must arrive, and until each readyok */
    int move;      /* "go movetime"; 0 means that it is not sent, and that a move may take an hour,
                    * or what is left of the clock if that is less */
    int grace;     /* milliseconds by which a move may be late */
    int depth;     /* "go depth"; 0 means that it is not sent */
    int nodes;     /* "go nodes"; 0 means that it is not sent */
    int clock;     /* milliseconds for a game; 0 means no clock */
    int increment; /* milliseconds added after each move */
};

/* Seed of the engine's random numbers; sent only if the engine has the option Seed. */
struct wari_opponent_seed {
    uint64_t next;  /* seed for the engine's next game; 0 means that none is sent */
    bool supported; /* the engine has the option */
};

struct wari_opponent {
    const struct wari_host *host;
    char **words; /* words of the command that starts the engine */
    struct wari_variant variant;
    struct wari_opponent_seed seed;
    struct wari_opponent_limits limits;
    struct wari_processes *processes;
    int64_t left[2]; /* the referee's clocks of South and North, in milliseconds */

    struct wari_process process;
    char name[WARI_OPPONENT_NAME]; /* name given by the engine; before that, its command. Contains
                                      no control characters */
    bool ready;
    int starts;        /* number of times it was started */
    int failed_starts; /* number of these that failed */
    uint64_t nonsense; /* number of lines from the engine that were not understood */

    char fault_text[WARI_FAULT_DETAIL]; /* description of the last fault */
};

/* Initialises an opponent without starting it. The pointers must outlive it. */
void wari_opponent_init(struct wari_opponent *opponent, const struct wari_host *host, char **words,
                        struct wari_variant variant, const struct wari_opponent_limits *limits,
                        struct wari_processes *processes);

/* Prepares the engine for a new game and starts it if necessary. *interrupted is set if the stop
 * flag was set. Fails only with WARI_IO: the engine did not start in three attempts, or the machine
 * has no process or descriptor left. */
WARI_MUST_CHECK enum wari_status
wari_opponent_new_game(struct wari_opponent *opponent, bool *interrupted, struct wari_error *error);

/* Asks the engine for a move. After all faults except ILLEGAL, NONSENSE and PASS the process has
 * been ended and will be started again for the next game. Fails only with WARI_NO_MEMORY.
 *
 * An engine that answers 0000 is asked once more with the bare position. The reason is that some
 * engines consider a game over as soon as one side has more than half of all seeds, or when a
 * position occurs for the second time. Both queries together have the time of one move. */
WARI_MUST_CHECK enum wari_status wari_opponent_move(struct wari_opponent *opponent,
                                                    const struct wari_game *game, int *pit,
                                                    enum wari_fault *fault, bool *interrupted,
                                                    struct wari_error *error);

/* Sends quit and ends the process. */
void wari_opponent_end(struct wari_opponent *opponent);

#endif
