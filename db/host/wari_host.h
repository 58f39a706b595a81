/* What the library asks of the machine: memory, files and threads, through one table of functions
 * that wari_open() is handed. A program that has its own brings them here:
 *
 *     struct wari_host host = *wari_host_system();
 *     struct wari_options options = {.host = &host};
 *     host.context = my_pool;
 *     host.run = my_pool_run;
 *
 * File functions work like the POSIX calls of the same name: -1 and errno on failure, short reads
 * and writes and EINTR allowed (the callers go on or try again). Functions must be safe to call
 * from several threads at once. Within one WARI_ABI the struct stays as it is.
 */
#ifndef WARI_HOST_H
#define WARI_HOST_H

#include <sys/types.h>

#include "wari_game.h"

#ifdef __cplusplus
extern "C" {
#endif

struct wari_host {
    void *context;                                  /* handed to every function */
    void *(*allocate)(void *context, size_t bytes); /* NULL if there is no memory */
    void (*release)(void *context, void *memory);   /* NULL is allowed */
    int (*open)(void *context, const char *path, int flags, mode_t mode);
    /* A new file under a name that nothing has, not even a symbolic link (EEXIST), for reading and
     * writing. It gets mode and, where this process may give it that, owner of the regular file
     * `like`; NULL, or no such file: those of any new file. */
    int (*create)(void *context, const char *path, const char *like);
    ssize_t (*pread)(void *context, int fd, void *buffer, size_t bytes, int64_t offset);
    ssize_t (*pwrite)(void *context, int fd, const void *buffer, size_t bytes, int64_t offset);
    int64_t (*size)(void *context, int fd); /* of a regular file; -1 and errno otherwise */
    int (*fsync)(void *context, int fd);
    /* Begins to bring written bytes to disk, and does not wait: fsync has less to do then. Whether
     * it does so shows in nothing but time. NULL: it does not. */
    void (*begin_fsync)(void *context, int fd, int64_t offset, int64_t bytes);
    int (*close)(void *context, int fd);
    int (*rename)(void *context, const char *from, const char *to);
    int (*unlink)(void *context, const char *path);
    int (*mkdir)(void *context, const char *path, mode_t mode);
    /* flock(), exclusive, without waiting: EWOULDBLOCK. EMLINK: the file has another name, too, so
     * it is not to be written to. */
    int (*lock)(void *context, int fd);
    /* Calls work(argument, piece) once for each piece 0 .. pieces - 1, in any order and on any
     * threads, and returns when all of them are done. NULL: the calling thread does them all.
     * wari_probe_many() alone asks for it; the library starts no thread itself. */
    void (*run)(void *context, void (*work)(void *argument, size_t piece), void *argument,
                size_t pieces);
};

/* What libwari declares only reads: it calls allocate, release, open, pread, size, close and run.
 * The rest is for programs that write databases, and may be NULL. */

/* The machine itself. Static storage. */
WARI_API const struct wari_host *wari_host_system(void);

#ifdef __cplusplus
}
#endif
#endif
