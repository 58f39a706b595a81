/* What the files of the verifier share. See verify.c for the plan of a verification.
 *
 * Everything here is built on game/, index/ and db/ alone; nothing of the solver's tables, kernels
 * or sweeps may be included, so that a mistake there cannot hide itself.
 */
#ifndef SOLVER_VERIFY_H
#define SOLVER_VERIFY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "db/wari.h"
#include "index/level.h"
#include "solver/solver.h"

/* A set of positions of a level: one bit each, 64 in a word, those beyond the last one 0. Read and
 * written by all threads, relaxed: while threads work on a set it only shrinks, so whatever a
 * reader sees leads to the same fixed point. */
typedef _Atomic uint64_t wari_verify_word;

/* A hope: a value that sinks towards the one in the table; read and written like a word. */
typedef _Atomic int8_t wari_verify_hope;

/* A mover half; all of them are listed, so that cells can be visited in any order. */
struct wari_verify_half {
    uint8_t pits[WARI_HALF_PITS];
};

/* A verification of whole levels. */
struct wari_verifier {
    const struct wari_verify *verify;
    const struct wari_host *host;
    struct wari_catalogue catalogue;
    int threads;
    struct wari_error *error;

    struct wari_layout layout[WARI_SEEDS_MAX + 1];
    const struct wari_verify_half *halves[WARI_SEEDS_MAX + 1]; /* by seeds, in index order */
    int8_t *values[WARI_SEEDS_MAX + 1];                        /* of all levels, in index order */
    void *value_memory;
    void *half_memory;

    int seeds;                 /* the level at hand; those below are verified */
    wari_verify_word *open;    /* its positions without a proof; NULL if none is asked for */
    wari_verify_word *surplus; /* `own` only: another set of positions; shares memory with: */
    wari_verify_hope *hopes;   /* `own` only: one for each position */
};

/* ---- Differences ---- */

/* A position of the level at hand; the rest as in struct wari_difference. */
struct wari_verify_difference {
    uint64_t cell;
    int value;
    int expected;
    bool ungrounded;
};

/* The first few differences of a level and how many there are. */
struct wari_verify_found {
    uint64_t count;
    int kept;
    struct wari_verify_difference first[WARI_DIFFERENCES_KEPT]; /* by cell, upwards */
};

void wari_verify_note(struct wari_verify_found *found, struct wari_verify_difference difference);
void wari_verify_merge(struct wari_verify_found *into, const struct wari_verify_found *from);

/* Puts what was found in a level into the report. WARI_OK if that is nothing and report->text is
 * empty, else WARI_DIFFERENT with the first difference in *error. */
WARI_MUST_CHECK enum wari_status wari_verify_conclude(struct wari_verify_report *report,
                                                      const struct wari_layout *layout,
                                                      const struct wari_verify_found *found,
                                                      struct wari_error *error);

/* ---- Moves of a position in the level at hand ---- */

struct wari_verify_move {
    int value;      /* for the mover, by the table */
    bool quiet;     /* leads to a position of the same level; others end the game or capture */
    uint64_t child; /* the number of that position, if quiet */
};

struct wari_verify_moves {
    int count; /* 0: the game is over */
    int best;  /* value of the best move, or of the end */
    struct wari_verify_move list[WARI_HALF_PITS];
};

void wari_verify_moves(const struct wari_verifier *verifier, const struct wari_position *position,
                       struct wari_verify_moves *moves);

/* Walks over positions of the level at hand; start with {0}. */
struct wari_verify_cursor {
    uint64_t row_begin, row_end; /* the row that position.pits[6..11] hold; 0, 0: none yet */
    int opponent_seeds;
    struct wari_position position;
};

/* Goes to a position by its number; cheap within a row. */
void wari_verify_seek(const struct wari_verifier *verifier, struct wari_verify_cursor *cursor,
                      uint64_t cell);

/* ---- Passes over a level ---- */

enum { WARI_VERIFY_STRETCH = 1 << 14 }; /* positions of one piece of work: a few milliseconds */

/* What a thread gathers in a pass. */
struct wari_verify_tally {
    struct wari_verify_cursor cursor;
    struct wari_verify_found found;
    uint64_t changed;
    uint64_t histogram[2 * WARI_SEEDS_MAX + 1]; /* [v + 48] */
};

/* Does one piece of work. */
typedef void wari_verify_work(const struct wari_verifier *verifier, const void *context,
                              uint64_t piece, struct wari_verify_tally *tally);

