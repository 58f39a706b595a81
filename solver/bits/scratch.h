/* A level whose cells are in a scratch file (pieces.h).
 *
 * Passes (scratch_passes.c) take one piece after the other through a frame of memory. Captures come
 * in an order that is not that of rows (scratch_captures.c). When all codes are whole, pieces are
 * only read, and stay in memory while there is room (scratch_reading.c).
 *
 *     memory  lane 0 | lane 1 | ... | aside | window
 *     file    pieces | stripes | what is appended
 */
#ifndef SOLVER_SCRATCH_H
#define SOLVER_SCRATCH_H

#include <pthread.h>

#include "solver/bits/pieces.h"
#include "solver/level/level.h"
#include "system/thread_pool.h"

/* Lanes beyond one for each thread of the team: some wait for the disk while others are worked on.
 * Few, since all of them share what planes leave: level 24 in 128 MB takes 25 to 29 s with 2, whose
 * frames have 270 KB, and 30 s with 6 (of an earlier version, past the page cache). */
enum { WARI_LANES_WAITING = 2 };

/* How its memory and file are divided: in bytes but where it says otherwise. What stands first is
 * the caller's to set. */
struct wari_scratch_shape {
    int lanes;          /* number: threads that take pieces through, each with two frames */
    size_t frame_bytes; /* at least wari_scratch_frame_least() */
    uint64_t aside;     /* at the caller's disposal while captures are found */
    uint64_t reused;    /* of the file, for what takes the place of stripes when these were read; */
    uint64_t appended;  /* and for what comes behind everything else. Both are the caller's. */

    uint64_t window; /* what is left of the memory */
    uint64_t tables; /* beside all these */
    uint64_t bytes;  /* everything */
    uint64_t file;   /* of the scratch file, and that of full halves */
    uint64_t behind; /* where in the scratch file the last part begins */
};

/* Fills in what follows when a level has so many bytes; false if that is too little, but `tables`
 * is filled in. */
bool wari_scratch_shape(const struct wari_layout *layout, uint64_t bytes,
                        struct wari_scratch_shape *shape);
size_t wari_scratch_frame_least(const struct wari_layout *layout);

/* Frames that reading works with, at least. */
uint32_t wari_scratch_frames_read(int lanes);

/* A frame for cells, and one for what they are in the file. */
struct wari_lane {
    int8_t *cells;
    uint8_t *room;
};

/* What a thread has while it needs the reader and tile of one of the workers. */
struct wari_idle_workers {
    pthread_cond_t some;
    int count;
    int *number; /* of the team's */
};

/* A frame with a piece. */
struct wari_frame {
    uint32_t piece; /* WARI_NO_PIECE: none */
    uint32_t users; /* it stays while there are any */
    uint64_t used;  /* when it was: the greater the later */
    bool whole;     /* it was read */
};

/* Pieces that stay in memory (scratch_reading.c). */
struct wari_pieces_read {
    uint32_t frames; /* 0: none do */
    uint64_t uses;
    struct wari_frame *frame;
    uint32_t *at; /* [piece]: its frame, or more than there are */
    pthread_cond_t whole;
    pthread_mutex_t values; /* of wari_scratch_values() */
};

struct wari_scratch {
    struct wari_level *level;
    struct wari_scratch_file file;
    struct wari_pieces pieces, stripes;
    struct wari_scratch_shape shape;
    struct wari_thread_pool *crew; /* a lane for each of its threads */
    struct wari_lane *lane;
    pthread_mutex_t lock; /* of what follows, and of passes */
    struct wari_idle_workers idle;
    struct wari_pieces_read reading;
    struct {
        void *all, *tables;
        uint8_t *lanes, *aside;
        int8_t *window;
    } memory;
    struct wari_bits *bits; /* what the road (bits/) has beside all that */
};

static inline struct wari_scratch *wari_scratch_of(const struct wari_level *level)
{
    return level->backend_data;
}

/* Where the file goes: `name`, in `folder`. */
struct wari_scratch_place {
    const char *folder, *name;
};

/* Makes the level's scratch, of this shape: wari_level_begin() has been called, with the pitches of
 * its rows. */
