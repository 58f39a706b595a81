/* A game, move by move.
 *
 * Every ply stores the position before its move, so that a new position can be compared with
 * earlier ones. Only the positions since the last capture are compared, because captured seeds
 * never return to the board. Invariant: the seeds on the board and in both stores add up to
 * those of the start, until a grand slam ends the game (in some rule sets neither side gets the
 * remaining seeds). */
#include "play/game.h"

#include <string.h>

#include "index/half.h"

enum { PLIES_AT_FIRST = 64, TIMES_TO_END = 3 };

struct wari_setup wari_game_start_setup(void)
{
    return (struct wari_setup){.position = wari_start_position(), .diagram = true};
}

static bool has_move(const struct wari_game *game)
{
    struct wari_moves moves;
    wari_find_moves(game->variant.rules, &game->now.position, &moves);
    return moves.count > 0;
}

void wari_game_begin(struct wari_game *game, const struct wari_host *host,
                     struct wari_variant variant, const struct wari_setup *start)
{
    *game = (struct wari_game){
        .host = host, .variant = variant, .now = *start, .start = *start, .times = 1};
    game->end = has_move(game) ? WARI_GAME_OPEN : WARI_GAME_NO_MOVE;
}

void wari_game_free(struct wari_game *game)
{
    if (game->plies)
        wari_release(game->host, game->plies);
    game->plies = NULL;
    game->count = game->capacity = 0;
}

/* ---- Repeated positions ---- */

/* Returns the hash value of a position: an index of game->plies, whose `newest` starts the chain
 * of plies with that hash value. */
static int hash_of(const struct wari_game *game, const struct wari_setup *setup)
{
    uint64_t first, last = 0;
    memcpy(&first, setup->position.pits, sizeof first);
    memcpy(&last, setup->position.pits + sizeof first, WARI_PITS - sizeof first);
    last = 2 * last + setup->north_to_move;
    uint64_t mixed = (first ^ last * 0xD6E8FEB86659FD93) * 0x9E3779B97F4A7C15;
    return (int)((mixed >> 32) % (uint64_t)game->capacity);
}

static void add_to_hash(struct wari_game *game, int number)
{
    struct wari_ply *ply = &game->plies[number];
    int *newest = &game->plies[hash_of(game, &ply->before)].newest;
    ply->older = *newest;
    *newest = number;
}

/* Searches the positions since the last capture for the current position. */
static void count_times(struct wari_game *game)
{
    game->times = 1;
    game->first = game->count;
    int i = game->plies[hash_of(game, &game->now)].newest;
    for (; i >= game->since; i = game->plies[i].older) {
        const struct wari_setup *before = &game->plies[i].before;
        if (before->north_to_move != game->now.north_to_move ||
            memcmp(&before->position, &game->now.position, sizeof before->position) != 0)
            continue;
        game->times = game->plies[i].times + 1;
        game->first = game->plies[i].first;
        return;
    }
}

/* ---- Playing ---- */

static enum wari_status reserve_ply(struct wari_game *game, struct wari_error *error)
{
    void *plies;
    if (game->count == WARI_GAME_MOVES_MAX)
        return wari_fail(error, WARI_BAD_INPUT, "a game has at most %d moves", WARI_GAME_MOVES_MAX);
    if (game->count < game->capacity)
        return WARI_OK;
    int capacity = game->capacity ? 2 * game->capacity : PLIES_AT_FIRST;
    enum wari_status status = wari_allocate(game->host, (size_t)capacity * sizeof game->plies[0],
                                            "the moves of a game", &plies, error);
    if (status != WARI_OK)
        return status;
    if (game->count)
        memcpy(plies, game->plies, (size_t)game->count * sizeof game->plies[0]);
    if (game->plies)
        wari_release(game->host, game->plies);
    game->plies = plies;
    game->capacity = capacity;
    for (int i = 0; i < capacity; i++)
        game->plies[i].newest = -1;
    for (int i = game->since; i < game->count; i++)
        add_to_hash(game, i);
    return WARI_OK;
}

/* Fails with the reason why `pit` is not a legal move. */
static enum wari_status explain(const struct wari_game *game, int pit, struct wari_error *error)
{
    const uint8_t *pits = game->now.position.pits;
    char letter = wari_move_letter(pit, game->now.north_to_move);
    if (game->end == WARI_GAME_SLAM || game->end == WARI_GAME_NO_MOVE)
        return wari_fail(error, WARI_BAD_INPUT, "%c cannot be played: the game is over%s", letter,
                         game->end == WARI_GAME_SLAM ? ", a grand slam ended it" : "");
    if (pits[pit] == 0)
        return wari_fail(error, WARI_BAD_INPUT, "%c cannot be played: it is empty", letter);
    if (wari_half_seeds(pits + WARI_HALF_PITS) == 0 && pits[pit] < WARI_HALF_PITS - pit)
        return wari_fail(error, WARI_BAD_INPUT,
                         "%c cannot be played: it would not feed the empty row of the other side",
                         letter);
    return wari_fail(error, WARI_BAD_INPUT,
                     "%c cannot be played: under the rules %s this grand slam is illegal", letter,
                     wari_get_rules_info(game->variant.rules)->name);
}

static void note_end(struct wari_game *game, const struct wari_move *move)
{
    if (move->ends)
        game->end = WARI_GAME_SLAM;
    else if (!has_move(game))
        game->end = WARI_GAME_NO_MOVE;
    else if (game->times >= TIMES_TO_END)
        game->end = WARI_GAME_REPETITION;
    else
        game->end = WARI_GAME_OPEN;
}

