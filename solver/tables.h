/* What sowing does, precomputed for whole rows: the maps that turn solving into streaming.
 *
 * Take a parent position: opponent half o with s seeds, mover half m. Sowing one pit of m drops t
 * seeds on the opponent's side and leaves a mover half m'. The opponent half becomes
 * o + pattern(t), which does not depend on m. So, for a fixed m and pit and for all o of the block,
 * the children lie in ONE row (m') of the child block, at columns that depend on (s, t) alone and
 * increase with o. A **gather** holds those columns for one (s, t), cut into segments of
 * WARI_SEGMENT consecutive opponent halves:
 *
 *     child row m'   . . x x . x x x . . . x . . x x x ...   x: o + pattern(t) for some o
 *     word               |<-- 64 columns from `column` -->|  bit j of `mask`: column + j is an x
 *     output         o0 o1 o2 o3 o4 ...                      the x bytes, closed up
 *
 * Whether the move captures depends on (o, t) and on whether its last seed falls on the opponent's
 * side; for those that do there are lists of captures and of grand slams.
 *
 * Tables serve every level up to the one they were made for, and any number of threads.
 */
#ifndef SOLVER_TABLES_H
#define SOLVER_TABLES_H

#include "db/host.h"
#include "index/half.h"

enum {
    WARI_SEGMENT = 256, /* opponent halves handled at a time: a tile of 64 x 256 cells fits L1 */
    WARI_SEGMENT_WORDS = WARI_SEGMENT / 64,
    WARI_SOWN_MAX = 28,    /* most seeds that one move of 48 drops on the opponent's side */
    WARI_CAPTURE_MAX = 18, /* six pits of three */
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

/* The columns of a segment lie in the groups first .. last of 64 columns. */
struct wari_span {
    uint32_t first, last;
};

/* Everything about (s, t) for one kind of parents. Arrays named first_* have segments + 1 entries
 * and give the range that belongs to a segment. */
struct wari_gather {
    uint32_t parents;  /* opponent halves of this kind with s seeds */
    uint32_t segments; /* parents / WARI_SEGMENT, rounded up */
    const uint32_t *first_word;
    const uint32_t *column;
    const uint64_t *mask;
    const struct wari_span *span; /* for each segment */
    /* WARI_SEGMENT_WORDS for each segment: bit set where a move whose last seed falls on the
     * opponent's side leads to a position of the same level. Without that last seed all do. */
    const uint64_t *quiet;
    const uint32_t *first_capture; /* within a segment sorted by `captured`, then by place */
    const struct wari_capture *capture;
    const uint32_t *first_slam; /* empty where a slam is a quiet move */
    const uint16_t *slam;       /* place in the segment */
    void *memory;               /* all of the above */
};

/* One pit of a mover half, packed into 32 bits:
 *
 *     31   27 26      25      0
 *     +------+-----+-----------+
 *     | sown | last|    row    |     row: number of m' among the halves with an empty pit
 *     +------+-----+-----------+     last: the last seed falls on the opponent's side
 */
typedef uint32_t wari_sowing;
#define WARI_NO_SOWING UINT32_MAX /* the pit is empty */

static inline uint32_t wari_sowing_row(wari_sowing sowing)
{
    return sowing & 0x3ffffffu;
}

static inline bool wari_sowing_last(wari_sowing sowing)
{
    return (sowing >> 26 & 1) != 0;
}

static inline int wari_sowing_sown(wari_sowing sowing)
{
    return (int)(sowing >> 27);
}

struct wari_tables {
    enum wari_rules rules;
    int seeds;
    const struct wari_host *host;
    wari_sowing *sowings[WARI_SEEDS_MAX + 1]; /* [seeds of the half][half * 6 + pit] */
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

/* The fewest seeds in a pit that can drop `sown` seeds on the opponent's side. */
int wari_seeds_to_sow(int sown);

/* Sows one pit of a mover half: seeds go round the board, skipping that pit. */
wari_sowing wari_sow_half(const uint8_t half[WARI_HALF_PITS], int pit);

/* Makes one gather; gather->memory is to be released. */
WARI_MUST_CHECK enum wari_status wari_gather_create(struct wari_gather *gather,
                                                    const struct wari_host *host,
                                                    enum wari_rules rules, enum wari_parents kind,
                                                    int seeds, int sown, struct wari_error *error);

#endif
