/* A sweep goes through all strips in order and processes the pending positions 64 at a time. That
 * is fast while many positions change. But a change may have to pass backwards through a long line
 * of play, and each move of the line may need another sweep. So as soon as few positions change,
 * each change is followed backwards at once, depth first: moves to the changed position are taken
 * back, and the pending positions before these moves are processed one by one.
 *
 * Following changes may stop early, because the stack is full or because another thread works on
 * the same position. Sweeps are repeated until one of them changes nothing, so the result and
 * its proof do not depend on this. */
#include "verify/verify_sweep.h"

#include <string.h>

#include "index/half.h"
#include "verify/verify_neighbours.h"
#include "verify/verify_pass.h"
#include "verify/verify_strip.h"

enum {
    STACK_MAX = 1024,     /* capacity of the stack, which holds changed positions whose parents have
                           * not been processed yet */
    FOLLOW_MAX = 1 << 19, /* limit on the changed positions that one item of work follows */
    COLUMNS_AHEAD = 4,    /* pending columns that are prefetched before they are processed */
    FEW_CHANGES = 256     /* changes are followed once fewer than one position in 256 changes */
};

struct stack {
    int height;
    int budget;
    struct wari_verify_place place[STACK_MAX];
};

enum {
    /* Upper limit on the parents of one position: each of 6 pits can take back a few seeds. */
    PARENTS_MAX = 64,
    /* Positions whose parents are listed before the first parent is processed. The steps between
     * listing and processing prefetch for all of them. */
    PARENT_BATCH = 12
};

struct parent {
    struct wari_verify_place place;
    uint8_t reached; /* code of the position that has changed */
    struct wari_verify_children children;
};

struct parents {
    int count;
    struct parent list[PARENT_BATCH * PARENTS_MAX];
};

struct sweep {
    const struct wari_verify_task *task;
    bool follows;
};

static void push(struct stack *stack, const struct wari_verify_place *place)
{
    if (stack->height < STACK_MAX)
        stack->place[stack->height++] = *place;
}

/* Lists the positions from which a quiet move leads to a position. Their bits are scattered over
 * the memory, so all of them are prefetched together. */
static void list_parents(const struct wari_verify_level *level,
                         const struct wari_verify_place *child, struct parents *parents)
{
    const uint8_t reached = wari_verify_read(&level->cells[wari_verify_place_cell(level, child)]);
    const int end = parents->count + PARENTS_MAX;
    struct wari_verify_parents before;

    wari_verify_parents_begin(&before, &child->position, level->proof->slam);
    while (parents->count < end && wari_verify_parents_next(&before)) {
        struct parent *parent = &parents->list[parents->count];
        const uint8_t *opponent = before.before.pits + WARI_HALF_PITS;
        if (wari_half_full(opponent))
            continue;
        parent->place.position = before.before;
        parent->place.block = wari_half_seeds(opponent);
        parent->place.row = wari_row_rank(opponent);
        parent->place.column = wari_half_rank(before.before.pits);
        parent->reached = reached;
        __builtin_prefetch((const void *)wari_verify_pending(
                               level, parent->place.block, parent->place.row, parent->place.column)
                               .word);
        parents->count++;
    }
}

/* Removes from the list all parents that are not pending. Prefetches the cells of the pending
 * parents. */
static void keep_pending(const struct wari_verify_level *level, struct parents *parents)
{
    int kept = 0;

    for (int i = 0; i < parents->count; i++) {
        const struct parent *parent = &parents->list[i];
        const struct wari_verify_bit bit = wari_verify_pending(
            level, parent->place.block, parent->place.row, parent->place.column);
        if (!(atomic_load_explicit(bit.word, memory_order_relaxed) & bit.mask))
            continue;
        __builtin_prefetch(
            (const void *)&level->cells[wari_verify_place_cell(level, &parent->place)]);
        parents->list[kept++] = *parent;
    }
    parents->count = kept;
}

/* Removes from the list all parents that the change cannot affect. Finds the children of the
 * remaining parents, and prefetches what the task reads of these children. */
static void find_children(const struct wari_verify_level *level,
                          const struct wari_verify_task *task, struct parents *parents)
{
    int kept = 0;

    for (int i = 0; i < parents->count; i++) {
        struct parent *parent = &parents->list[i];
        if (task->is_affected && !task->is_affected(level, &parent->place, parent->reached))
            continue;
        wari_verify_find_children(level, &parent->place, &parent->children);
        for (int j = 0; j < parent->children.count; j++) {
            const struct wari_verify_child *child = &parent->children.child[j];
            const struct wari_verify_bit bit =
                wari_verify_pending(level, child->block, child->row, child->column);
            __builtin_prefetch(task->reads_pending ? (const void *)bit.word
                                                   : (const void *)child->cell);
        }
        parents->list[kept++] = *parent;
    }
    parents->count = kept;
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
            list_parents(level, &stack->place[--stack->height], &parents);
        keep_pending(level, &parents);
        find_children(level, task, &parents);
        for (int i = 0; i < parents.count; i++) {
            const struct parent *parent = &parents.list[i];
            if (task->one(level, &parent->place, &parent->children)) {
                result->changed++;
                push(stack, &parent->place);
            }
        }
    }
    stack->height = 0;
}

