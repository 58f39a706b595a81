/* Measures the speed of look-ups in a database, for `wari bench-probe`. */
#ifndef TOOLS_PROBE_SPEED_H
#define TOOLS_PROBE_SPEED_H

#include "db/wari.h"

struct speed_request {
    const char *folder;
    struct wari_variant variant;
    int seeds;          /* the level, which must exist */
    size_t cache_bytes; /* size of the cache of every handle */
    int threads;        /* number of threads in the measurements with several threads */
    double seconds;     /* duration of each measurement */
};

/* The order and the way in which positions are looked up. */
enum speed_order {
    SPEED_RANDOM, /* wari_probe() of random positions */
    SPEED_SORTED, /* wari_probe() of positions in index order */
    SPEED_BULK,   /* wari_values() */
    SPEED_ORDERS
};

/* Values per second. */
struct speed_rate {
    double each; /* average for one thread */
    double all;  /* sum over all threads */
};

/* Times of single calls, in microseconds. */
struct speed_times {
    uint64_t calls;
    double median, percentile99;
    double chunks;        /* chunks read from files by one call, on average */
    uint64_t most_chunks; /* maximum number of chunks read by one call */
};

/* Values per second for an array of random positions of the level. The cache of the handle has
 * space for a single chunk. */
struct speed_array {
    uint64_t positions;
    double one_by_one; /* wari_probe() */
    double at_once;    /* wari_probe_many() */
};

struct speed_report {
    uint64_t positions;     /* number of positions of the level */
    uint64_t chunks;        /* number of chunks of the level */
    uint64_t cached_chunks; /* chunks of the level that the measurements from the cache used */
    uint64_t chunks_read;   /* chunks read during these measurements; 0 if all were cached */
    struct speed_rate rate[SPEED_ORDERS][2]; /* [order][0]: with one thread; [order][1]: with
                                              * request->threads threads */
    struct speed_times chunk_cold;           /* wari_probe(), nothing cached yet */
    struct speed_times moves_cold;           /* wari_analyse(), nothing cached yet */
    struct speed_times moves_cached;         /* wari_analyse(), everything cached */
    struct speed_array array;
};

/* Runs all measurements, which takes about eleven times request->seconds. Fails with
 * WARI_NOT_COVERED if the level does not exist, with WARI_NO_MEMORY also if a thread cannot be
 * started, and otherwise like wari_open() and wari_probe(). */
WARI_MUST_CHECK enum wari_status speed_measure(const struct speed_request *request,
                                               struct speed_report *report,
                                               struct wari_error *error);

#endif
