/* What this machine has left for a build. */
#ifndef TOOLS_COMMON_MACHINE_H
#define TOOLS_COMMON_MACHINE_H

#include <stdint.h>

#include "game/wari_game.h"

/* Processors that this process may use; at least 1. */
int machine_processors(void);

/* Memory that this process can still use with so many threads: the least of what the system has
 * available, what the control groups above it leave and its address space limit, of which threads
 * take more than they use. *limit says in a few words which of
 * them it was (static storage). UINT64_MAX if nothing of this can be found out. */
uint64_t machine_memory(int threads, const char **limit);

/* Bytes that may still be written below `folder`, which need not exist yet. */
WARI_MUST_CHECK enum wari_status machine_disk(const char *folder, uint64_t *bytes,
                                              struct wari_error *error);

#endif
