/* Template of the inner loops over the 64 rows of a strip. Every kernel is compiled from this
 * template, so all kernels give the same results. A file for a special instruction set defines
 * KERNEL_TABLE (the name of its table), KERNEL_TARGET (a function attribute),
 * gather_by_vectors() and nonzero_mask() before it includes this template. Without these
 * definitions the template gives the portable kernel. */
#include <string.h>

#include "verify/verify_strip.h"

#ifndef KERNEL_TABLE
#define KERNEL_TABLE wari_verify_kernel_portable
#define KERNEL_TARGET

static inline bool gather_by_vectors(const wari_verify_cell *cells,
                                     const struct wari_verify_vectors *vectors,
                                     uint8_t codes[WARI_VERIFY_ROWS])
{
    (void)cells;
    (void)vectors;
    (void)codes;
    return false;
}

/* Returns a bit for each byte that is not 0. Each byte must be 0, 0xff or 1. */
static inline uint64_t nonzero_mask(const uint8_t bytes[WARI_VERIFY_ROWS])
{
    uint64_t which = 0;
    for (int i = 0; i < WARI_VERIFY_ROWS; i += 8) {
        uint64_t rows = 0;
        for (int row = 0; row < 8; row++)
            rows |= (uint64_t)(bytes[i + row] & 1) << row;
        which |= rows << i;
    }
    return which;
}
#endif

/* A kernel that has its own versions of the following four functions defines KERNEL_TILES. */
#ifndef KERNEL_TILES
/* Returns a bit for each pair of equal bytes. */
KERNEL_TARGET static inline uint64_t equal_mask(const uint8_t a[WARI_VERIFY_ROWS],
                                                const uint8_t b[WARI_VERIFY_ROWS])
{
    uint8_t equal[WARI_VERIFY_ROWS];
    for (int row = 0; row < WARI_VERIFY_ROWS; row++)
        equal[row] = a[row] == b[row] ? 0xff : 0;
    return nonzero_mask(equal);
}

KERNEL_TARGET static int kernel_keep(wari_verify_cell *cells, uint64_t kept)
{
    int marked = 0;
    for (int i = 0; i < WARI_VERIFY_ROWS; i++) {
        const uint8_t code = wari_verify_read(&cells[i]);
        const uint8_t mark = code & (uint8_t)(kept >> i) & WARI_VERIFY_MARK;
        wari_verify_write(&cells[i], (code & (uint8_t)~WARI_VERIFY_MARK) | mark);
        marked += mark;
    }
    return marked;
}

/* Transposes 64 rows of 64 bytes. */
KERNEL_TARGET static inline void transpose(const uint8_t *in, uint64_t in_pitch, uint8_t *out,
                                           uint64_t out_pitch)
{
    for (uint64_t i = 0; i < WARI_VERIFY_TILE; i++) {
        for (uint64_t j = 0; j < WARI_VERIFY_TILE; j++)
            out[j * out_pitch + i] = in[i * in_pitch + j];
    }
}

/* Other threads may read the cells at the same time. */
KERNEL_TARGET static inline void store_row(wari_verify_cell *cells, const uint8_t *codes, int count)
{
    for (int i = 0; i < count; i++)
        wari_verify_write(&cells[i], codes[i]);
}
#endif

/* A kernel that has its own version of bytes_of_rows() defines KERNEL_EXPANDS. */
#ifndef KERNEL_EXPANDS
/* Returns the set of those cells of a vector to which the move leads from `rows`: bit i stands for
 * the i-th cell. */
KERNEL_TARGET static inline uint64_t bytes_of_rows(const struct wari_verify_vectors *vectors,
                                                   const struct wari_verify_vector *vector,
                                                   uint64_t rows)
{
    uint64_t bytes = 0;
    for (rows &= vector->rows; rows != 0; rows &= rows - 1)
        bytes |= UINT64_C(1) << vectors->place[__builtin_ctzll(rows)];
    return bytes;
}
#endif

/* Reads one cell for each row, and 0 for the missing rows. A complete strip, the common case,
 * has its own loop, which the compiler can unroll. */
