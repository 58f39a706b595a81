/* Printing, by two threads of which one must not wait. See saying.h. */
#include "tools/engine/saying.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum {
    PAYABLE = 400, /* "readyok" without waiting: a pipe with room has it for 4096 bytes */
    PIECE = 64,    /* "readyok" at a time, so that it is seen to get on */
};

static void print_passed_over(uint64_t lines, const char *why)
{
    if (lines > 0)
        printf("info string %llu passed over: %s\n", (unsigned long long)lines, why);
}

/* That it did not arrive is noticed by output_is_lost(), or at the end. */
static void send_out(struct conversation *talk)
{
    fflush(stdout);
    atomic_fetch_add(&talk->printed, 1);
}

/* With the output locked: prints what is owed, "readyok" behind all else and at most so often. */
static void pay(struct conversation *talk, uint64_t most)
{
    pthread_mutex_lock(&talk->hearing.mutex);
    struct owed due = talk->owed;
    if (due.ready > most)
        due.ready = most;
    talk->owed = (struct owed){.ready = talk->owed.ready - due.ready};
    pthread_mutex_unlock(&talk->hearing.mutex);
    if (due.answer[0])
        puts(due.answer);
    print_passed_over(due.crowded, "too many commands wait");
    print_passed_over(due.malformed, "a line that is too long or holds a zero byte");
    for (; due.ready > 0; due.ready--) {
        puts("readyok");
        if (due.ready % PIECE == 0)
            send_out(talk);
    }
}

bool conversation_owes(struct conversation *talk)
{
    pthread_mutex_lock(&talk->hearing.mutex);
    const struct owed *owed = &talk->owed;
    bool something = owed->answer[0] || owed->crowded || owed->malformed || owed->ready;
    pthread_mutex_unlock(&talk->hearing.mutex);
    return something;
}

static void unlock_output(struct conversation *talk)
{
    send_out(talk);
    funlockfile(stdout);
}

static void note_reply(struct conversation *talk)
{
    pthread_mutex_lock(&talk->hearing.mutex);
    talk->hearing.replying = true;
    pthread_mutex_unlock(&talk->hearing.mutex);
}

void conversation_say(struct conversation *talk, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    flockfile(stdout);
    note_reply(talk);
    pay(talk, UINT64_MAX);
    vprintf(format, arguments);
    putchar('\n');
    unlock_output(talk);
    va_end(arguments);
}

void conversation_pay(struct conversation *talk)
{
    flockfile(stdout);
    pay(talk, UINT64_MAX);
    unlock_output(talk);
}

bool output_is_full(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
    return poll(&output, 1, 0) == 0;
}

/* Locks the output if to print would not wait; false: it is not locked. */
static bool lock_output_at_once(void)
{
    if (ftrylockfile(stdout) != 0)
        return false;
    if (!output_is_full()) /* and as long as it is locked nobody fills it */
        return true;
    funlockfile(stdout);
    return false;
}

bool conversation_pay_at_once(struct conversation *talk)
{
    while (conversation_owes(talk)) {
        if (!lock_output_at_once())
            return false;
        pay(talk, PAYABLE);
        unlock_output(talk);
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
