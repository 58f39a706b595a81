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

void wari_pieces_lay_out(struct wari_pieces *pieces, const struct wari_layout *layout,
                         const uint32_t *pitch, size_t frame_bytes)
{
    uint64_t offset = 0;

    *pieces = (struct wari_pieces){.seeds = layout->seeds, .fd = -1, .direct = -1};
    pieces->frame_bytes = frame_bytes;
    for (int s = 0; s <= layout->seeds; s++) {
        uint32_t rows = (uint32_t)((frame_bytes - WARI_PIECE_PADDING) / pitch[s]);
        if (rows > layout->rows[s])
            rows = layout->rows[s];
        pieces->pitch[s] = pitch[s];
        pieces->block_rows[s] = layout->rows[s];
        pieces->rows[s] = rows;
        pieces->reciprocal[s] = ((UINT64_C(1) << 42) + rows - 1) / rows;
        pieces->stride[s] = (uint32_t)wari_whole_units((uint64_t)rows * pitch[s]);
        pieces->first[s] = pieces->count;
        pieces->offset[s] = offset;
        pieces->count += (layout->rows[s] + rows - 1) / rows;
        offset += (uint64_t)(pieces->count - pieces->first[s]) * pieces->stride[s];
    }
    pieces->first[layout->seeds + 1] = pieces->count;
    pieces->offset[layout->seeds + 1] = offset;
}

uint64_t wari_pieces_file_bytes(const struct wari_pieces *pieces)
{
    return pieces->offset[pieces->seeds + 1];
}

int wari_piece_block(const struct wari_pieces *pieces, uint32_t piece)
{
    int block = 0;

    while (piece >= pieces->first[block + 1])
        block++;
    return block;
}

uint32_t wari_piece_row(const struct wari_pieces *pieces, int block, uint32_t piece)
{
    return (piece - pieces->first[block]) * pieces->rows[block];
}

uint32_t wari_piece_rows(const struct wari_pieces *pieces, int block, uint32_t piece)
{
    const uint32_t left = pieces->block_rows[block] - wari_piece_row(pieces, block, piece);

    return left < pieces->rows[block] ? left : pieces->rows[block];
}

static uint64_t place_in_file(const struct wari_pieces *pieces, int block, uint32_t piece)
{
    return pieces->base + pieces->offset[block] +
           (uint64_t)(piece - pieces->first[block]) * pieces->stride[block];
}

/* ---- The file ------------------------------------------------------------------------------- */

uint64_t wari_pieces_table_bytes(const struct wari_pieces *pieces, uint32_t frames)
{
    return (uint64_t)pieces->count * (sizeof(int8_t *) + sizeof(uint64_t) + 2 * sizeof(uint32_t)) +
           (uint64_t)frames * (sizeof(struct wari_frame) + sizeof(struct wari_transfer));
}

static enum wari_status make_tables(struct wari_pieces *pieces, uint32_t frames,
                                    struct wari_error *error)
{
    const size_t bytes = (size_t)wari_pieces_table_bytes(pieces, frames);
    const size_t all = pieces->count;
    const enum wari_status status = wari_allocate(
        pieces->host, bytes, "the list of a streamed level's pieces", &pieces->tables, error);

    if (status != WARI_OK)
        return status;
    memset(pieces->tables, 0, bytes);
    pieces->at = pieces->tables;
    pieces->sum = (void *)(pieces->at + all);
    pieces->frame = (void *)(pieces->sum + all);
    pieces->transfer = (void *)(pieces->frame + frames);
    pieces->halved = (void *)(pieces->transfer + frames);
    pieces->spared_at = pieces->halved + all;
    pieces->frames = frames;
    for (uint32_t i = 0; i < frames; i++)
        pieces->frame[i].piece = WARI_NO_PIECE;
    return WARI_OK;
}

/* A second way into the file, past the page cache; by its number, since it has no name. */
static void open_direct(struct wari_pieces *pieces)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", pieces->fd);
    if (wari_open_file(pieces->host, path, O_RDWR | O_DIRECT, &pieces->direct, NULL) != WARI_OK)
        pieces->direct = -1; /* as on a file system in memory: through the page cache, then */
}

enum wari_status wari_pieces_open(struct wari_pieces *pieces, const char *folder, const char *name,
                                  int8_t *memory, uint32_t frames, struct wari_error *error)
{
    enum wari_status status;

    pieces->memory = memory;
    atomic_init(&pieces->bytes_read, 0);
    atomic_init(&pieces->bytes_written, 0);
    atomic_init(&pieces->spared, 0);
    status = make_tables(pieces, frames, error);
    if (status == WARI_OK)
        status = wari_create_nameless(pieces->host, folder, name, pieces->path, &pieces->fd, error);
    if (status == WARI_OK)
        open_direct(pieces);
    else
        wari_pieces_close(pieces);
    return status;
}

