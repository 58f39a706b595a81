/* Runs a test for each kernel that this machine supports, and makes random cells for such tests.
 * The functions fail the running test if an error occurs. */
#ifndef TESTS_SUPPORT_EACH_KERNEL_H
#define TESTS_SUPPORT_EACH_KERNEL_H

#include "solver/kernel/choice.h"
#include "solver/kernel/kernel.h"
#include "tests/reference/random_positions.h"

typedef void kernel_test(const struct wari_kernel_ops *kernel, struct random_positions *random);

/* Calls the test with the same random numbers for every kernel. */
void for_each_kernel(kernel_test *test);

/* Returns a random cell from -most to most. */
int8_t random_cell(struct random_positions *random, int most);

/* Returns `count` random cells; the caller frees them. The allocation has no spare bytes, so the
 * address sanitizer detects an access beyond the end. */
int8_t *random_cells(struct random_positions *random, size_t count, int most);

#endif
