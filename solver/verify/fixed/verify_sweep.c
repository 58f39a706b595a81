/* A sweep goes through all strips in order and looks at what is not done with, 64 positions at a
 * time. That is quick while many positions change. But the longest lines of play are long; so as
 * soon as few change, each change is followed backwards at once, depth first, along moves taken
 * back, and positions with a move to what has changed are looked at one by one.
 *
 * What is followed may be cut short, by the bounds of the stack or by another thread at the same
 * place: sweeps go on until one changes nothing, so neither the result nor its proof depends on it.
 */
#include "solver/verify/fixed/verify_sweep.h"

#include "solver/verify/fixed/verify_parents.h"
#include "solver/verify/level/verify_pass.h"

enum {
    STACK = 1024,     /* changed positions whose parents are still to be looked at */
    BUDGET = 1 << 19, /* of them are followed from one piece of work: less than a second */
    FEW = 64          /* one position in so many changes: from then on changes are followed */
};

struct stack {
    int height;
    int budget;
    uint64_t cell[STACK];
};

enum { PARENTS = 64 }; /* 6 pits, and the few seeds that each of them can take back */

struct parent {
    uint64_t cell;
    struct wari_position position;
};

struct sweep {
    const struct wari_verify_task *task;
    bool follows;
};

static void push(struct stack *stack, uint64_t cell)
{
    if (stack->height < STACK)
        stack->cell[stack->height++] = cell;
}

/* Whatever a move may lead from into a position: their bytes come from all over the memory, so they
 * are asked for together. */
static int list_parents(const struct wari_verify_level *level, uint64_t cell,
                        struct parent list[PARENTS])
{
    struct wari_verify_parents parents;
    struct wari_position position;
    int count = 0;

    wari_layout_unrank(&level->layout, cell, &position);
    wari_verify_parents_begin(&parents, &position);
    while (count < PARENTS && wari_verify_parents_next(&parents)) {
        if (!wari_position_stored(&parents.before))
            continue;
        list[count].position = parents.before;
        list[count].cell = wari_layout_rank(&level->layout, &parents.before);
        __builtin_prefetch((const void *)&level->cells[list[count].cell]);
        count++;
    }
    return count;
}

static void look_at_parents(struct wari_verify_level *level, const struct wari_verify_task *task,
                            uint64_t cell, struct stack *stack, struct wari_verify_tally *tally)
{
    const uint8_t reached = wari_verify_read(&level->cells[cell]);
    struct parent list[PARENTS];
    const int count = list_parents(level, cell, list);

    for (int i = 0; i < count; i++) {
        if (task->one(level, list[i].cell, &list[i].position, reached)) {
            tally->changed++;
            push(stack, list[i].cell);
        }
    }
}

static void do_piece(struct wari_verify_level *level, const void *context, uint64_t number,
                     struct wari_verify_tally *tally)
{
    const struct wari_verify_piece *piece = &level->pieces[number];
    const uint32_t columns = level->layout.columns[piece->block];
    const struct sweep *sweep = context;
    struct wari_verify_strip strip;
    struct stack stack = {.budget = BUDGET};

    if (piece->full)
        return;
    wari_verify_strip_fill(&strip, level, piece);
    for (uint32_t column = 0; column < columns; column++) {
        uint8_t changed[WARI_VERIFY_ROWS];
        const int count = sweep->task->strip(level, &strip, column, changed);
        tally->changed += (unsigned)count;
        if (!sweep->follows)
            continue;
        for (int i = 0; i < count; i++)
            push(&stack, strip.first[changed[i]] + column);
        for (; stack.height > 0 && stack.budget > 0; stack.budget--)
            look_at_parents(level, sweep->task, stack.cell[--stack.height], &stack, tally);
        stack.height = 0;
    }
}

enum wari_status wari_verify_sweep(struct wari_verify_level *level,
                                   const struct wari_verify_task *task)
{
    const uint64_t few = wari_level_positions(level->layout.seeds) / FEW;
    struct sweep sweep = {task, false};
    struct wari_verify_tally total;
    enum wari_status status;
    do {
        total = (struct wari_verify_tally){0};
        status = wari_verify_pass(level, do_piece, &sweep, level->piece_count, task->phase, &total);
        sweep.follows = total.changed <= few;
    } while (status == WARI_OK && total.changed > 0);
    return status;
}
