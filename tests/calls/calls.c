/* This library is loaded before the C library (LD_PRELOAD) and replaces calls of the tested
 * program. With it a test stops the program at an exact point, or lets a chosen call fail. The
 * program itself contains no code for these tests. Environment variables control the library.
 *
 * The k-th call of a kind fails:
 *     FAIL_KIND   memory, file or thread
 *     FAIL_AT     k, counted from 1; 0 means that no call fails
 *     FAIL_ON     if set, all later calls of the kind fail, too
 *     FAIL_KILL   if set, the call does not fail; instead SIGKILL kills the process before the call
 *     FAIL_COUNT  a file that receives the number of calls of the kind when the program ends
 *
 * The program stops before each call with a given name and path:
 *     HOLD_CALL   open, read, write, fsync, rename, unlink, mkdir, flock or close
 *     HOLD_PATH   a pattern of fnmatch(3) for the path; for rename, this is the new path
 *     HOLD_REPORT an open descriptor: a line is written to it when the program arrives at such a
 *                 call
 *     HOLD_GO     an open descriptor: the calling thread waits until it has read a byte from it. At
 *                 end of file, which means that the test has ended, the process kills itself
 *     HOLD_OTHERS if set, the main thread does not stop, but all other threads do
 *
 * Time passes faster:
 *     CLOCK_STEP  nanoseconds by which each reading of CLOCK_MONOTONIC advances this clock, for the
 *                 whole process
 *     CLOCK_FROZEN
 *                 if set, the clock advances by these steps only, and not with real time
 *     CLOCK_FILE  a file: the clock stands still, and is ahead by a millisecond for each byte of
 *                 the file, so that other programs can advance it by appending to the file
 *
 * Time stands still until the test advances it, for a program whose main thread sleeps in a loop:
 *     CLOCK_GO    an open descriptor: nanosleep() returns early when a line with a number of
 *                 milliseconds can be read from it; the clock then advances by that number
 *     CLOCK_REPORT
 *                 an open descriptor: a line is written to it when the main thread sleeps again,
 *                 that is, after it has done everything that was due at the new time
 *
 * The program stops in each poll() that may wait, and time stands still until the test advances it.
 * This is for programs with a thread that calls poll() once in each round of its loop, such as the
 * input thread of `wari engine`:
 *     POLL_LEAST  if set, a poll() of fewer descriptors does not stop; other threads may call it
 *     POLL_REPORT an open descriptor: when the program arrives in such a poll(), a line is written
 *                 to it: "held", and the milliseconds that poll() would wait; -1 means for ever
 *     POLL_GO     an open descriptor: the thread waits until it has read a line from it, a number
 *                 of milliseconds. The clock then advances by that number, and poll() returns at
 *                 once with the descriptors that are ready. After the line "free", poll() waits
 *                 again as usual, and time stands still
 *
 * The file system lacks a feature, as file systems of networks, containers and virtual machines do:
 *     FILES_LACK  words, separated by blanks:
 *                 sync      fsync() of a folder fails with EINVAL
 *                 flock     flock() fails with ENOSYS
 *                 fcntl     locks by fcntl() fail with ENOLCK
 *                 modes     fchmod() and fchown() fail with EPERM
 *                 groups    fchown() fails with EINVAL, as in a namespace without the group
 *                 owner     no file with the name build.owner can be created: EOPNOTSUPP
 *                 unlink    a file cannot be removed while this process has it open: EBUSY; and
 *                           files without a name cannot be created: EOPNOTSUPP
 *                 rename    a file cannot be renamed or replaced by rename() while this process
 *                           has it open: EBUSY
 *
 * Calls that libgomp or the dynamic linker make are neither counted nor made to fail: if one of
 * them failed, libgomp or the linker would end the program with a message and an exit code of their
 * own, which the program cannot change. (The program starts its threads once before libgomp does:
 * system/threads.h.) Calls before main(), and calls on descriptors 0 to 2, on pipes and on sockets,
 * are exempt as well.
 *
 * Programs that the tested program starts do not load this library. If FILES_ONLY is defined, calls
 * for memory and threads are not replaced; a program with sanitizers needs this. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HERE __builtin_return_address(0)
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum kind { MEMORY, FILES, THREADS };

static atomic_long calls;
static atomic_bool running;
static enum kind chosen;
static long at;
static bool on, kills;
static const char *count_file;

static const char *files_lack;

static const char *hold_call, *hold_path; /* NULL means that no call stops */
static bool hold_others;
static atomic_bool hold_over;
static int hold_report, hold_go;
static pthread_mutex_t holding = PTHREAD_MUTEX_INITIALIZER;

