/* The bit backend: solves a level one threshold after the other, with two or three bits a cell.
 *
 * A value is v > 0 or more if and only if the mover can force that much within the level,
 * regardless of the other values: by an end or, with cycle rule `own`, by endless play
 * (bits_shrink.c, which needs a third bit). So for one **threshold** v, two bits a cell are
 * enough, and these often fit into memory where one byte a cell does not:
 *
 *     won  lost
 *      1    0     won: the cell is worth v or more
 *      0    1     lost: the cell is worth -v or less
 *      0    0     open: neither is known so far; the cell is lost as soon as all children are won
 *      1    1     safe: neither is known so far; the cell cannot be lost, since its best capture is
 *                 worth more than -v
 *
 * A cell is won as soon as a child is lost. What is won or lost for v is also won or lost for v
 * - 1. So the thresholds are solved from the number of seeds down to 1, and each begins with the
 * result of the one before. At the beginning of threshold v only the cells whose best capture is v
 * become won, and those whose best capture is -v change from safe to open. The cells of each
 * threshold are listed once (capture_lists.h). When a threshold is solved, the cells that are won
 * or lost are written to the scratch file, one bit a cell, as a **snapshot**. Several snapshots at
 * a time are folded into the codes in the file (bits_snapshots.c).
 *
 * For one threshold every change of a cell changes one bit. So a thread that reads both bits of a
 * cell, in whatever order, while another thread changes it, sees the cell either before or after
 * the change. Both are correct: cells that are won or lost stay so, and a thread that has seen the
 * cell before the change is notified of the change later.
 *
 *     plane   block 0 | block 1 | ... | block n | padding
 *     block   row 0 | row 1 | ...
 *     row     one bit for each column, the lowest bit of a byte first, padded to whole bytes
 *
 * There are two planes, won and lost; with cycle rule `own` a third one, kept.
 */
#ifndef SOLVER_BITS_BITS_H
#define SOLVER_BITS_BITS_H

#include <pthread.h>

#include "solver/bits/scratch.h"
#include "solver/kernel/bits_plain.h"
#include "solver/level/recheck.h"

enum {
    WARI_BITS_PADDING = 64,         /* readable bytes after a plane */
    WARI_BITS_SNAPSHOTS_STORED = 8, /* capacity of the file: the snapshots that are being folded,
                                     * and some that are written in the meantime */
    WARI_BITS_CELLS_A_BUFFER = 127, /* so that a worklist buffer has 1 KiB */
    WARI_BITS_PITCH = WARI_BITS_COLUMNS + 8, /* words from strip to strip of a tile; not a power of
                                              * two, which would cause cache conflicts */
    WARI_BITS_BATCH = 64,    /* number of cells whose parents are looked for together */
    WARI_BITS_PARENTS = 768, /* capacity for these parents; more than one cell has */
};

/* ---- The level ------------------------------------------------------------------------------- */

/* How the memory of a level is divided. */
struct wari_bits_shape {
    struct wari_scratch_shape scratch;
    int planes;                /* 2, or 3 with cycle rule `own` */
    uint32_t worklist_buffers; /* number */
    uint32_t list_node_bytes;  /* size of a node of the capture lists */
    uint64_t table_bytes; /* memory of the table of the capture lists, and of struct wari_bits */
    uint32_t snapshots;   /* number of snapshots that are folded together */
};

/* The planes, see above. */
struct wari_bits_planes {
    uint64_t
        offset[WARI_SEEDS_MAX + 2];     /* of each block in a plane; [seeds + 1]: size of a plane */
    uint32_t pitch[WARI_SEEDS_MAX + 1]; /* bytes from row to row */
    uint8_t *won, *lost;
    uint8_t *kept; /* NULL if the cycle rule is not `own` */
    const uint8_t
        *zeros; /* if there is a plane `kept`: a row of zeros, as long as the longest row */
};

