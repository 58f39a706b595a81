/* Describes what a build is asked to do, and computes once, before it starts, the memory and disk
 * that it will need. */
#ifndef SOLVER_PLAN_PLAN_H
#define SOLVER_PLAN_PLAN_H

#include <stdatomic.h>

#include "db/catalogue/catalogue.h"
#include "solver/kernel/choice.h"

struct wari_build_plan;
struct wari_progress;
struct wari_bits_shape;

/* The distribution of each level over several processes. */
struct wari_sharing {
    int processes;

    /* Returns an upper bound on the bytes that one process needs for its partition of a level. The
     * memory limit of the process has to be at least as large. */
    uint64_t (*level_bytes)(int seeds, int processes, int threads);
};

/* The request: what to build, and with which resources. */
struct wari_build {
    const char *folder; /* folder of the database; created if it is missing */
    struct wari_variant variant;
    int seeds;   /* the last level to be built: 0..46 or 48 */
    int threads; /* 0 means one for each usable processor (system/processors.h) */
    const struct wari_sharing *sharing; /* NULL if this process works alone */

    /* Upper limit on the resident memory of the process, in bytes; 0 means no limit. A level that
     * does not fit is solved by the bit backend, with a scratch file, unless `sharing` is set. */
    uint64_t memory;

    /* Seconds of work on a level between two checkpoints of the level (checkpoint.h). 0 selects a
     * default of some minutes; a negative number means that no checkpoints are written. */
    double checkpoint;

    /* Seconds of work for which finished levels wait, to be published together with later levels. 0
     * selects a default of a fraction of a second; a negative number means that each level is
     * published at once. */
    double publish;

    bool no_lock; /* the folder is not locked; the caller makes sure that nobody else builds or
                   * packs there */
    const char *scratch; /* folder of the scratch file, created if missing; NULL means `folder` */
    enum wari_kernel kernel;
    const struct wari_build_plan *plan; /* a plan of this build; NULL means that the build makes
                                         * one */
    const struct wari_host *host;       /* NULL means the operating system */
    void (*progress)(void *context, const struct wari_progress *progress); /* may be NULL */
    void *context;           /* the first argument of progress() */
    const atomic_bool *stop; /* the build stops when *stop becomes true; NULL means never */
};

/* The plan of a build: the levels to be solved, and the memory and disk space that they need. */
struct wari_build_plan {
    int first; /* the first level to be solved; > build->seeds if none is to be solved.
                * Higher levels are not solved if their files exist. */
    bool exists[WARI_SEEDS_MAX + 1]; /* true for the levels whose files exist */
    uint64_t positions;              /* stored positions of all levels to be solved */

    /* Size of the existing level files. A plan is valid only as long as this does not change. */
    uint64_t existing_bytes;

    /* Memory */
    uint64_t memory_bytes; /* upper bound on the resident memory of the whole process */
    uint64_t memory_least; /* a build that is allowed less memory than this is refused */
    uint64_t cache_bytes;  /* part of memory_bytes: the lower-level cache while the last level is
                            * solved */
    uint64_t level_bytes;  /* part of memory_bytes: the last level while it is solved */
    uint64_t idle_bytes;   /* part of memory_bytes: cache_bytes and the memory of the encoders. The
                            * bit backend may use it, too, once the captures are computed */
    uint64_t lower_bytes;  /* size of a cache that holds all lower levels that are read */

    /* Disk */
    int first_bit_level; /* the first level that the bit backend solves; > build->seeds if none */
    uint64_t scratch_bytes; /* largest size of the scratch file, in addition to disk_bytes */
    uint64_t disk_bytes; /* upper bound on the size of the new level files: 3 bits a position, and
                          * more above 20 seeds */
    uint64_t checkpoint_bytes; /* size of finished checkpoints of the levels to be solved */
    uint64_t leftover_bytes;   /* size of unfinished checkpoints, which the build removes at once */

    /* Upper limit on the size of a checkpoint; larger checkpoints are not written. 0 means no
     * limit. The planner sets the limit to 0. A caller that knows the free space on disk may set it
     * to the space that all other files of the build leave. */
    uint64_t checkpoint_limit;
};

/* Plans a build. Changes no files. If build->folder is NULL, the plan is made as for an empty
 * folder. Returns WARI_BAD_INPUT if build->seeds is neither in 0..46 nor 48; otherwise fails like
 * wari_catalogue_read(). Opens existing level files only to find out if they are packed. A file
 * that cannot be read is not reported, since the build will report it. */
WARI_MUST_CHECK enum wari_status wari_build_plan(const struct wari_build *build,
                                                 struct wari_build_plan *plan,
                                                 struct wari_error *error);

/* Lowers build->seeds to the highest level that has to be solved, if there is any. If only files of
 * lower levels were lost, the levels above them exist, and a plan need not provide memory to solve
 * them. build->folder must not be NULL. Fails like wari_catalogue_read(). */
WARI_MUST_CHECK enum wari_status wari_plan_leave_out_existing(struct wari_build *build,
                                                              struct wari_error *error);

/* Stores the plan of a build whose catalogue has been read in *plan: build->plan if it was made for
 * the levels in the catalogue, otherwise a new plan. Fails like wari_level_file_open(). */
WARI_MUST_CHECK enum wari_status wari_plan_for(const struct wari_build *build,
                                               const struct wari_catalogue *catalogue,
                                               struct wari_build_plan *plan,
                                               struct wari_error *error);

/* Returns WARI_NO_MEMORY, with the number of bytes needed in the error text, if the build is
 * allowed less than plan->memory_least. */
WARI_MUST_CHECK enum wari_status wari_plan_check(const struct wari_build *build,
                                                 const struct wari_build_plan *plan,
                                                 struct wari_error *error);

/* Returns the number of threads that a build uses. */
int wari_build_threads(const struct wari_build *build);

/* Returns an upper bound on the size of a level file, in bytes. */
uint64_t wari_plan_file_bytes(int seeds);

/* Returns the size of the lower-level cache while level `seeds` is solved. A level before the last
 * needs less memory than the last level; the cache also gets this difference. */
uint64_t wari_plan_cache(const struct wari_build *build, const struct wari_build_plan *plan,
                         int seeds);

/* The storage backends: how the cells of a level are stored while the level is solved. */
enum wari_backend_kind { WARI_BACKEND_MEMORY, WARI_BACKEND_BITS, WARI_BACKEND_CLUSTER };

/* Chooses the storage backend for level `seeds`. No other function chooses a backend. If processes
 * share the level, it is the cluster backend. Otherwise it is the memory backend if one byte for
 * each cell fits into memory, if necessary with less memory for events. If one byte for each cell
 * does not fit, it is the bit backend. */
enum wari_backend_kind wari_plan_backend(const struct wari_build *build,
                                         const struct wari_build_plan *plan, int seeds);

/* Computes the shape in which the bit backend solves a level. Returns false if another backend
 * solves the level. */
bool wari_plan_shape(const struct wari_build *build, const struct wari_build_plan *plan, int seeds,
                     struct wari_bits_shape *shape);

#endif
