/* Status codes in words, and the one way to report a failure.
 *
 * A failing function fills in a struct wari_error that its caller owns and returns the status; so
 * the library needs no global "last error" and never prints. What always holds: the text is one
 * line, even if a file name or an input line in it was not.
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

/* Replaces what a terminal may take for a command: control characters of ASCII, and U+0080 to
 * U+009F as UTF-8 or as a byte by itself. */
static void remove_controls(char *text)
{
    int rest = 0; /* bytes that follow the first one of a character */
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
    /* Input may be quoted there, which must not break the line either. */
    remove_controls(error->text);
    return status;
}
