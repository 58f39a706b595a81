/* `wari-mpi build`. */
#ifndef TOOLS_MPI_JOB_H
#define TOOLS_MPI_JOB_H

#include "solver/cluster/net.h"

/* argv[0] is "build". Returns the exit code. */
int job_run(int argc, char **argv, struct wari_net *net);

#endif
