/* What perfect play is after where a value alone does not say how to go on. */
#ifndef DB_FORCE_GOAL_H
#define DB_FORCE_GOAL_H

#include "db/wari.h"

/* What X is after. X is one of the players; X's moves keep the value, k. */
enum wari_goal {
    WARI_GOAL_EVENT, /* a capture, the end or a better value */
    WARI_GOAL_ROW,   /* one of these, or seeds in X's row less those in the other are at least k */
};

/* The best move that is an event: it captures or ends the game. An index of analysis->moves; -1 if
 * play goes on with a quiet best move, one that does neither. */
int wari_event_move(enum wari_rules rules, const struct wari_analysis *analysis);

#endif
