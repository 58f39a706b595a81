/* A host that counts memory: the size of each block of memory is stored in front of the block. All
 * other functions are the functions of the system. */
#include "tests/support/counting_host.h"

#include <stdint.h>
#include <string.h>

enum { FRONT = 64 }; /* keeps the alignment of the block */

static void *count_allocate(void *context, size_t bytes)
{
    struct counting_host *counting = context;
    uint8_t *memory =
        bytes > SIZE_MAX - FRONT ? NULL : wari_host_system()->allocate(NULL, bytes + FRONT);
    if (memory == NULL)
        return NULL;
    memcpy(memory, &bytes, sizeof bytes);
    size_t now = atomic_fetch_add(&counting->bytes, bytes) + bytes;
    size_t peak = atomic_load(&counting->peak);
    while (now > peak && !atomic_compare_exchange_weak(&counting->peak, &peak, now))
        ;
    return memory + FRONT;
}

static void count_release(void *context, void *memory)
{
    struct counting_host *counting = context;
    size_t bytes;
    if (memory == NULL)
        return;
    uint8_t *front = (uint8_t *)memory - FRONT;
    memcpy(&bytes, front, sizeof bytes);
    atomic_fetch_sub(&counting->bytes, bytes);
    wari_host_system()->release(NULL, front);
}

void counting_host_init(struct counting_host *counting)
{
    memset(counting, 0, sizeof *counting);
    counting->host = *wari_host_system();
    counting->host.context = counting;
    counting->host.allocate = count_allocate;
    counting->host.release = count_release;
}
