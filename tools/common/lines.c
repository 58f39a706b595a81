/* Reads lines from a file descriptor.
 *
 * Lines are zero-terminated in place in one large buffer, so a line costs no allocation and no
 * copy. Unlike a stdio stream, the reader can report whether more input is available, so that
 * answers can be flushed to a program that waits for them before it sends its next query.
 */
#include "tools/common/lines.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/interrupt.h"

enum { BUFFER_BYTES = 1 << 18 };

#define BYTE_ORDER_MARK "\xEF\xBB\xBF" /* with which some systems begin a text in UTF-8 */

enum wari_status lines_open(struct line_reader *reader, int descriptor, const char *name,
                            struct wari_error *error)
{
    *reader = (struct line_reader){.descriptor = descriptor, .name = name};
    reader->buffer = malloc(BUFFER_BYTES);
    if (!reader->buffer)
        return wari_fail(error, WARI_NO_MEMORY, "not enough memory to read %s", name);
    return WARI_OK;
}

void lines_close(struct line_reader *reader)
{
    free(reader->buffer);
    reader->buffer = NULL;
}

/* Reads more bytes after those in the buffer. Leaves one byte free for the zero that terminates a
 * last line without newline. */
static enum wari_status fill(struct line_reader *reader, struct wari_error *error)
{
    memmove(reader->buffer, reader->buffer + reader->begin, reader->end - reader->begin);
    reader->end -= reader->begin;
    reader->begin = 0;
    ssize_t bytes;
    do
        bytes =
            read(reader->descriptor, reader->buffer + reader->end, BUFFER_BYTES - 1 - reader->end);
    while (bytes < 0 && errno == EINTR && interrupt_signal() == 0);
    if (bytes < 0 && errno == EINTR)
        return wari_fail(error, WARI_INTERRUPTED, "interrupted after line %llu",
                         (unsigned long long)reader->number);
    if (bytes < 0)
        return wari_fail(error, WARI_IO, "cannot read %s after line %llu: %s", reader->name,
                         (unsigned long long)reader->number, strerror(errno));
    reader->ended = bytes == 0;
    reader->end += (size_t)bytes;
    return WARI_OK;
}

/* Returns the first newline or carriage return in `count` bytes; NULL if there is none. */
static char *find_end_in(char *text, size_t count)
{
    char *newline = memchr(text, '\n', count);
    char *back = memchr(text, '\r', newline ? (size_t)(newline - text) : count);
    return back ? back : newline;
}

/* Returns the end of the first line in the buffer; NULL if the buffer does not contain it yet.
 * Searches the first LINE_LENGTH_MAX bytes before the rest. Otherwise, if lines end with carriage
 * returns, find_end_in() would search the whole buffer for a newline at each line. */
static char *find_end(const struct line_reader *reader)
{
    char *text = reader->buffer + reader->begin;
    size_t count = reader->end - reader->begin;
    size_t near = count < LINE_LENGTH_MAX ? count : LINE_LENGTH_MAX;
    char *end = find_end_in(text, near);
    return end ? end : find_end_in(text + near, count - near);
}

/* If the line before ended with a carriage return, skips the newline that may follow it. */
static enum wari_status skip_newline(struct line_reader *reader, struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    while (reader->after_return && status == WARI_OK) {
        if (reader->begin == reader->end && !reader->ended) {
            status = fill(reader, error);
            continue;
        }
        if (reader->begin < reader->end && reader->buffer[reader->begin] == '\n')
            reader->begin++;
        reader->after_return = false;
    }
    return status;
}

enum wari_status lines_next(struct line_reader *reader, struct line *line, bool *found,
                            struct wari_error *error)
{
    size_t skipped = 0; /* bytes of a line that is too long for the buffer */
    char *stop = NULL;
    *found = false;
    enum wari_status status = skip_newline(reader, error);
    while (status == WARI_OK && !(stop = find_end(reader)) && !reader->ended) {
        size_t buffered = reader->end - reader->begin;
        if (buffered == BUFFER_BYTES - 1) {
            skipped += buffered - LINE_LENGTH_MAX;
            reader->end = reader->begin + LINE_LENGTH_MAX;
        }
        status = fill(reader, error);
    }
    if (status != WARI_OK || (!stop && reader->begin == reader->end))
        return status;

    char *text = reader->buffer + reader->begin;
    size_t length = stop ? (size_t)(stop - text) : reader->end - reader->begin;
    reader->after_return = stop && *stop == '\r';
    reader->begin += length + (stop != NULL);
    if (reader->after_return && reader->begin < reader->end)
        (void)skip_newline(reader, NULL); /* the next byte is in the buffer, so nothing is read */
    text[length] = '\0';
    if (reader->number == 0 &&
        strlen(text) < length && /* each ASCII character in UTF-16 has a zero byte */
        (strncmp(text, "\xFF\xFE", 2) == 0 || strncmp(text, "\xFE\xFF", 2) == 0))
        return wari_fail(error, WARI_BAD_INPUT, "%s is in UTF-16; save it as UTF-8", reader->name);
    if (reader->number == 0 && strncmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0) {
        text += strlen(BYTE_ORDER_MARK);
        length -= strlen(BYTE_ORDER_MARK);
    }
    *line = (struct line){.text = text, .length = length};
    line->too_long = length + skipped > LINE_LENGTH_MAX;
    if (line->too_long)
        text[LINE_LENGTH_MAX] = '\0';
    reader->number++;
    *found = true;
    return WARI_OK;
}

bool lines_would_wait(const struct line_reader *reader)
{
    struct pollfd input = {.fd = reader->descriptor, .events = POLLIN, .revents = 0};
    /* After a carriage return, the input that is ready may be only the newline that follows it. */
    return !reader->ended && !find_end(reader) && (reader->after_return || poll(&input, 1, 0) == 0);
}

enum wari_status line_position(const struct line *line, struct wari_setup *setup, bool *present,
                               struct wari_error *error)
{
    const char *start = line->text + strspn(line->text, " \t\r\f\v");
    *present = !(start[0] == '#' || (start[0] == '\0' && strlen(line->text) == line->length));
    if (!*present)
        return WARI_OK;
    if (line->too_long)
        return wari_fail(
            error, WARI_BAD_INPUT,
            "the line is longer than %d characters; a position is twelve counts or a diagram",
            LINE_LENGTH_MAX);
    if (strlen(line->text) != line->length)
        return wari_fail(error, WARI_BAD_INPUT,
                         "column %zu: here is a zero byte, which no text has; is this a text file?",
                         strlen(line->text) + 1);
    return wari_setup_parse(line->text, setup, error);
}
