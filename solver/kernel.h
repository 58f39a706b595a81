/* The inner loops of the solver behind one interface, chosen at run time. All kernels give the
 * same bytes; tests compare them. */
#ifndef SOLVER_KERNEL_H
#define SOLVER_KERNEL_H

#include "solver/solver.h"
#include "solver/tables.h"

enum {
    WARI_GROUP = 64,    /* mover halves handled at a time: one cache line of a parent row */
    WARI_NO_QUIET = 127 /* worst value where no quiet move exists; beyond any value */
};

/* Where the children of one mover half and pit are. */
struct wari_source {
    const int8_t *row; /* row m' of the child block; readable for 64 bytes behind its end */
    const struct wari_gather *gather;
    bool last;             /* the last seed falls on the opponent's side */
    uint8_t since;         /* stamps from this on are news */
    const uint8_t *stamps; /* of the row, one for each 64 cells; NULL: no news in the whole row */
};

/* A patch of parents: up to 64 opponent halves (rows) by up to 64 mover halves (columns). All
 * arrays of cells have the pitch of the parent block. */
struct wari_patch {
    const int8_t *worst;    /* [column * WARI_SEGMENT + row]: see wari_kernel_ops.worst */
    const int8_t *values;   /* cells as they are */
    const int8_t *captures; /* best capture or end, -128 for none */
    const int8_t *floor;    /* shrinking only: the proved values */
    int8_t *out;            /* new cells: `values`, or the same place in a scratch block */
    size_t pitch;
    int rows, width;  /* of the patch */
    uint64_t columns; /* bit set: column is to be computed (others are kept) */
    int surplus;      /* shrinking only: mover's row minus opponent's row */
};

struct wari_kernel_ops {
    const char *name;

    /* worst[i] for the parents i of a segment: the smallest child value over the sources' quiet
     * moves, WARI_NO_QUIET where there is none. Entries behind the segment's last parent are
     * undefined. Returns the number of bytes loaded from child rows. */
    uint32_t (*worst)(const struct wari_source *sources, int count, uint32_t segment,
                      int8_t worst[WARI_SEGMENT]);

    /* Whether any cell that `worst` would read for a segment may have changed: a stamp of its 64
     * cells is news. */
    bool (*news)(const struct wari_source *sources, int count, uint32_t segment);

    /* Turns a patch of `worst` round and merges it: new = max(captures, -worst). Rows that change
     * are written to `out`, all `width` cells; returns them as bits and adds the number of cells
     * that changed to *changed. */
    uint64_t (*grow)(const struct wari_patch *patch, uint64_t *changed);

    /* The same for hopes (cycle rule `own`): new = max(captures, -worst), no further from 0 than
     * the surplus, no nearer to 0 than `floor`; where these conflict, `floor`. */
    uint64_t (*shrink)(const struct wari_patch *patch, uint64_t *changed);

    /* out[row * 64 + column] = in[column * WARI_SEGMENT + row] for 64 by 64 bytes. */
    void (*transpose)(const int8_t *in, int8_t *out);
};

extern const struct wari_kernel_ops wari_kernel_portable;
#if defined(__x86_64__)
extern const struct wari_kernel_ops wari_kernel_avx2;
extern const struct wari_kernel_ops wari_kernel_avx512;
#endif

/* Never NULL for a kernel that wari_kernel_parse() accepted, and for WARI_KERNEL_AUTO. */
const struct wari_kernel_ops *wari_kernel_ops(enum wari_kernel kernel);

#endif
