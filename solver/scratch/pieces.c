/* The scratch file and its frames, see pieces.h. Which frame a piece gets is decided by one thread
 * at a time, out of frames that no step under way needs; jobs and transfers touch the frames of
 * their own steps only. So nothing here needs a lock. */
#include "solver/scratch/pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "solver/kernel/kernel.h"
#include "system/sum.h"

/* ---- Where pieces are ----------------------------------------------------------------------- */

void wari_pieces_cut_level(struct wari_pieces_cut *cut, const struct wari_layout *layout,
                           const uint32_t *pitch, size_t frame_bytes)
{
    uint64_t offset = 0;

    *cut = (struct wari_pieces_cut){.seeds = layout->seeds};
    for (int s = 0; s <= layout->seeds; s++) {
        uint32_t rows = (uint32_t)((frame_bytes - WARI_PIECE_PADDING) / pitch[s]);
        if (rows > layout->rows[s])
            rows = layout->rows[s];
        cut->pitch[s] = pitch[s];
        cut->block_rows[s] = layout->rows[s];
        cut->rows[s] = rows;
        cut->reciprocal[s] = ((UINT64_C(1) << 42) + rows - 1) / rows;
        cut->stride[s] = (uint32_t)wari_whole_units((uint64_t)rows * pitch[s]);
        cut->first[s] = cut->count;
        cut->offset[s] = offset;
        cut->count += (layout->rows[s] + rows - 1) / rows;
        offset += (uint64_t)(cut->count - cut->first[s]) * cut->stride[s];
    }
    cut->first[layout->seeds + 1] = cut->count;
    cut->offset[layout->seeds + 1] = offset;
}

uint64_t wari_pieces_file_bytes(const struct wari_pieces_cut *cut)
{
    return cut->offset[cut->seeds + 1];
}

int wari_piece_block(const struct wari_pieces *pieces, uint32_t piece)
{
    int block = 0;

    while (piece >= pieces->cut.first[block + 1])
        block++;
    return block;
}

uint32_t wari_piece_row(const struct wari_pieces *pieces, int block, uint32_t piece)
{
    return (piece - pieces->cut.first[block]) * pieces->cut.rows[block];
}

uint32_t wari_piece_rows(const struct wari_pieces *pieces, int block, uint32_t piece)
{
    const uint32_t left = pieces->cut.block_rows[block] - wari_piece_row(pieces, block, piece);

    return left < pieces->cut.rows[block] ? left : pieces->cut.rows[block];
}

static uint64_t place_in_file(const struct wari_pieces *pieces, int block, uint32_t piece)
{
    return pieces->stored.base + pieces->cut.offset[block] +
           (uint64_t)(piece - pieces->cut.first[block]) * pieces->cut.stride[block];
}

/* ---- The file ------------------------------------------------------------------------------- */

/* A second way into the file, past the page cache; by its number, since it has no name. */
static void open_direct(struct wari_scratch_file *file)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", file->fd);
    if (wari_open_file(file->host, path, O_RDWR | O_DIRECT, &file->direct, NULL) != WARI_OK)
        file->direct = -1; /* as on a file system in memory: through the page cache, then */
}

enum wari_status wari_scratch_file_open(struct wari_scratch_file *file,
                                        const struct wari_host *host, const char *folder,
                                        const char *name, struct wari_error *error)
{
    enum wari_status status;

    file->fd = file->direct = -1;
    atomic_init(&file->bytes_read, 0);
    atomic_init(&file->bytes_written, 0);
    status = wari_create_nameless(host, folder, name, file->path, &file->fd, error);
    if (status != WARI_OK)
        return status;
    file->host = host;
    open_direct(file);
    return WARI_OK;
}

/* Nothing in the file is needed any more: a close that fails loses nothing. */
void wari_scratch_file_close(struct wari_scratch_file *file)
{
    if (!file->host)
        return;
    if (file->direct >= 0)
        (void)file->host->close(file->host->context, file->direct);
    (void)file->host->close(file->host->context, file->fd);
    file->host = NULL;
}

/* What goes past the page cache has to go in one go: the rest of a short transfer need not be
 * aligned, and some file systems allow such files but not their use. Then everything goes through
 * the page cache. */
