/* The choice of a kernel (kernel.h): by name, or the fastest one that this machine can run. */
#ifndef SOLVER_KERNEL_CHOICE_H
#define SOLVER_KERNEL_CHOICE_H

#include <stdbool.h>

#include "game/wari_game.h"

struct wari_kernel_ops;

/* The instruction set of the solver's inner loops. Encoding (db/) always uses the best one that the
 * processor has. All instruction sets give the same bytes. */
enum wari_kernel {
    WARI_KERNEL_AUTO, /* the fastest one that this machine can run */
    WARI_KERNEL_PORTABLE,
    WARI_KERNEL_AVX2,
    WARI_KERNEL_AVX512BW,
    WARI_KERNEL_AVX512,
    WARI_KERNEL_NEON,
};

/* Parses a name listed by wari_kernel_listed(), or "auto". Returns WARI_BAD_INPUT for other names,
 * and WARI_MISMATCH if this machine lacks the instructions. */
WARI_MUST_CHECK enum wari_status wari_kernel_parse(const char *name, enum wari_kernel *kernel,
                                                   struct wari_error *error);

/* Returns the name of a kernel. For WARI_KERNEL_AUTO, returns the name of the kernel that is
 * selected on this machine. */
const char *wari_kernel_name(enum wari_kernel kernel);

/* Returns the name of kernel `number`, counted from 0, or NULL if there are not that many kernels.
 * Sets *here to true if this machine can run the kernel, otherwise to false. */
const char *wari_kernel_listed(int number, bool *here);

/* Returns the table of a kernel, never NULL. The kernel must be WARI_KERNEL_AUTO or one that
 * wari_kernel_parse() accepted. */
const struct wari_kernel_ops *wari_kernel_ops(enum wari_kernel kernel);

#endif
