/* What the system is told about memory. */
#ifndef SYSTEM_HUGE_PAGES_H
#define SYSTEM_HUGE_PAGES_H

#include <stdint.h>

#include "db/host/wari_host.h"

/* Asks the system to back memory by huge pages, as far as whole ones of 2 MiB fit into it. Only
 * advice: nothing but speed depends on it. What is first touched there then becomes resident 2 MiB
 * at a time, never beyond `bytes`. */
void wari_ask_for_huge_pages(void *memory, uint64_t bytes);

/* The system's own host, whose memory is asked for in huge pages, and is there at once. */
struct wari_host wari_huge_page_host(void);

/* Gives back memory that is not needed until something is written there again: whole pages are no
 * longer resident, and what was there is lost. */
void wari_give_back(void *memory, uint64_t bytes);

/* Gives back what was released: the allocator would keep blocks below 32 MiB for itself, in pieces
 * too small for the next level's. */
void wari_trim_heap(void);

#endif
