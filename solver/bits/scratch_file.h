/* The scratch file of a level, and the ranges into which the cells of the level are divided in this
 * file. The scratch file is a temporary file (db/host/temporary_file.h).
 *
 * Transfers use the page cache. The operating system keeps part of the file in free memory, and
 * takes that memory back when it is needed elsewhere. Without the page cache (O_DIRECT) level 22 in
 * 128 MB took 1.25 times as long. Even in a container that left only 12 MB for the page cache,
 * O_DIRECT was not faster.
 */
#ifndef SOLVER_BITS_SCRATCH_FILE_H
#define SOLVER_BITS_SCRATCH_FILE_H

#include <stdatomic.h>

#include "db/host/temporary_file.h"
#include "index/level.h"
#include "solver/level/column_walk.h"

/* The alignment of transfers: the page size. If only a part of a page were written, the operating
 * system would have to read the page first. */
enum { WARI_TRANSFER_ALIGN = 4096 };

/* Rounds up to a multiple of WARI_TRANSFER_ALIGN. */
static inline uint64_t wari_align_transfer(uint64_t bytes)
{
    return (bytes + WARI_TRANSFER_ALIGN - 1) / WARI_TRANSFER_ALIGN * WARI_TRANSFER_ALIGN;
}

/* ---- The file -------------------------------------------------------------------------------- */

struct wari_scratch_file {
    struct wari_temporary_file temporary;
    atomic_uint_fast64_t bytes_read, bytes_written;
};

/* Creates the scratch file in `folder`. On failure nothing has to be closed. Fails like
 * wari_temporary_file_open(). */
WARI_MUST_CHECK enum wari_status wari_scratch_file_open(struct wari_scratch_file *file,
                                                        const struct wari_host *host,
                                                        const char *folder, const char *name,
                                                        struct wari_error *error);

/* Closes the file. Does nothing for a structure of zeros. */
void wari_scratch_file_close(struct wari_scratch_file *file);

/* Writes `bytes` bytes to the file at `offset` if `write` is true, otherwise reads them. This is
 * fastest if `bytes` and `offset` are multiples of WARI_TRANSFER_ALIGN. Any number of threads may
 * call it at once. */
WARI_MUST_CHECK enum wari_status wari_scratch_file_transfer(struct wari_scratch_file *file,
                                                            void *memory, size_t bytes,
                                                            uint64_t offset, bool write,
                                                            struct wari_error *error);

/* ---- Ranges ---------------------------------------------------------------------------------
 *
 * A **range** is a set of cells of one block that is transferred as a whole and fits into a buffer
 * of memory. A level is divided in two ways: into ranges of rows (as many whole rows as fit), and
 * into ranges of columns (see below). Each range has its own offset in the file:
 *
 *     range 0 | range 1 | ... | range count-1     each padded to WARI_TRANSFER_ALIGN bytes
 *
 * When a range is written, its codes are packed into half bytes (half_bytes.h) if possible, so that
 * they take only a part of these bytes. If each range is written only once, the packed ranges
 * follow each other without gaps. A checksum of each range (system/sum.h) is kept in memory, and is
 * compared when the range is read.
 */

enum { WARI_RANGE_PADDING = 64 }; /* readable bytes in a buffer after the last row */
#define WARI_NO_RANGE UINT32_MAX

struct wari_kernel_ops;

/* The division of a level into ranges. In a division into columns, a "row" is a whole range. */
struct wari_division {
    int seeds;
    uint32_t count;                     /* number of ranges */
    uint32_t first[WARI_SEEDS_MAX + 2]; /* the first range of each block */
    uint32_t rows[WARI_SEEDS_MAX + 1];  /* rows of a range; the last range of a block may have fewer
                                         */
    uint32_t pitch[WARI_SEEDS_MAX + 1]; /* bytes from one row to the next */
    uint32_t block_rows[WARI_SEEDS_MAX + 1];
    uint64_t offset[WARI_SEEDS_MAX + 2]; /* [block]: offset in the file; [seeds + 1]: the end */
};

/* The ranges of a level in the file. */
struct wari_ranges {
    struct wari_scratch_file *file; /* may contain other data, too */
    const struct wari_kernel_ops *kernel;
    struct wari_division division;
    size_t buffer_bytes;
    uint64_t base;          /* offset of the first range in the file */
    bool sequential;        /* each range is written once, and ranges follow without gaps */
    uint64_t *sum;          /* [range]: checksum; 0 if the range was not written */
    uint32_t *packed_bytes; /* [range]: bytes in the file if the range is packed, otherwise 0 */
    uint32_t *start; /* if sequential, [range]: its offset from `base`, and [count]: the next free
                      * offset; both in multiples of WARI_TRANSFER_ALIGN */
};

