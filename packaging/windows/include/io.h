/* <io.h>, with declarations as in POSIX for the functions that system/windows.c replaces. */
#ifndef WINDOWS_INCLUDE_IO_H
#define WINDOWS_INCLUDE_IO_H

#include <sys/types.h>

#define mkdir mkdir_without_mode
#define read read_of_runtime
#define write write_of_runtime
#include_next <io.h>
#undef mkdir
#undef read
#undef write

int mkdir(const char *path, mode_t mode);
ssize_t read(int fd, void *buffer, size_t bytes);
ssize_t write(int fd, const void *buffer, size_t bytes);

#endif
