/* Chooses the operating system, and declares the functions that each system implements differently:
 *
 *     linux.c     the functions for Linux, with calls that only Linux has
 *     posix.c     the functions for other Unix systems, with nothing but calls of POSIX.1-2008
 *     unix.c      functions that are the same on Linux and other Unix systems
 *     windows.c   all functions for Windows (packaging/windows/README.md)
 *
 * With -DWARI_POSIX_ONLY, posix.c is used on Linux, too (`make PLATFORM=posix`). README.md lists
 * what else differs between systems. Only this folder and db/host/ may contain calls that not every
 * system has; `make lint` refuses such calls elsewhere.
 *
 * Unless stated otherwise, functions that return int return -1 and set errno on failure. */
#ifndef SYSTEM_PLATFORM_H
#define SYSTEM_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Exactly one of these is 1. */
#if defined(_WIN32)
#define WARI_SYSTEM_WINDOWS 1
#define WARI_SYSTEM_LINUX 0
#define WARI_SYSTEM_POSIX 0
#elif defined(__linux__) && !defined(WARI_POSIX_ONLY)
#define WARI_SYSTEM_WINDOWS 0
#define WARI_SYSTEM_LINUX 1
#define WARI_SYSTEM_POSIX 0
#else
#define WARI_SYSTEM_WINDOWS 0
#define WARI_SYSTEM_LINUX 0
#define WARI_SYSTEM_POSIX 1
#endif

/* ---- Descriptors ---- */

/* Opens a pipe whose ends are closed by exec: ends[0] is for reading, ends[1] for writing. On
 * systems other than Linux, a process that another thread forks at this moment may inherit the
 * pipe. */
int wari_pipe(int ends[2]);

/* These open a stream socket, and accept a connection. Both return a socket that does not block and
 * is closed by exec. */
int wari_socket(int family);
int wari_accept(int listener);

/* An event wakes a thread that waits in poll() for the descriptor `receiver` to become readable. */
struct wari_event {
    int receiver, sender; /* -1 if the event is not open; both may be the same descriptor */
};

/* On failure, both descriptors are -1. */
int wari_event_open(struct wari_event *event);
void wari_event_close(struct wari_event *event); /* does nothing if the event is not open */

/* Makes the receiver readable until wari_event_clear() is called. Neither of the two functions ever
 * blocks. */
void wari_event_set(const struct wari_event *event);
void wari_event_clear(const struct wari_event *event);

/* Closes all descriptors from `first` on. Allowed in a signal handler. */
void wari_close_descriptors_from(int first);

/* Closes all descriptors from `first` on by one system call, which needs no list of open
 * descriptors. Returns false if the system has no such call. */
bool wari_close_range_from(int first);

/* ---- Processes: all of these functions are allowed in a signal handler ---- */

/* Makes this process the parent of descendants whose own parents end. Returns false if the system
 * cannot do that, or if this process would become the parent of other orphans, too, because it is
 * process 1 or already has child processes. */
bool wari_adopt_orphans(void);
void wari_stop_adopting(void);

/* Asks the system to send this process a signal when its parent ends. Only Linux can do that;
 * elsewhere nothing happens. */
void wari_signal_when_parent_ends(int number);

/* The list of the child processes of the first thread of this process. It is empty if the system
 * provides no such list; wari_adopt_orphans() then returns false. */
struct wari_child_list {
    int file;          /* -1 if there is no list */
    ssize_t count, at; /* number of bytes in `text`, and the next byte */
    char text[1024];   /* the part of the list that is being read */
};

void wari_child_list_open(struct wari_child_list *list);
/* Returns the next child process, which may have ended without being reaped; 0 at the end. */
pid_t wari_child_list_next(struct wari_child_list *list);
void wari_child_list_close(struct wari_child_list *list);

/* Exits like _exit(), but never waits for a lock that another thread holds. */
_Noreturn void wari_exit_now(int code);

/* ---- Files ---- */

/* Makes the data of a file durable, but not necessarily its times. */
int wari_sync_data(int fd);

/* Advises the system to drop the cached data of a file, which must be on disk already. */
void wari_drop_cached_data(int fd);

/* Returns the times of the last change of a file's data and of the file's status, in nanoseconds
 * since 1970. */
uint64_t wari_data_changed_at(const struct stat *status);
uint64_t wari_status_changed_at(const struct stat *status);

/* ---- The machine ---- */

/* Returns the number of processors on which this process may run. If the system cannot tell,
 * returns `online`, which is the number of processors that exist. */
int wari_allowed_processors(int online);

/* Sets *bytes to the memory that a process can use without disturbing others. Returns false if that
 * is not known. */
bool wari_available_memory(uint64_t *bytes);

/* Returns the bytes of address space that this process uses; 0 if they are not known. */
uint64_t wari_used_address_space(void);

/* Makes pauses of this thread, and of threads that it starts, end on time. By default, the system
 * may make short pauses three times as long. */
void wari_pause_precisely(void);

/* Returns the number of columns of the terminal `fd`; 0 if it is not known. */
int wari_terminal_columns(int fd);

#endif
