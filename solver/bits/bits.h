/* Values by bits, one threshold after the other.
 *
 * A value is v > 0 or more exactly if the mover can force that much within the level, whatever the
 * other values are: by an end, or, with cycle rule `own`, by endless play (bits_shrink.c, where a
 * third bit comes in). So for one **threshold** v two bits a cell are enough, and
 * for these there is often room in memory where there is none for a byte a cell:
 *
 *     won  lost
 *      1    0     the cell is worth v or more
 *      0    1     the cell is worth -v or less
 *      0    0     neither, so far: it is lost as soon as all its children are won
 *      1    1     neither, so far: it cannot be lost, since it has a capture worth more than -v
 *
 * A cell is won once a child is lost. Whatever is won or lost for v is so for v - 1. So thresholds
 * are gone through from the number of seeds down to 1, and each begins with what the one before it
 * found: then only cells whose best capture is v become won, and those whose best capture is -v may
 * be lost from now on. Which these are is listed once, by thresholds (lists.h). What a threshold
 * has decided goes to the scratch file as one bit a cell, a **snapshot**; some of these at a time
 * become codes again, in the pieces of pieces.h (bits_fold.c).
 *
 * For one threshold every change of a cell changes one bit. A thread that reads a cell while
 * another one changes it therefore sees it as it was or as it is, in whatever order it reads the
 * two bits, and either serves: what is won or lost stays so, and a worker that comes too early
 * comes again.
 *
 *     plane   block 0 | block 1 | ... | block n | padding     two of them: won, lost; with `own`
 *                                                             kept, too
 *     block   row 0 | row 1 | ...                             of whole bytes
 *     row     a bit a column, the lowest bit of a byte first
 */
#ifndef SOLVER_BITS_BITS_H
#define SOLVER_BITS_BITS_H

#include <pthread.h>

#include "solver/bits/scratch.h"
#include "solver/kernel/bits_plain.h"

enum {
    WARI_BITS_PADDING = 64, /* readable behind a plane */
    WARI_BITS_PLACES = 8, /* for snapshots: those that are settled, and some that are taken then */
    WARI_BITS_CELLS_A_PAGE = 127, /* 1 KiB with what stands before them */
};

/* How the memory of a level by bits is divided. */
struct wari_bits_shape {
    struct wari_scratch_shape scratch;
    int planes;         /* 2, or 3 with cycle rule `own` */
    uint32_t pages;     /* for news, number */
    uint32_t chunk;     /* of lists, bytes; */
    uint64_t table;     /* what they take in memory, bytes */
    uint32_t snapshots; /* that are settled together, number */
};

/* Cells that were decided, on their way to their parents. */
struct wari_bits_page {
    uint32_t next, count;
    uint64_t cell[WARI_BITS_CELLS_A_PAGE];
};

/* Some that are settled together, in places of the file that follow each other (behind the last one
 * comes the first). */
struct wari_bits_snapshots {
    int count, threshold[WARI_BITS_SNAPSHOTS];
    int first; /* place of the first one */
};

struct wari_bits_lists;
struct wari_bits_rule;

/* The words of a gather. */
struct wari_bit_gather {
    const uint32_t *first_word; /* of a run of WARI_BITS_STRIPS strips; one more than there are */
    const struct wari_bit_word *word;
};

/* News: what waits for the threads together. */
struct wari_bits_news_list {
    struct wari_bits_page *page;
    atomic_flag lock;                /* of the two that follow */
    uint32_t free_page, full;        /* first of those free, and of those whose cells wait */
    atomic_bool overflow;            /* a cell found no room: its parents do not know */
    struct wari_bits_worker *worker; /* one for each thread */
};

/* How snapshots become codes. */
struct wari_bits_fold_state {
    struct wari_bits_snapshots settled, taken; /* those at hand, and those that came after them */
    uint32_t *sum;                             /* [place][unit]: of the snapshots in the file */
    struct wari_settling settling;
    bool count; /* cells when they are settled, since it is the last time: into `histogram` */
    uint64_t histogram[2 * WARI_SEEDS_MAX + 1];
    bool counted;
    bool settles; /* a thread of its own, which has all this until then */
    pthread_t settler;
};

/* That something can be kept is rare: at 3, 7 and 9 seeds, in all rule sets, and at no other number
 * up to 13. So thresholds are first grown without regard for it, which takes a fourth of the time;
 * then each of them is tried, and only if something can be kept everything is done again. */
enum wari_bits_phase { WARI_BITS_GROWS, WARI_BITS_TRIES, WARI_BITS_KEEPS };

