/* A file with the best captures of full opponent halves, written by the capture pass and read by
 * the count.
 *
 * Positions whose opponent half is full are not stored, but counted (level/histogram.h), by
 * evaluating their moves. Their quiet moves lead to cells of the level, whose values are known only
 * at the end. Their captures lead to lower levels. The capture pass reads the lower levels for the
 * same mover halves anyway; without the file, the count would have to decode the lower levels
 * again. So the capture pass writes one byte for each position with a full opponent half
 * (level/full_captures.h), and the count reads these bytes:
 *
 *     file             block 6 | block 7 | ...   (a full half has at least 6 seeds)
 *     block            columns | columns | ...   WARI_ITEM_COLUMNS columns each, or fewer (last)
 *     these columns    [band][column][row]      bands of WARI_BAND_ROWS full halves, or fewer
 *
 * For a level with n seeds the file has C(n+5,11) bytes: 7 % of the positions at 22 seeds, 37 % at
 * 48. */
#ifndef SOLVER_LEVEL_FULL_HALVES_H
#define SOLVER_LEVEL_FULL_HALVES_H

#include <stdatomic.h>

#include "db/host/temporary_file.h"
#include "index/level.h"

struct wari_full_halves {
    struct wari_temporary_file temporary; /* not open if no captures are saved */
    bool complete; /* captures can be read; false if a checkpoint replaced the capture pass */
    uint64_t offset[WARI_SEEDS_MAX + 1]; /* offset of each block in the file */
    atomic_uint_fast64_t bytes_read, bytes_written;
    /* Checksums of all columns written, minus those of all columns read. */
    atomic_uint_fast64_t sum;
};

/* Returns the size of the file of a level. */
uint64_t wari_full_halves_bytes(const struct wari_layout *layout);

/* Creates the file of a level, a temporary file, in `folder`. Fails like
 * wari_temporary_file_open(). */
WARI_MUST_CHECK enum wari_status wari_full_halves_open(struct wari_full_halves *full,
                                                       const struct wari_host *host,
                                                       const struct wari_layout *layout,
                                                       const char *folder, const char *name,
                                                       struct wari_error *error);

/* Frees the file. Does nothing if no captures are saved. */
void wari_full_halves_close(struct wari_full_halves *full);

#endif
