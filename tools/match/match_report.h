/* What comes of a match: who took part, and what they did. */
#ifndef TOOLS_MATCH_MATCH_REPORT_H
#define TOOLS_MATCH_MATCH_REPORT_H

#include <stdio.h>

#include "play/engine/elo.h"
#include "play/engine/match.h"
#include "play/judge.h"

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
    int games;     /* played, whatever their end */
    bool strength; /* the pairs and the test are told, too */
    int pairs[WARI_ELO_PAIR_RESULTS];
    int half_pair,
        half_points; /* a pair that is half played, from 1, and what the first engine has */
    struct wari_elo_test test; /* elo1 is elo0: there is none */
    struct match_tally tally[MATCH_SIDES];
};

/* Adds what one side did in a game: `side` 0 South, 1 North. */
void match_add_game(struct match_tally *tally, const struct wari_game *game,
                    const struct wari_judgement *judgement, int side,
                    const struct wari_match_result *result);

/* Adds game number `number`, from 0, to the pairs, of which the first engine is South in the first
 * game. A pair counts when the one game follows the other. */
void match_add_to_pair(struct match_report *report, int number, const struct wari_game *game,
                       const struct wari_match_result *result);

/* Whether there is a test, and it has come to an end. */
bool match_is_decided(const struct match_report *report);

void match_print_text(const struct match_report *report, FILE *to);
WARI_MUST_CHECK enum wari_status match_print_json(const struct match_report *report,
                                                  struct wari_error *error);

#endif
