/* Counts move sequences, to compare move generators: if two programs agree on these numbers from
 * many positions, they agree on the rules.
 *
 * The recursion is `depth` levels deep. Running time keeps this number small.
 */
#include "game/wari_game.h"

uint64_t wari_perft(enum wari_rules rules, const struct wari_position *position, int depth)
{
    if (depth <= 0)
        return 1;

    struct wari_moves moves;
    wari_find_moves(rules, position, &moves);
    if (depth == 1)
        return (uint64_t)moves.count;

    uint64_t sequences = 0;
    for (int i = 0; i < moves.count; i++)
        if (!moves.list[i].ends)
            sequences += wari_perft(rules, &moves.list[i].next, depth - 1);
    return sequences;
}
