/* The game of Wari: status codes, positions, rule sets, moves and notation.
 *
 * Nothing here allocates, prints or keeps state; every function may be called from any number of
 * threads at once.
 *
 * Names. No function has the name of a type, so that C++ programs can write a type's name without
 * `struct` or `enum`. The name of a function that fills in or returns such a struct begins with
 * wari_get_ if the function copies what is known, and with wari_find_ if it computes the result.
 */
#ifndef WARI_GAME_H
#define WARI_GAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The linkage of every function. A program may define WARI_API before it includes this file. */
#ifndef WARI_API
#ifdef _WIN32
#define WARI_API /* wari.def lists the functions that the DLL exports */
#else
#define WARI_API __attribute__((visibility("default")))
#endif
#endif
#define WARI_MUST_CHECK __attribute__((warn_unused_result))

enum {
    WARI_HALF_PITS = 6,  /* pits in one player's row */
    WARI_PITS = 12,      /* pits on the board */
    WARI_SEEDS_MAX = 48, /* seeds in a game: four in each pit at the start */
};

/* ---- Status and error text ------------------------------------------------------------------ */

enum wari_status {
    WARI_OK = 0,
    WARI_DIFFERENT,   /* a check found values that differ from the expected ones */
    WARI_NOT_COVERED, /* the database has no values for so many seeds */
    WARI_BAD_INPUT,   /* invalid position, move, name or number */
    WARI_CORRUPT,     /* a file is damaged, truncated or contradicts itself */
    WARI_IO,          /* reading or writing failed, or the disk is full */
    WARI_NO_MEMORY,   /* an allocation failed, or the memory limit is too small for the work */
    WARI_MISMATCH,    /* the rule set, cycle rule or format version is not the requested one, or the
                         processor lacks required instructions */
    WARI_BUSY, /* another process is using the folder, for example a build; try again later */
    WARI_INTERRUPTED, /* the caller asked to stop; work that was finished before is kept */
};

/* A failure: what went wrong, where, and what to do about it, as one line of text without a
 * newline. The caller owns the struct. A function that returns WARI_OK leaves it unchanged. Every
 * function with a parameter of type `struct wari_error *` accepts NULL for it. */
struct wari_error {
    enum wari_status status;
    char text[1536]; /* holds the longest path and a sentence */
};

/* Returns a few words for a status, for example "file damaged". Never NULL; the string has static
 * storage. */
WARI_API const char *wari_status_text(enum wari_status status);

/* Fills in *error (unless `error` is NULL) with `status` and a printf-style text, and returns
 * `status`, so that a failing function can end with `return wari_fail(error, WARI_..., "...")`. A
 * text that is too long is truncated; control characters in it become '?'. */
