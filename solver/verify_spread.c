/* Fixed points over the open positions of a level: look at each, and where one changes, look at the
 * positions it can be reached from.
 *
 * A plain pass after pass over all open positions comes to the same end; but the longest lines of
 * play are long, and most positions would be looked at in vain many times. Therefore a
 * change is followed backwards at once, depth first, along moves taken back. What is taken back may
 * miss a move or invent one: an examination looks at the moves of a position as they are and can do
 * no harm, and the passes go on until one changes nothing. So neither the result nor its
 * proof depends on taking back moves, nor on the bounds of the stack, nor on what another
 * thread does at the same time.
 */
#include <string.h>

#include "solver/verify.h"

enum {
    STACK = 1024,    /* changed positions whose parents are still to be looked at */
    BUDGET = 1 << 19 /* of them are followed from one stretch: less than a second */
};

/* ---- Moves taken back ---- */

/* Every position that one sowing may have turned into a given one: an empty pit of the player who
 * has moved takes back one seed, two, and so on, from the pits behind it in turn, for as long as
 * none of these is empty. */
struct parents {
    struct wari_position after; /* seen by the player who has moved */
    struct wari_position before;
    int pit;
    int last; /* the pit that gave back a seed last */
};

static void begin_parents(struct parents *parents, const struct wari_position *position)
{
    memcpy(parents->after.pits, position->pits + WARI_HALF_PITS, WARI_HALF_PITS);
    memcpy(parents->after.pits + WARI_HALF_PITS, position->pits, WARI_HALF_PITS);
    parents->before = parents->after;
    parents->pit = parents->last = -1;
}

/* Moves on to the next empty pit; false if there is none. */
static bool next_pit(struct parents *parents)
{
    do
        parents->pit++;
    while (parents->pit < WARI_HALF_PITS && parents->after.pits[parents->pit] != 0);
    parents->before = parents->after;
    parents->last = parents->pit;
    return parents->pit < WARI_HALF_PITS;
}

static bool next_parent(struct parents *parents)
{
    while (parents->pit < WARI_HALF_PITS) {
        if (parents->pit >= 0) {
            do
                parents->last = (parents->last + 1) % WARI_PITS;
            while (parents->last == parents->pit);
            if (parents->before.pits[parents->last] > 0) {
                parents->before.pits[parents->last]--;
                parents->before.pits[parents->pit]++;
                return true;
            }
        }
        if (!next_pit(parents))
            break;
    }
    return false;
}

/* ---- Spreading ---- */

struct stack {
    int height;
    uint64_t cell[STACK];
};

static void examine(const struct wari_verifier *verifier, const struct wari_verify_task *task,
                    uint64_t cell, const struct wari_position *position, struct stack *stack,
                    struct wari_verify_tally *tally)
{
    if (!task->examine(verifier, cell, position))
        return;
    tally->changed++;
    if (stack->height < STACK)
        stack->cell[stack->height++] = cell;
}

static void examine_parents(const struct wari_verifier *verifier,
                            const struct wari_verify_task *task, uint64_t cell, struct stack *stack,
                            struct wari_verify_tally *tally)
{
    const struct wari_layout *layout = &verifier->layout[verifier->seeds];
    struct wari_position position;
    struct parents parents;

    wari_layout_unrank(layout, cell, &position);
    begin_parents(&parents, &position);
    while (next_parent(&parents)) {
        if (!wari_position_stored(&parents.before))
            continue;
        uint64_t parent = wari_layout_rank(layout, &parents.before);
        if (wari_verify_has(task->open, parent))
            examine(verifier, task, parent, &parents.before, stack, tally);
    }
}

static void spread_stretch(const struct wari_verifier *verifier, const void *context,
                           uint64_t piece, struct wari_verify_tally *tally)
{
    const struct wari_verify_task *task = context;
    uint64_t end = wari_verify_stretch_end(verifier, piece);
    int budget = BUDGET;
    struct stack stack;

    stack.height = 0;
    for (uint64_t word = piece * WARI_VERIFY_STRETCH / 64; word * 64 < end; word++) {
        uint64_t bits = atomic_load_explicit(&task->open[word], memory_order_relaxed);
        for (; bits != 0; bits &= bits - 1) {
            uint64_t cell = word * 64 + (unsigned)__builtin_ctzll(bits);
            if (!wari_verify_has(task->open, cell))
                continue; /* changed while we followed its neighbour */
            wari_verify_seek(verifier, &tally->cursor, cell);
            examine(verifier, task, cell, &tally->cursor.position, &stack, tally);
            for (; stack.height > 0 && budget > 0; budget--)
                examine_parents(verifier, task, stack.cell[--stack.height], &stack, tally);
            stack.height = 0;
        }
    }
}

enum wari_status wari_verify_spread(const struct wari_verifier *verifier,
                                    const struct wari_verify_task *task)
{
    struct wari_verify_tally total;
    enum wari_status status;
    do {
        total = (struct wari_verify_tally){0};
        status = wari_verify_pass(verifier, spread_stretch, task, wari_verify_stretches(verifier),
                                  task->phase, &total);
    } while (status == WARI_OK && total.changed > 0);
    return status;
}
