/* The plan of a turn: in which order the columns of its blocks go by, by which steps, and when each
 * piece is needed next. Columns go by in the order of the first pits of their mover halves, block
 * after block where these are the same: what one of the blocks has read, of this level or of those
 * below, is then still there for the others. */
#include "solver/scratch/steps.h"

#include <string.h>

#include "solver/level/item.h"
#include "solver/rows/sowings.h"
#include "solver/scratch/passes.h"

/* UINT64_MAX: no column is left. */
static uint64_t key_of(const struct wari_level *level, int block, uint32_t column)
{
    return column == level->layout.columns[block]
               ? UINT64_MAX
               : wari_item_key(level->layout.seeds - block, column);
}

void wari_scratch_begin_plan(struct wari_level *level, struct wari_turn turn)
{
    struct wari_scratch_plan *plan = &wari_scratch_of(level)->plan;

    plan->turn = turn;
    plan->run = 0;
    for (int block = turn.first; block < turn.first + turn.count; block++) {
        plan->column[block] = 0;
        plan->key[block] = key_of(level, block, 0);
    }
}

int wari_scratch_next_block(const struct wari_scratch_plan *plan)
{
    int next = -1;

    for (int block = plan->turn.first; block < plan->turn.first + plan->turn.count; block++)
        if (plan->key[block] < (next < 0 ? UINT64_MAX : plan->key[next]))
            next = block;
    return next;
}

static void begin_step(struct wari_scratch_plan *plan)
{
    plan->first_slice[plan->steps] = plan->slices;
    plan->first_need[plan->steps] = plan->needs;
    plan->stamp++;
}

void wari_scratch_begin_steps(struct wari_scratch_plan *plan)
{
    plan->steps = plan->slices = plan->needs = 0;
    begin_step(plan);
}

void wari_scratch_end_step(struct wari_scratch_plan *plan)
{
    if (plan->slices == plan->first_slice[plan->steps])
        return;
    plan->steps++;
    begin_step(plan);
}

void wari_scratch_go_by(struct wari_level *level, int block, uint32_t columns)
{
    struct wari_scratch_plan *plan = &wari_scratch_of(level)->plan;

    plan->column[block] += columns;
    plan->key[block] = key_of(level, block, plan->column[block]);
}

/* From the end of the plan on. */
void wari_scratch_look_ahead(struct wari_scratch *scratch)
{
    struct wari_scratch_plan *plan = &scratch->plan;
    const uint32_t pieces = scratch->pieces.cut.count, first_step = scratch->step + 1;

    memset(plan->later, 0xff, pieces * sizeof *plan->later); /* WARI_NO_PIECE: not at all */
    for (uint32_t step = plan->steps; step-- > 0;)
        for (uint32_t i = plan->first_need[step]; i < plan->first_need[step + 1]; i++) {
            uint32_t *later = &plan->later[plan->need[i]];
            plan->next[i] = *later;
            *later = first_step + step;
        }
    for (uint32_t i = 0; i < scratch->pieces.frames.count; i++) {
        struct wari_frame *frame = &scratch->pieces.frames.frame[i];
        if (frame->piece == WARI_NO_PIECE)
            continue;
        frame->next = wari_scratch_far_away(scratch, frame->piece);
        if (plan->later[frame->piece] != WARI_NO_PIECE)
            frame->next = plan->later[frame->piece];
    }
}

/* Adds the pieces that some columns need to the step that is being planned; false if there are too
 * many for the step, or for the plan (*full). Those that were added are taken back then. */
static bool add_columns(struct wari_level *level, const struct wari_slice *slice,
                        uint32_t first_need, bool *full)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);
    struct wari_scratch_plan *plan = &wari_scratch_of(level)->plan;
    const int movers = level->layout.seeds - slice->block;
    wari_sowing sowings[WARI_GROUP][WARI_HALF_PITS];
    const uint32_t before = plan->needs, cap = wari_scratch_cap(scratch->pieces.frames.count);
    bool fits = true;

    wari_sow_halves(&level->tables->halves, movers, slice->first_column, slice->columns, sowings);
    for (uint32_t i = 0; i < slice->columns * (uint32_t)WARI_HALF_PITS && fits; i++) {
        const wari_sowing sowing = sowings[i / WARI_HALF_PITS][i % WARI_HALF_PITS];
        if (sowing == WARI_NO_SOWING)
            continue;
        const int child = movers - wari_sowing_sown(sowing);
        const uint32_t piece = wari_piece_of(&scratch->pieces, child, wari_sowing_row(sowing));
        if (plan->seen[piece] == plan->stamp)
            continue;
        *full = plan->needs == scratch->shape.entries;
        fits = !*full && plan->needs - first_need < cap;
        if (!fits)
            break;
        plan->seen[piece] = plan->stamp;
        plan->need[plan->needs++] = piece;
    }
    if (!fits)
        while (plan->needs > before)
            plan->seen[plan->need[--plan->needs] % scratch->pieces.cut.count] = 0;
    return fits;
}

bool wari_scratch_plan(struct wari_level *level)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    struct wari_scratch_plan *plan = &scratch->plan;
    uint32_t width = WARI_GROUP;
    bool full = false;
    int block;

    wari_scratch_begin_steps(plan);
    while (!full && (block = wari_scratch_next_block(plan)) >= 0 &&
           plan->slices < scratch->shape.entries) {
        const uint32_t column = plan->column[block], left = level->layout.columns[block] - column;
        struct wari_slice slice = {.first_column = column, .block = (uint8_t)block};
        uint32_t columns = WARI_GROUP - column % WARI_GROUP;
        if (columns > width)
            columns = width;
        slice.columns = (uint8_t)(columns > left ? left : columns);
        if (add_columns(level, &slice, plan->first_need[plan->steps], &full)) {
            plan->slice[plan->slices++] = slice;
            wari_scratch_go_by(level, block, slice.columns);
            width = WARI_GROUP;
        } else if (plan->slices > plan->first_slice[plan->steps]) {
            wari_scratch_end_step(plan);
        } else if (!full) {
            width = slice.columns / 2;
        }
    }
    wari_scratch_end_step(plan);
    wari_scratch_look_ahead(scratch);
    return plan->steps > 0;
}

/* ---- For passes ------------------------------------------------------------------------------ */

bool wari_scratch_want_planned(struct wari_level *level, void *context, uint32_t step)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_scratch_plan *plan = &scratch->plan;
    const uint32_t first = plan->first_need[step], end = plan->first_need[step + 1];

    (void)context;
    if (!wari_scratch_want(scratch, plan->need + first, end - first, true))
        return false;
    for (uint32_t i = first; i < end; i++)
        if (plan->next[i] != WARI_NO_PIECE)
            wari_piece_frame(&scratch->pieces, plan->need[i])->next = plan->next[i];
    return true;
}

uint32_t wari_scratch_slices(const struct wari_level *level, void *context, uint32_t step)
{
    const struct wari_scratch_plan *plan = &wari_scratch_of(level)->plan;

    (void)context;
    return plan->first_slice[step + 1] - plan->first_slice[step];
}
