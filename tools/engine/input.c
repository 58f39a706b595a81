/* The input thread, which reads commands while the command thread searches.
 *
 * One poll() waits for input, for the end of the reader of the output, for the command thread
 * and for the clock. Invariants: the input thread never waits for the command thread, nor for a
 * pipe that nobody reads (poll() says less about a terminal: there it may wait for as long as
 * the terminal's reader does). The mutex is never held during output. */
#include "tools/engine/engine_io.h"

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
#include "system/clock.h"

enum {
    LINE_MAX_BYTES = 4096, /* longer than any position */
    QUEUE_MAX = 10000,     /* capacity of the queue of commands */
    STOP_EARLY_MS = 4,     /* a search is stopped this many milliseconds before its time is over,
                            * since processors may be busy */
    ANSWER_LATE_MS = 2,    /* milliseconds after the end of its time in which the search may still
                            * answer by itself */
    GRACE_MS = 80, /* milliseconds for a search to end, which takes one or two, and for a reader to
                      read some output */
    DROP_QUEUE_MS = 60,     /* milliseconds from "quit" until the queue is dropped */
    QUIT_MS = 85,           /* milliseconds from "quit" until the engine exits in any case */
    END_OF_INPUT_MS = 5000, /* milliseconds from the end of the input until the engine exits, not
                               counting the time to find a move */
    OUTPUT_CHECK_MS = 20,   /* milliseconds between checks whether the output of a search is read */
    EXIT_CHECK_MS = 4,      /* milliseconds between checks whether everything has ended */
    PENDING_CHECK_MS = 2,   /* milliseconds between attempts to print pending replies */
};

/* The line being read, and the state of the input. */
struct incoming {
    char text[LINE_MAX_BYTES + 1];
    size_t length;
    bool bad;        /* the line is too long, or contains a zero byte */
    bool over;       /* no more input will be read */
    bool quit;       /* true if the input ended because of "quit" */
    int64_t over_at; /* time at which the shutdown began */
    int64_t exit_at; /* time at which the engine exits, whatever the command thread does; -1 means
                        not yet */
    int64_t progress_at; /* last time at which output made progress or none was pending */
    uint64_t printed;    /* io->printed at that time */
    int unread;          /* bytes in the pipe at that time */
};

/* ---- Setup and shared functions ---- */

enum wari_status engine_io_init(struct engine_io *io, struct wari_error *error)
{
    *io = (struct engine_io){
        .input = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER},
        .search = {.stop_at = -1, .answer_at = -1}};
    io->input.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (io->input.wake < 0)
        return wari_fail(error, WARI_IO, "cannot make an event: %s", strerror(errno));
    return WARI_OK;
}

void engine_io_free(struct engine_io *io)
{
    while (io->input.queue.first) {
        struct input_line *line = io->input.queue.first;
        io->input.queue.first = line->next;
        free(line);
    }
    (void)close(io->input.wake);
}

static void wake_input_thread(struct engine_io *io)
{
    const uint64_t one = 1;
    (void)!write(io->input.wake, &one,
                 sizeof one); /* fails only if the input thread has been woken already */
}

static bool is_thinking(const struct input_state *input)
{
    return input->go.begun > input->go.answered;
}

/* Stops every "go" that was read. The caller holds the mutex. */
static void stop_searches(struct engine_io *io)
{
    struct input_state *input = &io->input;
    input->go.stopped = input->go.heard;
    if (is_thinking(input) && !atomic_load(&io->stop)) {
        atomic_store(&io->stop, true);
        io->search.answer_at = wari_milliseconds_now() + GRACE_MS;
    }
    pthread_cond_broadcast(&input->changed);
}

/* ---- Command thread ---- */

struct input_line *engine_io_next_command(struct engine_io *io)
{
    struct input_state *input = &io->input;
    pthread_mutex_lock(&input->mutex);
    input->executing = input->has_replied = io->search.answered_early = false;
    while (!input->queue.first && !input->closed)
        pthread_cond_wait(&input->changed, &input->mutex);
    struct input_line *line = input->dropped ? NULL : input->queue.first;
    if (line) {
        input->executing = true;
        input->queue.first = line->next;
        input->queue.count--;
        if (line->read_at > input->turn_at)
            input->turn_at = line->read_at;
    }
    pthread_mutex_unlock(&input->mutex);
    return line;
}

/* Returns the part of a time limit to use, so that the answer is printed in time. */
static int64_t usable_time(int64_t limit)
{
    return limit - (limit < 8 * STOP_EARLY_MS ? limit / 8 : STOP_EARLY_MS);
}

