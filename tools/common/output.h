/* Output of a command's data: to standard output, or to a file that appears under its name only
 * when it is complete and on disk. */
#ifndef TOOLS_COMMON_OUTPUT_H
#define TOOLS_COMMON_OUTPUT_H

#include "answer/json.h"
#include "db/host/host.h"

struct output {
    const char *path; /* NULL means standard output */
    char folder[WARI_PATH_MAX];
    char temporary[WARI_PATH_MAX]; /* path of the unfinished file */
    int fd;
    uint64_t written;
    uint8_t *buffer;
    size_t buffered; /* number of bytes in the buffer */
};

/* Fails with WARI_IO if `path` exists and is not a regular file: the rename at the end would
 * replace a device or a symbolic link by the new file. */
WARI_MUST_CHECK enum wari_status output_check_path(const char *path, struct wari_error *error);

/* The files and folders that a command reads. */
struct output_sources {
    const char *folder; /* folder of databases; NULL means none */
    const char *book;   /* NULL means none */
    char *const *files; /* other files, such as records; "-" means standard input */
    int file_count;
};

/* Fails with WARI_BAD_INPUT if writing to `path` would replace a file that the command reads:
 *
 *     - a file of a database in sources->folder. A name in that folder which only a database file
 *       would have is refused even if there is no such file;
 *     - sources->book, or one of sources->files.
 *
 * Two names of one file are recognised by device and inode. Every command calls this function,
 * before it does anything else, for each file that it will write under a name given by the user. */
WARI_MUST_CHECK enum wari_status output_refuse_source(const char *path,
                                                      const struct output_sources *sources,
                                                      struct wari_error *error);

/* Opens an output. NULL for `path` means standard output. `path` must outlive the output and must
 * not be empty; options_require_file() checks this. Fails with WARI_IO if the file cannot be
 * created, or if `path` exists and is not a regular file. */
WARI_MUST_CHECK enum wari_status output_open(struct output *output, const char *path,
                                             struct wari_error *error);

/* Checks that output_open() would succeed, and otherwise fails like output_open(). Leaves an
 * existing file as it is, and leaves no new file. A command that computes for a long time calls
 * this function first. */
WARI_MUST_CHECK enum wari_status output_try(const char *path, struct wari_error *error);

/* Appends bytes. A failed write to standard output is not reported here, but by
 * report_output_lost() and by report_finish() at the end of the program. */
WARI_MUST_CHECK enum wari_status output_write(struct output *output, const void *bytes,
                                              size_t count, struct wari_error *error);

/* Finishes the output of a command that ended with `status`. If `status` is WARI_OK, the file gets
 * its final name and replaces an old file of that name; otherwise the file is removed. Returns
 * `status`, or the reason why the file could not be finished. Must be called after every
 * output_open() that succeeded. */
WARI_MUST_CHECK enum wari_status output_finish(struct output *output, enum wari_status status,
                                               struct wari_error *error);

/* Prints a JSON value as one line on standard output and releases the value. Object keys keep the
 * order in which they were set. NULL, which Jansson's functions return when memory runs out, gives
 * WARI_NO_MEMORY. A failed write is reported by report_finish(). */
WARI_MUST_CHECK enum wari_status json_print(json_t *value, struct wari_error *error);

#endif
