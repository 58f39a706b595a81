/* A level that does not fit into memory: its cells are in a scratch file (pieces.h), and passes
 * stream it.
 *
 * As mover halves go by in order, so do the rows of their children: a pass over a block goes
 * through **steps** of some columns, each of which needs a few hundred pieces; while one step is
 * computed the next ones' pieces are read. The block itself, which every column writes to, is
 * copied into a **window** of memory for its turn (a part of its rows, if that is all there is room
 * for).
 *
 * A block has children in most others, so each turn reads most of the level. Neighbouring blocks
 * therefore have their turn **together**, as many as fit into the window: where their mover halves
 * begin alike, their children are in the same rows, so the columns of all of them go by in the
 * order of these halves, and what is read for one serves the others. (Children in a block that has
 * its turn are read as they were before it.) Blocks with few seeds on the opponent's side gain
 * most: they hardly have cells, but have children in every row of the level.
 *
 *     memory  frames | rooms | pages | window
 *
 * So captures are found, and full halves counted. Values grow by bits, which need nothing of that
 * but the pieces: bits/bits.h.
 */
#ifndef SOLVER_STREAM_H
#define SOLVER_STREAM_H

#include <pthread.h>

#include "solver/item/sweep.h"
#include "solver/level/level.h"
#include "solver/scratch/pieces.h"
#include "solver/system/crew.h"

/* Threads that do nothing but transfers, and sleep while the disk works: one at a time gets no more
 * than half of what a fast disk gives. */
enum { WARI_TRANSFERERS = 6 };

/* Where half bytes pass through: for each of these threads, and for one that makes transfers
 * itself. */
enum { WARI_ROOMS = WARI_TRANSFERERS + 1 };

/* The same while values grow by bits (bits/bits.h). */
struct wari_bits_shape {
    int planes;         /* 2, or 3 with cycle rule `own` */
    uint64_t lists;     /* on disk, about, bytes */
    uint32_t frames;    /* that stay in use, number */
    uint32_t pages;     /* for news, number */
    uint32_t chunk;     /* of lists, bytes; */
    uint64_t table;     /* what they take in memory, bytes */
    uint32_t snapshots; /* that are settled together, number */
};

/* How the memory of a streamed level is divided. All in bytes but where it says otherwise. */
struct wari_stream_shape {
    size_t frame_bytes;
    uint32_t frames; /* number */
    uint64_t window;
    uint64_t pages;
    uint64_t tables;             /* beside all these */
    uint64_t bytes;              /* everything */
    uint64_t scratch;            /* of the file; where in it these begin: */
    uint64_t full_halves, lists; /* (bits/lists.h) */
    uint32_t pieces;             /* of cells, or of stripes, whichever are more */
    uint32_t entries;            /* of a plan, number */
    bool by_bits;                /* values grow by bits (bits/bits.h), with all that memory: */
    struct wari_bits_shape bits;
};

/* The shape for `bytes` of memory; false if that is too little. wari_stream_least(): what is
 * enough. */
bool wari_stream_shape(int seeds, uint64_t bytes, struct wari_stream_shape *shape);
uint64_t wari_stream_least(int seeds);

/* Adds whether values are to grow by bits, and what that takes: if the cycle rule allows it, and
 * there is room in `bytes` and `idle` bytes more, which nobody else has a use for meanwhile. */
void wari_stream_shape_bits(int seeds, enum wari_cycle cycle, uint64_t bytes, uint64_t idle,
                            int threads, struct wari_stream_shape *shape);

/* Both: the shape in which a level is solved; false if it cannot be. And the fewest bytes that it
 * can be solved in, if `most` do; UINT64_MAX if they do not. */
bool wari_stream_fits(int seeds, enum wari_cycle cycle, uint64_t bytes, uint64_t idle, int threads,
                      struct wari_stream_shape *shape);
uint64_t wari_stream_needs(int seeds, enum wari_cycle cycle, uint64_t most, uint64_t idle,
                           int threads);

/* Blocks that have their turn together. */
struct wari_turn {
    int first, count;
};

/* What a block takes in the window, all of it: begins at a cache line, and padding behind it. */
uint64_t wari_stream_block_bytes(const struct wari_layout *layout, int block);

/* The turns of a sweep, from the outside in as in memory (sweep.c): returns their number. */
int wari_stream_turns(const struct wari_layout *layout, uint64_t window,
                      struct wari_turn turns[WARI_SEEDS_MAX + 1]);

/* Columns of a block that has its turn, at most WARI_GROUP, of one group; and a run of its rows. */
struct wari_slice {
    uint32_t first_column;
    uint8_t columns, block;
    uint16_t run;
};