int64_t engine_io_begin_search(struct engine_io *io, const struct wari_uci_go *go, int64_t limit,
                               char letter)
{
    struct input_state *input = &io->input;
    pthread_mutex_lock(&input->mutex);
    uint64_t number = ++input->go.begun;
    bool ponder = go->ponder && input->go.hit < number;
    bool endless = go->infinite || ponder;
    int64_t stop_at = !endless && limit >= 0 ? input->turn_at + usable_time(limit) : -1;
    io->search = (struct current_search){.endless = endless,
                                         .ponder = ponder && !go->infinite,
                                         .limit = limit,
                                         .stop_at = stop_at,
                                         .answer_at = -1,
                                         .letter = letter};
    atomic_store(&io->stop, number <= input->go.stopped);
    if (number <= input->go.stopped)
        io->search.answer_at = wari_milliseconds_now() + GRACE_MS;
    pthread_mutex_unlock(&input->mutex);
    wake_input_thread(io);
    int64_t left = stop_at - wari_milliseconds_now();
    return stop_at < 0 ? -1 : left > 0 ? left : 0;
}

void engine_io_set_best_move(struct engine_io *io, char letter, char reply)
{
    pthread_mutex_lock(&io->input.mutex);
    io->search.letter = letter;
    io->search.reply = reply;
    pthread_mutex_unlock(&io->input.mutex);
}

/* Returns true if this "go" has not been answered; the caller then answers it. The caller holds
 * the mutex. */
static bool claim_answer(struct engine_io *io)
{
    struct input_state *input = &io->input;
    bool mine = is_thinking(input);
    input->go.answered = input->go.begun;
    input->turn_at = wari_milliseconds_now();
    io->search.stop_at = io->search.answer_at = -1;
    return mine;
}

static void format_answer(char letter, char reply, char line[ANSWER_BYTES])
{
    if (letter == '0')
        strcpy(line, "bestmove 0000");
    else if (reply)
        snprintf(line, ANSWER_BYTES, "bestmove %c ponder %c", letter, reply);
    else
        snprintf(line, ANSWER_BYTES, "bestmove %c", letter);
}

void engine_io_answer(struct engine_io *io, char letter)
{
    char line[ANSWER_BYTES] = "";
    pthread_mutex_lock(&io->input.mutex);
    while (io->search.endless && !atomic_load(&io->stop))
        pthread_cond_wait(&io->input.changed, &io->input.mutex);
    /* If there is no pending answer, write into its buffer, so that the new answer is never lost.
     */
    char *answer = io->pending.answer[0] ? line : io->pending.answer;
    bool mine = claim_answer(io);
    if (mine)
        format_answer(letter, letter == io->search.letter ? io->search.reply : 0, answer);
    pthread_mutex_unlock(&io->input.mutex);
    if (mine && line[0])
        engine_io_print(io, "%s", line);
    else if (mine)
        engine_io_print_pending(io);
}

void engine_io_end_commands(struct engine_io *io)
{
    pthread_mutex_lock(&io->input.mutex);
    io->input.ended = true;
    pthread_mutex_unlock(&io->input.mutex);
    wake_input_thread(io);
}

/* ---- Input thread ---- */

/* Appends a line to the queue. The caller holds the mutex. */
static enum wari_status append_line(struct input_state *input, const char *text,
                                    struct wari_error *error)
{
    size_t length = strlen(text);
    struct input_line *line = malloc(sizeof *line + length + 1);
    if (!line)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory for a command");
    line->next = NULL;
    line->read_at = wari_milliseconds_now();
    memcpy(line->text, text, length + 1);
    if (input->queue.first)
        input->queue.last->next = line;
    else
        input->queue.first = line;
    input->queue.last = line;
    input->queue.count++;
    pthread_cond_broadcast(&input->changed);
    return WARI_OK;
}

/* Executes "ponderhit": the "go" continues as if it had come now, without "ponder". The caller
 * holds the mutex. */
static void end_pondering(struct engine_io *io)
{
    io->input.go.hit = io->input.go.heard;
    if (!is_thinking(&io->input) || !io->search.ponder)
        return;
    io->search.ponder = io->search.endless = false;
    if (io->search.limit >= 0)
        io->search.stop_at = wari_milliseconds_now() + usable_time(io->search.limit);
    pthread_cond_broadcast(&io->input.changed);
}

/* Queues a command, and stops an endless "go", which must not delay other commands. The caller
 * holds the mutex. */
static enum wari_status queue_command(struct engine_io *io, const char *text,
                                      struct wari_error *error)
{
    struct input_state *input = &io->input;
    const char *rest, *word;
    if (input->go.infinite > input->go.stopped ||
        (input->go.ponder > input->go.stopped && input->go.ponder > input->go.hit))
        stop_searches(io);
    if (wari_uci_word(text, "go", &rest)) {
        input->go.heard++;
        for (word = rest; *word; word++) {
            if (wari_text_is_blank(word[-1]) && wari_uci_word(word, "infinite", &rest))
                input->go.infinite = input->go.heard;
            if (wari_text_is_blank(word[-1]) && wari_uci_word(word, "ponder", &rest))
                input->go.ponder = input->go.heard;
        }
    }
    return append_line(input, text, error);
}

