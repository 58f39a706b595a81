/* The build lock of a folder, which admits one builder at a time.
 *
 * The lock is on the file "build.lock". The kernel releases it when the process ends, for any
 * reason, so it is never stale. If the file system does not support locks, the file "build.owner"
 * replaces them: the process that creates it holds the lock, and the file names the host and the
 * process. If that process is killed, the next process on the same host removes the file. */
#ifndef DB_CATALOGUE_LOCK_H
#define DB_CATALOGUE_LOCK_H

#include "db/host/host.h"

#define WARI_LOCK_NAME "build.lock" /* name of the lock file in the folder */

/* The purpose of the lock. */
enum wari_lock_work { WARI_BUILDING, WARI_PACKING };

/* Creates `folder`, but not its parents, durably, if it does not exist. */
WARI_MUST_CHECK enum wari_status wari_make_folder(const struct wari_host *host, const char *folder,
                                                  struct wari_error *error);

/* A build lock that is held. A struct of zeros holds nothing. */
struct wari_lock {
    const struct wari_host *host; /* NULL if nothing is held */
    int fd;                       /* the open file WARI_LOCK_NAME */
    char owner[WARI_PATH_MAX];    /* path of the file "build.owner"; "" if there is none */
};

/* Creates `folder` if it does not exist, and takes its build lock. Fills in *lock only on success.
 *   WARI_BUSY  another process holds the lock; the text names it and its activity
 *   WARI_IO    a call failed; or something that is not a lock has the name of the lock file (it is
 *              left unchanged); or no kind of lock works here, and the text names --no-lock */
WARI_MUST_CHECK enum wari_status wari_folder_lock(const struct wari_host *host, const char *folder,
                                                  enum wari_lock_work work, struct wari_lock *lock,
                                                  struct wari_error *error);
void wari_folder_unlock(struct wari_lock *lock); /* does nothing if nothing is held */

#endif
