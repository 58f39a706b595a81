/* The report of a match: statistics of both sides, as a table or as JSON. */
#ifndef TOOLS_MATCH_MATCH_REPORT_H
#define TOOLS_MATCH_MATCH_REPORT_H

#include <stdio.h>

#include "play/engine/elo.h"
#include "play/engine/match.h"
#include "play/judge.h"

enum { MATCH_SIDES = 2 };

/* Statistics of one side of the match. The sides alternate in playing South. */
struct match_statistics {
    char name[WARI_OPPONENT_NAME];
    int games, won, drawn, lost;
    int forfeited; /* number of lost games in which the engine failed */
    int over; /* sum over the games: seeds won minus seeds the opponent won, minus the value of the
                 start position for this side */
    struct wari_judged_side judged;
    int by_loss[2 * WARI_SEEDS_MAX + 1]; /* by_loss[n]: number of mistakes that cost n seeds */
    /* moves_at[n]: number of judged moves with n seeds on the board. */
    int moves_at[WARI_SEEDS_MAX + 1];
    int mistakes_at[WARI_SEEDS_MAX + 1];
    int faults[WARI_FAULT_COUNT];
    int starts;
    uint64_t nonsense; /* number of lines from the engine that were not understood */
};

struct match_report {
    struct wari_variant variant;
    int games;     /* number of games played, however they ended */
    bool strength; /* also report pairs and the test */
    int pairs[WARI_ELO_PAIR_RESULTS];
    int half_pair, half_points; /* number, starting with 1, of a pair of which only the first game
                                   was played, and the half points of the first engine in it */
    struct wari_elo_test test;  /* there is no test if elo1 equals elo0 */
    struct match_statistics statistics[MATCH_SIDES];
};

/* Adds the results of one side of a game; `side` is 0 for South, 1 for North. */
void match_add_game(struct match_statistics *statistics, const struct wari_game *game,
                    const struct wari_judgement *judgement, int side,
                    const struct wari_match_result *result);

/* Adds game number `number`, starting with 0, to the pairs. The first engine is South in the
 * first game of a pair. A pair counts only if its second game is added right after its first. */
void match_add_to_pair(struct match_report *report, int number, const struct wari_game *game,
                       const struct wari_match_result *result);

/* Returns true if there is a test and it is decided. */
bool match_is_decided(const struct match_report *report);

void match_print_text(const struct match_report *report, FILE *to);
WARI_MUST_CHECK enum wari_status match_print_json(const struct match_report *report,
                                                  struct wari_error *error);

#endif
