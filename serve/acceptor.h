/* The acceptor: accepts connections, and turns away those for which there is no room.
 *
 * Who is turned away is told so at once (503), without a thread, and whether or not a request
 * comes: an HTTP library that has reached its limit stops to accept, and then nobody hears
 * anything any more. */
#ifndef SERVE_ACCEPTOR_H
#define SERVE_ACCEPTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "game/wari_game.h"

struct acceptor;

enum { ACCEPTOR_DESCRIPTORS_MAX = 64 + 2 }; /* that a acceptor has open itself, at most */

struct acceptor_config {
    int listener; /* a listening socket that does not block; the acceptor's own from here on */
    /* Takes a connection as its own, or says that there is no room. Called by the acceptor's
     * thread. */
    bool (*admit)(void *context, int socket);
    void *context;
    const char *refusal; /* sent to the others, whole: must outlive the acceptor */
    size_t length;
};

/* Starts a thread that stands at the acceptor. If it cannot be started, the status is that of
 * acceptor_thread_error(), and the listener is closed, as by acceptor_stop(). */
WARI_MUST_CHECK enum wari_status acceptor_start(struct acceptor **acceptor,
                                                const struct acceptor_config *config,
                                                struct wari_error *error);

/* What a server says that got no thread, by the errno of that: WARI_NO_MEMORY where there is no
 * room for one, WARI_IO otherwise. */
enum wari_status acceptor_thread_error(int number, struct wari_error *error);

/* No connection is accepted any more; the listener is closed. */
void acceptor_stop(struct acceptor *acceptor);

#endif
