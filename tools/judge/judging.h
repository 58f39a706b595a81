/* What the parts of `wari judge` share: a judged game, and how it is printed. */
#ifndef TOOLS_JUDGE_JUDGING_H
#define TOOLS_JUDGE_JUDGING_H

#include "play/judge.h"
#include "play/record/record.h"
#include "play/review/review.h"

struct judged_game {
    const char *file;
    int number;    /* of the game in its file, from 1, among those that could be read */
    int seeds_max; /* of the database */
    const struct wari_record *record;
    const struct wari_judgement *judgement;
    const struct wari_review *review; /* NULL: nothing was searched */
};

/* South's and North's sums over all games, and both together. */
struct judged_total {
    int games;
    struct wari_judged_side side[2];
    struct wari_judged_side total;
};

void judging_print_text(const struct judged_game *game, bool colour);
void judging_print_total_text(const struct judged_total *total);

/* Each prints a line. */
WARI_MUST_CHECK enum wari_status judging_print_json(const struct judged_game *game,
                                                    struct wari_error *error);
WARI_MUST_CHECK enum wari_status judging_print_total_json(const struct judged_total *total,
                                                          struct wari_error *error);

/* Prints the record as OGN with a comment behind each move that was judged. */
WARI_MUST_CHECK enum wari_status judging_print_annotated(const struct judged_game *game,
                                                         struct wari_record *record,
                                                         struct wari_error *error);

#endif
