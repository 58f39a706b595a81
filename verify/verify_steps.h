/* The steps of a proof, in the order in which wari_verify() runs them. verify.h says what (a), (b)
 * and (c) prove. */
#ifndef VERIFY_VERIFY_STEPS_H
#define VERIFY_VERIFY_STEPS_H

#include "verify/verify.h"
#include "verify/verify_level.h"
#include "verify/verify_pass.h"

/* (a), first step: enters the value of every capture into the current level, from the lower
 * levels. Leaves out grand slams. */
WARI_MUST_CHECK enum wari_status wari_verify_captures(struct wari_verify_level *level);

/* (a), second step: enters the value of every end of the game, of every grand slam that ends the
 * game, and of every grand slam after which the same player moves again. */
WARI_MUST_CHECK enum wari_status wari_verify_ends(struct wari_verify_level *level);

/* (a), third step: checks the quiet moves and counts. The first two steps must be complete. Adds
 * every position whose value is not the best of its moves to the differences, with `expected` =
 * 0. Counts all placements, including the full ones, and compares the counts with the catalogue;
 * if they differ, writes a description into `text`, a buffer of `size` bytes, unless `text` already
 * has a description. Afterwards the
 * marked positions are those that still need a proof: their value is not 0 and is not a positive
 * value that a capture or an end attains. In full mode, level->reached contains the positions to
 * which a quiet move leads from a marked position whose value it attains. */
WARI_MUST_CHECK enum wari_status wari_verify_moves(struct wari_verify_level *level,
                                                   struct wari_verify_differences *found,
                                                   char *text, size_t size);

/* (b), first step: considers only moves that attain the value of the position before the move, and
 * removes the mark of every position that is shown not to be on a cycle of such moves. Requires
 * that the marks and level->reached are as wari_verify_moves() left them. Every value of the level
 * is grounded if wari_verify_grounding() can then prove the positions that are still marked. */
WARI_MUST_CHECK enum wari_status wari_verify_cycles(struct wari_verify_level *level);

/* (b): proves that every value other than 0 can be forced. Requires that (a) found no difference.
 * Adds the positions whose value cannot be forced to the differences; these positions are still
 * marked at the end. */
WARI_MUST_CHECK enum wari_status wari_verify_grounding(struct wari_verify_level *level,
                                                       struct wari_verify_differences *found);

/* (c), `own` cycles only: proves that no surplus beyond the values of the table can be held for
 * ever. Requires that (a) and (b) found no difference. Adds the positions where a larger surplus
 * can be held to the differences, with that surplus as `expected`. */
WARI_MUST_CHECK enum wari_status wari_verify_upper(struct wari_verify_level *level,
                                                   struct wari_verify_differences *found);

/* Short proof of (c), which is tried before wari_verify_upper(). Starts with the positions of
 * level->candidates, removes positions by the rules that verify_cycles.c explains, and sets *left
 * to the number of positions that remain. If *left is 0, (c) is proved; otherwise
 * wari_verify_upper() has to find out which values are wrong. Requires level->candidates, and that
 * (a) and (b) found no difference. */
WARI_MUST_CHECK enum wari_status wari_verify_surplus_cycles(struct wari_verify_level *level,
                                                            uint64_t *left);

/* (a) for random positions of every level in the catalogue, probed from `db`. */
WARI_MUST_CHECK enum wari_status wari_verify_sample(const struct wari_verify *verify, int threads,
                                                    struct wari_db *db,
                                                    struct wari_verify_report *report,
                                                    struct wari_error *error);

#endif
