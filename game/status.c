/* Status codes in words, and the function that reports a failure.
 *
 * A failing function fills in a struct wari_error, which belongs to its caller, and returns the
 * status. So the library needs no global "last error" and never prints.
 *
 * Invariant: the text is one line, even if it quotes a file name or input with line breaks.
 */
#include <stdarg.h>
#include <stdio.h>

#include "game/wari_game.h"

const char *wari_status_text(enum wari_status status)
{
    switch (status) {
    case WARI_OK:
        return "done";
    case WARI_DIFFERENT:
        return "values differ";
    case WARI_NOT_COVERED:
        return "not covered by the database";
    case WARI_BAD_INPUT:
        return "bad input";
    case WARI_CORRUPT:
        return "file damaged";
    case WARI_IO:
        return "reading or writing failed";
    case WARI_NO_MEMORY:
        return "not enough memory";
    case WARI_MISMATCH:
        return "another rule set or format";
    case WARI_BUSY:
        return "folder in use";
    case WARI_INTERRUPTED:
        return "interrupted";
    }
    return "unknown status";
}

/* Replaces characters that a terminal could interpret as commands: the control characters of ASCII,
 * and U+0080 to U+009F, whether encoded in UTF-8 or as single bytes. */
static void remove_controls(char *text)
{
    int rest = 0; /* continuation bytes that the current UTF-8 character still needs */
    for (unsigned char *c = (unsigned char *)text; *c != 0; c++) {
        bool follows = rest > 0 && (*c & 0xC0) == 0x80;
        if (c[0] == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0)
            c[0] = c[1] = '?';
        rest = follows ? rest - 1 : *c < 0xC2 ? 0 : *c < 0xE0 ? 1 : *c < 0xF0 ? 2 : 3;
        if (*c < 0x20 || *c == 0x7F || (!follows && *c >= 0x80 && *c < 0xA0))
            *c = '?';
    }
}

enum wari_status wari_fail(struct wari_error *error, enum wari_status status, const char *format,
                           ...)
{
    if (error == NULL)
        return status;
    error->status = status;

    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    if (length < 0)
        snprintf(error->text, sizeof error->text, "%s", wari_status_text(status));
    /* The text has to be one line, even if it quotes input with line breaks. */
    remove_controls(error->text);
    return status;
}
