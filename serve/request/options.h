/* What a server is told, and its limits. */
#ifndef SERVE_REQUEST_OPTIONS_H
#define SERVE_REQUEST_OPTIONS_H

#include <stdint.h>

enum {
    SERVE_BODY_MAX = 1 << 20,    /* bytes of a request: 10,000 positions of 100 characters */
    SERVE_POSITIONS_MAX = 10000, /* of a request: some seconds' work where lines are wanted */
    SERVE_CONNECTIONS_MAX = 10000,
    SERVE_THREADS_MAX = 64,
    SERVE_SECONDS_MAX = 3600,
    SERVE_HOSTS_MAX = 16,
};

struct serve_options {
    const char *address;       /* in numbers: 127.0.0.1, ::1 */
    const char *base;          /* below which all is: "/", "/wari/" (path_is_base()) */
    uint16_t port;             /* 0: any that is free */
    unsigned threads;          /* 1..SERVE_THREADS_MAX: requests that look things up at a time */
    unsigned analysis_threads; /* 0..ANALYSIS_THREADS_MAX: searches at a time; 0: there are none */
    unsigned connections;      /* 1..SERVE_CONNECTIONS_MAX, a thread each; one more gets 503 */
    unsigned seconds;         /* 1..SERVE_SECONDS_MAX: for headers to arrive, for a body, and for an
                               * answer to be fetched, each; then the connection is cut */
    const char *const *hosts; /* names of this server beside localhost and its address, */
    unsigned host_count;      /* 0..SERVE_HOSTS_MAX; without a port */
    void (*note)(const char *text); /* one line for the operator; called by any thread */
};

#endif
