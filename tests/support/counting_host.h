/* A host that counts the bytes of memory allocated through it. Any number of threads may use it. */
#ifndef TESTS_SUPPORT_COUNTING_HOST_H
#define TESTS_SUPPORT_COUNTING_HOST_H

#include <stdatomic.h>

#include "db/host/host.h"

struct counting_host {
    struct wari_host host;
    atomic_size_t bytes; /* allocated and not released */
    atomic_size_t peak;  /* greatest value of `bytes` */
};

void counting_host_init(struct counting_host *counting);

#endif
