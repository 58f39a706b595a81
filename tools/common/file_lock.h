/* Locks files that a command adds to for a long time. */
#ifndef TOOLS_COMMON_FILE_LOCK_H
#define TOOLS_COMMON_FILE_LOCK_H

#include "db/host/host.h"

/* Texts for a file that only one process at a time may add to. */
struct file_lock_texts {
    const char *command; /* name of the command, for the note */
    const char *in_use;  /* message if another process has the lock: what it does, what to do */
    const char *advice;  /* note if the file system has no locks: what the user should ensure */
};

/* Locks the open file `fd` until it is closed. Returns WARI_BUSY if another process has the lock.
 * If the file system has no locks, prints a note and returns WARI_OK. All texts name `path`. */
WARI_MUST_CHECK enum wari_status
file_lock(int fd, const char *path, const struct file_lock_texts *texts, struct wari_error *error);

#endif