WARI_API enum wari_status wari_fail(struct wari_error *error, enum wari_status status,
                                    const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- Positions ------------------------------------------------------------------------------ */

/* A position from the mover's point of view: pits[0..5] are the mover's pits A..F and pits[6..11]
 * are the opponent's pits a..f. Sowing proceeds upwards through the array and wraps around. There
 * are at most 48 seeds in all. */
struct wari_position {
    uint8_t pits[WARI_PITS];
};

/* Returns the number of seeds on the board. */
WARI_API int wari_seeds(const struct wari_position *position);

/* Returns true if the position has at most WARI_SEEDS_MAX seeds. All other functions that take a
 * position require this, unless they document WARI_BAD_INPUT for it. */
WARI_API bool wari_position_valid(const struct wari_position *position);

/* Returns the position with four seeds in every pit. */
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

/* The rule for the value of play that never ends. The numbers are written into database files. */
enum wari_cycle {
    WARI_EVEN = 0, /* the remaining seeds are split evenly: 0 */
    WARI_OWN = 1,  /* each side gets the surplus in its own row that it can keep for ever */
    WARI_CYCLE_COUNT
};

/* The game that a database solves: a rule set and a cycle rule. A database folder may hold several
 * variants. */
struct wari_variant {
    enum wari_rules rules;
    enum wari_cycle cycle;
};

/* The number of variants. (C++ does not multiply values of two enums without a warning.) */
enum { WARI_VARIANT_COUNT = (int)WARI_RULES_COUNT * (int)WARI_CYCLE_COUNT };

/* The effect of a grand slam, a move that would capture every seed in the opponent's row. Where a
 * grand slam ends the game, its value is given for n seeds on the board before the move. */
enum wari_slam {
    WARI_SLAM_ILLEGAL,     /* may not be played */
    WARI_SLAM_NO_CAPTURE,  /* may be played and captures nothing */
    WARI_SLAM_MOVES_AGAIN, /* captures; the same player moves again */
    WARI_SLAM_LOSES,       /* ends the game: -n for the player who makes it */
    WARI_SLAM_DRAWS,       /* ends the game: 0 */
    WARI_SLAM_GIVES_REST,  /* ends the game: captured seeds minus the seeds left on the board */
    WARI_SLAM_WINS_ALL,    /* ends the game: n */
};

/* The outcome for a mover who has seeds but no legal move while the opponent has seeds, too. (This
 * happens only where grand slams are illegal and every move is one.) */
enum wari_stuck {
    WARI_STUCK_TAKES_ALL, /* the mover gets every seed on the board */
    WARI_STUCK_OWN_ROWS,  /* each side gets the seeds in its own row */
};

struct wari_rules_info {
    const char *name; /* name of the rule set, as in --rules and in file names */
    enum wari_slam slam;
    enum wari_stuck stuck;
    const char *summary; /* one sentence: the effect of a grand slam */
    const char *players; /* one sentence: who plays by this rule set, and the source */
};

/* Returns the properties of a rule set, in static storage; NULL if `rules` is not a member of the
 * enum. */
WARI_API const struct wari_rules_info *wari_get_rules_info(enum wari_rules rules);

/* Returns "even" or "own"; NULL if `cycle` is not a member of the enum. */
WARI_API const char *wari_cycle_name(enum wari_cycle cycle);

/* A well-known name for a variant, which may be used wherever a rule set is named. The name `awari`
 * is both a rule set and a preset. The parsing functions treat it as the rule set, so it does not
 * fix the cycle rule: the cycle rule of the preset is only a default. */
struct wari_preset {
    const char *name;
    struct wari_variant variant;
    const char *summary;
};

/* Returns the array of presets, in static storage. It ends with a preset whose name is NULL. */
WARI_API const struct wari_preset *wari_presets(void);

/* Parses the names of a variant. `rules` is the name of a rule set or preset, optionally followed
 * by blanks and the name of a cycle rule. `cycle` may be the name of a cycle rule, for programs
 * that have the two names in two strings, or NULL. For example, "abapa own" and NULL mean the same
 * as "abapa" and "own", and as "oware" and NULL.
 *
 * Sets both fields of *variant. If only a rule set is named, the cycle rule is WARI_EVEN. Sets
 * *fixes_cycle (unless `fixes_cycle` is NULL) to true if the names determine the cycle rule, and to
 * false if WARI_EVEN is only the default.
 *
 * Returns WARI_BAD_INPUT for an unknown name (the error text lists the known names), for two
 * different cycle rules (a preset has one, too), and for further words. *variant and *fixes_cycle
 * are then unchanged. */
WARI_MUST_CHECK WARI_API enum wari_status wari_variant_parse(const char *rules, const char *cycle,
                                                             struct wari_variant *variant,
                                                             bool *fixes_cycle,
                                                             struct wari_error *error);

/* Parses the name of a rule set or preset alone, without blanks. Sets *variant and *fixes_cycle
 * like wari_variant_parse(), but `fixes_cycle` must not be NULL. Any other name is WARI_BAD_INPUT;
 * the error text lists the known names, and *variant and *fixes_cycle are unchanged. */
WARI_MUST_CHECK WARI_API enum wari_status wari_rules_parse(const char *name,
                                                           struct wari_variant *variant,
                                                           bool *fixes_cycle,
                                                           struct wari_error *error);

/* Parses "even" or "own". Any other name is WARI_BAD_INPUT; the error text lists the known names,
 * and *cycle is unchanged. */
WARI_MUST_CHECK WARI_API enum wari_status wari_cycle_parse(const char *name, enum wari_cycle *cycle,
                                                           struct wari_error *error);

/* ---- Moves ---------------------------------------------------------------------------------- */

/* One legal move. Its value for the mover is end_value if the move ends the game; captured +
 * V(next) if the mover moves `again`; and captured - V(next) otherwise. */
struct wari_move {
    uint8_t pit;      /* 0..5 for A..F */
    uint8_t captured; /* seeds captured; 0 if the move is a grand slam that ends the game */
    bool ends;        /* the move itself ends the game (a grand slam in some rule sets) */
    bool again;       /* the same player moves next (a grand slam in `warri`) */
    int8_t end_value; /* value of a move that ends the game; 0 otherwise */
    struct wari_position next; /* the position after the move, seen by the player who moves next.
                                  After a move that ends the game, it is the board with the seeds
                                  that nobody collects; the value does not depend on it */
};

/* The legal moves in the order A..F. If there is none, the game is over and end_value is its value
 * for the mover; otherwise end_value is 0. */
struct wari_moves {
    int count;
    int end_value;
    struct wari_move list[WARI_HALF_PITS];
};

WARI_API void wari_find_moves(enum wari_rules rules, const struct wari_position *position,
                              struct wari_moves *moves);

/* Returns the value of `move` for the mover, where `next_value` is the value of move->next for the
 * player who moves there. `next_value` is ignored if the move ends the game. */
WARI_API int wari_move_value(const struct wari_move *move, int next_value);

/* Counts the sequences of exactly `depth` sowings from `position`, without a repetition rule. An
 * extra move in `warri` is one more sowing; a grand slam that ends the game counts as a move. The
 * result fits 64 bits up to depth 24 (6^24 < 2^63). */
WARI_API uint64_t wari_perft(enum wari_rules rules, const struct wari_position *position,
                             int depth);

/* ---- Notation ------------------------------------------------------------------------------- */

/* A position as people write it. A diagram gives the stores; twelve counts do not. */
struct wari_setup {
    struct wari_position position;
    bool diagram;       /* written with stores and a side to move: the two fields below are valid */
    bool north_to_move; /* false without a diagram: the mover is then called South */
    uint8_t stores[2];  /* seeds captured so far by South and by North */
};

enum {
    WARI_POSITION_TEXT = 48, /* bytes for the text of any position, its final 0 included */
    WARI_DIAGRAM_TEXT = 64,
    WARI_PLAYSTRATEGY_TEXT = 64,
};

/* Parses a position in one of three notations:
 *
 *   - twelve counts A..F a..f, the mover's pits first, separated by blanks, commas or slashes: "1 1
 *     1 1 1 2 / 4 2 3 0 0 0"
 *   - a diagram: South's pits A..F, North's pits a..f, South's store, North's store and the side to
 *     move: "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S". Pits and stores must add up to 48.
 *   - the notation of the site PlayStrategy: North's pits f..a, a slash, South's pits A..F, South's
 *     store, North's store, the side to move and optionally the number of the move:
 *     "3,2S,1S,2S/1S,3,2S,3S 20 17 S 50". A count is followed by S; a number without S is a number
 *     of consecutive empty pits. Pits and stores must add up to 48. If the stores alone add up to
 *     48, as the site writes them after a game, the pits are subtracted from them. The result is
 *     like that of a diagram.
 *
 * White space at either end is ignored. On WARI_BAD_INPUT the text names the column, counted from
 * 1, and the reason; *setup is unchanged. */
WARI_MUST_CHECK WARI_API enum wari_status
wari_setup_parse(const char *text, struct wari_setup *setup, struct wari_error *error);

/* Writes the position as twelve counts, such as "1 1 1 1 1 2 / 4 2 3 0 0 0". */
WARI_API void wari_position_text(const struct wari_position *position,
                                 char text[WARI_POSITION_TEXT]);

/* Writes the setup as a diagram. A setup without stores (setup->diagram is false) has no diagram;
 * it is written as twelve counts, like wari_position_text(). So wari_setup_parse() reads the same
 * setup. */
WARI_API void wari_diagram_text(const struct wari_setup *setup, char text[WARI_DIAGRAM_TEXT]);

/* Writes the setup in the notation of PlayStrategy, with 1 as the number of the move. This notation
 * includes the stores, too: a setup without stores is written as twelve counts. */
WARI_API void wari_playstrategy_text(const struct wari_setup *setup,
                                     char text[WARI_PLAYSTRATEGY_TEXT]);

/* Returns the letter of a move: 'A'..'F' for South, 'a'..'f' for North. */
WARI_API char wari_move_letter(int pit, bool north);

/* Parses one letter as a move of the given side. WARI_BAD_INPUT if the letter is not a pit of this
 * side; *pit is then unchanged. */
WARI_MUST_CHECK WARI_API enum wari_status wari_move_parse(char letter, bool north, int *pit,
                                                          struct wari_error *error);

/* Parses the first four characters of `text` as a move of PlayStrategy: the square of the pit that
 * is sown, and the square into which the last seed falls, such as "d1e2". South's pits A..F are a1
 * to f1, North's pits a..f are f2 to a2. On success *pit is 0..5 for A..F. Returns WARI_BAD_INPUT,
 * and leaves *pit unchanged, if the text is no such move, if the pit does not belong to the side to
 * move in `setup`, or if its last seed does not fall into the second square. The rules are not
 * checked: a pit may be empty, and feeding is ignored. */
WARI_MUST_CHECK WARI_API enum wari_status
wari_playstrategy_move_parse(const char *text, const struct wari_setup *setup, int *pit,
                             struct wari_error *error);

#ifdef __cplusplus
}
#endif
#endif
