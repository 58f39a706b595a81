/* How quickly a database answers: measurements for `wari bench-probe`. */
#ifndef TOOLS_BENCH_PROBE_PROBE_SPEED_H
#define TOOLS_BENCH_PROBE_PROBE_SPEED_H

#include "db/wari.h"

/* What is to be measured. */
struct speed_request {
    const char *folder;
    struct wari_variant variant;
    int seeds;          /* the level; it is there */
    size_t cache_bytes; /* of every handle */
    int threads;        /* for the measurements with several */
    double seconds;     /* for each measurement */
};

/* How positions follow each other. */
enum speed_order {
    SPEED_RANDOM, /* wari_probe() of random positions */
    SPEED_SORTED, /* wari_probe() of positions in index order */
    SPEED_BULK,   /* wari_values() */
    SPEED_ORDERS
};

/* Values a second. */
struct speed_rate {
    double each; /* of a thread, on average */
    double all;  /* of all threads together */
};

/* Microseconds of single calls. */
struct speed_times {
    uint64_t calls;
    double median, percentile99;
    double blocks;        /* read from files by a call, on average */
    uint64_t most_blocks; /* and at most */
};

/* An array of random positions of the level, where no block is cached and the cache has room for
 * one: values a second. */
struct speed_array {
    uint64_t positions;
    double one_by_one; /* wari_probe() */
    double at_once;    /* wari_probe_many() */
};

struct speed_report {
    uint64_t positions;     /* of the level */
    uint64_t blocks;        /* of the level */
    uint64_t cached_blocks; /* of these, what the measurements from the cache kept to */
    uint64_t blocks_read;   /* during them: 0, or they were not from the cache */
    struct speed_rate rate[SPEED_ORDERS][2]; /* with one thread and with request->threads */
    struct speed_times block_cold;           /* wari_probe(), nothing cached yet */
    struct speed_times moves_cold;           /* wari_analyse(), nothing cached yet */
    struct speed_times moves_cached;         /* wari_analyse() once more */
    struct speed_array array;
};

/* Takes some eleven times request->seconds. WARI_NOT_COVERED if the level is not there;
 * WARI_NO_MEMORY if a thread cannot be started, too; else like wari_open() and wari_probe(). */
WARI_MUST_CHECK enum wari_status speed_measure(const struct speed_request *request,
                                               struct speed_report *report,
                                               struct wari_error *error);

#endif