/* The words of a gather (kernel/bits_plain.h). */
struct wari_bit_gather {
    const uint32_t *first_word; /* [range of WARI_BITS_STRIPS strips]; one entry more at the end */
    const struct wari_bit_word *word;
};

/* Decided cells whose parents have to be notified. */
struct wari_worklist_buffer {
    uint32_t next, count;
    uint64_t cell[WARI_BITS_CELLS_A_BUFFER];
};

/* The worklist of all threads. */
struct wari_bits_worklist {
    struct wari_worklist_buffer *buffer;
    atomic_flag lock; /* protects the next two fields */
    uint32_t free;    /* the first buffer in the list of free buffers */
    uint32_t full;    /* the first buffer in the list of full buffers, which any thread may take */
    atomic_bool overflow; /* no buffer was free for some cell, so its parents are not notified */
    struct wari_bits_worker *worker; /* one for each thread */
};

/* Some snapshots. They are stored one after the other in the file; the first slot of the file
 * follows the last one. */
struct wari_bits_snapshots {
    int count, threshold[WARI_BITS_SNAPSHOTS];
    int first; /* slot of the first one */
};

/* The folding of snapshots into codes, which runs in a thread of its own. */
struct wari_bits_fold_state {
    struct wari_bits_snapshots folding; /* the snapshots that are being folded */
    struct wari_bits_snapshots waiting; /* snapshots that were written since the folding began */
    uint32_t *sum; /* checksum of each WARI_TRANSFER_ALIGN bytes of the snapshots in the file */
    struct wari_settling codes;

    /* The last time, cells are also counted by value. */
    bool count;   /* this is the last time */
    bool counted; /* `histogram` is complete */
    uint64_t histogram[2 * WARI_SEEDS_MAX + 1];

    bool running; /* `thread` exists; until it is joined all fields above belong to it */
    pthread_t thread;
};

/* Under cycle rule `own` it is rare that a surplus can be kept: it happens with 3, 7 and 9 seeds,
 * in all rule sets, and with no other number up to 13. So all thresholds are first solved without
 * the rule, which takes a fourth of the time. Then each threshold is tested, and only if in one of
 * them something can be kept, all thresholds are solved again with the rule. */
enum wari_bits_phase { WARI_BITS_PHASE_GROW, WARI_BITS_PHASE_TEST, WARI_BITS_PHASE_OWN };

/* How far the thresholds are solved. */
struct wari_bits_progress {
    enum wari_bits_phase phase;
    bool first; /* at the first threshold of the phase, which begins with codes; the others begin
                 * with the bits of the threshold before */
    uint64_t grown; /* cells that changed since the last shrink, or since the threshold began */
    uint64_t candidates; /* cells that may be kept and are neither won nor lost */
    bool kept;           /* a test has found a surplus that can be kept */
    bool swept; /* `result` is that of the changes that followed from committed upper bounds */
    struct wari_sweep_result result;
};

struct wari_capture_lists;
struct wari_bits_ops;

struct wari_bits {
    struct wari_scratch scratch; /* the first member, see wari_scratch_of() */
    struct wari_level *level;
    struct wari_bits_shape shape;
    struct wari_bits_progress progress;
    int threshold;
    struct wari_bits_planes planes;
    const struct wari_bits_ops *ops;                     /* of the current sweep */
    struct wari_bit_gather (*gather)[WARI_SOWN_MAX + 1]; /* [opponent's seeds][seeds sown] */
    struct wari_capture_lists *lists;
    struct wari_bits_worklist worklist;
    struct wari_bits_fold_state fold;
};

static inline struct wari_bits *wari_bits_of(const struct wari_level *level)
{
    return level->backend_data;
}

/* ---- Planes (bits_planes.c) ------------------------------------------------------------------ */

/* Computes the offsets and pitches of the planes. */
void wari_bits_lay_out(struct wari_bits *bits, const struct wari_layout *layout);

