/* The short proofs of (b) and (c). Both follow from the absence of certain cycles of quiet moves.
 *
 * (b) Suppose that the values of some positions are not grounded (verify_grounding.c), and let U be
 * the set of these positions. From each position of U a quiet move leads to a position of U: if the
 * value is positive, every move that attains the value leads into U; if the value is negative, some
 * move leads into U, and by (a) it reaches a value that is at least as far from 0. So every line of
 * play along such moves ends in a part T of U that it never leaves, and in which each position can
 * be reached from every other. The values in T are all equally far from 0, so every such move in T
 * attains the value.
 *
 * Start with the set of all positions that need a proof. As long as one of these rules applies,
 * remove
 *
 * - a position with a positive value, if a quiet move that attains the value leads to a position
 *   outside of the set;
 * - a position with a negative value, if no quiet move that attains the value leads to a position
 *   of the set;
 * - any position to which no quiet move leads from a position of the set whose value it attains.
 *
 * None of these rules ever removes a position of T. So if the set becomes empty, every value is
 * grounded. Conversely, if every value is grounded, the first two rules empty the set, since they
 * can remove positions in the order in which verify_grounding.c proves them. The third rule makes
 * this many times faster: with it, a pass removes about half of the set. For `own` cycles,
 * verify_grounding.c continues with the positions that are left, and the same argument holds.
 *
 * (c) The leader is the side with more seeds in its row. Suppose that a leader can hold a larger
 * surplus than the values say, and let Z be the set of positions whose upper bound is above 0
 * (verify_upper.c). If the leader is to move, some quiet move leads to a position of Z whose bound
 * is not smaller. If the other side is to move, every move that attains the value leads to such a
 * position. Along these moves the bound never falls, and the value never rises for the leader. So
 * there is a part T of Z as above, in which all values are equal for the leader, and all these
 * moves attain the value.
 *
 * Start with the set of all positions in which the leader's surplus is beyond the value (further
 * from 0, on the same side). If the other side is to move and a capture or an end attains the
 * value, the position does not belong to the set. As long as one of these rules applies, remove
 *
 * - a position with the leader to move, if no quiet move that attains the value leads to a position
 *   of the set in which the leader still leads;
 * - a position with the other side to move, if a quiet move that attains the value leads to a
 *   position outside of the set;
 * - any position that the third rule of (b) removes.
 *
 * None of these rules ever removes a position of T, so if the set becomes empty, no larger surplus
 * can be held. Conversely, if the set does not become empty, the leader can hold one seed more than
 * the value in each position of the set.
 *
 * If a set does not become empty, the steps of verify_grounding.c and verify_upper.c find the
 * positions that are wrong.
 *
 * The positions of the set are marked. A pass applies the first two rules to each of them, and
 * collects the positions that are reached from those that remain. Then it applies the third rule:
 * it removes the marks of the positions that it has not collected. */
#include "verify/verify_steps.h"

#include <string.h>

#include "verify/verify_neighbours.h"
#include "verify/verify_pass.h"
#include "verify/verify_strip.h"
#include "verify/verify_sweep.h"

enum {
    WORDS_PER_ITEM = 4096, /* words of level->reached */
    COLUMNS_AHEAD = 4,     /* columns that are prefetched before they are processed */
    /* Passes are repeated while more than a 512th of the positions of the level is left and each
     * pass removes more than an eighth of the set. After that, sweeps are faster, since they follow
     * each change (verify_sweep.h). */
    FEW_LEFT = 512,
    FEW_REMOVED = 8,
};

/* ---- Passes ---- */

struct step {
    const char *phase;
    bool surplus; /* true for (c) */
};

/* Returns the rows whose positions the first two rules do not remove. */
static uint64_t remaining(const struct wari_verify_attaining *found, const struct step *step,
                          int lead)
{
    if (step->surplus)
        return lead > 0 ? found->marked : ~found->unmarked;
    return (found->positive & ~found->unmarked) | (~found->positive & found->marked);
}

/* Returns `drops_end` for kernel->attaining(), which counts only moves that drop fewer than
 * `drops_end` seeds into the opponent's row. In (c), if the mover is the leader (lead > 0), a move
 * counts only if the mover still leads after it. Otherwise every move counts. */
static int drops_end_of(const struct step *step, int lead)
{
    return step->surplus && lead > 0 ? (lead + 1) / 2 : WARI_SEEDS_MAX + 1;
}

