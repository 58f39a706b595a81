/* What the parts of `wari query` share: an answer, and how it is printed. */
#ifndef TOOLS_QUERY_H
#define TOOLS_QUERY_H

#include "db/wari.h"
#include "tools/lines.h"

/* What a line of play comes to. "Mover" is the side to move in the first position. */
struct line_facts {
    bool slam;             /* the last move is a slam that ends the game */
    bool slam_by_opponent; /* of the mover */
    int seeds_left;        /* on the board at the end; with `slam`, before it */
    int last_share;        /* of these, what the mover takes minus what his opponent takes */
    int worth;             /* to the mover: captures along the line and its end */
};

/* The final score of a game whose stores are known, with best play. */
enum winner { WINNER_NOBODY, WINNER_SOUTH, WINNER_NORTH };

struct result {
    int halves[2]; /* South's and North's seeds, in half seeds: endless play may split one */
    int nobody;    /* seeds that count for nobody (`slam-ends`) */
    enum winner winner;
    bool by_slam; /* a slam decides, whatever the score */
};

struct answer {
    struct wari_setup setup;
    struct wari_variant variant;
    struct wari_analysis analysis;
    struct wari_line line;
    struct line_facts facts;
    struct result result; /* meaningful for a diagram */
};

/* Looks everything up. Fails like wari_probe(). */
WARI_MUST_CHECK enum wari_status answer_find(struct wari_db *db, const struct wari_setup *setup,
                                             struct answer *answer, struct wari_error *error);

void answer_print_text(const struct answer *answer);
WARI_MUST_CHECK enum wari_status answer_print_json(const struct answer *answer,
                                                   struct wari_error *error);

/* How many lines could not be answered, and whose fault it was. */
struct query_count {
    uint64_t bad;
    uint64_t uncovered;
};

/* Reads the position in a line of input. Blank lines and lines that start with '#' hold none:
 * *present is false. WARI_BAD_INPUT as wari_setup_parse(). */
WARI_MUST_CHECK enum wari_status query_read(const struct line *line, struct wari_setup *setup,
                                            bool *present, struct wari_error *error);

/* If `status` only says that this position has no answer, reports it with its number, counts it and
 * returns WARI_OK; any other failure is returned. `what` is "line" or "position". */
WARI_MUST_CHECK enum wari_status query_forgive(enum wari_status status, const char *what,
                                               uint64_t number, const struct wari_error *reason,
                                               struct query_count *count, struct wari_error *error);

/* Answers all lines with their value alone, "?" where there is none. */
WARI_MUST_CHECK enum wari_status query_values(struct wari_db *db, struct line_reader *reader,
                                              struct query_count *count, struct wari_error *error);

#endif