/* Nothing in the file is needed any more: a close that fails loses nothing. */
void wari_pieces_close(struct wari_pieces *pieces)
{
    if (pieces->direct >= 0)
        (void)pieces->host->close(pieces->host->context, pieces->direct);
    if (pieces->fd >= 0)
        (void)pieces->host->close(pieces->host->context, pieces->fd);
    pieces->fd = pieces->direct = -1;
    if (pieces->tables)
        wari_release(pieces->host, pieces->tables);
    pieces->tables = NULL;
}

enum wari_status wari_pieces_share(struct wari_pieces *pieces, const struct wari_pieces *other,
                                   uint64_t base, struct wari_error *error)
{
    enum wari_status status;

    pieces->host = other->host;
    pieces->kernel = other->kernel;
    memcpy(pieces->path, other->path, sizeof pieces->path);
    pieces->base = base;
    pieces->memory = other->memory;
    atomic_init(&pieces->bytes_read, 0);
    atomic_init(&pieces->bytes_written, 0);
    atomic_init(&pieces->spared, 0);
    status = make_tables(pieces, other->frames, error);
    if (status != WARI_OK)
        return status;
    pieces->fd = other->fd;
    pieces->direct = other->direct;
    return WARI_OK;
}

void wari_pieces_unshare(struct wari_pieces *pieces)
{
    if (pieces->tables)
        wari_release(pieces->host, pieces->tables);
    pieces->tables = NULL;
    pieces->fd = pieces->direct = -1;
}

/* ---- Transfers ------------------------------------------------------------------------------ */

/* What goes past the page cache has to go in one go: the rest of a short transfer need not be
 * aligned, and some file systems allow such files but not their use. Then everything goes through
 * the page cache. */
enum wari_status wari_pieces_bytes(struct wari_pieces *pieces, void *memory, size_t bytes,
                                   uint64_t place, bool write, struct wari_error *error)
{
    const struct wari_host *host = pieces->host;

    atomic_fetch_add_explicit(write ? &pieces->bytes_written : &pieces->bytes_read, bytes,
                              memory_order_relaxed);
    if (pieces->direct >= 0) {
        const ssize_t done =
            write ? host->pwrite(host->context, pieces->direct, memory, bytes, (off_t)place)
                  : host->pread(host->context, pieces->direct, memory, bytes, (off_t)place);
        if (done == (ssize_t)bytes)
            return WARI_OK;
        if (done < 0 && errno != EINTR && errno != EINVAL)
            return wari_fail_errno(error, pieces->path, write ? "write" : "read");
    }
    const enum wari_status status =
        write ? wari_write_at(host, pieces->fd, pieces->path, memory, bytes, place, error)
              : wari_read_at(host, pieces->fd, pieces->path, memory, bytes, place, error);
    /* it ends too early: somebody cut it */
    return status == WARI_CORRUPT ? wari_sum_is_wrong(error, pieces->path, place, bytes) : status;
}

static size_t cell_bytes(const struct wari_pieces *pieces, int block, uint32_t piece)
{
    return (size_t)wari_piece_rows(pieces, block, piece) * pieces->pitch[block];
}

static enum wari_status write_piece(struct wari_pieces *pieces, uint32_t piece, uint32_t frame,
                                    uint8_t *room, struct wari_error *error)
{
    const int block = wari_piece_block(pieces, piece);
    const size_t bytes = cell_bytes(pieces, block, piece), groups = wari_half_byte_groups(bytes);
    const uint64_t place = place_in_file(pieces, block, piece);
    int8_t *cells = pieces->memory + frame * pieces->frame_bytes;
    struct wari_half_codes codes;
    size_t size = 0;

    if (pieces->kernel) {
        wari_choose_half_codes(cells, groups, &codes);
        size = pieces->kernel->to_halves(cells, groups, &codes, room, pieces->frame_bytes);
    }
    if (wari_whole_units(size) >= wari_whole_units(bytes))
        size = 0;
    pieces->halved[piece] = (uint32_t)size;
    pieces->spared_at[piece] = 0;
    void *written = size > 0 ? (void *)room : cells;
    if (size == 0)
        size = bytes;
    if (pieces->kernel)
        pieces->sum[piece] = wari_sum(written, size, place);
    return wari_pieces_bytes(pieces, written, (size_t)wari_whole_units(size), place, true, error);
}

