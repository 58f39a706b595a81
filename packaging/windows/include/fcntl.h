/* <fcntl.h>, with the flags and functions of POSIX that Windows lacks. system/windows.c
 * defines the functions, and an open() that knows the flags. */
#ifndef WINDOWS_INCLUDE_FCNTL_H
#define WINDOWS_INCLUDE_FCNTL_H

#include_next <fcntl.h>
#include <io.h>

#define O_CLOEXEC 0 /* child processes never inherit a file */
#define O_NONBLOCK 0
#define O_NOFOLLOW 0x10000000
#define O_DIRECTORY 0x20000000

enum { F_GETFD = 1, F_SETLK = 6, F_WRLCK = 1 };

struct flock {
    short l_type, l_whence;
    off_t l_start, l_len;
    pid_t l_pid;
};

/* F_GETFD returns 0 if the descriptor is open. Nothing else is supported; flock() locks files. */
int fcntl(int fd, int command, ...);

#endif
