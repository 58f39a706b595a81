/* The services that the library requires of the machine: memory, files and threads, as a table of
 * functions that is passed to wari_open(). A program can replace some of them:
 *
 *     struct wari_host host = *wari_host_system();
 *     struct wari_options options = {.host = &host};
 *     host.context = my_pool;
 *     host.run = my_pool_run;
 *
 * The file functions behave like the POSIX calls of the same name: they return -1 and set errno on
 * failure. Short reads, short writes and EINTR are allowed; the library continues or repeats the
 * call. All functions must be safe to call from several threads at once. The struct does not change
 * within one WARI_ABI.
 */
#ifndef WARI_HOST_H
#define WARI_HOST_H

#include <sys/types.h>

#include "wari_game.h"

#ifdef __cplusplus
extern "C" {
#endif

struct wari_host {
    void *context;                                  /* the first argument of every function */
    void *(*allocate)(void *context, size_t bytes); /* returns NULL if there is no memory */
    void (*release)(void *context, void *memory);   /* `memory` may be NULL */
    int (*open)(void *context, const char *path, int flags, mode_t mode);
    /* Creates a file for reading and writing. Fails with EEXIST if anything has the name, even a
     * symbolic link. The new file gets the mode of the regular file `like` and, if this process
     * is allowed to set it, its owner. If `like` is NULL or no such file exists, the new file
     * gets the default mode and owner. */
    int (*create)(void *context, const char *path, const char *like);
    ssize_t (*pread)(void *context, int fd, void *buffer, size_t bytes, int64_t offset);
    ssize_t (*pwrite)(void *context, int fd, const void *buffer, size_t bytes, int64_t offset);
    int64_t (*size)(void *context, int fd); /* returns the size of a regular file; -1 (with
                                             * errno) for anything else */
    int (*fsync)(void *context, int fd);
    /* Starts to write the given bytes of the file to disk and returns without waiting, so that a
     * later fsync has less to do. This is an optimisation only. May be NULL. */
    void (*begin_fsync)(void *context, int fd, int64_t offset, int64_t bytes);
    int (*close)(void *context, int fd);
    int (*rename)(void *context, const char *from, const char *to);
    int (*unlink)(void *context, const char *path);
    int (*mkdir)(void *context, const char *path, mode_t mode);
    /* Takes an exclusive lock, like that of flock(), without waiting. Fails with EWOULDBLOCK if
     * another process holds the lock, and with EMLINK if the file has a second name and must
     * therefore not be written to. ENOSYS, ENOTSUP and ENOLCK mean that the file system does not
     * support locks; a file that is created exclusively is then used instead. */
    int (*lock)(void *context, int fd);
    /* Calls work(argument, piece) once for each piece 0 .. pieces - 1, in any order and on any
     * threads, and returns when all calls have returned. NULL means that the calling thread makes
     * all calls. Only wari_probe_many() uses it; the library starts no threads itself. */
    void (*run)(void *context, void (*work)(void *argument, size_t piece), void *argument,
                size_t pieces);
};

/* The functions that libwari declares only read: they call allocate, release, open, pread, size,
 * close and run. All other functions are needed only by programs that write databases, and may
 * be NULL. */

/* Returns the host table of this machine, in static storage. Its `run` is NULL. */
WARI_API const struct wari_host *wari_host_system(void);

#ifdef __cplusplus
}
#endif
#endif
