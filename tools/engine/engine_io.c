/* The two threads of an engine: what the input thread does, and what the command thread calls.
 *
 * The input thread waits in a single poll() for input, for the reader of the output to close it,
 * for the command thread, and for the next time limit. The input thread never waits for the command
 * thread, except while that thread prints a line. The mutex is never held during output. */
#include "tools/engine/engine_io.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "play/text.h"
#include "system/clock.h"

enum {
    LINE_MAX_BYTES = 4096,  /* longer than any position */
    QUEUE_MAX = 10000,      /* capacity of the queue of commands */
    STOP_EARLY_MS = 4,      /* a search is stopped this many milliseconds before its time is over,
                             * since processors may be busy */
    ANSWER_LATE_MS = 2,     /* milliseconds after the end of its time in which the search may still
                             * answer by itself */
    WAIT_MAX_MS = 60000,    /* the longest time, in milliseconds, that one poll() waits */
    GRACE_MS = 80,          /* milliseconds for a stopped search to end, which takes one or two */
    QUIT_MS = 1000,         /* milliseconds from "quit" until the engine exits in any case */
    END_OF_INPUT_MS = 5000, /* milliseconds from the end of the input until the engine exits in
                             * any case */
};

/* The line being read, and the state of the input. */
struct incoming {
    char text[LINE_MAX_BYTES + 1];
    size_t length;
    bool begun;      /* the first line has ended */
    bool bad;        /* the line is too long, or contains a zero byte */
    bool over;       /* no more input will be read */
    bool quit;       /* nobody waits for answers: after "quit", or if the reader has gone */
    int64_t exit_at; /* time at which the engine exits, whatever the command thread does; -1 means
                        not yet */
};

/* ---- Setup and shared functions ---- */

enum wari_status engine_io_init(struct engine_io *io, struct wari_error *error)
{
    *io = (struct engine_io){
        .input = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER},
        .search = {.stop_at = -1, .answer_at = -1}};
    if (wari_event_open(&io->input.wake) != 0)
        return wari_fail(error, WARI_IO, "cannot create an event descriptor: %s", strerror(errno));
    return WARI_OK;
}

void engine_io_free(struct engine_io *io)
{
    while (io->input.queue.first) {
        struct input_line *line = io->input.queue.first;
        io->input.queue.first = line->next;
        free(line);
    }
    wari_event_close(&io->input.wake);
}

