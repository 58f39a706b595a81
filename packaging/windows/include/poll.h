/* poll() for the descriptors that the program waits for: standard input, events (struct
 * wari_event), and standard output, for which it only reports POLLERR if the reader has gone and
 * POLLOUT was requested. */
#ifndef WINDOWS_INCLUDE_POLL_H
#define WINDOWS_INCLUDE_POLL_H

enum { POLLIN = 1, POLLOUT = 4, POLLERR = 8, POLLHUP = 16 };

typedef unsigned nfds_t;

struct pollfd {
    int fd;
    short events, revents;
};

/* After this function has waited for standard input, the program must use read() to read from it,
 * because a thread has read the next bytes already. */
int poll(struct pollfd *files, nfds_t count, int milliseconds);

#endif
