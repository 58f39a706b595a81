/* Threads that wait for the disk: unlike OpenMP's, which use the processor while they wait, and a
 * millisecond of it between two parallel regions. */
#ifndef SYSTEM_CREW_H
#define SYSTEM_CREW_H

#include <pthread.h>

#include "db/host/host.h"

/* Bytes of address space for each thread's stack, of which tasks use some tens of KB. */
enum { WARI_THREAD_POOL_STACK = 1 << 20 };

typedef void wari_thread_pool_task(int thread, void *context);

struct wari_thread_pool {
    const struct wari_host *host;
    int threads; /* with the one that calls wari_thread_pool_run(), which is number 0 */
    int started;
    pthread_mutex_t lock;
    pthread_cond_t go; /* there is a task, or the crew is dismissed */
    pthread_cond_t here;
    uint64_t tasks; /* begun */
    bool dismissed;
    wari_thread_pool_task *task;
    void *context;
    int arrived;
    uint64_t round;
    pthread_t thread[];
};

/* WARI_NO_MEMORY if a thread cannot be started. */
WARI_MUST_CHECK enum wari_status wari_thread_pool_create(struct wari_thread_pool **crew,
                                                         const struct wari_host *host, int threads,
                                                         struct wari_error *error);
void wari_thread_pool_destroy(struct wari_thread_pool *crew); /* NULL is allowed */

/* Calls task on all threads, and returns when all are done. */
void wari_thread_pool_run(struct wari_thread_pool *crew, wari_thread_pool_task *task,
                          void *context);

#endif
