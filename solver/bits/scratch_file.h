/* The scratch file of a level, which has no name while it is in use: whatever ends the process
 * frees it.
 *
 * Transfers go through the page cache: the system keeps part of the file in free memory, and gives
 * that up when somebody wants it. Past the cache (O_DIRECT) level 22 in 128 MB took 1.25 times as
 * long, and where a container left 12 MB for the cache, no less than through it. */
#ifndef SOLVER_SCRATCH_FILE_H
#define SOLVER_SCRATCH_FILE_H

#include <stdatomic.h>

#include "db/host/host.h"

/* A page: part of one would be read before it is written. */
enum { WARI_PIECE_ALIGN = 4096 };

/* Rounded up to whole units of what is transferred. */
static inline uint64_t wari_whole_units(uint64_t bytes)
{
    return (bytes + WARI_PIECE_ALIGN - 1) / WARI_PIECE_ALIGN * WARI_PIECE_ALIGN;
}

struct wari_scratch_file {
    const struct wari_host *host;
    char path[WARI_PATH_MAX]; /* for messages */
    int fd;
    atomic_uint_fast64_t bytes_read, bytes_written;
};

/* The scratch file, in `folder`. On failure nothing stays. Fails like
 * wari_create_nameless(). */
WARI_MUST_CHECK enum wari_status wari_scratch_file_open(struct wari_scratch_file *file,
                                                        const struct wari_host *host,
                                                        const char *folder, const char *name,
                                                        struct wari_error *error);
void wari_scratch_file_close(struct wari_scratch_file *file); /* or one of zeros, not opened */

/* Reads or writes `bytes` bytes of the file at `place`: best whole pages, from a whole page on. For
 * any number of threads at once. */
WARI_MUST_CHECK enum wari_status wari_scratch_file_bytes(struct wari_scratch_file *file,
                                                         void *memory, size_t bytes, uint64_t place,
                                                         bool write, struct wari_error *error);

#endif