/* Allocates the planes and the checksums of snapshots. The bits of cells are not initialised. */
WARI_MUST_CHECK enum wari_status wari_bits_make_planes(struct wari_bits *bits,
                                                       struct wari_error *error);
void wari_bits_free_planes(struct wari_bits *bits);

/* Returns the bytes that wari_bits_make_planes() allocates for `planes` planes. */
uint64_t wari_bits_planes_bytes(const struct wari_layout *layout, int planes);

/* Returns the bytes of the scratch file for snapshots, which replace the column ranges of captures.
 */
uint64_t wari_bits_snapshot_bytes(const struct wari_layout *layout);

/* Fills the planes for bits->threshold, from the codes in the file: cells with a value >= threshold
 * are won, with a value <= -threshold lost. If there is a third plane, also fills it with the cells
 * that may be kept, provided that for threshold - 1 no cells are kept but those that are won or
 * lost. Returns the number of cells that may be kept and are neither won nor lost. */
uint64_t wari_bits_fill_planes(struct wari_bits *bits);

/* Converts the gathers of a level's tables to words of bits (struct wari_bit_word). Allocates the
 * memory for these words. */
WARI_MUST_CHECK enum wari_status wari_bits_make_words(struct wari_bits *bits,
                                                      struct wari_error *error);

/* Returns an upper bound on the bytes that wari_bits_make_words() allocates. */
uint64_t wari_bits_words_bytes(const struct wari_layout *layout);

/* Returns the number of strips of a block. */
static inline uint32_t wari_bits_strips(const struct wari_layout *layout, int block)
{
    return (layout->rows[block] + WARI_STRIP - 1) / WARI_STRIP;
}