/* A stretch of a turn, planned ahead: which columns make a step, which pieces each step needs, and
 * which step needs them next. */
struct wari_stream_plan {
    uint32_t steps, slices, needs;
    uint32_t *first_slice, *first_need; /* of a step; one more than there are steps */
    struct wari_slice *slice;
    uint32_t *need, *next;
    uint32_t *seen, *later; /* of each piece: scratch */
    uint32_t stamp;         /* of the step being planned, in `seen` */
    struct wari_turn turn;
    uint32_t column[WARI_SEEDS_MAX + 1]; /* of a block: where the next plan begins */
    uint64_t key[WARI_SEEDS_MAX + 1];    /* the first pits of the mover half there, as a number */
    uint32_t runs[WARI_SEEDS_MAX + 1];   /* that a block's rows are cut into */
    uint32_t run;                        /* for plans that take runs one by one: the next */
};

struct wari_stream {
    struct wari_pieces pieces;
    struct wari_pieces stripes; /* captures only: stream_captures.c */
    struct wari_stream_shape shape;
    uint32_t step; /* the last one begun */
    int turns;
    struct wari_turn turn[WARI_SEEDS_MAX + 1];
    struct wari_turn now;               /* whose turn it is; if it is a single block's, */
    uint32_t first_row, rows;           /* the rows of it that are in the window, else 0, all */
    uint64_t place[WARI_SEEDS_MAX + 1]; /* of such a block in the window, */
    uint32_t held[WARI_SEEDS_MAX + 1];  /* and how many rows of it are there */
    int8_t *window;
    _Atomic uint8_t *touched;         /* [piece]: a stripe that some unit of has been written */
    uint64_t far[WARI_SEEDS_MAX + 1]; /* turns, until a piece of this block is needed again */
    struct wari_stream_plan plan;
    uint32_t *list;         /* of pieces, for passes that go through some in order */
    struct wari_bits *bits; /* while values grow by bits, and from the capture pass on */
    enum wari_status (*amend)(const struct wari_level *level, const void *amending, uint32_t piece,
                              uint8_t *room, struct wari_error *error);
    const void *amending; /* what is to be done with every piece that has been read; or NULL */
    bool alone;           /* one thread does everything: steps are too short for a team */
    struct wari_crew *crew;
    pthread_mutex_t lock; /* of wari_stream_values() */
    uint8_t *room;        /* the first one */
    void *memory, *tables;
};

static inline uint8_t *wari_stream_room(const struct wari_stream *stream, int room)
{
    return stream->room + (size_t)room * stream->shape.frame_bytes;
}

/* Makes level->stream, and the file in `folder`; the level's layout, pitches and order are set.
 * level->pages and page_count, too, are set. `idle`: as for wari_stream_shape_bits(). */
WARI_MUST_CHECK enum wari_status wari_stream_create(struct wari_level *level, enum wari_cycle cycle,
                                                    uint64_t bytes, uint64_t idle,
                                                    const char *folder, const char *name,
                                                    struct wari_error *error);
void wari_stream_measure(struct wari_level *level); /* tells level->measure what was transferred */
void wari_stream_destroy(struct wari_level *level); /* a level without is allowed */

/* Lends the window, and the pages of events, to the cache of lower levels: for passes that use
 * neither. They end with wari_lower_return(). */
void wari_stream_lend(struct wari_level *level);

/* Lends them to the pieces (pieces.h), until wari_stream_lend(): for all that comes after the last
 * pass that uses them. */
void wari_stream_keep(struct wari_level *level);

/* ---- Passes --------------------------------------------------------------------------------- */

/* Steps, each of which wants pieces (by wari_stream_want(), while steps before it run) and then has
 * jobs for the workers: how many is asked when it has said what it wants. Jobs of one step and of
 * those next to it run at the same time: what one of them writes no other one may read. */
struct wari_stream_pass {
    uint32_t steps;
    bool (*want)(struct wari_level *level, void *context, uint32_t step); /* NULL: nothing */
    uint32_t (*jobs)(const struct wari_level *level, void *context, uint32_t step);
    void (*job)(struct wari_level *level, struct wari_worker *worker, void *context, uint32_t step,
                uint32_t i);
    void *context;
};

/* Runs all steps, or until the level is stopped, or something fails (wari_team_failure()). */
void wari_stream_run(struct wari_level *level, const struct wari_stream_pass *pass);

/* Fails the team: a step needs more pieces than there are frames, which no shape lets happen. */
void wari_stream_lacks_frames(const struct wari_level *level);

/* For `want`: pieces of the step to come. */
bool wari_stream_want(struct wari_stream *stream, const uint32_t *piece, uint32_t count, bool read);

