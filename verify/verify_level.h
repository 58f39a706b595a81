/* The level being proved, called the current level: its positions in memory, and the results of the
 * proof so far.
 *
 * A **cell** holds a stored position in one byte:
 *
 *      bit 7                          1   0
 *          +-----------------------------+------+
 *          |         64 - value          | mark |
 *          +-----------------------------+------+
 *
 * The meaning of the mark changes with the step of the proof. At first it says that a capture or
 * an end attains the value; later it says that nothing forces the value yet. The byte 0 stands
 * for "no position": it is worse than any move and unmarked, so code that computes a maximum
 * over moves may include it.
 *
 * All threads read and write cells with relaxed atomic operations, or with vector instructions that
 * treat each byte like such an operation. This is safe because a value never changes, and because
 * a pass that depends on the marks of other positions either only sets or only removes marks: the
 * result does not depend on whether a reader sees the old or the new state of a mark.
 *
 * Positions whose opponent half is full (has a seed in every pit) are not stored in the level
 * file, but the catalogue counts them. They are called **full** here and have one byte each,
 * too: the value of the best move found so far. */
#ifndef VERIFY_VERIFY_LEVEL_H
#define VERIFY_VERIFY_LEVEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "db/catalogue/catalogue.h"
#include "index/level.h"
#include "system/thread_pool.h"
#include "verify/verify.h"
#include "verify/verify_columns.h"

typedef _Atomic uint8_t wari_verify_cell;

enum {
    WARI_VERIFY_MARK = 1,
    WARI_VERIFY_MIDDLE = 64, /* greater than any value */
};

static inline uint8_t wari_verify_code(int value)
{
    return (uint8_t)((WARI_VERIFY_MIDDLE - value) * 2);
}

static inline int wari_verify_value(uint8_t code)
{
    return WARI_VERIFY_MIDDLE - code / 2;
}

static inline uint8_t wari_verify_read(const wari_verify_cell *cell)
{
    return atomic_load_explicit(cell, memory_order_relaxed);
}

static inline void wari_verify_write(wari_verify_cell *cell, uint8_t code)
{
    atomic_store_explicit(cell, code, memory_order_relaxed);
}

/* Raises a cell to at least `code` atomically. Never lowers it. */
static inline void wari_verify_raise(wari_verify_cell *cell, uint8_t code)
{
    uint8_t before = wari_verify_read(cell);

    while (before < code && !atomic_compare_exchange_weak_explicit(
                                cell, &before, code, memory_order_relaxed, memory_order_relaxed))
        continue;
}

/* These set and clear the mark of a cell. Several threads may set the same mark at the same time,
 * or clear it, but no thread may set it while another clears it. */
static inline void wari_verify_mark(wari_verify_cell *cell)
{
    wari_verify_write(cell, wari_verify_read(cell) | WARI_VERIFY_MARK);
}

static inline void wari_verify_unmark(wari_verify_cell *cell)
{
    wari_verify_write(cell, wari_verify_read(cell) & (uint8_t)~WARI_VERIFY_MARK);
}

/* ---- Sets of positions: one bit for each position ---- */

static inline bool wari_verify_set_has(const wari_verify_cell *set, uint64_t cell)
{
    return wari_verify_read(&set[cell / 8]) >> cell % 8 & 1;
}

static inline void wari_verify_set_add(wari_verify_cell *set, uint64_t cell)
{
    atomic_fetch_or_explicit(&set[cell / 8], (uint8_t)(1u << cell % 8), memory_order_relaxed);
}

/* State of one call of wari_verify(). */
struct wari_verify_proof {
    const struct wari_verify *verify;
    const struct wari_host *host;
    struct wari_error *error;
    int threads;
    struct wari_thread_pool *pool; /* NULL for a sample */
    struct wari_catalogue catalogue;
    enum wari_slam slam;
    struct wari_decoder **decoders; /* one for each thread */
    struct wari_verify_columns columns;
    int8_t *lower_values; /* buffer for values of the lower levels */
    uint64_t lower_bytes;
    atomic_uint_fast64_t chunks_read; /* number of chunks of the lower levels that were read */
};