enum wari_status wari_scratch_file_bytes(struct wari_scratch_file *file, void *memory, size_t bytes,
                                         uint64_t place, bool write, struct wari_error *error)
{
    const struct wari_host *host = file->host;

    atomic_fetch_add_explicit(write ? &file->bytes_written : &file->bytes_read, bytes,
                              memory_order_relaxed);
    if (file->direct >= 0) {
        const ssize_t done =
            write ? host->pwrite(host->context, file->direct, memory, bytes, (off_t)place)
                  : host->pread(host->context, file->direct, memory, bytes, (off_t)place);
        if (done == (ssize_t)bytes)
            return WARI_OK;
        if (done < 0 && errno != EINTR && errno != EINVAL)
            return wari_fail_errno(error, file->path, write ? "write" : "read");
    }
    const enum wari_status status =
        write ? wari_write_at(host, file->fd, file->path, memory, bytes, place, error)
              : wari_read_at(host, file->fd, file->path, memory, bytes, place, error);
    /* it ends too early: somebody cut it */
    return status == WARI_CORRUPT ? wari_sum_is_wrong(error, file->path, place, bytes) : status;
}

/* ---- Tables --------------------------------------------------------------------------------- */

uint64_t wari_pieces_table_bytes(const struct wari_pieces_cut *cut, uint32_t frames)
{
    return (uint64_t)cut->count * (sizeof(int8_t *) + sizeof(uint64_t) + 2 * sizeof(uint32_t)) +
           (uint64_t)frames * (sizeof(struct wari_frame) + sizeof(struct wari_transfer));
}

enum wari_status wari_pieces_open(struct wari_pieces *pieces, struct wari_error *error)
{
    const uint32_t frames = pieces->frames.count;
    const size_t bytes = (size_t)wari_pieces_table_bytes(&pieces->cut, frames);
    const size_t all = pieces->cut.count;
    const enum wari_status status = wari_allocate(
        pieces->file->host, bytes, "the list of pieces in a scratch file", &pieces->tables, error);

    if (status != WARI_OK)
        return status;
    memset(pieces->tables, 0, bytes);
    atomic_init(&pieces->spare.used, 0);
    pieces->at = pieces->tables;
    pieces->stored.sum = (void *)(pieces->at + all);
    pieces->frames.frame = (void *)(pieces->stored.sum + all);
    pieces->transfers.transfer = (void *)(pieces->frames.frame + frames);
    pieces->stored.halved = (void *)(pieces->transfers.transfer + frames);
    pieces->spare.at = pieces->stored.halved + all;
    for (uint32_t i = 0; i < frames; i++)
        pieces->frames.frame[i].piece = WARI_NO_PIECE;
    return WARI_OK;
}

void wari_pieces_close(struct wari_pieces *pieces)
{
    if (pieces->tables)
        wari_release(pieces->file->host, pieces->tables);
    pieces->tables = NULL;
}

/* ---- Transfers ------------------------------------------------------------------------------ */

static size_t cell_bytes(const struct wari_pieces *pieces, int block, uint32_t piece)
{
    return (size_t)wari_piece_rows(pieces, block, piece) * pieces->cut.pitch[block];
}

static enum wari_status write_piece(struct wari_pieces *pieces, uint32_t piece, uint32_t frame,
                                    uint8_t *room, struct wari_error *error)
{
    const int block = wari_piece_block(pieces, piece);
    const size_t bytes = cell_bytes(pieces, block, piece), groups = wari_half_byte_groups(bytes);
    const uint64_t place = place_in_file(pieces, block, piece);
    int8_t *cells = pieces->frames.memory + frame * pieces->frames.bytes;
    struct wari_half_codes codes;
    size_t size = 0;

    if (pieces->kernel) {
        wari_choose_half_codes(cells, groups, &codes);
        size = pieces->kernel->to_halves(cells, groups, &codes, room, pieces->frames.bytes);
    }
    if (wari_whole_units(size) >= wari_whole_units(bytes))
        size = 0;
    pieces->stored.halved[piece] = (uint32_t)size;
    pieces->spare.at[piece] = 0;
    void *written = size > 0 ? (void *)room : cells;
    if (size == 0)
        size = bytes;
    if (pieces->kernel)
        pieces->stored.sum[piece] = wari_sum(written, size, place);
    return wari_scratch_file_bytes(pieces->file, written, (size_t)wari_whole_units(size), place,
                                   true, error);
}

