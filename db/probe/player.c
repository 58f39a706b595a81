/* Perfect play: chooses a move that keeps the value and makes progress.
 *
 * A value k says what a side, X, can force, but not how. What X must do depends on the sign of k
 * and on the cycle rule:
 *
 *     - k > 0, both cycle rules: X would gain less by endless play, so X forces progress: a
 *       capture, the end of the game or a better value (EVENT). There is one exception, under
 *       `own`: if k is a surplus that X can hold for ever, X goes to a region where this is
 *       possible, and stays there (HOLD).
 *     - k <= 0, `own`: X's opponent could hold a surplus of more than -k for ever, unless the
 *       surplus of X's own row returns to at least k again and again. When it is below k, X
 *       restores it (ROW). The value guarantees that X can force this, and
 *       can force it again later.
 *     - k <= 0, `even`: X has nothing to do, because endless play is worth 0 to X.
 *
 * Every choice depends on the position alone. So whatever the opponent does, a position that occurs
 * again closes a cycle that could be repeated for ever, and X's play in this cycle is worth at
 * least k. Therefore X loses nothing if the game ends there, by the third repetition or any other
 * rule, and is scored by the cycle rule. No cycle contains a capture or a better value, since
 * captures and better values are never undone.
 *
 * If the value is negative for a side and the side has nothing to force, it delays the opponent's
 * progress as long as it can (DELAY). This costs nothing, and the opponent may make mistakes. */
#include "db/probe/player.h"

#include "db/probe/distance.h"
#include "db/probe/handle.h"
#include "index/half.h"

struct wari_player {
    struct wari_db *db;
    /* Two searches with separate graphs, because a game may need both in turn. */
    struct wari_distance_search *event, *row;
};

enum wari_status wari_player_within(struct wari_player **player, struct wari_db *db, int positions,
                                    struct wari_error *error)
{
    void *memory;
    *player = NULL;
    enum wari_status status = wari_allocate(db->host, sizeof **player, "a player", &memory, error);
    if (status != WARI_OK)
        return status;
    *player = memory;
    **player = (struct wari_player){.db = db};
    status = wari_distance_search_new(&(*player)->event, db, positions, error);
    if (status == WARI_OK && db->catalogue.variant.cycle == WARI_OWN)
        status = wari_distance_search_new(&(*player)->row, db, positions, error);
    if (status != WARI_OK) {
        wari_player_free(*player);
        *player = NULL;
    }
    return status;
}

enum wari_status wari_player_new(struct wari_player **player, struct wari_db *db,
                                 struct wari_error *error)
{
    return wari_player_within(player, db, WARI_DISTANCE_POSITIONS_MAX, error);
}

void wari_player_free(struct wari_player *player)
{
    if (!player)
        return;
    const struct wari_host *host = player->db->host;
    wari_distance_search_free(player->event);
    wari_distance_search_free(player->row);
    wari_release(host, player);
}

void wari_player_stop_at(struct wari_player *player, const atomic_bool *stop)
{
    player->event->stop = stop;
    if (player->row)
        player->row->stop = stop;
}

static void set_choice(struct wari_choice *choice, int pit, enum wari_aim aim, int distance)
{
    for (int i = 0; i < choice->analysis.count; i++)
        if (choice->analysis.moves[i].move.pit == pit)
            choice->move = i;
    choice->aim = aim;
    choice->distance = distance;
}

/* Chooses the first quiet best move. Called only if wari_event_move() has found no move. Then some
 * best move is quiet, and all best moves before it are grand slams that lose the game. */
static void set_any(struct wari_choice *choice, enum wari_aim aim)
{
    choice->move = 0;
    while (choice->analysis.moves[choice->move].move.ends)
        choice->move++;
    choice->aim = aim;
    choice->distance = 0;
}

static enum wari_status choose_ahead(struct wari_player *player,
                                     const struct wari_position *position,
                                     struct wari_choice *choice, struct wari_error *error)
{
    const struct wari_distance_query query = {position, true, choice->analysis.value,
                                              WARI_PROGRESS_EVENT};
    struct wari_distance found;
    enum wari_status status = wari_distance_find(player->event, &query, &found, error);
    if (status != WARI_OK)
        return status;
    if (found.pit >= 0)
        set_choice(choice, found.pit, WARI_AIM_FORCE, found.distance);
    else if (found.hold_pit >= 0)
        set_choice(choice, found.hold_pit, WARI_AIM_HOLD, 0);
    else
        set_any(choice, WARI_AIM_LOST);
    return WARI_OK;
}

static enum wari_status choose_behind(struct wari_player *player,
                                      const struct wari_position *position,
                                      struct wari_choice *choice, struct wari_error *error)
{
    struct wari_distance found;
    enum wari_status status;
    const int value = choice->analysis.value;
    const struct wari_distance_query row = {position, true, value, WARI_PROGRESS_ROW};
    const struct wari_distance_query event = {position, false, -value, WARI_PROGRESS_EVENT};
    const int surplus =
        wari_half_seeds(position->pits) - wari_half_seeds(position->pits + WARI_HALF_PITS);
    if (player->row && surplus < value) {
        status = wari_distance_find(player->row, &row, &found, error);
        if (status == WARI_OK && found.pit >= 0)
            set_choice(choice, found.pit, WARI_AIM_ROW, found.distance);
        else if (status == WARI_OK)
            set_any(choice, WARI_AIM_LOST);
        return status;
    }
    set_any(choice, WARI_AIM_NONE);
    if (value == 0)
        return WARI_OK;
    status = wari_distance_find(player->event, &event, &found, error);
    if (status == WARI_OK && found.pit >= 0)
        set_choice(choice, found.pit, WARI_AIM_DELAY, found.distance);
    return status;
}

enum wari_status wari_player_choose(struct wari_player *player,
                                    const struct wari_position *position,
                                    struct wari_choice *choice, struct wari_error *error)
{
    enum wari_status status = wari_analyse(player->db, position, &choice->analysis, error);
    if (status != WARI_OK)
        return status;
    choice->move = 0;
    choice->distance = 0;
    choice->aim = WARI_AIM_OVER;
    if (choice->analysis.count == 0)
        return WARI_OK;
    choice->aim = WARI_AIM_EVENT;
    choice->move = wari_event_move(player->db->catalogue.variant.rules, &choice->analysis);
    if (choice->move >= 0)
        return WARI_OK;
    return choice->analysis.value > 0 ? choose_ahead(player, position, choice, error)
                                      : choose_behind(player, position, choice, error);
}
