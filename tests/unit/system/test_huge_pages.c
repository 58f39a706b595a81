/* Tests the host that allocates memory in huge pages: a large allocation takes no time, because
 * none of its memory is resident before it is used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/mman.h>
#include <unistd.h>

#include "system/huge_pages.h"
#include "tests/unit/groups.h"

/* Fixed bug: an engine with tables of 24 seeds cleared 1 GB of memory at its start. malloc() gets a
 * block of 64 MiB directly from the system, so no part of it has been used before. */
static void large_memory_becomes_resident_when_it_is_used(void **state)
{
    const size_t huge = (size_t)2 << 20, bytes = 32 * huge;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const struct wari_host host = wari_huge_page_host();

    (void)state;
    unsigned char *memory = host.allocate(host.context, bytes);
    assert_non_null(memory);
    for (size_t at = bytes / 2; at < bytes; at += huge) {
        unsigned char there = 0;
        void *start = (void *)((uintptr_t)(memory + at) / page * page);
        assert_int_equal(mincore(start, 1, &there), 0);
        assert_false(there & 1);
    }
    memory[bytes / 2] = 1;
    unsigned char there = 0;
    void *used = (void *)((uintptr_t)(memory + bytes / 2) / page * page);
    assert_int_equal(mincore(used, 1, &there), 0);
    assert_true(there & 1);
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
        cmocka_unit_test(large_memory_becomes_resident_when_it_is_used),
        cmocka_unit_test(small_memory_is_as_the_system_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
