/* A time limit for the start of a job. MPI waits, with no limit of its own, until all processes
 * that mpirun has started have joined it. A program that never joins, such as one that is not an
 * MPI program, would keep all others waiting for ever. */
#ifndef TOOLS_MPI_JOINING_H
#define TOOLS_MPI_JOINING_H

#include <pthread.h>
#include <stdbool.h>

struct joining {
    pthread_t thread;
    bool started; /* the thread runs */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool joined; /* protected by `lock` */
    double began;
};

/* Starts a thread that prints a note when the process still waits after some seconds, and ends the
 * process with exit code 4 after some minutes. If no thread can be started, there is no limit. */
void joining_begin(struct joining *joining);

/* To be called when all processes have joined: stops the thread. */
void joining_end(struct joining *joining);

#endif
