/* Solves the cycle rule `own` by its definition: for each player X and each k > 0, computes the
 * positions from which X can get at least k, as a nested fixed point.
 *
 * Let D be the number of seeds in X's row minus the number in the other row. X gets at least k if X
 * can force one of two things: a capture or an end of the game that is worth k to X; or that D >= k
 * holds from some moment on for ever. In the notation of the modal mu-calculus:
 *
 *     mu Y. nu Z.  (known move or end worth k)  or  step(Y)  or  (D >= k and step(Z))
 *
 * A known move is a move whose value is known before the level is solved, such as a capture.
 * step(S) holds in a position where X is to move if some move leads into S. It holds in a position
 * where the other player is to move if each move leads into S or is worth at least k to X.
 *
 * Y starts empty. Each round has three steps. First, positions are added to Y as long as a known
 * move is worth k or step(Y) holds. Then the largest Z that contains Y is found. Then Y is replaced
 * by Z. The rounds end when Z is not larger than Y. If X gets k + 1, X also gets k. So the largest
 * k comes first, and Y is kept from one k to the next.
 *
 * X may be either player. A state is a position together with the role of X: in[0] holds the states
 * where X is the mover, in[1] the states where X is the opponent. If X can get k > 0, the value is
 * k where X is the mover, and -k where X is the opponent. If neither player can get anything, the
 * value is 0. */
#include "reference_own.h"

#include <stdlib.h>
#include <string.h>

/* The membership of a state in the sets Y and Z. Y consists of the PROVED states, Z of the PROVED
 * and the ASSUMED states. */
enum { OUT, ASSUMED, PROVED };

/* in[0][p] is the state of position p if X is the mover, in[1][p] if X is the opponent. */
struct states {
    const struct ref_moves_of_level *level;
    int k;
    unsigned char *in[2];
};

static const uint32_t *children_of(const struct ref_moves_of_level *level, uint32_t p)
{
    return level->child + 6 * (size_t)p;
}

/* Returns true if the state of at least one child of p, a position where X moves, is at least
 * `required`. */
static int some_child(const struct states *s, uint32_t p, int required)
{
    const uint32_t *child = children_of(s->level, p);

    for (int i = 0; i < s->level->children[p]; i++)
        if (s->in[1][child[i]] >= required)
            return 1;
    return 0;
}

/* Returns true if the states of all children of p, a position where the other player moves, are at
 * least `required`, and all known moves are worth at least k to X. (best[p] is what the best known
 * move is worth to the player who moves. It is REF_NOTHING, which is below every -k, if there is no
 * known move.) */
static int all_children(const struct states *s, uint32_t p, int required)
{
    const uint32_t *child = children_of(s->level, p);

    if (s->level->best[p] > -s->k)
        return 0;
    for (int i = 0; i < s->level->children[p]; i++)
        if (s->in[0][child[i]] < required)
            return 0;
    return 1;
}

/* Adds to Y each state in which a known move is worth at least k to X, or in which step(Y) holds.
 * Repeats this until Y does not change any more. */
static void grow(struct states *s)
{
    int changed;

    do {
        changed = 0;
        for (uint32_t p = 0; p < s->level->positions; p++) {
            if (s->in[0][p] != PROVED && (s->level->best[p] >= s->k || some_child(s, p, PROVED))) {
                s->in[0][p] = PROVED;
                changed = 1;
            }
            if (s->in[1][p] != PROVED && all_children(s, p, PROVED)) {
                s->in[1][p] = PROVED;
                changed = 1;
            }
        }
    } while (changed);
}

/* Adds to Z every state outside Y in which X's surplus is at least k. */
static void assume(struct states *s)
{
    for (uint32_t p = 0; p < s->level->positions; p++) {
        if (s->in[0][p] == OUT && s->level->surplus[p] >= s->k)
            s->in[0][p] = ASSUMED;
        if (s->in[1][p] == OUT && -s->level->surplus[p] >= s->k)
            s->in[1][p] = ASSUMED;
    }
}

/* Removes from Z the states outside Y in which step(Z) does not hold, until nothing changes. */
static void shrink(struct states *s)
{
    int changed;

    do {
        changed = 0;
        for (uint32_t p = 0; p < s->level->positions; p++) {
            if (s->in[0][p] == ASSUMED && !some_child(s, p, ASSUMED)) {
                s->in[0][p] = OUT;
                changed = 1;
            }
            if (s->in[1][p] == ASSUMED && !all_children(s, p, ASSUMED)) {
                s->in[1][p] = OUT;
                changed = 1;
            }
        }
    } while (changed);
}

/* Replaces Y by Z. Returns true if Z was larger. */
static int commit(struct states *s)
{
    int added = 0;

    for (int x = 0; x < 2; x++)
        for (uint32_t p = 0; p < s->level->positions; p++)
            if (s->in[x][p] == ASSUMED) {
                s->in[x][p] = PROVED;
                added = 1;
            }
    return added;
}

int ref_solve_own(const struct ref_moves_of_level *level, signed char *value)
{
    struct states s = {.level = level};
    int done = 0;

    s.in[0] = malloc(level->positions);
    s.in[1] = malloc(level->positions);
    if (!s.in[0] || !s.in[1])
        goto out;
    memset(s.in[0], OUT, level->positions);
    memset(s.in[1], OUT, level->positions);
    for (s.k = level->seeds; s.k > 0; s.k--) {
        do {
            grow(&s);
            assume(&s);
            shrink(&s);
        } while (commit(&s));
        for (uint32_t p = 0; p < level->positions; p++) {
            if (s.in[0][p] == PROVED && value[p] == 0)
                value[p] = (signed char)s.k;
            if (s.in[1][p] == PROVED && value[p] == 0)
                value[p] = (signed char)-s.k;
        }
    }
    done = 1;
out:
    free(s.in[0]);
    free(s.in[1]);
    return done;
}
