/* The line of best play from a position.
 *
 * Any best moves keep the value, but not all of them bring it in: a side that is ahead may walk in
 * circles with them for ever. So the line takes the shortest way from one event, a capture or the
 * end, to the next; line_search.c finds it. Where the value is 0, or a surplus that is held for
 * ever, the first best moves will do: going in circles is then as good as anything else.
 */
#include <string.h>

#include "db/handle.h"
#include "db/line_search.h"
#include "index/half.h"

/* A line in the making. */
struct play {
    struct wari_db *db;
    struct wari_variant variant;
    int positions;                   /* for a search */
    struct wari_line_search *search; /* NULL until one is needed */
    struct wari_line *line;
    struct wari_position now;
    bool opponent; /* of the side to move first is to move now */
    int since;     /* where to look for repetitions: after the last capture */
    struct wari_position before[WARI_LINE_MAX]; /* each move */
};

static int for_first(const struct play *play, int worth)
{
    return play->opponent ? -worth : worth;
}

/* The first move that was played from the position at hand by the side to move; -1 if none. */
static int find_repetition(const struct play *play)
{
    for (int i = play->since; i < play->line->count; i++)
        if (play->line->moves[i].opponent == play->opponent &&
            memcmp(&play->before[i], &play->now, sizeof play->now) == 0)
            return i;
    return -1;
}

/* There is room for the move, and no repetition yet. */
static void play_move(struct play *play, const struct wari_move *move)
{
    struct wari_line *line = play->line;
    int at = line->count++;
    play->before[at] = play->now;
    line->moves[at].pit = move->pit;
    line->moves[at].opponent = play->opponent;
    line->moves[at].captured = move->captured;
    if (move->ends)
        return;
    play->now = move->next;
    play->opponent = move->again ? play->opponent : !play->opponent;
    if (move->captured > 0)
        play->since = line->count;
    line->repeats_from = find_repetition(play);
}

/* What it is worth to the side to move first that the last moves repeat for ever: under `own` the
 * number nearest to 0 between its smallest and its largest surplus. */
static int repetition_worth(const struct play *play)
{
    int least = WARI_SEEDS_MAX, most = -WARI_SEEDS_MAX;
    if (play->variant.cycle == WARI_EVEN)
        return 0;
    for (int i = play->line->repeats_from; i < play->line->count; i++) {
        const uint8_t *pits = play->before[i].pits;
        int surplus = wari_half_seeds(pits) - wari_half_seeds(pits + WARI_HALF_PITS);
        if (play->line->moves[i].opponent)
            surplus = -surplus;
        least = surplus < least ? surplus : least;
        most = surplus > most ? surplus : most;
    }
    return least > 0 ? least : most < 0 ? most : 0;
}

/* Plays the first best moves until something can happen, a position repeats or the line is full. */
static enum wari_status play_first_moves(struct play *play, struct wari_error *error)
{
    while (play->line->count < WARI_LINE_MAX && play->line->repeats_from < 0) {
        struct wari_analysis analysis;
        enum wari_status status = wari_analyse(play->db, &play->now, &analysis, error);
        if (status != WARI_OK)
            return status;
        if (analysis.count == 0 || wari_line_event(play->variant.rules, &analysis) >= 0)
            return WARI_OK;
        int first = 0;
        while (analysis.moves[first].move.ends) /* a slam that loses, and can be avoided */
            first++;
        play_move(play, &analysis.moves[first].move);
    }
    return WARI_OK;
}

static void play_way(struct play *play, const uint8_t *pits, int length)
{
    for (int i = 0; i < length && play->line->count < WARI_LINE_MAX; i++) {
        struct wari_moves moves;
        int k = 0;
        wari_moves(play->variant.rules, &play->now, &moves);
        while (moves.list[k].pit != pits[i])
            k++;
        play_move(play, &moves.list[k]);
    }
}

/* From a position worth `value` whose best moves are quiet, plays up to one where something can
 * happen, into a repetition or until the line is full. */
static enum wari_status play_quiet_moves(struct play *play, int value, struct wari_error *error)
{
    const uint8_t *pits;
    int length;
    enum wari_status status = WARI_OK;

    if (value == 0)
        return play_first_moves(play, error);
    if (!play->search)
        status = wari_line_search_new(&play->search, play->db, error);
    if (status == WARI_OK)
        status = wari_line_search(play->search, play->db, play->positions, &play->now, &pits,
                                  &length, error);
    if (status != WARI_OK)
        return status;
    if (length == 0)
        return play_first_moves(play, error);
    play_way(play, pits, length);
    return WARI_OK;
}

static enum wari_status play_all(struct play *play, struct wari_error *error)
{
    struct wari_line *line = play->line;
    for (;;) {
        struct wari_analysis analysis;
        enum wari_status status = wari_analyse(play->db, &play->now, &analysis, error);
        if (status != WARI_OK)
            return status;
        if (analysis.count == 0 || line->count == WARI_LINE_MAX) {
            line->end = analysis.count == 0 ? WARI_LINE_OVER : WARI_LINE_CUT;
            line->rest = for_first(play, analysis.value);
            return WARI_OK;
        }

        int event = wari_line_event(play->variant.rules, &analysis);
        if (event >= 0) {
            const struct wari_move *move = &analysis.moves[event].move;
            play_move(play, move);
            if (move->ends) {
                line->end = WARI_LINE_SLAM;
                line->rest = for_first(play, move->end_value);
                return WARI_OK;
            }
            continue;
        }

        status = play_quiet_moves(play, analysis.value, error);
        if (status != WARI_OK)
            return status;
        if (line->repeats_from >= 0) {
            line->end = WARI_LINE_REPEATS;
            line->rest = repetition_worth(play);
            return WARI_OK;
        }
    }
}

enum wari_status wari_line_within(struct wari_db *db, int positions,
                                  const struct wari_position *position, struct wari_line *line,
                                  struct wari_error *error)
{
    struct play play = {
        .db = db,
        .variant = db->catalogue.variant,
        .positions = positions,
        .line = line,
        .now = *position,
    };
    line->count = 0;
    line->repeats_from = -1;
    enum wari_status status = play_all(&play, error);
    wari_line_search_free(play.search, db);
    return status;
}

enum wari_status wari_line(struct wari_db *db, const struct wari_position *position,
                           struct wari_line *line, struct wari_error *error)
{
    return wari_line_within(db, WARI_LINE_SEARCH_MAX, position, line, error);
}
