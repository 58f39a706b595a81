/* Converts between positions of a level and their numbers, for users of the library: the
 * functions of index/ with checked arguments.
 *
 * wari_position_next() is a separate function, because programs that read a level in bulk go
 * from one position to the next. It takes a fiftieth of the time of finding a position by its
 * number (5 instead of 256 ns, measured at 18 seeds). It visits the positions in the order of
 * the files: block by block, row by row, cell by cell (index/level.h draws it). */
#include "db/wari.h"
#include "index/half.h"
#include "index/level.h"

static bool is_level(int seeds)
{
    return seeds >= 0 && seeds <= WARI_SEEDS_MAX;
}

uint64_t wari_level_size(int seeds)
{
    return is_level(seeds) ? wari_level_positions(seeds) : 0;
}

enum wari_status wari_position_number(const struct wari_position *position, uint64_t *number,
                                      struct wari_error *error)
{
    struct wari_layout layout;
    if (!wari_position_valid(position))
        return wari_fail(error, WARI_BAD_INPUT, "a position has at most %d seeds, not %d",
                         WARI_SEEDS_MAX, wari_seeds(position));
    if (!wari_position_stored(position))
        return wari_fail(error, WARI_BAD_INPUT,
                         "this position has no number, because it is not stored: no pit of the "
                         "opponent is empty, so no move leads to it; query its value instead");
    wari_layout_init(&layout, wari_seeds(position));
    *number = wari_layout_rank(&layout, position);
    return WARI_OK;
}

enum wari_status wari_position_numbered(int seeds, uint64_t number, struct wari_position *position,
                                        struct wari_error *error)
{
    struct wari_layout layout;
    if (!is_level(seeds))
        return wari_fail(error, WARI_BAD_INPUT, "there is no level %d; a level has 0 to %d seeds",
                         seeds, WARI_SEEDS_MAX);
    if (number >= wari_level_positions(seeds))
        return wari_fail(
            error, WARI_BAD_INPUT,
            "level %d has %llu stored positions, numbered from 0; there is no number %llu", seeds,
            (unsigned long long)wari_level_positions(seeds), (unsigned long long)number);
    wari_layout_init(&layout, seeds);
    wari_layout_unrank(&layout, number, position);
    return WARI_OK;
}

bool wari_position_next(struct wari_position *position)
{
    uint8_t *mover = position->pits;
    uint8_t *opponent = position->pits + WARI_HALF_PITS;
    if (wari_half_next(mover)) /* the next cell */
        return true;

    /* The mover half was the last one of its row, with all its seeds in pit A. Continues with
     * the first cell of the next row of the block, if there is one. Full opponent halves have no
     * row and are skipped. */
    int seeds = mover[0];
    int across = wari_half_seeds(opponent);
    bool row = wari_half_next(opponent);
    while (row && wari_half_full(opponent))
        row = wari_half_next(opponent);
    if (!row) { /* this was the last row: continues with the next block, or after the last block
                 * with the first one */
        bool more = seeds > 0;
        wari_half_first(more ? across + 1 : 0, opponent);
        wari_half_first(more ? seeds - 1 : across, mover);
        return more;
    }
    wari_half_first(seeds, mover);
    return true;
}
