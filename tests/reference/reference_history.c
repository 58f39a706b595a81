/* Depth-first search over histories. Only what happens after a capture is remembered, because it
 * does not depend on the positions before. */
#include "tests/reference/reference_history.h"

#include <stdlib.h>
#include <string.h>

enum { PATH_MAX_POSITIONS = 4000 };

struct ref_history {
    int rules, times, seeds;
    enum ref_payment payment;
    struct ref_numbering numbering;
    /* [n]: for each placement of n seeds and each target from -n to n, 0 for unknown, 1 if the
     * mover reaches it, 2 if not. The history is empty. */
    unsigned char *known[REF_ALL_SEEDS + 1];
    /* [n]: for each placement of n seeds and each `other`, how often it is on the path. */
    unsigned char *times_on_path[REF_ALL_SEEDS + 1];
    struct ref_past path[PATH_MAX_POSITIONS];
    int length;
    int longest; /* limit of `length` */
    long steps;
};

struct ref_history *ref_history_new(int rules, enum ref_payment payment, int times, int seeds)
{
    struct ref_history *solver = calloc(1, sizeof *solver);
    if (!solver)
        return NULL;
    solver->rules = rules;
    solver->payment = payment;
    solver->times = times;
    solver->seeds = seeds;
    ref_numbering_fill(&solver->numbering);
    for (int n = 0; n <= seeds; n++) {
        const size_t count = (size_t)ref_count(&solver->numbering, n);
        solver->known[n] = calloc(count * (size_t)(2 * n + 1), 1);
        solver->times_on_path[n] = calloc(2 * count, 1);
        if (!solver->known[n] || !solver->times_on_path[n]) {
            ref_history_free(solver);
            return NULL;
        }
    }
    return solver;
}

void ref_history_free(struct ref_history *solver)
{
    if (!solver)
        return;
    for (int n = 0; n <= solver->seeds; n++) {
        free(solver->known[n]);
        free(solver->times_on_path[n]);
    }
    free(solver);
}

static int sum(const unsigned char *pits, int count)
{
    int seeds = 0;
    for (int i = 0; i < count; i++)
        seeds += pits[i];
    return seeds;
}

static int surplus(const unsigned char *pits)
{
    return sum(pits, REF_ROW) - sum(pits + REF_ROW, REF_ROW);
}

/* Returns what the cycle pays the mover of a position that has returned. `since` is the index of
 * the first position after the last capture. */
static int pays_by_cycle(const struct ref_history *solver, const unsigned char *pits, int other,
                         int since)
{
    int least = surplus(pits), most = least, i = since;
    while (solver->path[i].other != other || memcmp(solver->path[i].pits, pits, REF_PITS) != 0)
        i++;
    for (; i < solver->length; i++) {
        const struct ref_past *past = &solver->path[i];
        const int mine = past->other == other ? surplus(past->pits) : -surplus(past->pits);
        least = mine < least ? mine : least;
        most = mine > most ? mine : most;
    }
    return least > 0 ? least : most < 0 ? most : 0;
}

/* Returns 1 if a position that has returned pays its mover at least `target`. */
static int pays(const struct ref_history *solver, const unsigned char *pits, int other, int since,
                int target)
{
    const int paid = solver->payment == REF_ROWS     ? surplus(pits)
                     : solver->payment == REF_HALVES ? 0
                                                     : pays_by_cycle(solver, pits, other, since);
    return paid >= target;
}

static unsigned char *times_of(const struct ref_history *solver, const unsigned char *pits,
                               int other)
{
    return &solver->times_on_path[sum(pits, REF_PITS)]
                                 [2 * ref_rank(&solver->numbering, pits) + (other != 0)];
}

static void push(struct ref_history *solver, const unsigned char *pits, int other)
{
    memcpy(solver->path[solver->length].pits, pits, REF_PITS);
    solver->path[solver->length++].other = other;
    ++*times_of(solver, pits, other);
}

static void pop(struct ref_history *solver)
{
    const struct ref_past *last = &solver->path[--solver->length];
    --*times_of(solver, last->pits, last->other);
}

/* Returns 1 if the game ends when it reaches the position, because the position then occurs for the
 * last time that the rule allows. (The path also contains the positions from before the last
 * capture. They have more seeds, so none of them equals this position.) */
