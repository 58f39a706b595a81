/* The state of an engine: the tables, a search above them, and the options of both. */
#ifndef TOOLS_ENGINE_ENGINE_STATE_H
#define TOOLS_ENGINE_ENGINE_STATE_H

#include "db/catalogue/catalogue.h"
#include "play/engine/endgame.h"
#include "play/engine/opening_book.h"
#include "play/engine/uci.h"
#include "play/search/search.h"
#include "tools/engine/ahead.h"
#include "tools/engine/engine_io.h"

enum { ENGINE_FOLDER = 1024, ENGINE_CACHE_MB_MAX = 65536 };

/* The score of a game that ends because a position has returned. */
enum repetition_score {
    REPETITION_USUAL, /* REPETITION_ROWS with cycle rule `own`, otherwise REPETITION_CYCLE */
    REPETITION_ROWS,  /* each side takes the seeds in its own row */
    REPETITION_CYCLE, /* the cycle rule decides the score */
};

/* The use of the tables by searches: the values of the option TableProbing. */
enum table_probing {
    TABLES_AUTO,   /* TABLES_ALWAYS if only the depth or the number of nodes is limited, so that the
                    * result can be reproduced; otherwise TABLES_CHEAP */
    TABLES_ALWAYS, /* WARI_PROBING_ALWAYS */
    TABLES_CHEAP,  /* WARI_PROBING_CHEAP */
    TABLES_COUNT
};

struct engine_state {
    bool random;           /* plays random moves; there is neither database nor search */
    uint64_t random_state; /* state of the random number generator; never 0 */
    struct wari_variant variant;
    bool rules_open;  /* the user has not chosen the rules: the first tables that have only one rule
                         set determine them */
    bool cycle_fixed; /* the user chose the cycle rule: tables of the other rule are not used */
    char folder[ENGINE_FOLDER]; /* folder of the database, or path of the book if `book`; "" means
                                   that there is none */
    bool book;
    struct wari_db *db;  /* NULL if there are no tables of the variant, or they are damaged */
    bool told_no_tables; /* an "info string" has said that there are no tables */
    struct wari_player *player;
    struct wari_endgame *endgame; /* exists whenever `player` exists */
    struct wari_search *search;
    int hash_mb, threads, lines;
    int cache_mb; /* memory for decoded values of the database, in megabytes (10^6 bytes) */
    enum table_probing probing;
    bool decode_ahead; /* decode blocks of the tables in idle time */
    struct engine_ahead ahead;
    int repetition_times; /* the game ends when a position occurs for the second (2) or third (3)
                           * time; 0 means that repetition does not end the game */
    enum repetition_score repetition_score;
    bool score_with_stores; /* printed scores include the seeds in the stores; if false, they count
                             * only seeds that are still on the board */
    bool analyse;           /* analyse fully even if the move is obvious */
    bool own_book;          /* play from the opening book: the option OwnBook */
    char opening_path[ENGINE_FOLDER]; /* path of the opening book; "" means that there is none */
    struct wari_opening_book opening_book; /* empty if there is none, or it cannot be used */
    bool told_opening_rules; /* the user has been told that the opening book is for other rules */
    char note[WARI_MISSING_TEXT + 64]; /* about missing levels, printed before the next search; ""
                                        * if there is nothing to say */
    struct engine_io *io;
};

/* Closes the current tables, opens those of state->variant in state->folder, if a folder is set,
 * and creates a search that uses them. Fails like wari_open(); then there is no database, and all
 * positions are searched. After WARI_NO_MEMORY there may be no search, either. */
WARI_MUST_CHECK enum wari_status engine_open_tables(struct engine_state *state,
                                                    struct wari_error *error);

/* Replaces the search by a new one with the current options. Keeps the old search if the machine
 * has too little free memory; if the allocation fails all the same, there is no search.
 *   WARI_NO_MEMORY   the search needs more memory than is free */
WARI_MUST_CHECK enum wari_status engine_make_search(struct engine_state *state,
                                                    struct wari_error *error);

/* Creates a search if there is none. If there is too little memory for state->hash_mb, halves
 * hash_mb until the memory suffices, and prints the new size. If even 1 MB is too much, prints that
 * there is no search. */
void engine_make_largest_search(struct engine_state *state);

/* Returns the default size of the cache of decoded values, in megabytes: a share of the memory that
 * is free. */
int engine_default_cache(void);

void engine_close_tables(struct engine_state *state);

/* Returns a move to fall back on if the search does not end, from the set `pits` (bits 1 << pit):
 * one of the best moves in the database, otherwise the first legal one; -1 if there is none. */
int engine_first_move(struct engine_state *state, const struct wari_game *game, int pits);

/* Finds a move among the pits go->pits within `milliseconds`, and prints the results. A negative
 * number of milliseconds means no limit. Sets *pit to the move; leaves *pit unchanged if the
 * position has to be searched and there is no search. If the database fails, reports that and
 * continues without it. Fails only with WARI_NO_MEMORY. */
WARI_MUST_CHECK enum wari_status engine_find_move(struct engine_state *state,
                                                  const struct wari_game *game,
                                                  const struct wari_uci_go *go,
                                                  int64_t milliseconds, int *pit,
                                                  struct wari_error *error);

/* Reads the opening book at `path`, which replaces the current one; "" means that there is none. On
 * failure there is no opening book. Fails like opening_file_read(), and with WARI_BAD_INPUT if the
 * path is too long. */
WARI_MUST_CHECK enum wari_status
engine_open_opening_book(struct engine_state *state, const char *path, struct wari_error *error);

/* Finds the best move of the opening book among the moves that `go` allows, and fills in the report
 * as if a search had found the move. Returns false if
 *
 * - the book must not be used for this search, or is for other rules;
 * - the book does not have the position, or the position after the best move; or
 * - the best move repeats a position. */
bool engine_find_opening(struct engine_state *state, const struct wari_game *game,
                         const struct wari_uci_go *go, struct wari_search_report *report);

/* Returns the rule of repetition by which the engine plays. */
struct wari_repetition engine_repetition(const struct engine_state *state);

/* Sets an option from "name N value V" of the protocol, and prints the list of options. */
void engine_set_option(struct engine_state *state, const char *text);
void engine_print_options(const struct engine_state *state);

#endif
