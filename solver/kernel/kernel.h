/* The kernels: the inner loops of the solver, with one table of functions for each instruction set.
 * One table is selected at run time (choice.h). All kernels compute the same bytes; tests compare
 * them. */
#ifndef SOLVER_KERNEL_KERNEL_H
#define SOLVER_KERNEL_KERNEL_H

#include "solver/kernel/bits_plain.h"
#include "solver/kernel/half_bytes.h"
#include "solver/rows/tables.h"
#include "solver/rows/upper_bound.h"

enum {
    WARI_ITEM_COLUMNS = 64, /* mover halves that are processed together: one cache line of a parent
                             * row */
    WARI_ITEM_STRIP_CELLS = WARI_ITEM_COLUMNS * WARI_STRIP,
};

/* The children of one mover half by one pit. */
struct wari_source {
    /* Row m' of the child block (rows/tables.h). It is readable for 64 bytes beyond its end. */
    const int8_t *row;
    const struct wari_gather *gather;
    bool last;                       /* the last seed falls on the opponent's side */
    const struct wari_source *ahead; /* another source, which will be read soon; the kernel
                                      * prefetches its row; may be NULL */
};

/* The children of one column by one move. All moves of a call of worst_of_strip() use the same
 * gather. */
struct wari_child {
    const int8_t *row;
    uint32_t column;
    bool last;
};

/* One strip of an item: up to 64 opponent halves (rows) by up to 64 mover halves (columns). */
struct wari_item_strip {
    const struct wari_cells *codes;
    const int8_t *worst; /* [column * WARI_STRIP + row]: see wari_kernel_ops.worst; aligned to 64 */
    int8_t *cells;       /* the cells to update; readable for 64 bytes beyond the last one */
    size_t pitch;
    int rows, width; /* rows: 1 to 64; width: number of columns, 1 to 64 */
};

/* A cell whose best capture has to be looked up; see cell.h. */
struct wari_capture_query {
    uint8_t row, column;
    int8_t worst; /* smallest child */
};

/* The result of merging the smallest children of an item strip into its cells. */
struct wari_merge_result {
    uint64_t rows;               /* the bit of a row is set if it changed */
    uint64_t differ[WARI_STRIP]; /* [changed row]: the bit of a column is set if the cell changed */
    uint64_t changed;            /* number of changed cells */
    int query_count;             /* number of cells in `query`; these cells were not changed */
    struct wari_capture_query query[WARI_ITEM_STRIP_CELLS];
};

struct wari_kernel_ops {
    const char *name;

    /* Computes the smallest child of each parent in `strips` strips of one column: the smallest
     * code of the cells to which its quiet moves lead, or WARI_NO_QUIET if it has no quiet move.
     * There is one source for each move of the column. The results of strip first_strip + i are the
     * 64 bytes from out + i * pitch on; entries after the last parent are undefined. `out` and
     * `pitch` are multiples of 64. */
    void (*worst)(const struct wari_source *sources, int count, uint32_t first_strip,
                  uint32_t strips, int8_t *out, size_t pitch);

    /* Also computes smallest children, but one strip at a time and for all columns of an item,
     * which is faster if the item has few strips. A call handles those moves of the columns that
     * drop the same number of seeds. They share `gather`, so the gather is read only once for all
     * of them. `child` lists these moves.
     *
     * tile[column * WARI_STRIP + row] is the smallest child that was found so far; a call replaces
     * it if one of its moves leads to a smaller child. The caller fills the tile with WARI_NO_QUIET
     * before the first call. `tile` is aligned to 64. Entries after the last parent are undefined.
     */
    void (*worst_of_strip)(const struct wari_gather *gather, uint32_t strip,
                           const struct wari_child *child, int count, int8_t *tile);

    /* Transposes `worst` and computes the new code of each cell from it, by wari_cell_grown(). Rows
     * in which nothing changes may also be written, with the same bytes. */
    void (*grow)(const struct wari_item_strip *strip, struct wari_merge_result *merged);

    /* Like `grow`, but for upper bounds (cycle rule `own`), by wari_upper_shrunk(). */
    void (*shrink)(const struct wari_item_strip *strip, struct wari_merge_result *merged);

    /* out[row * 64 + column] = in[column * 64 + row] for 64 by 64 bytes. */
    void (*transpose)(const int8_t *in, int8_t *out);

    /* to[i] = table[(uint8_t)from[i]] for `count` bytes; `to` may be `from`. */
    void (*look_up)(const int8_t table[256], const int8_t *from, size_t count, int8_t *to);

    /* Conversion of cells to half bytes for the scratch file, and back. */
    wari_to_halves *to_halves;
    wari_from_halves *from_halves;

    /* The loops of the bit backend (bits_plain.h). */
    wari_bits_of_column *bits_of_column;
    wari_bits_decide *bits_decide;
    wari_bits_fold_row *bits_fold;
};

extern const struct wari_kernel_ops wari_kernel_portable;
#if defined(__x86_64__)
extern const struct wari_kernel_ops wari_kernel_avx2;
extern const struct wari_kernel_ops wari_kernel_avx2_runs; /* for processors that emulate PEXT in
                                                            * microcode */
extern const struct wari_kernel_ops wari_kernel_avx512bw;
extern const struct wari_kernel_ops wari_kernel_avx512;
#elif defined(__aarch64__)
extern const struct wari_kernel_ops wari_kernel_neon;
#endif

#endif
