/* The children of a process: numbers in a file, each with a blank behind it. */
#include "play/engine/children.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

void wari_children_open(struct wari_children *children, const char *path)
{
    children->file = open(path, O_RDONLY | O_CLOEXEC);
    children->count = children->at = 0;
}

pid_t wari_children_next(struct wari_children *children)
{
    pid_t pid = 0;
    while (children->file >= 0) {
        if (children->at == children->count) {
            children->at = 0;
            children->count = read(children->file, children->text, sizeof children->text);
            if (children->count <= 0) {
                children->count = 0;
                return 0;
            }
        }
        char c = children->text[children->at++];
        if (c >= '0' && c <= '9')
            pid = 10 * pid + (c - '0');
        else if (pid > 0)
            return pid;
    }
    return 0;
}

void wari_children_close(struct wari_children *children)
{
    if (children->file >= 0)
        (void)close(children->file);
    children->file = -1;
}

void wari_children_kill(pid_t child)
{
    pid_t group = getpgid(child);
    if (group > 1 && group != getpgrp())
        (void)kill(-group, SIGKILL);
    (void)kill(child, SIGKILL);
}