/* Processes the marked positions of a tile. Returns true if some marks were removed. */
static bool process_tile(const struct wari_verify_strip *strip, const struct step *step,
                         uint32_t first, struct wari_verify_tile *tile)
{
    const struct wari_verify_kernel *kernel = strip->kernel;
    const int lead = wari_verify_lead(strip->level, strip->block);
    const int drops_end = drops_end_of(step, lead);
    uint32_t columns[WARI_VERIFY_TILE];
    uint64_t marked[WARI_VERIFY_TILE];
    int count = 0;
    bool changed = false;

    for (uint32_t column = 0; column < WARI_VERIFY_TILE; column++) {
        columns[count] = column;
        marked[count] = kernel->marked(tile->codes[column]);
        count += marked[count] != 0;
    }
    for (int i = 0; i < COLUMNS_AHEAD && i < count; i++)
        wari_verify_strip_prefetch(strip, first + columns[i]);
    for (int i = 0; i < count; i++) {
        uint8_t *codes = tile->codes[columns[i]];
        struct wari_verify_edges edges;
        if (i + COLUMNS_AHEAD < count)
            wari_verify_strip_prefetch(strip, first + columns[i + COLUMNS_AHEAD]);
        const struct wari_verify_attaining found =
            kernel->attaining(strip, first + columns[i], drops_end, codes, &edges);
        const uint64_t left = marked[i] & remaining(&found, step, lead);
        kernel->reach_all(strip, &edges, left);
        for (uint64_t rows = marked[i] & ~left; rows != 0; rows &= rows - 1)
            codes[__builtin_ctzll(rows)] &= (uint8_t)~WARI_VERIFY_MARK;
        changed |= left != marked[i];
    }
    return changed;
}

static void process_item(struct wari_verify_level *level, const void *context, uint64_t number,
                         struct wari_verify_pass_result *result)
{
    const struct wari_verify_item *item = &level->items[number];
    const struct step *step = context;
    struct wari_verify_strip strip;
    struct wari_verify_tile tile;

    (void)result;
    if (item->full || (step->surplus && wari_verify_lead(level, item->block) == 0))
        return;
    wari_verify_strip_begin(&strip, level, item);
    for (uint32_t first = 0; first < strip.columns; first += WARI_VERIFY_TILE) {
        strip.kernel->load(&strip, first, &tile);
        if (process_tile(&strip, step, first, &tile))
            strip.kernel->store(&strip, first, &tile);
    }
}

/* Removes the marks of the positions that are not in level->reached, and empties that set. */
static void keep_reached(struct wari_verify_level *level, const void *context, uint64_t number,
                         struct wari_verify_pass_result *result)
{
    const struct wari_verify_kernel *kernel = wari_verify_kernel_fastest();
    const uint64_t words = wari_verify_reached_words(level), first = number * WORDS_PER_ITEM;
    const uint64_t end = words - first < WORDS_PER_ITEM ? words : first + WORDS_PER_ITEM;

    (void)context;
    for (uint64_t i = first; i < end; i++) {
        const uint64_t reached = atomic_load_explicit(&level->reached[i], memory_order_relaxed);
        atomic_store_explicit(&level->reached[i], 0, memory_order_relaxed);
        result->changed += (unsigned)kernel->keep(level->cells + i * WARI_VERIFY_CELLS, reached);
    }
}

static enum wari_status keep(struct wari_verify_level *level, uint64_t *left)
{
    struct wari_verify_pass_result total = {0};
    enum wari_status status = wari_verify_pass(
        level, keep_reached, NULL,
        (wari_verify_reached_words(level) + WORDS_PER_ITEM - 1) / WORDS_PER_ITEM, NULL, &total);
    *left = total.changed;
    return status;
}

static enum wari_status run_passes(struct wari_verify_level *level, const struct step *step)
{
    const uint64_t few = wari_level_positions(level->layout.seeds) / FEW_LEFT;
    uint64_t before, left = wari_level_positions(level->layout.seeds);
    enum wari_status status;

    do {
        struct wari_verify_pass_result total = {0};
        before = left;
        status =
            wari_verify_pass(level, process_item, step, level->item_count, step->phase, &total);
        if (status == WARI_OK)
            status = keep(level, &left);
    } while (status == WARI_OK && left > few && left < before - before / FEW_REMOVED);
    return status;
}

enum wari_status wari_verify_cycles(struct wari_verify_level *level)
{
    static const struct step step = {.phase = "grounding"};
    uint64_t left;
    enum wari_status status = keep(level, &left);
    if (status == WARI_OK)
        status = run_passes(level, &step);
    return status;
}

