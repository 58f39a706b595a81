/* Advice to the operating system about memory. */
#ifndef SYSTEM_HUGE_PAGES_H
#define SYSTEM_HUGE_PAGES_H

#include <stdint.h>

/* Advises the system to back memory by huge pages, as far as whole pages of 2 MiB fit into it. Only
 * the speed depends on this advice. Memory then becomes resident 2 MiB at a time, but never beyond
 * `bytes`. */
void wari_ask_for_huge_pages(void *memory, uint64_t bytes);

/* Returns the whole pages of a memory range to the system until they are written again. Their
 * contents are lost. */
void wari_give_back(void *memory, uint64_t bytes);

/* Returns released memory of the heap to the system. Otherwise the allocator would keep blocks
 * below 32 MiB, in fragments that are too small for the next level. */
void wari_trim_heap(void);

/* Makes all threads of this process allocate from one heap. */
void wari_use_one_arena(void);

/* Makes allocations of `bytes` bytes and more get pages of their own, which return to the system
 * when they are freed. By default, after a block of a megabyte has been freed, glibc raises the
 * least size of such allocations and allocates the next block in the arena of the thread. Each
 * arena keeps 1.5 MB of freed memory, and there are 16 arenas on a machine with two processors. */
void wari_map_large_blocks(int bytes);

#endif
