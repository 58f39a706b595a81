/* Neighbours for any processor. */
#include "db/format/neighbours_aim_loop.h"
