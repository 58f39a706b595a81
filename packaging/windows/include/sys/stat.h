/* <sys/stat.h>, with a struct stat that identifies files: in that of the C library, st_ino is 0. */
#ifndef WINDOWS_INCLUDE_STAT_H
#define WINDOWS_INCLUDE_STAT_H

#include <io.h>
#include <stdint.h>
#include_next <sys/stat.h>

#undef stat
#undef fstat
#define stat windows_stat
#define fstat windows_fstat
#define S_IFLNK 0xA000
#define S_ISLNK(mode) (((mode)&S_IFMT) == S_IFLNK)

struct windows_stat {
    uint64_t st_dev; /* the number of the volume; 0 for what is not on a disk */
    uint64_t st_ino;
    unsigned st_mode;
    unsigned st_nlink;
    int st_uid, st_gid;
    int64_t st_size;
    int64_t st_mtime;
};

int windows_stat(const char *path, struct windows_stat *found);
int windows_fstat(int fd, struct windows_stat *found);
int lstat(const char *path, struct windows_stat *found);
/* `folder` is a descriptor of an open folder; `flags` must be 0. */
int fstatat(int folder, const char *name, struct windows_stat *found, int flags);
int fchmod(int fd, unsigned mode); /* has no effect */

#endif
