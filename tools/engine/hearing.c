/* Listening while another thread thinks.
 *
 * One poll() waits for input, for the end of the reader of the output, for the other thread and for
 * the clock. What always holds: the listening thread never waits for the other one, nor for a pipe
 * that nobody reads (poll() says less of a terminal: there it may wait for as long as its reader
 * does); the mutex is never held while something is printed.
 */
#include "tools/engine/hearing.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "play/text.h"

enum {
    LINE_MAX_BYTES = 4096, /* no position comes near it */
    WAITING_MAX = 10000,   /* lines that are kept while one is obeyed */
    EARLY = 4,             /* milliseconds to stop before its time is over: processors are busy */
    LATE = 2,              /* milliseconds for it to end by itself then */
    PATIENCE = 80,         /* milliseconds for a search to come to an end, which takes one or two,
                              and for a reader to take something */
    WAIVING = 60,          /* milliseconds from "quit" until what waits is dropped */
    FAREWELL = 85,         /* the same until it leaves, whatever is in hand */
    SLOW = 5000,           /* the same from the end of the input, but for a move to be found */
    LOOK = 20,             /* between looks whether what it prints while it thinks arrives */
    LEAVING = 4,           /* between looks whether all has come to its end */
    OWING = 2,             /* between looks whether what is owed can be printed */
};

/* The line that is being read, and what became of the input. */
struct incoming {
    char text[LINE_MAX_BYTES + 1];
    size_t length;
    bool bad;         /* the line is too long, or has a zero byte */
    bool over;        /* no more input */
    bool quit;        /* for that was said */
    int64_t over_at;  /* since when that is heeded */
    int64_t leave_at; /* whatever the other thread does; -1 */
    int64_t taken_at; /* when output last got on, or none waited */
    uint64_t printed; /* talk->printed as of then */
    int unread;       /* bytes in the pipe as of then */
};

static int64_t now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time); /* cannot fail: this clock exists */
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* ---- Both threads ---- */

enum wari_status conversation_begin(struct conversation *talk, struct wari_error *error)
{
    *talk = (struct conversation){
        .hearing = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER},
        .thought = {.stop_at = -1, .speak_at = -1}};
    talk->hearing.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (talk->hearing.wake < 0)
        return wari_fail(error, WARI_IO, "cannot make an event: %s", strerror(errno));
    return WARI_OK;
}

void conversation_free(struct conversation *talk)
{
    while (talk->hearing.waiting.first) {
        struct heard_line *line = talk->hearing.waiting.first;
        talk->hearing.waiting.first = line->next;
        free(line);
    }
    (void)close(talk->hearing.wake);
}

static void wake_listener(struct conversation *talk)
{
    const uint64_t one = 1;
    (void)!write(talk->hearing.wake, &one, sizeof one); /* can only fail while it is awake */
}

static bool is_thinking(const struct hearing *hearing)
{
    return hearing->go.begun > hearing->go.answered;
}

/* With the mutex: every "go" that was heard is to come to an end. */
static void stop_all(struct conversation *talk)
{
    struct hearing *hearing = &talk->hearing;
    hearing->go.stopped = hearing->go.heard;
    if (is_thinking(hearing) && !atomic_load(&talk->stop)) {
        atomic_store(&talk->stop, true);
        talk->thought.speak_at = now() + PATIENCE;
    }
    pthread_cond_broadcast(&hearing->changed);
}

/* ---- The thread that obeys ---- */

struct heard_line *conversation_next(struct conversation *talk)
{
    struct hearing *hearing = &talk->hearing;
    pthread_mutex_lock(&hearing->mutex);
    hearing->obeying = hearing->replying = talk->thought.spoken = false;
    while (!hearing->waiting.first && !hearing->closed)
        pthread_cond_wait(&hearing->changed, &hearing->mutex);
    struct heard_line *line = hearing->waived ? NULL : hearing->waiting.first;
    if (line) {
        hearing->obeying = true;
        hearing->waiting.first = line->next;
        hearing->waiting.count--;
        if (line->heard_at > hearing->turn_at)
            hearing->turn_at = line->heard_at;
    }
    pthread_mutex_unlock(&hearing->mutex);
    return line;
}

