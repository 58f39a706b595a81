/* The probe library: exact values from a database folder.
 *
 *     struct wari_db *db;
 *     struct wari_error error;
 *     if (wari_open(&db, "folder", NULL, NULL, &error) != WARI_OK) ... error.text
 *     if (wari_probe(db, &position, &value, &error) == WARI_OK) ...
 *     wari_close(db);
 *
 * The library never prints, exits or keeps global state. One handle may be used by any number of
 * threads at once. A value is given only if the block it comes from passed its hash.
 *
 * What may change. A program that was compiled with this header works with every later library
 * of the same WARI_ABI, which is the number in the library's soname: libwari.so.<WARI_ABI>.
 *   - Within one WARI_ABI, functions are added, enum wari_status gets members at its end (take a
 *     status you do not know for a failure), and texts for people change. Nothing else does: no
 *     function's parameters or meaning, no size or layout of a struct, no value of a constant, rule
 *     sets and cycle rules included. What needs another struct comes as another function.
 *   - struct wari_db is opaque, and only libwari knows its size. All other structs are plain data
 *     without pointers to be freed; the caller owns them and may copy them, keep them and let go of
 *     them at will. Other languages may rely on their layout.
 *   - Set a struct wari_options to zeros before filling it in, so that the zeros mean the defaults.
 *   - Files: a library reads the format versions that wari-format(5) lists, db/FORMAT.md in the
 *     sources, and refuses others with WARI_MISMATCH.
 */
#ifndef WARI_H
#define WARI_H

#include "wari_book.h"
#include "wari_game.h"
#include "wari_host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WARI_VERSION "0.1.0" /* named here only; the Makefile reads both lines */
#define WARI_ABI 0

struct wari_db;

struct wari_options {
    /* Bound for the cache of decoded blocks and all that keeps track of them; 0: 64 MiB. Room for
     * one block there is always. A sixteenth of it remembers moves of lines of best play. The cache
     * is allocated when the handle is opened and never grows; beside it a handle takes 16 bytes for
     * each block of its files, about 0.6 MB for each thread that decodes at the same time as others
     * (for the first from the start), and the models of its levels: 3.7 MB for 0 to 20 seeds, 24 MB
     * for 0 to 48. */
    size_t cache_bytes;
    const struct wari_host *host; /* NULL: the system's own; must outlive the handle. wari_host.h */
};

/* Opens the tables of one variant in `folder`. `variant` NULL: the only one there is; if there are
 * several, WARI_BAD_INPUT and the text lists them. `options` NULL: defaults. The catalogue, every
 * level file's header and its offset table are read and checked here; the handle keeps the files
 * open, so that a builder that replaces them does not disturb it.
 *
 * On WARI_OK *db is a handle to be given to wari_close(). Otherwise *db is NULL and:
 *   WARI_IO         the folder or a file cannot be read
 *   WARI_CORRUPT    a file is damaged; the text names file and offset
 *   WARI_MISMATCH   the folder lacks that variant (the text lists those it has), or a file belongs
 *                   to another variant, level or format version
 *   WARI_BAD_INPUT  `variant` is none, or is NULL and the folder holds several; or the name of the
 *                   folder is empty, or so long that a path in it has more than 1,023 bytes
 *   WARI_NO_MEMORY  an allocation failed
 */
WARI_MUST_CHECK WARI_API enum wari_status wari_open(struct wari_db **db, const char *folder,
                                                    const struct wari_variant *variant,
                                                    const struct wari_options *options,
                                                    struct wari_error *error);

/* The same for a book: one file, which holds all of one variant (wari_book.h). All that is said of
 * handles holds, but for wari_proved(), which asks a folder. `variant` NULL: whatever it is of.
 * Reading values in bulk takes longer than from level files: a book leaves out what one move of
 * look-ahead finds again.
 *   WARI_BAD_INPUT  the path is longer than 1,023 bytes
 *   WARI_IO         the file cannot be read
 *   WARI_CORRUPT    it is damaged, or no book
 *   WARI_MISMATCH   it is of another variant or format version
 *   WARI_NO_MEMORY  an allocation failed
 */
