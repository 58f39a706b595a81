/* Checksums of what is written to a scratch file, and checked when it is read again: a disk that
 * lies, a write that failed later, or another program that writes there is found out before
 * anything is made of its bytes. Sums stay in memory, or, where they are too many, go along with
 * what they are of. */
#ifndef SYSTEM_SUM_H
#define SYSTEM_SUM_H

#include <stddef.h>

#include "game/wari_game.h"

/* The sum of bytes that belong to one place, by any number that names it: the same bytes elsewhere
 * have another one. Never 0. */
uint64_t wari_sum(const void *bytes, size_t count, uint64_t place);

/* What was read from byte `offset` of the scratch file `path` is not what was written there: names
 * both, and says what to do. Always WARI_IO. */
enum wari_status wari_sum_is_wrong(struct wari_error *error, const char *path, uint64_t offset,
                                   uint64_t bytes);

#endif
