/* The probe library: exact values of positions from a database folder or a book.
 *
 *     struct wari_db *db;
 *     struct wari_error error;
 *     if (wari_open(&db, "folder", NULL, NULL, &error) != WARI_OK) ... error.text
 *     if (wari_probe(db, &position, &value, &error) == WARI_OK) ...
 *     wari_close(db);
 *
 * The library never prints, exits or keeps global state. Any number of threads may use one handle
 * at once, except for wari_close(). A value is returned only if the hash of the chunk or block that
 * it comes from is correct.
 *
 * Processes. The child process of a fork may use and close its copy of a handle, even if other
 * threads of the parent were using the handle at that moment. (This requires that the functions of
 * the host table, wari_host.h, work in such a child. Those of wari_host_system() do, with common C
 * libraries.) The only exception is a player (wari_player_new()) that another thread was using: the
 * child must neither use nor free it.
 *
 * Terms. A **variant** is a rule set and a cycle rule. **Level** n is all positions with n seeds.
 * The **value** of a position is the number of seeds that the side to move will still capture minus
 * the number that its opponent will still capture, if both play best; it is in [-n, n]. A
 * **stored** position is one whose opponent half (the opponent's six pits) has an empty pit. Only
 * stored positions have a number and a value in a file; every position after a move is one. The
 * **catalogue** of a variant is a file in the folder that lists the levels which are solved. The
 * values in a level file are divided into **chunks** of 8192 values, and those in a book into
 * **blocks** of 128 values. Chunks and blocks are read, checked and decoded one by one;
 * wari-format(5) specifies both.
 *
 * Errors. Every function that can fail returns an enum wari_status, and the compiler warns if the
 * result is ignored. On failure, *error (unless `error` is NULL) says in one line what went wrong,
 * where, and what to do. Outputs are unchanged after a failure unless stated otherwise. Every
 * function that reads files or allocates memory can return, in addition to the statuses listed for
 * it:
 *   WARI_IO         a file cannot be read
 *   WARI_NO_MEMORY  an allocation failed
 *
 * Compatibility. A program that was compiled with this header works with every later library that
 * has the same WARI_ABI, which is the number in the library's soname: libwari.so.<WARI_ABI>.
 *   - Within one WARI_ABI, functions may be added, enum wari_status may get members at its end
 *     (treat an unknown status as a failure), and texts for people may change. Nothing else
 *     changes: no parameters or meaning of a function, no size or layout of a struct, no value of a
 *     constant, including rule sets and cycle rules. A change that would need another struct is
 *     made in another function. Only WARI_ABI 0, that of the versions 0.x, is less strict: there
 *     a function may get another name, and then programs must be compiled again.
 *   - struct wari_db is opaque; only libwari knows its size. All other structs are plain data
 *     without pointers to be freed. The caller owns them and may copy, keep and discard them. Other
 *     languages may rely on their layout.
 *   - Zeros in a struct wari_options mean the defaults: set it to zeros before filling it in.
 *   - A library reads files of the format versions that wari-format(5) specifies (db/FORMAT.md in
 *     the sources), and refuses others with WARI_MISMATCH.
 */
#ifndef WARI_H
#define WARI_H

#include "wari_book.h"
#include "wari_game.h"
#include "wari_host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WARI_VERSION "0.1.0" /* defined only here; the Makefile reads both lines */
#define WARI_ABI 0

struct wari_db;

struct wari_options {
    /* Upper bound on the cache, in bytes, including all its bookkeeping; 0 means 64 MiB. The cache
     * holds decoded chunks (64 blocks of a book make up a chunk), and at least one chunk even if
     * this exceeds the bound. At most a sixteenth of the memory remembers moves of lines of best
     * play. The cache is allocated when the handle is opened and never grows. The handle needs
     * further memory: at most 3 MB for offset tables; 0.33 MB for each thread that decodes at the
     * same time as others (the first 0.33 MB are allocated when the handle is opened); and the
     * models of its levels: 3.7 MB for 0 to 20 seeds, 24 MB for 0 to 48. */
    size_t cache_bytes;
    const struct wari_host *host; /* NULL means the host table of the system; any other table
                                   * must outlive the handle. wari_host.h describes host tables. */
};