/* ---- (c), to the end ---- */

static void mark_candidates(struct wari_verify_level *level, const void *context, uint64_t number,
                            struct wari_verify_pass_result *result)
{
    const struct wari_verify_item *item = &level->items[number];
    struct wari_verify_strip strip;
    struct wari_verify_tile tile;

    (void)context;
    (void)result;
    if (item->full)
        return;
    wari_verify_strip_begin(&strip, level, item);
    for (uint32_t first = 0; first < strip.columns; first += WARI_VERIFY_TILE) {
        const uint32_t left = strip.columns - first;
        uint64_t any = 0;
        strip.kernel->load(&strip, first, &tile);
        for (uint32_t i = 0; i < WARI_VERIFY_TILE && i < left; i++) {
            const uint64_t rows = atomic_load_explicit(
                &level->candidates[item->first_word + first + i], memory_order_relaxed);
            for (uint64_t set = rows; set != 0; set &= set - 1)
                tile.codes[i][__builtin_ctzll(set)] |= WARI_VERIFY_MARK;
            any |= rows;
            atomic_store_explicit(&strip.pending[first + i], 0, memory_order_relaxed);
        }
        if (any != 0)
            strip.kernel->store(&strip, first, &tile);
    }
}

static uint64_t remove_from_strip(struct wari_verify_level *level,
                                  const struct wari_verify_strip *strip, uint32_t column,
                                  uint64_t pending)
{
    static const struct step step = {.surplus = true};
    const int lead = wari_verify_lead(level, strip->block);
    struct wari_verify_edges edges;
    uint8_t codes[WARI_VERIFY_ROWS];

    (void)strip->kernel->read(strip, column, codes);
    const struct wari_verify_attaining found =
        strip->kernel->attaining(strip, column, drops_end_of(&step, lead), codes, &edges);
    const uint64_t removed = pending & ~remaining(&found, &step, lead);
    for (uint64_t rows = removed; rows != 0; rows &= rows - 1)
        wari_verify_unmark(&level->cells[strip->first[__builtin_ctzll(rows)] + column]);
    return removed == 0 ? 0 : wari_verify_finish(&strip->pending[column], removed);
}

static bool remove_position(struct wari_verify_level *level, const struct wari_verify_place *place,
                            const struct wari_verify_children *children)
{
    static const struct step step = {.surplus = true};
    wari_verify_cell *cell = &level->cells[wari_verify_place_cell(level, place)];
    const uint8_t unmarked = wari_verify_opposite(wari_verify_read(cell));
    const struct wari_verify_bit bit =
        wari_verify_pending(level, place->block, place->row, place->column);
    const int lead = wari_verify_lead(level, place->block);
    struct wari_verify_attaining found = {0};

    for (int i = 0; i < children->count; i++) {
        if (lead > 0 && wari_verify_lead(level, children->child[i].block) >= 0)
            continue; /* this move loses the lead, which the leader must keep */
        const uint8_t reached = wari_verify_read(children->child[i].cell);
        found.unmarked |= reached == unmarked;
        found.marked |= reached == (unmarked | WARI_VERIFY_MARK);
    }
    if (remaining(&found, &step, lead) & 1)
        return false;
    wari_verify_unmark(cell);
    return wari_verify_finish(bit.word, bit.mask) != 0;
}

static bool attains(const struct wari_verify_level *level, const struct wari_verify_place *place,
                    uint8_t reached)
{
    const uint8_t code = wari_verify_read(&level->cells[wari_verify_place_cell(level, place)]);
    return reached == wari_verify_opposite(code);
}

enum wari_status wari_verify_surplus_cycles(struct wari_verify_level *level, uint64_t *left)
{
    static const struct step step = {.phase = "upper bounds", .surplus = true};
    static const struct wari_verify_task task = {.phase = "upper bounds",
                                                 .strip = remove_from_strip,
                                                 .is_affected = attains,
                                                 .one = remove_position};
    struct wari_verify_pass_result total = {0};
    enum wari_status status =
        wari_verify_pass(level, mark_candidates, NULL, level->item_count, NULL, &total);
    if (status == WARI_OK)
        status = run_passes(level, &step);
    if (status == WARI_OK)
        status = wari_verify_set_pending(level);
    if (status == WARI_OK)
        status = wari_verify_sweep(level, &task);
    if (status == WARI_OK)
        status = wari_verify_count_pending(level, left);
    return status;
}
