/* A host table whose calls fail on demand. It counts the blocks of memory that were not released
 * and the files that were not closed.
 *
 *     struct fault_host fault;
 *     for (long k = 1; ; k++) {
 *         fault_host_init(&fault, FAULT_ANY, k);
 *         ... work with &fault.host ...
 *         if (!fault_host_fired(&fault))
 *             break;                      // there is no k-th call any more
 *     }
 *
 * Calls that do not fail go to the real system. Any number of threads may use the same host. */
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
    FAULT_CLOSE = 32, /* the file is closed even if close() fails, as on Linux */
    FAULT_RENAME = 64,
    FAULT_FOLDER = 128, /* mkdir and lock */
    FAULT_UNLINK = 256,
    FAULT_ANY = 511,
};

struct fault_host {
    struct wari_host host;

    /* Set these fields after fault_host_init(). */
    bool for_good;  /* all calls from the k-th one on fail, as on a full or broken disk */
    int error;      /* errno of failing calls; EIO by default */
    size_t longest; /* limit of bytes for each pread and pwrite; 0 means none */
    bool interrupt; /* every second call that a signal may interrupt fails with EINTR */

    /* Used by the functions of the host. */
    int kinds;
    long fail_at;
    atomic_long calls;
    atomic_long interruptions;
    atomic_long blocks; /* blocks allocated and not released */
    atomic_long files;  /* open files */
};

/* Initializes a host whose k-th call of the given kinds fails; calls are counted from 1. If k is 0,
 * no call fails. */
void fault_host_init(struct fault_host *fault, int kinds, long k);

/* Returns true if a call failed. */
bool fault_host_fired(const struct fault_host *fault);

/* Returns true if all memory was released and all files were closed. */
bool fault_host_clean(const struct fault_host *fault);

#endif
