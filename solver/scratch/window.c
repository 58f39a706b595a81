/* The window of the blocks that have their turn: where they are in it, and the way from and to the
 * pieces. */
#include "solver/scratch/window.h"

#include <string.h>

#include "solver/scratch/passes.h"

/* ---- The window ----------------------------------------------------------------------------- */

uint32_t wari_scratch_window_rows(const struct wari_scratch *scratch, int block)
{
    const uint32_t rows = scratch->pieces.cut.block_rows[block];
    const uint64_t room =
        (scratch->shape.window - WARI_PIECE_PADDING) / scratch->pieces.cut.pitch[block];

    return rows <= room ? rows : (uint32_t)(room / WARI_STRIP * WARI_STRIP);
}

void wari_scratch_open_window(struct wari_level *level, struct wari_turn turn, uint32_t first_row)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    const uint32_t most = wari_scratch_window_rows(scratch, turn.first);
    const uint32_t left = level->layout.rows[turn.first] - first_row;
    uint64_t place = 0;

    scratch->window.now = turn;
    scratch->window.first_row = first_row;
    scratch->window.rows = turn.count == 1 && left > most ? most : left;
    for (int block = turn.first; block < turn.first + turn.count; block++) {
        scratch->window.place[block] = place;
        scratch->window.held[block] =
            turn.count == 1 ? scratch->window.rows : level->layout.rows[block];
        place += wari_scratch_block_bytes(&level->layout, block);
    }
}

/* The rows that a piece and the window share. */
struct overlap {
    uint32_t first, rows;
};

static struct overlap overlap_of(const struct wari_scratch *scratch, int block, uint32_t piece)
{
    const uint32_t from = wari_piece_row(&scratch->pieces, block, piece);
    const uint32_t to = from + wari_piece_rows(&scratch->pieces, block, piece);
    const uint32_t window_end = scratch->window.first_row + scratch->window.held[block];
    const uint32_t first = from > scratch->window.first_row ? from : scratch->window.first_row;
    const uint32_t end = to < window_end ? to : window_end;

    return (struct overlap){first, end - first};
}

/* Lists the window's pieces. */
static uint32_t list_pieces(struct wari_scratch *scratch)
{
    const struct wari_pieces *pieces = &scratch->pieces;
    uint32_t count = 0;

    for (int block = scratch->window.now.first;
         block < scratch->window.now.first + scratch->window.now.count; block++) {
        const uint32_t last_row = scratch->window.first_row + scratch->window.held[block] - 1;
        const uint32_t end = wari_piece_of(pieces, block, last_row) + 1;
        uint32_t piece = wari_piece_of(pieces, block, scratch->window.first_row);
        for (; piece < end; piece++)
            scratch->list[count++] = piece;
    }
    return count;
}

/* A piece that is only partly in the window has to be read before it is written to, unless this is
 * the first time. */
static bool was_begun(const struct wari_level *level, uint32_t piece)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);

    return wari_piece_row(&scratch->pieces, wari_piece_block(&scratch->pieces, piece), piece) <
           scratch->window.first_row;
}

static void copy_out(struct wari_level *level, struct wari_worker *worker, void *context,
                     uint32_t piece)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    wari_scratch_rows *const *also = context;
    const int block = wari_piece_block(&scratch->pieces, piece);
    const struct overlap overlap = overlap_of(scratch, block, piece);

    memcpy(wari_pieces_row(&scratch->pieces, block, overlap.first),
           wari_scratch_window_row(scratch, block, overlap.first),
           (size_t)overlap.rows * scratch->pieces.cut.pitch[block]);
    wari_pieces_written(&scratch->pieces, piece);
    if (*also)
        (*also)(level, worker, block, overlap.first, overlap.rows);
}

void wari_scratch_store_window(struct wari_level *level, wari_scratch_rows *also)
{
    struct wari_scratch_each each = {.count = list_pieces(wari_scratch_of(level)),
                                     .read = was_begun,
                                     .job = copy_out,
                                     .context = &also};

    wari_scratch_each(level, &each);
}
