/* Where a command puts its data: standard output, or a file that appears under its name only when
 * it is complete and on disk. */
#ifndef TOOLS_COMMON_OUTPUT_H
#define TOOLS_COMMON_OUTPUT_H

#include "db/host/host.h"

struct output {
    const char *path; /* NULL: standard output */
    char folder[WARI_PATH_MAX];
    char temporary[WARI_PATH_MAX]; /* "<path>.<process>.tmp" */
    int fd;
    uint64_t written;
    uint8_t *buffer;
    size_t held; /* bytes in it */
};

/* WARI_IO if something else than a file stands there: a rename would replace a device or a symbolic
 * link by the new file. */
WARI_MUST_CHECK enum wari_status output_place(const char *path, struct wari_error *error);

/* `path` NULL: standard output. It must outlive the output. WARI_IO if the file cannot be made, or
 * if something else than a file stands in its place. */
WARI_MUST_CHECK enum wari_status output_open(struct output *output, const char *path,
                                             struct wari_error *error);

/* Appends. A failure of standard output is not reported here, but by report_output_lost() and at
 * the end of the run, as everywhere. */
WARI_MUST_CHECK enum wari_status output_write(struct output *output, const void *bytes,
                                              size_t count, struct wari_error *error);

/* Ends the output of a command that ended with `status`: a file is put in its place if that is
 * WARI_OK, replacing an old one, and removed otherwise. Returns `status`, or why the file could not
 * be finished. To be called after every output_open() that succeeded. */
WARI_MUST_CHECK enum wari_status output_end(struct output *output, enum wari_status status,
                                            struct wari_error *error);

#endif
