/* What is asked of a proof, and what comes of it. */
#ifndef VERIFY_LEVEL_VERIFY_REQUEST_H
#define VERIFY_LEVEL_VERIFY_REQUEST_H

#include <stdatomic.h>

#include "db/wari.h"

enum wari_verify_mode {
    WARI_VERIFY_FULL, /* (a) every value is the best of its moves, and histogram and hash are right;
                       * (b) every value is grounded; (c) none is too small, `own` only */
    WARI_VERIFY_LOCAL,  /* (a) only */
    WARI_VERIFY_SAMPLE, /* for random positions of every level: they are the best of their moves */
};

enum { WARI_DIFFERENCES_KEPT = 10 };

/* A position whose value is not what its moves make it, or has no proof. */
struct wari_difference {
    struct wari_position position;
    int value;       /* in the table */
    int expected;    /* best of the moves, or more than that: a surplus held for ever. The value
                      * again if `ungrounded` */
    bool ungrounded; /* equal to the best of its moves, but nothing forces it */
};

struct wari_verify {
    const char *folder;
    struct wari_variant variant;
    enum wari_verify_mode mode;
    uint64_t sample;              /* positions a level, for WARI_VERIFY_SAMPLE */
    uint64_t random_seed;         /* for WARI_VERIFY_SAMPLE */
    int threads;                  /* 0: one for each processor */
    uint64_t memory;              /* bytes that a proof may take; 0: what it takes at most */
    const struct wari_host *host; /* NULL: the system */
    /* Called by the calling thread only, NULL: not at all. `phase` is "reading", "captures",
     * "moves", "grounding", "surplus", "upper bounds" or "sample"; a phase may begin again in the
     * same level, share_done then goes back to 0. */
    void (*progress)(void *context, int seeds, const char *phase, double share_done);
    int known; /* levels that were proved before, from level 0 up: only their hashes are compared */
    /* Called by the calling thread when a level is proved, in full mode only; NULL: not at all. A
     * failure ends the run with it. */
    enum wari_status (*proved)(void *context, int seeds, uint64_t payload_hash,
                               struct wari_error *error);
    void *context;           /* for both */
    const atomic_bool *stop; /* NULL: never */
};

struct wari_verify_report {
    int levels;           /* without a difference, from level 0 up */
    uint64_t positions;   /* stored ones looked at, with those of the level that differs; of a
                           * sample, and of `differences`, one as often as it was drawn */
    uint64_t chunks_read; /* of the levels below the one at hand, each time one was decoded */
    uint64_t differences; /* of positions, all of them in the level that differs */
    int kept;             /* the first of these, in index order */
    struct wari_difference difference[WARI_DIFFERENCES_KEPT];
    char text[160]; /* a difference that is no position's: payload hash or histogram; or "" */
};

#endif
