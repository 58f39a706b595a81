/* Sums over the games of each player. Players change sides between games, so sums for South and
 * North do not say who played well. */
#ifndef TOOLS_JUDGE_PLAYERS_H
#define TOOLS_JUDGE_PLAYERS_H

#include "play/judge.h"
#include "play/record/record.h"
#include "play/review/review.h"

struct player {
    char *name; /* as written in the tags */
    int games;  /* number of games; a game against oneself counts twice */
    struct wari_judged_side side;
    struct wari_reviewed_side review; /* sums over the games that were reviewed by a search */
};

/* All players in the order of their first games. A zeroed struct has no players. */
struct players {
    void *tree; /* search tree of the players by name, of tsearch() */
    struct player **list;
    size_t count, capacity;
};

/* Returns the name of a side according to the tags South and North, or P1 and P2 as PlayStrategy
 * writes them; NULL if the name is missing, empty, "?" or "-". */
const char *player_name(const struct wari_record *record, bool north);

/* Adds a judged game to the sums of each of its players whose name is known. `review` may be NULL.
 */
WARI_MUST_CHECK enum wari_status players_add(struct players *players,
                                             const struct wari_record *record,
                                             const struct wari_judgement *judgement,
                                             const struct wari_review *review,
                                             struct wari_error *error);
void players_free(struct players *players);

#endif