/* What is used of a limit, so that the answer is there in time. */
static int64_t used_of(int64_t limit)
{
    return limit - (limit < 8 * EARLY ? limit / 8 : EARLY);
}

int64_t conversation_think(struct conversation *talk, const struct wari_uci_go *go, int64_t limit,
                           char letter)
{
    struct hearing *hearing = &talk->hearing;
    pthread_mutex_lock(&hearing->mutex);
    uint64_t number = ++hearing->go.begun;
    bool ponder = go->ponder && hearing->go.hit < number;
    bool endless = go->infinite || ponder;
    int64_t stop_at = !endless && limit >= 0 ? hearing->turn_at + used_of(limit) : -1;
    talk->thought = (struct thought){.endless = endless,
                                     .ponder = ponder && !go->infinite,
                                     .limit = limit,
                                     .stop_at = stop_at,
                                     .speak_at = -1,
                                     .letter = letter};
    atomic_store(&talk->stop, number <= hearing->go.stopped);
    if (number <= hearing->go.stopped)
        talk->thought.speak_at = now() + PATIENCE;
    pthread_mutex_unlock(&hearing->mutex);
    wake_listener(talk);
    int64_t left = stop_at - now();
    return stop_at < 0 ? -1 : left > 0 ? left : 0;
}

void conversation_improve(struct conversation *talk, char letter, char reply)
{
    pthread_mutex_lock(&talk->hearing.mutex);
    talk->thought.letter = letter;
    talk->thought.reply = reply;
    pthread_mutex_unlock(&talk->hearing.mutex);
}

/* With the mutex: whether nobody has answered this "go"; somebody does now. */
static bool take_answer(struct conversation *talk)
{
    struct hearing *hearing = &talk->hearing;
    bool mine = is_thinking(hearing);
    hearing->go.answered = hearing->go.begun;
    hearing->turn_at = now();
    talk->thought.stop_at = talk->thought.speak_at = -1;
    return mine;
}

static void make_answer(char letter, char reply, char line[ANSWER])
{
    if (letter == '0')
        strcpy(line, "bestmove 0000");
    else if (reply)
        snprintf(line, ANSWER, "bestmove %c ponder %c", letter, reply);
    else
        snprintf(line, ANSWER, "bestmove %c", letter);
}

void conversation_answer(struct conversation *talk, char letter)
{
    char line[ANSWER] = "";
    pthread_mutex_lock(&talk->hearing.mutex);
    while (talk->thought.endless && !atomic_load(&talk->stop))
        pthread_cond_wait(&talk->hearing.changed, &talk->hearing.mutex);
    char *answer = talk->owed.answer[0] ? line : talk->owed.answer; /* so that it is never lost */
    bool mine = take_answer(talk);
    if (mine)
        make_answer(letter, letter == talk->thought.letter ? talk->thought.reply : 0, answer);
    pthread_mutex_unlock(&talk->hearing.mutex);
    if (mine && line[0])
        conversation_say(talk, "%s", line);
    else if (mine)
        conversation_pay(talk);
}

void conversation_end(struct conversation *talk)
{
    pthread_mutex_lock(&talk->hearing.mutex);
    talk->hearing.ended = true;
    pthread_mutex_unlock(&talk->hearing.mutex);
    wake_listener(talk);
}

/* ---- The thread that listens ---- */

