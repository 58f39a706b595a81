/* What the library asks of the machine: memory and files, through one table of functions handed
 * over with the handle. Tests put their own in its place to make the k-th call fail.
 *
 * File functions work like the POSIX calls of the same name: -1 and errno on failure, short reads
 * and writes and EINTR allowed (the callers go on or try again). Functions must be safe to call
 * from several threads at once.
 */
#ifndef DB_HOST_H
#define DB_HOST_H

#include <stddef.h>
#include <sys/types.h>

#include "game/wari_game.h"

struct wari_host {
    void *context;                                  /* handed to every function */
    void *(*allocate)(void *context, size_t bytes); /* NULL if there is no memory */
    void (*release)(void *context, void *memory);   /* NULL is allowed */
    int (*open)(void *context, const char *path, int flags, mode_t mode);
    ssize_t (*pread)(void *context, int fd, void *buffer, size_t bytes, off_t offset);
    ssize_t (*pwrite)(void *context, int fd, const void *buffer, size_t bytes, off_t offset);
    off_t (*size)(void *context, int fd); /* of a regular file; -1 and errno otherwise */
    int (*fsync)(void *context, int fd);
    /* Begins to bring written bytes to disk, and does not wait: fsync has less to do then. Whether
     * it does so shows in nothing but time. NULL: it does not. */
    void (*begin_fsync)(void *context, int fd, off_t offset, off_t bytes);
    int (*close)(void *context, int fd);
    int (*rename)(void *context, const char *from, const char *to);
    int (*unlink)(void *context, const char *path);
    int (*mkdir)(void *context, const char *path, mode_t mode);
    int (*lock)(void *context, int fd); /* flock(), exclusive, without waiting: EWOULDBLOCK */
};

/* The machine itself. Static storage. */
const struct wari_host *wari_host_system(void);

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
enum { WARI_PATH_MAX = 1024 };
WARI_MUST_CHECK enum wari_status wari_path(char path[WARI_PATH_MAX], struct wari_error *error,
                                           const char *folder, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
