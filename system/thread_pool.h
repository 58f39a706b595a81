/* A thread pool for tasks that wait for the disk, and for many short tasks. OpenMP's threads are
 * unsuitable for both: they use the processor while they wait for each other, and for a millisecond
 * after the end of each parallel region. That time is lost for other programs, and for threads of
 * the same region that wait for a processor. */
#ifndef SYSTEM_THREAD_POOL_H
#define SYSTEM_THREAD_POOL_H

#include <pthread.h>

#include "db/host/host.h"

/* Size of each thread's stack, in bytes of address space; tasks use some tens of KB of it. */
enum { WARI_THREAD_POOL_STACK = 1 << 20 };

typedef void wari_thread_pool_task(int thread, void *context);

struct wari_thread_pool {
    const struct wari_host *host;
    int threads; /* including the one that calls wari_thread_pool_run(), which is number 0 */
    int started;
    pthread_mutex_t lock;
    pthread_cond_t go; /* signals a new task, or the end of the pool */
    pthread_cond_t all_arrived;
    uint64_t tasks; /* number of tasks begun */
    bool ended;
    wari_thread_pool_task *task;
    void *context;
    int arrived;
    uint64_t round;
    pthread_t thread[];
};

/* Creates a pool; returns WARI_NO_MEMORY if a thread cannot be started. */
WARI_MUST_CHECK enum wari_status wari_thread_pool_create(struct wari_thread_pool **pool,
                                                         const struct wari_host *host, int threads,
                                                         struct wari_error *error);
void wari_thread_pool_destroy(struct wari_thread_pool *pool); /* NULL is allowed */

/* Calls `task` on all threads, and returns when all of them have returned from it. */
void wari_thread_pool_run(struct wari_thread_pool *pool, wari_thread_pool_task *task,
                          void *context);

#endif
