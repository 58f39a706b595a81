/* Which kernel (kernel.h) does the inner loops: one that is named, or the fastest that this machine
 * can run. */
#ifndef SOLVER_KERNEL_CHOICE_H
#define SOLVER_KERNEL_CHOICE_H

#include <stdbool.h>

#include "game/wari_game.h"

struct wari_kernel_ops;

/* The instructions that the solver's inner loops use; what encodes tables (db/) takes the best that
 * the processor has, whichever of these is asked for. All give the same bytes. */
enum wari_kernel {
    WARI_KERNEL_AUTO, /* the fastest this machine has */
    WARI_KERNEL_PORTABLE,
    WARI_KERNEL_AVX2,
    WARI_KERNEL_AVX512BW,
    WARI_KERNEL_AVX512,
    WARI_KERNEL_NEON,
};

/* One of those that wari_kernel_listed() lists, or "auto". WARI_BAD_INPUT for other names,
 * WARI_MISMATCH if this machine lacks the instructions. */
WARI_MUST_CHECK enum wari_status wari_kernel_parse(const char *name, enum wari_kernel *kernel,
                                                   struct wari_error *error);

/* The name of a kernel; of WARI_KERNEL_AUTO that of the one it chooses here. */
const char *wari_kernel_name(enum wari_kernel kernel);

/* All kernels by number, from 0 on: the name, or NULL behind the last one. *here: this machine can
 * run it. */
const char *wari_kernel_listed(int number, bool *here);

/* Never NULL for a kernel that wari_kernel_parse() accepted, and for WARI_KERNEL_AUTO. */
const struct wari_kernel_ops *wari_kernel_ops(enum wari_kernel kernel);

#endif
