/* The children of a process, as the system lists them. Calls only what is allowed in a signal
 * handler, and takes no memory. */
#ifndef PLAY_ENGINE_CHILDREN_H
#define PLAY_ENGINE_CHILDREN_H

#include <sys/types.h>

struct wari_children {
    int file; /* -1: it cannot be read, and lists none */
    ssize_t count, at;
    char text[1024]; /* the part being read */
};

/* Opens a list: /proc/.../children. */
void wari_children_open(struct wari_children *children, const char *path);

/* The next child, also one that has ended and was not reaped; 0: there is none. */
pid_t wari_children_next(struct wari_children *children);

void wari_children_close(struct wari_children *children);

/* Kills a child, and the rest of its group, unless that is the caller's own: what forks and ends
 * without pause is too fast for anything but the kill of a group. */
void wari_children_kill(pid_t child);

#endif