/* Divides a level into ranges of rows; the distance between rows is the same as in resident levels.
 * `buffer_bytes` must be a multiple of WARI_TRANSFER_ALIGN, and at least the length of the longest
 * row plus the padding of a range. */
void wari_divide_into_rows(struct wari_division *division, const struct wari_layout *layout,
                           size_t buffer_bytes);

/* Returns an upper bound on the bytes that all ranges take in the file. */
uint64_t wari_division_file_bytes(const struct wari_division *division);

/* Returns the bytes that wari_ranges_open() allocates. */
uint64_t wari_division_table_bytes(const struct wari_division *division);

/* Allocates the tables of the ranges. All other fields have to be set before. */
WARI_MUST_CHECK enum wari_status wari_ranges_open(struct wari_ranges *ranges,
                                                  struct wari_error *error);

/* Frees the tables. Does nothing for a structure of zeros. */
void wari_ranges_close(struct wari_ranges *ranges);

/* Begins to write sequential ranges anew: the first range that is written gets the first offset. */
void wari_ranges_begin(struct wari_ranges *ranges);

/* Returns the range that contains a row. */
static inline uint32_t wari_range_of(const struct wari_division *division, int block, uint32_t row)
{
    return division->first[block] + row / division->rows[block];
}

/* Return the block of a range, its first row, and its number of rows. */
int wari_range_block(const struct wari_division *division, uint32_t range);
uint32_t wari_range_first_row(const struct wari_division *division, int block, uint32_t range);
uint32_t wari_range_row_count(const struct wari_division *division, int block, uint32_t range);

/* Read a range into `cells`, or write a range from `cells`. `packed` is scratch memory for the half
 * bytes. Each of the two buffers has ranges->buffer_bytes bytes. Any number of threads may call
 * these functions at once, for different ranges. */
WARI_MUST_CHECK enum wari_status wari_range_read(const struct wari_ranges *ranges, uint32_t range,
                                                 int8_t *cells, uint8_t *packed,
                                                 struct wari_error *error);
WARI_MUST_CHECK enum wari_status wari_range_write(const struct wari_ranges *ranges, uint32_t range,
                                                  int8_t *cells, uint8_t *packed,
                                                  struct wari_error *error);

/* ---- Ranges of columns ----------------------------------------------------------------------
 *
 * Captures are computed in the order of columns (level/column_walk.h), not of rows. So the columns
 * of a block are divided into **column sets**. A column set is as wide as an item
 * (WARI_ITEM_COLUMNS), or as wide as several items if all its rows then still fit into a buffer. A
 * column set is one range if all its rows fit into a buffer; otherwise it is divided into several
 * ranges:
 *
 *     column set 0: range 0 | range 1 | ... | column set 1: range 0 | ...
 *
 * The cells of such a range are stored as [row][column].
 */

/* The column sets of a block. */
struct wari_column_sets {
    uint32_t count;  /* number of column sets */
    uint32_t items;  /* width of a set in items; more than 1 only if `ranges` is 1 */
    uint32_t width;  /* bytes from one row to the next */
    uint32_t rows;   /* rows of each range; the last range of a set may have fewer */
    uint32_t ranges; /* number of ranges of each set */
};
struct wari_column_sets wari_column_sets_of(const struct wari_layout *layout, int block,
                                            size_t buffer_bytes);

/* Divides a level into ranges of columns. */
void wari_divide_into_columns(struct wari_division *division, const struct wari_layout *layout,
                              size_t buffer_bytes);

/* The cells of a range of columns. */
struct wari_column_range {
    int block;
    uint32_t first_column, columns;
    uint32_t first_row, rows;
    uint32_t width; /* bytes from one row to the next */
};
struct wari_column_range wari_column_range_of(const struct wari_division *division,
                                              const struct wari_layout *layout, size_t buffer_bytes,
                                              uint32_t range);

/* A walk over the ranges of columns, in the order of level/column_walk.h. */
struct wari_column_range_walk {
    struct wari_column_walk columns;
    uint32_t items[WARI_SEEDS_MAX + 1];  /* [block]: width of each column set, in items */
    uint32_t ranges[WARI_SEEDS_MAX + 1]; /* [block]: number of ranges of each column set */
};

/* Begins a walk over the blocks from `first` on: over all ranges if `all` is true, otherwise over
 * the first range of each column set. */
void wari_column_range_walk_begin(struct wari_column_range_walk *walk,
                                  const struct wari_layout *layout, size_t buffer_bytes, int first,
                                  bool all);

/* Returns the next range of the walk, or WARI_NO_RANGE at the end. Not to be called by several
 * threads at once. */
uint32_t wari_column_range_walk_next(struct wari_column_range_walk *walk,
                                     const struct wari_division *division);

#endif