static int ends(const struct ref_history *solver, const unsigned char *pits, int other)
{
    return *times_of(solver, pits, other) + 1 >= solver->times;
}

static int reaches(struct ref_history *solver, const unsigned char *pits, int other, int since,
                   int target);

/* Returns 1 if a move reaches the target for the side that makes it, 0 if not. Returns -1 if that
 * is not known, or, if `at_once`, if it takes a search. */
static int move_reaches(struct ref_history *solver, const struct ref_move *move, int other,
                        int since, int target, int at_once)
{
    const int next_target = target - move->captured;
    const int next_other = move->again ? other : !other;
    const int next_since = move->captured > 0 ? solver->length : since;
    if (move->ends)
        return move->value >= target;
    /* If the other side is to move next, the target is reached unless the other side gets more than
     * -next_target, that is, at least 1 - next_target. */
    if (ends(solver, move->next, next_other))
        return move->again ? pays(solver, move->next, next_other, since, next_target)
                           : !pays(solver, move->next, next_other, since, 1 - next_target);
    const int left = sum(move->next, REF_PITS);
    if (next_target <= -left || next_target > left)
        return next_target <= 0;
    if (at_once)
        return -1;
    const int result = reaches(solver, move->next, next_other, next_since,
                               move->again ? next_target : 1 - next_target);
    return result < 0 || move->again ? result : !result;
}

static int reaches_by_moves(struct ref_history *solver, const unsigned char *pits, int other,
                            int since, int target)
{
    struct ref_move moves[REF_ROW];
    int end_value, result = 0;
    if (ref_moves(solver->rules, pits, moves, &end_value) == 0)
        return end_value >= target;
    if (solver->steps <= 0 || solver->length >= solver->longest)
        return -1;
    solver->steps--;
    push(solver, pits, other);
    for (int at_once = 1; at_once >= 0 && result != 1; at_once--) {
        result = 0;
        for (int pit = 0; pit < REF_ROW && result != 1; pit++) {
            if (!moves[pit].legal)
                continue;
            const int found = move_reaches(solver, &moves[pit], other, since, target, at_once);
            result = found == 0 ? result : found;
        }
    }
    pop(solver);
    return result;
}

static int reaches(struct ref_history *solver, const unsigned char *pits, int other, int since,
                   int target)
{
    const int seeds = sum(pits, REF_PITS);
    if (target <= -seeds || target > seeds)
        return target <= 0;
    if (since < solver->length)
        return reaches_by_moves(solver, pits, other, since, target);
    unsigned char *known =
        &solver->known[seeds][ref_rank(&solver->numbering, pits) * (size_t)(2 * seeds + 1) +
                              (size_t)(target + seeds)];
    if (*known == 0) {
        const int result = reaches_by_moves(solver, pits, other, since, target);
        *known = result < 0 ? 0 : result == 1 ? 1 : 2;
        return result;
    }
    return *known == 1;
}

static void set_path(struct ref_history *solver, const struct ref_past *past, int count, long steps)
{
    while (solver->length > 0)
        pop(solver);
    for (int i = 0; i < count; i++)
        push(solver, past[i].pits, past[i].other);
    solver->steps = steps;
}

int ref_history_reaches(struct ref_history *solver, const unsigned char pits[REF_PITS],
                        const struct ref_past *past, int count, int target, long steps)
{
    int result = -1;
    for (int more = 4; result < 0 && count + more < PATH_MAX_POSITIONS; more *= 2) {
        set_path(solver, past, count, steps);
        solver->longest = count + more;
        result = reaches(solver, pits, 0, 0, target);
    }
    return result;
}

int ref_history_move_reaches(struct ref_history *solver, const unsigned char pits[REF_PITS],
                             const struct ref_past *past, int count, int pit, int target,
                             long steps)
{
    struct ref_move moves[REF_ROW];
    int end_value;
    int result = -1;
    for (int more = 4; result < 0 && count + more < PATH_MAX_POSITIONS; more *= 2) {
        set_path(solver, past, count, steps);
        solver->longest = count + more;
        (void)ref_moves(solver->rules, pits, moves, &end_value);
        push(solver, pits, 0);
        result = move_reaches(solver, &moves[pit], 0, 0, target, 0);
    }
    return result;
}
