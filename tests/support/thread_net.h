/* Ranks that are threads of one process, instead of MPI processes: the functions of
 * solver/cluster/net.h, except for wari_net_begin() and wari_net_end(). */
#ifndef TESTS_SUPPORT_THREAD_NET_H
#define TESTS_SUPPORT_THREAD_NET_H

#include "solver/cluster/net.h"

/* Runs work(net, context) in `ranks` threads, each of which is a rank; returns when all threads
 * have finished. */
void thread_ranks_run(int ranks, void (*work)(struct wari_net *net, void *context), void *context);

#endif
