/* Values from level files, chunk by chunk, on all threads. */
#ifndef VERIFY_LEVEL_VERIFY_READ_H
#define VERIFY_LEVEL_VERIFY_READ_H

#include "db/probe/level_reader.h"
#include "verify/verify_level.h"

/* Opens a level's file; it must be the one that the catalogue lists. */
WARI_MUST_CHECK enum wari_status wari_verify_open(struct wari_verify_run *run, int seeds,
                                                  struct wari_level_reader **reader);

/* Reads the level at hand into its cells, none of them marked, and compares it with the payload
 * hashes in the file and in the catalogue: `text` (room for `size`) tells where one is wrong. */
WARI_MUST_CHECK enum wari_status wari_verify_read_level(struct wari_verify_level *level, char *text,
                                                        size_t size);

/* Reads cells first..first + count - 1 of a level below into `values`. */
WARI_MUST_CHECK enum wari_status wari_verify_read_below(struct wari_verify_run *run,
                                                        const struct wari_level_reader *reader,
                                                        int seeds, uint64_t first, uint64_t count,
                                                        int8_t *values);

#endif
