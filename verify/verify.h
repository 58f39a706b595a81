/* The public interface of the verifier, which proves a database with code that shares nothing
 * with the solver. */
#ifndef VERIFY_VERIFY_H
#define VERIFY_VERIFY_H

#include <stdatomic.h>

#include "db/wari.h"

enum wari_verify_mode {
    WARI_VERIFY_FULL, /* Proves that (a) every value is the best of its moves, and the histogram and
                         the hash are right; (b) every value other than 0 is grounded: it can be
                         forced in finitely many moves or, for `own` cycles, by a surplus that is
                         held for ever; (c) for `own` cycles, no value is too small */
    WARI_VERIFY_LOCAL,  /* proves only (a) */
    WARI_VERIFY_SAMPLE, /* checks for random positions of every level that the value is the best of
                           its moves */
};

enum { WARI_DIFFERENCES_KEPT = 10 };

/* A position whose value differs from the best of its moves, or whose value has no proof. */
struct wari_difference {
    struct wari_position position;
    int value;       /* the stored value */
    int expected;    /* the best of the moves, or, for (c), the larger surplus that can be held for
                        ever. Equal to `value` if `ungrounded` */
    bool ungrounded; /* the value is the best of its moves, but it is not grounded */
};

struct wari_verify {
    const char *folder;
    struct wari_variant variant;
    enum wari_verify_mode mode;
    uint64_t sample;              /* number of positions for each level; WARI_VERIFY_SAMPLE only */
    uint64_t random_seed;         /* seed of the random numbers; WARI_VERIFY_SAMPLE only */
    int threads;                  /* 0 means one for each usable processor */
    uint64_t memory;              /* limit in bytes; 0 means no limit */
    const struct wari_host *host; /* NULL means the operating system */
    /* Reports progress; may be NULL. Only the thread that called wari_verify() calls it. `phase`
     * is "reading", "captures", "moves", "grounding", "surplus", "upper bounds" or "sample". A
     * phase may start again within a level; share_done then starts again at 0. */
    void (*progress)(void *context, int seeds, const char *phase, double share_done);
    int known; /* number of levels, from level 0 up, that an earlier call proved; for these levels
                  only the hashes are compared. WARI_VERIFY_FULL only */
    /* Called after each level that was proved, and after each of the `known` levels if its hash is
     * right; may be NULL. Only the thread that called
     * wari_verify() calls it, and only in full mode. If it fails, wari_verify() returns its
     * status. */
    enum wari_status (*proved)(void *context, int seeds, uint64_t payload_hash,
                               struct wari_error *error);
    void *context;           /* passed to `progress` and `proved` */
    const atomic_bool *stop; /* set to true to interrupt the proof; may be NULL */
};

struct wari_verify_report {
    int levels;           /* number of levels without a difference, from level 0 up */
    uint64_t positions;   /* number of stored positions that were checked, including those of the
                             level that differs. A position that a sample draws twice counts twice,
                             here and in `differences` */
    uint64_t chunks_read; /* number of chunks decoded from lower levels; a chunk decoded twice
                             counts twice */
    uint64_t differences; /* number of positions that differ; all of them are in the last level that
                             was checked */
    int kept;             /* number of entries in difference[], which holds the first differences in
                           * index order */
    struct wari_difference difference[WARI_DIFFERENCES_KEPT];
    char text[160]; /* describes a wrong payload hash or histogram; "" if there is none */
};

/* Proves a database. Returns WARI_OK if everything that the mode covers is proved. Returns
 * WARI_DIFFERENT if something is wrong: *report then lists the differences and *error describes the
 * first of them. Returns the same errors as wari_open() if a file is damaged or the variant is
 * missing. Stops after the first level that has differences. The report depends neither on the
 * number of threads nor on the memory.
 *
 * Keeps the current level in memory; wari_verify_need() computes the size. Returns
 * WARI_NO_MEMORY before the first level if `memory` is less than the minimum or cannot be
 * allocated. Two things need memory beyond the minimum: packed files need 67 MB for a database
 * handle, and a level with wrong values needs an eighth of a byte for each position. A sample needs
 * about 256 MB whatever the size of the database. */
WARI_MUST_CHECK enum wari_status wari_verify(const struct wari_verify *verify,
                                             struct wari_verify_report *report,
                                             struct wari_error *error);

#endif