/* Returns true if a search is running or queued that nobody has stopped. */
static bool search_is_due(const struct input_state *input)
{
    return input->go.heard > input->go.stopped && input->go.heard > input->go.answered;
}

/* Handles a complete line. Removes blanks at its end, which other systems add. */
static enum wari_status handle_line(struct engine_io *io, struct incoming *in,
                                    struct wari_error *error)
{
    const char *text = in->text;
    while (in->length > 0 && strchr(" \t\r", text[in->length - 1]))
        in->text[--in->length] = '\0';
    struct input_state *input = &io->input;
    const char *rest;
    enum wari_status status = WARI_OK;
    in->quit |= wari_uci_word(text, "quit", &rest);
    in->over |= in->quit;
    if (in->over || !text[strspn(text, " \t\r")])
        return WARI_OK;
    pthread_mutex_lock(&input->mutex);
    if (wari_uci_word(text, "isready", &rest) && search_is_due(input))
        io->pending.ready++;
    else if (wari_uci_word(text, "stop", &rest))
        stop_searches(io);
    else if (wari_uci_word(text, "ponderhit", &rest))
        end_pondering(io);
    else if (input->queue.count >= QUEUE_MAX)
        io->pending.rejected++;
    else
        status = wari_uci_word(text, "isready", &rest) ? append_line(input, text, error)
                                                       : queue_command(io, text, error);
    pthread_mutex_unlock(&input->mutex);
    return status;
}

/* Adds one byte of input. */
static enum wari_status add_byte(struct engine_io *io, struct incoming *in, char c,
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
        pthread_mutex_lock(&io->input.mutex);
        io->pending.malformed++;
        pthread_mutex_unlock(&io->input.mutex);
    } else {
        status = handle_line(io, in, error);
    }
    in->length = 0;
    in->bad = false;
    return status;
}

static enum wari_status read_input(struct engine_io *io, struct incoming *in,
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
        status = add_byte(io, in, bytes[i], error);
    if (count == 0) {
        if (in->length > 0 || in->bad)
            status = add_byte(io, in, '\n', error);
        in->over = true;
    }
    return status;
}

/* Performs all actions whose time has come. Returns the milliseconds until the next action is
 * due; -1 if no action is pending. */
static int handle_timeouts(struct engine_io *io, struct incoming *in)
{
    int64_t next = in->exit_at, time = wari_milliseconds_now();
    pthread_mutex_lock(&io->input.mutex);
    struct current_search *search = &io->search;
    if (search->stop_at >= 0 && search->stop_at <= time && is_thinking(&io->input)) {
        search->stop_at = -1;
        search->answer_at = time + ANSWER_LATE_MS;
        atomic_store(&io->stop, true);
        pthread_cond_broadcast(&io->input.changed);
    }
    const bool has_answer = io->pending.answer[0]; /* a previous answer is printed first */
    if (!has_answer && search->answer_at >= 0 && search->answer_at <= time) {
        if (claim_answer(io))
            format_answer(search->letter, search->reply, io->pending.answer);
        search->answered_early = true;
    }
    if (search->stop_at >= 0 && (next < 0 || search->stop_at < next))
        next = search->stop_at;
    if (!has_answer && search->answer_at >= 0 && (next < 0 || search->answer_at < next))
        next = search->answer_at;
    if (is_thinking(&io->input) && (next < 0 || next > time + OUTPUT_CHECK_MS))
        next = time + OUTPUT_CHECK_MS;
    pthread_mutex_unlock(&io->input.mutex);
    return next < 0 ? -1 : next > time ? (int)(next - time < 60000 ? next - time : 60000) : 0;
}

/* Returns true if output is pending and for a while nothing was printed or read. */
static bool output_is_stalled(struct engine_io *io, struct incoming *in)
{
    const uint64_t printed = atomic_load(&io->printed);
    int unread; /* works for sockets with TIOCOUTQ and for pipes with FIONREAD */
    if (ioctl(STDOUT_FILENO, TIOCOUTQ, &unread) != 0 &&
        ioctl(STDOUT_FILENO, FIONREAD, &unread) != 0)
        unread = 0;
    bool waits = engine_io_has_pending(io) || (output_is_busy() && output_is_full());
    if (!waits || printed != in->printed || unread != in->unread)
        in->progress_at = wari_milliseconds_now();
    in->printed = printed;
    in->unread = unread;
    return wari_milliseconds_now() >= in->progress_at + GRACE_MS;
}

