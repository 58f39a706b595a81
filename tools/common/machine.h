/* The processors, memory and disk space that this machine has available for a build. */
#ifndef TOOLS_COMMON_MACHINE_H
#define TOOLS_COMMON_MACHINE_H

#include <stdint.h>

#include "game/wari_game.h"

/* Returns the default number of threads: the number of processors that this process can use at the
 * same time (system/processors.h); at least 1. */
int machine_processors(void);

/* Returns the number of bytes of memory that this process, with `threads` threads, can still use.
 * It is the smallest of three numbers: the memory that the system has available; the memory that
 * the limits of the control groups leave; and the address space that the limit of the process
 * leaves, without the address space that threads reserve. Sets *limit to a few words (a static
 * string) that name the smallest of the three. Returns UINT64_MAX if no limit is known. */
uint64_t machine_memory(int threads, const char **limit);

/* Sets *bytes to the free space of the file system that holds, or will hold, `folder`. The folder
 * need not exist yet. */
WARI_MUST_CHECK enum wari_status machine_disk(const char *folder, uint64_t *bytes,
                                              struct wari_error *error);

/* Returns false if the file system that holds, or will hold, the folder or file `path` does not
 * support fsync() of folders. */
bool machine_syncs_folder(const char *path);

#endif
