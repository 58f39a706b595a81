/* How a level is cut into pieces, and their way to the file and back, see pieces.h. */
#include "solver/bits/pieces.h"

#include <string.h>

#include "solver/kernel/kernel.h"
#include "solver/level/size.h"
#include "system/sum.h"

/* ---- Where pieces are ----------------------------------------------------------------------- */

/* Bytes from piece to piece in the file. */
static uint64_t stride(const struct wari_pieces_cut *cut, int block)
{
    return wari_whole_units((uint64_t)cut->rows[block] * cut->pitch[block]);
}

void wari_pieces_number(struct wari_pieces_cut *cut)
{
    uint64_t offset = 0;

    cut->count = 0;
    for (int s = 0; s <= cut->seeds; s++) {
        const uint32_t pieces = (cut->block_rows[s] + cut->rows[s] - 1) / cut->rows[s];
        cut->first[s] = cut->count;
        cut->offset[s] = offset;
        cut->count += pieces;
        offset += pieces * stride(cut, s);
    }
    cut->first[cut->seeds + 1] = cut->count;
    cut->offset[cut->seeds + 1] = offset;
}

void wari_pieces_cut_level(struct wari_pieces_cut *cut, const struct wari_layout *layout,
                           size_t frame_bytes)
{
    *cut = (struct wari_pieces_cut){.seeds = layout->seeds};
    for (int s = 0; s <= layout->seeds; s++) {
        cut->pitch[s] = wari_level_pitch(layout->columns[s]);
        const uint32_t rows = (uint32_t)((frame_bytes - WARI_PIECE_PADDING) / cut->pitch[s]);
        cut->block_rows[s] = layout->rows[s];
        cut->rows[s] = rows < layout->rows[s] ? rows : layout->rows[s];
    }
    wari_pieces_number(cut);
}

uint64_t wari_pieces_file_bytes(const struct wari_pieces_cut *cut)
{
    return cut->offset[cut->seeds + 1];
}

int wari_piece_block(const struct wari_pieces_cut *cut, uint32_t piece)
{
    int block = 0;

    while (piece >= cut->first[block + 1])
        block++;
    return block;
}

uint32_t wari_piece_row(const struct wari_pieces_cut *cut, int block, uint32_t piece)
{
    return (piece - cut->first[block]) * cut->rows[block];
}

uint32_t wari_piece_rows(const struct wari_pieces_cut *cut, int block, uint32_t piece)
{
    const uint32_t left = cut->block_rows[block] - wari_piece_row(cut, block, piece);

    return left < cut->rows[block] ? left : cut->rows[block];
}

/* ---- Tables --------------------------------------------------------------------------------- */

uint64_t wari_pieces_table_bytes(const struct wari_pieces_cut *cut)
{
    return (uint64_t)cut->count * (sizeof(uint64_t) + 2 * sizeof(uint32_t)) + sizeof(uint32_t);
}

enum wari_status wari_pieces_open(struct wari_pieces *pieces, struct wari_error *error)
{
    const size_t bytes = (size_t)wari_pieces_table_bytes(&pieces->cut);
    void *memory;
    const enum wari_status status = wari_allocate(
        pieces->file->host, bytes, "the list of pieces in a scratch file", &memory, error);

    if (status != WARI_OK)
        return status;
    memset(memory, 0, bytes);
    pieces->sum = memory;
    pieces->halved = (void *)(pieces->sum + pieces->cut.count);
    pieces->unit = pieces->halved + pieces->cut.count;
    return WARI_OK;
}

void wari_pieces_begin(struct wari_pieces *pieces)
{
    pieces->unit[pieces->cut.count] = 0;
}

void wari_pieces_close(struct wari_pieces *pieces)
{
    if (pieces->sum)
        wari_release(pieces->file->host, pieces->sum);
    pieces->sum = NULL;
}

/* ---- Transfers ------------------------------------------------------------------------------ */

/* A piece's place in the file, and the bytes of its cells. */
struct extent {
    uint64_t place;
    size_t bytes;
};

static struct extent extent_of(const struct wari_pieces *pieces, uint32_t piece)
{
    const struct wari_pieces_cut *cut = &pieces->cut;
    const int block = wari_piece_block(cut, piece);
    const uint64_t place =
        pieces->in_turn ? (uint64_t)pieces->unit[piece] * WARI_PIECE_ALIGN
                        : cut->offset[block] + (piece - cut->first[block]) * stride(cut, block);

    return (struct extent){pieces->base + place,
                           (size_t)wari_piece_rows(cut, block, piece) * cut->pitch[block]};
}

static uint32_t next_units(const struct wari_pieces *pieces, size_t size)
{
    return __atomic_fetch_add(&pieces->unit[pieces->cut.count],
                              (uint32_t)(wari_whole_units(size) / WARI_PIECE_ALIGN),
                              __ATOMIC_RELAXED);
}

enum wari_status wari_piece_write(const struct wari_pieces *pieces, uint32_t piece, int8_t *cells,
                                  uint8_t *room, struct wari_error *error)
{
    struct extent extent = extent_of(pieces, piece);
    const size_t groups = wari_half_byte_groups(extent.bytes);
    struct wari_half_codes codes;
    size_t size;

    wari_choose_half_codes(cells, groups, &codes);
    size = pieces->kernel->to_halves(cells, groups, &codes, room, pieces->frame_bytes);
    if (wari_whole_units(size) >= wari_whole_units(extent.bytes))
        size = 0;
    pieces->halved[piece] = (uint32_t)size;
    void *written = size > 0 ? (void *)room : cells;
    if (size == 0)
        size = extent.bytes;
    if (pieces->in_turn) {
        pieces->unit[piece] = next_units(pieces, size);
        extent = extent_of(pieces, piece);
    }
    pieces->sum[piece] = wari_sum(written, size, extent.place);
    return wari_scratch_file_bytes(pieces->file, written, (size_t)wari_whole_units(size),
                                   extent.place, true, error);
}

enum wari_status wari_piece_read(const struct wari_pieces *pieces, uint32_t piece, int8_t *cells,
                                 uint8_t *room, struct wari_error *error)
{
    const struct extent extent = extent_of(pieces, piece);
    const size_t halved = pieces->halved[piece], size = halved > 0 ? halved : extent.bytes;
    void *memory = halved > 0 ? (void *)room : cells;
    const enum wari_status status = wari_scratch_file_bytes(
        pieces->file, memory, (size_t)wari_whole_units(size), extent.place, false, error);

    if (status != WARI_OK)
        return status;
    if (pieces->sum[piece] != 0 && wari_sum(memory, size, extent.place) != pieces->sum[piece])
        return wari_sum_is_wrong(error, pieces->file->path, extent.place, size);
    if (halved > 0)
        pieces->kernel->from_halves(room, halved, cells, wari_half_byte_groups(extent.bytes));
    return WARI_OK;
}
