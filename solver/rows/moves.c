/* Finds the parents and the children of a cell; see moves.h. */
#include "solver/rows/moves.h"

/* Returns true if a move whose last seed falls on the opponent's side is quiet. `theirs` is the
 * opponent's half after `sown` seeds were dropped there. */
static bool lands_quietly(const struct wari_tables *tables, wari_pits theirs, int sown)
{
    const int seeds = wari_pits_in(theirs, (sown - 1) % WARI_HALF_PITS);
    uint8_t half[WARI_HALF_PITS];

    if (seeds != 2 && seeds != 3)
        return true;
    if (wari_get_rules_info(tables->rules)->slam != WARI_SLAM_NO_CAPTURE)
        return false;
    wari_pits_unpack(theirs, half);
    return wari_land(half, sown).slam;
}

/* The rows of the parents, by the number of seeds that their moves drop. */
struct parent_rows {
    int end;                            /* the move of every parent drops fewer seeds than this */
    uint32_t row[2][WARI_SOWN_MAX + 1]; /* [last seed falls on the opponent's side][sown] */
};

#define NO_ROW UINT32_MAX

/* Finds the rows of the parents of a child. `theirs` is the half of the child that was the
 * opponent's half in the parents; it contains the seeds that the move dropped into it. */
static void find_parent_rows(const struct wari_tables *tables, wari_pits theirs,
                             struct parent_rows *rows)
{
    const struct wari_halves *halves = &tables->halves;
    int sown = 0;

    for (; sown <= WARI_SOWN_MAX && wari_pits_holds(theirs, halves->drop[sown]); sown++) {
        const wari_pits before = theirs - halves->drop[sown];
        uint32_t row = NO_ROW;
        if (wari_pits_empty(before) && (before != 0 || sown > 0)) /* an empty row must be fed */
            row = wari_pits_row_rank(halves, before);
        rows->row[false][sown] = row;
        rows->row[true][sown] = sown > 0 && lands_quietly(tables, theirs, sown) ? row : NO_ROW;
    }
    rows->end = sown;
}

int wari_parents_of_board(const struct wari_tables *tables, int seeds, int block,
                          const struct wari_board *child,
                          struct wari_coordinates parents[WARI_PARENTS_MAX],
                          struct wari_board boards[WARI_PARENTS_MAX])
{
    const struct wari_halves *halves = &tables->halves;
    const wari_pits mine = child->theirs; /* the sides were exchanged after the move */
    struct parent_rows rows;
    int count = 0;

    find_parent_rows(tables, child->mine, &rows);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        if (wari_pits_in(mine, pit) != 0)
            continue;
        for (int here = 1;; here++) {
            const wari_sowing sowing = halves->sowing[pit][here];
            const wari_pits own = halves->own[pit][here];
            const int sown = wari_sowing_sown(sowing);
            if (sown >= rows.end || !wari_pits_holds(mine, own))
                break; /* sowing more seeds would drop at least as many into each pit */
            const uint32_t row = rows.row[wari_sowing_last(sowing)][sown];
            if (row == NO_ROW)
                continue;
            const wari_pits half = mine - own + ((wari_pits)here << wari_pits_shift(pit));
            if (boards)
                boards[count] = (struct wari_board){child->mine - halves->drop[sown], half};
            parents[count++] =
                (struct wari_coordinates){seeds - block - sown, row, wari_pits_rank(halves, half)};
        }
    }
    return count;
}

int wari_next_child_of_board(const struct wari_tables *tables, int seeds, int block,
                             const struct wari_board *parent, int pit,
                             struct wari_coordinates *child)
{
    const struct wari_halves *halves = &tables->halves;
    const wari_pits theirs = parent->theirs, mine = parent->mine;

    for (; pit < WARI_HALF_PITS; pit++) {
        const int here = wari_pits_in(mine, pit);
        const wari_sowing sowing = halves->sowing[pit][here];
        const int sown = wari_sowing_sown(sowing);
        const wari_pits after = theirs + halves->drop[sown];
        if (here == 0 || after == 0)
            continue; /* feeding: an opponent's empty row must get seeds */
        if (wari_sowing_last(sowing) && !lands_quietly(tables, after, sown))
            continue;
        const wari_pits left =
            mine - ((wari_pits)here << wari_pits_shift(pit)) + halves->own[pit][here];
        *child = (struct wari_coordinates){seeds - block - sown, wari_pits_row_rank(halves, left),
                                           wari_pits_rank(halves, after)};
        break;
    }
    return pit;
}

int wari_children_of_board(const struct wari_tables *tables, int seeds, int block,
                           const struct wari_board *parent,
                           struct wari_coordinates children[WARI_HALF_PITS])
{
    int count = 0, pit = 0;

    while ((pit = wari_next_child_of_board(tables, seeds, block, parent, pit, children + count)) <
           WARI_HALF_PITS) {
        count++;
        pit++;
    }
    return count;
}
