/* The effect of sowing, precomputed for whole rows: tables that let the solver read the children of
 * many positions from consecutive memory.
 *
 * Take a parent position: opponent half o with s seeds, mover half m. Sowing one pit of m drops t
 * seeds on the opponent's side and leaves a mover half m'. The opponent half becomes o +
 * pattern(t), which does not depend on m. So, for a fixed m and pit and for all o of the block, the
 * children lie in ONE row (m') of the child block, at columns that depend on (s, t) alone and
 * increase with o. A **gather** holds these columns for one pair (s, t), cut into **strips** of 64
 * consecutive opponent halves:
 *
 *     child row m'   . . x x . x x x . . . x . . x x x ...   x: o + pattern(t) for some o
 *     word               |<-- 64 columns from `column` -->|  bit j of `mask`: column + j is an x
 *     strip          o0 o1 o2 o3 o4 ...                      the x bytes, packed
 *
 * A strip is gathered from one word or several. For each of its parents, `index` is the position of
 * the child in its word, so that a byte permutation gathers a word; the masks have the same
 * information for kernels that pack bytes instead.
 *
 * If the last seed of a move falls on the opponent's side, (o, t) alone determine what the move
 * captures. Two lists contain the parents whose moves capture, and the parents whose moves are
 * grand slams. The lists are divided into **bands** of WARI_BAND_STRIPS consecutive strips.
 *
 * The tables are used for all levels up to the one they were made for, by any number of threads.
 */
#ifndef SOLVER_ROWS_TABLES_H
#define SOLVER_ROWS_TABLES_H

#include "db/host/host.h"
#include "index/half.h"
#include "solver/rows/halves.h"
#include "solver/rows/sow.h"

enum {
    WARI_STRIP = 64,       /* opponent halves processed at a time: one vector */
    WARI_BAND_STRIPS = 16, /* strips in a band. The lists of captures are longer, and faster to
                            * read, with more of them; with fewer, items can be smaller, since an
                            * item consists of whole bands */
    WARI_BAND_ROWS = WARI_STRIP * WARI_BAND_STRIPS,
    WARI_CAPTURE_MAX = 18, /* six pits of three */
};

/* The opponent halves that are parents: those that are stored (rows, with an empty pit), or the
 * full halves, whose values are needed once, for the histogram. */
enum wari_parents { WARI_PARENTS_ROWS, WARI_PARENTS_FULL, WARI_PARENTS_KINDS };

/* A parent half whose capture is not a slam. The child is at `column` of row m' of the level with
 * `captured` seeds fewer, in the block that it would be in if the move were quiet. */
struct wari_capture {
    uint32_t column;
    uint16_t row; /* number of the parent half in its band */
    uint8_t captured;
};

/* 64 adjacent columns of the child row. The columns whose bit in `mask` is set contain the children
 * of consecutive parents of `strip`; the first of these parents has offset `start` in the strip. */
struct wari_word {
    uint64_t mask;
    uint32_t column;
    uint32_t start : 6, strip : 26;
};

/* All tables for (s, t) and one kind of parents. An array named first_* gives the first entry of
 * each strip or band; it has one entry more than there are strips or bands. */
struct wari_gather {
    uint32_t parents; /* opponent halves of this kind with s seeds */
    uint32_t strips;  /* parents / WARI_STRIP, rounded up */
    uint32_t bands;   /* parents / WARI_BAND_ROWS, rounded up */
    uint32_t words;
    uint32_t *first_word; /* [strip] */
    struct wari_word *word;
    uint8_t *index; /* [parent]: the column of its child minus the first column of the word; 0 after
                     * the last parent, up to the end of the last strip */
    /* [strip]: the bit of a parent is set if the move is quiet, that is, leads to a position of the
     * same level, although its last seed falls on the opponent's side. A move whose last seed falls
     * on the mover's side is always quiet. */
    uint64_t *quiet;
    uint32_t *first_capture; /* [band]; captures are sorted by `captured`, then by row */
    struct wari_capture *capture;
    uint32_t *first_slam; /* [band]; empty if slams are quiet moves */
    uint16_t *slam;       /* rows in the band */
    void *memory;         /* one block of memory that contains all of the arrays */
};

struct wari_tables {
    enum wari_rules rules;
    int seeds;
    const struct wari_host *host;
    struct wari_halves halves;
    struct wari_gather gather[WARI_PARENTS_KINDS][WARI_SEEDS_MAX + 1][WARI_SOWN_MAX + 1];
};

/* Returns the bytes that the tables for levels 0..seeds take, rounded up by a few per cent. */
uint64_t wari_tables_bytes(int seeds);

/* Creates the tables for levels 0..seeds. On failure (WARI_NO_MEMORY) *tables is NULL. */
WARI_MUST_CHECK enum wari_status wari_tables_create(struct wari_tables **tables,
                                                    const struct wari_host *host,
                                                    enum wari_rules rules, int seeds, int threads,
                                                    struct wari_error *error);
void wari_tables_destroy(struct wari_tables *tables);

/* Returns WARI_BAD_INPUT if `seeds` is not in 0..46 and not 48. */
WARI_MUST_CHECK enum wari_status wari_check_seeds(int seeds, struct wari_error *error);

/* Identifies a gather: for the parents of this kind with `seeds` seeds in the opponent half, and
 * for the moves that drop `sown` seeds there. */
struct wari_gather_key {
    enum wari_rules rules;
    enum wari_parents kind;
    int seeds, sown;
};

/* Creates one gather. The caller releases gather->memory. wari_tables_create() creates all gathers;
 * tests create single ones, since those of large levels take too much memory together. */
WARI_MUST_CHECK enum wari_status wari_gather_create(struct wari_gather *gather,
                                                    const struct wari_host *host,
                                                    struct wari_gather_key key,
                                                    struct wari_error *error);

#endif