WARI_MUST_CHECK enum wari_status wari_scratch_open(struct wari_level *level,
                                                   const struct wari_scratch_shape *shape,
                                                   const struct wari_scratch_place *place,
                                                   struct wari_error *error);
void wari_scratch_close(struct wari_level *level);

void wari_scratch_add_statistics(
    struct wari_level *level); /* adds to the measure what was transferred */

/* ---- Passes, which go over the level piece by piece (scratch_passes.c) --------------------- */

/* What is done to a piece, in lane->cells; false: it need not be written. */
typedef bool wari_piece_job(struct wari_level *level, const struct wari_lane *lane, void *context,
                            uint32_t piece);

struct wari_scratch_pass {
    const struct wari_pieces *from, *to; /* NULL: they are not read, or not written */
    uint32_t first, end;                 /* pieces `first` to `end` - 1, or */
    /* those that this returns: the i-th, one call after the other; WARI_NO_PIECE: that was all */
    uint32_t (*next)(struct wari_level *level, void *context, uint32_t i);
    wari_piece_job *job;
    void *context;
};

/* Takes all pieces through the lanes, or until the level is stopped, or something fails
 * (wari_workers_failure()). One pass at a time. */
void wari_scratch_run(struct wari_level *level, const struct wari_scratch_pass *pass);

/* For jobs that transfer pieces themselves: reads one into the lane, or writes it from there.
 * False: the level is stopped, since that failed or for another reason; then nothing is written. */
WARI_MUST_CHECK bool wari_scratch_read(struct wari_level *level, const struct wari_pieces *pieces,
                                       const struct wari_lane *lane, uint32_t piece);
void wari_scratch_write(struct wari_level *level, const struct wari_pieces *pieces,
                        const struct wari_lane *lane, uint32_t piece);

/* For jobs that work for longer than they wait: a worker of the team, when one is idle. */
struct wari_worker *wari_scratch_take_worker(struct wari_level *level);
void wari_scratch_give_worker(struct wari_level *level, const struct wari_worker *worker);

/* The rows of a piece of the level, in a lane. */
struct wari_row_range wari_scratch_rows_of(const struct wari_level *level, uint32_t piece,
                                           int8_t *cells);

/* As wari_backend.each_rows says. */
void wari_scratch_each_rows(struct wari_level *level, enum wari_access access, wari_rows_job *job,
                            void *context);

/* ---- First codes, from the levels below (scratch_captures.c) ------------------------------- */

/* Gives each cell its first code, and hands all rows to `also`, about in order, while they are at
 * hand; without a worker (NULL), since it may wait for the disk. Before the first of them, when the
 * levels below have been read for the last time, calls `begun`.
 */
struct wari_scratch_codes {
    void (*begun)(struct wari_level *level);
    wari_rows_job *also;
};
void wari_scratch_captures(struct wari_level *level, const struct wari_scratch_codes *codes);

/* ---- Codes that are whole: only read, in whatever order (scratch_reading*.c) --------------- */

/* Begins to keep pieces in so many bytes of the window, and in what is set aside; nothing of them
 * is there yet. Until wari_scratch_stop_reading() no piece is written. */
void wari_scratch_start_reading(struct wari_level *level, uint64_t window);
void wari_scratch_stop_reading(struct wari_level *level);

/* Pins a piece in memory, by a thread with a `room` of its own, until it is unpinned; each thread
 * at most wari_reading_share() of them at a time. False: it cannot be read, and the team has
 * failed.
 */
WARI_MUST_CHECK bool wari_scratch_pin(struct wari_level *level, uint32_t piece, uint8_t *room);
void wari_scratch_unpin(struct wari_level *level, uint32_t piece);
uint32_t wari_reading_share(const struct wari_scratch *scratch);

/* A row of a piece that is pinned. */
const int8_t *wari_scratch_row(const struct wari_level *level, int block, uint32_t row);

/* As wari_backend.values says, while codes are read. */
void wari_scratch_values(const struct wari_level *level, uint64_t first, size_t count,
                         int8_t *values);

/* Adds full opponent halves, by value: histogram[v + WARI_SEEDS_MAX]. The last time that the levels
 * below may be read. */
void wari_scratch_count_full(struct wari_level *level, uint64_t *histogram);

#endif
