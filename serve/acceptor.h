/* The acceptor: accepts connections and rejects those for which there is no capacity.
 *
 * A rejected client gets the response 503 at once, without a thread of its own and whether or not
 * it sends a request. An HTTP library that has reached its connection limit stops accepting
 * instead, and further clients then get no response at all. */
#ifndef SERVE_ACCEPTOR_H
#define SERVE_ACCEPTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "game/wari_game.h"

struct acceptor;

/* Upper bound on the descriptors that an acceptor has open. */
enum { ACCEPTOR_DESCRIPTORS_MAX = 64 + 2 };

struct acceptor_config {
    int listener; /* a listening, non-blocking socket; the acceptor owns and closes it */
    /* Takes ownership of a connection and returns true, or returns false if there is no capacity
     * for it. Called by the acceptor's thread. */
    bool (*admit)(void *context, int socket);
    void *context;
    const char *refusal; /* complete response sent to rejected clients; must outlive the acceptor */
    size_t length;
};

/* Starts the acceptor's thread. On failure the listener is closed and the status is that of
 * acceptor_thread_error(). */
WARI_MUST_CHECK enum wari_status acceptor_start(struct acceptor **acceptor,
                                                const struct acceptor_config *config,
                                                struct wari_error *error);

/* Sets the error of a server that could not start a thread. `number` is the errno of that failure.
 * Returns WARI_NO_MEMORY if resources were exhausted (EAGAIN, ENOMEM), otherwise WARI_IO. */
enum wari_status acceptor_thread_error(int number, struct wari_error *error);

/* Stops accepting, closes the listener and all rejected connections, and frees the acceptor. */
void acceptor_stop(struct acceptor *acceptor);

#endif
