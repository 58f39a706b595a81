/* Finds the holes of a file: ranges without disk space, which read as zeros. */
#ifndef SOLVER_IMPORT_HOLES_H
#define SOLVER_IMPORT_HOLES_H

#include "db/host/host.h"

/* The ranges of a file that have data, in ascending order. All bytes between them are in holes. */
struct wari_holes {
    const struct wari_host *host;
    struct wari_data_range {
        uint64_t first, end;
    } * data;
    size_t count;
};

/* Finds the holes of an open file. If the system cannot find holes, the whole file counts as data.
 * Returns WARI_IO if the file cannot be examined. */
WARI_MUST_CHECK enum wari_status wari_holes_find(struct wari_holes *holes,
                                                 const struct wari_host *host, int fd,
                                                 const char *path, struct wari_error *error);
void wari_holes_free(struct wari_holes *holes); /* zeros are allowed */

/* Returns true if a range is part of a hole. `holes` points to a struct wari_holes; it is a void
 * pointer so that wari_score_file.is_hole can point to this function. */
bool wari_is_hole(void *holes, uint64_t offset, uint64_t bytes);

#endif
