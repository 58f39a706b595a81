/* The storage backend of a level: how its cells are stored, and how passes go over them.
 *
 * The backend is chosen once, when the level is opened (wari_plan_backend() in plan/plan.h): all
 * cells in memory, one byte each (memory/); two or three bits a cell in memory and the rest in a
 * scratch file (bits/); rows distributed over several processes (cluster/). All backends share the
 * code that computes the items of a block (level/) and the algorithm (solve.c), which uses a
 * backend only through this table. solver/README.md says how to add one.
 *
 * Once the level is stopped (wari_level_stopped()) passes do as little as they can. If several
 * processes solve the level, all functions but `values` and `close` are collective, and they return
 * the same result in all processes.
 */
#ifndef SOLVER_LEVEL_BACKEND_H
#define SOLVER_LEVEL_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wari_level;
struct wari_worker;

/* Values grow away from 0; upper bounds shrink towards them. */
enum wari_sweep_kind { WARI_GROW, WARI_SHRINK };

/* The kind of a single sweep; all false for a dense sweep without events. */
struct wari_sweep {
    bool cells_only;  /* event-driven: compute only cells of which a child changed */
    bool keep_events; /* dense, but push events, so that the next sweep can be event-driven */
};

/* The result of a sweep. */
struct wari_sweep_result {
    uint64_t changed; /* number of changes; a cell that changed twice counts twice */
    uint64_t cells;   /* number of cells computed */
    double busy;      /* seconds of work of all threads together. Threads that wait keep their
                       * processors busy, so this is the processor time minus the time for which
                       * they waited, but at least 0. It is too low if another process had the
                       * processor of a thread that waited */
    bool lost;        /* events were lost, so the next sweep has to be dense */
    bool left;        /* another sweep is needed: more cells may change, and no stop was
                       * requested */
};

/* Consecutive rows of a block, which are in memory while a job is called for them. `pitch` is the
 * number of bytes from one row to the next. */
struct wari_row_range {
    int block;
    uint32_t first, count, pitch;
    int8_t *cells;
};

/* A job for `each_rows`, which passes the worker of the calling thread. Other callers may pass NULL
 * as the worker. */
typedef void wari_rows_job(struct wari_level *level, struct wari_worker *worker, void *context,
                           const struct wari_row_range *rows);
enum wari_access {
    WARI_READS,
    WARI_CHANGES,
    WARI_MAKES /* writes all cells of the rows; their former content is undefined */
};

/* To open a level, a backend calls wari_level_begin(), whose comment lists the fields that have to
 * be set before, and then sets these fields (memory/memory_backend.c is the shortest example):
 *
 *     resident.partition        the rows that this process stores; wari_partition_whole(): all rows
 *     resident.pitch, .offset   bytes from one row to the next, and the offsets of the blocks;
 *                               wari_level_lay_out() computes both
 *     resident.cells, .copy     memory for those rows and for one block, if items are swept
 *                               (level/sweep.h): wari_memory_allocate() allocates it and the events
 *     events.leave_share        a dense sweep pushes events if the sweep before it changed a
 *                               smaller share of the cells than this
 *     events.only_share         sweeps become event-driven after a sweep that pushed events and
 *                               changed a smaller share of the cells than this; 0 means never
 *     full_halves               a file, if the lower levels do not fit into their cache. Without
 *                               the file, counting the positions with a full opponent half looks
 *                               their captures up again in the lower levels
 *     backend_data              the backend's own data
 *     backend                   the backend's table of functions; set it last
 *
 * If opening fails, nothing stays allocated. */
struct wari_backend {
    /* Frees all memory of the level, and completes its statistics. */
    void (*close)(struct wari_level *level);

    /* Gives each cell its first code, from the levels below. */
    void (*captures)(struct wari_level *level);

    /* Goes on to the next threshold. The first call begins with the first codes, or with the codes
     * of a checkpoint whose threshold is progress.threshold. Returns false if no threshold is left
     * or the level is stopped. After that, `each_rows` and `values` find the final codes of all
     * cells. */
    bool (*next_threshold)(struct wari_level *level);

    /* Begins to grow values, or to shrink upper bounds, to the fixed point. If few cells have
     * changed, the backend may compute all consequences of these changes at once; then it sets
     * *swept to true, and the work counts as a sweep. */
    struct wari_sweep_result (*begin)(struct wari_level *level, enum wari_sweep_kind kind,
                                      bool *swept);
    struct wari_sweep_result (*sweep)(struct wari_level *level, const struct wari_sweep *sweep);

    /* Cycle rule `own`. Replaces the values by upper bounds of what endless play may be worth.
     * Returns false if no upper bound is above its value. When sweeps have shrunk the upper bounds
     * to their fixed point, commit_upper_bounds() replaces each value by its upper bound. It
     * returns true if any value was raised. */
    bool (*begin_upper_bounds)(struct wari_level *level);
    bool (*commit_upper_bounds)(struct wari_level *level);

    /* Calls `job` for ranges that together contain all resident rows, on all threads. */
    void (*each_rows)(struct wari_level *level, enum wari_access access, wari_rows_job *job,
                      void *context);

    /* Counts all placements by value: adds the number of placements with value v to
     * histogram[v + WARI_SEEDS_MAX]. */
    void (*count)(struct wari_level *level, uint64_t *histogram);

    /* Copies `count` values in index order, from position `first` on; all these positions have to
     * be in resident rows. The level has to be solved. Any number of threads may call it at once.
     * If values cannot be read, the level is stopped. */
    void (*values)(const struct wari_level *level, uint64_t first, size_t count, int8_t *values);

    /* Returns true if the backend can resume from a checkpoint with this threshold; 0 stands for a
     * checkpoint without a threshold. May be NULL if no checkpoints are written. */
    bool (*resumes)(const struct wari_level *level, int threshold);

    /* Brings all codes up to date before a checkpoint is written, and sets progress.threshold. NULL
     * if codes are always up to date and there are no thresholds. */
    void (*fold)(struct wari_level *level);

    /* See wari_level_sum(). NULL if one process stores the level. */
    uint64_t (*sum)(const struct wari_level *level, uint64_t number);
};

#endif