KERNEL_TARGET static inline void gather_one_by_one(const wari_verify_cell *cells,
                                                   const uint32_t *place, int rows,
                                                   uint8_t codes[WARI_VERIFY_ROWS])
{
    if (rows == WARI_VERIFY_ROWS) {
#pragma GCC unroll 8
        for (int row = 0; row < WARI_VERIFY_ROWS; row++)
            codes[row] = wari_verify_read(&cells[place[row]]);
        return;
    }
    memset(codes, 0, WARI_VERIFY_ROWS);
    for (int row = 0; row < rows; row++)
        codes[row] = wari_verify_read(&cells[place[row]]);
}

KERNEL_TARGET static uint64_t kernel_read(const struct wari_verify_strip *strip, uint32_t column,
                                          uint8_t codes[WARI_VERIFY_ROWS])
{
    const wari_verify_cell *cells =
        (strip->full ? strip->level->full : strip->level->cells) + strip->first[0] + column;
    const uint64_t columns = strip->level->layout.columns[strip->block];
    const int rows = strip->rows;
    uint8_t marks[WARI_VERIFY_ROWS];

    if (rows < WARI_VERIFY_ROWS)
        memset(codes, 0, WARI_VERIFY_ROWS);
#pragma GCC unroll 8
    for (int row = 0; row < rows; row++)
        codes[row] = wari_verify_read(&cells[(uint64_t)row * columns]);
    for (int row = 0; row < WARI_VERIFY_ROWS; row++)
        marks[row] = codes[row] & WARI_VERIFY_MARK;
    return nonzero_mask(marks);
}

KERNEL_TARGET static inline void kernel_reach(const struct wari_verify_strip *strip,
                                              const struct wari_verify_strip_move *move,
                                              uint8_t codes[WARI_VERIFY_ROWS])
{
    const uint8_t *quiet = strip->quiet[move->t];
    const wari_verify_cell *cells = wari_verify_strip_row(strip, move);

    if (!gather_by_vectors(cells, &strip->vectors[move->t], codes))
        gather_one_by_one(cells, strip->column[move->t], strip->rows, codes);
    if (move->lands) {
        for (int row = 0; row < WARI_VERIFY_ROWS; row++)
            codes[row] &= quiet[row];
    }
}

/* The upper seven bits of a cell are MIDDLE minus its value. In the cell of a position that a move
 * reaches, these bits are the value of the move plus MIDDLE. */
KERNEL_TARGET static void kernel_best(const struct wari_verify_strip *strip, uint32_t column,
                                      uint8_t best[WARI_VERIFY_ROWS])
{
    memset(best, 0, WARI_VERIFY_ROWS);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        uint8_t reached[WARI_VERIFY_ROWS];
        struct wari_verify_strip_move move;
        if (!wari_verify_strip_find_move(strip, &strip->moves[column], pit, &move))
            continue;
        kernel_reach(strip, &move, reached);
        for (int row = 0; row < WARI_VERIFY_ROWS; row++) {
            const uint8_t worth = reached[row] >> 1;
            best[row] = worth > best[row] ? worth : best[row];
        }
    }
}

KERNEL_TARGET static struct wari_verify_checked kernel_check(const uint8_t best[WARI_VERIFY_ROWS],
                                                             uint8_t codes[WARI_VERIFY_ROWS])
{
    uint8_t wrong[WARI_VERIFY_ROWS], open[WARI_VERIFY_ROWS];

    for (int row = 0; row < WARI_VERIFY_ROWS; row++) {
        const uint8_t value = (uint8_t)(WARI_VERIFY_ZERO - (codes[row] >> 1)); /* value + MIDDLE */
        const uint8_t attained = codes[row] & WARI_VERIFY_MARK;
        const uint8_t unattained = attained ^ WARI_VERIFY_MARK;
        wrong[row] = (uint8_t)((best[row] > value) | ((best[row] < value) & unattained));
        open[row] =
            (uint8_t)((value < WARI_VERIFY_MIDDLE) | ((value > WARI_VERIFY_MIDDLE) & unattained));
        codes[row] = (uint8_t)((codes[row] ^ attained) | open[row]);
    }
    return (struct wari_verify_checked){nonzero_mask(wrong), nonzero_mask(open)};
}

