/* What ranks that share a level send each other, for the cost model (solver/plan/cost.h). */
#ifndef TOOLS_MPI_SENT_H
#define TOOLS_MPI_SENT_H

#include "solver/plan/cost.h"

/* Bytes a position that a pass sends from rank to rank, `ranks` of them sharing the level. */
double wari_sent_bytes(enum wari_pass pass, int seeds, enum wari_cycle cycle, int ranks);

#endif
