/* The open connections, each with the moment at which it is cut.
 *
 * An HTTP library's own time-out only sees silence; who sends a byte now and then, or fetches one,
 * stays for ever. Here every request has a fixed time to arrive and every answer one to be fetched.
 * What the server itself takes to find an answer does not count.
 */
#ifndef SERVE_CONNECTIONS_H
#define SERVE_CONNECTIONS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Clients of this machine are not told apart: all that a proxy passes on comes from there. */
enum { CLIENT_UNIDENTIFIED = 0 };

struct connection {
    struct connection *next, *previous;
    int socket;
    uint64_t client;          /* the same for all connections of one, or CLIENT_UNIDENTIFIED */
    _Atomic int64_t deadline; /* of what it is doing now, in milliseconds of clock_now() */
    atomic_bool busy;         /* a request's headers have arrived, and it has not ended */
    int64_t remaining_ms;     /* of the client's time, while the server works */
};

struct connections {
    pthread_mutex_t lock;                     /* of the lists and `count` */
    struct connection *pending, *open;        /* handed to the library; taken up by it */
    unsigned count, connections_max, seconds; /* in both lists; of them; to send or to fetch */
    atomic_uint in_flight; /* requests whose headers have arrived and that have not ended */
};

/* Milliseconds of a clock that never goes back. */
int64_t clock_now(void);

void connections_init(struct connections *connections, unsigned connections_max, unsigned seconds);
void connections_destroy(struct connections *connections); /* none may be open */

/* Takes a place for a socket that is given to the library next. False if there is none, or no
 * memory. A library short of memory closes a socket without a word: who comes with the same number
 * takes over that one's place. */
bool connections_reserve(struct connections *connections, int socket);

/* An expected one does not come. */
void connections_cancel(struct connections *connections, int socket);

/* An expected one has come. */
struct connection *connections_open(struct connections *connections, int socket);

/* To be called before the socket is closed, so that never another one is cut in its place. */
void connections_close(struct connections *connections, struct connection *connection);

/* A request or an answer begins or ends: the time starts anew. */
void connection_restart_timer(const struct connections *connections, struct connection *connection);

/* The server works, and the client's time stands still until it goes on. By the
 * connection's own thread. */
void connection_pause_timer(struct connection *connection);
void connection_resume_timer(struct connection *connection);

/* Whether nobody can get an answer here any more: the client's system has refused what was sent to
 * it. */
bool connection_is_broken(const struct connection *connection);

/* Which connections are cut. */
enum drop {
    DROP_EXPIRED, /* whose time is up */
    DROP_IDLE,    /* these, and those without a request */
    DROP_ALL,
};

void connections_drop(struct connections *connections, enum drop which);

#endif
