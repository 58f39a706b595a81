/* Reads values from level files, chunk by chunk, with all threads. */
#ifndef VERIFY_VERIFY_READ_H
#define VERIFY_VERIFY_READ_H

#include "db/probe/level_reader.h"
#include "verify/verify_level.h"

/* Opens the file of a level. Fails if it is not the file that the catalogue lists. */
WARI_MUST_CHECK enum wari_status wari_verify_open(struct wari_verify_proof *proof, int seeds,
                                                  struct wari_level_reader **reader);

/* Reads the current level into its cells and leaves all of them unmarked. Compares the hash of
 * the values with the payload hashes in the file and in the catalogue; if they differ, writes a
 * description into `text`, a buffer of `size` bytes. */
WARI_MUST_CHECK enum wari_status wari_verify_read_level(struct wari_verify_level *level, char *text,
                                                        size_t size);

/* Reads cells first..first + count - 1 of a lower level into `values`. */
WARI_MUST_CHECK enum wari_status wari_verify_read_lower(struct wari_verify_proof *proof,
                                                        const struct wari_level_reader *reader,
                                                        int seeds, uint64_t first, uint64_t count,
                                                        int8_t *values);

#endif