/* Pushes the changed rows of a column onto the stack. */
static void push_rows(struct stack *stack, const struct wari_verify_strip *strip, uint32_t column,
                      uint64_t changed)
{
    struct wari_verify_place place = {.block = strip->block, .column = column};

    wari_half_unrank(strip->level->layout.seeds - strip->block, column, place.position.pits);
    for (; changed != 0; changed &= changed - 1) {
        const int row = __builtin_ctzll(changed);
        memcpy(place.position.pits + WARI_HALF_PITS, strip->pits[row], WARI_HALF_PITS);
        place.row = strip->row[row];
        push(stack, &place);
    }
}

/* Returns the first column of an item, from `column` on, with a pending position. Returns the
 * number of columns if there is none. */
static uint32_t next_pending(const wari_verify_word *pending, uint32_t column, uint32_t columns)
{
    while (column < columns && atomic_load_explicit(&pending[column], memory_order_relaxed) == 0)
        column++;
    return column;
}

static void process_item(struct wari_verify_level *level, const void *context, uint64_t number,
                         struct wari_verify_pass_result *result)
{
    const struct wari_verify_item *item = &level->items[number];
    const uint32_t columns = level->layout.columns[item->block];
    const wari_verify_word *pending = level->pending + item->first_word;
    const struct sweep *sweep = context;
    struct wari_verify_strip strip;
    struct stack stack;

    if (item->full)
        return;
    uint32_t column = next_pending(pending, 0, columns);
    if (column == columns)
        return;
    stack.height = 0;
    stack.budget = FOLLOW_MAX;
    wari_verify_strip_begin(&strip, level, item);
    uint32_t ahead = column;
    for (int i = 0; i < COLUMNS_AHEAD; i++) {
        if (ahead < columns)
            wari_verify_strip_prefetch(&strip, ahead);
        ahead = next_pending(pending, ahead + 1, columns);
    }
    for (; column < columns; column = next_pending(pending, column + 1, columns)) {
        if (ahead < columns)
            wari_verify_strip_prefetch(&strip, ahead);
        ahead = next_pending(pending, ahead + 1, columns);
        const uint64_t changed = sweep->task->strip(
            level, &strip, column, atomic_load_explicit(&pending[column], memory_order_relaxed));
        result->changed += (unsigned)__builtin_popcountll(changed);
        if (!sweep->follows || changed == 0)
            continue;
        push_rows(&stack, &strip, column, changed);
        follow(level, sweep->task, &stack, result);
    }
}

static void set_pending_of_item(struct wari_verify_level *level, const void *context,
                                uint64_t number, struct wari_verify_pass_result *result)
{
    const struct wari_verify_item *item = &level->items[number];
    struct wari_verify_strip strip;

    (void)context;
    (void)result;
    if (item->full)
        return;
    wari_verify_strip_begin(&strip, level, item);
    for (uint32_t column = 0; column < strip.columns; column++) {
        uint8_t codes[WARI_VERIFY_ROWS];
        atomic_store_explicit(&strip.pending[column], strip.kernel->read(&strip, column, codes),
                              memory_order_relaxed);
    }
}

enum wari_status wari_verify_set_pending(struct wari_verify_level *level)
{
    struct wari_verify_pass_result total = {0};
    return wari_verify_pass(level, set_pending_of_item, NULL, level->item_count, NULL, &total);
}

static void count_pending_of_item(struct wari_verify_level *level, const void *context,
                                  uint64_t number, struct wari_verify_pass_result *result)
{
    const struct wari_verify_item *item = &level->items[number];

    (void)context;
    for (uint32_t column = 0; !item->full && column < level->layout.columns[item->block]; column++)
        result->changed += (unsigned)__builtin_popcountll(
            atomic_load_explicit(&level->pending[item->first_word + column], memory_order_relaxed));
}

enum wari_status wari_verify_count_pending(struct wari_verify_level *level, uint64_t *count)
{
    struct wari_verify_pass_result total = {0};
    enum wari_status status =
        wari_verify_pass(level, count_pending_of_item, NULL, level->item_count, NULL, &total);
    *count = total.changed;
    return status;
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
