/* Ranks that are threads of one process, in place of MPI's: the functions of solver/cluster/net.h,
 * but for wari_net_begin() and wari_net_end(). */
#ifndef TESTS_SUPPORT_THREAD_NET_H
#define TESTS_SUPPORT_THREAD_NET_H

#include "solver/cluster/net.h"

/* Runs work(net, context) in `ranks` threads, each of them a rank, and returns when all have. */
void thread_ranks_run(int ranks, void (*work)(struct wari_net *net, void *context), void *context);

#endif