static void wake_input_thread(struct engine_io *io)
{
    wari_event_set(&io->input.wake);
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

/* ---- Output ---- */

/* Ends the output of a line. The caller has locked standard output. */
static void finish_line(struct engine_io *io)
{
    putchar('\n');
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    atomic_store(&io->lost, true);
    wake_input_thread(io);
}

/* Prints a reply of the input thread. */
__attribute__((format(printf, 2, 3))) static void print_reply(struct engine_io *io,
                                                              const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    flockfile(stdout);
    vprintf(format, arguments);
    finish_line(io);
    funlockfile(stdout);
    va_end(arguments);
}

static bool is_answered_early(struct engine_io *io)
{
    pthread_mutex_lock(&io->input.mutex);
    bool early = io->search.answered_early;
    pthread_mutex_unlock(&io->input.mutex);
    return early;
}

bool engine_io_print(struct engine_io *io, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    flockfile(stdout);
    /* If the input thread answers after this check, it has to wait for the lock to print. */
    bool due = !is_answered_early(io);
    if (due) {
        vprintf(format, arguments);
        finish_line(io);
    }
    funlockfile(stdout);
    va_end(arguments);
    return due;
}

/* Marks the current "go" as answered. Returns true if it was not answered before; the caller must
 * then print the answer. The caller holds the mutex, and has locked standard output, so that
 * nothing later is printed before the answer. */
static bool claim_answer(struct engine_io *io)
{
    struct input_state *input = &io->input;
    bool mine = is_thinking(input);
    input->go.answered = input->go.begun;
    input->turn_at = wari_milliseconds_now();
    io->search.stop_at = io->search.answer_at = -1;
    return mine;
}

/* Prints the answer to a "go". The caller has locked standard output. */
static void print_answer(struct engine_io *io, char letter, char reply)
{
    if (letter == '0')
        printf("bestmove 0000");
    else if (reply)
        printf("bestmove %c ponder %c", letter, reply);
    else
        printf("bestmove %c", letter);
    finish_line(io);
}

/* ---- Command thread ---- */

struct input_line *engine_io_next_command(struct engine_io *io)
{
    struct input_state *input = &io->input;
    pthread_mutex_lock(&input->mutex);
    input->executing = io->search.answered_early = false;
    input->identifications -= input->identifying;
    input->identifying = false;
    while (!input->queue.first && !input->closed)
        pthread_cond_wait(&input->changed, &input->mutex);
    struct input_line *line = input->queue.first;
    if (line) {
        const char *rest;
        input->executing = true;
        input->identifying = wari_uci_word(line->text, "uci", &rest);
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
    atomic_store(&io->busy, !endless);
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

void engine_io_answer(struct engine_io *io, char letter)
{
    pthread_mutex_lock(&io->input.mutex);
    while (io->search.endless && !atomic_load(&io->stop))
        pthread_cond_wait(&io->input.changed, &io->input.mutex);
    pthread_mutex_unlock(&io->input.mutex);
    flockfile(stdout);
    pthread_mutex_lock(&io->input.mutex);
    char reply = letter == io->search.letter ? io->search.reply : 0;
    bool mine = claim_answer(io);
    pthread_mutex_unlock(&io->input.mutex);
    if (mine)
        print_answer(io, letter, reply);
    funlockfile(stdout);
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
    atomic_store(&io->busy, true);
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
    enum wari_status status = append_line(input, text, error);
    if (status == WARI_OK && wari_uci_word(text, "uci", &rest))
        input->identifications++;
    return status;
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
    while (in->length > 0 && strchr(" \t\r", in->text[in->length - 1]))
        in->text[--in->length] = '\0';
    struct input_state *input = &io->input;
    const char *rest;
    bool ready = false, full = false;
    enum wari_status status = WARI_OK;
    in->quit |= wari_uci_word(text, "quit", &rest);
    in->over |= in->quit;
    if (in->over || !text[strspn(text, " \t\r")])
        return WARI_OK;
    const bool asks = wari_uci_word(text, "isready", &rest);
    pthread_mutex_lock(&input->mutex);
    if (asks && search_is_due(input) && input->identifications == 0)
        ready = true;
    else if (wari_uci_word(text, "stop", &rest))
        stop_searches(io);
    else if (wari_uci_word(text, "ponderhit", &rest))
        end_pondering(io);
    else if (input->queue.count >= QUEUE_MAX)
        full = true;
    else
        status = asks ? append_line(input, text, error) : queue_command(io, text, error);
    pthread_mutex_unlock(&input->mutex);
    if (ready)
        print_reply(io, "readyok");
    if (full)
        print_reply(io, "info string ignored, because %d commands are waiting: %.60s", QUEUE_MAX,
                    text);
    return status;
}

/* Removes the byte order mark that some programs write before the first line of a text in UTF-8. */
static void skip_mark(struct incoming *in)
{
    static const char mark[] = "\xEF\xBB\xBF";
    const size_t bytes = strlen(mark);
    if (!in->begun && strncmp(in->text, mark, bytes) == 0)
        memmove(in->text, in->text + bytes, in->length + 1 - bytes);
    in->begun = true;
}

/* Reports a line that is not executed. Of a "position" that is too long, only the first word
 * is executed, which is rejected. So the next "go" does not search the previous position. */
static enum wari_status reject_line(struct engine_io *io, struct incoming *in,
                                    struct wari_error *error)
{
    static const char position[] = "position";
    const char *rest;
    print_reply(io, "info string a line was ignored: it has more than %d bytes, or a zero byte",
                LINE_MAX_BYTES);
    if (!wari_uci_word(in->text, position, &rest))
        return WARI_OK;
    strcpy(in->text, position);
    in->length = strlen(position);
    return handle_line(io, in, error);
}

/* Adds one byte of input. A newline, a carriage return or both end a line. (If both do, an empty
 * line seems to be between them; empty lines are ignored.) */
static enum wari_status add_byte(struct engine_io *io, struct incoming *in, char c,
                                 struct wari_error *error)
{
    if (c != '\n' && c != '\r') {
        in->bad |= c == '\0' || in->length == LINE_MAX_BYTES;
        if (!in->bad)
            in->text[in->length++] = c;
        return WARI_OK;
    }
    in->text[in->length] = '\0';
    skip_mark(in);
    const enum wari_status status =
        in->bad ? reject_line(io, in, error) : handle_line(io, in, error);
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

/* Answers the "go" with the best move so far if its search has not ended in time. */
static void answer_early(struct engine_io *io)
{
    struct current_search *search = &io->search;
    flockfile(stdout);
    pthread_mutex_lock(&io->input.mutex);
    bool late =
        search->answer_at >= 0 && search->answer_at <= wari_milliseconds_now() && claim_answer(io);
    search->answered_early |= late;
    char letter = search->letter, reply = search->reply;
    pthread_mutex_unlock(&io->input.mutex);
    if (late)
        print_answer(io, letter, reply);
    funlockfile(stdout);
}

/* Performs all actions whose time has come. Returns the time of the next action; -1 if there is
 * none. */
static int64_t handle_timeouts(struct engine_io *io)
{
    struct current_search *search = &io->search;
    const int64_t time = wari_milliseconds_now();
    pthread_mutex_lock(&io->input.mutex);
    if (search->stop_at >= 0 && search->stop_at <= time) {
        search->stop_at = -1;
        search->answer_at = time + ANSWER_LATE_MS;
        atomic_store(&io->stop, true);
        pthread_cond_broadcast(&io->input.changed);
    }
    int64_t stop_at = search->stop_at, answer_at = search->answer_at;
    pthread_mutex_unlock(&io->input.mutex);
    if (answer_at < 0)
        return stop_at;
    if (answer_at > time)
        return stop_at >= 0 && stop_at < answer_at ? stop_at : answer_at;
    answer_early(io);
    return -1; /* the command thread wakes the input thread when the next search begins */
}

/* Stops all searches, and lets the command thread end after the commands in the queue. */
static void close_queue(struct engine_io *io, struct incoming *in)
{
    pthread_mutex_lock(&io->input.mutex);
    io->input.closed = true;
    stop_searches(io);
    pthread_mutex_unlock(&io->input.mutex);
    in->exit_at = wari_milliseconds_now() + (in->quit ? QUIT_MS : END_OF_INPUT_MS);
}

/* Returns true if a command has not been answered. */
static bool leaves_unanswered(struct engine_io *io)
{
    struct input_state *input = &io->input;
    pthread_mutex_lock(&input->mutex);
    bool left = input->queue.first || (input->executing && !io->search.answered_early);
    pthread_mutex_unlock(&input->mutex);
    return left;
}

static bool has_ended(struct engine_io *io)
{
    wari_event_clear(&io->input.wake);
    pthread_mutex_lock(&io->input.mutex);
    bool ended = io->input.ended;
    pthread_mutex_unlock(&io->input.mutex);
    return ended;
}

/* Waits for an event until the time `next` and handles it; -1 means no limit. */
static enum wari_status wait_for_events(struct engine_io *io, struct incoming *in, int64_t next,
                                        struct wari_error *error)
{
    struct pollfd files[] = {{.fd = io->input.wake.receiver, .events = POLLIN},
                             {.fd = in->over ? -1 : STDOUT_FILENO},
                             {.fd = in->over ? -1 : STDIN_FILENO, .events = POLLIN}};
    enum wari_status status = WARI_OK;
    int64_t left = next - wari_milliseconds_now();
    int wait = next < 0 ? -1 : left < 0 ? 0 : left < WAIT_MAX_MS ? (int)left : WAIT_MAX_MS;
    if (poll(files, sizeof files / sizeof *files, wait) <= 0)
        return WARI_OK;
    if (files[2].revents)
        status = read_input(io, in, error);
    else if (files[1].revents & (POLLERR | POLLHUP)) /* after all earlier input has been handled */
        in->over = in->quit = true;
    in->over |= status != WARI_OK;
    return status;
}

enum wari_status engine_io_read_input(struct engine_io *io, bool *finished,
                                      struct wari_error *error)
{
    struct incoming in = {.exit_at = -1};
    enum wari_status status = WARI_OK;
    while (!(*finished = has_ended(io))) {
        if (atomic_load(&io->lost))
            in.over = in.quit = true;
        if (in.over && in.exit_at < 0)
            close_queue(io, &in);
        int64_t next = handle_timeouts(io);
        if (in.exit_at >= 0 && wari_milliseconds_now() >= in.exit_at)
            break;
        if (in.exit_at >= 0 && (next < 0 || in.exit_at < next))
            next = in.exit_at;
        const enum wari_status heard = wait_for_events(io, &in, next, error);
        if (heard != WARI_OK)
            status = heard;
    }
    if (!*finished && !in.quit && status == WARI_OK && leaves_unanswered(io))
        status = wari_fail(error, WARI_IO, "not all commands were answered in time");
    return status;
}
