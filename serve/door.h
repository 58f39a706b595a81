/* The door: accepts connections, and turns away those for which there is no room.
 *
 * Who is turned away is told so at once (503), without a thread, and whether or not a request
 * comes: an HTTP library that has reached its limit stops to accept, and then nobody hears
 * anything any more. */
#ifndef SERVE_DOOR_H
#define SERVE_DOOR_H

#include <stdbool.h>
#include <stddef.h>

#include "game/wari_game.h"

struct door;

enum { DOOR_DESCRIPTORS = 64 + 2 }; /* that a door has open itself, at most */

struct door_plan {
    int listener; /* a listening socket that does not block; the door's own from here on */
    /* Takes a connection as its own, or says that there is no room. Called by the door's thread. */
    bool (*admit)(void *context, int socket);
    void *context;
    const char *refusal; /* sent to the others, whole: must outlive the door */
    size_t length;
};

/* Starts a thread that stands at the door. If it cannot be started, the status is that of
 * door_not_opened(), and the listener is closed, as by door_close(). */
WARI_MUST_CHECK enum wari_status door_open(struct door **door, const struct door_plan *plan,
                                           struct wari_error *error);

/* What a server says that got no thread, by the errno of that: WARI_NO_MEMORY where there is no
 * room for one, WARI_IO otherwise. */
enum wari_status door_not_opened(int number, struct wari_error *error);

/* No connection is accepted any more; the listener is closed. */
void door_close(struct door *door);

#endif
