/* The bit backend: solves a level one threshold after the other, with two or three bits a cell.
 *
 * The value of a cell is v > 0 or more if and only if the mover can force a surplus of v within
 * the level. Whether the mover can do so depends only on which other cells are worth v or more, and
 * which are worth -v or less, not on their exact values. The mover forces the surplus by
 * ending the game or, with cycle rule `own`, by endless play (bits_shrink.c, which needs a third
 * bit). So for one **threshold** v, two bits a cell are enough. Two bits a cell often fit into
 * memory where one byte a cell does not:
 *
 *     won  lost
 *      1    0     won: the cell is worth v or more
 *      0    1     lost: the cell is worth -v or less
 *      0    0     open: the cell is not known to be won or lost; it becomes lost as soon as all its
 *                 children are won
 *      1    1     safe: the cell is not known to be won, and it cannot be lost, since its best
 *                 capture is worth more than -v
 *
 * A cell becomes won as soon as one of its children is lost. A cell that is won or lost for v is
 * also won or lost for v - 1. So the thresholds are solved from the number of seeds down to 1, and
 * each threshold begins with the result of the threshold before. At the beginning of threshold v
 * only two kinds of cells change: cells whose best capture is v become won, and cells whose best
 * capture is -v change from safe to open. The cells to be changed at the beginning of each
 * threshold are listed once, in capture_lists.h. When a threshold is solved, the cells that are won
 * or lost are written to the scratch file, one bit a cell, as a **snapshot**. Several snapshots at
 * a time are folded into the codes in the file (bits_snapshots.c).
 *
 * For one threshold every change of a cell changes one bit. So a thread that reads both bits of a
 * cell, in whatever order, while another thread changes it, sees the cell either before or after
 * the change. Both results are correct: a cell that is won or lost remains so, and a thread that
 * has seen the cell before the change is notified of the change later.
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
    WARI_BITS_SNAPSHOTS_STORED = 8, /* number of snapshots for which the scratch file has space. It
                                     * holds the snapshots that are being folded and the snapshots
                                     * that are written in the meantime */
    WARI_BITS_CELLS_A_BUFFER = 127, /* cells in a worklist buffer, whose size is then 1 KiB */
    WARI_BITS_PITCH = WARI_BITS_COLUMNS + 8, /* distance between two strips of a tile, in words; not
                                              * a power of two, to avoid cache conflicts */
    WARI_BITS_BATCH = 64,    /* size of a batch: number of cells whose parents are found together */
    WARI_BITS_PARENTS = 768, /* capacity of the list of the parents of a batch; a single cell has
                              * fewer parents */
};

/* ---- The level ------------------------------------------------------------------------------- */

/* The division of a level's memory. */
struct wari_bits_shape {
    struct wari_scratch_shape scratch;
    int planes;                /* 2, or 3 with cycle rule `own` */
    uint32_t worklist_buffers; /* number of worklist buffers */
    uint32_t list_node_bytes;  /* size of a node of a capture list, in bytes */
    uint64_t table_bytes; /* memory for the table of the capture lists and for struct wari_bits */
    uint32_t snapshots;   /* number of snapshots that are folded into the codes at a time */
};

/* The planes of a level, in the layout that is drawn at the top of this file. */
struct wari_bits_planes {
    /* [block]: offset in a plane; [seeds + 1]: size of a plane. */
    uint64_t offset[WARI_SEEDS_MAX + 2];
    uint32_t pitch[WARI_SEEDS_MAX + 1]; /* bytes from one row to the next */
    uint8_t *won, *lost;
    uint8_t *kept; /* NULL if the cycle rule is not `own` */
    const uint8_t
        *zeros; /* a row of zeros, as long as the longest row; NULL if there is no plane `kept` */
};

/* The words of a gather (kernel/bits_plain.h). */
struct wari_bit_gather {
    const uint32_t *first_word; /* [range of WARI_BITS_STRIPS strips]; one entry more at the end */
    const struct wari_bit_word *word;
};

/* A buffer of cells that have become won or lost, and whose parents have to be notified. */
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
    atomic_bool overflow; /* a cell could not be pushed because no buffer was free, so the parents
                           * of the cell are not notified */
    struct wari_bits_worker *worker; /* one for each thread */
};

/* A list of snapshots, which are stored in consecutive slots of the scratch file. The slots are
 * used as a ring: slot 0 follows the last slot. */
struct wari_bits_snapshots {
    int count, threshold[WARI_BITS_SNAPSHOTS];
    int first; /* slot of the first snapshot */
};

/* The state of folding snapshots into the codes in the scratch file, which is done by a separate
 * thread. */
struct wari_bits_fold_state {
    struct wari_bits_snapshots folding; /* the snapshots that `thread` folds at present */
    struct wari_bits_snapshots waiting; /* the snapshots that were written since `thread` began */
    uint32_t *sum; /* checksum of each WARI_TRANSFER_ALIGN bytes of the snapshots in the file */
    struct wari_fold_tables codes;

