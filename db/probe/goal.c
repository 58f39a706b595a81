/* Which moves are what perfect play is after. */
#include "db/probe/goal.h"

/* Where a grand slam decides a game whatever the score, the value does not tell all: a slam that
 * wins is played at once, one that loses only where every best move is one. */
int wari_event_move(enum wari_rules rules, const struct wari_analysis *analysis)
{
    enum wari_slam slam_does = wari_rules_info(rules)->slam;
    int slam = -1, capture = -1, quiet = -1; /* the first of each */
    for (int i = analysis->count - 1; i >= 0; i--) {
        if (analysis->moves[i].value != analysis->value)
            continue;
        if (analysis->moves[i].move.ends)
            slam = i;
        else if (analysis->moves[i].move.captured > 0)
            capture = i;
        else
            quiet = i;
    }
    if (slam >= 0 && slam_does == WARI_SLAM_WINS_ALL)
        return slam;
    if (capture >= 0)
        return capture;
    return slam_does == WARI_SLAM_LOSES && quiet >= 0 ? -1 : slam;
}