/* Returns the number of items above each other in a block, of WARI_BITS_STRIPS strips each. */
static inline uint32_t wari_bits_runs(const struct wari_layout *layout, int block)
{
    return (wari_bits_strips(layout, block) + WARI_BITS_STRIPS - 1) / WARI_BITS_STRIPS;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* Returns the offset in a plane of the byte that contains a cell. */
static inline uint64_t wari_bits_offset(const struct wari_bits *bits, int block, uint32_t row,
                                        uint32_t column)
{
    return bits->planes.offset[block] + (uint64_t)row * bits->planes.pitch[block] + column / 8;
}

/* Returns the bit of a cell in that byte. */
static inline uint8_t wari_bits_bit(uint32_t column)
{
    return (uint8_t)(1U << column % 8);
}

enum wari_bits_state { WARI_BITS_OPEN, WARI_BITS_WON, WARI_BITS_LOST, WARI_BITS_SAFE };

static inline enum wari_bits_state wari_bits_state(const struct wari_bits *bits, uint64_t offset,
                                                   uint8_t bit)
{
    const uint8_t won = __atomic_load_n(&bits->planes.won[offset], __ATOMIC_SEQ_CST);
    const uint8_t lost = __atomic_load_n(&bits->planes.lost[offset], __ATOMIC_SEQ_CST);

    return (enum wari_bits_state)(((won & bit) != 0) + 2 * ((lost & bit) != 0));
}

/* Makes an open or safe cell won. If several threads do this, it returns true for exactly one. */
static inline bool wari_bits_win(const struct wari_bits *bits, uint64_t offset, uint8_t bit)
{
    if (!(__atomic_fetch_or(&bits->planes.won[offset], bit, __ATOMIC_SEQ_CST) & bit))
        return true;
    return (__atomic_fetch_and(&bits->planes.lost[offset], (uint8_t)~bit, __ATOMIC_SEQ_CST) &
            bit) != 0;
}

/* Makes an open cell lost. If several threads do this, it returns true for exactly one. */
static inline bool wari_bits_lose(const struct wari_bits *bits, uint64_t offset, uint8_t bit)
{
    return !(__atomic_fetch_or(&bits->planes.lost[offset], bit, __ATOMIC_SEQ_CST) & bit);
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* The data of one thread: a worklist buffer and, in the worker's tile, struct wari_bits_tile. */
struct wari_bits_worker {
    struct wari_worker *worker;
    uint32_t buffer; /* to which the thread pushes cells; WARI_NO_EVENT_BUFFER if it has none */
};

/* Why a cell has to be examined: a child is lost, a child is won, or the cell itself is open. */
enum wari_bits_notification { WARI_BITS_NOTIFY_LOST, WARI_BITS_NOTIFY_WON, WARI_BITS_NOTIFY_OPEN };

/* A cell that may change. */
struct wari_bits_parent {
    struct wari_board board;
    struct wari_coordinates cell;
    enum wari_bits_notification cause;
    uint64_t offset;
    uint8_t bit;
};

/* A parent that may be lost, and its child that is examined next. */
struct wari_bits_examined {
    uint64_t child; /* offset of the child in a plane */
    uint32_t parent;
    uint8_t bit; /* of the child */
    uint8_t pit; /* the pit after the one whose move leads to the child */
};

/* The contents of a worker's tile during sweeps. */
struct wari_bits_tile {
    uint64_t lost_child[WARI_BITS_STRIPS * WARI_BITS_PITCH];
    uint64_t open_child[WARI_BITS_STRIPS * WARI_BITS_PITCH];
    struct wari_bits_decided decided;
    wari_sowing sowing[WARI_BITS_COLUMNS][WARI_HALF_PITS];
    struct wari_bits_parent parent[WARI_BITS_PARENTS];
    struct wari_bits_examined examined[WARI_BITS_PARENTS];
};

static inline struct wari_bits_tile *wari_bits_tile(const struct wari_bits_worker *worker)
{
    return (struct wari_bits_tile *)(void *)worker->worker->tile;
}

/* Outside of sweeps, a worker's tile is the buffer for transfers: WARI_BITS_TRANSFER_BYTES bytes,
 * aligned as transfers need. */
enum {
    WARI_BITS_TRANSFER_BYTES =
        (WARI_ITEM_STRIPS_MAX * WARI_ITEM_STRIP_CELLS - WARI_TRANSFER_ALIGN) / WARI_TRANSFER_ALIGN *
        WARI_TRANSFER_ALIGN
};
static inline uint8_t *wari_bits_transfer_buffer(const struct wari_worker *worker)
{
    return (uint8_t *)(((uintptr_t)worker->tile + WARI_TRANSFER_ALIGN - 1) / WARI_TRANSFER_ALIGN *
                       WARI_TRANSFER_ALIGN);
}

/* ---- Operations on cells --------------------------------------------------------------------- */

/* The part of a block that is computed at a time. */
struct wari_bits_item {
    int block;
    uint32_t first_column, columns;
    uint32_t first_strip, strips;
};

/* The operations by which cells change. There are two tables: wari_bits_grow_ops for values, and
 * wari_bits_shrink_ops for upper bounds (bits_shrink.c). */
struct wari_bits_ops {
    /* Returns true if cells of a block may change. */
    bool (*applies_to)(const struct wari_bits *bits, int block);

    /* Sets source->won and source->lost to the bits in which the cells of a block look up their
     * children in a row of block `child`; the row begins at `offset` of a plane. */
    void (*find_rows)(const struct wari_bits *bits, int block, int child, uint64_t offset,
                      struct wari_bit_source *source);

    /* Changes the cells of an item by what the worker's tile says about their children. If `notify`
     * is true, pushes the changed cells to the worklist, and allows for other threads that change
     * the same cells. Returns the number of changed cells. */
    uint64_t (*decide)(struct wari_bits *bits, struct wari_bits_worker *worker,
                       const struct wari_bits_item *item, bool notify);

    /* Changes the first `parents` parents in the tile, whose children have changed, and pushes the
     * changed cells to the worklist. Returns the number of changed cells. */
    uint64_t (*decide_parents)(struct wari_bits *bits, struct wari_bits_worker *worker,
                               uint32_t parents);
};

extern const struct wari_bits_ops wari_bits_grow_ops, wari_bits_shrink_ops;

/* ---- Sweeps over one threshold (bits_sweep.c) ------------------------------------------------ */

/* Computes all cells from their children. Returns the number of changed cells. If `notify` is true,
 * also processes everything that follows from these changes. Then the fixed point is reached,
 * unless wari_bits_worklist_overflowed(). */
uint64_t wari_bits_sweep(struct wari_bits *bits, bool notify);

/* ---- Worklist (bits_worklist.c) -------------------------------------------------------------- */

/* Returns the size of struct wari_bits_worker for all threads. */
uint64_t wari_bits_worker_bytes(int threads);

/* Allocates the workers and `buffers` worklist buffers; the caller frees bits->worklist.buffer. */
WARI_MUST_CHECK enum wari_status wari_bits_make_workers(struct wari_bits *bits, uint32_t buffers,
                                                        struct wari_error *error);

/* Returns the worker of the calling thread. */
struct wari_bits_worker *wari_bits_worker(const struct wari_bits *bits);

/* Pushes a cell to the worklist: a cell that was decided, for its parents; or with
 * WARI_BITS_NOTIFY_OPEN a cell that has to be examined itself. */
void wari_bits_push(struct wari_bits *bits, struct wari_bits_worker *worker,
                    enum wari_bits_notification notification, int block, uint32_t row,
                    uint32_t column);

/* Returns the number of cells in the worker's own buffer. */
uint32_t wari_bits_pending(const struct wari_bits *bits, const struct wari_bits_worker *worker);

/* Processes the worklist until this thread finds no cell in it; other threads may still be at work
 * then. Returns the number of changed cells. */
uint64_t wari_bits_drain(struct wari_bits *bits, struct wari_bits_worker *worker);

/* The operation `decide_parents` for values. */
uint64_t wari_bits_decide_parents(struct wari_bits *bits, struct wari_bits_worker *worker,
                                  uint32_t parents);

/* Returns true if since the beginning of the last sweep a cell could not be pushed. */
static inline bool wari_bits_worklist_overflowed(const struct wari_bits *bits)
{
    return atomic_load_explicit(&bits->worklist.overflow, memory_order_relaxed);
}

/* ---- Cycle rule `own` (bits_shrink.c) -------------------------------------------------------- */

/* Begins the shrink of bits->threshold, for sweeps by wari_bits_shrink_ops: marks as kept all cells
 * that might be kept for ever. Returns the number of those that are neither won nor lost. */
uint64_t wari_bits_begin_upper_bounds(struct wari_bits *bits);

/* Examines all these cells, and everything that follows, by wari_bits_shrink_ops. Returns the
 * number of cells that are no longer kept. */
uint64_t wari_bits_recheck_all(struct wari_bits *bits);

/* Ends the shrink: all cells that are still kept become won or lost. Returns the number of changed
 * cells. If `notify` is true, also processes everything that follows, by wari_bits_grow_ops, unless
 * wari_bits_worklist_overflowed(). */
uint64_t wari_bits_commit_upper_bounds(struct wari_bits *bits, bool notify);

/* ---- Snapshots (bits_snapshots.c) ------------------------------------------------------------ */

/* Writes a snapshot of the current threshold; waits for a free slot in the file if necessary.
 * Starts folding if as many snapshots wait as are folded together. */
void wari_bits_write_snapshot(struct wari_bits *bits);

/* Starts folding the waiting snapshots into the codes. Meanwhile the planes may change, but no
 * other pass over the file (wari_scratch_run_pass()) may run. */
void wari_bits_start_fold(struct wari_bits *bits);

/* Waits until folding has finished, if it was started. */
void wari_bits_wait_for_fold(struct wari_bits *bits);

#endif
