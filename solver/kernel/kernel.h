/* The inner loops of the solver behind one interface: a table for each instruction set, of which
 * choice.h takes one at run time. All kernels give the same bytes; tests compare them. */
#ifndef SOLVER_KERNEL_KERNEL_H
#define SOLVER_KERNEL_KERNEL_H

#include "solver/kernel/bits_plain.h"
#include "solver/kernel/half_bytes.h"
#include "solver/rows/tables.h"
#include "solver/rows/upper_bound.h"

enum {
    WARI_ITEM_COLUMNS = 64, /* mover halves handled at a time: one cache line of a parent row */
    WARI_ITEM_STRIP_CELLS = WARI_ITEM_COLUMNS * WARI_STRIP,
};

/* Where the children of one mover half and pit are. */
struct wari_source {
    const int8_t *row; /* row m' of the child block; readable for 64 bytes behind its end */
    const struct wari_gather *gather;
    bool last;                       /* the last seed falls on the opponent's side */
    const struct wari_source *ahead; /* NULL, or one that will be needed soon: worth fetching */
};

/* The same for one of many columns that share a gather: `row` is where the children of this column
 * are. */
struct wari_child {
    const int8_t *row;
    uint32_t column;
    bool last;
};

/* A patch of parents: up to 64 opponent halves (rows) by up to 64 mover halves (columns). Arrays of
 * cells have the pitch of the parent block. */
struct wari_item_strip {
    const struct wari_cells *codes;
    const int8_t *worst; /* [column * WARI_STRIP + row]: see wari_kernel_ops.worst; aligned to 64 */
    int8_t *cells;       /* to be brought up to date; readable for 64 bytes behind the last one */
    size_t pitch;
    int rows, width; /* of the patch */
};

/* A cell of a patch that has to ask for its best capture, see cell.h. */
struct wari_capture_query {
    uint8_t row, column;
    int8_t worst; /* smallest child */
};

/* What merging a patch did. */
struct wari_merge_result {
    uint64_t rows;               /* bit set: row changed */
    uint64_t differ[WARI_STRIP]; /* for these rows: bit set, column changed */
    uint64_t changed;            /* cells */
    int query_count;             /* cells that are left as they were, in `ask` */
    struct wari_capture_query query[WARI_ITEM_STRIP_CELLS];
};

struct wari_kernel_ops {
    const char *name;

    /* The smallest child over the sources' quiet moves for each parent of `strips` strips;
     * WARI_NO_QUIET where there is none. Strip first_strip + i goes to out + i * pitch, 64 bytes
     * each; entries behind the last parent are undefined. `out` and `pitch` are multiples of 64. */
    void (*worst)(const struct wari_source *sources, int count, uint32_t first_strip,
                  uint32_t strips, int8_t *out, size_t pitch);

    /* The same the other way round, for blocks of few strips: one strip, and all moves of a group
     * of columns that drop as many seeds. tile[column * WARI_STRIP], aligned to 64, holds the
     * smallest child so far, WARI_NO_QUIET to begin with; entries behind the last parent are
     * undefined. */
    void (*worst_of_strip)(const struct wari_gather *gather, uint32_t strip,
                           const struct wari_child *child, int count, int8_t *tile);

    /* Turns a patch of `worst` round and merges it, cell by cell as wari_cell_grown() says. Rows
     * where nothing changes may be written to, too, as they were. */
    void (*grow)(const struct wari_item_strip *patch, struct wari_merge_result *merged);

    /* The same for hopes (cycle rule `own`): as wari_upper_shrunk() says. */
    void (*shrink)(const struct wari_item_strip *patch, struct wari_merge_result *merged);

    /* out[row * 64 + column] = in[column * 64 + row] for 64 by 64 bytes. */
    void (*transpose)(const int8_t *in, int8_t *out);

    /* to[i] = table[from[i], as an unsigned byte], for as many as there are; `to` may be `from`. */
    void (*look_up)(const int8_t table[256], const int8_t *from, size_t count, int8_t *to);

    /* Cells for a scratch file. */
    wari_to_halves *to_halves;
    wari_from_halves *from_halves;

    /* Sweeps by bits (bits_plain.h). */
    wari_bits_of_column *bits_of_column;
    wari_bits_decide *bits_decide;
    wari_bits_fold_row *bits_fold;
};

extern const struct wari_kernel_ops wari_kernel_portable;
#if defined(__x86_64__)
extern const struct wari_kernel_ops wari_kernel_avx2;
extern const struct wari_kernel_ops wari_kernel_avx2_runs; /* where PEXT is emulated */
extern const struct wari_kernel_ops wari_kernel_avx512bw;
extern const struct wari_kernel_ops wari_kernel_avx512;
#elif defined(__aarch64__)
extern const struct wari_kernel_ops wari_kernel_neon;
#endif

#endif