WARI_MUST_CHECK WARI_API enum wari_status wari_open_book(struct wari_db **db, const char *path,
                                                         const struct wari_variant *variant,
                                                         const struct wari_options *options,
                                                         struct wari_error *error);

/* Closes the handle; NULL is allowed. No other thread may be using it. */
WARI_API void wari_close(struct wari_db *db);

/* The variants that `folder` has a catalogue for, in the order of the enums: at most
 * WARI_RULES_COUNT * WARI_CYCLE_COUNT. *count is their number. An empty folder has 0; one that
 * does not exist is WARI_IO, one whose name is empty or too long WARI_BAD_INPUT. The catalogues are
 * not read. */
WARI_MUST_CHECK WARI_API enum wari_status
wari_list(const char *folder, const struct wari_options *options,
          struct wari_variant variants[(int)WARI_RULES_COUNT * WARI_CYCLE_COUNT], int *count,
          struct wari_error *error);

/* What a handle holds: the variant, and all levels 0..seeds_max except 47, which cannot arise in a
 * game; seeds_max is 0..46 or 48. */
struct wari_info {
    struct wari_variant variant;
    int seeds_max;
    uint64_t positions;  /* stored positions of all levels */
    uint64_t file_bytes; /* size of all level files */
};

WARI_API void wari_info(const struct wari_db *db, struct wari_info *info);

/* Levels 0..*seeds_max of the database have values that `wari verify` proved, by the record in
 * `folder`, which is the one that `db` was opened in; -1: none. A record of other values counts for
 * nothing from the first level on that differs. It says what a program found and is no signature.
 * *seeds_max is -1, too, where the record cannot be trusted:
 *   WARI_CORRUPT    it is damaged
 *   WARI_MISMATCH   it is of another format version
 *   WARI_IO         it cannot be read */
WARI_MUST_CHECK WARI_API enum wari_status wari_proved(const struct wari_db *db, const char *folder,
                                                      int *seeds_max, struct wari_error *error);

/* What is known of one level. */
struct wari_level_info {
    int seeds;
    uint64_t positions;    /* stored: opponent half with an empty pit */
    uint64_t placements;   /* all C(seeds+11, 11): the sum of the histogram */
    uint64_t payload_hash; /* XXH3 (64 bits) of the values, one signed byte each, in index order */
    uint64_t file_bytes;
    uint64_t histogram[2 * WARI_SEEDS_MAX + 1]; /* [v + 48]: placements of value v */
};

/* WARI_NOT_COVERED if the database has no such level. */
WARI_MUST_CHECK WARI_API enum wari_status wari_level_info(const struct wari_db *db, int seeds,
                                                          struct wari_level_info *info,
                                                          struct wari_error *error);

/* The exact value of `position` for the side to move: seeds it will still capture minus seeds the
 * opponent will still capture, in [-n, n] for n seeds on the board. A position whose opponent half
 * is full is answered through its moves.
 *
 * On failure *value is left alone:
 *   WARI_BAD_INPUT     more than 48 seeds
 *   WARI_NOT_COVERED   more seeds than the database was built for
 *                      (and always for 47, which no game reaches)
 *   WARI_CORRUPT       a block failed its hash; the text names file and offset
 *   WARI_IO, WARI_NO_MEMORY
 */
WARI_MUST_CHECK WARI_API enum wari_status wari_probe(struct wari_db *db,
                                                     const struct wari_position *position,
                                                     int *value, struct wari_error *error);