/* Ends the engine after the end of the input: stops all searches, and lets the command thread
 * execute the queue as far as there is time. Does not wait for a search that this thread has
 * already answered with the best move so far, nor for output that nobody reads. */
static void shut_down(struct engine_io *io, struct incoming *in)
{
    struct input_state *input = &io->input;
    const int64_t time = wari_milliseconds_now();
    pthread_mutex_lock(&input->mutex);
    if (!input->closed) {
        input->closed = true;
        in->over_at = in->progress_at = time;
        stop_searches(io);
    }
    input->dropped = in->quit && time >= in->over_at + DROP_QUEUE_MS;
    bool answered_early = io->search.answered_early && !input->queue.first;
    bool thinks = is_thinking(input);
    pthread_mutex_unlock(&input->mutex);
    int64_t last = in->over_at + (in->quit ? QUIT_MS
                                  : thinks ? END_OF_INPUT_MS + GRACE_MS
                                           : END_OF_INPUT_MS);
    bool useless = (answered_early && !engine_io_has_pending(io) && !output_is_busy()) ||
                   output_is_stalled(io, in);
    if (time >= last || (in->exit_at < 0 && useless))
        in->exit_at = time;
}

/* Returns true if a command stays without a reply, unless the command thread has finished and
 * reports the reason. "quit" drops the queue, and a current command that has printed nothing so
 * far. */
static bool leaves_unanswered(struct engine_io *io, bool finished, bool quit)
{
    struct input_state *input = &io->input;
    const struct timespec moment = {.tv_nsec = 1000000};
    for (int i = 0; i < 10 && !engine_io_try_print_pending(io) && !output_is_full(); i++)
        (void)nanosleep(&moment, NULL); /* the other thread is just printing */
    pthread_mutex_lock(&input->mutex);
    bool in_hand = input->executing && !io->search.answered_early;
    bool left = is_thinking(input) || (in_hand && (input->has_replied || !quit)) ||
                (input->queue.first && !quit);
    pthread_mutex_unlock(&input->mutex);
    return engine_io_has_pending(io) || (left && !finished);
}

static bool has_ended(struct engine_io *io)
{
    uint64_t events;
    (void)!read(io->input.wake, &events,
                sizeof events); /* fails if there is nothing to read, which is fine */
    pthread_mutex_lock(&io->input.mutex);
    bool ended = io->input.ended;
    pthread_mutex_unlock(&io->input.mutex);
    return ended;
}

static bool reader_is_gone(const struct pollfd *output)
{
    return (output->revents & (POLLERR | POLLHUP)) != 0;
}

/* Waits at most `wait` milliseconds for an event and handles it; -1 means no limit. */
static enum wari_status wait_for_events(struct engine_io *io, struct incoming *in, int wait,
                                        struct wari_error *error)
{
    struct pollfd files[] = {{.fd = io->input.wake, .events = POLLIN},
                             {.fd = in->exit_at < 0 ? STDOUT_FILENO : -1},
                             {.fd = in->over ? -1 : STDIN_FILENO, .events = POLLIN}};
    enum wari_status status = WARI_OK;
    if (poll(files, sizeof files / sizeof *files, wait) <= 0)
        return WARI_OK;
    if (files[2].revents)
        status = read_input(io, in, error);
    else if (reader_is_gone(&files[1])) /* checked only after all earlier input has been handled */
        in->exit_at = wari_milliseconds_now() + GRACE_MS;
    in->over |= in->exit_at >= 0 || status != WARI_OK;
    return status;
}

enum wari_status engine_io_read_input(struct engine_io *io, bool *finished,
                                      struct wari_error *error)
{
    struct incoming in = {.exit_at = -1};
    enum wari_status status = WARI_OK;
    while (!(*finished = has_ended(io)) || engine_io_has_pending(io)) {
        in.over |= *finished;
        if (in.exit_at < 0 && output_is_lost()) {
            in.over = true;
            in.exit_at = wari_milliseconds_now() + GRACE_MS;
        }
        if (in.over)
            shut_down(io, &in);
        int wait = handle_timeouts(io, &in);
        int most = !engine_io_try_print_pending(io) ? PENDING_CHECK_MS
                   : in.over                        ? EXIT_CHECK_MS
                                                    : -1;
        if (most >= 0 && (wait < 0 || wait > most))
            wait = most;
        if (in.exit_at >= 0 && wari_milliseconds_now() >= in.exit_at)
            break;
        const enum wari_status heard = wait_for_events(io, &in, wait, error);
        if (heard != WARI_OK)
            status = heard;
    }
    *finished = *finished || has_ended(io);
    if (leaves_unanswered(io, *finished, in.quit) && status == WARI_OK)
        status = wari_fail(error, WARI_IO, "not all commands were answered in time");
    return status;
}
