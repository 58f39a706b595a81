/* Legal moves: sowing, capture, grand slams, feeding and the end of the game.
 *
 * Searches and proofs call this very often, so each move is made once, on one local board, and
 * copied into the list as the next player sees it. Whether the move is legal is decided from its
 * result; no move is tried beforehand. The code follows the rules literally, one seed at a time,
 * and shares nothing with the solver's tables, which are tested against it.
 *
 * Invariant: the seeds on the board before a move equal the captured seeds plus the seeds on the
 * board after it. The only exception is a move that ends the game: its board keeps the seeds that
 * nobody collects.
 */
#include <string.h>

#include "game/wari_game.h"

enum { OPPONENT = WARI_HALF_PITS }; /* the opponent's first pit */

static int half_seeds(const uint8_t pits[WARI_HALF_PITS])
{
    return pits[0] + pits[1] + pits[2] + pits[3] + pits[4] + pits[5];
}

/* Sows `pit` and returns the pit of the last seed. The pit of origin is skipped on every lap. */
static int sow(uint8_t board[WARI_PITS], int pit)
{
    int last = pit;
    int seeds = board[pit];

    board[pit] = 0;
    while (seeds > 0) {
        last = last == WARI_PITS - 1 ? 0 : last + 1;
        if (last == pit)
            continue;
        board[last]++;
        seeds--;
    }
    return last;
}

/* Returns the first of the pits that a sowing with its last seed in `last` captures, or last + 1 if
 * it captures nothing. */
static int capture_run(const uint8_t board[WARI_PITS], int last)
{
    int first = last + 1;
    while (first > OPPONENT && (board[first - 1] == 2 || board[first - 1] == 3))
        first--;
    return first;
}

/* Applies the rule for grand slams to `move`, which would capture `captured` of the `seeds` on the
 * board. Returns false if the move is illegal. Otherwise sets *takes to true if the captured seeds
 * leave the board, and to false if they remain on the board. */
static bool judge_slam(enum wari_slam slam, int seeds, int captured, struct wari_move *move,
                       bool *takes)
{
    *takes = false;
    switch (slam) {
    case WARI_SLAM_ILLEGAL:
        return false;
    case WARI_SLAM_NO_CAPTURE:
        return true;
    case WARI_SLAM_MOVES_AGAIN:
        *takes = true;
        move->again = true;
        return true;
    case WARI_SLAM_LOSES:
        move->end_value = (int8_t)-seeds;
        break;
    case WARI_SLAM_DRAWS:
        move->end_value = 0;
        break;
    case WARI_SLAM_GIVES_REST:
        move->end_value = (int8_t)(captured - (seeds - captured));
        break;
    case WARI_SLAM_WINS_ALL:
        move->end_value = (int8_t)seeds;
        break;
    }
    move->ends = true;
    return true;
}

/* Plays `pit`, which holds seeds, and fills in *move. `seeds` is the number of seeds on the board.
 * Returns false if the move is a grand slam that may not be played. */
static bool play(enum wari_slam slam, const struct wari_position *position, int seeds, int pit,
                 struct wari_move *move)
{
    uint8_t board[WARI_PITS];
    memcpy(board, position->pits, sizeof board);
    move->pit = (uint8_t)pit;
    move->captured = 0;
    move->ends = false;
    move->again = false;
    move->end_value = 0;

    int last = sow(board, pit);
    int first = last >= OPPONENT ? capture_run(board, last) : last + 1;
    if (first <= last) {
        int captured = 0;
        for (int taken = first; taken <= last; taken++)
            captured += board[taken];
        bool takes = true;
        if (captured == half_seeds(board + OPPONENT) &&
            !judge_slam(slam, seeds, captured, move, &takes))
            return false;
        if (takes) {
            move->captured = (uint8_t)captured;
            memset(board + first, 0, (size_t)(last - first + 1));
        }
    }

    /* Index of the first pit of the player to move next, which is the first pit of `next`. */
    int mover = move->again ? 0 : OPPONENT;
    memcpy(move->next.pits, board + mover, WARI_HALF_PITS);
    memcpy(move->next.pits + OPPONENT, board + OPPONENT - mover, WARI_HALF_PITS);
    return true;
}

/* Returns the value of a position without a legal move. If the mover has no seeds, the opponent
 * gets all seeds. If the opponent has none, the mover cannot feed the opponent and gets all seeds.
 * If both have seeds, every move is an illegal grand slam, and `stuck` says who gets the seeds.
 */
static int value_of_end(enum wari_stuck stuck, int own, int opponent)
{
    if (own == 0)
        return -opponent;
    if (opponent == 0)
        return own;
    return stuck == WARI_STUCK_TAKES_ALL ? own + opponent : own - opponent;
}

void wari_find_moves(enum wari_rules rules, const struct wari_position *position,
                     struct wari_moves *moves)
{
    const struct wari_rules_info *info = wari_get_rules_info(rules);
    int own = half_seeds(position->pits);
    int opponent = half_seeds(position->pits + OPPONENT);

    moves->count = 0;
    moves->end_value = 0;
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        int seeds = position->pits[pit];
        if (seeds == 0)
            continue;
        if (opponent == 0 && pit + seeds < OPPONENT)
            continue; /* does not feed an opponent who has no seeds */
        if (play(info->slam, position, own + opponent, pit, &moves->list[moves->count]))
            moves->count++;
    }
    if (moves->count == 0)
        moves->end_value = value_of_end(info->stuck, own, opponent);
}

int wari_move_value(const struct wari_move *move, int next_value)
{
    if (move->ends)
        return move->end_value;
    return move->again ? move->captured + next_value : move->captured - next_value;
}