static int64_t clock_step;
static bool clock_frozen;
static struct timespec clock_start;
static atomic_llong clock_ahead;
static const char *clock_file;     /* NULL means that there is none */
static int clock_go, clock_report; /* 0 means that time passes by itself */
static int poll_go, poll_report;   /* 0 means that poll() does not stop */
static nfds_t poll_least;
static atomic_bool poll_free;
static pthread_mutex_t polling = PTHREAD_MUTEX_INITIALIZER;
static pthread_t main_thread;

static const char *setting(const char *name)
{
    const char *value = getenv(name);

    return value != NULL ? value : "";
}

__attribute__((constructor)) static void begin(void)
{
    const char *kind = setting("FAIL_KIND");

    chosen = strcmp(kind, "memory") == 0 ? MEMORY : strcmp(kind, "file") == 0 ? FILES : THREADS;
    at = atol(setting("FAIL_AT"));
    on = *setting("FAIL_ON") != '\0';
    kills = *setting("FAIL_KILL") != '\0';
    count_file = getenv("FAIL_COUNT");
    files_lack = setting("FILES_LACK");
    hold_call = getenv("HOLD_CALL");
    hold_path = setting("HOLD_PATH");
    hold_others = *setting("HOLD_OTHERS") != '\0';
    hold_report = atoi(setting("HOLD_REPORT"));
    hold_go = atoi(setting("HOLD_GO"));
    clock_step = atoll(setting("CLOCK_STEP"));
    clock_go = atoi(setting("CLOCK_GO"));
    clock_report = atoi(setting("CLOCK_REPORT"));
    poll_go = atoi(setting("POLL_GO"));
    poll_report = atoi(setting("POLL_REPORT"));
    poll_least = (nfds_t)atoi(setting("POLL_LEAST"));
    clock_file = getenv("CLOCK_FILE");
    clock_frozen =
        *setting("CLOCK_FROZEN") != '\0' || clock_file != NULL || clock_go != 0 || poll_go != 0;
    main_thread = pthread_self();
    (void)NEXT(clock_gettime)(CLOCK_MONOTONIC, &clock_start);
    (void)unsetenv("LD_PRELOAD"); /* the programs that this one starts are not changed */
    atomic_store(&running, true);
}

__attribute__((destructor)) static void end(void)
{
    FILE *file;

    atomic_store(&running, false);
    if (count_file == NULL || (file = fopen(count_file, "w")) == NULL)
        return;
    fprintf(file, "%ld\n", atomic_load(&calls));
    (void)fclose(file);
}

static bool is_exempt(const void *caller)
{
    Dl_info info;

    return dladdr(caller, &info) == 0 || info.dli_fname == NULL ||
           strstr(info.dli_fname, "libgomp") != NULL || strstr(info.dli_fname, "ld-linux") != NULL;
}

/* Counts the call. Returns true if it has to fail; then errno is set to `reason`. */
static bool fails(enum kind kind, const void *caller, int reason)
{
    static _Thread_local bool inside;

    if (!atomic_load(&running) || kind != chosen || inside)
        return false;
    inside = true;
    const bool exempt = is_exempt(caller);
    inside = false;
    if (exempt)
        return false;
    const long number = atomic_fetch_add(&calls, 1) + 1;
    if (at == 0 || number < at || (number > at && !on))
        return false;
    if (kills)
        (void)kill(getpid(), SIGKILL);
    errno = reason;
    return true;
}

/* Stops the calling thread here if the call `name` on `path` is the one in HOLD_CALL and HOLD_PATH.
 */
static void hold(const char *name, const char *path)
{
    char byte;
    ssize_t got;

    if (!atomic_load(&running) || hold_call == NULL || strcmp(name, hold_call) != 0 ||
        fnmatch(hold_path, path, 0) != 0)
        return;
    if (hold_others && pthread_equal(pthread_self(), main_thread))
        return;
    (void)pthread_mutex_lock(&holding);
    if (atomic_load(&hold_over)) {
        (void)pthread_mutex_unlock(&holding);
        return;
    }
    if (NEXT(write)(hold_report, "held\n", 5) != 5)
        (void)kill(getpid(), SIGKILL);
    while ((got = NEXT(read)(hold_go, &byte, 1)) < 0 && errno == EINTR)
        ; /* a signal handler ran: wait again */
    if (got != 1)
        (void)kill(getpid(), SIGKILL);
    if (byte == '!')
        atomic_store(&hold_over, true);
    (void)pthread_mutex_unlock(&holding);
}

/* Calls hold() with the path of the file that is open as descriptor `fd`. */
static void hold_file(const char *name, int fd)
{
    char link[40], path[PATH_MAX];

    if (hold_call == NULL || strcmp(name, hold_call) != 0)
        return;
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof(path) - 1);
    if (length < 0)
        return;
    path[length] = '\0';
    hold(name, path);
}

