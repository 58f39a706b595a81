/* What all of db/ does through a host table, which wari_host.h describes. Tests put their own in
 * its place to make the k-th call fail. */
#ifndef DB_HOST_HOST_H
#define DB_HOST_HOST_H

#include <stddef.h>

#include "db/host/wari_host.h"

enum { WARI_PATH_MAX = 1024 }; /* bytes of any path, its end included */

/* Memory from the host; *memory is NULL on failure. `what` names it in the message. */
WARI_MUST_CHECK enum wari_status wari_allocate(const struct wari_host *host, size_t bytes,
                                               const char *what, void **memory,
                                               struct wari_error *error);
void wari_release(const struct wari_host *host, void *memory);

/* Reads or writes exactly `bytes` at `offset`, going on after short transfers and EINTR. A file
 * that ends early is WARI_CORRUPT, everything else WARI_IO; `path` is for the message. */
WARI_MUST_CHECK enum wari_status wari_read_at(const struct wari_host *host, int fd,
                                              const char *path, void *buffer, size_t bytes,
                                              uint64_t offset, struct wari_error *error);
WARI_MUST_CHECK enum wari_status wari_write_at(const struct wari_host *host, int fd,
                                               const char *path, const void *buffer, size_t bytes,
                                               uint64_t offset, struct wari_error *error);

/* Opens a file, trying again after EINTR. WARI_IO with the reason; *fd is -1 then. */
WARI_MUST_CHECK enum wari_status wari_open_file(const struct wari_host *host, const char *path,
                                                int flags, int *fd, struct wari_error *error);

/* A new file for reading and writing, under a name that must be free, as the host's create() has
 * it. WARI_IO with the reason; *fd is -1 then. */
WARI_MUST_CHECK enum wari_status wari_create_file(const struct wari_host *host, const char *path,
                                                  const char *like, int *fd,
                                                  struct wari_error *error);

/* The same under a name that is ours: whatever stands there, say what a run left that was killed,
 * loses that name first. It is never written into, since other names may lead to it. */
WARI_MUST_CHECK enum wari_status wari_create_anew(const struct wari_host *host, const char *path,
                                                  const char *like, int *fd,
                                                  struct wari_error *error);

/* A new file for reading and writing in `folder` that nobody else can open: without a name where
 * the file system can do that (O_TMPFILE), else under one that nobody has and that is removed at
 * once; for its owner alone. `path`: "<folder>/<name>", for messages. WARI_IO with the reason, or
 * WARI_BAD_INPUT where that is too long; *fd is -1 then. */
WARI_MUST_CHECK enum wari_status wari_create_nameless(const struct wari_host *host,
                                                      const char *folder, const char *name,
                                                      char path[WARI_PATH_MAX], int *fd,
                                                      struct wari_error *error);

/* Fills *error with "<path>: cannot <action>: <what errno means>" and, for a full disk, what to do
 * about it. errno stays as it was. Always WARI_IO. */
enum wari_status wari_fail_errno(struct wari_error *error, const char *path, const char *action);

/* fsync, trying again after EINTR. */
WARI_MUST_CHECK enum wari_status wari_sync_file(const struct wari_host *host, int fd,
                                                const char *path, struct wari_error *error);

/* fsync and close the file, rename it to `path`, fsync the folder. On failure the temporary file is
 * removed and whatever stood under `path` is untouched, with one exception that no order of calls
 * avoids: if the very last step fails, the fsync of the folder, the new file stands under `path`,
 * complete, but may not outlive a power cut. The descriptor is closed in any case. */
WARI_MUST_CHECK enum wari_status wari_publish(const struct wari_host *host, int fd,
                                              const char *temporary, const char *folder,
                                              const char *path, struct wari_error *error);

/* The first part of that, for one of several files whose names are to be durable together: fsync
 * and close the file, rename it to `path`. On failure the temporary file is removed and whatever
 * stood under `path` is untouched. The descriptor is closed in any case. Until wari_sync_folder() a
 * power cut may take the name back. */
WARI_MUST_CHECK enum wari_status wari_put_in_place(const struct wari_host *host, int fd,
                                                   const char *temporary, const char *path,
                                                   struct wari_error *error);

/* fsync of a folder: the names of its files are durable. */
WARI_MUST_CHECK enum wari_status wari_sync_folder(const struct wari_host *host, const char *folder,
                                                  struct wari_error *error);

/* "<folder>/<name>" built from a printf-style name; WARI_BAD_INPUT if it does not fit or `folder`
 * is empty. */
WARI_MUST_CHECK enum wari_status wari_path(char path[WARI_PATH_MAX], struct wari_error *error,
                                           const char *folder, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
