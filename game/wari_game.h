/* The game of Wari: status codes, positions, rule sets, moves and notation.
 *
 * Part of the public interface (wari.h includes this file). Nothing here allocates, prints or keeps
 * state: every function is safe to call from any number of threads at once.
 */
#ifndef WARI_GAME_H
#define WARI_GAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef WARI_API /* or the program's own: `static`, say, to include wari_probe.c */
#define WARI_API __attribute__((visibility("default")))
#endif
#define WARI_MUST_CHECK __attribute__((warn_unused_result))

enum {
    WARI_HALF_PITS = 6,  /* pits in one player's row */
    WARI_PITS = 12,      /* pits on the board */
    WARI_SEEDS_MAX = 48, /* seeds in a whole game: four in each pit at the start */
};

/* ---- Status and error text ------------------------------------------------------------------ */

enum wari_status {
    WARI_OK = 0,
    WARI_DIFFERENT,   /* a check found values that are not what they should be */
    WARI_NOT_COVERED, /* more seeds than the database was built for */
    WARI_BAD_INPUT,   /* a position, move, name or number that makes no sense */
    WARI_CORRUPT,     /* a file is damaged, truncated or contradicts itself */
    WARI_IO,          /* reading or writing failed, or the disk is full */
    WARI_NO_MEMORY,   /* an allocation failed, or the work would not fit */
    WARI_MISMATCH,    /* another rule set, cycle rule or format version than asked for, or
                       * instructions that the processor lacks */
    WARI_BUSY,        /* somebody else is at work there, such as a build; try again */
    WARI_INTERRUPTED, /* the caller asked to stop; what was finished before is kept */
};

/* What went wrong, where, and what to do about it: one line of text without a newline.
 * Owned by the caller; a function that returns WARI_OK leaves it alone. Every function that takes
 * a `struct wari_error *` accepts NULL there. */
struct wari_error {
    enum wari_status status;
    char text[1536]; /* longer than the longest path and a sentence */
};

/* A few words for a status, for example "file damaged". Never NULL; static storage. */
WARI_API const char *wari_status_text(enum wari_status status);

/* Fills *error (unless NULL) with a printf-style text and returns `status`, so that a failing
 * function can end in `return wari_fail(error, WARI_..., "...")`. */