/* Upper bounds for `own` cycles. The leader is the player with more seeds in its row. A bound is an
 * upper bound of the surplus that the leader of a position can hold for ever. It is 0 if this
 * surplus would not be more than the position is worth to the leader, or if that worth is negative.
 * A bound takes half a byte, or a whole byte if the leader's row has over 15 seeds more than the
 * other row. A block in which both rows hold the same number of seeds has no bounds. Every row
 * starts at a byte boundary. */
struct wari_verify_bounds {
    wari_verify_cell *bytes; /* NULL if the bounds are not in use */
    /* [block]: index in `bytes` of the first bound of the block; [seeds + 1]: size of `bytes`. */
    uint64_t offset[WARI_SEEDS_MAX + 2];
    /* [block]: bytes of a row of bounds; 0 if the block has no bounds. */
    uint32_t row_bytes[WARI_SEEDS_MAX + 1];
    bool wide[WARI_SEEDS_MAX + 1]; /* true if a bound takes a whole byte */
};

/* Unit of work of a thread: up to 64 rows of one block. Either all of them are stored or all of
 * them are full. */
enum { WARI_VERIFY_ROWS = 64 };
struct wari_verify_item {
    uint8_t block;
    bool full;
    uint16_t rows;
    uint32_t first;      /* number of the first row. The number of a full row is the number of the
                          * half that remains when one seed is taken from each of its pits */
    uint64_t first_word; /* stored rows only: index in level->pending of the word of column 0 */
};

/* A set of stored positions, one bit each. A word holds one column of an item: the bit of a row is
 * the number of the row in the item. */
typedef _Atomic uint64_t wari_verify_word;
enum { WARI_VERIFY_CELLS = 64 }; /* number of positions that a word holds */

struct wari_verify_level {
    struct wari_verify_proof *proof;
    struct wari_layout layout;
    wari_verify_cell *cells;
    wari_verify_cell *full; /* [full position]: value of the best move found so far, plus
                             * WARI_VERIFY_MIDDLE; 0 if no move was found yet */
    /* [s]: index in `full` of the first full position of block s */
    uint64_t full_offset[WARI_SEEDS_MAX + 2];
    /* The positions that the current step may still change. Shares its memory with `full`, and if
     * that is too small, with the buffer for the lower levels. */
    wari_verify_word *pending;
    uint64_t pending_offset[WARI_SEEDS_MAX + 2]; /* [s]: index in `pending` of block s */
    /* The stored positions that a pass of verify_cycles.c has reached, one bit each, in the order
     * of their cells. Shares the memory of `pending`. */
    wari_verify_word *reached;
    /* The positions from which the short proof of (c) starts (verify_cycles.c), in the order of
     * `pending`. NULL for `even` cycles, if only step (a) runs, and after
     * wari_verify_bounds_begin(). Shares the memory of `bounds`. */
    wari_verify_word *candidates;
    struct wari_verify_bounds bounds;
    wari_verify_cell *wrong; /* set of positions whose value a capture or an end proves wrong; NULL
                                if not recorded */
    atomic_bool exceeded;    /* true if the value of at least one position is proved wrong by a
                              * capture or an end */
    struct wari_verify_item *items;
    uint64_t item_count;
};

/* Returns the number of words of level->reached. */
static inline uint64_t wari_verify_reached_words(const struct wari_verify_level *level)
{
    return (wari_level_positions(level->layout.seeds) + WARI_VERIFY_CELLS - 1) / WARI_VERIFY_CELLS;
}

/* The size in bytes of each array of a level. */
struct wari_verify_level_sizes {
    uint64_t cells, full, bounds, items, pending;
};
struct wari_verify_level_sizes wari_verify_level_sizes(int seeds, enum wari_cycle cycle,
                                                       bool proves_all);

/* Sets up a level in `memory`, in which the arrays lie one after the other; `full` and `pending`
 * are the last ones, and begin at the same place. Does not read the level file, and does not
 * initialize `full`. */
