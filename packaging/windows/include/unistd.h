/* <unistd.h>, with functions of POSIX that Windows lacks. system/windows.c defines them. */
#ifndef WINDOWS_INCLUDE_UNISTD_H
#define WINDOWS_INCLUDE_UNISTD_H

#include_next <unistd.h>

/* lseek() fails with EINVAL for these: holes of files are not found. */
#define SEEK_DATA 3
#define SEEK_HOLE 4

enum { _SC_PAGESIZE = 1, _SC_NPROCESSORS_ONLN };

ssize_t pread(int fd, void *buffer, size_t bytes, off_t offset);
ssize_t pwrite(int fd, const void *buffer, size_t bytes, off_t offset);
int fsync(int fd);
int fchown(int fd, int owner, int group);
/* `folder` is a descriptor of an open folder; `flags` must be 0. */
int unlinkat(int folder, const char *name, int flags);
int gethostname(char *name, size_t bytes);
long sysconf(int name);

#endif
