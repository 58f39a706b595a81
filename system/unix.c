/* Implements functions of platform.h in the same way for Linux and other Unix systems. If a system
 * lacks a call, it lacks the constant for it, too, so the constants decide which calls are used. */
#include "system/platform.h"

#if !WARI_SYSTEM_WINDOWS

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

void wari_close_descriptors_from(int first)
{
    enum { FILES_MAX = 1 << 16 };
    const long limit = sysconf(_SC_OPEN_MAX);
    const int end = limit > 0 && limit < FILES_MAX ? (int)limit : FILES_MAX;

    if (wari_close_range_from(first))
        return;
    for (int fd = first; fd < end; fd++)
        (void)close(fd);
}

/* On macOS, fsync() does not wait for the disk, and fdatasync() is not declared. */
int wari_sync_data(int fd)
{
#ifdef F_FULLFSYNC
    return fcntl(fd, F_FULLFSYNC) == 0 ? 0 : fsync(fd);
#else
    return fdatasync(fd);
#endif
}

void wari_drop_cached_data(int fd)
{
#ifdef POSIX_FADV_DONTNEED
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
#elif defined(F_NOCACHE)
    (void)fcntl(fd, F_NOCACHE, 1);
#else
    (void)fd;
#endif
}

static uint64_t nanoseconds(struct timespec time)
{
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

#ifdef __APPLE__
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#endif

uint64_t wari_data_changed_at(const struct stat *status)
{
    return nanoseconds(status->st_mtim);
}

uint64_t wari_status_changed_at(const struct stat *status)
{
    return nanoseconds(status->st_ctim);
}

int wari_terminal_columns(int fd)
{
#ifdef TIOCGWINSZ
    struct winsize size;

    if (ioctl(fd, TIOCGWINSZ, &size) == 0)
        return size.ws_col;
#endif
    (void)fd;
    return 0;
}

#endif
