/* The games of a match: several are played at once, each with its own engines. They are returned
 * one by one in the order of their numbers, so that a report does not depend on which game ended
 * first. */
#ifndef TOOLS_MATCH_GAMES_H
#define TOOLS_MATCH_GAMES_H

#include "tools/match/match_file.h"
#include "tools/match/request.h"

struct match_games;

/* Settings shared by all games. Everything must outlive the games; nobody else may use `starts`
 * and `file` while they are played. */
struct games_settings {
    const struct request *request;
    struct wari_variant variant;
    struct wari_db *db;
    struct starts *starts;
    struct match_file *file; /* games in this file are not played again */
};

/* Starts threads that play the games.
 *   WARI_BAD_INPUT   the command of an engine cannot be split into words
 *   WARI_NO_MEMORY   no memory, or no thread, is available
 * The caller must call games_end() in every case. */
WARI_MUST_CHECK enum wari_status games_begin(struct match_games **games,
                                             const struct games_settings *settings,
                                             struct wari_error *error);

/* Waits for the next game. Sets *any to false if there is none. The caller frees the record of
 * the game. After an interruption or a failure, returns the games that had ended by then, with
 * gaps in their numbers, and finally
 *   WARI_INTERRUPTED   a signal was received
 *   any other          the reason why the match cannot continue */
WARI_MUST_CHECK enum wari_status games_next(struct match_games *games, struct played_game *game,
                                            bool *any, struct wari_error *error);

/* Aborts running games, ends all engines and frees the games. If no game is running, the engines
 * have their usual time to exit. Adds what was counted about each engine outside of its games:
 * starts, failed starts, and lines that were not understood. Does nothing for NULL. */
void games_end(struct match_games *games, struct match_statistics statistics[MATCH_SIDES]);

#endif
