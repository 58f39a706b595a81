/* The window of the blocks that have their turn: where they are in it, and the way from and to the
 * pieces. */
#include "solver/scratch/stream.h"

#include <string.h>

/* ---- The window ----------------------------------------------------------------------------- */

uint32_t wari_stream_window_rows(const struct wari_stream *stream, int block)
{
    const uint32_t rows = stream->pieces.block_rows[block];
    const uint64_t room = (stream->shape.window - WARI_PIECE_PADDING) / stream->pieces.pitch[block];

    return rows <= room ? rows : (uint32_t)(room / WARI_STRIP * WARI_STRIP);
}

void wari_stream_open_window(struct wari_level *level, struct wari_turn turn, uint32_t first_row)
{
    struct wari_stream *stream = level->stream;
    const uint32_t most = wari_stream_window_rows(stream, turn.first);
    const uint32_t left = level->layout.rows[turn.first] - first_row;
    uint64_t place = 0;

    stream->now = turn;
    stream->first_row = first_row;
    stream->rows = turn.count == 1 && left > most ? most : left;
    for (int block = turn.first; block < turn.first + turn.count; block++) {
        stream->place[block] = place;
        stream->held[block] = turn.count == 1 ? stream->rows : level->layout.rows[block];
        place += wari_stream_block_bytes(&level->layout, block);
    }
}

/* The rows that a piece and the window share. */
struct overlap {
    uint32_t first, rows;
};

static struct overlap overlap_of(const struct wari_stream *stream, int block, uint32_t piece)
{
    const uint32_t from = wari_piece_row(&stream->pieces, block, piece);
    const uint32_t to = from + wari_piece_rows(&stream->pieces, block, piece);
    const uint32_t window_end = stream->first_row + stream->held[block];
    const uint32_t first = from > stream->first_row ? from : stream->first_row;
    const uint32_t end = to < window_end ? to : window_end;

    return (struct overlap){first, end - first};
}

/* Lists the window's pieces. */
static uint32_t list_pieces(struct wari_stream *stream)
{
    const struct wari_pieces *pieces = &stream->pieces;
    uint32_t count = 0;

    for (int block = stream->now.first; block < stream->now.first + stream->now.count; block++) {
        const uint32_t last_row = stream->first_row + stream->held[block] - 1;
        const uint32_t end = wari_piece_of(pieces, block, last_row) + 1;
        uint32_t piece = wari_piece_of(pieces, block, stream->first_row);
        for (; piece < end; piece++)
            stream->list[count++] = piece;
    }
    return count;
}

/* A piece that is only partly in the window has to be read before it is written to, unless this is
 * the first time. */
static bool was_begun(const struct wari_level *level, uint32_t piece)
{
    const struct wari_stream *stream = level->stream;

    return wari_piece_row(&stream->pieces, wari_piece_block(&stream->pieces, piece), piece) <
           stream->first_row;
}

static void copy_out(struct wari_level *level, struct wari_worker *worker, void *context,
                     uint32_t piece)
{
    struct wari_stream *stream = level->stream;
    wari_stream_rows *const *also = context;
    const int block = wari_piece_block(&stream->pieces, piece);
    const struct overlap overlap = overlap_of(stream, block, piece);

    memcpy(wari_pieces_row(&stream->pieces, block, overlap.first),
           wari_stream_window_row(stream, block, overlap.first),
           (size_t)overlap.rows * stream->pieces.pitch[block]);
    wari_pieces_written(&stream->pieces, piece);
    if (*also)
        (*also)(level, worker, block, overlap.first, overlap.rows);
}

void wari_stream_store_window(struct wari_level *level, wari_stream_rows *also)
{
    struct wari_stream_each each = {
        .count = list_pieces(level->stream), .read = was_begun, .job = copy_out, .context = &also};

    wari_stream_each(level, &each);
}
