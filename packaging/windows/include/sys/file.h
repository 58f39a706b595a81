/* flock(), for exclusive locks only. */
#ifndef WINDOWS_INCLUDE_FILE_H
#define WINDOWS_INCLUDE_FILE_H

enum { LOCK_EX = 2, LOCK_NB = 4 };

/* Locks without waiting, whatever `operation` is. Other processes can still read the file. */
int flock(int fd, int operation);

#endif
