/* A strip: up to 64 rows of a block whose moves are processed together.
 *
 * Take a column (a mover half) and one of its pits. The move from that pit leads from
 * all rows of the strip to one row. The columns reached in that row result from dropping t seeds
 * into the opponent halves of the strip's rows. Neighbouring rows reach neighbouring columns, so
 * the 64 positions reached lie in one or two cache lines. */
#ifndef VERIFY_VERIFY_STRIP_H
#define VERIFY_VERIFY_STRIP_H

#include "verify/verify_level.h"

/* 64 consecutive cells of the row that a move leads to. A row of the strip reaches a cell if the
 * move leads from the position in that row to the position of the cell. */
struct wari_verify_vector {
    uint32_t first; /* column of the first cell */
    uint64_t bytes; /* bit i is set if some row of the strip reaches cell first + i */
    uint64_t rows;  /* bit r is set if row r of the strip reaches one of these cells */
};

/* The columns reached ascend from row to row, so a few vectors contain all of them. */
enum { WARI_VERIFY_VECTORS = 4 };
struct wari_verify_vectors {
    int count; /* number of vectors; 0 if more than WARI_VERIFY_VECTORS would be needed */
    struct wari_verify_vector vector[WARI_VERIFY_VECTORS];
    uint8_t place[WARI_VERIFY_ROWS]; /* [row of the strip]: index of the cell that the row reaches,
                                      * within the vector that contains this cell */
};

struct wari_verify_strip {
    const struct wari_verify_level *level;
    const struct wari_verify_kernel *kernel; /* set by wari_verify_strip_begin() */
    const struct wari_verify_column *moves;  /* moves of column 0 */
    uint32_t columns;
    int block, rows;
    bool full;
    wari_verify_word *pending; /* the word of column 0; undefined for full rows */
    /* The number of each row. For a full row, whose opponent half has a seed in every pit, this is
     * the number of the half that remains when one seed is removed from each of these pits. */
    uint32_t row[WARI_VERIFY_ROWS];
    /* Number of the cell in column 0; for a full row, an index into level->full. */
    uint64_t first[WARI_VERIFY_ROWS];
    uint8_t pits[WARI_VERIFY_ROWS][WARI_HALF_PITS];

    /* Moves that drop t seeds into the opponent's row: [t][row of the strip]. `column` is the
     * column of the position that the move reaches. `quiet` is 0xff if the move captures nothing
     * even if its last seed falls into the opponent's row, otherwise 0. */
    uint32_t column[WARI_SEEDS_MAX + 1][WARI_VERIFY_ROWS];
    uint8_t quiet[WARI_SEEDS_MAX + 1][WARI_VERIFY_ROWS];
    bool any_quiet[WARI_SEEDS_MAX + 1];
    struct wari_verify_vectors vectors[WARI_SEEDS_MAX + 1];
};

void wari_verify_strip_fill(struct wari_verify_strip *strip, const struct wari_verify_level *level,
                            const struct wari_verify_item *item);

/* A move that is quiet in at least one row of the strip. */
struct wari_verify_strip_move {
    int t;        /* number of seeds that the move drops into the opponent's row */
    int block;    /* block of the positions reached */
    uint32_t row; /* row of the positions reached */
    bool lands;   /* the last seed falls into the opponent's row */
};

/* Fills *move with the move from `pit`. Returns false if that move is quiet in no row of the
 * strip. */
static inline bool wari_verify_strip_find_move(const struct wari_verify_strip *strip,
                                               const struct wari_verify_column *column, int pit,
                                               struct wari_verify_strip_move *move)
{
    const int sown = column->sown[pit];
    if (sown == WARI_VERIFY_NO_MOVE)
        return false;
    move->lands = sown & WARI_VERIFY_LANDS;
    move->t = sown & ~WARI_VERIFY_LANDS;
    move->block = strip->level->layout.seeds - strip->block - move->t;
    move->row = column->row[pit];
    if (move->lands)
        return strip->any_quiet[move->t];
    return move->t > 0 || strip->block > 0; /* an empty row must be fed */
}

/* Returns column 0 of the row that a move leads to. */
static inline const wari_verify_cell *
wari_verify_strip_row(const struct wari_verify_strip *strip,
                      const struct wari_verify_strip_move *move)
{
    const struct wari_layout *layout = &strip->level->layout;
    return strip->level->cells + layout->block_offset[move->block] +
           (uint64_t)move->row * layout->columns[move->block];
}

/* Prefetches what a kernel reads for a column: the cells of the positions that its moves reach.
 * They lie in rows that are far apart, so no processor foresees which ones are next. */
void wari_verify_strip_prefetch(const struct wari_verify_strip *strip, uint32_t column);

/* Reads the upper bounds of the positions that a move reaches. The result is 0 in rows where the
 * move is not quiet, and in all rows if the block reached has no bounds. */
void wari_verify_strip_bounds(const struct wari_verify_strip *strip,
                              const struct wari_verify_strip_move *move,
                              uint8_t bounds[WARI_VERIFY_ROWS]);

/* ---- Kernels: the inner loops, once for each instruction set. All of them give the same
 * results. ---- */

/* The code of an unmarked position of value 0. Larger values have smaller codes. */
enum { WARI_VERIFY_ZERO = 2 * WARI_VERIFY_MIDDLE };

/* Returns the code of an unmarked position whose value is the negated value of `code`. */
static inline uint8_t wari_verify_opposite(uint8_t code)
{
    return (uint8_t)(2 * WARI_VERIFY_ZERO - (code & ~WARI_VERIFY_MARK));
}

/* Sets of rows are bit masks with the first row in the lowest bit. If a strip has fewer than 64
 * rows, the entries of the missing rows are 0. */
