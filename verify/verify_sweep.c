/* A sweep goes through all strips in order and looks at what is not done with, 64 positions at a
 * time. That is quick while many positions change. But the longest lines of play are long; so as
 * soon as few change, each change is followed backwards at once, depth first, along moves taken
 * back, and positions with a move to what has changed are looked at one by one.
 *
 * What is followed may be cut short, by the bounds of the stack or by another thread at the same
 * place: sweeps go on until one changes nothing, so neither the result nor its proof depends on it.
 */
#include "verify/verify_sweep.h"

#include "verify/verify_choice.h"
#include "verify/verify_parents.h"
#include "verify/verify_pass.h"

enum {
    STACK = 1024,     /* changed positions whose parents are still to be looked at */
    BUDGET = 1 << 19, /* of them are followed from one piece of work */
    FEW = 64          /* one position in so many changes: from then on changes are followed */
};

struct stack {
    int height;
    int budget;
    uint64_t cell[STACK];
};

enum {
    PARENTS = 64, /* 6 pits, and the few seeds that each of them can take back */
    TOGETHER = 8  /* positions whose parents are listed before the first of these is looked at */
};

struct parent {
    uint64_t cell;
    struct wari_position position;
    uint8_t reached; /* byte of the position that has changed */
};

struct parents {
    int count;
    struct parent list[TOGETHER * PARENTS];
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

/* Whatever a quiet move leads from into a position: their bytes come from all over the memory, so
 * they are asked for together. */
static void list_parents(const struct wari_verify_level *level, uint64_t cell,
                         struct parents *parents)
{
    const uint8_t reached = wari_verify_read(&level->cells[cell]);
    const int end = parents->count + PARENTS;
    struct wari_verify_parents before;
    struct wari_position position;

    wari_layout_unrank(&level->layout, cell, &position);
    wari_verify_parents_begin(&before, &position, level->run->slam);
    while (parents->count < end && wari_verify_parents_next(&before)) {
        struct parent *parent = &parents->list[parents->count];
        if (!wari_position_stored(&before.before))
            continue;
        parent->position = before.before;
        parent->cell = wari_layout_rank(&level->layout, &before.before);
        parent->reached = reached;
        __builtin_prefetch((const void *)&level->cells[parent->cell]);
        parents->count++;
    }
}

/* Goes back from what is on the stack, until there is no more or enough has been followed. */
static void follow(struct wari_verify_level *level, const struct wari_verify_task *task,
                   struct stack *stack, struct wari_verify_tally *tally)
{
    struct parents parents;

    while (stack->height > 0 && stack->budget > 0 && !wari_verify_stopped(level->run->verify)) {
        parents.count = 0;
        for (int i = 0; i < TOGETHER && stack->height > 0; i++, stack->budget--)
            list_parents(level, stack->cell[--stack->height], &parents);
        for (int i = 0; i < parents.count; i++) {
            const struct parent *parent = &parents.list[i];
            if (task->one(level, parent->cell, &parent->position, parent->reached)) {
                tally->changed++;
                push(stack, parent->cell);
            }
        }
    }
    stack->height = 0;
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
    wari_verify_look_at(&strip, level, piece);
    for (uint32_t column = 0; column < columns; column++) {
        uint64_t changed = sweep->task->strip(level, &strip, column);
        tally->changed += (unsigned)__builtin_popcountll(changed);
        if (!sweep->follows)
            continue;
        for (; changed != 0; changed &= changed - 1)
            push(&stack, strip.first[__builtin_ctzll(changed)] + column);
        follow(level, sweep->task, &stack, tally);
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
