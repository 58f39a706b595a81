/* `wari-mpi plan`. */
#ifndef TOOLS_MPI_SHARED_PLAN_H
#define TOOLS_MPI_SHARED_PLAN_H

/* argv[0] is "plan". Returns the exit code. */
int shared_plan_run(int argc, char **argv);

#endif