/* Keeps half bytes that were read, if there is room. */
static void spare(struct wari_pieces *pieces, uint32_t piece, const uint8_t *halves)
{
    const uint64_t bytes =
        ((uint64_t)pieces->halved[piece] + WARI_HALVES_AHEAD + WARI_SPARE_UNIT - 1) /
        WARI_SPARE_UNIT * WARI_SPARE_UNIT;
    uint64_t at;

    if (atomic_load_explicit(&pieces->spared, memory_order_relaxed) + bytes > pieces->spare_bytes)
        return;
    at = atomic_fetch_add_explicit(&pieces->spared, bytes, memory_order_relaxed);
    if (at + bytes > pieces->spare_bytes)
        return;
    memcpy(pieces->spare + at, halves, pieces->halved[piece]);
    pieces->spared_at[piece] = (uint32_t)(at / WARI_SPARE_UNIT) + 1;
}

void wari_pieces_lend(struct wari_pieces *pieces, void *memory, uint64_t bytes)
{
    pieces->spare = memory;
    pieces->spare_bytes = bytes / WARI_SPARE_UNIT < UINT32_MAX ? bytes : 0;
    atomic_store_explicit(&pieces->spared, 0, memory_order_relaxed);
    memset(pieces->spared_at, 0, pieces->count * sizeof *pieces->spared_at);
}

/* The first bytes of a piece's place, as they were written. */
static enum wari_status read_checked(struct wari_pieces *pieces, uint32_t piece, void *memory,
                                     size_t bytes, struct wari_error *error)
{
    const uint64_t place = place_in_file(pieces, wari_piece_block(pieces, piece), piece);
    const enum wari_status status =
        wari_pieces_bytes(pieces, memory, (size_t)wari_whole_units(bytes), place, false, error);

    if (status != WARI_OK || pieces->sum[piece] == 0 ||
        wari_sum(memory, bytes, place) == pieces->sum[piece])
        return status;
    return wari_sum_is_wrong(error, pieces->path, place, bytes);
}

static enum wari_status read_piece(struct wari_pieces *pieces, uint32_t piece, uint32_t frame,
                                   uint8_t *room, struct wari_error *error)
{
    const int block = wari_piece_block(pieces, piece);
    const size_t bytes = cell_bytes(pieces, block, piece), size = pieces->halved[piece];
    int8_t *cells = pieces->memory + frame * pieces->frame_bytes;
    enum wari_status status;

    if (size == 0)
        return read_checked(pieces, piece, cells, bytes, error);
    if (pieces->spared_at[piece] != 0) {
        const uint64_t at = (uint64_t)(pieces->spared_at[piece] - 1) * WARI_SPARE_UNIT;
        pieces->kernel->from_halves(pieces->spare + at, size, cells, wari_half_byte_groups(bytes));
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
    const struct wari_transfer *transfer = &pieces->transfer[i % pieces->frames];
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
    return &pieces->frame[(size_t)(pieces->at[piece] - pieces->memory) / pieces->frame_bytes];
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

    for (uint32_t i = 0; i < pieces->frames; i++) {
        const struct wari_frame *frame = &pieces->frame[i];
        if (frame->piece == WARI_NO_PIECE)
            return i;
        if (frame->step < pieces->oldest &&
            (best == WARI_NO_PIECE || frame->next > pieces->frame[best].next))
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
    pieces->transfer[pieces->transfers++ % pieces->frames] = transfer;
}

/* Takes the frame from the piece that is there. */
static void change_piece(struct wari_pieces *pieces, uint32_t number, uint32_t piece)
{
    struct wari_frame *frame = &pieces->frame[number];

    if (frame->piece != WARI_NO_PIECE)
        pieces->at[frame->piece] = NULL;
    frame->piece = piece;
    atomic_store_explicit(&frame->dirty, false, memory_order_relaxed);
    if (piece != WARI_NO_PIECE)
        pieces->at[piece] = pieces->memory + number * pieces->frame_bytes;
}

void wari_pieces_want_none(struct wari_pieces *pieces)
{
    for (uint32_t number = 0; number < pieces->frames; number++) {
        const struct wari_transfer transfer = {
            .piece = WARI_NO_PIECE, .frame = number, .old = to_be_written(&pieces->frame[number])};
        if (transfer.old != WARI_NO_PIECE)
            list_transfer(pieces, transfer);
        change_piece(pieces, number, WARI_NO_PIECE);
    }
}

void wari_pieces_use(struct wari_pieces *pieces, uint32_t frames)
{
    pieces->frames = frames;
}

void wari_pieces_keep(struct wari_pieces *pieces, uint32_t piece, uint32_t step)
{
    if (pieces->at[piece])
        wari_piece_frame(pieces, piece)->step = step;
}

static bool is_being_written(const struct wari_pieces *pieces, uint32_t piece)
{
    for (uint32_t i = pieces->settled; i != pieces->transfers; i++)
        if (pieces->transfer[i % pieces->frames].old == piece)
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
                                             .old = to_be_written(&pieces->frame[number]),
                                             .read = read,
                                             .after = read && is_being_written(pieces, piece[i])});
        change_piece(pieces, number, piece[i]);
        pieces->frame[number].step = step;
    }
    return true;
}
