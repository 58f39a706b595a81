/* A stored position in a byte, in all the memory that a proof has of it.
 *
 *      bit 7                          1   0
 *          +-----------------------------+------+
 *          |         64 - value          | mark |
 *          +-----------------------------+------+
 *
 * What the mark says depends on the part of the proof: at first that a capture or an end attains
 * the value, then that nothing forces it yet. A byte 0 is no position at all: it is worse than any
 * move and unmarked, so whoever looks for the best of several may look at it, too.
 *
 * Cells are read and written by all threads, relaxed: a value never changes, and marks only go one
 * way as long as several threads work on them, so whatever a reader sees leads to the same end.
 */
#ifndef VERIFY_LEVEL_VERIFY_CELL_H
#define VERIFY_LEVEL_VERIFY_CELL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef _Atomic uint8_t wari_verify_cell;

enum {
    WARI_VERIFY_MARK = 1,
    WARI_VERIFY_MIDDLE = 64, /* more than any value */
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

/* Raises a byte to `code`, whoever else is raising it; never lowers it. */
static inline void wari_verify_raise(wari_verify_cell *cell, uint8_t code)
{
    uint8_t before = wari_verify_read(cell);

    while (before < code && !atomic_compare_exchange_weak_explicit(
                                cell, &before, code, memory_order_relaxed, memory_order_relaxed))
        continue;
}

/* Sets or clears the mark; false if that was so already. */
static inline bool wari_verify_mark(wari_verify_cell *cell)
{
    return !(atomic_fetch_or_explicit(cell, WARI_VERIFY_MARK, memory_order_relaxed) &
             WARI_VERIFY_MARK);
}

static inline bool wari_verify_unmark(wari_verify_cell *cell)
{
    return atomic_fetch_and_explicit(cell, (uint8_t)~WARI_VERIFY_MARK, memory_order_relaxed) &
           WARI_VERIFY_MARK;
}

/* ---- Sets of positions, a bit each ---- */

static inline bool wari_verify_has(const wari_verify_cell *set, uint64_t cell)
{
    return wari_verify_read(&set[cell / 8]) >> cell % 8 & 1;
}

static inline void wari_verify_add(wari_verify_cell *set, uint64_t cell)
{
    atomic_fetch_or_explicit(&set[cell / 8], (uint8_t)(1u << cell % 8), memory_order_relaxed);
}

/* False if it was out already. */
static inline bool wari_verify_take(wari_verify_cell *set, uint64_t cell)
{
    const uint8_t bit = (uint8_t)(1u << cell % 8);
    return atomic_fetch_and_explicit(&set[cell / 8], (uint8_t)~bit, memory_order_relaxed) & bit;
}

#endif
