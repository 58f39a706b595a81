/* The rules of late sweeps, see late.h: both ways along a move, and what becomes of a cell. */
#include "solver/late.h"

#include "solver/sweep.h"

struct wari_parents_of wari_parents_of(const struct wari_tables *tables, int seeds,
                                       struct wari_place child)
{
    const struct wari_origins *origins = &tables->origins[child.block];

    return (struct wari_parents_of){
        .tables = tables,
        .seeds = seeds,
        .child = child,
        .next = origins->first[child.row],
        .end = origins->first[child.row + 1],
        .most_sown = tables->origins[seeds - child.block].most_sown[child.column]};
}

bool wari_next_parent(struct wari_parents_of *parents, struct wari_place *parent)
{
    const struct wari_tables *tables = parents->tables;
    const struct wari_place *child = &parents->child;

    while (parents->next < parents->end) {
        const wari_sowing origin = tables->origins[child->block].origin[parents->next++];
        const int sown = wari_sowing_sown(origin);
        const int block = parents->seeds - child->block - sown;
        if (block < 0 || sown > parents->most_sown)
            break; /* and the next ones drop as many or more */
        if (sown == 0 && block == 0)
            continue; /* feeding: a move must reach an empty row */
        if (!wari_gather_parent(&tables->gather[WARI_PARENTS_ROWS][block][sown], child->column,
                                wari_sowing_last(origin), &parent->row))
            continue;
        parent->block = block;
        parent->column = wari_sowing_row(origin);
        return true;
    }
    parents->next = parents->end;
    return false;
}

/* The child's column, of a parent in a row of a gather. */
static uint32_t child_column(const struct wari_gather *gather, uint32_t row)
{
    const uint32_t strip = row / WARI_STRIP, place = row % WARI_STRIP;
    uint32_t w = gather->first_word[strip];

    while (w + 1 < gather->first_word[strip + 1] && gather->word[w + 1].start <= place)
        w++;
    return gather->word[w].column + gather->index[row];
}

int wari_children_of(const struct wari_tables *tables, int seeds, struct wari_place parent,
                     struct wari_place children[WARI_HALF_PITS])
{
    const wari_sowing *sowings =
        tables->sowings[seeds - parent.block] + (size_t)parent.column * WARI_HALF_PITS;
    int count = 0;

    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        if (sowings[pit] == WARI_NO_SOWING)
            continue;
        const int sown = wari_sowing_sown(sowings[pit]);
        const struct wari_gather *gather = &tables->gather[WARI_PARENTS_ROWS][parent.block][sown];
        if (sown == 0 && parent.block == 0)
            continue; /* feeding: a move must reach an empty row */
        if (wari_sowing_last(sowings[pit]) &&
            !(gather->quiet[parent.row / WARI_STRIP] >> parent.row % WARI_STRIP & 1))
            continue;
        children[count++] =
            (struct wari_place){seeds - parent.block - sown, wari_sowing_row(sowings[pit]),
                                child_column(gather, parent.row)};
    }
    return count;
}

/* Growing, a child that got worse for its mover raises the parent, whatever the other children are.
 * One that got better can let the parent fall, but only from the value that this child gave it:
 * then all children have to be looked at. */
int8_t wari_late_raise(const struct wari_cells *codes, enum wari_sweep_kind kind, wari_event event,
                       int8_t old, bool *look)
{
    const int8_t child = wari_event_code(event), before = wari_event_before(event);
    const int8_t rise = codes->rise[(uint8_t)child];

    *look = kind == WARI_SHRINK;
    if (*look)
        return old;
    if (rise > old)
        return rise;
    *look = child > codes->hold[(uint8_t)old] &&
            (before == WARI_CODE_UNKNOWN ||
             wari_cell_value(codes, old) == -wari_cell_value(codes, before));
    return old;
}

int8_t wari_late_concluded(const struct wari_level *level, struct wari_worker *worker,
                           enum wari_sweep_kind kind, struct wari_place place, int8_t old,
                           int8_t proved, int8_t worst)
{
    bool ask = false;
    int8_t code;

    if (kind == WARI_SHRINK)
        return wari_hope_shrunk(wari_cell_value(&level->codes, proved), old,
                                level->layout.seeds - 2 * place.block, worst);
    code = wari_cell_grown(&level->codes, old, worst, &ask);
    if (ask)
        code = wari_answer(level, worker, place.block, place.row, place.column, worst, old);
    return code;
}
