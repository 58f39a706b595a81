/* A match in a file: the games already played survive Ctrl-C, a kill or a power cut, and are not
 * played again.
 *
 *     wari match 1
 *     rules=abapa cycle=own seed=1 ... engine="wari engine --random"
 *     1<tab>none<tab>0<tab>0<tab>4-4-...-0-0-S<tab>FfEe<tab>Wari<tab>perfect play
 *
 * The second line describes the match. Each further line is a game: its number, starting with 1;
 * the fault that ended it and the side at fault (0 South, 1 North); 1 if it was ended because
 * the database knew its score, otherwise 0; its start position; its moves; the names of the two
 * engines. Games that were played at the same time may be in any order. A last line without a line
 * end was being written when the match was stopped. */
#ifndef TOOLS_MATCH_MATCH_FILE_H
#define TOOLS_MATCH_MATCH_FILE_H

#include "play/engine/match.h"
#include "play/record/record.h"
#include "play/text.h"
#include "tools/match/match_report.h"

struct played_game {
    int number;                      /* number of the game, counted from 0 */
    struct wari_record record;       /* without tags */
    struct wari_match_result result; /* `interrupted` is set only while the game is being played */
    /* Names of the engines, in the order of the command line. */
    char names[MATCH_SIDES][WARI_OPPONENT_NAME];
    char fault_text[WARI_FAULT_DETAIL]; /* details of the fault; "" if the game comes from a file */
};

struct match_file {
    const char *path;
    int fd;                       /* -1 if there is no file */
    struct wari_text text;        /* contents of the file when it was opened */
    struct match_file_line *line; /* line[n] is the line of game n */
    int games;
};

/* Opens the file of a match of `games` games that was begun with this description. If the file has
 * no game yet, or does not exist, begins the match in it. Locks the file against other processes.
 *   WARI_BAD_INPUT   the file is not that of a match, or is that of another match
 *   WARI_BUSY        another process uses the file
 *   WARI_IO          the file cannot be read, written or locked
 *   WARI_NO_MEMORY   an allocation failed */
WARI_MUST_CHECK enum wari_status match_file_open(struct match_file *file, const char *path,
                                                 const char *description, int games,
                                                 struct wari_error *error);

/* Returns true if game number `number`, starting with 0, was played before. */
bool match_file_has(const struct match_file *file, int number);

/* Replays game->number into game->record, whose game has been begun, and sets the names. May be
 * called once for each game. result.adjudicated is true if the game was ended because the database
 * knew its score; the file does not contain this score. Returns WARI_BAD_INPUT if the line is
 * damaged or belongs to another match. */
WARI_MUST_CHECK enum wari_status
match_file_replay(struct match_file *file, struct played_game *game, struct wari_error *error);

/* Appends a game and syncs it to disk. Does nothing if there is no file. */
WARI_MUST_CHECK enum wari_status
match_file_add(struct match_file *file, const struct played_game *game, struct wari_error *error);

void match_file_close(struct match_file *file);

#endif