static bool find_move(enum wari_rules rules, const struct wari_position *position, int pit,
                      struct wari_move *move)
{
    struct wari_moves moves;
    wari_find_moves(rules, position, &moves);
    for (int i = 0; i < moves.count; i++) {
        if (moves.list[i].pit != pit)
            continue;
        *move = moves.list[i];
        return true;
    }
    return false;
}

/* Finds the move that wari_game_play() allows after the end of a game under `awari`. There, a
 * player whose moves are all grand slams has no legal move, and gets all seeds on the board. In the
 * published tables this player makes one of the slams instead: the slam captures the opponent's
 * row, and since the opponent then has no seeds, the player gets the rest, too. (The sowing and the
 * capture are computed by the rules `warri`, where slams capture.) */
static bool find_last_slam(const struct wari_game *game, int pit, struct wari_move *move)
{
    const struct wari_position *position = &game->now.position;
    const struct wari_rules_info *rules = wari_get_rules_info(game->variant.rules);
    if (game->end != WARI_GAME_NO_MOVE || rules->slam != WARI_SLAM_ILLEGAL ||
        rules->stuck != WARI_STUCK_TAKES_ALL || !find_move(WARI_WARRI, position, pit, move) ||
        !move->again)
        return false;
    const struct wari_position mover = move->next;
    for (int i = 0; i < WARI_PITS; i++)
        move->next.pits[i] = mover.pits[(i + WARI_HALF_PITS) % WARI_PITS];
    move->again = false;
    return true;
}

enum wari_status wari_game_play(struct wari_game *game, int pit, struct wari_error *error)
{
    struct wari_move found;
    const struct wari_move *move = &found;
    struct wari_setup *now = &game->now;

    if (game->end == WARI_GAME_SLAM ||
        (!find_move(game->variant.rules, &now->position, pit, &found) &&
         !find_last_slam(game, pit, &found)))
        return explain(game, pit, error);
    enum wari_status status = reserve_ply(game, error);
    if (status != WARI_OK)
        return status;

    struct wari_ply *ply = &game->plies[game->count];
    ply->before = *now;
    ply->move = *move;
    ply->times = game->times;
    ply->first = game->first;
    add_to_hash(game, game->count++);
    game->since = move->captured > 0 ? game->count : game->since;
    now->stores[now->north_to_move] = (uint8_t)(now->stores[now->north_to_move] + move->captured);
    now->position = move->next;
    now->north_to_move = now->north_to_move == move->again;
    count_times(game);
    note_end(game, move);
    return WARI_OK;
}

enum wari_status wari_game_play_letter(struct wari_game *game, char letter,
                                       struct wari_error *error)
{
    int pit;
    enum wari_status status = wari_move_parse(letter, game->now.north_to_move, &pit, error);
    return status == WARI_OK ? wari_game_play(game, pit, error) : status;
}

/* ---- Repetition ---- */

int wari_game_cycle_pays(const struct wari_game *game, int first)
{
    int least = WARI_SEEDS_MAX, most = -WARI_SEEDS_MAX;
    if (game->variant.cycle == WARI_EVEN)
        return 0;
    for (int i = first; i < game->count; i++) {
        const struct wari_setup *before = &game->plies[i].before;
        const uint8_t *pits = before->position.pits;
        int surplus = wari_half_seeds(pits) - wari_half_seeds(pits + WARI_HALF_PITS);
        if (before->north_to_move)
            surplus = -surplus;
        least = surplus < least ? surplus : least;
        most = surplus > most ? surplus : most;
    }
    return least > 0 ? least : most < 0 ? most : 0;
}

/* ---- Score ---- */

void wari_game_score_at(const struct wari_setup *now, int value, struct wari_score *score)
{
    int north = now->north_to_move;
    int seeds = wari_seeds(&now->position);
    *score = (struct wari_score){.winner = -1};
    score->halves[north] = 2 * now->stores[north] + seeds + value;
    score->halves[!north] = 2 * now->stores[!north] + seeds - value;
    if (score->halves[0] != score->halves[1])
        score->winner = score->halves[0] < score->halves[1];
}

bool wari_game_slam_decides(enum wari_rules rules)
{
    enum wari_slam slam = wari_get_rules_info(rules)->slam;
    return slam == WARI_SLAM_LOSES || slam == WARI_SLAM_WINS_ALL;
}

/* Computes the score after a grand slam that ended the game. */
static void score_slam(const struct wari_game *game, struct wari_score *score)
{
    const struct wari_ply *last = &game->plies[game->count - 1];
    enum wari_slam slam = wari_get_rules_info(game->variant.rules)->slam;

    wari_game_score_at(&last->before, last->move.end_value, score);
    if (slam == WARI_SLAM_DRAWS) {
        score->nobody = wari_seeds(&last->before.position);
        score->halves[0] -= score->nobody;
        score->halves[1] -= score->nobody;
    } else if (wari_game_slam_decides(game->variant.rules)) {
        bool slammer_wins = slam == WARI_SLAM_WINS_ALL;
        score->winner = last->before.north_to_move == slammer_wins;
        score->by_slam = true;
    }
}

bool wari_game_score(const struct wari_game *game, struct wari_score *score)
{
    struct wari_moves moves;
    int pays;
    switch (game->end) {
    case WARI_GAME_OPEN:
        return false;
    case WARI_GAME_NO_MOVE:
        wari_find_moves(game->variant.rules, &game->now.position, &moves);
        wari_game_score_at(&game->now, moves.end_value, score);
        break;
    case WARI_GAME_SLAM:
        score_slam(game, score);
        break;
    case WARI_GAME_REPETITION:
        pays = wari_game_cycle_pays(game, game->first);
        wari_game_score_at(&game->now, game->now.north_to_move ? -pays : pays, score);
        break;
    }
    return true;
}
