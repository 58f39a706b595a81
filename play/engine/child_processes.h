/* Lists the child processes of a process. Uses only functions that are allowed in a signal
 * handler, and allocates no memory. */
#ifndef PLAY_ENGINE_CHILD_PROCESSES_H
#define PLAY_ENGINE_CHILD_PROCESSES_H

#include <sys/types.h>

struct wari_child_processes {
    int file; /* -1 if the list cannot be read; it is then empty */
    ssize_t count, at;
    char text[1024]; /* the part of the list that is being read */
};

/* Opens a list: /proc/.../children. */
void wari_child_processes_open(struct wari_child_processes *children, const char *path);

/* Returns the next child process, which may have ended without being reaped; 0 if there is none. */
pid_t wari_child_processes_next(struct wari_child_processes *children);

void wari_child_processes_close(struct wari_child_processes *children);

/* Kills a child process and the rest of its process group, unless that is the group of the
 * caller. Killing the group is the only way to stop a program that forks and ends without pause. */
void wari_child_process_kill(pid_t child);

#endif
