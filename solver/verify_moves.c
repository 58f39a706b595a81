/* The moves of a position with their values by the table, and how positions are visited.
 *
 * Moves come from game/, numbers from index/: plain code that makes every move of every position,
 * slow beside the solver's streams and for that reason worth comparing with. A position after a
 * move is always stored (the player who moved has an empty pit), so every value is one look-up.
 */
#include <string.h>

#include "index/half.h"
#include "solver/verify.h"

void wari_verify_moves(const struct wari_verifier *verifier, const struct wari_position *position,
                       struct wari_verify_moves *moves)
{
    struct wari_moves made;
    wari_moves(verifier->verify->variant.rules, position, &made);
    moves->count = made.count;
    moves->best = made.end_value;
    /* First all numbers, then all values: the values come from memory far apart, and so the waits
     * for them overlap. */
    for (int i = 0; i < made.count; i++) {
        const struct wari_move *move = &made.list[i];
        int level = verifier->seeds - move->captured;
        struct wari_verify_move *out = &moves->list[i];
        out->quiet = !move->ends && move->captured == 0;
        out->child = move->ends ? 0 : wari_layout_rank(&verifier->layout[level], &move->next);
        __builtin_prefetch(&verifier->values[level][out->child]);
    }
    for (int i = 0; i < made.count; i++) {
        const struct wari_move *move = &made.list[i];
        struct wari_verify_move *out = &moves->list[i];
        int level = verifier->seeds - move->captured;
        out->value = wari_move_value(move, move->ends ? 0 : verifier->values[level][out->child]);
        if (i == 0 || out->value > moves->best)
            moves->best = out->value;
    }
}

void wari_verify_seek(const struct wari_verifier *verifier, struct wari_verify_cursor *cursor,
                      uint64_t cell)
{
    if (cell < cursor->row_begin || cell >= cursor->row_end) {
        const struct wari_layout *layout = &verifier->layout[verifier->seeds];
        int s = 0;
        while (cell >= layout->block_offset[s + 1])
            s++;
        uint32_t row = (uint32_t)((cell - layout->block_offset[s]) / layout->columns[s]);
        cursor->opponent_seeds = s;
        cursor->row_begin = layout->block_offset[s] + (uint64_t)row * layout->columns[s];
        cursor->row_end = cursor->row_begin + layout->columns[s];
        wari_row_unrank(s, row, cursor->position.pits + WARI_HALF_PITS);
    }
    memcpy(
        cursor->position.pits,
        verifier->halves[verifier->seeds - cursor->opponent_seeds][cell - cursor->row_begin].pits,
        WARI_HALF_PITS);
}
