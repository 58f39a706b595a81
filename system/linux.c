/* Implements platform.h with calls that only Linux has. */
#include "system/platform.h"

#if WARI_SYSTEM_LINUX

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Descriptors ---- */

int wari_pipe(int ends[2])
{
    return pipe2(ends, O_CLOEXEC);
}

int wari_socket(int family)
{
    return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int wari_accept(int listener)
{
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

int wari_event_open(struct wari_event *event)
{
    event->receiver = event->sender = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return event->receiver < 0 ? -1 : 0;
}

void wari_event_close(struct wari_event *event)
{
    if (event->receiver >= 0)
        (void)close(event->receiver);
    event->receiver = event->sender = -1;
}

void wari_event_set(const struct wari_event *event)
{
    const uint64_t one = 1;

    (void)!write(event->sender, &one, sizeof one); /* fails only if the counter is full already */
}

void wari_event_clear(const struct wari_event *event)
{
    uint64_t counter;

    (void)!read(event->receiver, &counter, sizeof counter); /* fails if the event is clear */
}

bool wari_close_range_from(int first)
{
#ifdef SYS_close_range
    return syscall(SYS_close_range, first, ~0U, 0) == 0;
#else
    (void)first;
    return false;
#endif
}

/* ---- Processes ---- */

/* Returns true if orphans of other programs are, or may become, child processes of this process. */
static bool may_get_other_orphans(void)
{
    siginfo_t which;

    return getpid() == 1 || waitid(P_ALL, 0, &which, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 ||
           errno != ECHILD;
}

bool wari_adopt_orphans(void)
{
    return !may_get_other_orphans() && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

void wari_stop_adopting(void)
{
    (void)prctl(PR_SET_CHILD_SUBREAPER, 0);
}

void wari_signal_when_parent_ends(int number)
{
    (void)prctl(PR_SET_PDEATHSIG, number);
}

/* The kernel's list of child processes is a file of process numbers, each followed by a blank. */
void wari_child_list_open(struct wari_child_list *list)
{
    static const char start[] = "/proc/self/task/", end[] = "/children";
    char path[sizeof start + 20 + sizeof end], *digit = path + sizeof path - sizeof end;
    long number = getpid();

    /* Writes the path from its end, because a signal handler must not call snprintf(). */
    memcpy(digit, end, sizeof end);
    do
        *--digit = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    digit -= sizeof start - 1;
    memcpy(digit, start, sizeof start - 1);
    list->file = open(digit, O_RDONLY | O_CLOEXEC);
    list->count = list->at = 0;
}

pid_t wari_child_list_next(struct wari_child_list *list)
{
    pid_t pid = 0;

    while (list->file >= 0) {
        if (list->at == list->count) {
            list->at = 0;
            list->count = read(list->file, list->text, sizeof list->text);
            if (list->count <= 0) {
                list->count = 0;
                return 0;
            }
        }
        const char c = list->text[list->at++];
        if (c >= '0' && c <= '9')
            pid = 10 * pid + (c - '0');
        else if (pid > 0)
            return pid;
    }
    return 0;
}

void wari_child_list_close(struct wari_child_list *list)
{
    if (list->file >= 0)
        (void)close(list->file);
    list->file = -1;
}

/* Calls the system directly: with the thread sanitizer, _exit() prints messages, and may need a
 * lock for that. */
_Noreturn void wari_exit_now(int code)
{
    (void)syscall(SYS_exit_group, code);
    _exit(code);
}

/* ---- The machine ---- */

int wari_allowed_processors(int online)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : online;
}

/* Reads the number after `key`, which must be at the start of a line, in a small text file. An
 * empty `key` means the first number in the file. Returns false if there is no such number. */
static bool read_number(const char *path, const char *key, uint64_t *number)
{
    const size_t length = strlen(key);
    char line[256];
    bool found = false;
    FILE *file = fopen(path, "re");

    if (!file)
        return false;
    while (!found && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, length) != 0)
            continue;
        const char *digits = line + length + strspn(line + length, ": \t");
        char *end;
        *number = strtoull(digits, &end, 10);
        found = end != digits;
    }
    (void)fclose(file); /* cannot lose data, since the file was only read */
    return found;
}

bool wari_available_memory(uint64_t *bytes)
{
    uint64_t kilobytes;

    if (!read_number("/proc/meminfo", "MemAvailable", &kilobytes))
        return false;
    *bytes = kilobytes * 1024;
    return true;
}

uint64_t wari_used_address_space(void)
{
    uint64_t pages;

    return read_number("/proc/self/statm", "", &pages) ? pages * (uint64_t)sysconf(_SC_PAGESIZE)
                                                       : 0;
}

void wari_pause_precisely(void)
{
    (void)prctl(PR_SET_TIMERSLACK, 1000UL);
}

#endif
