/* The loops for any processor. */
#include "verify/strip/verify_look_loop.h"