KERNEL_TARGET static uint64_t kernel_supported(const struct wari_verify_strip *strip,
                                               uint32_t column,
                                               const uint8_t codes[WARI_VERIFY_ROWS])
{
    uint8_t attained[WARI_VERIFY_ROWS] = {0}, open[WARI_VERIFY_ROWS] = {0};
    uint8_t required[WARI_VERIFY_ROWS], supported[WARI_VERIFY_ROWS];

    for (int row = 0; row < WARI_VERIFY_ROWS; row++)
        required[row] = wari_verify_opposite(codes[row]);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        uint8_t reached[WARI_VERIFY_ROWS];
        struct wari_verify_strip_move move;
        if (!wari_verify_strip_find_move(strip, &strip->moves[column], pit, &move))
            continue;
        kernel_reach(strip, &move, reached);
        for (int row = 0; row < WARI_VERIFY_ROWS; row++) {
            attained[row] |= reached[row] == required[row] ? WARI_VERIFY_MARK : 0;
            open[row] |= reached[row];
        }
    }
    for (int row = 0; row < WARI_VERIFY_ROWS; row++)
        supported[row] =
            (codes[row] < WARI_VERIFY_ZERO ? attained[row] : ~open[row]) & WARI_VERIFY_MARK;
    return nonzero_mask(supported);
}

/* ---- Tiles ---- */

KERNEL_TARGET static void kernel_load(const struct wari_verify_strip *strip, uint32_t column,
                                      struct wari_verify_tile *tile)
{
    const uint8_t *cells =
        (const uint8_t *)(const void *)(strip->level->cells + strip->first[0] + column);
    const uint32_t left = strip->columns - column;
    uint8_t rows[WARI_VERIFY_ROWS][WARI_VERIFY_TILE];

    if (strip->rows == WARI_VERIFY_ROWS && left >= WARI_VERIFY_TILE) {
        transpose(cells, strip->columns, tile->codes[0], WARI_VERIFY_ROWS);
        return;
    }
    memset(rows, 0, sizeof rows);
    for (int row = 0; row < strip->rows; row++)
        memcpy(rows[row], cells + (uint64_t)row * strip->columns,
               left < WARI_VERIFY_TILE ? left : WARI_VERIFY_TILE);
    transpose(rows[0], WARI_VERIFY_TILE, tile->codes[0], WARI_VERIFY_ROWS);
}

KERNEL_TARGET static void kernel_store(const struct wari_verify_strip *strip, uint32_t column,
                                       const struct wari_verify_tile *tile)
{
    wari_verify_cell *cells = strip->level->cells + strip->first[0] + column;
    const uint32_t left = strip->columns - column;
    uint8_t rows[WARI_VERIFY_ROWS][WARI_VERIFY_TILE];

    transpose(tile->codes[0], WARI_VERIFY_ROWS, rows[0], WARI_VERIFY_TILE);
    for (int row = 0; row < strip->rows; row++)
        store_row(cells + (uint64_t)row * strip->columns, rows[row],
                  left < WARI_VERIFY_TILE ? (int)left : WARI_VERIFY_TILE);
}

KERNEL_TARGET static uint64_t kernel_marked(const uint8_t codes[WARI_VERIFY_ROWS])
{
    uint8_t marks[WARI_VERIFY_ROWS];
    for (int row = 0; row < WARI_VERIFY_ROWS; row++)
        marks[row] = codes[row] & WARI_VERIFY_MARK;
    return nonzero_mask(marks);
}

KERNEL_TARGET static uint64_t kernel_between(const uint8_t codes[WARI_VERIFY_ROWS], uint8_t low,
                                             uint8_t high)
{
    uint8_t inside[WARI_VERIFY_ROWS];
    for (int row = 0; row < WARI_VERIFY_ROWS; row++)
        inside[row] = (uint8_t)(codes[row] - low) <= (uint8_t)(high - low) ? 0xff : 0;
    return nonzero_mask(inside);
}

/* ---- Moves that attain the value ---- */

KERNEL_TARGET static void kernel_best_edges(const struct wari_verify_strip *strip, uint32_t column,
                                            const uint8_t codes[WARI_VERIFY_ROWS],
                                            uint8_t best[WARI_VERIFY_ROWS],
                                            struct wari_verify_edges *edges)
{
    uint8_t value[WARI_VERIFY_ROWS]; /* MIDDLE plus the value of a move that attains the value */

