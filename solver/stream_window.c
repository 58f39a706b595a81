/* The window of the blocks that have their turn: where they are in it, and the way from and to the
 * pieces. */
#include "solver/stream.h"

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
    for (uint32_t strip = stream->first_strip[turn.first];
         strip < stream->first_strip[turn.first + turn.count]; strip++)
        atomic_store_explicit(&stream->changed[strip], 0, memory_order_relaxed);
}

/* The rows that a piece and the window share. */
struct overlap {
    uint32_t first, rows;
    bool whole; /* all of the piece */
};

static struct overlap overlap_of(const struct wari_stream *stream, int block, uint32_t piece)
{
    const uint32_t from = wari_piece_row(&stream->pieces, block, piece);
    const uint32_t to = from + wari_piece_rows(&stream->pieces, block, piece);
    const uint32_t window_end = stream->first_row + stream->held[block];
    const uint32_t first = from > stream->first_row ? from : stream->first_row;
    const uint32_t end = to < window_end ? to : window_end;

    return (struct overlap){first, end - first, first == from && end == to};
}

static void copy_in(struct wari_level *level, struct wari_worker *worker, void *context,
                    uint32_t piece)
{
    const struct wari_stream *stream = level->stream;
    const int block = wari_piece_block(&stream->pieces, piece);
    const struct overlap overlap = overlap_of(stream, block, piece);
    const size_t bytes = (size_t)overlap.rows * stream->pieces.pitch[block];

    (void)worker, (void)context;
    memcpy(wari_stream_window_row(stream, block, overlap.first),
           wari_pieces_row(&stream->pieces, block, overlap.first), bytes);
}

static bool any_changed(const struct wari_stream *stream, int block, const struct overlap *overlap)
{
    const _Atomic uint8_t *changed = stream->changed + stream->first_strip[block];
    const uint32_t last = (overlap->first + overlap->rows - 1) / WARI_STRIP;

    for (uint32_t strip = overlap->first / WARI_STRIP; strip <= last; strip++)
        if (atomic_load_explicit(&changed[strip], memory_order_relaxed) != 0)
            return true;
    return false;
}

/* Lists the window's pieces: all, or those of which something changed. */
static uint32_t list_pieces(struct wari_stream *stream, bool all)
{
    const struct wari_pieces *pieces = &stream->pieces;
    uint32_t count = 0;

    for (int block = stream->now.first; block < stream->now.first + stream->now.count; block++) {
        const uint32_t last_row = stream->first_row + stream->held[block] - 1;
        const uint32_t end = wari_piece_of(pieces, block, last_row) + 1;
        uint32_t piece = wari_piece_of(pieces, block, stream->first_row);
        for (; piece < end; piece++) {
            const struct overlap overlap = overlap_of(stream, block, piece);
            if (all || any_changed(stream, block, &overlap))
                stream->list[count++] = piece;
        }
    }
    return count;
}

void wari_stream_load_window(struct wari_level *level)
{
    struct wari_stream *stream = level->stream;
    struct wari_stream_each each = {.count = list_pieces(stream, true), .job = copy_in};

    wari_stream_each(level, &each);
}

/* A piece that is only partly in the window has to be read before it is written to, unless this is
 * the first time. */
static bool is_cut(const struct wari_level *level, uint32_t piece)
{
    const int block = wari_piece_block(&level->stream->pieces, piece);

    return !overlap_of(level->stream, block, piece).whole;
}

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

void wari_stream_store_changes(struct wari_level *level)
{
    wari_stream_rows *nobody = NULL;
    struct wari_stream_each each = {.count = list_pieces(level->stream, false),
                                    .read = is_cut,
                                    .job = copy_out,
                                    .context = &nobody};

    wari_stream_each(level, &each);
}

void wari_stream_store_window(struct wari_level *level, wari_stream_rows *also)
{
    struct wari_stream_each each = {.count = list_pieces(level->stream, true),
                                    .read = was_begun,
                                    .job = copy_out,
                                    .context = &also};

    wari_stream_each(level, &each);
}
