/* What finds moves: the tables, a search above them, and what both are set to.
 */
#ifndef TOOLS_ENGINE_BRAIN_H
#define TOOLS_ENGINE_BRAIN_H

#include "play/engine/uci.h"
#include "play/search/search.h"
#include "tools/engine/hearing.h"

enum { BRAIN_FOLDER = 1024 };

struct brain {
    bool random;     /* moves at random; there is neither database nor search */
    uint64_t chance; /* the state of the generator; never 0 */
    struct wari_variant variant;
    bool cycle_fixed;          /* somebody chose it: no tables of the other one are taken for it */
    char folder[BRAIN_FOLDER]; /* or a book's path: */
    bool book;
    struct wari_host host; /* of database and search */
    struct wari_db *db;    /* NULL: there are no tables of the variant, or they are damaged */
    struct wari_player *player;
    struct wari_search *search;
    int hash_mb, threads, lines;
    bool analyse; /* show what there is, also where a move is obvious */
    struct conversation *talk;
};

/* Opens the tables of brain->variant in brain->folder, and makes a search above them. What was open
 * is closed. Fails like wari_open(): there is then no database, and everything is searched; with
 * WARI_NO_MEMORY: there may be no search, either. */
WARI_MUST_CHECK enum wari_status brain_open(struct brain *brain, struct wari_error *error);

/* A new search, with what the brain is set to, in place of the old one. That stays where the
 * machine has too little free; where memory cannot be had all the same, there is none.
 *   WARI_NO_MEMORY   more than this machine has free */
WARI_MUST_CHECK enum wari_status brain_make_search(struct brain *brain, struct wari_error *error);

/* Where there is none: a new search with as much of "Hash" as can be had, which it says, or none.
 */
void brain_make_some_search(struct brain *brain);

void brain_close(struct brain *brain);

/* A move of these pits, for the case that thinking does not come to an end: one of the best in the
 * database, otherwise the first legal one; -1 if there is none. */
int brain_first_move(struct brain *brain, const struct wari_game *game, int pits);

/* Thinks of moves of which brain_first_move() finds one, and says what it finds, for so many
 * milliseconds; below 0: without a limit. *pit is the one found, and stays as it is where there is
 * no search. Where the database fails, it says so and goes on without. Fails with WARI_NO_MEMORY
 * alone. */
WARI_MUST_CHECK enum wari_status brain_think(struct brain *brain, const struct wari_game *game,
                                             const struct wari_uci_go *go, int64_t milliseconds,
                                             int *pit, struct wari_error *error);

/* "name N value V" of the protocol, and the list of options. */
void brain_set_option(struct brain *brain, const char *text);
void brain_print_options(const struct brain *brain);

#endif
