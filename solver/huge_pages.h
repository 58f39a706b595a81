/* Huge pages for what is read all over the place. */
#ifndef SOLVER_HUGE_PAGES_H
#define SOLVER_HUGE_PAGES_H

#include <stdint.h>

/* Asks the system to back memory by huge pages, as far as whole ones of 2 MiB fit into it. Only
 * advice: nothing but speed depends on it. What is first touched there then becomes resident 2 MiB
 * at a time, never beyond `bytes`. */
void wari_ask_for_huge_pages(void *memory, uint64_t bytes);

#endif
