/* Computes the guess and the context of each cell of a book (FORMAT.md, "Values of a block").
 *
 * A value is close to the values of its neighbours: the positions in which one seed of a pit is in
 * the next pit instead. The number of cells between a cell and its neighbour follows from the
 * number of seeds after that pit, so no table is needed. The capture at hand is the largest number
 * of seeds that the mover can capture at once. Values minus captures at hand are even closer to
 * each other than values, so the guess is computed from these differences. The encoder writes only
 * the difference between a value and its guess, so one model serves all levels. */
#include "db/book/cells.h"

#include <string.h>

#include "index/half.h"

enum {
    NEIGHBOURS = 4,
    GUESSES = 6, /* contexts distinguish the guesses -6..6; larger guesses count as 6 or -6 */
};

/* Returns the number of cells with `across` seeds on the opponent's side. */
static uint64_t block_cells(int seeds, int across)
{
    return (uint64_t)wari_row_count(across) * wari_half_count(seeds - across);
}

uint64_t wari_cells_before(int seeds, int across)
{
    uint64_t cells = 0;
    for (int s = 0; s < across; s++)
        cells += block_cells(seeds, s);
    return cells;
}

uint64_t wari_book_cells_held(int seeds)
{
    return wari_cells_before(seeds, seeds / 2 + 1);
}

void wari_book_count_blocks(int seeds, uint64_t first_block[])
{
    uint64_t blocks = 0;
    for (int n = 0; n <= seeds; n++) {
        first_block[n] = blocks;
        if (wari_level_exists(n))
            blocks += (wari_book_cells_held(n) + WARI_BOOK_CELLS - 1) / WARI_BOOK_CELLS;
    }
    first_block[seeds + 1] = blocks;
}

uint64_t wari_cell_number(const struct wari_position *position, int seeds, int across)
{
    return wari_cells_before(seeds, across) +
           (uint64_t)wari_row_rank(position->pits + WARI_HALF_PITS) *
               wari_half_count(seeds - across) +
           wari_half_rank(position->pits);
}

/* Computes, for each opponent pit, the number of seeds that a sowing captures if its last seed
 * falls into this pit. The number does not depend on the pit where the sowing starts. It is 0 if
 * the sowing would capture all of the opponent's seeds. */
static void begin_row(struct wari_cell *cell)
{
    const uint8_t *opponent = cell->position.pits + WARI_HALF_PITS;
    for (int last = 0; last < WARI_HALF_PITS; last++) {
        int captured = 0;
        for (int pit = last; pit >= 0 && (opponent[pit] == 1 || opponent[pit] == 2); pit--)
            captured += opponent[pit] + 1;
        if (captured == cell->across + last + 1)
            captured = 0;
        cell->capture[WARI_HALF_PITS + last] = (uint8_t)captured;
    }
}

void wari_cell_find(struct wari_cell *cell, int seeds, uint64_t number)
{
    int across = 0;
    uint64_t size;
    while (number >= (size = block_cells(seeds, across))) {
        number -= size;
        across++;
    }
    memset(cell->capture, 0, sizeof cell->capture);
    cell->seeds = seeds;
    cell->across = across;
    const uint32_t columns = wari_half_count(seeds - across);
    wari_row_unrank(across, (uint32_t)(number / columns), cell->position.pits + WARI_HALF_PITS);
    wari_half_unrank(seeds - across, (uint32_t)(number % columns), cell->position.pits);
    begin_row(cell);
}

void wari_cell_next(struct wari_cell *cell)
{
    uint8_t *mover = cell->position.pits;
    uint8_t *opponent = mover + WARI_HALF_PITS;
    if (wari_half_next(mover))
        return;
    bool more = wari_half_next(opponent);
    while (more && wari_half_full(opponent))
        more = wari_half_next(opponent);
    if (!more && cell->across == cell->seeds)
        return;
    if (!more)
        wari_half_first(++cell->across, opponent);
    wari_half_first(cell->seeds - cell->across, mover);
    begin_row(cell);
}

int wari_cell_capture(const struct wari_cell *cell)
{
    int most = 0;
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        const int captured = cell->capture[pit + cell->position.pits[pit]];
        most = captured > most ? captured : most;
    }
    return most;
}

void wari_book_cells_begin(struct wari_book_cells *cells, int seeds, uint64_t number)
{
    cells->cell = 0;
    wari_cell_find(&cells->current, seeds, number);
}

/* Collects the residues (values minus captures at hand) of the neighbours: the cell before this
 * one, and the cells where a seed of D, C or B is moved on. A neighbour that does not exist because
 * the pit is empty, or that is outside the block, is replaced by the neighbour collected before it.
 */
static void find_neighbours(const struct wari_book_cells *cells, int rest[NEIGHBOURS])
{
    const uint8_t *pits = cells->current.position.pits;
    const int8_t *here = cells->rest + cells->cell;
    int after = pits[4] + pits[5];
    int distance[NEIGHBOURS];
    distance[0] = 1;
    distance[1] = after + 1;
    after += pits[3];
    distance[2] = (after + 1) * (after + 2) / 2;
    after += pits[2];
    distance[3] = (after + 1) * (after + 2) * (after + 3) / 6;
    rest[0] = cells->cell > 0 ? here[-1] : 0;
    for (int i = 1; i < NEIGHBOURS; i++)
        rest[i] = pits[WARI_HALF_PITS - 2 - i] > 0 && distance[i] <= cells->cell
                      ? here[-distance[i]]
                      : rest[i - 1];
}

/* A sum of comparisons avoids branches, which would be unpredictable. */
static int spread_class(int spread)
{
    return (spread >= 1) + (spread >= 5) + (spread >= 16) + (spread >= 64) + (spread >= 256) +
           (spread >= 512);
}

static int between(int number, int least, int most)
{
    return number < least ? least : number > most ? most : number;
}

void wari_book_cells_look(struct wari_book_cells *cells)
{
    const int seeds = cells->current.seeds;
    int rest[NEIGHBOURS];
    int sum = 0, squares = 0;
    find_neighbours(cells, rest);
    for (int i = 0; i < NEIGHBOURS; i++) {
        sum += rest[i];
        squares += rest[i] * rest[i];
    }
    cells->hand = wari_cell_capture(&cells->current);
    /* Rounds to the nearest integer. Adding 1024 makes the dividend positive, since division rounds
     * towards 0. */
    int mean = (sum + 4 * cells->hand + 2 + 1024) / 4 - 256;
    cells->guess = between(mean, -seeds, seeds);
    int odd = (seeds + cells->guess) % 2;
    cells->context =
        (spread_class(NEIGHBOURS * squares - sum * sum) * 2 + odd) * (2 * GUESSES + 1) +
        between(cells->guess, -GUESSES, GUESSES) + GUESSES;
}

void wari_book_cells_put(struct wari_book_cells *cells, int value)
{
    cells->rest[cells->cell++] = (int8_t)(value - cells->hand);
    wari_cell_next(&cells->current);
}