struct wari_verify_checked {
    uint64_t wrong; /* the value is not the best of the moves, as far as they are known */
    uint64_t open;  /* the value needs a proof */
};

/* A list of quiet moves from the positions of a column. */
struct wari_verify_edges {
    int count;
    struct wari_verify_strip_move move[WARI_HALF_PITS];
    uint64_t rows[WARI_HALF_PITS]; /* [move]: set of the rows whose positions have this move in
                                    * the list */
};

/* The result of kernel->attaining() for a column: sets of rows. A quiet move attains the value of
 * its position if it leads to a position whose value is the negative of that value. `marked` and
 * `unmarked` are about the attaining moves that drop fewer than `drops_end` seeds. verify_cycles.c
 * also uses this struct for a single position, which is bit 0 of each set. */
struct wari_verify_attaining {
    uint64_t positive; /* rows whose value is positive */
    uint64_t marked;   /* rows from which such a move leads to a marked position */
    uint64_t unmarked; /* rows from which such a move leads to an unmarked position */
};

/* The cells of 64 columns of a strip. Cells beyond the last column or row are 0. */
enum { WARI_VERIFY_TILE = 64 };
struct wari_verify_tile {
    uint8_t codes[WARI_VERIFY_TILE][WARI_VERIFY_ROWS]; /* [column][row] */
};

struct wari_verify_kernel {
    /* Reads the cells of one column of the strip. Returns the rows that are marked. */
    uint64_t (*read)(const struct wari_verify_strip *strip, uint32_t column,
                     uint8_t codes[WARI_VERIFY_ROWS]);

    /* Reads the cells of the positions that a move leads to; 0 where the move is not quiet. */
    void (*reach)(const struct wari_verify_strip *strip, const struct wari_verify_strip_move *move,
                  uint8_t codes[WARI_VERIFY_ROWS]);

    /* Computes one byte for each row of a column: WARI_VERIFY_MIDDLE plus the value of the best
     * quiet move; 0 if there is no quiet move. */
    void (*best)(const struct wari_verify_strip *strip, uint32_t column,
                 uint8_t best[WARI_VERIFY_ROWS]);

    /* Compares the cells of a column with the best of its quiet moves, and changes the marks of the
     * cells. Before the call, a mark says that a capture or an end attains the value; after the
     * call, it says that the position still needs a proof (verify_grounding.c). */
    struct wari_verify_checked (*check)(const uint8_t best[WARI_VERIFY_ROWS],
                                        uint8_t codes[WARI_VERIFY_ROWS]);

    /* Returns the rows whose value the quiet moves of a column support: for a positive value,
     * some move that attains the value leads to an unmarked position; for a negative value, no
     * move leads to a marked position. For stored rows only. */
    uint64_t (*supported)(const struct wari_verify_strip *strip, uint32_t column,
                          const uint8_t codes[WARI_VERIFY_ROWS]);

    /* Reads the cells of 64 columns from `column` on, or fewer at the end of the strip. No thread
     * may write these cells at the same time. For stored rows only. */
    void (*load)(const struct wari_verify_strip *strip, uint32_t column,
                 struct wari_verify_tile *tile);

    /* Writes back the cells that load() has read. Other threads may read them at the same time. */
    void (*store)(const struct wari_verify_strip *strip, uint32_t column,
                  const struct wari_verify_tile *tile);

    /* Returns the rows of a column whose positions are marked. */
    uint64_t (*marked)(const uint8_t codes[WARI_VERIFY_ROWS]);

    /* Returns the rows of a column whose codes are from `low` to `high`. */
    uint64_t (*between)(const uint8_t codes[WARI_VERIFY_ROWS], uint8_t low, uint8_t high);

    /* Computes what best() computes, and lists the moves that attain the value. For stored rows
     * only. */
    void (*best_edges)(const struct wari_verify_strip *strip, uint32_t column,
                       const uint8_t codes[WARI_VERIFY_ROWS], uint8_t best[WARI_VERIFY_ROWS],
                       struct wari_verify_edges *edges);

    /* Finds the moves that attain the value and drop fewer than `drops_end` seeds into the
     * opponent's row. Lists those of them that lead to marked positions. For stored rows only. */
    struct wari_verify_attaining (*attaining)(const struct wari_verify_strip *strip,
                                              uint32_t column, int drops_end,
                                              const uint8_t codes[WARI_VERIFY_ROWS],
                                              struct wari_verify_edges *edges);

    /* Adds the positions to level->reached that the listed moves reach from `rows`. */
    void (*reach_all)(const struct wari_verify_strip *strip, const struct wari_verify_edges *edges,
                      uint64_t rows);

    /* Unmarks those of 64 cells whose bit in `kept` is not set. Returns the number of cells that
     * are still marked. No other thread may use these cells at the same time. */
    int (*keep)(wari_verify_cell *cells, uint64_t kept);
};

extern const struct wari_verify_kernel wari_verify_kernel_portable;
#if defined(__x86_64__)
extern const struct wari_verify_kernel wari_verify_kernel_avx512;
extern const struct wari_verify_kernel wari_verify_kernel_avx2;
#endif
#if defined(__aarch64__)
extern const struct wari_verify_kernel wari_verify_kernel_neon;
#endif

/* Returns the kernels that this processor can run, the slowest first, and NULL after the last one.
 * Programs use the last one; tests compare all of them. */
const struct wari_verify_kernel *wari_verify_kernel_listed(int number);

/* Returns the last kernel of the list. */
const struct wari_verify_kernel *wari_verify_kernel_fastest(void);

/* Fills a strip like wari_verify_strip_fill() and selects the fastest kernel for it. */
void wari_verify_strip_begin(struct wari_verify_strip *strip, const struct wari_verify_level *level,
                             const struct wari_verify_item *item);

#endif
