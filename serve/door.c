/* A thread that accepts connections.
 *
 * To close a socket behind bytes that nobody has read resets the connection, and the client may
 * never see what was sent to it. So who is turned away gets the answer, then the end of what is
 * sent, and what the client sends is read away until it closes or a second has passed. There is
 * room for some at that; when it is full, the one who came first is let go.
 *
 * One descriptor is kept in reserve: where the process has none left, it is given up for as long as
 * it takes to turn somebody away, who would wait for ever otherwise.
 */
#include "serve/door.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/request/connections.h"

enum {
    LEAVING = DOOR_DESCRIPTORS - 2, /* who have been turned away and have not left yet */
    LEAVE_MS = 1000,
    SOME = 64,     /* connections accepted in one go */
    WAIT_MS = 100, /* where neither a connection nor a descriptor could be had */
    LISTENER = LEAVING,
    BELL, /* rings when the door is to close */
    POLLED,
};

struct door {
    struct door_plan plan;
    pthread_t thread;
    int bell, reserve;
    struct pollfd polled[POLLED];
    int64_t until[LEAVING]; /* when who is turned away has to be gone */
};

/* ---- Turning away ---- */

static void let_go(struct door *door, int place)
{
    close(door->polled[place].fd);
    door->polled[place].fd = -1;
}

/* A free place, if need be that of who came first. */
static int find_place(struct door *door)
{
    int first = 0;
    for (int i = 0; i < LEAVING; i++) {
        if (door->polled[i].fd < 0)
            return i;
        if (door->until[i] < door->until[first])
            first = i;
    }
    let_go(door, first);
    return first;
}

static void turn_away(struct door *door, int socket)
{
    int place = find_place(door);
    /* A fresh socket has room for it all; who left already misses nothing. */
    (void)send(socket, door->plan.refusal, door->plan.length, MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)shutdown(socket, SHUT_WR);
    door->polled[place] = (struct pollfd){.fd = socket, .events = POLLIN};
    door->until[place] = clock_now() + LEAVE_MS;
}

/* Reads away what came from who is turned away, and sees off who is done. */
static void see_off(struct door *door)
{
    char bytes[4096];
    int64_t now = clock_now();
    for (int i = 0; i < LEAVING; i++) {
        struct pollfd *each = &door->polled[i];
        if (each->fd < 0)
            continue;
        ssize_t count = 1;
        if (each->revents)
            count = recv(each->fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) || door->until[i] < now)
            let_go(door, i);
    }
}

/* ---- Accepting ---- */

static int accept_one(struct door *door)
{
    return accept4(door->plan.listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/* No descriptor is left: turns one away by means of the one in reserve, and waits a moment for what
 * it sends. */
static void turn_one_away(struct door *door)
{
    char bytes[4096];
    if (door->reserve >= 0)
        close(door->reserve);
    int socket = accept_one(door);
    struct pollfd polled = {.fd = socket, .events = POLLIN};
    if (socket >= 0) {
        (void)send(socket, door->plan.refusal, door->plan.length, MSG_DONTWAIT | MSG_NOSIGNAL);
        (void)shutdown(socket, SHUT_WR);
    }
    if (poll(&polled, 1, WAIT_MS) == 1)
        (void)!recv(socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (socket >= 0)
        close(socket);
    door->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Not more than a few, so that nobody who leaves waits behind a flood. */
static void accept_some(struct door *door)
{
    for (int i = 0; i < SOME; i++) {
        int socket = accept_one(door);
        int number = errno;
        if (socket >= 0 && !door->plan.admit(door->plan.context, socket))
            turn_away(door, socket);
        if (socket >= 0 || number == EINTR || number == ECONNABORTED)
            continue;
        if (number == EMFILE || number == ENFILE || number == ENOBUFS || number == ENOMEM)
            turn_one_away(door);
        return;
    }
}

static bool somebody_leaves(const struct door *door)
{
    for (int i = 0; i < LEAVING; i++) {
        if (door->polled[i].fd >= 0)
            return true;
    }
    return false;
}

static void *stand(void *context)
{
    struct door *door = context;
    for (;;) {
        int count = poll(door->polled, POLLED, somebody_leaves(door) ? WAIT_MS : -1);
        if (door->polled[BELL].revents)
            return NULL;
        if (count < 0)
            continue; /* a signal, or no memory for a moment */
        see_off(door);
        if (door->polled[LISTENER].revents)
            accept_some(door);
    }
}

/* ---- Opening and closing ---- */

static void free_door(struct door *door)
{
    for (int i = 0; i < LEAVING; i++) {
        if (door->polled[i].fd >= 0)
            let_go(door, i);
    }
    if (door->bell >= 0)
        close(door->bell);
    if (door->reserve >= 0)
        close(door->reserve);
    close(door->plan.listener);
    free(door);
}

enum wari_status door_open(struct door **opened, const struct door_plan *plan,
                           struct wari_error *error)
{
    struct door *door = malloc(sizeof *door);
    *opened = NULL;
    if (!door) {
        close(plan->listener);
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for a server");
    }
    door->plan = *plan;
    door->bell = eventfd(0, EFD_CLOEXEC);
    door->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
    for (int i = 0; i < LEAVING; i++)
        door->polled[i] = (struct pollfd){.fd = -1};
    door->polled[LISTENER] = (struct pollfd){.fd = plan->listener, .events = POLLIN};
    door->polled[BELL] = (struct pollfd){.fd = door->bell, .events = POLLIN};
    int number = door->bell < 0 ? errno : pthread_create(&door->thread, NULL, stand, door);
    if (number != 0) {
        free_door(door);
        return door_not_opened(number, error);
    }
    *opened = door;
    return WARI_OK;
}

enum wari_status door_not_opened(int number, struct wari_error *error)
{
    const bool room = number == EAGAIN || number == ENOMEM;

    return wari_fail(error, room ? WARI_NO_MEMORY : WARI_IO,
                     "cannot start a thread for the server: %s%s", strerror(number),
                     room ? "; raise the limits (ulimit -u, ulimit -v)" : "");
}

void door_close(struct door *door)
{
    const uint64_t once = 1;
    /* Cannot fail: the counter has room for far more than one. */
    (void)!write(door->bell, &once, sizeof once);
    (void)pthread_join(door->thread, NULL);
    free_door(door);
}
