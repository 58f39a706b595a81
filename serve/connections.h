/* The open connections, each with a deadline.
 *
 * The time-out of an HTTP library only detects silence: a client that occasionally sends or
 * fetches a byte stays connected for ever. Here every request must arrive within a fixed time, and
 * every response must be fetched within a fixed time. The time that the server itself needs to
 * compute a response is not counted.
 */
#ifndef SERVE_CONNECTIONS_H
#define SERVE_CONNECTIONS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Stands for all clients on this machine, since a reverse proxy forwards the requests of many
 * clients from there, and for connections whose address is unknown. */
enum { CLIENT_UNIDENTIFIED = 0 };

struct connection {
    struct connection *next, *previous;
    int socket;
    uint64_t client; /* equal for all connections of a client, or CLIENT_UNIDENTIFIED */
    _Atomic int64_t
        deadline; /* time limit of the current request or response, by wari_milliseconds_now() */
    atomic_bool busy;       /* a request's headers have arrived, and the request has not ended */
    int64_t remaining_ms;   /* time left to the client while its timer is paused */
    const char *target_end; /* end of the current request's target, in the library's memory */
};

struct connections {
    pthread_mutex_t lock;       /* protects the lists and `count` */
    struct connection *pending; /* passed to the HTTP library, which has not opened them yet */
    struct connection *open;
    unsigned count;           /* number of connections in both lists */
    unsigned connections_max; /* limit of `count` */
    unsigned seconds;      /* time limit for a request to arrive and for a response to be fetched */
    atomic_uint in_flight; /* requests whose headers have arrived and that have not ended */
};

void connections_init(struct connections *connections, unsigned connections_max, unsigned seconds);
void connections_destroy(struct connections *connections); /* none may be open */

/* Reserves an entry for a socket that is about to be passed to the HTTP library. Returns false if
 * the limit is reached or memory runs out. When the library is short of memory it closes a socket
 * without notification; a new connection with the same socket number then reuses the old entry. */
bool connections_reserve(struct connections *connections, int socket);

/* Frees the entry of a reserved socket that the HTTP library did not accept. */
void connections_cancel(struct connections *connections, int socket);

/* Turns the entry of a reserved socket into an open connection. */
struct connection *connections_open(struct connections *connections, int socket);

/* Removes and frees a connection. Call it before the socket is closed: otherwise connections_drop()
 * could shut down another connection that got the same socket number. */
void connections_close(struct connections *connections, struct connection *connection);

/* Restarts the timer: a request or a response begins or ends. */
void connection_restart_timer(const struct connections *connections, struct connection *connection);

/* Pauses the timer while the server computes a response, and resumes it with the time that was
 * left. To be called by the connection's own thread. */
void connection_pause_timer(struct connection *connection);
void connection_resume_timer(struct connection *connection);

/* Returns true if no response can reach the client any more: the client's system has closed or
 * reset the connection. */
bool connection_is_broken(const struct connection *connection);

/* Selects the connections to shut down. */
enum drop {
    DROP_EXPIRED, /* connections whose deadline has passed */
    DROP_IDLE,    /* connections whose deadline has passed, and connections without a request */
    DROP_ALL,
};

void connections_drop(struct connections *connections, enum drop which);

#endif
