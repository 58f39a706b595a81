/* The line of best play from a position.
 *
 * A line ends when the same position comes back with the same player to move: from there both would
 * play the same moves for ever. A capture makes everything before it unreachable, so the search for
 * a repetition starts anew after one.
 */
#include <string.h>

#include "db/wari.h"

/* The first move at or after `since` that was played from `position` by this player; -1 if none. */
static int find_repetition(const struct wari_position *played_from, const struct wari_line *line,
                           int since, const struct wari_position *position, bool opponent)
{
    for (int i = since; i < line->count; i++)
        if (line->moves[i].opponent == opponent &&
            memcmp(&played_from[i], position, sizeof *position) == 0)
            return i;
    return -1;
}

enum wari_status wari_line(struct wari_db *db, const struct wari_position *position,
                           struct wari_line *line, struct wari_error *error)
{
    struct wari_position played_from[WARI_LINE_MAX];
    struct wari_position now = *position;
    struct wari_analysis analysis;
    bool opponent = false;
    int since = 0;

    line->count = 0;
    line->repeats_from = -1;
    line->end = WARI_LINE_OVER;
    for (;;) {
        enum wari_status status = wari_analyse(db, &now, &analysis, error);
        if (status != WARI_OK)
            return status;
        if (analysis.count == 0)
            return WARI_OK;
        if (line->count == WARI_LINE_MAX) {
            line->end = WARI_LINE_CUT;
            return WARI_OK;
        }

        const struct wari_move *move = &analysis.moves[0].move;
        int at = line->count++;
        played_from[at] = now;
        line->moves[at].pit = move->pit;
        line->moves[at].opponent = opponent;
        line->moves[at].captured = move->captured;
        if (move->ends)
            return WARI_OK;

        now = move->next;
        opponent = move->again ? opponent : !opponent;
        if (move->captured > 0)
            since = line->count;
        line->repeats_from = find_repetition(played_from, line, since, &now, opponent);
        if (line->repeats_from >= 0) {
            line->end = WARI_LINE_REPEATS;
            return WARI_OK;
        }
    }
}