/* Where the run over the thresholds is. */
struct wari_bits_run {
    enum wari_bits_phase phase;
    bool
        first; /* threshold of the run: it begins with codes, those after it with the bits before */
    uint64_t
        grown; /* cells that changed since hopes were shrunk last, or since the threshold began */
    uint64_t candidates; /* that are left */
    bool kept;           /* something, while thresholds are tried */
    bool followed;       /* `tally` is of what followed at once when hopes were believed */
    struct wari_sweep_result tally;
};

struct wari_bits_planes {
    uint64_t offset[WARI_SEEDS_MAX + 2]; /* of a block in a plane; [seeds + 1]: its bytes */
    uint32_t pitch[WARI_SEEDS_MAX + 1];  /* bytes from row to row */
    uint8_t *won, *lost;
    uint8_t *kept;       /* cycle rule `own`: a third one (bits_shrink.c); else NULL */
    const uint8_t *none; /* with that one: a row of zeros, the longest there is */
};

struct wari_bits {
    struct wari_level *level;
    struct wari_bits_shape shape;
    struct wari_bits_run run;
    int threshold;
    struct wari_bits_planes planes;
    const struct wari_bits_rule *rule; /* that sweeps and news follow now (worker.h) */
    struct wari_bit_gather (*gather)[WARI_SOWN_MAX + 1]; /* [opponent's seeds][seeds sown] */
    struct wari_bits_lists *lists;
    struct wari_bits_news_list news;
    struct wari_bits_fold_state fold;
};

static inline struct wari_bits *wari_bits_of(const struct wari_level *level)
{
    return wari_scratch_of(level)->bits;
}

/* ---- Planes (bits_planes.c, bits_words.c) --------------------------------------------------- */

/* Lays them out; makes them, begins with nothing in them; frees them. */
void wari_bits_lay_out(struct wari_bits *bits, const struct wari_layout *layout);
WARI_MUST_CHECK enum wari_status wari_bits_make_planes(struct wari_bits *bits,
                                                       struct wari_error *error);
void wari_bits_free_planes(struct wari_bits *bits);

/* What so many planes take, and what goes with them: the sums of snapshots, too. Of the scratch
 * file: snapshots, which take the place of the stripes of captures. */
uint64_t wari_bits_planes_bytes(const struct wari_layout *layout, int planes);
uint64_t wari_bits_snapshot_bytes(const struct wari_layout *layout);

/* The words of all gathers of a level; what they take at most. */
WARI_MUST_CHECK enum wari_status wari_bits_make_words(struct wari_bits *bits,
                                                      struct wari_error *error);
uint64_t wari_bits_words_bytes(const struct wari_layout *layout);

/* Strips of a block; runs of WARI_BITS_STRIPS of them, which items have. */
static inline uint32_t wari_bits_strips(const struct wari_layout *layout, int block)
{
    return (layout->rows[block] + WARI_STRIP - 1) / WARI_STRIP;
}

static inline uint32_t wari_bits_runs(const struct wari_layout *layout, int block)
{
    return (wari_bits_strips(layout, block) + WARI_BITS_STRIPS - 1) / WARI_BITS_STRIPS;
}

/* ---- Cells --------------------------------------------------------------------------------- */

/* Where a cell is in a plane. */
static inline uint64_t wari_bits_place(const struct wari_bits *bits, int block, uint32_t row,
                                       uint32_t column)
{
    return bits->planes.offset[block] + (uint64_t)row * bits->planes.pitch[block] + column / 8;
}

static inline uint8_t wari_bits_bit(uint32_t column)
{
    return (uint8_t)(1U << column % 8);
}

enum wari_bits_state { WARI_BITS_OPEN, WARI_BITS_WON, WARI_BITS_LOST, WARI_BITS_SAFE };

static inline enum wari_bits_state wari_bits_state(const struct wari_bits *bits, uint64_t place,
                                                   uint8_t bit)
{
    const uint8_t won = __atomic_load_n(&bits->planes.won[place], __ATOMIC_SEQ_CST);
    const uint8_t lost = __atomic_load_n(&bits->planes.lost[place], __ATOMIC_SEQ_CST);

    return (enum wari_bits_state)(((won & bit) != 0) + 2 * ((lost & bit) != 0));
}

/* A cell that was open or safe is won; one that was open is lost. True for the one caller of
 * several who changed it. */
static inline bool wari_bits_win(const struct wari_bits *bits, uint64_t place, uint8_t bit)
{
    if (!(__atomic_fetch_or(&bits->planes.won[place], bit, __ATOMIC_SEQ_CST) & bit))
        return true;
    return (__atomic_fetch_and(&bits->planes.lost[place], (uint8_t)~bit, __ATOMIC_SEQ_CST) & bit) !=
           0;
}

