/* What a build is asked for, and what it will need, known before it starts: once. */
#ifndef SOLVER_PLAN_H
#define SOLVER_PLAN_H

#include <stdatomic.h>

#include "db/catalogue/catalogue.h"
#include "solver/kernel/choice.h"

struct wari_build_plan;
struct wari_progress;
struct wari_bits_shape;

/* How several processes share each level, for those that do. */
struct wari_sharing {
    int processes;

    /* Bytes that one of them needs at most for its part of a level, which has to fit. */
    uint64_t (*level_bytes)(int seeds, int processes, int threads);
};

struct wari_build {
    const char *folder; /* created if missing */
    struct wari_variant variant;
    int seeds;                          /* the last level wanted: 0..46 or 48 */
    int threads;                        /* 0: one for each processor */
    const struct wari_sharing *sharing; /* NULL: this process alone */
    uint64_t memory; /* bytes that the process may have resident at most; 0: no bound. A level that
                      * does not fit is solved by bits, with a scratch file, unless it is shared */
    double checkpoint;   /* seconds of work on a level between two checkpoints of it (checkpoint.h);
                          * 0: a default of some minutes; below 0: none */
    double publish;      /* seconds of work that finished levels wait for others, to be published
                          * together; 0: a fraction of a second; below 0: none waits */
    const char *scratch; /* folder of that file, created if missing; NULL: `folder` */
    enum wari_kernel kernel;
    const struct wari_build_plan *plan; /* made for this build; NULL: it makes its own */
    const struct wari_host *host;       /* NULL: the system */
    void (*progress)(void *context, const struct wari_progress *progress); /* NULL: none */
    void *context;
    const atomic_bool *stop; /* NULL: never */
};

/* What a build needs, known before it starts. */
struct wari_build_plan {
    int first;              /* first level to be solved; greater than `seeds`: nothing to do */
    uint64_t there_bytes;   /* files of the levels that are there: what the plan was made for */
    uint64_t positions;     /* stored positions to be solved */
    uint64_t memory_bytes;  /* resident at most, by the whole process */
    uint64_t memory_least;  /* below this the build is refused */
    uint64_t cache_bytes;   /* of memory_bytes: for levels below the one being solved */
    uint64_t level_bytes;   /* of memory_bytes: for the last level while it is solved */
    uint64_t idle_bytes;    /* of memory_bytes, that a level by bits may have, too, once captures
                             * have been read: that cache, and encoders */
    uint64_t below_bytes;   /* what the cache would hold if there were room for all that is read */
    int first_by_bits;      /* the first level solved by bits; greater than `seeds`: none */
    uint64_t scratch_bytes; /* disk that bits take beside disk_bytes, while it lasts */
    uint64_t disk_bytes;    /* to be written at most: 3 bits a position, above 20 seeds more */
    uint64_t checkpoint_bytes; /* that checkpoints of these levels have on disk already */
    uint64_t leftover_bytes;   /* on disk as well, of some that were not finished: go at once */
    uint64_t checkpoint_room;  /* that a checkpoint may take beside all that the build writes, for
                                * those who look at the disk to fill in: larger ones are not
                                * written; 0: no limit */
};

/* Plans without changing anything; without a folder (NULL) as for an empty one. WARI_BAD_INPUT for
 * seeds outside 0..46 and 48; fails like wari_catalogue_read(). Looks into the level files that are
 * there only for whether they are packed; a file that cannot be read is for the build to report. */
WARI_MUST_CHECK enum wari_status wari_build_plan(const struct wari_build *build,
                                                 struct wari_build_plan *plan,
                                                 struct wari_error *error);

/* The plan of a build whose catalogue is open: build->plan, if it was made for these levels, or a
 * new one. Fails like wari_level_file_open(). */
WARI_MUST_CHECK enum wari_status wari_plan_for(const struct wari_build *build,
                                               const struct wari_catalogue *catalogue,
                                               struct wari_build_plan *plan,
                                               struct wari_error *error);

/* WARI_NO_MEMORY, with the figure that is needed, if the build is allowed less than plan's
 * memory_least. */
WARI_MUST_CHECK enum wari_status wari_plan_check(const struct wari_build *build,
                                                 const struct wari_build_plan *plan,
                                                 struct wari_error *error);

/* How many threads a build uses. */
int wari_build_threads(const struct wari_build *build);

/* At most so many bytes has a level's file. */
uint64_t wari_plan_file_bytes(int seeds);

/* Bytes for levels below while a level is solved: what the last level takes more than this one is
 * theirs until then. */
uint64_t wari_plan_cache(const struct wari_build *build, const struct wari_build_plan *plan,
                         int seeds);

/* How a level is solved by bits; false if it is solved in memory. */
bool wari_plan_shape(const struct wari_build *build, const struct wari_build_plan *plan, int seeds,
                     struct wari_bits_shape *shape);

#endif