void wari_verify_level_begin(struct wari_verify_level *level, struct wari_verify_proof *proof,
                             int seeds, void *memory);

/* Sets each bound of an `own` level to the surplus of its position. The bounds overwrite
 * level->candidates, which becomes NULL. */
void wari_verify_bounds_begin(struct wari_verify_level *level);

/* A bit of level->pending. */
struct wari_verify_bit {
    wari_verify_word *word;
    uint64_t mask;
};

static inline struct wari_verify_bit wari_verify_pending(const struct wari_verify_level *level,
                                                         int block, uint32_t row, uint32_t column)
{
    const uint64_t item = row / WARI_VERIFY_ROWS;
    return (struct wari_verify_bit){level->pending + level->pending_offset[block] +
                                        item * level->layout.columns[block] + column,
                                    UINT64_C(1) << row % WARI_VERIFY_ROWS};
}

/* Removes `rows` from a word of level->pending. Returns those of `rows` that the word contained
 * before the call. */
static inline uint64_t wari_verify_finish(wari_verify_word *word, uint64_t rows)
{
    return atomic_fetch_and_explicit(word, ~rows, memory_order_relaxed) & rows;
}

/* Returns the seeds in the mover's row minus those in the opponent's row. */
static inline int wari_verify_lead(const struct wari_verify_level *level, int block)
{
    return level->layout.seeds - 2 * block;
}

/* ---- Upper bounds ---- */

/* Returns the bound of a column in the row of bounds that starts at `row`. */
static inline int wari_verify_bound(const wari_verify_cell *row, bool wide, uint32_t column)
{
    if (wide)
        return wari_verify_read(&row[column]);
    return wari_verify_read(&row[column / 2]) >> column % 2 * 4 & 15;
}

static inline wari_verify_cell *wari_verify_bound_row(const struct wari_verify_bounds *bounds,
                                                      int block, uint32_t row)
{
    return bounds->bytes + bounds->offset[block] + (uint64_t)row * bounds->row_bytes[block];
}

/* Lowers a bound to at most `bound`. Never raises it. Returns true if it changed. */
bool wari_verify_reduce_bound(wari_verify_cell *row, bool wide, uint32_t column, int bound);

/* ---- Captures and ends ---- */

/* A row of the current level: the positions with the same opponent half. If this half is full (has
 * a seed in every pit), they are full positions, otherwise they are stored positions. */
struct wari_verify_row {
    wari_verify_cell *cells;
    wari_verify_cell *bounds; /* bounds of the row; NULL if captures do not limit the bounds of this
                               * row */
    uint64_t first;           /* number of the cell in column 0 */
    bool full;
    bool wide; /* each bound of the row takes a whole byte, otherwise half a byte */
};

/* Returns the row of `pits`, an opponent half with `block` seeds. */
struct wari_verify_row wari_verify_row(struct wari_verify_level *level, int block,
                                       const uint8_t pits[WARI_HALF_PITS]);

/* Records that a value is too low. */
void wari_verify_exceed(struct wari_verify_level *level, uint64_t cell);

/* Records a capture or an end that is worth `worth` to the mover. Marks a value that equals the
 * worth; a value below the worth is wrong. No two threads may change the same stored cell at the
 * same time. */
static inline void wari_verify_enter(struct wari_verify_level *level,
                                     const struct wari_verify_row *row, uint32_t column, int worth)
{
    wari_verify_cell *cell = &row->cells[column];

    if (row->full) {
        wari_verify_raise(cell, (uint8_t)(worth + WARI_VERIFY_MIDDLE));
        return;
    }
    const uint8_t code = wari_verify_read(cell);
    const int value = wari_verify_value(code);
    if (worth == value)
        wari_verify_write(cell, code | WARI_VERIFY_MARK);
    else if (worth > value)
        wari_verify_exceed(level, row->first + column);
    if (row->bounds)
        wari_verify_reduce_bound(row->bounds, row->wide, column, worth < 0 ? -worth : 0);
}

#endif