    /* The last time that snapshots are folded, cells are also counted by value. */
    bool count;   /* snapshots are folded for the last time */
    bool counted; /* `histogram` is complete */
    uint64_t histogram[2 * WARI_SEEDS_MAX + 1];

    bool running; /* `thread` exists; it uses `folding`, `codes` and the three fields above */
    pthread_t thread;
};

/* The phases of solving a level. Under cycle rule `own` it is rare that a surplus can be kept by
 * endless play: up to 13 seeds this happens only with 3, 7 and 9 seeds, in all rule sets. So all
 * thresholds are first solved without the rule, which takes a fourth of the time. Then each
 * threshold is tested for a surplus that can be kept. Only if a test finds such a surplus, all
 * thresholds are solved again with the rule. */
enum wari_bits_phase { WARI_BITS_PHASE_GROW, WARI_BITS_PHASE_TEST, WARI_BITS_PHASE_OWN };

/* The progress of solving the thresholds. */
struct wari_bits_progress {
    enum wari_bits_phase phase;
    bool first; /* the current threshold is the first of the phase; it begins with the codes in the
                 * file, and all other thresholds begin with the bits of the threshold before */
    uint64_t grown; /* number of cells that changed since upper bounds were last committed; set to 1
                     * when a threshold begins, so that upper bounds are begun at least once for it
                     * (except in phase GROW) */
    uint64_t candidates; /* number of cells that may be kept and are neither won nor lost */
    bool kept;           /* a test has found a surplus that a side can keep by endless play */
    bool swept; /* upper bounds were committed, and `result` counts the changes that followed */
    struct wari_sweep_result result;
};

struct wari_capture_lists;
struct wari_bits_ops;