/* With the mutex. */
static enum wari_status keep(struct hearing *hearing, const char *text, struct wari_error *error)
{
    size_t length = strlen(text);
    struct heard_line *line = malloc(sizeof *line + length + 1);
    if (!line)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for a command");
    line->next = NULL;
    line->heard_at = now();
    memcpy(line->text, text, length + 1);
    if (hearing->waiting.first)
        hearing->waiting.last->next = line;
    else
        hearing->waiting.first = line;
    hearing->waiting.last = line;
    hearing->waiting.count++;
    pthread_cond_broadcast(&hearing->changed);
    return WARI_OK;
}

/* With the mutex. "ponderhit": the "go" goes on as if it had come now, without "ponder". */
static void end_pondering(struct conversation *talk)
{
    talk->hearing.go.hit = talk->hearing.go.heard;
    if (!is_thinking(&talk->hearing) || !talk->thought.ponder)
        return;
    talk->thought.ponder = talk->thought.endless = false;
    if (talk->thought.limit >= 0)
        talk->thought.stop_at = now() + used_of(talk->thought.limit);
    pthread_cond_broadcast(&talk->hearing.changed);
}

/* With the mutex: a command that waits its turn. An endless "go" ends where something else is
 * wanted. */
static enum wari_status queue(struct conversation *talk, const char *text, struct wari_error *error)
{
    struct hearing *hearing = &talk->hearing;
    const char *rest, *word;
    if (hearing->go.infinite > hearing->go.stopped ||
        (hearing->go.ponder > hearing->go.stopped && hearing->go.ponder > hearing->go.hit))
        stop_all(talk);
    if (wari_uci_word(text, "go", &rest)) {
        hearing->go.heard++;
        for (word = rest; *word; word++) {
            if (wari_text_is_blank(word[-1]) && wari_uci_word(word, "infinite", &rest))
                hearing->go.infinite = hearing->go.heard;
            if (wari_text_is_blank(word[-1]) && wari_uci_word(word, "ponder", &rest))
                hearing->go.ponder = hearing->go.heard;
        }
    }
    return keep(hearing, text, error);
}

/* Whether something is thought of, or will be before long, that nobody has stopped. */
static bool takes_its_time(const struct hearing *hearing)
{
    return hearing->go.heard > hearing->go.stopped && hearing->go.heard > hearing->go.answered;
}

/* A whole line; blanks at its end are of other systems. */
static enum wari_status hear(struct conversation *talk, struct incoming *in,
                             struct wari_error *error)
{
    const char *text = in->text;
    while (in->length > 0 && strchr(" \t\r", text[in->length - 1]))
        in->text[--in->length] = '\0';
    struct hearing *hearing = &talk->hearing;
    const char *rest;
    enum wari_status status = WARI_OK;
    in->quit |= wari_uci_word(text, "quit", &rest);
    in->over |= in->quit;
    if (in->over || !text[strspn(text, " \t\r")])
        return WARI_OK;
    pthread_mutex_lock(&hearing->mutex);
    if (wari_uci_word(text, "isready", &rest) && takes_its_time(hearing))
        talk->owed.ready++;
    else if (wari_uci_word(text, "stop", &rest))
        stop_all(talk);
    else if (wari_uci_word(text, "ponderhit", &rest))
        end_pondering(talk);
    else if (hearing->waiting.count >= WAITING_MAX)
        talk->owed.crowded++;
    else
        status = wari_uci_word(text, "isready", &rest) ? keep(hearing, text, error)
                                                       : queue(talk, text, error);
    pthread_mutex_unlock(&hearing->mutex);
    return status;
}

/* Takes one byte of input. */
static enum wari_status take_byte(struct conversation *talk, struct incoming *in, char c,
                                  struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    if (c != '\n') {
        in->bad |= c == '\0' || in->length == LINE_MAX_BYTES;
        if (!in->bad)
            in->text[in->length++] = c;
        return WARI_OK;
    }
    in->text[in->length] = '\0';
    if (in->bad) {
        pthread_mutex_lock(&talk->hearing.mutex);
        talk->owed.malformed++;
        pthread_mutex_unlock(&talk->hearing.mutex);
    } else {
        status = hear(talk, in, error);
    }
    in->length = 0;
    in->bad = false;
    return status;
}

