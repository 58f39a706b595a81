/* Loaded before the C library (LD_PRELOAD): the k-th call of a kind fails, in any program.
 *
 *     FAIL_KIND   memory, file or thread
 *     FAIL_AT     k, from 1; 0: none fails
 *     FAIL_ON     if set, all calls after it fail, too
 *     FAIL_COUNT  a file that gets the number of calls when the program ends
 *
 * Calls that libgomp or the dynamic linker make are neither counted nor failed: both end the
 * program there, with a message and a code of their own, and nothing can be done about it. (The
 * program starts its threads once before libgomp does: system/threads.h.) So are calls
 * before main(), and those on descriptors 0 to 2,
 * on pipes and on sockets. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind { MEMORY, FILES, THREADS };

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static atomic_long calls;
static atomic_bool running;
static enum kind chosen;
static long at;
static bool on;
static const char *count_file;

static bool is_exempt(const void *caller)
{
    Dl_info info;

    return dladdr(caller, &info) == 0 || info.dli_fname == NULL ||
           strstr(info.dli_fname, "libgomp") != NULL || strstr(info.dli_fname, "ld-linux") != NULL;
}

/* Whether this call is to fail; sets errno then. */
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
    errno = reason;
    return true;
}

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
    count_file = getenv("FAIL_COUNT");
    (void)unsetenv("LD_PRELOAD"); /* not in what it starts */
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

#define HERE __builtin_return_address(0)
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

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

/* ---- Files ----------------------------------------------------------------------------------- */

/* With 64-bit offsets the program calls these names with "64" behind them. */
static int open_file(const void *caller, const char *path, int flags, mode_t mode)
{
    return fails(FILES, caller, EACCES) ? -1 : NEXT(openat)(AT_FDCWD, path, flags, mode);
}

/* Pipes and sockets have no disk that could fail. */
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
    return fails(FILES, HERE, EACCES) ? NULL : NEXT(fopen)(path, mode);
}

ssize_t pread64(int fd, void *buffer, size_t bytes, off64_t offset)
{
    return fails(FILES, HERE, EIO) ? -1 : NEXT(pread)(fd, buffer, bytes, offset);
}

ssize_t pwrite64(int fd, const void *buffer, size_t bytes, off64_t offset)
{
    return fails(FILES, HERE, ENOSPC) ? -1 : NEXT(pwrite)(fd, buffer, bytes, offset);
}

ssize_t read(int fd, void *buffer, size_t bytes)
{
    return is_file(fd) && fails(FILES, HERE, EIO) ? -1 : NEXT(read)(fd, buffer, bytes);
}

ssize_t write(int fd, const void *buffer, size_t bytes)
{
    return is_file(fd) && fails(FILES, HERE, ENOSPC) ? -1 : NEXT(write)(fd, buffer, bytes);
}

int fsync(int fd)
{
    return fails(FILES, HERE, EIO) ? -1 : NEXT(fsync)(fd);
}

int rename(const char *from, const char *to)
{
    return fails(FILES, HERE, EIO) ? -1 : NEXT(rename)(from, to);
}

int unlink(const char *path)
{
    return fails(FILES, HERE, EIO) ? -1 : NEXT(unlink)(path);
}

int mkdir(const char *path, mode_t mode)
{
    return fails(FILES, HERE, EIO) ? -1 : NEXT(mkdir)(path, mode);
}

int flock(int fd, int operation)
{
    return fails(FILES, HERE, ENOLCK) ? -1 : NEXT(flock)(fd, operation);
}

int close(int fd)
{
    const bool failed = is_file(fd) && fails(FILES, HERE, EIO);
    const int result = NEXT(close)(fd); /* it is closed all the same, as on Linux */

    if (failed)
        errno = EIO;
    return failed ? -1 : result;
}

/* ---- Threads --------------------------------------------------------------------------------- */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument)
{
    return fails(THREADS, HERE, EAGAIN) ? EAGAIN
                                        : NEXT(pthread_create)(thread, attributes, run, argument);
}