/* Opens the database of one variant in `folder`. `variant` NULL selects the only variant in the
 * folder. `options` NULL means defaults. Reads and checks the catalogue, and the header, the model
 * and the offset table of every level file. An offset table of more than 1 MiB is not read as a
 * whole: two of its entries are read and checked whenever a chunk is needed. The handle keeps the
 * files open, so a build that replaces them later does not affect it.
 *
 * If files of levels are missing that the catalogue lists, the handle has all levels below the
 * lowest missing one, and no others: the captures of a level lead to all levels below it.
 * wari_missing() tells which levels are missing.
 *
 * On WARI_OK, *db is a handle to be closed with wari_close(). Otherwise *db is NULL:
 *   WARI_IO         the folder or a file cannot be read; the file of level 0 is missing; the folder
 *                   has level files but no catalogue; or a build was started in the folder and has
 *                   not finished its first level
 *   WARI_CORRUPT    a file is damaged; the text names file and offset
 *   WARI_MISMATCH   the folder does not have the variant (the text lists those it has), or a file
 *                   has another variant, level or format version
 *   WARI_BAD_INPUT  `variant` is not a variant; `variant` is NULL and the folder has several (the
 *                   text lists them); or `folder` is empty, or so long that the path of a file
 *                   exceeds 1,023 bytes
 *   WARI_NO_MEMORY  an allocation failed */
WARI_MUST_CHECK WARI_API enum wari_status wari_open(struct wari_db **db, const char *folder,
                                                    const struct wari_variant *variant,
                                                    const struct wari_options *options,
                                                    struct wari_error *error);

/* Opens a book: one file with all levels of one variant (wari_book.h). The handle can be used like
 * that of a folder, except that wari_proved() needs the record of proofs in a folder. `variant`
 * NULL accepts any variant. Reading values in bulk takes longer than from level files, because a
 * book leaves out every value that can be found by looking one move ahead.
 *
 * On WARI_OK, *db is a handle to be closed with wari_close(). Otherwise *db is NULL:
 *   WARI_BAD_INPUT  the path is longer than 1,023 bytes
 *   WARI_IO         the file cannot be read
 *   WARI_CORRUPT    the file is damaged, or is not a book
 *   WARI_MISMATCH   the book has another variant or format version
 *   WARI_NO_MEMORY  an allocation failed */
WARI_MUST_CHECK WARI_API enum wari_status wari_open_book(struct wari_db **db, const char *path,
                                                         const struct wari_variant *variant,
                                                         const struct wari_options *options,
                                                         struct wari_error *error);

/* Closes a handle. NULL is allowed. No other thread may be using the handle. Players of the handle
 * must have been freed. */
WARI_API void wari_close(struct wari_db *db);

/* Lists the variants that `folder` has a catalogue for, sorted by enum wari_rules and then by enum
 * wari_cycle, and sets *count to their number, at most WARI_VARIANT_COUNT. The catalogues are not
 * read. A folder without a catalogue has 0 variants. `options` NULL means defaults.
 *   WARI_IO         the folder does not exist or cannot be read
 *   WARI_BAD_INPUT  `folder` is empty or too long */
WARI_MUST_CHECK WARI_API enum wari_status
wari_list(const char *folder, const struct wari_options *options,
          struct wari_variant variants[WARI_VARIANT_COUNT], int *count, struct wari_error *error);

/* The contents of a handle: the variant, and all levels 0..seeds_max except 47, which does not
 * occur in a game. seeds_max is 0..46 or 48. The folder's catalogue may list more levels: those
 * whose files are missing (wari_missing()), and all levels above the lowest missing level. */
struct wari_info {
    struct wari_variant variant;
    int seeds_max;
    uint64_t positions;  /* number of stored positions in all levels */
    uint64_t file_bytes; /* size of all level files, or of the book */
};

