/* The operations of db/ on memory and files. They go through a host table, which wari_host.h
 * describes. Tests use a host table that makes the k-th call fail. */
#ifndef DB_HOST_HOST_H
#define DB_HOST_HOST_H

#include <stddef.h>

#include "db/host/wari_host.h"

enum { WARI_PATH_MAX = 1024 }; /* bytes of a path, including the final 0 */

/* Allocates memory from the host. `what` names it in the message. *memory is NULL on failure. */
WARI_MUST_CHECK enum wari_status wari_allocate(const struct wari_host *host, size_t bytes,
                                               const char *what, void **memory,
                                               struct wari_error *error);
void wari_release(const struct wari_host *host, void *memory);

/* Reads or writes exactly `bytes` bytes at `offset`, continuing after short transfers and EINTR.
 * Returns WARI_CORRUPT if a file ends early, and WARI_IO for any other failure. `path` is for the
 * message. */
WARI_MUST_CHECK enum wari_status wari_read_at(const struct wari_host *host, int fd,
                                              const char *path, void *buffer, size_t bytes,
                                              uint64_t offset, struct wari_error *error);
WARI_MUST_CHECK enum wari_status wari_write_at(const struct wari_host *host, int fd,
                                               const char *path, const void *buffer, size_t bytes,
                                               uint64_t offset, struct wari_error *error);

/* Opens a file, repeating the call after EINTR. On failure the result is WARI_IO with the reason,
 * and *fd is -1. */
WARI_MUST_CHECK enum wari_status wari_open_file(const struct wari_host *host, const char *path,
                                                int flags, int *fd, struct wari_error *error);

/* Creates a file for reading and writing, under a name that must be free, with the host's create().
 * On failure the result is WARI_IO with the reason, and *fd is -1. */
WARI_MUST_CHECK enum wari_status wari_create_file(const struct wari_host *host, const char *path,
                                                  const char *like, int *fd,
                                                  struct wari_error *error);

/* Creates a file under a name that this program owns, such as the name of a temporary file. If a
 * file has the name already, for example because a killed process left it, the name is removed
 * first. The old file is never overwritten, since it may have other names. */
WARI_MUST_CHECK enum wari_status wari_create_anew(const struct wari_host *host, const char *path,
                                                  const char *like, int *fd,
                                                  struct wari_error *error);

/* Fills in *error with "<path>: cannot <action>: <reason>", where the reason is that of errno. For
 * some reasons, such as a full disk, adds advice. errno is preserved. Always returns WARI_IO. */
enum wari_status wari_fail_errno(struct wari_error *error, const char *path, const char *action);

enum { WARI_REASON = 128 };

/* Returns the text of an error number, which may be stored in `buffer`. Thread-safe, unlike
 * strerror() on some systems. */
const char *wari_reason(int number, char buffer[WARI_REASON]);

/* Calls fsync, repeating it after EINTR. */
WARI_MUST_CHECK enum wari_status wari_sync_file(const struct wari_host *host, int fd,
                                                const char *path, struct wari_error *error);

/* Publishes a file: syncs and closes it, renames it from `temporary` to `path`, and syncs the
 * folder. On failure the temporary file is removed and the file at `path` is unchanged. There is
 * one exception, which cannot be avoided: if the last step, the sync of the folder, fails, the
 * complete new file is already at `path`, but a power failure might undo the rename. The
 * descriptor is closed in any case. */
WARI_MUST_CHECK enum wari_status wari_publish(const struct wari_host *host, int fd,
                                              const char *temporary, const char *folder,
                                              const char *path, struct wari_error *error);

/* Performs the first steps of wari_publish(), for one of several files whose names become durable
 * together: syncs and closes the file and renames it to `path`. On failure the temporary file is
 * removed and the file at `path` is unchanged. The descriptor is closed in any case. A power
 * failure may undo the rename until wari_sync_folder() is called. */
WARI_MUST_CHECK enum wari_status wari_put_in_place(const struct wari_host *host, int fd,
                                                   const char *temporary, const char *path,
                                                   struct wari_error *error);

/* Syncs a folder, which makes the names of its files durable. On a file system that cannot do this
 * (wari_folder_syncs()), the operating system decides when the names become durable. This is an
 * error neither here nor in wari_publish(). */
WARI_MUST_CHECK enum wari_status wari_sync_folder(const struct wari_host *host, const char *folder,
                                                  struct wari_error *error);

/* Returns false if the file system of `folder` cannot sync folders: if fsync() of a folder fails
 * with EINVAL or ENOTSUP, as on CIFS, 9p and some file systems in user space. Returns true if the
 * call succeeds or fails for any other reason, which later calls will report. */
bool wari_folder_syncs(const struct wari_host *host, const char *folder);

/* Takes an exclusive lock on an open file without waiting: with flock(), or with fcntl() on a file
 * system that does not support flock(). Returns -1 with EWOULDBLOCK if another process holds the
 * lock. The lock ends when the descriptor is closed or the process ends. */
int wari_lock_descriptor(int fd);

/* Returns true if `reason`, the errno of a failed lock, says that the file system does not support
 * locks. */
bool wari_locks_unsupported(int reason);

/* Builds "<folder>/<name>" from a printf-style name. Returns WARI_BAD_INPUT if the path is too
 * long or `folder` is empty. */
WARI_MUST_CHECK enum wari_status wari_path(char path[WARI_PATH_MAX], struct wari_error *error,
                                           const char *folder, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