static inline bool wari_bits_lose(const struct wari_bits *bits, uint64_t place, uint8_t bit)
{
    return !(__atomic_fetch_or(&bits->planes.lost[place], bit, __ATOMIC_SEQ_CST) & bit);
}

/* ---- Passes over one threshold (bits_sweep.c) ---------------------------------------------------
 */

/* Brings all cells up to date by what their children are. Returns the number of cells that changed.
 * `tell`: all that follows from these changes, too, so that nothing is left to be found unless
 * bits->news.overflow is set. */
uint64_t wari_bits_sweep(struct wari_bits *bits, bool tell);

/* ---- News (bits_news.c) --------------------------------------------------------------------- */

/* What waits for the threads together: a cell that was decided, for its parents; one that may be
 * lost from now on, to be looked at. */
enum wari_bits_news { WARI_BITS_IS_LOST, WARI_BITS_IS_WON, WARI_BITS_IS_OPEN };
void wari_bits_put(struct wari_bits *bits, struct wari_bits_worker *worker,
                   enum wari_bits_news news, int block, uint32_t row, uint32_t column);

/* How many of them wait in the worker's own page. */
uint32_t wari_bits_news_waiting(const struct wari_bits *bits,
                                const struct wari_bits_worker *worker);

/* Works on what waits until nothing is left of it, by the calling thread; the others may still be
 * at work then. Returns the number of cells that changed. */
uint64_t wari_bits_drain(struct wari_bits *bits, struct wari_bits_worker *worker);

/* Threads' own memory, and pages. Freed with bits->news.page. */
uint64_t wari_bits_worker_bytes(int threads);
WARI_MUST_CHECK enum wari_status wari_bits_make_workers(struct wari_bits *bits, uint32_t pages,
                                                        struct wari_error *error);

/* The worker of the calling thread of the level's workers. */
struct wari_bits_worker *wari_bits_worker(const struct wari_bits *bits);

/* What `follow` (worker.h) is while values grow. */
uint64_t wari_bits_decide_parents(struct wari_bits *bits, struct wari_bits_worker *worker,
                                  uint32_t parents);

/* What the last sweep, or other work on news, found no room for. */
static inline bool wari_bits_lost_news(const struct wari_bits *bits)
{
    return atomic_load_explicit(&bits->news.overflow, memory_order_relaxed);
}

extern const struct wari_bits_rule wari_bits_grows, wari_bits_shrinks;

/* ---- Cycle rule `own` (bits_shrink.c) ------------------------------------------------------- */

/* Begins a shrink of bits->threshold, for sweeps by wari_bits_shrinks: takes for granted whatever
 * might be kept for ever. Returns how many cells that are. */
uint64_t wari_bits_begin_upper_bounds(struct wari_bits *bits);

/* Puts all of these cells among the news, and works on what follows by wari_bits_shrinks. Returns
 * the number of cells that went. */
uint64_t wari_bits_recheck_all(struct wari_bits *bits);

/* Ends it: what is left of these is won or lost; returns how many cells changed. `tell`: by
 * wari_bits_grows, all that follows from that, too, unless bits->news.overflow is set. */
uint64_t wari_bits_commit_upper_bounds(struct wari_bits *bits, bool tell);

/* ---- Between file and planes --------------------------------------------------------------- */

/* Fills the planes for threshold `bits->threshold`, from codes: those of values that are this or
 * more are won, of the negative of it or less lost. With a third plane, kept is what may be kept if
 * for the threshold below this one no more was kept than what is won and lost: returns how many
 * cells these are, beside those that are won or lost. */
uint64_t wari_bits_from_codes(struct wari_bits *bits);

/* Takes a snapshot of what is decided for the threshold, once there is a place for it; begins to
 * settle those that were taken once there are as many as are settled together. */
void wari_bits_snapshot(struct wari_bits *bits);

/* Begins to make codes of the snapshots, beside whatever is done to the planes meanwhile; waits
 * until that is done, if it was begun. There is no other pass (scratch_passes.c) in between. */
void wari_bits_fold(struct wari_bits *bits);
void wari_bits_await(struct wari_bits *bits);

/* Memory of a thread's tile that transfers can go to, and how much of it there is: where sweeps
 * have what they know of children (worker.h), and nobody else has anything. */
enum {
    WARI_BITS_ROOM = (WARI_ITEM_STRIPS_MAX * WARI_ITEM_STRIP_CELLS - WARI_PIECE_ALIGN) /
                     WARI_PIECE_ALIGN * WARI_PIECE_ALIGN
};
static inline uint8_t *wari_bits_room(const struct wari_worker *worker)
{
    return (uint8_t *)(((uintptr_t)worker->tile + WARI_PIECE_ALIGN - 1) / WARI_PIECE_ALIGN *
                       WARI_PIECE_ALIGN);
}

#endif
