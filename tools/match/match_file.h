/* A match in a file: what was played is there after Ctrl-C, a kill or a power cut, and is not
 * played again.
 *
 *     wari match 1
 *     rules=abapa cycle=own seed=1 ... engine="wari engine --random"
 *     1<tab>none<tab>0<tab>0<tab>4-4-...-0-0-S<tab>FfEe<tab>Wari<tab>perfect play
 *
 * The second line is what the match was asked for, and each further one a game: its number from 1;
 * the fault that ended it and whose it was (0 South, 1 North); 1 if the tables ended it; where it
 * started; its moves; the names of the two engines. A last line without its end was being written.
 */
#ifndef TOOLS_MATCH_MATCH_FILE_H
#define TOOLS_MATCH_MATCH_FILE_H

#include "play/text.h"
#include "tools/match/match_report.h"

struct match_file {
    const char *path;
    int fd;                /* -1: there is none */
    struct wari_text text; /* what it held when it was opened */
    size_t at;             /* of the next game in it */
};

/* Opens a match that was begun with this description, or begins one. No other process may use it
 * meanwhile.
 *   WARI_BAD_INPUT   it is no such file, or holds another match
 *   WARI_BUSY        somebody else uses it
 *   WARI_IO, WARI_NO_MEMORY */
WARI_MUST_CHECK enum wari_status match_file_open(struct match_file *file, const char *path,
                                                 const char *description, struct wari_error *error);

/* Whether a game is left that was played before. */
bool match_file_has_game(const struct match_file *file);

/* Replays the next game, number `number` from 0, into `game`, which has been begun; `names` as they
 * were. result->adjudicated says whether the tables ended it; their score is not there.
 * WARI_BAD_INPUT: the line is damaged, or the game of another match. */
WARI_MUST_CHECK enum wari_status match_file_next(struct match_file *file, int number,
                                                 struct wari_game *game,
                                                 struct wari_match_result *result,
                                                 char names[MATCH_SIDES][WARI_OPPONENT_NAME],
                                                 struct wari_error *error);

/* Adds a game behind all others, and brings it to disk. */
WARI_MUST_CHECK enum wari_status match_file_add(struct match_file *file, int number,
                                                const struct wari_game *game,
                                                const struct wari_match_result *result,
                                                const struct match_report *report,
                                                struct wari_error *error);

void match_file_close(struct match_file *file);

#endif
