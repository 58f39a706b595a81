/* Runs a test for each kernel that this machine can run, and makes what such tests need. Functions
 * fail the running test if anything goes wrong. */
#ifndef TESTS_SUPPORT_EACH_KERNEL_H
#define TESTS_SUPPORT_EACH_KERNEL_H

#include "solver/kernel/choice.h"
#include "solver/kernel/kernel.h"
#include "tests/reference/random_positions.h"

typedef void kernel_test(const struct wari_kernel_ops *kernel, struct random_positions *random);

/* The same random numbers for every kernel. */
void for_each_kernel(kernel_test *test);

/* -most .. most */
int8_t random_cell(struct random_positions *random, int most);

/* `count` of them, to be freed; no byte more, so that the address sanitizer sees who goes beyond.
 */
int8_t *random_cells(struct random_positions *random, size_t count, int most);

#endif