/* Does pieces 0..pieces-1 with all threads; *total, zeroed by the caller, receives the sum of the
 * tallies. Reports progress as `phase` unless that is NULL. WARI_INTERRUPTED if told to stop. */
WARI_MUST_CHECK enum wari_status wari_verify_pass(const struct wari_verifier *verifier,
                                                  wari_verify_work *work, const void *context,
                                                  uint64_t pieces, const char *phase,
                                                  struct wari_verify_tally *total);

/* How many of the threads to wake for so many pieces of work: small levels are done by one, without
 * waiting for others. */
int wari_verify_team(int threads, uint64_t pieces);

/* Pieces that cover the level at hand, a stretch each, and where one ends. */
uint64_t wari_verify_stretches(const struct wari_verifier *verifier);
uint64_t wari_verify_stretch_end(const struct wari_verifier *verifier, uint64_t piece);

/* Adds all positions that are in verifier->open to *found: as values that should be what `instead`
 * says, or, where it is NULL, as values without a reason. */
WARI_MUST_CHECK enum wari_status
wari_verify_note_open(const struct wari_verifier *verifier,
                      int (*instead)(const struct wari_verifier *verifier, uint64_t cell),
                      struct wari_verify_found *found);

void wari_verify_progress(const struct wari_verifier *verifier, const char *phase,
                          double share_done);
bool wari_verify_stopped(const struct wari_verify *verify);

/* ---- Fixed points ---- */

struct wari_verify_task {
    const char *phase;
    wari_verify_word *open; /* the positions that may still change */
    /* Looks at an open position, writes down what follows and takes it out of `open` if that was
     * its last change. Whether there was a change, so that positions with a move to this one have
     * to be looked at again. Must be monotone: what it finds may depend on the state of the
     * children, but never be undone by their further changes. */
    bool (*examine)(const struct wari_verifier *verifier, uint64_t cell,
                    const struct wari_position *position);
};

/* Examines open positions until no examination changes anything. */
WARI_MUST_CHECK enum wari_status wari_verify_spread(const struct wari_verifier *verifier,
                                                    const struct wari_verify_task *task);

static inline bool wari_verify_has(const wari_verify_word *set, uint64_t cell)
{
    return atomic_load_explicit(&set[cell / 64], memory_order_relaxed) >> cell % 64 & 1;
}

/* Takes a position out of a set; false if it was out already. */
static inline bool wari_verify_take(wari_verify_word *set, uint64_t cell)
{
    uint64_t bit = UINT64_C(1) << cell % 64;
    return atomic_fetch_and_explicit(&set[cell / 64], ~bit, memory_order_relaxed) & bit;
}

/* ---- The checks; each adds what it finds ---- */

/* Reads the level at hand into verifier->values; *payload_hash is the one its header states. */
WARI_MUST_CHECK enum wari_status wari_verify_load(const struct wari_verifier *verifier,
                                                  uint64_t *payload_hash);

/* (a) Values, histogram and payload hash. Leaves the positions that captures and ends did not prove
 * at once in verifier->open, unless that is NULL. `text` (room for `size`, "" on entry) tells of a
 * wrong hash or histogram. */
WARI_MUST_CHECK enum wari_status wari_verify_local(const struct wari_verifier *verifier,
                                                   uint64_t payload_hash,
                                                   struct wari_verify_found *found, char *text,
                                                   size_t size);

/* Whether all that `value`, not 0, needs of the moves is there: for a positive value a move that
 * attains it and is safe, for a negative one that all moves are. A move is safe if it ends the
 * game, captures, or leads to a position that is not in `open` or, unless that is NULL, is in
 * `surplus`. Where the game is over nothing more is needed. */
bool wari_verify_supported(const struct wari_verify_moves *moves, int value,
                           const wari_verify_word *open, const wari_verify_word *surplus);

/* (b) Needs (a) to have found nothing. */
WARI_MUST_CHECK enum wari_status wari_verify_grounding(const struct wari_verifier *verifier,
                                                       struct wari_verify_found *found);

/* (c) Needs (a) and (b) to have found nothing. */
WARI_MUST_CHECK enum wari_status wari_verify_upper(const struct wari_verifier *verifier,
                                                   struct wari_verify_found *found);

/* (a) for random positions of the levels in the catalogue, probed from `db`. */
WARI_MUST_CHECK enum wari_status wari_verify_sample(const struct wari_verify *verify, int threads,
                                                    struct wari_db *db,
                                                    struct wari_verify_report *report,
                                                    struct wari_error *error);

#endif
