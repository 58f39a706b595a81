/* Computes the line of best play from a position: a player chooses the moves of both sides,
 * until the game is over or a position repeats. If the value is 0, or a surplus that can be held
 * for ever, moving in cycles is as good as any other play; otherwise player.c ensures progress.
 *
 * Moves depend on the position alone, and lines from different positions soon merge. So the
 * handle remembers moves that were chosen before; a remembered move needs neither values nor a
 * search. */
#include "db/probe/player.h"

#include <string.h>

#include "db/probe/distance.h"
#include "db/probe/handle.h"
#include "index/half.h"

/* A line under construction. */
struct play {
    struct wari_db *db;
    struct wari_variant variant;
    int positions;              /* limit of a search; moves are remembered only if it is
                                 * WARI_DISTANCE_POSITIONS_MAX */
    struct wari_player *player; /* created when it is first needed */
    struct wari_line *line;
    struct wari_position now;
    bool opponent; /* true if the opponent of the side that moved first is to move */
    int since;     /* index of the first move after the last capture; earlier positions cannot
                    * repeat */
    struct wari_position before[WARI_LINE_MAX]; /* [move]: the position before this move */
};

static int for_first(const struct play *play, int worth)
{
    return play->opponent ? -worth : worth;
}

/* Returns the index of the first move that the side to move made from the current position; -1 if
 * there is no such move. */
static int find_repetition(const struct play *play)
{
    for (int i = play->since; i < play->line->count; i++)
        if (play->line->moves[i].opponent == play->opponent &&
            memcmp(&play->before[i], &play->now, sizeof play->now) == 0)
            return i;
    return -1;
}

/* Appends a move. The line must have capacity for it and must not have a repetition yet. */
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

/* Returns the value, for the side that moved first, of repeating the last moves for ever. Under
 * `own` the side's surplus changes during the cycle; the value is the number nearest to 0
 * between the smallest and the largest surplus. */
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

/* Sets *key to the number of the current position among all positions of the database. Returns
 * false if the position has no number, or if moves are not remembered in this line. */
static bool find_key(const struct play *play, uint64_t *key)
{
    const struct wari_db *db = play->db;
    int seeds = wari_seeds(&play->now);
    if (play->positions != WARI_DISTANCE_POSITIONS_MAX ||
        !wari_catalogue_has(&db->catalogue, seeds) || !wari_position_stored(&play->now))
        return false;
    *key = db->first_chunk[seeds] * WARI_CHUNK_POSITIONS +
           wari_layout_rank(&db->layout[seeds], &play->now);
    return true;
}

/* Finds the move that is remembered for key `key`. Returns false if no move is remembered. */
static bool recall(const struct play *play, uint64_t key, struct wari_move *move)
{
    struct wari_moves moves;
    int pit = wari_move_cache_find(play->db->moves, key);
    if (pit < 0)
        return false;
    wari_find_moves(play->variant.rules, &play->now, &moves);
    for (int i = 0; i < moves.count; i++) {
        if (moves.list[i].pit == pit) {
            *move = moves.list[i];
            return true;
        }
    }
    return false;
}

/* Plays a move. Returns true if it is the last move of the line. */
static bool play_on(struct play *play, const struct wari_move *move)
{
    struct wari_line *line = play->line;
    play_move(play, move);
    if (move->ends) {
        line->end = WARI_LINE_SLAM;
        line->rest = for_first(play, move->end_value);
    } else if (line->repeats_from >= 0) {
        line->end = WARI_LINE_REPEATS;
        line->rest = repetition_worth(play);
    }
    return move->ends || line->repeats_from >= 0;
}

static enum wari_status choose(struct play *play, struct wari_choice *choice,
                               struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    if (!play->player)
        status = wari_player_within(&play->player, play->db, play->positions, error);
    if (status == WARI_OK)
        status = wari_player_choose(play->player, &play->now, choice, error);
    return status;
}

static enum wari_status play_all(struct play *play, struct wari_error *error)
{
    struct wari_line *line = play->line;
    for (;;) {
        struct wari_choice choice;
        struct wari_move move;
        uint64_t key = 0;
        bool has_key = find_key(play, &key);
        if (has_key && line->count < WARI_LINE_MAX && recall(play, key, &move)) {
            if (play_on(play, &move))
                return WARI_OK;
            continue;
        }
        enum wari_status status = choose(play, &choice, error);
        if (status != WARI_OK)
            return status;
        if (choice.aim == WARI_AIM_OVER || line->count == WARI_LINE_MAX) {
            line->end = choice.aim == WARI_AIM_OVER ? WARI_LINE_OVER : WARI_LINE_CUT;
            line->rest = for_first(play, choice.analysis.value);
            return WARI_OK;
        }
        move = choice.analysis.moves[choice.move].move;
        if (has_key && choice.aim != WARI_AIM_LOST)
            wari_move_cache_insert(play->db->moves, key, move.pit);
        if (play_on(play, &move))
            return WARI_OK;
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
    wari_player_free(play.player);
    return status;
}

enum wari_status wari_find_line(struct wari_db *db, const struct wari_position *position,
                                struct wari_line *line, struct wari_error *error)
{
    return wari_line_within(db, WARI_DISTANCE_POSITIONS_MAX, position, line, error);
}