WARI_API void wari_get_info(const struct wari_db *db, struct wari_info *info);

/* Finds out which levels the handle lacks because their files were missing when it was opened,
 * although the catalogue lists them. Sets missing[n] to true for each such level n, and all other
 * elements to false. Returns the number of missing levels: 0 if all files were there, and for a
 * book. seeds_max of struct wari_info is below the lowest missing level. */
WARI_API int wari_missing(const struct wari_db *db, bool missing[WARI_SEEDS_MAX + 1]);

/* Finds out which levels `wari verify` has proved. `folder` is the folder that `db` was opened
 * from. Sets *seeds_max so that all levels 0..*seeds_max of the database have the values that
 * were proved, according to the record in the folder; -1 means no level. If a level's values
 * differ from those in the record, neither this level nor any higher one counts as proved. The
 * record says what a program found; it is not a signature. If the record cannot be used,
 * *seeds_max is also set to -1, and the result is:
 *   WARI_CORRUPT    the record is damaged
 *   WARI_MISMATCH   the record has another format version
 *   WARI_IO         the record cannot be read */
WARI_MUST_CHECK WARI_API enum wari_status wari_proved(const struct wari_db *db, const char *folder,
                                                      int *seeds_max, struct wari_error *error);

/* Information about one level. */
struct wari_level_info {
    int seeds;
    uint64_t positions;  /* number of stored positions */
    uint64_t placements; /* all C(seeds+11, 11) ways to place the seeds: the sum of the histogram */
    uint64_t payload_hash; /* XXH3 (64 bits) of the values of the stored positions, in the order of
                            * their numbers, one signed byte each */
    uint64_t file_bytes;
    uint64_t histogram[2 * WARI_SEEDS_MAX + 1]; /* [v + 48]: number of placements with value v */
};

/* Fills in *info for the level with `seeds` seeds. Returns WARI_NOT_COVERED if the database
 * has no such level. */
WARI_MUST_CHECK WARI_API enum wari_status wari_get_level_info(const struct wari_db *db, int seeds,
                                                              struct wari_level_info *info,
                                                              struct wari_error *error);

/* Finds the exact value of `position` for the side to move. If no pit of the opponent half is
 * empty, computes the value from the values of the moves.
 *
 * On failure *value is unchanged:
 *   WARI_BAD_INPUT     the position has more than 48 seeds
 *   WARI_NOT_COVERED   the database has no level with so many seeds (and never has level 47, which
 *                      does not occur in a game)
 *   WARI_CORRUPT       a chunk or block has the wrong hash; the text names file and offset
 *   WARI_IO, WARI_NO_MEMORY */
WARI_MUST_CHECK WARI_API enum wari_status wari_probe(struct wari_db *db,
                                                     const struct wari_position *position,
                                                     int *value, struct wari_error *error);

/* Finds the value of `position` without reading a file, in less than a microsecond. Returns true
 * and sets *value if the value can be found from the chunks in the cache; the result is then the
 * same as that of wari_probe(). Otherwise returns false and leaves *value unchanged: the cache
 * lacks a chunk, or the database does not cover the position. */
WARI_MUST_CHECK WARI_API bool wari_probe_cached(struct wari_db *db,
                                                const struct wari_position *position, int *value);

/* Finds the values of `count` positions, in any order and of any levels: values[i] is the result of
 * wari_probe() for positions[i]. Each chunk is read and decoded only once for all positions in it,
 * so this is faster than wari_probe() for a hundred positions or more whose chunks are not in the
 * cache. During the call it takes 0.4 kB of memory for each position, but at most 16 MB. If
 * the host table has a function `run`, the work is shared among threads.
 *
 * Fails like wari_probe() if the value of any position cannot be found, and with WARI_NO_MEMORY. If
 * a position is refused, the text gives its index in the array, counted from 0. After a failure the
 * contents of `values` are undefined. */
WARI_MUST_CHECK WARI_API enum wari_status wari_probe_many(struct wari_db *db,
                                                          const struct wari_position *positions,
                                                          size_t count, int8_t *values,
                                                          struct wari_error *error);

