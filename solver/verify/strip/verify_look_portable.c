/* The loops for any processor. */
#include "solver/verify/strip/verify_look_loop.h"
