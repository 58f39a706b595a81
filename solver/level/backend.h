/* Where the cells of a level are, and how passes go over them there: a **road**.
 *
 * It is chosen once, when the level is opened: all cells in memory, a byte each (memory/); two or
 * three bits a cell, the rest in a scratch file (bits/); rows dealt to several processes
 * (cluster/). What is computed for a piece of a block (level/) is the same on all of them, and so
 * is the algorithm (solve.c), which knows a road by this table alone. Another way of keeping cells
 * is another folder with another table, and a line where the level is opened.
 *
 * Passes do as little as they can once the level is stopped (wari_level_stopped()). Where several
 * processes hold the level all functions but `values` and `close` are collective, and what they
 * return is the same for all.
 */
#ifndef SOLVER_LEVEL_ROAD_H
#define SOLVER_LEVEL_ROAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wari_level;
struct wari_worker;

enum wari_sweep_kind { WARI_GROW, WARI_SHRINK };

/* How to go over the level once. */
struct wari_sweep {
    bool cells_only;  /* only cells of which a child changed, one by one, by its events */
    bool keep_events; /* all cells, and leave events: only such cells may come next */
};

/* What sweeping did. */
struct wari_sweep_result {
    uint64_t changed; /* cells */
    uint64_t cells;   /* computed */
    double busy;      /* seconds of processor time spent on items, by all threads */
    bool lost;        /* events were, so that all cells have to be computed next */
    bool left;        /* there may be more to change, and no reason to stop */
};

/* Some rows of a block, in memory for the moment; `pitch` bytes from row to row. Jobs of
 * `each_rows` get a worker; others may have none (NULL). */
struct wari_row_range {
    int block;
    uint32_t first, count, pitch;
    int8_t *cells;
};
typedef void wari_rows_job(struct wari_level *level, struct wari_worker *worker, void *context,
                           const struct wari_row_range *rows);
enum wari_access {
    WARI_READS,
    WARI_CHANGES,
    WARI_MAKES /* all cells of the rows are written, whatever was there */
};

/* What opens a level (memory/memory_backend.c has the shortest) fills in, for a road of its own:
 *
 *     wari_level_begin()        what follows from the number of seeds, before anything else
 *     resident.partition                rows that this process has: wari_partition_whole(), or some
 *     resident.pitch, resident.offset   bytes from row to row, and where blocks are:
 * wari_level_lay_out() resident.cells, resident.copy     memory for those rows and for one block,
 * where items are swept (level/sweep.h): wari_memory_allocate() takes it, and that of events
 *     events.leave_share        when sweeps begin to leave events, and
 *     events.only_share         to follow nothing else; 0: never
 *     full_halves               a file, where the levels below do not fit into their cache; or
 *                               nothing: then captures are looked up again for the count
 *     place                     what else the road has
 *     road                      its table, in the end
 *
 * The caller has set the fields that wari_level_begin() names. If opening fails nothing stays. */
struct wari_backend {
    /* Frees what the level has, and adds to its measure what only the road knows. */
    void (*close)(struct wari_level *level);

    /* Gives each cell its first code, from the levels below. */
    void (*captures)(struct wari_level *level);

    /* Goes on to the next threshold: the first time from first codes, or from those of a checkpoint
     * of threshold progress.threshold. False: there is none left (or the level is stopped), and all
     * codes are where `each_rows` and `values` find them. */
    bool (*next_threshold)(struct wari_level *level);

    /* Begins to grow, or shrink, to the fixed point. What can be followed by events alone is done
     * then: *swept says whether that counts as a sweep. */
    struct wari_sweep_result (*begin)(struct wari_level *level, enum wari_sweep_kind kind,
                                      bool *swept);
    struct wari_sweep_result (*sweep)(struct wari_level *level, const struct wari_sweep *sweep);

    /* Cycle rule `own`. Hopes, upper bounds of what endless play is worth, take the place of the
     * values; false: there is nothing to hope for. Behind the sweeps that shrink them values are
     * raised to what is left; true if any was. */
    bool (*begin_upper_bounds)(struct wari_level *level);
    bool (*commit_upper_bounds)(struct wari_level *level);

    /* Calls `job` with all rows that are held, some at a time, by all threads. */
    void (*each_rows)(struct wari_level *level, enum wari_access access, wari_rows_job *job,
                      void *context);

    /* Adds all placements by value: histogram[v + WARI_SEEDS_MAX]. */
    void (*count)(struct wari_level *level, uint64_t *histogram);

    /* Copies values in index order, from position `first` on, all of them in rows that are
     * resident. For any number of threads at once, when the level is solved. Where they cannot be
     * read, the level is stopped. */
    void (*values)(const struct wari_level *level, uint64_t first, size_t count, int8_t *values);

    /* Checkpoints, where any are written: whether the road can go on from one of this threshold (0:
     * there was none); and, before one is written, brings all codes up to date and sets
     * progress.threshold (NULL: they always are, and there are no bounds). */
    bool (*resumes)(const struct wari_level *level, int threshold);
    void (*fold)(struct wari_level *level);

    /* See wari_level_sum(). NULL: one process holds the level. */
    uint64_t (*sum)(const struct wari_level *level, uint64_t number);
};

#endif
