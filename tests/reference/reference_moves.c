/* The rules of play, one seed at a time.
 *
 * Every step is done as a player does it at the board: take the seeds of a pit, drop them one by
 * one, check backwards for captures, and look at what is left. Every case is handled, even if it
 * cannot occur in a game, and nothing is computed in advance. */
#include "reference.h"

#include <string.h>

static int row_sum(const unsigned char *row)
{
    int sum = 0;

    for (int i = 0; i < REF_ROW; i++)
        sum += row[i];
    return sum;
}

static void turn_round(const unsigned char board[REF_PITS], unsigned char turned[REF_PITS])
{
    memcpy(turned, board + REF_ROW, REF_ROW);
    memcpy(turned + REF_ROW, board, REF_ROW);
}

/* Sows `pit` on `board` and returns the pit of the last seed. *fed receives the number of seeds
 * that fell into the opponent's row. */
static int sow(unsigned char board[REF_PITS], int pit, int *fed)
{
    int hand = board[pit];
    int at = pit;

    board[pit] = 0;
    *fed = 0;
    while (hand > 0) {
        at = (at + 1) % REF_PITS;
        if (at == pit)
            continue;
        board[at]++;
        hand--;
        if (at >= REF_ROW)
            (*fed)++;
    }
    return at;
}

/* Removes the seeds that a sowing ending in pit `last` captures. Returns their number. */
static int capture(unsigned char board[REF_PITS], int last)
{
    int taken = 0;

    for (int at = last; at >= REF_ROW && (board[at] == 2 || board[at] == 3); at--) {
        taken += board[at];
        board[at] = 0;
    }
    return taken;
}

/* Applies the rule for grand slams to a move whose captures would empty the opponent's row.
 * `sown` is the board after the sowing, `board` the board after the captures, `taken` the number
 * of captured seeds. */
static void grand_slam(int rules, const unsigned char sown[REF_PITS],
                       const unsigned char board[REF_PITS], int taken, struct ref_move *move)
{
    int left = row_sum(board);

    move->slam = 1;
    switch (rules) {
    case REF_AWARI:
    case REF_WARI:
        return;
    case REF_ABAPA:
        turn_round(sown, move->next);
        break;
    case REF_WARRI:
        move->captured = taken;
        move->again = 1;
        memcpy(move->next, board, REF_PITS);
        break;
    case REF_WARE:
        move->ends = 1;
        move->value = -(taken + left);
        break;
    case REF_SLAM_ENDS:
        move->ends = 1;
        move->value = 0;
        break;
    case REF_SLAM_GIVES:
        move->ends = 1;
        move->value = taken - left;
        break;
    case REF_SLAM_WINS:
        move->ends = 1;
        move->value = taken + left;
        break;
    default:
        return;
    }
    move->legal = 1;
}

static void try_pit(int rules, const unsigned char pits[REF_PITS], int pit, struct ref_move *move)
{
    unsigned char sown[REF_PITS];
    unsigned char board[REF_PITS];
    int last, fed, taken;

    memset(move, 0, sizeof *move);
    if (pits[pit] == 0)
        return;
    memcpy(sown, pits, REF_PITS);
    last = sow(sown, pit, &fed);
    if (row_sum(pits + REF_ROW) == 0 && fed == 0)
        return;
    memcpy(board, sown, REF_PITS);
    taken = capture(board, last);
    if (taken > 0 && row_sum(board + REF_ROW) == 0) {
        grand_slam(rules, sown, board, taken, move);
        return;
    }
    move->legal = 1;
    move->captured = taken;
    turn_round(board, move->next);
}

/* Returns the value, for the mover, of a position without a legal move. */
static int value_of_the_end(int rules, const unsigned char pits[REF_PITS])
{
    int own = row_sum(pits);
    int other = row_sum(pits + REF_ROW);

    if (own == 0)
        return -other;
    if (other == 0)
        return own;
    /* Both rows hold seeds, so every move is an illegal slam. */
    return rules == REF_AWARI ? own + other : own - other;
}

int ref_moves(int rules, const unsigned char pits[REF_PITS], struct ref_move moves[REF_ROW],
              int *end_value)
{
    int legal = 0;

    for (int pit = 0; pit < REF_ROW; pit++) {
        try_pit(rules, pits, pit, &moves[pit]);
        legal += moves[pit].legal;
    }
    if (legal == 0)
        *end_value = value_of_the_end(rules, pits);
    return legal;
}

uint64_t ref_perft(int rules, const unsigned char pits[REF_PITS], int depth)
{
    struct ref_move moves[REF_ROW];
    uint64_t sequences = 0;
    int end_value;
    int legal;

    if (depth == 0)
        return 1;
    legal = ref_moves(rules, pits, moves, &end_value);
    if (depth == 1)
        return (uint64_t)legal;
    for (int pit = 0; pit < REF_ROW; pit++)
        if (moves[pit].legal && !moves[pit].ends)
            sequences += ref_perft(rules, moves[pit].next, depth - 1);
    return sequences;
}
