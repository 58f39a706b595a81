/* A match in a file: what was played is there after Ctrl-C, a kill or a power cut, and is not
 * played again.
 *
 *     wari match 1
 *     rules=abapa cycle=own seed=1 ... engine="wari engine --random"
 *     1<tab>none<tab>0<tab>0<tab>4-4-...-0-0-S<tab>FfEe<tab>Wari<tab>perfect play
 *
 * The second line is what the match was asked for, and each further one a game: its number from 1;
 * the fault that ended it and whose it was (0 South, 1 North); 1 if the tables ended it; where it
 * started; its moves; the names of the two engines. Games that were played at once may stand in any
 * order. A last line without its end was being written.
 */
#ifndef TOOLS_MATCH_MATCH_FILE_H
#define TOOLS_MATCH_MATCH_FILE_H

#include "play/text.h"
#include "tools/match/played_game.h"

struct match_file {
    const char *path;
    int fd;                       /* -1: there is none */
    struct wari_text text;        /* what it held when it was opened */
    struct match_file_line *line; /* [n]: of game n */
    int games;
};

/* Opens a match of so many games that was begun with this description, or begins one. No other
 * process may use it meanwhile.
 *   WARI_BAD_INPUT   it is no such file, or holds another match
 *   WARI_BUSY        somebody else uses it
 *   WARI_IO, WARI_NO_MEMORY */
WARI_MUST_CHECK enum wari_status match_file_open(struct match_file *file, const char *path,
                                                 const char *description, int games,
                                                 struct wari_error *error);

/* Whether game number `number`, from 0, was played before. */
bool match_file_has(const struct match_file *file, int number);

/* Replays game->number, once, into the game of game->record, which has been begun; names as they
 * were. result.adjudicated says whether the tables ended it; their score is not there.
 * WARI_BAD_INPUT: the line is damaged, or the game of another match. */
WARI_MUST_CHECK enum wari_status match_file_take(struct match_file *file, struct played_game *game,
                                                 struct wari_error *error);

/* Adds a game behind all others, and brings it to disk. Where there is no file, nothing happens. */
WARI_MUST_CHECK enum wari_status
match_file_add(struct match_file *file, const struct played_game *game, struct wari_error *error);

void match_file_close(struct match_file *file);

#endif
