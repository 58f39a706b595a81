/* Neighbours for any processor. */
#include "db/rows/neighbours_aim_loop.h"
