/* Kernels by name, as a user chooses them, but for those that the machine lacks; and what avx2 is
 * where PEXT is emulated. */
#include "tests/support/each_kernel.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

void for_each_kernel(kernel_test *test)
{
    static const char *const names[] = {"portable", "avx2", "avx512bw", "avx512", "neon"};
    int run = 0;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        enum wari_kernel kernel;
        struct random_positions random;
        enum wari_status status = wari_kernel_parse(names[i], &kernel, NULL);
        if (status == WARI_MISMATCH) {
            printf("kernel %s is skipped: this machine lacks its instructions\n", names[i]);
            continue;
        }
        assert_int_equal(status, WARI_OK);
        assert_string_equal(wari_kernel_ops(kernel)->name, names[i]);
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
