/* Lists folders, with names in UTF-8. */
#ifndef WINDOWS_INCLUDE_DIRENT_H
#define WINDOWS_INCLUDE_DIRENT_H

typedef struct windows_folder DIR;

struct dirent {
    char d_name[3 * 260 + 1];
};

DIR *opendir(const char *path);
struct dirent *readdir(DIR *folder);
int closedir(DIR *folder);
int dirfd(DIR *folder); /* closedir() closes the descriptor */

#endif