static enum wari_status read_input(struct conversation *talk, struct incoming *in,
                                   struct wari_error *error)
{
    char bytes[LINE_MAX_BYTES];
    enum wari_status status = WARI_OK;
    ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
    if (count < 0 && (errno == EINTR || errno == EAGAIN))
        return WARI_OK;
    if (count < 0)
        return wari_fail(error, WARI_IO, "cannot read standard input: %s", strerror(errno));
    for (ssize_t i = 0; i < count && status == WARI_OK && !in->over; i++)
        status = take_byte(talk, in, bytes[i], error);
    if (count == 0) {
        if (in->length > 0 || in->bad)
            status = take_byte(talk, in, '\n', error);
        in->over = true;
    }
    return status;
}

/* Does what is due by the clock; returns the milliseconds until the next thing is, -1 for none. */
static int look_at_clock(struct conversation *talk, struct incoming *in)
{
    int64_t next = in->leave_at, time = now();
    pthread_mutex_lock(&talk->hearing.mutex);
    struct thought *thought = &talk->thought;
    if (thought->stop_at >= 0 && thought->stop_at <= time && is_thinking(&talk->hearing)) {
        thought->stop_at = -1;
        thought->speak_at = time + LATE;
        atomic_store(&talk->stop, true);
        pthread_cond_broadcast(&talk->hearing.changed);
    }
    const bool owing = talk->owed.answer[0]; /* the one before comes first */
    if (!owing && thought->speak_at >= 0 && thought->speak_at <= time) {
        if (take_answer(talk))
            make_answer(thought->letter, thought->reply, talk->owed.answer);
        thought->spoken = true;
    }
    if (thought->stop_at >= 0 && (next < 0 || thought->stop_at < next))
        next = thought->stop_at;
    if (!owing && thought->speak_at >= 0 && (next < 0 || thought->speak_at < next))
        next = thought->speak_at;
    if (is_thinking(&talk->hearing) && (next < 0 || next > time + LOOK))
        next = time + LOOK;
    pthread_mutex_unlock(&talk->hearing.mutex);
    return next < 0 ? -1 : next > time ? (int)(next - time < 60000 ? next - time : 60000) : 0;
}

/* Whether something waits to be printed, and for a while nothing was, nor was anything read. */
static bool nobody_takes_output(struct conversation *talk, struct incoming *in)
{
    const uint64_t printed = atomic_load(&talk->printed);
    int unread; /* of a socket, and of a pipe */
    if (ioctl(STDOUT_FILENO, TIOCOUTQ, &unread) != 0 &&
        ioctl(STDOUT_FILENO, FIONREAD, &unread) != 0)
        unread = 0;
    bool waits = conversation_owes(talk) || (output_is_busy() && output_is_full());
    if (!waits || printed != in->printed || unread != in->unread)
        in->taken_at = now();
    in->printed = printed;
    in->unread = unread;
    return now() >= in->taken_at + PATIENCE;
}

/* When the input is over: everything is stopped, and what waits is still carried out, as far as
 * there is time. Who thinks on when the last answer was given in its place, or prints what nobody
 * takes, is not waited for. */
static void wind_up(struct conversation *talk, struct incoming *in)
{
    struct hearing *hearing = &talk->hearing;
    const int64_t time = now();
    pthread_mutex_lock(&hearing->mutex);
    if (!hearing->closed) {
        hearing->closed = true;
        in->over_at = in->taken_at = time;
        stop_all(talk);
    }
    hearing->waived = in->quit && time >= in->over_at + WAIVING;
    bool spoken = talk->thought.spoken && !hearing->waiting.first;
    bool thinks = is_thinking(hearing);
    pthread_mutex_unlock(&hearing->mutex);
    int64_t last = in->over_at + (in->quit ? FAREWELL : thinks ? SLOW + PATIENCE : SLOW);
    bool useless =
        (spoken && !conversation_owes(talk) && !output_is_busy()) || nobody_takes_output(talk, in);
    if (time >= last || (in->leave_at < 0 && useless))
        in->leave_at = time;
}

