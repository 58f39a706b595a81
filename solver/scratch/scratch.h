/* A level whose cells are in a scratch file (pieces.h), which passes (passes.h) go through.
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
#ifndef SOLVER_SCRATCH_H
#define SOLVER_SCRATCH_H

#include <pthread.h>

#include "solver/level/level.h"
#include "solver/scratch/pieces.h"
#include "system/crew.h"

/* ---- How its memory is divided (scratch_shape.c) -----------------------------------------------
 */

/* Threads that do nothing but transfers, and sleep while the disk works: one at a time gets no more
 * than half of what a fast disk gives. */
enum { WARI_TRANSFERERS = 6 };

/* Where half bytes pass through: for each of these threads, and for one that makes transfers
 * itself. */
enum { WARI_ROOMS = WARI_TRANSFERERS + 1 };

/* All in bytes but where it says otherwise. */
struct wari_scratch_shape {
    size_t frame_bytes;
    uint32_t frames; /* number */
    uint64_t window;
    uint64_t pages;  /* behind it; lent to those who have a use for them */
    uint64_t tables; /* beside all these */
    uint64_t bytes;  /* everything */
    uint64_t file;   /* of the scratch file; where in it these begin: */
    uint64_t full_halves, behind;
    uint32_t pieces;   /* of cells, or of stripes, whichever are more */
    uint32_t entries;  /* of a plan, number */
    uint64_t reused;   /* of the file, for what takes the place of stripes when these were read; */
    uint64_t appended; /* and for what comes behind everything else. Both are the caller's. */
};

/* The shape for `bytes` of memory; false if that is too little. wari_scratch_least(): what is
 * enough. */
bool wari_scratch_shape(int seeds, uint64_t bytes, struct wari_scratch_shape *shape);
uint64_t wari_scratch_least(int seeds);

/* Makes some pages of a part of the window if there are fewer than so many bytes of them, and it
 * can spare as much. Takes so many bytes from frames; false if there are too few. Either is
 * followed by wari_scratch_add_up(): all that follows from frames, window, pages, reused and
 * appended. */
void wari_scratch_give_pages(int seeds, uint64_t bytes, struct wari_scratch_shape *shape);
bool wari_scratch_take_frames(uint64_t bytes, struct wari_scratch_shape *shape);
void wari_scratch_add_up(int seeds, struct wari_scratch_shape *shape);

/* Blocks that have their turn together. */
struct wari_turn {
    int first, count;
};

/* What a block takes in the window, all of it: begins at a cache line, and padding behind it. */
uint64_t wari_scratch_block_bytes(const struct wari_layout *layout, int block);

/* The turns of a sweep, from the outside in as in memory (level.c): returns their number. */
int wari_scratch_turns(const struct wari_layout *layout, uint64_t window,
                       struct wari_turn turns[WARI_SEEDS_MAX + 1]);

/* How a block is cut into stripes, and these into units that fit into a frame. */
struct wari_stripes {
    uint32_t step, groups; /* columns from stripe to stripe; stripes */
    uint32_t width;        /* bytes from row to row */
    uint32_t run, runs;    /* rows of a unit, but for the last one; units of a stripe */
};
struct wari_stripes wari_scratch_stripes(const struct wari_layout *layout, int block,
                                         size_t frame_bytes);
void wari_scratch_cut_stripes(struct wari_pieces_cut *stripes, const struct wari_layout *layout,
                              size_t frame_bytes);

/* ---- The scratch
 * --------------------------------------------------------------------------------- */

/* Columns of a block that has its turn, at most WARI_GROUP, of one group; and a run of its rows. */
struct wari_slice {
    uint32_t first_column;
    uint8_t columns, block;
    uint16_t run;
};

/* A stretch of a turn, planned ahead: which columns make a step, which pieces each step needs, and
 * which step needs them next. */
struct wari_scratch_plan {
    uint32_t steps, slices, needs;
    uint32_t *first_slice, *first_need; /* of a step; one more than there are steps */
    struct wari_slice *slice;
    uint32_t *need, *next;
    uint32_t *seen, *later; /* of each piece: scratch */
    uint32_t stamp;         /* of the step being planned, in `seen` */
    struct wari_turn turn;
    uint32_t column[WARI_SEEDS_MAX + 1]; /* of a block: where the next plan begins */
    uint64_t key[WARI_SEEDS_MAX + 1];    /* the first pits of the mover half there, as a number */
    uint32_t run;                        /* for plans that take runs one by one: the next */
};

/* The blocks whose turn it is, in memory. */
struct wari_turn_window {
    struct wari_turn now;               /* if it is a single block's turn, */
    uint32_t first_row, rows;           /* the rows of it that are here, else 0, all */
    uint64_t place[WARI_SEEDS_MAX + 1]; /* of such a block, */
    uint32_t held[WARI_SEEDS_MAX + 1];  /* and how many rows of it are here */
    int8_t *memory;
};

/* What is done with every piece that has been read. */
struct wari_amendment {
    enum wari_status (*amend)(const struct wari_level *level, const void *context, uint32_t piece,
                              uint8_t *room, struct wari_error *error); /* NULL: nothing */
    const void *context;
};

struct wari_scratch {
    struct wari_scratch_file file;
    struct wari_pieces pieces;
    struct wari_pieces stripes; /* captures only: captures.c */
    struct wari_scratch_shape shape;
    uint32_t step; /* the last one begun */
    struct {
        int count;
        struct wari_turn turn[WARI_SEEDS_MAX + 1];
        uint64_t far[WARI_SEEDS_MAX + 1]; /* until a piece of this block is needed again */
    } turns;
    struct wari_turn_window window;
    _Atomic uint8_t *touched; /* [piece]: a stripe that some unit of has been written */
    struct wari_scratch_plan plan;
    uint32_t *list; /* of pieces, for passes that go through some in order */
    struct wari_amendment amendment;
    bool alone; /* one thread does everything: steps are too short for a team */
    struct wari_crew *crew;
    struct {
        int8_t *frames;
        uint8_t *rooms; /* the first one */
        uint8_t *pages;
        void *all, *tables;
        pthread_mutex_t lock; /* of wari_scratch_values() */
    } memory;
    struct wari_bits *bits; /* what the road (bits/) has beside all that */
};

static inline struct wari_scratch *wari_scratch_of(const struct wari_level *level)
{
    return level->place;
}

static inline uint8_t *wari_scratch_room(const struct wari_scratch *scratch, int room)
{
    return scratch->memory.rooms + (size_t)room * scratch->shape.frame_bytes;
}

/* Pieces that a step may want: one such share of the frames for each step that is under way, and
 * one for pieces that stay. */
static inline uint32_t wari_scratch_cap(uint32_t frames)
{
    return frames / (WARI_STEPS_AHEAD + 2);
}

#endif
