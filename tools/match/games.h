/* The games of a match: several at once, each with engines of its own, handed out one by one in the
 * order of their numbers, so that a report does not depend on which ended first.
 */
#ifndef TOOLS_MATCH_GAMES_H
#define TOOLS_MATCH_GAMES_H

#include "tools/match/match_file.h"
#include "tools/match/played_game.h"
#include "tools/match/request.h"

struct match_games;

/* What all games have in common. All of it must outlive them; while they are played, nobody else
 * uses `starts` and `file`. */
struct games_wish {
    const struct request *request;
    struct wari_variant variant;
    struct wari_db *db;
    struct starts *starts;
    struct match_file *file; /* games that are in it are not played again */
};

/* Starts to play, in threads.
 *   WARI_BAD_INPUT   an engine's command cannot be split into words
 *   WARI_NO_MEMORY   or no thread is to be had
 * Whatever comes back, games_end() is to be called. */
WARI_MUST_CHECK enum wari_status
games_begin(struct match_games **games, const struct games_wish *wish, struct wari_error *error);

/* Waits for the next game; *any: whether there is one. The caller frees its record. After an
 * interruption or a failure come the games that had ended by then, with gaps between their numbers,
 * and last:
 *   WARI_INTERRUPTED   a signal has come
 *   any other          why the match cannot go on */
WARI_MUST_CHECK enum wari_status games_next(struct match_games *games, struct played_game *game,
                                            bool *any, struct wari_error *error);

/* Breaks off what is still played, ends all engines and frees the games. Adds to starts[] and
 * nonsense[] how often each engine was started, and how many lines of it nobody understood.
 * Nothing happens with NULL. */
void games_end(struct match_games *games, int starts[MATCH_SIDES], uint64_t nonsense[MATCH_SIDES]);

#endif
