/* Tests the host that allocates memory in huge pages: all memory is resident when the allocation
 * returns, before any measured time begins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/mman.h>
#include <unistd.h>

#include "system/huge_pages.h"
#include "tests/unit/groups.h"

/* Huge pages have 2 MiB. So if every huge page was touched, at least one page of 4 KiB in each 2
 * MiB is resident. */
static void memory_is_there_at_once(void **state)
{
    const size_t huge = (size_t)2 << 20, bytes = 9 * huge + 1;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const struct wari_host host = wari_huge_page_host();

    (void)state;
    unsigned char *memory = host.allocate(host.context, bytes);
    assert_non_null(memory);
    for (size_t at = 0; at < bytes; at += huge) {
        unsigned char there = 0;
        void *start = (void *)((uintptr_t)(memory + at) / page * page);
        assert_int_equal(mincore(start, 1, &there), 0);
        assert_true(there & 1);
    }
    memory[0] = memory[bytes - 1] = 1;
    host.release(host.context, memory);
}

static void small_memory_is_as_the_system_has_it(void **state)
{
    const struct wari_host host = wari_huge_page_host();

    (void)state;
    unsigned char *memory = host.allocate(host.context, 1);
    assert_non_null(memory);
    memory[0] = 1;
    host.release(host.context, memory);
}

TEST_GROUP(test_huge_pages)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_there_at_once),
        cmocka_unit_test(small_memory_is_as_the_system_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
