/* What sowing does, precomputed for whole rows: the maps that turn solving into streaming.
 *
 * Take a parent position: opponent half o with s seeds, mover half m. Sowing one pit of m drops t
 * seeds on the opponent's side and leaves a mover half m'. The opponent half becomes
 * o + pattern(t), which does not depend on m. So, for a fixed m and pit and for all o of the block,
 * the children lie in ONE row (m') of the child block, at columns that depend on (s, t) alone and
 * increase with o. A **gather** holds those columns for one (s, t), cut into **strips** of 64
 * consecutive opponent halves:
 *
 *     child row m'   . . x x . x x x . . . x . . x x x ...   x: o + pattern(t) for some o
 *     word               |<-- 64 columns from `column` -->|  bit j of `mask`: column + j is an x
 *     strip          o0 o1 o2 o3 o4 ...                      the x bytes, closed up
 *
 * A strip is put together from one word or several; `index` says for each of its parents where in
 * its word the child is, so that a byte permutation does it, and the masks say the same to kernels
 * that close up instead.
 *
 * Whether the move captures depends on (o, t) and on whether its last seed falls on the opponent's
 * side; for those that do there are lists of captures and of grand slams, cut into **segments**.
 *
 * Tables serve every level up to the one they were made for, and any number of threads.
 */
#ifndef SOLVER_TABLES_H
#define SOLVER_TABLES_H

#include "db/host/host.h"
#include "index/half.h"
#include "solver/rows/halves.h"
#include "solver/rows/sow.h"

enum {
    WARI_STRIP = 64,        /* opponent halves handled at a time: one vector */
    WARI_RANGE_STRIPS = 16, /* a list of captures is worth walking, a work item is not too long */
    WARI_RANGE_ROWS = WARI_STRIP * WARI_RANGE_STRIPS,
    WARI_CAPTURE_MAX = 18,       /* six pits of three */
    WARI_SEEDS_UNREACHABLE = 47, /* no capture leaves 47: it takes at least 2 of 48 */
};

/* Which opponent halves are parents: those that are stored (an empty pit), or the full ones, whose
 * values are needed once, for the histogram. */
enum wari_parents { WARI_PARENTS_ROWS, WARI_PARENTS_FULL, WARI_PARENTS_KINDS };

/* A parent half whose capture is not a slam: the child is at `column` of row m' of the level with
 * `captured` seeds fewer, in the block that the quiet child would be in. */
struct wari_capture {
    uint32_t column;
    uint16_t place; /* of the parent half in its segment */
    uint8_t captured;
};

/* 64 child columns, of which one or more belong to parents of the same strip: those from place
 * `start` of `strip` on. */
struct wari_word {
    uint64_t mask;
    uint32_t column;
    uint32_t start : 6, strip : 26;
};

/* Everything about (s, t) for one kind of parents. Arrays named first_* have one entry more than
 * there are strips or segments and give the range that belongs to each. */
struct wari_gather {
    uint32_t parents;  /* opponent halves of this kind with s seeds */
    uint32_t strips;   /* parents / WARI_STRIP, rounded up */
    uint32_t segments; /* parents / WARI_RANGE_ROWS, rounded up */
    uint32_t words;
    uint32_t *first_word; /* of a strip */
    struct wari_word *word;
    uint8_t *index; /* for each parent: its child's column minus the word's; 0 behind the
                     * last parent, up to whole strips */
    /* For each strip: bit set where a move whose last seed falls on the opponent's side leads to a
     * position of the same level. Without that last seed all do. */
    uint64_t *quiet;
    uint32_t *first_capture; /* of a segment; sorted by `captured`, then by place */
    struct wari_capture *capture;
    uint32_t *first_slam; /* of a segment; empty where a slam is a quiet move */
    uint16_t *slam;       /* place in the segment */
    void *memory;         /* all of the above */
};

struct wari_tables {
    enum wari_rules rules;
    int seeds;
    const struct wari_host *host;
    struct wari_halves halves;
    struct wari_gather gather[WARI_PARENTS_KINDS][WARI_SEEDS_MAX + 1][WARI_SOWN_MAX + 1];
};

/* Bytes that tables for levels 0..seeds take, to within a few per cent above. */
uint64_t wari_tables_bytes(int seeds);

/* Makes the tables for all levels 0..seeds. *tables is NULL on failure (WARI_NO_MEMORY). */
WARI_MUST_CHECK enum wari_status wari_tables_create(struct wari_tables **tables,
                                                    const struct wari_host *host,
                                                    enum wari_rules rules, int seeds, int threads,
                                                    struct wari_error *error);
void wari_tables_destroy(struct wari_tables *tables);

/* WARI_BAD_INPUT for seeds outside 0..46 and 48. */
WARI_MUST_CHECK enum wari_status wari_check_seeds(int seeds, struct wari_error *error);

/* Which gather: for parents of a kind whose opponent half has `seeds`, by moves that drop `sown`.
 */
struct wari_gather_key {
    enum wari_rules rules;
    enum wari_parents kind;
    int seeds, sown;
};

/* Makes one gather; gather->memory is to be released. */
WARI_MUST_CHECK enum wari_status wari_gather_create(struct wari_gather *gather,
                                                    const struct wari_host *host,
                                                    struct wari_gather_key key,
                                                    struct wari_error *error);

#endif