/* ---- A level in bulk ---- */

/* The stored positions of a level, those whose opponent half has an empty pit, are numbered
 * 0 .. wari_level_size() - 1; wari-format(5) defines the order ("Order of the values"). The numbers
 * are the same for every variant and never change. Only wari_values() needs a database. */

/* Returns the number of stored positions with `seeds` seeds: C(seeds+11, 11) - C(seeds+5, 11).
 * Returns 0 if `seeds` is not in 0..48. (The positions with 47 seeds have numbers, but they do not
 * occur in a game, and no database has their values.) */
WARI_API uint64_t wari_level_size(int seeds);

/* Sets *number to the number of a position in its level. Returns WARI_BAD_INPUT if the
 * position has no number, because no pit of its opponent half is empty, or has more than 48
 * seeds. */
WARI_MUST_CHECK WARI_API enum wari_status wari_position_number(const struct wari_position *position,
                                                               uint64_t *number,
                                                               struct wari_error *error);

/* Sets *position to the position with this number. Returns WARI_BAD_INPUT if there is none. */
WARI_MUST_CHECK WARI_API enum wari_status wari_position_numbered(int seeds, uint64_t number,
                                                                 struct wari_position *position,
                                                                 struct wari_error *error);

/* Replaces a stored position by the one with the next number. This is the fastest way through a
 * level, for use with wari_values(). After the last position of the level, it continues with number
 * 0 and returns false. */
WARI_API bool wari_position_next(struct wari_position *position);

/* Reads the values of `count` stored positions of the level with `seeds` seeds, beginning with
 * number `first`, one byte each. It is fastest for ranges of some thousands of values or more that
 * are read in ascending order, because each chunk of the file is then decoded only once.
 *
 * On failure the contents of `values` are undefined:
 *   WARI_NOT_COVERED   the database has no such level
 *   WARI_BAD_INPUT     the level has no such numbers
 *   WARI_CORRUPT, WARI_IO, WARI_NO_MEMORY   as for wari_probe() */
WARI_MUST_CHECK WARI_API enum wari_status wari_values(struct wari_db *db, int seeds, uint64_t first,
                                                      size_t count, int8_t *values,
                                                      struct wari_error *error);

/* ---- Moves, and the line of best play ---- */

/* Values a position and all its legal moves, best move first (struct wari_analysis is in
 * wari_book.h). Fails like wari_probe(), and with WARI_CORRUPT if the stored value of the position
 * is not that of its best move. After a failure the contents of *analysis are undefined. */
WARI_MUST_CHECK WARI_API enum wari_status wari_analyse(struct wari_db *db,
                                                       const struct wari_position *position,
                                                       struct wari_analysis *analysis,
                                                       struct wari_error *error);

/* ---- Perfect play ---- */

/* The purpose of a move of perfect play. Every best move keeps the value, but a side that is ahead
 * could make best moves in a cycle for ever. Therefore a position has a **distance**: the number of
 * moves (of both sides) until the side that is ahead makes progress, if this side takes the
 * shortest way and its opponent the longest. Progress is a capture or an end of the game that keeps
 * the value, or a better value. */
enum wari_aim {
    WARI_AIM_OVER,  /* there is no legal move: the game is over */
    WARI_AIM_EVENT, /* the move captures or ends the game */
    WARI_AIM_FORCE, /* the value is positive: the move decreases the distance */
    WARI_AIM_DELAY, /* the value is negative: the move keeps the distance as large as possible */
    WARI_AIM_HOLD,  /* (only under `own`) the value is positive: the side to move keeps the surplus
                     * of its own row at the value or above it for ever, or moves towards a position
                     * from which it can */
    WARI_AIM_ROW,   /* (only under `own`) the side to move increases the surplus of its own row up
                     * to the value, so that a cycle costs nothing; the distance counts the moves
                     * until then */
    WARI_AIM_NONE,  /* nothing can be gained, not even delay: every best move is equally good,
                     * even in a cycle */
    WARI_AIM_LOST,  /* the search reached its limit without a result, so the move is the first
                     * best move. This has never been observed */
};

