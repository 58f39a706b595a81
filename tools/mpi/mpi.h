/* The command `wari-mpi`: `wari build` by several processes (ranks), and the plan for it. */
#ifndef TOOLS_MPI_MPI_H
#define TOOLS_MPI_MPI_H

#include "solver/cluster/net.h"
#include "solver/plan/cost.h"

/* Runs `wari-mpi build` on this rank. argv[0] is "build". Returns the exit code. */
int mpi_build_run(int argc, char **argv, struct wari_net *net);

/* Runs `wari-mpi plan` in one process. argv[0] is "plan". Returns the exit code. */
int mpi_plan_run(int argc, char **argv);

/* Computes how many bytes per position a pass sends from rank to rank when `ranks` ranks solve a
 * level together. For the cost model in solver/plan/cost.h. */
double wari_bytes_sent(enum wari_pass pass, int seeds, enum wari_cycle cycle, int ranks);

#endif
