/* Kernel for any processor. */
#include "verify/verify_kernel_loops.h"