/* The values of `count` positions, which may be of several levels and stand in any order: what
 * wari_probe() says of each, but each block is read and decoded once for all of its positions. For
 * a hundred or more, where blocks are not in the cache. Takes memory from the host for the time of
 * the call: 0.4 kB a position, and 16 MB at most. host->run, where there is one, shares the work
 * among threads.
 *
 * Fails like wari_probe(), and with WARI_NO_MEMORY, on the first position that cannot be answered;
 * the text of a position that is refused names its place in the array. The contents of `values`
 * then mean nothing. */
WARI_MUST_CHECK WARI_API enum wari_status wari_probe_many(struct wari_db *db,
                                                          const struct wari_position *positions,
                                                          size_t count, int8_t *values,
                                                          struct wari_error *error);

/* ---- A level in bulk ---- */

/* Stored positions, those whose opponent half has an empty pit (all that a move can lead to), are
 * numbered within their level 0 .. wari_level_size() - 1; wari-format(5) says how ("Order of the
 * values"). The numbers are the same for every variant and never change. These functions need no
 * database. */

/* Stored positions with `seeds` seeds: C(seeds+11, 11) - C(seeds+5, 11). 0 if there is no such
 * level, 0..48. (Level 47 has numbers, but no game reaches it and no database holds it.) */
WARI_API uint64_t wari_level_size(int seeds);

/* The number of a position in its level. WARI_BAD_INPUT if it has none (no pit of its opponent half
 * is empty) or more than 48 seeds; *number is then left alone. */
WARI_MUST_CHECK WARI_API enum wari_status wari_position_number(const struct wari_position *position,
                                                               uint64_t *number,
                                                               struct wari_error *error);

/* The position with this number. WARI_BAD_INPUT if there is none; *position is then left alone. */
WARI_MUST_CHECK WARI_API enum wari_status wari_position_numbered(int seeds, uint64_t number,
                                                                 struct wari_position *position,
                                                                 struct wari_error *error);

/* Turns a stored position into the one with the next number: the quick way through a level beside
 * wari_values(). After the last one it comes back to number 0 and returns false. */
WARI_API bool wari_position_next(struct wari_position *position);

/* Values of `count` stored positions of the level with `seeds` seeds, from number `first` on, one
 * byte each. Quickest in pieces of some thousands or more, read one after the other: what lies in
 * one chunk of a file is then decoded once.
 *
 * On failure the contents of `values` mean nothing:
 *   WARI_NOT_COVERED   the database has no such level
 *   WARI_BAD_INPUT     the level has no such numbers
 *   WARI_CORRUPT, WARI_IO, WARI_NO_MEMORY   as for wari_probe()
 */
WARI_MUST_CHECK WARI_API enum wari_status wari_values(struct wari_db *db, int seeds, uint64_t first,
                                                      size_t count, int8_t *values,
                                                      struct wari_error *error);

/* ---- Moves, and the line of best play ---- */

/* struct wari_analysis is in wari_book.h.
 *
 * Fails like wari_probe(). WARI_CORRUPT, too, if the stored value is not the best of the moves'. */
WARI_MUST_CHECK WARI_API enum wari_status wari_analyse(struct wari_db *db,
                                                       const struct wari_position *position,
                                                       struct wari_analysis *analysis,
                                                       struct wari_error *error);

/* ---- Perfect play ---- */

/* What a move of perfect play is for. All best moves keep the value, but a side that is ahead can
 * walk in circles with them for ever. The **distance** is how many moves (of both sides) it takes
 * until the side that is ahead has a capture or an end that keeps the value, or a better value,
 * where it takes the shortest way and its opponent the longest. */
enum wari_aim {
    WARI_AIM_OVER,  /* there is no move: the game is over */
    WARI_AIM_EVENT, /* the move captures or ends the game */
    WARI_AIM_FORCE, /* the value is above 0: the move lessens the distance */
    WARI_AIM_DELAY, /* the value is below 0: the move keeps the distance as large as can be */
    WARI_AIM_HOLD,  /* (`own`) stay ahead by the value in the own row for ever, or get there */
    WARI_AIM_ROW,   /* (`own`) get as many seeds into the own row, compared with the other, as the
                     * value is, so that circling costs nothing; distance counts the moves */
    WARI_AIM_NONE,  /* nothing is to be gained: any best move will do, circling too */
    WARI_AIM_LOST,  /* the search gave up: any best move, without an aim (not met so far) */
};

