/* A host table that counts the bytes of memory that are held through it. Any number of threads may
 * use one. */
#ifndef TESTS_SUPPORT_COUNTING_HOST_H
#define TESTS_SUPPORT_COUNTING_HOST_H

#include <stdatomic.h>

#include "db/host/host.h"

struct counting_host {
    struct wari_host host;
    atomic_size_t bytes; /* asked for and not released */
    atomic_size_t peak;  /* the most there ever were */
};

void counting_host_init(struct counting_host *counting);

#endif