/* A move of perfect play. */
struct wari_choice {
    struct wari_analysis analysis;
    int move; /* index in analysis.moves; undefined if the game is over */
    enum wari_aim aim;
    int distance; /* for FORCE, DELAY and ROW the number of moves from this position, or -1 for a
                   * DELAY that never ends; 0 for the other aims */
};

/* Chooses moves of perfect play. A player is a workspace: it takes memory from the host for its
 * searches (at first about 0.1 MB, after a large search up to 30 MB; twice as much under `own`) and
 * reuses the last search for the next move. The chosen move depends only on the position and the
 * database. A player may be used by one thread at a time; several players may use one handle at
 * once. */
struct wari_player;

/* Creates a player, to be freed with wari_player_free() before `db` is closed. On WARI_NO_MEMORY,
 * *player is NULL. */
WARI_MUST_CHECK WARI_API enum wari_status
wari_player_new(struct wari_player **player, struct wari_db *db, struct wari_error *error);
WARI_API void wari_player_free(struct wari_player *player); /* NULL is allowed */

/* Chooses the move of perfect play. A side that makes only these moves gets at least the value
 * against any opponent, even if the third repetition of a position ends the game and the cycle rule
 * decides its score:
 *   - If a best move captures or ends the game, it is played: the first such move of the
 *     analysis. (A grand slam that decides the game whatever the score, in `slam-wins` and `ware`,
 *     comes first if it wins and last if it loses.)
 *   - Otherwise a quiet best move is played: the first one that serves the aim best.
 * Fails like wari_analyse(); after a failure *choice is undefined. If the game is over, the aim is
 * WARI_AIM_OVER and the status is WARI_OK. */
WARI_MUST_CHECK WARI_API enum wari_status wari_player_choose(struct wari_player *player,
                                                             const struct wari_position *position,
                                                             struct wari_choice *choice,
                                                             struct wari_error *error);

enum { WARI_LINE_MAX = 400 };

enum wari_line_end {
    WARI_LINE_OVER,    /* there is no further move, or the game was over from the start */
    WARI_LINE_SLAM,    /* the last move is a grand slam that ends the game */
    WARI_LINE_REPEATS, /* the last move leads back to the position before moves[repeats_from] */
    WARI_LINE_CUT,     /* the line has WARI_LINE_MAX moves */
};

/* A line of best play by both sides. The value of the first position is the sum of the captures
 * along the line and `rest`. */
struct wari_line {
    int count;
    enum wari_line_end end;
    int repeats_from; /* valid only for WARI_LINE_REPEATS */

    /* The part of the value, for the side to move in the first position, that the end of the
     * line contributes: the seeds on the board that this side gets minus those that its opponent
     * gets. (If a grand slam ends the game, this covers all seeds on the board before it, and
     * `captured` is 0.) For REPEATS it follows from the cycle rule; for CUT it is the exact
     * value after the last move. */
    int rest;
    struct {
        uint8_t pit;
        bool opponent; /* the opponent of the side to move in the first position made this move */
        uint8_t captured;
    } moves[WARI_LINE_MAX];
};

/* Computes the line of the moves that wari_player_choose() makes for both sides, until the game is
 * over, a position repeats or the line is full.
 *
 * The captures (positive for the side to move first, negative for its opponent) and `rest` add up
 * to the value, unless a move had the aim WARI_AIM_LOST.
 *
 * Takes memory from the host like a player. Fails like wari_player_choose(); after a failure *line
 * is undefined. */
WARI_MUST_CHECK WARI_API enum wari_status wari_find_line(struct wari_db *db,
                                                         const struct wari_position *position,
                                                         struct wari_line *line,
                                                         struct wari_error *error);

/* Returns the version of the library that is running, such as "0.1.0". */
WARI_API const char *wari_version(void);

#ifdef __cplusplus
}
#endif
#endif
