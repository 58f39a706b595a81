/* Output by two threads of which one must not block. */
#include "tools/engine/engine_io.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum {
    READY_MAX = 400, /* number of "readyok" that can be printed without blocking: a pipe that is not
                        full has space for 4096 bytes */
    READY_BATCH = 64, /* "readyok" are flushed in batches, so that progress is visible */
};

static void print_ignored(uint64_t lines, const char *why)
{
    if (lines > 0)
        printf("info string %llu ignored: %s\n", (unsigned long long)lines, why);
}

/* Flushes the output. Failures are found by output_is_lost(), or at the end. */
static void flush_output(struct engine_io *io)
{
    fflush(stdout);
    atomic_fetch_add(&io->printed, 1);
}

/* Prints the pending replies: at most `most` "readyok", after everything else. The caller holds
 * the lock of the output. */
static void print_pending(struct engine_io *io, uint64_t most)
{
    pthread_mutex_lock(&io->input.mutex);
    struct pending_replies due = io->pending;
    if (due.ready > most)
        due.ready = most;
    io->pending = (struct pending_replies){.ready = io->pending.ready - due.ready};
    pthread_mutex_unlock(&io->input.mutex);
    if (due.answer[0])
        puts(due.answer);
    print_ignored(due.rejected, "too many commands are waiting");
    print_ignored(due.malformed, "a line is too long or contains a zero byte");
    for (; due.ready > 0; due.ready--) {
        puts("readyok");
        if (due.ready % READY_BATCH == 0)
            flush_output(io);
    }
}

bool engine_io_has_pending(struct engine_io *io)
{
    pthread_mutex_lock(&io->input.mutex);
    const struct pending_replies *pending = &io->pending;
    bool something =
        pending->answer[0] || pending->rejected || pending->malformed || pending->ready;
    pthread_mutex_unlock(&io->input.mutex);
    return something;
}

static void unlock_output(struct engine_io *io)
{
    flush_output(io);
    funlockfile(stdout);
}

static void mark_replied(struct engine_io *io)
{
    pthread_mutex_lock(&io->input.mutex);
    io->input.has_replied = true;
    pthread_mutex_unlock(&io->input.mutex);
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
    mark_replied(io);
    print_pending(io, UINT64_MAX);
    /* If the input thread answers after this check, it has to wait for the lock to print. */
    bool due = !is_answered_early(io);
    if (due) {
        vprintf(format, arguments);
        putchar('\n');
    }
    unlock_output(io);
    va_end(arguments);
    return due;
}

void engine_io_print_pending(struct engine_io *io)
{
    flockfile(stdout);
    print_pending(io, UINT64_MAX);
    unlock_output(io);
}

bool output_is_full(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
    return poll(&output, 1, 0) == 0;
}

/* Locks the output if printing would not block. Returns false if it is not locked. */
static bool lock_output_at_once(void)
{
    if (ftrylockfile(stdout) != 0)
        return false;
    if (!output_is_full()) /* nobody can fill it while it is locked */
        return true;
    funlockfile(stdout);
    return false;
}

bool engine_io_try_print_pending(struct engine_io *io)
{
    while (engine_io_has_pending(io)) {
        if (!lock_output_at_once())
            return false;
        print_pending(io, READY_MAX);
        unlock_output(io);
    }
    return true;
}

bool output_is_busy(void)
{
    if (ftrylockfile(stdout) != 0)
        return true;
    funlockfile(stdout);
    return false;
}

bool output_is_lost(void)
{
    if (ftrylockfile(stdout) != 0)
        return false;
    bool lost = ferror(stdout) != 0;
    funlockfile(stdout);
    return lost;
}
