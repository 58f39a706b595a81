/* The counters are global because the allocation functions of Jansson take no context. They are
 * atomic because the threads of a server allocate memory, too. */
#include "tests/support/failing_json.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "answer/json.h"

static atomic_long calls, blocks, fail_at;
static atomic_bool fail_later;
static json_malloc_t old_allocate;
static json_free_t old_release;

static void *allocate(size_t bytes)
{
    const long call = atomic_fetch_add(&calls, 1) + 1, at = atomic_load(&fail_at);
    if (at > 0 && (call == at || (call > at && atomic_load(&fail_later))))
        return NULL;
    atomic_fetch_add(&blocks, 1);
    return malloc(bytes);
}

void failing_json_free(void *memory)
{
    atomic_fetch_sub(&blocks, memory != NULL);
    free(memory);
}

void failing_json_begin(void)
{
    json_get_alloc_funcs(&old_allocate, &old_release);
    json_set_alloc_funcs(allocate, failing_json_free);
    failing_json_at(0, false);
    atomic_store(&blocks, 0);
}

void failing_json_end(void)
{
    json_set_alloc_funcs(old_allocate, old_release);
}

void failing_json_at(long number, bool later_too)
{
    atomic_store(&fail_at, number);
    atomic_store(&fail_later, later_too);
    atomic_store(&calls, 0);
}

bool failing_json_fired(void)
{
    const long at = atomic_load(&fail_at);
    return at > 0 && atomic_load(&calls) >= at;
}

long failing_json_blocks(void)
{
    return atomic_load(&blocks);
}
