/* A game of a match that was played, whatever its end.
 */
#ifndef TOOLS_MATCH_PLAYED_GAME_H
#define TOOLS_MATCH_PLAYED_GAME_H

#include "play/engine/match.h"
#include "play/record/record.h"
#include "tools/match/match_report.h"

struct played_game {
    int number;                      /* from 0 */
    struct wari_record record;       /* without tags */
    struct wari_match_result result; /* interrupted only while it is being played */
    char names[MATCH_SIDES]
              [WARI_OPPONENT_NAME];     /* of the engines, in the order they were given in */
    char fault_text[WARI_FAULT_DETAIL]; /* what the fault was; "" if it is from a file */
};

#endif