/* The move that perfect play makes. */
struct wari_choice {
    struct wari_analysis analysis;
    int move; /* an index of analysis.moves; meaningless if the game is over */
    enum wari_aim aim;
    int distance; /* FORCE, DELAY, ROW: moves from here; -1 for a DELAY without end. 0 otherwise */
};

/* Chooses moves. A player is a workspace: it takes memory for its searches from the host (about
 * 0.1 MB, and up to 30 MB where one is large; twice as much under `own`) and keeps what the last
 * one found to answer the next move faster. Which move is chosen depends on the position and the
 * database alone. One thread at a time may use it. */
struct wari_player;

/* `db` must outlive the player. WARI_NO_MEMORY: *player is NULL. */
WARI_MUST_CHECK WARI_API enum wari_status
wari_player_new(struct wari_player **player, struct wari_db *db, struct wari_error *error);
WARI_API void wari_player_free(struct wari_player *player); /* NULL is allowed */

/* The move of perfect play. Who makes these moves only gets at least the value against anybody,
 * also where the third repetition of a position ends the game and pays by the cycle rule:
 *   - Where a best move captures or ends the game, it is played: the first one of the analysis. (A
 *     slam that decides a game whatever the score, in `slam-wins` and `ware`, comes first where it
 *     wins, and last where it loses.)
 *   - Otherwise a quiet best move, by its aim: the first of those that serve it equally well.
 * Fails like wari_analyse(), and with WARI_NO_MEMORY; *choice then means nothing. */
WARI_MUST_CHECK WARI_API enum wari_status wari_player_choose(struct wari_player *player,
                                                             const struct wari_position *position,
                                                             struct wari_choice *choice,
                                                             struct wari_error *error);

enum { WARI_LINE_MAX = 400 };

enum wari_line_end {
    WARI_LINE_OVER,    /* nobody can move any more, or the game was over from the start */
    WARI_LINE_SLAM,    /* the last move is a grand slam that ends the game */
    WARI_LINE_REPEATS, /* the last move leads back to the position before moves[repeats_from] */
    WARI_LINE_CUT,     /* WARI_LINE_MAX moves were not enough */
};

/* Best play by both sides, written down: captures along the line and `rest` make the value. */
struct wari_line {
    int count;
    enum wari_line_end end;
    int repeats_from; /* meaningful for WARI_LINE_REPEATS */

    /* What the end adds for the side to move in the first position: seeds it gets minus seeds its
     * opponent gets of those on the board (of all of them where a slam ends the game, which says
     * captured 0). REPEATS: by the cycle rule; CUT: the exact value after the last move. */
    int rest;
    struct {
        uint8_t pit;
        bool opponent; /* played by the opponent of the side to move in the first position */
        uint8_t captured;
    } moves[WARI_LINE_MAX];
};

/* The moves that wari_player_choose() makes for both sides, until the game is over, a position
 * repeats or the line is full.
 *
 * The captures (plus for the side to move first, minus for its opponent) and `rest` add up to the
 * value, unless a move had the aim LOST.
 *
 * Takes memory from the host like a player. Fails like wari_player_choose(); *line then means
 * nothing. */
WARI_MUST_CHECK WARI_API enum wari_status wari_line(struct wari_db *db,
                                                    const struct wari_position *position,
                                                    struct wari_line *line,
                                                    struct wari_error *error);

/* "0.1.0": the version of the library that is running. */
WARI_API const char *wari_version(void);

#ifdef __cplusplus
}
#endif
#endif
