/* Implements platform.h with nothing but calls of POSIX.1-2008. */
#include "system/platform.h"

#if WARI_SYSTEM_POSIX

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- Descriptors ---- */

/* Sets the flags of a descriptor: it is closed by exec and, if `blocks` is false, never blocks.
 * Returns the descriptor. On failure closes it and returns -1. */
static int prepare(int fd, bool blocks)
{
    if (fd < 0 || (fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 &&
                   (blocks || fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) == 0)))
        return fd;
    const int reason = errno;
    (void)close(fd);
    errno = reason;
    return -1;
}

static int open_pipe(int ends[2], bool blocks)
{
    if (pipe(ends) != 0)
        return -1;
    ends[0] = prepare(ends[0], blocks);
    ends[1] = prepare(ends[1], blocks);
    if (ends[0] >= 0 && ends[1] >= 0)
        return 0;
    const int reason = errno;
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            (void)close(ends[i]);
    ends[0] = ends[1] = -1;
    errno = reason;
    return -1;
}

int wari_pipe(int ends[2])
{
    return open_pipe(ends, true);
}

int wari_socket(int family)
{
    return prepare(socket(family, SOCK_STREAM, 0), false);
}

int wari_accept(int listener)
{
    return prepare(accept(listener, NULL, NULL), false);
}

int wari_event_open(struct wari_event *event)
{
    int ends[2] = {-1, -1};
    const int result = open_pipe(ends, false);

    event->receiver = ends[0];
    event->sender = ends[1];
    return result;
}

void wari_event_close(struct wari_event *event)
{
    if (event->receiver >= 0) {
        (void)close(event->receiver);
        (void)close(event->sender);
    }
    event->receiver = event->sender = -1;
}

void wari_event_set(const struct wari_event *event)
{
    (void)!write(event->sender, "", 1); /* fails only if the pipe is full already */
}

void wari_event_clear(const struct wari_event *event)
{
    char bytes[64];

    while (read(event->receiver, bytes, sizeof bytes) == (ssize_t)sizeof bytes)
        continue;
}

bool wari_close_range_from(int first)
{
    (void)first;
    return false;
}

/* ---- Processes ----
 *
 * POSIX has no calls that make a process adopt orphans, list child processes, or send a signal when
 * the parent ends. */

bool wari_adopt_orphans(void)
{
    return false;
}

void wari_stop_adopting(void)
{
}

void wari_signal_when_parent_ends(int number)
{
    (void)number;
}

void wari_child_list_open(struct wari_child_list *list)
{
    list->file = -1;
}

pid_t wari_child_list_next(struct wari_child_list *list)
{
    (void)list;
    return 0;
}

void wari_child_list_close(struct wari_child_list *list)
{
    (void)list;
}

_Noreturn void wari_exit_now(int code)
{
    _exit(code);
}

/* ---- The machine ---- */

int wari_allowed_processors(int online)
{
    return online;
}

/* Counts three quarters of the memory of the machine; other programs need the rest. */
bool wari_available_memory(uint64_t *bytes)
{
#ifdef _SC_PHYS_PAGES
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

    if (pages > 0 && page > 0) {
        *bytes = (uint64_t)pages * (uint64_t)page / 4 * 3;
        return true;
    }
#endif
    (void)bytes;
    return false;
}

uint64_t wari_used_address_space(void)
{
    return 0;
}

void wari_pause_precisely(void)
{
}

#endif
