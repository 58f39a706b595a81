/* A judged game, and functions that print it. */
#ifndef TOOLS_JUDGE_JUDGED_GAME_H
#define TOOLS_JUDGE_JUDGED_GAME_H

#include "play/judge.h"
#include "play/record/record.h"
#include "play/review/review.h"
#include "tools/judge/players.h"

/* Limits of each search. If `movetime` and `depth` are both 0, nothing is searched. */
struct judged_search {
    int movetime; /* milliseconds; 0 means no limit */
    int depth;    /* moves; 0 means no limit */
    int threads;  /* 0 means 1 */
};

struct judged_game {
    const char *file;
    int number; /* number of the game in its file, starting with 1, among those that could be read
                 */
    int seeds_max; /* maximum number of seeds in the database; -1 without a database */
    const struct wari_record *record;
    const struct wari_judgement *judgement;
    const struct wari_review *review; /* NULL if nothing was searched */
    const struct judged_search *search;
};

/* Sums over all games: South's, North's, both together, and those of each player. */
struct judged_total {
    int games;
    bool has_database; /* moves were judged by a database: `side` and `total` are filled in */
    bool has_reviews;  /* moves were judged by searches: `review` is filled in */
    struct judged_search search;
    struct wari_judged_side side[2];
    struct wari_judged_side total;
    struct wari_reviewed_side review[2];
    struct players players;
};

/* Sentences about the end of a game for a report, without a newline. */
struct judged_end {
    char repetition[160]; /* empty if the final position has not occurred before */
    char repeating[160];  /* says what the repetition costs a side, or that this is not known; empty
                           * if `repetition` is empty */
    bool costs;           /* true if the repetition is known to cost a side seeds */
    char result[160];
};

void judged_game_end(const struct judged_game *game, struct judged_end *end);

enum { SCORE_TEXT = 40 };

/* Writes a score such as "25.5-22.5", and returns `text`. */
const char *judged_score_text(const struct wari_score *score, char text[SCORE_TEXT]);

void judged_game_print_text(const struct judged_game *game, bool colour);
void judged_game_print_total_text(const struct judged_total *total);

/* The next two functions print one line of JSON each. */
WARI_MUST_CHECK enum wari_status judged_game_print_json(const struct judged_game *game,
                                                        struct wari_error *error);
WARI_MUST_CHECK enum wari_status judged_game_print_total_json(const struct judged_total *total,
                                                              struct wari_error *error);

/* Prints the record as OGN with a comment after each judged move. */
WARI_MUST_CHECK enum wari_status judged_game_print_annotated(const struct judged_game *game,
                                                             struct wari_record *record,
                                                             struct wari_error *error);

#endif
