/* Tests the allocator of the system's host: a large allocation takes no time, because none of its
 * memory is resident before it is used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/mman.h>
#include <unistd.h>

#include "db/host/wari_host.h"
#include "tests/unit/groups.h"

static bool is_resident(const unsigned char *address)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    unsigned char there = 0;
    assert_int_equal(mincore((void *)((uintptr_t)address / page * page), 1, &there), 0);
    return there & 1;
}

/* Fixed bug: an engine with tables of 24 seeds cleared 1 GB of memory at its start. malloc() gets a
 * block of 64 MiB directly from the system, so no part of it has been used before, except the first
 * page, which has the header of the block. */
static void large_memory_becomes_resident_when_it_is_used(void **state)
{
    const size_t step = (size_t)2 << 20, bytes = 32 * step;
    const struct wari_host *host = wari_host_system();

    (void)state;
    unsigned char *memory = host->allocate(host->context, bytes);
    assert_non_null(memory);
    for (size_t at = step; at < bytes; at += step)
        assert_false(is_resident(memory + at));
    memory[bytes / 2] = 1;
    assert_true(is_resident(memory + bytes / 2));
    host->release(host->context, memory);
}

TEST_GROUP(test_host_memory)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_memory_becomes_resident_when_it_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
