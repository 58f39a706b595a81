/* Reads the kernel's list of child processes: a file of process numbers, each followed by a
 * blank. */
#include "play/engine/child_processes.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

void wari_child_processes_open(struct wari_child_processes *children, const char *path)
{
    children->file = open(path, O_RDONLY | O_CLOEXEC);
    children->count = children->at = 0;
}

pid_t wari_child_processes_next(struct wari_child_processes *children)
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

void wari_child_processes_close(struct wari_child_processes *children)
{
    if (children->file >= 0)
        (void)close(children->file);
    children->file = -1;
}

void wari_child_process_kill(pid_t child)
{
    pid_t group = getpgid(child);
    if (group > 1 && group != getpgrp())
        (void)kill(-group, SIGKILL);
    (void)kill(child, SIGKILL);
}
