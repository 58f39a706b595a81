/* Checksums of data that is written to a scratch file and verified when it is read again. They
 * detect faulty disks, writes that failed later, and other programs that write to the file, before
 * the data is used. The checksums stay in memory, or, if there are too many, are stored with the
 * data. */
#ifndef SYSTEM_SUM_H
#define SYSTEM_SUM_H

#include <stddef.h>

#include "game/wari_game.h"

/* Returns the checksum of bytes. `place` is a number that identifies where the bytes are stored;
 * the same bytes have different checksums at different places. The result is never 0. */
uint64_t wari_sum(const void *bytes, size_t count, uint64_t place);

/* Reports that `bytes` bytes read at `offset` of the scratch file `path` differ from those written
 * there. The message names the file and the offset and says what to do. Always returns WARI_IO. */
enum wari_status wari_sum_is_wrong(struct wari_error *error, const char *path, uint64_t offset,
                                   uint64_t bytes);

#endif