    edges->count = 0;
    memset(best, 0, WARI_VERIFY_ROWS);
    for (int row = 0; row < WARI_VERIFY_ROWS; row++)
        value[row] = (uint8_t)(WARI_VERIFY_ZERO - (codes[row] >> 1));
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        uint8_t worth[WARI_VERIFY_ROWS];
        struct wari_verify_strip_move *move = &edges->move[edges->count];
        if (!wari_verify_strip_find_move(strip, &strip->moves[column], pit, move))
            continue;
        kernel_reach(strip, move, worth);
        for (int row = 0; row < WARI_VERIFY_ROWS; row++) {
            worth[row] >>= 1;
            best[row] = worth[row] > best[row] ? worth[row] : best[row];
        }
        edges->rows[edges->count++] = equal_mask(worth, value);
    }
}

KERNEL_TARGET static struct wari_verify_attaining
kernel_attaining(const struct wari_verify_strip *strip, uint32_t column, int drops_end,
                 const uint8_t codes[WARI_VERIFY_ROWS], struct wari_verify_edges *edges)
{
    struct wari_verify_attaining found = {0};
    uint8_t unmarked[WARI_VERIFY_ROWS], marked[WARI_VERIFY_ROWS], positive[WARI_VERIFY_ROWS];

    edges->count = 0;
    for (int row = 0; row < WARI_VERIFY_ROWS; row++) {
        unmarked[row] = wari_verify_opposite(codes[row]);
        marked[row] = unmarked[row] | WARI_VERIFY_MARK;
        positive[row] = codes[row] < WARI_VERIFY_ZERO ? 0xff : 0;
    }
    found.positive = nonzero_mask(positive);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++) {
        uint8_t reached[WARI_VERIFY_ROWS];
        struct wari_verify_strip_move *move = &edges->move[edges->count];
        if (!wari_verify_strip_find_move(strip, &strip->moves[column], pit, move) ||
            move->t >= drops_end)
            continue;
        kernel_reach(strip, move, reached);
        found.unmarked |= equal_mask(reached, unmarked);
        edges->rows[edges->count] = equal_mask(reached, marked);
        found.marked |= edges->rows[edges->count++];
    }
    return found;
}

/* Most positions are reached several times, so the first test saves most of the slow atomic
 * operations. */
static inline void add_reached(wari_verify_word *word, uint64_t bits)
{
    if (bits & ~atomic_load_explicit(word, memory_order_relaxed))
        atomic_fetch_or_explicit(word, bits, memory_order_relaxed);
}

/* Adds cell `first` + i to level->reached for each bit i that is set. */
static inline void add_cells(const struct wari_verify_level *level, uint64_t first, uint64_t bits)
{
    wari_verify_word *word = level->reached + first / WARI_VERIFY_CELLS;
    const unsigned shift = first % WARI_VERIFY_CELLS;

    add_reached(word, bits << shift);
    if (shift != 0 && bits >> (WARI_VERIFY_CELLS - shift) != 0)
        add_reached(word + 1, bits >> (WARI_VERIFY_CELLS - shift));
}

KERNEL_TARGET static void kernel_reach_all(const struct wari_verify_strip *strip,
                                           const struct wari_verify_edges *edges, uint64_t rows)
{
    const struct wari_verify_level *level = strip->level;

    for (int i = 0; i < edges->count; i++) {
        const struct wari_verify_strip_move *move = &edges->move[i];
        const struct wari_verify_vectors *vectors = &strip->vectors[move->t];
        const uint64_t first = (uint64_t)(wari_verify_strip_row(strip, move) - level->cells);
        uint64_t from = edges->rows[i] & rows;
        if (from == 0)
            continue;
        for (int k = 0; k < vectors->count; k++) {
            const struct wari_verify_vector *vector = &vectors->vector[k];
            if (from & vector->rows)
                add_cells(level, first + vector->first, bytes_of_rows(vectors, vector, from));
        }
        for (; vectors->count == 0 && from != 0; from &= from - 1)
            add_cells(level, first + strip->column[move->t][__builtin_ctzll(from)], 1);
    }
}

const struct wari_verify_kernel KERNEL_TABLE = {
    kernel_read,      kernel_reach,     kernel_best,   kernel_check,   kernel_supported,
    kernel_load,      kernel_store,     kernel_marked, kernel_between, kernel_best_edges,
    kernel_attaining, kernel_reach_all, kernel_keep};
