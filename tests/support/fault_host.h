/* A host table that fails on demand, and counts what was taken and not given back.
 *
 *     struct fault_host fault;
 *     for (long k = 1; ; k++) {
 *         fault_host_init(&fault, FAULT_ANY, k);
 *         ... work with &fault.host ...
 *         if (!fault_host_fired(&fault))
 *             break;                      // there is no k-th call any more
 *     }
 *
 * Calls that do not fail go to the real system. Any number of threads may use one. */
#ifndef TESTS_SUPPORT_FAULT_HOST_H
#define TESTS_SUPPORT_FAULT_HOST_H

#include <stdatomic.h>

#include "db/host/host.h"

enum {
    FAULT_ALLOCATE = 1,
    FAULT_OPEN = 2,
    FAULT_READ = 4, /* pread and size */
    FAULT_WRITE = 8,
    FAULT_SYNC = 16,
    FAULT_CLOSE = 32, /* the file is closed all the same, as on Linux */
    FAULT_RENAME = 64,
    FAULT_FOLDER = 128, /* mkdir and lock */
    FAULT_UNLINK = 256,
    FAULT_ANY = 511,
};

struct fault_host {
    struct wari_host host;

    /* To be set after fault_host_init(). */
    bool for_good;  /* every call from the k-th one fails, as on a full disk or a dead one */
    int error;      /* errno of failing calls; EIO at first */
    size_t longest; /* pread and pwrite move no more bytes at once; 0: no limit */
    bool interrupt; /* every second call that may be interrupted is, by EINTR */

    /* For the functions. */
    int kinds;
    long fail_at;
    atomic_long calls;
    atomic_long interruptions;
    atomic_long blocks; /* allocated and not released */
    atomic_long files;  /* open */
};

/* The k-th call (from 1) of one of the kinds fails; k 0: none does. */
void fault_host_init(struct fault_host *fault, int kinds, long k);

/* Whether a call failed. */
bool fault_host_fired(const struct fault_host *fault);

/* Whether all memory was released and all files were closed. */
bool fault_host_clean(const struct fault_host *fault);

#endif
