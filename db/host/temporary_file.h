/* Temporary files, for data that are needed only while the file is open; and names of unfinished
 * files.
 *
 * The operating system should free a temporary file however the process ends. So it gets no name
 * where the file system supports this (O_TMPFILE); otherwise it gets a name that is removed at
 * once. Some file systems, such as CIFS, cannot remove the name of an open file. On these the name
 * is kept until the file is closed. If the process is killed before that, the file stays behind,
 * and wari_temporary_files_clean() removes it later. Its name is:
 *
 *     <name>.scratch.<host>.<process>.<number>
 */
#ifndef DB_HOST_TEMPORARY_FILE_H
#define DB_HOST_TEMPORARY_FILE_H

#include "db/host/host.h"

struct wari_temporary_file {
    const struct wari_host *host; /* NULL if the file is not open */
    int fd;
    bool named;               /* the name is removed when the file is closed */
    char path[WARI_PATH_MAX]; /* for messages; the name of the file if it has one */
};

/* Creates the file in `folder` for reading and writing. No other process uses the file, and only
 * its owner has access to it. `name` is the beginning of its name. On failure the result is WARI_IO
 * with the reason, or WARI_BAD_INPUT if the path is too long, and nothing has to be closed. */
WARI_MUST_CHECK enum wari_status wari_temporary_file_open(struct wari_temporary_file *file,
                                                          const struct wari_host *host,
                                                          const char *folder, const char *name,
                                                          struct wari_error *error);

/* Closes the file and frees its disk space. Its data are no longer needed, so a failure does not
 * matter. Does nothing if the file is not open. */
void wari_temporary_file_close(struct wari_temporary_file *file);

/* Removes the files that processes of this host left in `folder` when they were killed. Files of
 * other hosts stay, because their processes cannot be checked. Failures are ignored, because
 * files left behind only take up disk space. */
void wari_temporary_files_clean(const struct wari_host *host, const char *folder);

/* ---- Unfinished files ----
 *
 * A file that must never be seen incomplete is written under another name in the same folder, and
 * renamed when it is complete:
 *
 *     <path>.<host>.<process>.tmp
 *
 * So two processes never write to the same file. A file that a killed process left behind is
 * removed by the next process that writes `path`. */

/* Writes the name that this process gives to the file `path` until the file is complete. Fails with
 * WARI_BAD_INPUT if the name is too long. */
WARI_MUST_CHECK enum wari_status wari_unfinished_path(char unfinished[WARI_PATH_MAX],
                                                      const char *path, struct wari_error *error);

/* Removes the unfinished files of `path` that processes of this host left when they were killed.
 * Failures are ignored. */
void wari_unfinished_files_clean(const struct wari_host *host, const char *path);

#endif
