/* Building a database. The only folder that uses OpenMP.
 *
 * Both functions report through a callback and stop soon (within about a second) after *stop turns
 * true, with WARI_INTERRUPTED.
 */
#ifndef SOLVER_SOLVER_H
#define SOLVER_SOLVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "db/catalogue/catalogue.h"
#include "solver/kernel/choice.h"
#include "solver/level/measure.h"

enum wari_phase {
    WARI_PHASE_CAPTURES, /* best captures and ends */
    WARI_PHASE_SWEEP,
    WARI_PHASE_SHRINK, /* sweeping hopes down, cycle rule `own` */
    WARI_PHASE_COUNT,  /* histogram and payload hash */
    WARI_PHASE_WRITE,
    WARI_PHASE_LEVEL_DONE, /* published */
    WARI_PHASE_REFUSED,    /* the level's checkpoint does not fit and was put aside */
};

struct wari_progress {
    enum wari_phase phase;
    int seeds;               /* the level being worked on; or published, after later ones perhaps */
    int sweep;               /* sweeps begun in this level, from 1 */
    double changed;          /* share of the level's cells that the last whole sweep changed */
    uint64_t positions_done; /* stored positions of the levels published in this run */
    uint64_t positions_all;  /* of all levels this run is to solve */
    double seconds;          /* since the run began */
    double level_seconds;    /* for WARI_PHASE_LEVEL_DONE: that this level took */
    uint64_t level_bytes;    /* for WARI_PHASE_LEVEL_DONE: size of its file */
    const struct wari_level_measure *measure; /* for WARI_PHASE_LEVEL_DONE: what it took */
};

struct wari_build {
    const char *folder; /* created if missing */
    struct wari_variant variant;
    int seeds;       /* the last level wanted: 0..46 or 48 */
    int threads;     /* 0: one for each processor */
    int ranks;       /* processes that hold a level together (solver/ranks/); 0: this one alone */
    uint64_t memory; /* bytes that the process may have resident at most; 0: no bound. A level that
                      * does not fit is streamed from a file, unless there are ranks */
    double checkpoint; /* seconds of work on a level between two checkpoints of it (checkpoint.h);
                        * 0: a default of some minutes; below 0: none */
    uint64_t checkpoint_room; /* bytes of disk that a checkpoint may take beside all that the build
                               * writes: larger ones are not written; 0: no limit */
    double publish;      /* seconds of work that finished levels wait for others, to be published
                          * together; 0: a fraction of a second; below 0: none waits */
    const char *scratch; /* folder of that file, created if missing; NULL: `folder` */
    enum wari_kernel kernel;
    const struct wari_host *host;                                          /* NULL: the system */
    void (*progress)(void *context, const struct wari_progress *progress); /* NULL: none */
    void *context;
    const atomic_bool *stop; /* NULL: never */
};

/* What a build needs, known before it starts. */
struct wari_build_plan {
    int first;              /* first level to be solved; greater than `seeds`: nothing to do */
    uint64_t positions;     /* stored positions to be solved */
    uint64_t memory_bytes;  /* resident at most, by the whole process */
    uint64_t memory_least;  /* below this the build is refused */
    uint64_t cache_bytes;   /* of memory_bytes: for levels below the one being solved */
    uint64_t level_bytes;   /* of memory_bytes: for the last level while it is solved */
    uint64_t idle_bytes;    /* of memory_bytes, that a streamed level may have, too, once captures
                             * have been read: that cache, and encoders */
    uint64_t below_bytes;   /* what the cache would hold if there were room for all levels below */
    int streamed;           /* the first level that is streamed; greater than `seeds`: none */
    uint64_t scratch_bytes; /* disk that streaming takes beside disk_bytes, while it lasts */
    uint64_t disk_bytes;    /* to be written at most: 3 bits a position, above 20 seeds more */
    uint64_t checkpoint_bytes; /* that checkpoints of these levels have on disk already */
    uint64_t leftover_bytes;   /* on disk as well, of some that were not finished: go at once */
};

/* Plans without changing anything; without a folder (NULL) as for an empty one. WARI_BAD_INPUT for
 * seeds outside 0..46 and 48; fails like wari_catalogue_read(). Looks into the level files that are
 * there only for whether they are packed; a file that cannot be read is for the build to report. */
WARI_MUST_CHECK enum wari_status wari_build_plan(const struct wari_build *build,
                                                 struct wari_build_plan *plan,
                                                 struct wari_error *error);

/* Solves every level 0..seeds that the folder lacks, one after the other. Each is written when it
 * is solved, and published, by the catalogue, at once or together with those that follow within a
 * fraction of a second; whatever ends the build, finished levels are published if that can still be
 * done. The files do not depend on threads, kernel or
 * interruptions. WARI_BUSY if another process builds in the folder, WARI_NO_MEMORY, before anything
 * is solved, if build->memory is less than plan's memory_least. */
WARI_MUST_CHECK enum wari_status wari_build(const struct wari_build *build,
                                            struct wari_error *error);

#endif
