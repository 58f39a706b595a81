/* The moves of a position, values apart. */
#ifndef ANSWER_MOVES_JSON_H
#define ANSWER_MOVES_JSON_H

#include "answer/json.h"
#include "game/wari_game.h"

/* The moves that the rules allow, values apart: "moves" in the order A..F, each with "move" (its
 * letter), "captured", "sown" (the pits into which its seeds fall, one after the other), "taken"
 * (the pits it empties by capture), "next" (the position after it, seen by the side that moves
 * next; where the move ends the game, by the opponent), "again" and, where it ends the game,
 * "ends". Pits are numbered 0..11 for A..F a..f of the mover. "refused" lists the mover's other
 * pits that hold seeds, each with "move" and "why": "feed" (the opponent has no seeds, and this
 * gives none) or "slam" (it would capture all the opponent has, which these rules forbid). Where
 * there is no move, "end". "end" and "ends" say how the seeds on the board are shared: "mover",
 * "opponent", "nobody", and "winner" where a slam decides the game whatever the score. NULL if
 * memory runs out. */
json_t *answer_moves_json(enum wari_rules rules, const struct wari_setup *setup);

#endif
