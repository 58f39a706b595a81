/* Turns a status into a message and an exit code. No other file knows the exit codes.
 *
 * Standard output is buffered, so a failed write may show late. Therefore every way out of the
 * program passes through report_finish(), which flushes, checks and closes.
 */
#include "tools/common/report.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "play/text.h"
#include "tools/common/interrupt.h"
#include "tools/common/machine.h"

enum {
    EXIT_INPUT_OUTPUT = 4,
    NOTE_BYTES = 8192, /* more than any message: a path of 4096 bytes and an error of 1536 */
};

int report_exit_code(enum wari_status status)
{
    switch (status) {
    case WARI_OK:
        return 0;
    case WARI_DIFFERENT:
    case WARI_NOT_COVERED:
        return 1;
    case WARI_BAD_INPUT:
        return 2;
    case WARI_CORRUPT:
        return 3;
    case WARI_IO:
    case WARI_BUSY:
        return EXIT_INPUT_OUTPUT;
    case WARI_NO_MEMORY:
        return 5;
    case WARI_MISMATCH:
        return 6;
    case WARI_INTERRUPTED:
        return 128 + interrupt_signal();
    }
    return EXIT_INPUT_OUTPUT;
}

void report_note(const char *command, const char *format, ...)
{
    char text[NOTE_BYTES];
    char line[3 * NOTE_BYTES]; /* cleaning may turn one byte into a character of three bytes */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(line, sizeof line, *command ? "wari %s: " : "wari: ", command);
    size_t length = strlen(line);
    wari_text_clean(line + length, sizeof line - length - 1, text);
    length = strlen(line);
    line[length++] = '\n';
    fwrite(line, 1, length, stderr); /* one call: a call for each field takes three times as long */
}

void report_folder_sync(const char *command, const char *path)
{
    if (!machine_syncs_folder(path))
        report_note(
            command,
            "%s: this file system cannot flush the names of files to disk (it does not support "
            "fsync() of a folder), so a power failure may undo what was just finished",
            path);
}

int report_result(const char *command, enum wari_status status, const struct wari_error *error)
{
    if (status != WARI_OK)
        report_note(command, "%s", error->text[0] ? error->text : wari_status_text(status));
    return report_exit_code(status);
}

void report_guard_output(void)
{
    /* A stand-in fails when it is used, as the closed descriptor would have failed: input cannot
     * be read, and output cannot be written. open() returns the lowest free descriptor. */
    for (int number = 0; number <= 2; number++) {
        if (fcntl(number, F_GETFD) == -1 && errno == EBADF &&
            open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY) != number)
            abort();
    }
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
}

bool report_output_lost(void)
{
    return ferror(stdout) != 0;
}

/* Returns true if standard output is a pipe whose reader has closed it. */
static bool reader_is_gone(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
    return poll(&output, 1, 0) == 1 && (output.revents & POLLERR);
}

/* Redirects standard output to /dev/null, so that exit() discards the rest of the buffer. Writing
 * the rest could wait for a slow reader. */
static void discard_output(void)
{
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
        (void)close(STDOUT_FILENO);
    if (nowhere >= 0)
        (void)close(nowhere);
}

int report_finish(int code)
{
    if (interrupt_signal() != 0 && (report_output_lost() || fflush(stdout) != 0)) {
        discard_output();
        fputs("wari: stopped; the end of the output is missing\n", stderr);
        return 128 + interrupt_signal();
    }
    errno = 0;
    bool lost = report_output_lost();
    lost = fflush(stdout) != 0 || lost;
    bool gone = lost && reader_is_gone();
    int reason = errno;
    if (fclose(stdout) != 0 && !lost) {
        lost = true;
        reason = errno;
    }
    if (!lost)
        return code;
    if (!gone)
        fprintf(stderr, "wari: cannot write to standard output: %s\n",
                reason ? strerror(reason) : "part of it was lost; is the disk full?");
    return EXIT_INPUT_OUTPUT;
}
