/* Implements huge_pages.h. With pages of 4 KiB, half of the reads of a level or of its lower levels
 * also wait for the page tables. */
#include "system/huge_pages.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

void wari_ask_for_huge_pages(void *memory, uint64_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t huge = UINT64_C(2) << 20;
    const uintptr_t from = ((uintptr_t)memory + huge - 1) / huge * huge;
    const uintptr_t to = ((uintptr_t)memory + (uintptr_t)bytes) / huge * huge;

    if (from < to)
        (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)bytes;
#endif
}

void wari_give_back(void *memory, uint64_t bytes)
{
#ifdef MADV_DONTNEED
    const long size = sysconf(_SC_PAGESIZE);
    const uintptr_t page = size > 0 ? (uintptr_t)size : 1;
    const uintptr_t from = ((uintptr_t)memory + page - 1) / page * page;
    const uintptr_t to = ((uintptr_t)memory + (uintptr_t)bytes) / page * page;

    if (size > 0 && from < to)
        (void)madvise((void *)from, to - from, MADV_DONTNEED);
#else
    (void)memory;
    (void)bytes;
#endif
}

void wari_trim_heap(void)
{
#ifdef __GLIBC__
    (void)malloc_trim(0); /* the result only says whether memory was returned */
#endif
}

/* If one of the following two settings fails, the process only uses a little more memory. */

void wari_use_one_arena(void)
{
#ifdef __GLIBC__
    (void)mallopt(M_ARENA_MAX, 1);
#endif
}

void wari_map_large_blocks(int bytes)
{
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, bytes); /* from now on, glibc does not adapt the threshold */
#else
    (void)bytes;
#endif
}
