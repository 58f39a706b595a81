/* Reading codes. Of pieces that nobody pins those go first that were not used for longest. */
#include "solver/bits/scratch.h"

uint32_t wari_reading_share(const struct wari_scratch *scratch)
{
    return scratch->reading.frames / (uint32_t)scratch->shape.lanes;
}

void wari_scratch_start_reading(struct wari_level *level, uint64_t window)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    struct wari_pieces_read *reading = &scratch->reading;

    reading->frames = (uint32_t)((scratch->shape.aside + window) / scratch->shape.frame_bytes);
    for (uint32_t i = 0; i < reading->frames; i++)
        reading->frame[i] = (struct wari_frame){.piece = WARI_NO_PIECE};
    for (uint32_t piece = 0; piece < scratch->pieces.cut.count; piece++)
        reading->at[piece] = UINT32_MAX;
}

void wari_scratch_stop_reading(struct wari_level *level)
{
    wari_scratch_of(level)->reading.frames = 0;
}

/* ---- Frames -------------------------------------------------------------------------------- */

static int8_t *cells_of(const struct wari_scratch *scratch, uint32_t frame)
{
    return (int8_t *)scratch->memory.aside + frame * scratch->shape.frame_bytes;
}

/* There is one: each thread pins its share at most. */
static struct wari_frame *oldest_frame(const struct wari_pieces_read *reading)
{
    struct wari_frame *oldest = NULL;

    for (uint32_t i = 0; i < reading->frames; i++) {
        struct wari_frame *frame = &reading->frame[i];
        if (frame->users == 0 && (!oldest || frame->used < oldest->used))
            oldest = frame;
    }
    return oldest;
}

static void read_into(struct wari_level *level, struct wari_frame *frame, uint32_t piece,
                      uint8_t *room)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    struct wari_pieces_read *reading = &scratch->reading;
    const uint32_t number = (uint32_t)(frame - reading->frame);
    struct wari_error error;

    if (frame->piece != WARI_NO_PIECE)
        reading->at[frame->piece] = UINT32_MAX;
    *frame = (struct wari_frame){.piece = piece, .users = 1};
    reading->at[piece] = number;
    pthread_mutex_unlock(&scratch->lock);
    if (wari_piece_read(&scratch->pieces, piece, cells_of(scratch, number), room, &error) !=
        WARI_OK)
        wari_workers_fail(level->workers, &error);
    pthread_mutex_lock(&scratch->lock);
    frame->whole = true;
    pthread_cond_broadcast(&reading->whole);
}

bool wari_scratch_pin(struct wari_level *level, uint32_t piece, uint8_t *room)
{
    struct wari_scratch *scratch = wari_scratch_of(level);
    struct wari_pieces_read *reading = &scratch->reading;
    struct wari_frame *frame;

    pthread_mutex_lock(&scratch->lock);
    if (reading->at[piece] < reading->frames) {
        frame = &reading->frame[reading->at[piece]];
        frame->users++;
        while (!frame->whole)
            pthread_cond_wait(&reading->whole, &scratch->lock);
    } else {
        frame = oldest_frame(reading);
        read_into(level, frame, piece, room);
    }
    frame->used = ++reading->uses;
    pthread_mutex_unlock(&scratch->lock);
    if (!wari_level_stopped(level))
        return true;
    wari_scratch_unpin(level, piece);
    return false;
}

void wari_scratch_unpin(struct wari_level *level, uint32_t piece)
{
    struct wari_scratch *scratch = wari_scratch_of(level);

    pthread_mutex_lock(&scratch->lock);
    scratch->reading.frame[scratch->reading.at[piece]].users--;
    pthread_mutex_unlock(&scratch->lock);
}

const int8_t *wari_scratch_row(const struct wari_level *level, int block, uint32_t row)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);
    const struct wari_pieces_cut *cut = &scratch->pieces.cut;
    const uint32_t piece = wari_piece_of(cut, block, row);

    return cells_of(scratch, scratch->reading.at[piece]) +
           (size_t)(row - wari_piece_row(cut, block, piece)) * cut->pitch[block];
}

/* ---- Values -------------------------------------------------------------------------------- */

static bool is_there(const struct wari_pieces_read *reading, uint32_t piece)
{
    return reading->at[piece] < reading->frames;
}

static bool fetch_piece(struct wari_level *level, const struct wari_lane *lane, void *context,
                        uint32_t piece)
{
    (void)context;
    if (wari_scratch_pin(level, piece, lane->room))
        wari_scratch_unpin(level, piece);
    return false;
}

/* A row of codes, read if need be. Who reads one piece after the other gets some at a time. */
static const int8_t *fetch_row(const struct wari_level *level, int block, uint32_t row)
{
    const struct wari_scratch *scratch = wari_scratch_of(level);
    const uint32_t piece = wari_piece_of(&scratch->pieces.cut, block, row);
    const uint32_t left = scratch->pieces.cut.count - piece, lanes = (uint32_t)scratch->shape.lanes;
    const bool goes_on = piece > 0 && is_there(&scratch->reading, piece - 1);
    const struct wari_scratch_pass pass = {.first = piece,
                                           .end = piece + (!goes_on       ? 1
                                                           : left < lanes ? left
                                                                          : lanes),
                                           .job = fetch_piece};

    if (!is_there(&scratch->reading, piece))
        wari_scratch_run(scratch->level, &pass);
    return wari_level_stopped(level) ? NULL : wari_scratch_row(level, block, row);
}

void wari_scratch_values(const struct wari_level *level, uint64_t first, size_t count,
                         int8_t *values)
{
    struct wari_pieces_read *reading = &wari_scratch_of(level)->reading;

    pthread_mutex_lock(&reading->values);
    wari_level_values(level, fetch_row, first, count, values);
    pthread_mutex_unlock(&reading->values);
}