/* Pieces that a step may want: one such share of the frames for each step that is under way, and
 * one for pieces that stay. */
static inline uint32_t wari_stream_cap(const struct wari_stream *stream)
{
    return stream->pieces.frames / (WARI_STEPS_AHEAD + 2);
}

/* Calls job for each piece in stream->list (of `count`), when it is in memory. */
struct wari_stream_each {
    uint32_t count;
    bool (*read)(const struct wari_level *level, uint32_t piece); /* whether to read it */
    void (*job)(struct wari_level *level, struct wari_worker *worker, void *context,
                uint32_t piece);
    void *context;
};
void wari_stream_each(struct wari_level *level, struct wari_stream_each *each);

/* Lists all pieces; returns their number. */
uint32_t wari_stream_list_all(struct wari_level *level);

/* Makes the i-th of the transfers that are listed, in one of WARI_ROOMS rooms: what is read is then
 * amended. For any number of threads at once, a room each. */
WARI_MUST_CHECK enum wari_status wari_stream_transfer(const struct wari_level *level, uint32_t i,
                                                      int room, struct wari_error *error);

/* Writes all frames that were written to, and empties them. */
void wari_stream_flush(struct wari_level *level);

/* ---- The window ----------------------------------------------------------------------------- */

/* Rows of a block's window: all, or as many as there is room for (a multiple of WARI_STRIP). */
uint32_t wari_stream_window_rows(const struct wari_stream *stream, int block);

/* Says what is in the window, without reading it. `first_row`: of a turn of one block. */
void wari_stream_open_window(struct wari_level *level, struct wari_turn turn, uint32_t first_row);

/* Puts everything into the pieces, for the first time, and hands each stretch of rows to `also`
 * (NULL: nobody) while it is at hand in its piece. */
typedef void wari_stream_rows(struct wari_level *level, struct wari_worker *worker, int block,
                              uint32_t first_row, uint32_t rows);
void wari_stream_store_window(struct wari_level *level, wari_stream_rows *also);

/* A row of a block in the window. */
static inline int8_t *wari_stream_window_row(const struct wari_stream *stream, int block,
                                             uint32_t row)
{
    return stream->window + stream->place[block] +
           (size_t)(row - stream->first_row) * stream->pieces.pitch[block];
}

/* ---- Plans ---------------------------------------------------------------------------------- */

/* Begins to plan the turn of some blocks. plan->runs is to be set before. */
void wari_stream_begin_plan(struct wari_level *level, struct wari_turn turn);

/* Plans on from there as far as there is room, by what children the columns have; false if no
 * column is left. */
bool wari_stream_plan(struct wari_level *level);

/* For other plans. Begins: no step is planned yet. The block whose columns go by next, -1 if there
 * are none left; so many columns of it were planned. The step is whole (if there is anything in
 * it). All is planned: fills in when each piece is needed next. */
void wari_stream_begin_steps(struct wari_stream_plan *plan);
int wari_stream_next_block(const struct wari_stream_plan *plan);
void wari_stream_go_by(struct wari_level *level, int block, uint32_t columns);
void wari_stream_end_step(struct wari_stream_plan *plan);
void wari_stream_look_ahead(struct wari_stream *stream);

/* When a piece is needed again that no plan knows of. */
uint64_t wari_stream_far_away(const struct wari_stream *stream, uint32_t piece);

/* For passes over a plan: wants what a step of it needs; its slices, one a job. */
bool wari_stream_want_planned(struct wari_level *level, void *context, uint32_t step);
uint32_t wari_stream_slices(const struct wari_level *level, void *context, uint32_t step);

/* How far away each block's next use is, seen from a turn. */
void wari_stream_look_far(struct wari_level *level, int turn);

/* ---- Stripes of captures (stream_captures.c) --------------------------------------------------
 */

/* How a block is cut into stripes, and these into units that fit into a frame. */
struct wari_stripes {
    uint32_t step, groups; /* columns from stripe to stripe; stripes */
    uint32_t width;        /* bytes from row to row */
    uint32_t run, runs;    /* rows of a unit, but for the last one; units of a stripe */
};
struct wari_stripes wari_stream_stripes(const struct wari_layout *layout, int block,
                                        size_t frame_bytes);
void wari_stream_lay_out_stripes(struct wari_pieces *stripes, const struct wari_layout *layout,
                                 size_t frame_bytes);

/* ---- What level.h promises, for streamed levels ---------------------------------------------- */

void wari_stream_captures(struct wari_level *level);
void wari_stream_values(const struct wari_level *level, uint64_t first, size_t count,
                        int8_t *values);

#endif
