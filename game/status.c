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

    /* Input may be quoted in the text; it must neither break the line nor reach the terminal as a
     * control sequence. */
    for (unsigned char *c = (unsigned char *)error->text; *c != 0; c++) {
        const bool of_two = *c == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0; /* U+0080 to U+009F */
        if (of_two)
            c[1] = '?';
        if (of_two || *c < 0x20 || *c == 0x7f)
            *c = '?';
    }
    return status;
}
