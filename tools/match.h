/* What the parts of `wari match` share: who takes part, and what they did. */
#ifndef TOOLS_MATCH_H
#define TOOLS_MATCH_H

#include "play/judge.h"
#include "play/match.h"

enum { MATCH_SIDES = 2 };

/* One side of the match; the two play South by turns. */
struct match_tally {
    char name[WARI_OPPONENT_NAME];
    int games, won, drawn, lost;
    int forfeited; /* of those lost: the engine failed */
    int over;      /* seeds got more than the values of the starts, less what the other got */
    struct wari_judged_side judged;
    int by_loss[2 * WARI_SEEDS_MAX + 1]; /* mistakes that cost so many seeds */
    int moves_at[WARI_SEEDS_MAX + 1];    /* judged moves with so many seeds on the board */
    int mistakes_at[WARI_SEEDS_MAX + 1];
    int faults[WARI_FAULT_COUNT];
    int starts;
    uint64_t nonsense; /* lines not understood */
};

struct match_report {
    struct wari_variant variant;
    int games; /* played, whatever their end */
    struct match_tally tally[MATCH_SIDES];
};

/* Adds what one side did in a game: `side` 0 South, 1 North. */
void match_add_game(struct match_tally *tally, const struct wari_game *game,
                    const struct wari_judgement *judgement, int side,
                    const struct wari_match_result *result);

void match_print_text(const struct match_report *report);
WARI_MUST_CHECK enum wari_status match_print_json(const struct match_report *report,
                                                  struct wari_error *error);

#endif