WARI_API enum wari_status wari_fail(struct wari_error *error, enum wari_status status,
                                    const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- Positions ------------------------------------------------------------------------------ */

/* A position from the mover's point of view: pits[0..5] are the mover's A..F, pits[6..11] the
 * opponent's a..f. Sowing runs through the array upwards and wraps. At most 48 seeds in all. */
struct wari_position {
    uint8_t pits[WARI_PITS];
};

/* Seeds on the board. */
WARI_API int wari_seeds(const struct wari_position *position);

/* Whether no pit and no sum exceeds WARI_SEEDS_MAX. All other functions assume it. */
WARI_API bool wari_position_valid(const struct wari_position *position);

/* Four seeds in every pit. */
WARI_API struct wari_position wari_start_position(void);

/* ---- Rule sets ------------------------------------------------------------------------------ */

/* The numbers are written into database files and never change. */
enum wari_rules {
    WARI_AWARI = 0,
    WARI_WARI = 1,
    WARI_ABAPA = 2,
    WARI_WARRI = 3,
    WARI_WARE = 4,
    WARI_SLAM_ENDS = 5,
    WARI_SLAM_GIVES = 6,
    WARI_SLAM_WINS = 7,
    WARI_RULES_COUNT
};

/* What play that never ends is worth. The numbers are written into database files. */
enum wari_cycle {
    WARI_EVEN = 0, /* the seeds left are split evenly: 0 */
    WARI_OWN = 1,  /* each side takes the surplus in its own row that it holds for ever */
    WARI_CYCLE_COUNT
};

/* One game to be solved: a rule set and a cycle rule. A database folder may hold several. */
struct wari_variant {
    enum wari_rules rules;
    enum wari_cycle cycle;
};

/* What a move that would capture the opponent's whole row (a grand slam) does. */
enum wari_slam {
    WARI_SLAM_ILLEGAL,     /* may not be played */
    WARI_SLAM_NO_CAPTURE,  /* is played and captures nothing */
    WARI_SLAM_MOVES_AGAIN, /* captures; the same player moves again */
    WARI_SLAM_LOSES,       /* ends the game: -n for the player who slams, n seeds on the board */
    WARI_SLAM_DRAWS,       /* ends the game: 0 */
    WARI_SLAM_GIVES_REST,  /* ends the game: captured - left */
    WARI_SLAM_WINS_ALL,    /* ends the game: n */
};

/* What a mover gets who has seeds but no legal move while the opponent has seeds, too. (It arises
 * only where slams are illegal, when every move is one.) */
enum wari_stuck {
    WARI_STUCK_TAKES_ALL, /* every seed on the board */
    WARI_STUCK_OWN_ROWS,  /* each side takes its own row */
};

struct wari_rules_info {
    const char *name; /* as written after --rules and in file names */
    enum wari_slam slam;
    enum wari_stuck stuck;
    const char *summary; /* one sentence: what a grand slam does */
    const char *players; /* one sentence: who plays so, and the source */
};

/* Static storage. NULL where `rules` is not one of the enum. */
WARI_API const struct wari_rules_info *wari_rules_info(enum wari_rules rules);

/* "even" or "own"; NULL where `cycle` is not one of the enum. */
WARI_API const char *wari_cycle_name(enum wari_cycle cycle);

/* A name that people know for a combination, usable wherever a rule set is asked for. One of them,
 * `awari`, is a rule set's name as well and read as such: its cycle is a default, not fixed. */
struct wari_preset {
    const char *name;
    struct wari_variant variant;
    const char *summary;
};

/* The presets, ended by one whose name is NULL. Static storage. */
WARI_API const struct wari_preset *wari_presets(void);

/* Reads the name of a rule set or preset. A rule set's name sets variant->rules only; a preset's
 * sets both fields and *fixes_cycle to true. WARI_BAD_INPUT lists the names there are. */
WARI_MUST_CHECK WARI_API enum wari_status wari_rules_parse(const char *name,
                                                           struct wari_variant *variant,
                                                           bool *fixes_cycle,
                                                           struct wari_error *error);
WARI_MUST_CHECK WARI_API enum wari_status wari_cycle_parse(const char *name, enum wari_cycle *cycle,
                                                           struct wari_error *error);

/* ---- Moves ---------------------------------------------------------------------------------- */

/* One legal move. Its value for the mover is end_value if it ends the game, else
 * captured + V(next) if the mover moves `again`, else captured - V(next). */
struct wari_move {
    uint8_t pit;               /* 0..5: A..F */
    uint8_t captured;          /* seeds captured; 0 where the move ends the game by a slam */
    bool ends;                 /* the move itself ends the game (a slam in some rule sets) */
    bool again;                /* the same player moves next (a slam in `warri`) */
    int8_t end_value;          /* value of a move that ends the game; 0 otherwise */
    struct wari_position next; /* after the move, seen by the player to move next; where the move
                                * ends the game, the board as it lies then (nobody picks up seeds
                                * by such a slam), of no meaning for the value */
};

/* The legal moves in the order A..F; `rules` is one of the enum. Where there is none the game is
 * over and end_value is its value for the mover; end_value is 0 otherwise. */
struct wari_moves {
    int count;
    int end_value;
    struct wari_move list[WARI_HALF_PITS];
};

WARI_API void wari_moves(enum wari_rules rules, const struct wari_position *position,
                         struct wari_moves *moves);

/* The value of `move` where its next position is worth `next_value` to the player to move there
 * (ignored where the move ends the game). */
WARI_API int wari_move_value(const struct wari_move *move, int next_value);

/* Sequences of exactly `depth` sowings from `position`, without a repetition rule. A `warri` extra
 * move is one more sowing; a slam that ends the game counts as a move. 64 bits are enough for
 * depth 24 (6^24 < 2^63). */
WARI_API uint64_t wari_perft(enum wari_rules rules, const struct wari_position *position,
                             int depth);

/* ---- Notation ------------------------------------------------------------------------------- */

/* A position as people write it. Twelve counts say nothing of stores; a diagram does. */
struct wari_setup {
    struct wari_position position;
    bool diagram;       /* written as a diagram: the two fields below are meaningful */
    bool north_to_move; /* false for twelve counts: the mover is then called South */
    uint8_t stores[2];  /* seeds captured so far by South and by North */
};

enum {
    WARI_POSITION_TEXT = 48, /* room for any position's text and its final 0 */
    WARI_DIAGRAM_TEXT = 64,
};

/* Reads twelve counts A..F a..f from the mover, separated by blanks, commas or slashes
 * ("1 1 1 1 1 2 / 4 2 3 0 0 0"), or a diagram: A..F and a..f as South's and North's pits, South's
 * store, North's store, side to move ("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"), which must add up to 48.
 * White space at either end is ignored. WARI_BAD_INPUT: the text names the column (from 1) and the
 * reason; *setup is left alone. */
WARI_MUST_CHECK WARI_API enum wari_status
wari_setup_parse(const char *text, struct wari_setup *setup, struct wari_error *error);

/* Writes "1 1 1 1 1 2 / 4 2 3 0 0 0". */
WARI_API void wari_position_text(const struct wari_position *position,
                                 char text[WARI_POSITION_TEXT]);

/* Writes the diagram of a setup. For a setup without stores they are written as what would have
 * to be captured to make 48, all of it South's. */
WARI_API void wari_diagram_text(const struct wari_setup *setup, char text[WARI_DIAGRAM_TEXT]);

/* The letter of a move: 'A'..'F' for South, 'a'..'f' for North. */
WARI_API char wari_move_letter(int pit, bool north);

/* Reads one letter as a move of the given side. WARI_BAD_INPUT if it is no letter of that side. */
WARI_MUST_CHECK WARI_API enum wari_status wari_move_parse(char letter, bool north, int *pit,
                                                          struct wari_error *error);

#ifdef __cplusplus
}
#endif
#endif
