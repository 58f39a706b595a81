/* flock(), for exclusive locks only. */
#ifndef WINDOWS_INCLUDE_FILE_H
#define WINDOWS_INCLUDE_FILE_H

enum { LOCK_EX = 2, LOCK_NB = 4 };

/* Takes an exclusive lock, and never waits for it, whatever `operation` is. Other processes can
 * still read the file. */
int flock(int fd, int operation);

#endif
