/* The loops for any processor. */
#include "verify/verify_look_loop.h"