/* Whether something that was said stays without its answer, unless the other thread has obeyed, and
 * then says why. "quit" waives what still waits, and what is in hand without a word so far. */
static bool leaves_something(struct conversation *talk, bool obeyed, bool quit)
{
    struct hearing *hearing = &talk->hearing;
    const struct timespec moment = {.tv_nsec = 1000000};
    for (int i = 0; i < 10 && !conversation_pay_at_once(talk) && !output_is_full(); i++)
        (void)nanosleep(&moment, NULL); /* somebody just prints */
    pthread_mutex_lock(&hearing->mutex);
    bool in_hand = hearing->obeying && !talk->thought.spoken;
    bool left = is_thinking(hearing) || (in_hand && (hearing->replying || !quit)) ||
                (hearing->waiting.first && !quit);
    pthread_mutex_unlock(&hearing->mutex);
    return conversation_owes(talk) || (left && !obeyed);
}

static bool has_ended(struct conversation *talk)
{
    uint64_t events;
    (void)!read(talk->hearing.wake, &events, sizeof events); /* nothing to read is no matter */
    pthread_mutex_lock(&talk->hearing.mutex);
    bool ended = talk->hearing.ended;
    pthread_mutex_unlock(&talk->hearing.mutex);
    return ended;
}

static bool nobody_reads_output(const struct pollfd *output)
{
    return (output->revents & (POLLERR | POLLHUP)) != 0;
}

/* Waits for something to happen, at most so many milliseconds, and hears it; -1: for ever. */
static enum wari_status wait_and_hear(struct conversation *talk, struct incoming *in, int wait,
                                      struct wari_error *error)
{
    struct pollfd files[] = {{.fd = talk->hearing.wake, .events = POLLIN},
                             {.fd = in->leave_at < 0 ? STDOUT_FILENO : -1},
                             {.fd = in->over ? -1 : STDIN_FILENO, .events = POLLIN}};
    enum wari_status status = WARI_OK;
    if (poll(files, sizeof files / sizeof *files, wait) <= 0)
        return WARI_OK;
    if (files[2].revents)
        status = read_input(talk, in, error);
    else if (nobody_reads_output(&files[1])) /* and what was said before is heard */
        in->leave_at = now() + PATIENCE;
    in->over |= in->leave_at >= 0 || status != WARI_OK;
    return status;
}

enum wari_status conversation_listen(struct conversation *talk, bool *obeyed,
                                     struct wari_error *error)
{
    struct incoming in = {.leave_at = -1};
    enum wari_status status = WARI_OK;
    while (!(*obeyed = has_ended(talk)) || conversation_owes(talk)) {
        in.over |= *obeyed;
        if (in.leave_at < 0 && output_is_lost()) {
            in.over = true;
            in.leave_at = now() + PATIENCE;
        }
        if (in.over)
            wind_up(talk, &in);
        int wait = look_at_clock(talk, &in);
        int most = !conversation_pay_at_once(talk) ? OWING : in.over ? LEAVING : -1;
        if (most >= 0 && (wait < 0 || wait > most))
            wait = most;
        if (in.leave_at >= 0 && now() >= in.leave_at)
            break;
        const enum wari_status heard = wait_and_hear(talk, &in, wait, error);
        if (heard != WARI_OK)
            status = heard;
    }
    *obeyed = *obeyed || has_ended(talk);
    if (leaves_something(talk, *obeyed, in.quit) && status == WARI_OK)
        status = wari_fail(error, WARI_IO, "not all that was asked was answered in time");
    return status;
}