#ifndef FILES_ONLY

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

/* ---- Memory ---------------------------------------------------------------------------------- */

void *malloc(size_t bytes)
{
    return fails(MEMORY, HERE, ENOMEM) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return fails(MEMORY, HERE, ENOMEM) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return fails(MEMORY, HERE, ENOMEM) ? NULL : __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return fails(MEMORY, HERE, ENOMEM) ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    *memory = fails(MEMORY, HERE, ENOMEM) ? NULL : __libc_memalign(alignment, bytes);
    return *memory != NULL ? 0 : ENOMEM;
}

#endif

/* ---- Files ----------------------------------------------------------------------------------- */

/* Returns true if FILES_LACK contains a word, and sets errno to `reason` then. */
static bool lacks(const char *word, int reason)
{
    const size_t length = strlen(word);

    if (!atomic_load(&running))
        return false;
    for (const char *at = files_lack; (at = strstr(at, word)) != NULL; at += length)
        if ((at == files_lack || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            errno = reason;
            return true;
        }
    return false;
}

/* Returns true if this process has opened the file that has this name. */
static bool is_open(const char *path)
{
    struct stat named, opened;

    if (lstat(path, &named) != 0)
        return false;
    for (int fd = 3; fd < 1024; fd++)
        if (fstat(fd, &opened) == 0 && opened.st_dev == named.st_dev &&
            opened.st_ino == named.st_ino)
            return true;
    return false;
}

static bool is_folder(int fd)
{
    struct stat status;

    return fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool ends_with(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

/* A program with 64-bit file offsets calls variants of these functions whose names end with "64".
 */
static int open_file(const void *caller, const char *path, int flags, mode_t mode)
{
    hold("open", path);
    if ((flags & O_TMPFILE) == O_TMPFILE && lacks("unlink", EOPNOTSUPP))
        return -1;
    if ((flags & O_CREAT) && ends_with(path, "/build.owner") && lacks("owner", EOPNOTSUPP))
        return -1;
    return fails(FILES, caller, EACCES) ? -1 : NEXT(openat)(AT_FDCWD, path, flags, mode);
}

/* Returns true if the descriptor is a regular file other than descriptors 0 to 2. The calls on
 * pipes and sockets do not fail, because no disk is behind them. */
static bool is_file(int fd)
{
    struct stat status;

    return fd > 2 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

int open(const char *path, int flags, ...)
{
    va_list arguments;

    va_start(arguments, flags);
    const mode_t mode = va_arg(arguments, mode_t);
    va_end(arguments);
    return open_file(HERE, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list arguments;

    va_start(arguments, flags);
    const mode_t mode = va_arg(arguments, mode_t);
    va_end(arguments);
    return open_file(HERE, path, flags, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    hold("open", path);
    return fails(FILES, HERE, EACCES) ? NULL : NEXT(fopen)(path, mode);
}

ssize_t pread64(int fd, void *buffer, size_t bytes, off64_t offset)
{
    hold_file("read", fd);
    return fails(FILES, HERE, EIO) ? -1 : NEXT(pread)(fd, buffer, bytes, offset);
}

ssize_t pwrite64(int fd, const void *buffer, size_t bytes, off64_t offset)
{
    hold_file("write", fd);
    return fails(FILES, HERE, ENOSPC) ? -1 : NEXT(pwrite)(fd, buffer, bytes, offset);
}

ssize_t read(int fd, void *buffer, size_t bytes)
{
    hold_file("read", fd);
    return is_file(fd) && fails(FILES, HERE, EIO) ? -1 : NEXT(read)(fd, buffer, bytes);
}

ssize_t write(int fd, const void *buffer, size_t bytes)
{
    hold_file("write", fd);
    return is_file(fd) && fails(FILES, HERE, ENOSPC) ? -1 : NEXT(write)(fd, buffer, bytes);
}

int fsync(int fd)
{
    hold_file("fsync", fd);
    if (is_folder(fd) && lacks("sync", EINVAL))
        return -1;
    return fails(FILES, HERE, EIO) ? -1 : NEXT(fsync)(fd);
}

int rename(const char *from, const char *to)
{
    hold("rename", to);
    if ((is_open(from) || is_open(to)) && lacks("rename", EBUSY))
        return -1;
    return fails(FILES, HERE, EIO) ? -1 : NEXT(rename)(from, to);
}

int unlink(const char *path)
{
    hold("unlink", path);
    if (is_open(path) && lacks("unlink", EBUSY))
        return -1;
    return fails(FILES, HERE, EIO) ? -1 : NEXT(unlink)(path);
}

int fchmod(int fd, mode_t mode)
{
    return lacks("modes", EPERM) ? -1 : NEXT(fchmod)(fd, mode);
}

int fchown(int fd, uid_t owner, gid_t group)
{
    if (lacks("modes", EPERM) || lacks("groups", EINVAL))
        return -1;
    return NEXT(fchown)(fd, owner, group);
}

int mkdir(const char *path, mode_t mode)
{
    hold("mkdir", path);
    return fails(FILES, HERE, EIO) ? -1 : NEXT(mkdir)(path, mode);
}

int flock(int fd, int operation)
{
    hold_file("flock", fd);
    if (lacks("flock", ENOSYS))
        return -1;
    return fails(FILES, HERE, ENOLCK) ? -1 : NEXT(flock)(fd, operation);
}

/* If the caller passes no third argument, the value read here is arbitrary; such commands ignore
 * it. */
int fcntl64(int fd, int command, ...)
{
    va_list arguments;

    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if ((command == F_OFD_SETLK || command == F_SETLK) && lacks("fcntl", ENOLCK))
        return -1;
    return NEXT(fcntl)(fd, command, argument);
}

int close(int fd)
{
    hold_file("close", fd);
    const bool failed = is_file(fd) && fails(FILES, HERE, EIO);
    /* As on Linux, the descriptor is closed even if close() fails. */
    const int result = NEXT(close)(fd);

    if (failed)
        errno = EIO;
    return failed ? -1 : result;
}

/* ---- Time ------------------------------------------------------------------------------------ */

/* Returns the nanoseconds by which other programs have advanced the clock (CLOCK_FILE). */
static int64_t clock_file_time(void)
{
    struct stat status;

    if (clock_file == NULL || stat(clock_file, &status) != 0)
        return 0;
    return (int64_t)status.st_size * 1000000;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    const int result = NEXT(clock_gettime)(clock, time);

    if (result == 0 && clock == CLOCK_MONOTONIC && (clock_step != 0 || clock_frozen)) {
        const int64_t ahead =
            atomic_fetch_add(&clock_ahead, clock_step) + clock_step + clock_file_time();
        if (clock_frozen)
            *time = clock_start;
        const int64_t nanoseconds = time->tv_nsec + ahead % 1000000000;
        time->tv_sec += ahead / 1000000000 + nanoseconds / 1000000000;
        time->tv_nsec = nanoseconds % 1000000000;
    }
    return result;
}

/* Reads a line and advances the clock by the number of milliseconds in it. Returns false if the
 * line is "free". */
static bool let_time_pass(int fd)
{
    char byte = '\0', first = '\0';
    int64_t milliseconds = 0;

    while (byte != '\n') {
        const ssize_t got = NEXT(read)(fd, &byte, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got != 1)
            (void)kill(getpid(), SIGKILL); /* the test has ended */
        if (first == '\0')
            first = byte;
        if (byte >= '0' && byte <= '9')
            milliseconds = 10 * milliseconds + byte - '0';
    }
    (void)atomic_fetch_add(&clock_ahead, milliseconds * 1000000);
    return first != 'f';
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    static bool moved;
    struct pollfd polled = {.fd = clock_go, .events = POLLIN};

    if (clock_go == 0 || !pthread_equal(pthread_self(), main_thread))
        return NEXT(nanosleep)(time, left);
    if (moved && NEXT(write)(clock_report, "passed\n", 7) != 7)
        (void)kill(getpid(), SIGKILL);
    moved = false;
    const int count = ppoll(&polled, 1, time, NULL);
    if (count == 1) {
        (void)let_time_pass(clock_go);
        moved = true;
    }
    return count < 0 ? -1 : 0;
}

int poll(struct pollfd *files, nfds_t count, int timeout)
{
    if (poll_go == 0 || count < poll_least || timeout == 0 || atomic_load(&poll_free))
        return NEXT(poll)(files, count, timeout);
    char line[40];
    const int length = snprintf(line, sizeof(line), "held %d\n", timeout);
    (void)pthread_mutex_lock(&polling);
    if (NEXT(write)(poll_report, line, length) != length)
        (void)kill(getpid(), SIGKILL);
    const bool held = let_time_pass(poll_go);
    atomic_store(&poll_free, !held);
    (void)pthread_mutex_unlock(&polling);
    return NEXT(poll)(files, count, held ? 0 : timeout);
}

#ifndef FILES_ONLY

/* ---- Threads --------------------------------------------------------------------------------- */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument)
{
    return fails(THREADS, HERE, EAGAIN) ? EAGAIN
                                        : NEXT(pthread_create)(thread, attributes, run, argument);
}

#endif
