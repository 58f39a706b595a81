/* A sweep goes through all strips in order and processes the unfinished positions 64 at a time.
 * That is fast while many positions change. But the longest lines of play are long; so as soon as
 * few positions change, each change is followed backwards at once, depth first: moves to the
 * changed position are taken back, and the positions before these moves are processed one by one.
 *
 * Following changes may stop early, because the stack is full or because another thread works on
 * the same position. Sweeps are repeated until one of them changes nothing, so the result and
 * its proof do not depend on this. */
#include "verify/verify_sweep.h"

#include "verify/verify_neighbours.h"
#include "verify/verify_pass.h"
#include "verify/verify_strip.h"

enum {
    STACK_MAX = 1024,     /* capacity of the stack, which holds changed positions whose parents have
                           * not been processed yet */
    FOLLOW_MAX = 1 << 19, /* limit on the changed positions that one item of work follows */
    FEW_CHANGES = 64      /* changes are followed once fewer than one position in 64 changes */
};

struct stack {
    int height;
    int budget;
    uint64_t cell[STACK_MAX];
};

enum {
    /* Upper limit on the parents of one position: each of 6 pits can take back a few seeds. */
    PARENTS_MAX = 64,
    PARENT_BATCH = 8 /* positions whose parents are listed before the first parent is processed */
};

struct parent {
    uint64_t cell;
    struct wari_position position;
    uint8_t reached; /* code of the position that has changed */
};

struct parents {
    int count;
    struct parent list[PARENT_BATCH * PARENTS_MAX];
};

struct sweep {
    const struct wari_verify_task *task;
    bool follows;
};

static void push(struct stack *stack, uint64_t cell)
{
    if (stack->height < STACK_MAX)
        stack->cell[stack->height++] = cell;
}

/* Lists the positions from which a quiet move leads to a position. Their cells are scattered
 * over the memory, so all of them are prefetched together. */
static void list_parents(const struct wari_verify_level *level, uint64_t cell,
                         struct parents *parents)
{
    const uint8_t reached = wari_verify_read(&level->cells[cell]);
    const int end = parents->count + PARENTS_MAX;
    struct wari_verify_parents before;
    struct wari_position position;

    wari_layout_unrank(&level->layout, cell, &position);
    wari_verify_parents_begin(&before, &position, level->proof->slam);
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

/* Follows changes backwards from the positions on the stack, until the stack is empty or the
 * limit is reached. */
static void follow(struct wari_verify_level *level, const struct wari_verify_task *task,
                   struct stack *stack, struct wari_verify_pass_result *result)
{
    struct parents parents;

    while (stack->height > 0 && stack->budget > 0 && !wari_verify_stopped(level->proof->verify)) {
        parents.count = 0;
        for (int i = 0; i < PARENT_BATCH && stack->height > 0; i++, stack->budget--)
            list_parents(level, stack->cell[--stack->height], &parents);
        for (int i = 0; i < parents.count; i++) {
            const struct parent *parent = &parents.list[i];
            if (task->one(level, parent->cell, &parent->position, parent->reached)) {
                result->changed++;
                push(stack, parent->cell);
            }
        }
    }
    stack->height = 0;
}

static void process_item(struct wari_verify_level *level, const void *context, uint64_t number,
                         struct wari_verify_pass_result *result)
{
    const struct wari_verify_item *item = &level->items[number];
    const uint32_t columns = level->layout.columns[item->block];
    const struct sweep *sweep = context;
    struct wari_verify_strip strip;
    struct stack stack = {.budget = FOLLOW_MAX};

    if (item->full)
        return;
    wari_verify_strip_begin(&strip, level, item);
    for (uint32_t column = 0; column < columns; column++) {
        uint64_t changed = sweep->task->strip(level, &strip, column);
        result->changed += (unsigned)__builtin_popcountll(changed);
        if (!sweep->follows)
            continue;
        for (; changed != 0; changed &= changed - 1)
            push(&stack, strip.first[__builtin_ctzll(changed)] + column);
        follow(level, sweep->task, &stack, result);
    }
}

enum wari_status wari_verify_sweep(struct wari_verify_level *level,
                                   const struct wari_verify_task *task)
{
    const uint64_t few = wari_level_positions(level->layout.seeds) / FEW_CHANGES;
    struct sweep sweep = {task, false};
    struct wari_verify_pass_result total;
    enum wari_status status;
    do {
        total = (struct wari_verify_pass_result){0};
        status =
            wari_verify_pass(level, process_item, &sweep, level->item_count, task->phase, &total);
        sweep.follows = total.changed <= few;
    } while (status == WARI_OK && total.changed > 0);
    return status;
}
