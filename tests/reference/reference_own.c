/* The `own` convention by the textbook: for each player X and each k > 0, the positions from which
 * X can get at least k, as a nested fixed point.
 *
 * X gets at least k if he can force an end worth k to him, or play that from some moment on keeps
 * D >= k for ever, D being his row minus the other's. In the notation of fixed points:
 *
 *     mu Y. nu Z.  (known move or end worth k)  or  step(Y)  or  (D >= k and step(Z))
 *
 * where step(S) means that X has a move into S, or that all moves of the other lead into S or to
 * something worth k to X. Y is grown from nothing; each round first closes it under known wins and
 * step(Y), then finds the largest Z around it, and Z becomes Y, until Z adds nothing. Whoever gets
 * k + 1 gets k: so the largest k comes first, and Y goes on from what it was.
 *
 * The two players are the same but for the name, so one state is (position, is X its mover): half 0
 * of `in` says it for X the mover, half 1 for X the opponent. A value of k > 0 for X is one of k at
 * positions where X moves, of -k where he does not; a value both deny each other is 0.
 */
#include "reference_own.h"

#include <stdlib.h>
#include <string.h>

/* States in a set under construction. Z is ASSUMED and PROVED together, Y is PROVED alone. */
enum { OUT, ASSUMED, PROVED };

/* `in[0]` and `in[1]` for X the mover and X the opponent. */
struct states {
    const struct ref_moves_of_level *level;
    int k;
    unsigned char *in[2];
};

static const uint32_t *children_of(const struct ref_moves_of_level *level, uint32_t p)
{
    return level->child + 6 * (size_t)p;
}

/* X moves at p: returns true if the state of at least one child is at least `required`. */
static int some_child(const struct states *s, uint32_t p, int required)
{
    const uint32_t *child = children_of(s->level, p);

    for (int i = 0; i < s->level->children[p]; i++)
        if (s->in[1][child[i]] >= required)
            return 1;
    return 0;
}

/* The other player moves at p: returns true if the states of all children are at least `required`,
 * and all known moves are worth at least k to X. (REF_NOTHING, if there is no known move, is
 * below every -k.) */
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

/* Closes Y under known wins and steps into Y. */
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

/* Adds every state outside Y in which X holds a surplus of k to Z. */
static void assume(struct states *s)
{
    for (uint32_t p = 0; p < s->level->positions; p++) {
        if (s->in[0][p] == OUT && s->level->surplus[p] >= s->k)
            s->in[0][p] = ASSUMED;
        if (s->in[1][p] == OUT && -s->level->surplus[p] >= s->k)
            s->in[1][p] = ASSUMED;
    }
}

/* Removes the states without a move into Z from Z, until nothing changes. */
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

/* Makes Z the new Y. Returns true if that added a state. */
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