struct wari_bits {
    struct wari_scratch scratch; /* has to be the first member, see wari_scratch_of() */
    struct wari_level *level;
    struct wari_bits_shape shape;
    struct wari_bits_progress progress;
    int threshold;
    struct wari_bits_planes planes;
    const struct wari_bits_ops *ops;                     /* operations of the current sweep */
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

/* Returns the number of bytes that wari_bits_make_planes() allocates for `planes` planes. */
uint64_t wari_bits_planes_bytes(const struct wari_layout *layout, int planes);

/* Returns the size of all snapshots in the scratch file, in bytes. The snapshots replace the column
 * ranges, which are needed only while captures are computed. */
uint64_t wari_bits_snapshot_bytes(const struct wari_layout *layout);

/* Fills the planes for bits->threshold, from the codes in the file: cells with a value >= threshold
 * become won, cells with a value <= -threshold become lost. If there is a third plane, also fills
 * it with the cells that may be kept. This is correct only if for threshold - 1 all kept cells are
 * won or lost. Returns the number of cells that may be kept and are neither won nor lost. */
uint64_t wari_bits_fill_planes(struct wari_bits *bits);

/* Converts the tables by which a level's children are gathered byte by byte to tables by which they
 * are gathered bit by bit (struct wari_bit_word). Allocates the memory for the converted tables. */
WARI_MUST_CHECK enum wari_status wari_bits_make_words(struct wari_bits *bits,
                                                      struct wari_error *error);

/* Returns an upper bound on the bytes that wari_bits_make_words() allocates. */
uint64_t wari_bits_words_bytes(const struct wari_layout *layout);

/* Returns the number of strips of a block. */
static inline uint32_t wari_bits_strips(const struct wari_layout *layout, int block)
{
    return (layout->rows[block] + WARI_STRIP - 1) / WARI_STRIP;
}

/* Returns the number of items of WARI_BITS_STRIPS strips each that cover all rows of a block. */
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

/* Returns the bit of a cell in the byte at wari_bits_offset(). */
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

/* Makes an open or safe cell won. If several threads call it for the same cell, exactly one call
 * returns true. */
static inline bool wari_bits_win(const struct wari_bits *bits, uint64_t offset, uint8_t bit)
{
    if (!(__atomic_fetch_or(&bits->planes.won[offset], bit, __ATOMIC_SEQ_CST) & bit))
        return true;
    return (__atomic_fetch_and(&bits->planes.lost[offset], (uint8_t)~bit, __ATOMIC_SEQ_CST) &
            bit) != 0;
}

/* Makes an open cell lost. If several threads call it for the same cell, exactly one call returns
 * true. */
static inline bool wari_bits_lose(const struct wari_bits *bits, uint64_t offset, uint8_t bit)
{
    return !(__atomic_fetch_or(&bits->planes.lost[offset], bit, __ATOMIC_SEQ_CST) & bit);
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* The data of one thread: a worklist buffer and, in the worker's tile, struct wari_bits_tile. */
struct wari_bits_worker {
    struct wari_worker *worker;
    uint32_t buffer; /* number of the worklist buffer to which the thread pushes cells;
                      * WARI_NO_EVENT_BUFFER if the thread has none */
};

/* The kinds of entries in a worklist. An entry says what to examine: the parents of a cell that
 * became lost, the parents of a cell that became won, or a cell that is still open. */
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
    uint8_t bit; /* mask of the child's bit in the byte at offset `child` */
    uint8_t pit; /* the next pit to try: 1 more than the pit whose move leads to the child */
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
 * aligned to WARI_TRANSFER_ALIGN. */
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

/* An item: the cells of a block that one thread computes together. */
struct wari_bits_item {
    int block;
    uint32_t first_column, columns;
    uint32_t first_strip, strips;
};

/* The operations by which cells change. There are two tables of operations: wari_bits_grow_ops for
 * values, and wari_bits_shrink_ops for upper bounds (bits_shrink.c). */
struct wari_bits_ops {
    /* Returns true if cells of a block may change. */
    bool (*applies_to)(const struct wari_bits *bits, int block);

    /* Sets source->won and source->lost to the bits from which the cells of a block read their
     * children. The children are in a row of block `child` that begins at `offset` in a plane. */
    void (*find_rows)(const struct wari_bits *bits, int block, int child, uint64_t offset,
                      struct wari_bit_source *source);

    /* Changes the cells of an item. The states of their children are in the worker's tile. If
     * `notify` is true, pushes the changed cells to the worklist, and allows for other threads that
     * change the same cells. Returns the number of changed cells. */
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
 * also processes all changes that follow from these changes. Then the fixed point is reached,
 * unless wari_bits_worklist_overflowed(). */
uint64_t wari_bits_sweep(struct wari_bits *bits, bool notify);

/* ---- Worklist (bits_worklist.c) -------------------------------------------------------------- */

/* Returns the size of the structs wari_bits_worker of all threads together, in bytes. */
uint64_t wari_bits_worker_bytes(int threads);

/* Allocates the workers and `buffers` worklist buffers; the caller frees bits->worklist.buffer. */
WARI_MUST_CHECK enum wari_status wari_bits_make_workers(struct wari_bits *bits, uint32_t buffers,
                                                        struct wari_error *error);

/* Returns the worker of the calling thread. */
struct wari_bits_worker *wari_bits_worker(const struct wari_bits *bits);

/* Pushes a cell to the worklist. With WARI_BITS_NOTIFY_OPEN the cell itself will be examined. With
 * the other notifications the cell has become lost or won, and its parents will be examined. */
void wari_bits_push(struct wari_bits *bits, struct wari_bits_worker *worker,
                    enum wari_bits_notification notification, int block, uint32_t row,
                    uint32_t column);

/* Returns the number of cells in the worklist buffer of a worker. */
uint32_t wari_bits_pending(const struct wari_bits *bits, const struct wari_bits_worker *worker);

/* Processes the worklist until this thread finds no cell in it. Other threads may still process
 * cells when it returns. Returns the number of changed cells. */
uint64_t wari_bits_drain(struct wari_bits *bits, struct wari_bits_worker *worker);

/* The operation `decide_parents` of wari_bits_grow_ops. */
uint64_t wari_bits_decide_parents(struct wari_bits *bits, struct wari_bits_worker *worker,
                                  uint32_t parents);

/* Returns true if a cell could not be pushed since the beginning of the last sweep. */
static inline bool wari_bits_worklist_overflowed(const struct wari_bits *bits)
{
    return atomic_load_explicit(&bits->worklist.overflow, memory_order_relaxed);
}

/* ---- Cycle rule `own` (bits_shrink.c) -------------------------------------------------------- */

/* Begins the shrink of bits->threshold, for sweeps by wari_bits_shrink_ops: marks as kept all cells
 * that might be kept for ever. Returns the number of marked cells that are neither won nor lost. */
uint64_t wari_bits_begin_upper_bounds(struct wari_bits *bits);

/* Examines all cells that are marked as kept, and processes all changes that follow, by
 * wari_bits_shrink_ops. Returns the number of cells that are no longer marked. */
uint64_t wari_bits_recheck_all(struct wari_bits *bits);

/* Ends the shrink: all cells that are still kept become won or lost. Returns the number of changed
 * cells. If `notify` is true, also processes all changes that follow, by wari_bits_grow_ops; if
 * wari_bits_worklist_overflowed() returns true afterwards, some of these changes are missing. */
uint64_t wari_bits_commit_upper_bounds(struct wari_bits *bits, bool notify);

/* ---- Snapshots (bits_snapshots.c) ------------------------------------------------------------ */

/* Writes a snapshot of the current threshold to the scratch file. Waits for a free slot in the file
 * if necessary. Starts folding if bits->shape.snapshots snapshots are waiting. */
void wari_bits_write_snapshot(struct wari_bits *bits);

/* Starts folding the waiting snapshots into the codes. Meanwhile the planes may change, but no
 * other pass over the file (wari_scratch_run_pass()) may run. */
void wari_bits_start_fold(struct wari_bits *bits);

/* Waits until folding has finished, if it was started. */
void wari_bits_wait_for_fold(struct wari_bits *bits);

#endif
