/* Places in a text that is being read, complaints about them, and what stands there. */
#include "play/record/reading.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { COMPLAINT = 1024 };

/* ---- Places and complaints ---- */

/* Counts from a place that is known, so that a text costs time in proportion to its length however
 * many games and complaints there are on a line: complaints about a game mostly follow each other,
 * and none is about an earlier game. */
struct wari_text_place wari_reading_place(struct wari_record_reader *reader, size_t at)
{
    struct wari_text_place place = reader->last.at <= at ? reader->last : reader->game;
    const char *newline;
    if (place.line == 0)
        place = (struct wari_text_place){0, 1, 1};
    while ((newline = memchr(reader->text + place.at, '\n', at - place.at))) {
        place.at = (size_t)(newline - reader->text) + 1;
        place.line++;
        place.column = 1;
    }
    for (; place.at < at; place.at++) /* bytes inside a character do not count */
        place.column += ((unsigned char)reader->text[place.at] & 0xC0) != 0x80;
    reader->last = place;
    return place;
}

/* Complaints quote the text, which anybody may have written, and mostly go to a terminal. */
static void make_plain(char *text)
{
    while (*text) {
        size_t control = wari_text_control(text);
        memset(text, '?', control);
        text += control ? control : 1;
    }
}

enum wari_status wari_reading_complain(struct wari_reading *reading, size_t at, bool lost,
                                       const char *format, ...)
{
    struct wari_record_reader *reader = reading->reader;
    char text[COMPLAINT];
    struct wari_complaint complaint = {.game_line = reading->game_line,
                                       .lost = lost,
                                       .undecided = reading->undecided,
                                       .text = text};
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    make_plain(text);
    struct wari_text_place place = wari_reading_place(reader, at);
    complaint.line = place.line;
    complaint.column = place.column;
    if (reader->complain)
        reader->complain(reader->context, &complaint);
    reading->lost_at = at;
    return lost ? WARI_BAD_INPUT : WARI_OK;
}

bool wari_reading_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

void wari_reading_skip_blanks(struct wari_reading *reading)
{
    const char *text = reading->text;
    while (reading->at < reading->end) {
        bool line_starts = reading->at == 0 || text[reading->at - 1] == '\n';
        if (line_starts && text[reading->at] == '%' && !reading->reader->plain) {
            while (reading->at < reading->end && text[reading->at] != '\n')
                reading->at++;
        } else if (wari_text_is_blank(text[reading->at])) {
            reading->at++;
        } else {
            return;
        }
    }
}

const char *wari_reading_found(const struct wari_reading *reading, char words[24])
{
    if (reading->at >= reading->end)
        return reading->reader->plain ? "the end of the line" : "the end of the file";
    char c = reading->text[reading->at];
    if (c == '\n')
        return "the end of the line";
    if (c > ' ' && c <= '~')
        snprintf(words, 24, "'%c'", c);
    else
        snprintf(words, 24, "the byte 0x%02X", (unsigned)(unsigned char)c);
    return words;
}

size_t wari_reading_score_length(const char *text, size_t length)
{
    size_t at = 0;
    for (int side = 0; side < 2; side++) {
        size_t start = at;
        while (at < length && wari_reading_is_digit(text[at]))
            at++;
        if (at == start)
            return 0;
        if (length - at > 1 && text[at] == '.' && text[at + 1] == '5')
            at += 2;
        if (side == 0 && (at == length || text[at++] != '-'))
            return 0;
    }
    bool ends = at == length || strchr("{;([", text[at]) || wari_text_is_blank(text[at]);
    return ends ? at : 0;
}