/* Keeps half bytes that were read, if there is room. */
static void spare(struct wari_pieces *pieces, uint32_t piece, const uint8_t *halves)
{
    const uint64_t bytes =
        ((uint64_t)pieces->stored.halved[piece] + WARI_HALVES_AHEAD + WARI_SPARE_UNIT - 1) /
        WARI_SPARE_UNIT * WARI_SPARE_UNIT;
    uint64_t at;

    if (atomic_load_explicit(&pieces->spare.used, memory_order_relaxed) + bytes >
        pieces->spare.bytes)
        return;
    at = atomic_fetch_add_explicit(&pieces->spare.used, bytes, memory_order_relaxed);
    if (at + bytes > pieces->spare.bytes)
        return;
    memcpy(pieces->spare.memory + at, halves, pieces->stored.halved[piece]);
    pieces->spare.at[piece] = (uint32_t)(at / WARI_SPARE_UNIT) + 1;
}

void wari_pieces_lend(struct wari_pieces *pieces, void *memory, uint64_t bytes)
{
    pieces->spare.memory = memory;
    pieces->spare.bytes = bytes / WARI_SPARE_UNIT < UINT32_MAX ? bytes : 0;
    atomic_store_explicit(&pieces->spare.used, 0, memory_order_relaxed);
    memset(pieces->spare.at, 0, pieces->cut.count * sizeof *pieces->spare.at);
}

/* The first bytes of a piece's place, as they were written. */
static enum wari_status read_checked(struct wari_pieces *pieces, uint32_t piece, void *memory,
                                     size_t bytes, struct wari_error *error)
{
    const uint64_t place = place_in_file(pieces, wari_piece_block(pieces, piece), piece);
    const enum wari_status status = wari_scratch_file_bytes(
        pieces->file, memory, (size_t)wari_whole_units(bytes), place, false, error);

    if (status != WARI_OK || pieces->stored.sum[piece] == 0 ||
        wari_sum(memory, bytes, place) == pieces->stored.sum[piece])
        return status;
    return wari_sum_is_wrong(error, pieces->file->path, place, bytes);
}

static enum wari_status read_piece(struct wari_pieces *pieces, uint32_t piece, uint32_t frame,
                                   uint8_t *room, struct wari_error *error)
{
    const int block = wari_piece_block(pieces, piece);
    const size_t bytes = cell_bytes(pieces, block, piece), size = pieces->stored.halved[piece];
    int8_t *cells = pieces->frames.memory + frame * pieces->frames.bytes;
    enum wari_status status;

    if (size == 0)
        return read_checked(pieces, piece, cells, bytes, error);
    if (pieces->spare.at[piece] != 0) {
        const uint64_t at = (uint64_t)(pieces->spare.at[piece] - 1) * WARI_SPARE_UNIT;
        pieces->kernel->from_halves(pieces->spare.memory + at, size, cells,
                                    wari_half_byte_groups(bytes));
        return WARI_OK;
    }
    status = read_checked(pieces, piece, room, size, error);
    if (status != WARI_OK)
        return status;
    pieces->kernel->from_halves(room, size, cells, wari_half_byte_groups(bytes));
    spare(pieces, piece, room);
    return WARI_OK;
}

enum wari_status wari_pieces_transfer(struct wari_pieces *pieces, uint32_t i, uint8_t *room,
                                      struct wari_error *error)
{
    const struct wari_transfer *transfer = &pieces->transfers.transfer[i % pieces->frames.count];
    enum wari_status status = WARI_OK;

    if (transfer->old != WARI_NO_PIECE)
        status = write_piece(pieces, transfer->old, transfer->frame, room, error);
    if (status == WARI_OK && transfer->read)
        status = read_piece(pieces, transfer->piece, transfer->frame, room, error);
    return status;
}

/* ---- Frames --------------------------------------------------------------------------------- */

