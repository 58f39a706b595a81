/* statvfs(), only for the free space of a disk. */
#ifndef WINDOWS_INCLUDE_STATVFS_H
#define WINDOWS_INCLUDE_STATVFS_H

#include <stdint.h>

struct statvfs {
    uint64_t f_bavail, f_frsize;
};

int statvfs(const char *path, struct statvfs *found);

#endif
