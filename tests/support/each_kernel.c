/* Selects all kernels that this machine supports, by the names that users pass, and also the
 * variant of avx2 for processors that emulate PEXT. */
#include "tests/support/each_kernel.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

void for_each_kernel(kernel_test *test)
{
    const char *name;
    int run = 0;
    bool here;

    for (int i = 0; (name = wari_kernel_listed(i, &here)) != NULL; i++) {
        enum wari_kernel kernel;
        struct random_positions random;
        if (!here) {
            printf("kernel %s is skipped: this machine lacks its instructions\n", name);
            continue;
        }
        assert_int_equal(wari_kernel_parse(name, &kernel, NULL), WARI_OK);
        assert_string_equal(wari_kernel_ops(kernel)->name, name);
        random_positions_seed(&random, 48);
        test(wari_kernel_ops(kernel), &random);
        run++;
    }
    assert_true(run >= 1);
#if defined(__x86_64__)
    enum wari_kernel avx2;
    if (wari_kernel_parse("avx2", &avx2, NULL) == WARI_OK) {
        struct random_positions random;
        random_positions_seed(&random, 48);
        test(&wari_kernel_avx2_runs, &random);
    }
#endif
}

int8_t random_cell(struct random_positions *random, int most)
{
    return (int8_t)((int)random_below(random, 2 * (uint32_t)most + 1) - most);
}

int8_t *random_cells(struct random_positions *random, size_t count, int most)
{
    int8_t *cells = malloc(count);
    assert_non_null(cells);
    for (size_t i = 0; i < count; i++)
        cells[i] = random_cell(random, most);
    return cells;
}