struct wari_frame *wari_piece_frame(const struct wari_pieces *pieces, uint32_t piece)
{
    return &pieces->frames
                .frame[(size_t)(pieces->at[piece] - pieces->frames.memory) / pieces->frames.bytes];
}

void wari_pieces_written(struct wari_pieces *pieces, uint32_t piece)
{
    atomic_store_explicit(&wari_piece_frame(pieces, piece)->dirty, true, memory_order_relaxed);
}

bool wari_piece_is_dirty(const struct wari_pieces *pieces, uint32_t piece)
{
    return atomic_load_explicit(&wari_piece_frame(pieces, piece)->dirty, memory_order_relaxed);
}

/* A frame that no step under way needs: an empty one, or that of the piece that will not be needed
 * for longest. */
static uint32_t take_frame(const struct wari_pieces *pieces)
{
    uint32_t best = WARI_NO_PIECE;

    for (uint32_t i = 0; i < pieces->frames.count; i++) {
        const struct wari_frame *frame = &pieces->frames.frame[i];
        if (frame->piece == WARI_NO_PIECE)
            return i;
        if (frame->step < pieces->frames.oldest &&
            (best == WARI_NO_PIECE || frame->next > pieces->frames.frame[best].next))
            best = i;
    }
    return best;
}

/* What has to be written of a frame's piece before another one comes there. */
static uint32_t to_be_written(const struct wari_frame *frame)
{
    return atomic_load_explicit(&frame->dirty, memory_order_relaxed) ? frame->piece : WARI_NO_PIECE;
}

static void list_transfer(struct wari_pieces *pieces, struct wari_transfer transfer)
{
    pieces->transfers.transfer[pieces->transfers.listed++ % pieces->frames.count] = transfer;
}

/* Takes the frame from the piece that is there. */
static void change_piece(struct wari_pieces *pieces, uint32_t number, uint32_t piece)
{
    struct wari_frame *frame = &pieces->frames.frame[number];

    if (frame->piece != WARI_NO_PIECE)
        pieces->at[frame->piece] = NULL;
    frame->piece = piece;
    atomic_store_explicit(&frame->dirty, false, memory_order_relaxed);
    if (piece != WARI_NO_PIECE)
        pieces->at[piece] = pieces->frames.memory + number * pieces->frames.bytes;
}

void wari_pieces_want_none(struct wari_pieces *pieces)
{
    for (uint32_t number = 0; number < pieces->frames.count; number++) {
        const struct wari_transfer transfer = {.piece = WARI_NO_PIECE,
                                               .frame = number,
                                               .old = to_be_written(&pieces->frames.frame[number])};
        if (transfer.old != WARI_NO_PIECE)
            list_transfer(pieces, transfer);
        change_piece(pieces, number, WARI_NO_PIECE);
    }
}

void wari_pieces_use(struct wari_pieces *pieces, uint32_t frames)
{
    pieces->frames.count = frames;
}

void wari_pieces_keep(struct wari_pieces *pieces, uint32_t piece, uint32_t step)
{
    if (pieces->at[piece])
        wari_piece_frame(pieces, piece)->step = step;
}

static bool is_being_written(const struct wari_pieces *pieces, uint32_t piece)
{
    for (uint32_t i = pieces->transfers.settled; i != pieces->transfers.listed; i++)
        if (pieces->transfers.transfer[i % pieces->frames.count].old == piece)
            return true;
    return false;
}

bool wari_pieces_want(struct wari_pieces *pieces, const uint32_t *piece, uint32_t count,
                      uint32_t step, bool read)
{
    for (uint32_t i = 0; i < count; i++)
        wari_pieces_keep(pieces, piece[i], step);
    for (uint32_t i = 0; i < count; i++) {
        if (pieces->at[piece[i]])
            continue;
        const uint32_t number = take_frame(pieces);
        if (number == WARI_NO_PIECE)
            return false;
        list_transfer(pieces,
                      (struct wari_transfer){.piece = piece[i],
                                             .frame = number,
                                             .old = to_be_written(&pieces->frames.frame[number]),
                                             .read = read,
                                             .after = read && is_being_written(pieces, piece[i])});
        change_piece(pieces, number, piece[i]);
        pieces->frames.frame[number].step = step;
    }
    return true;
}
