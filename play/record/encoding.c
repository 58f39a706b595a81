/* A text in UTF-16 needs a byte order mark; without one it is recognised by its zero bytes, because
 * the first character of a record is an ASCII character. In all other texts each line is in UTF-8
 * or, if it is not valid UTF-8, in Latin-1: files of games are often made by joining other files.
 */
#include "play/record/encoding.h"

#include <string.h>

enum { REPLACEMENT = 0xFFFD };

static bool starts_with(const char *text, size_t length, const char *bytes, size_t count)
{
    return length >= count && memcmp(text, bytes, count) == 0;
}

enum wari_encoding wari_encoding_detect(const char *text, size_t length)
{
    if (starts_with(text, length, "\xFF\xFE\0\0", 4) ||
        starts_with(text, length, "\0\0\xFE\xFF", 4))
        return WARI_ENCODING_UNMARKED;
    if (starts_with(text, length, "\xFF\xFE", 2))
        return WARI_ENCODING_UTF16_LE;
    if (starts_with(text, length, "\xFE\xFF", 2))
        return WARI_ENCODING_UTF16_BE;
    /* The same byte of each of the first two characters is zero. */
    if (length >= 4 && (text[0] == '\0') != (text[1] == '\0') &&
        (text[0] == '\0') == (text[2] == '\0') && (text[1] == '\0') == (text[3] == '\0'))
        return WARI_ENCODING_UNMARKED;
    return WARI_ENCODING_BYTES;
}

size_t wari_encoding_mark_length(const char *text, size_t length)
{
    return starts_with(text, length, "\xEF\xBB\xBF", 3) ? 3 : 0;
}

/* A text in UTF-16 that is being converted. */
struct source {
    const unsigned char *text;
    size_t at, length;
    bool little; /* the less significant byte comes first */
};

/* Returns the next 16-bit number of a text in UTF-16; U+FFFD if only one byte is left. */
static uint32_t next_unit(struct source *source)
{
    const unsigned char *bytes = source->text + source->at;
    if (source->length - source->at < 2) {
        source->at = source->length;
        return REPLACEMENT;
    }
    source->at += 2;
    return (uint32_t)(source->little ? bytes[0] | bytes[1] << 8 : bytes[0] << 8 | bytes[1]);
}

/* Returns the next character. */
static uint32_t next_character(struct source *source)
{
    uint32_t first = next_unit(source);
    if (first < 0xD800 || first > 0xDFFF)
        return first;
    size_t second_at = source->at;
    uint32_t second = first < 0xDC00 && second_at < source->length ? next_unit(source) : 0;
    if (second >= 0xDC00 && second <= 0xDFFF)
        return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
    source->at = second_at;
    return REPLACEMENT;
}

/* Returns the character that a byte stands for in Windows-1252. Bytes that Windows-1252 does not
 * define are taken for control characters. */
static uint32_t latin1_character(unsigned char byte)
{
    static const uint16_t defined[32] = {
        0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
        0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178,
    };
    return byte >= 0x80 && byte < 0xA0 ? defined[byte - 0x80] : byte;
}

static enum wari_status add_character(struct wari_text *text, uint32_t character,
                                      struct wari_error *error)
{
    char bytes[4];
    size_t count;
    if (character < 0x80) {
        bytes[0] = (char)character;
        count = 1;
    } else if (character < 0x800) {
        bytes[0] = (char)(0xC0 | character >> 6);
        count = 2;
    } else if (character < 0x10000) {
        bytes[0] = (char)(0xE0 | character >> 12);
        count = 3;
    } else {
        bytes[0] = (char)(0xF0 | character >> 18);
        count = 4;
    }
    for (size_t i = 1; i < count; i++)
        bytes[i] = (char)(0x80 | (character >> 6 * (count - 1 - i) & 0x3F));
    return wari_text_add_bytes(text, bytes, count, error);
}

static enum wari_status convert_utf16(struct source *source, struct wari_text *converted,
                                      struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    while (source->at < source->length && status == WARI_OK) {
        uint32_t character = next_character(source);
        if (character == '\r') {
            struct source ahead = *source;
            if (ahead.at < ahead.length && next_character(&ahead) == '\n')
                *source = ahead;
            character = '\n';
        }
        status = add_character(converted, character, error);
    }
    return status;
}

/* Returns the length of the line at the start of the text, without its end. */
static size_t line_length(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length && text[at] != '\n' && text[at] != '\r')
        at++;
    return at;
}

/* Appends a line without its end. */
static enum wari_status convert_line(const char *line, size_t length, bool utf8,
                                     struct wari_text *converted, struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    if (utf8)
        return wari_text_add_bytes(converted, line, length, error);
    for (size_t i = 0; i < length && status == WARI_OK; i++)
        status = add_character(converted, latin1_character((unsigned char)line[i]), error);
    return status;
}

static enum wari_status convert_bytes(const char *text, size_t length, struct wari_text *converted,
                                      size_t *latin1_at, struct wari_error *error)
{
    enum wari_status status = WARI_OK;
    for (size_t at = 0; at < length && status == WARI_OK;) {
        const char *line = text + at;
        size_t count = line_length(line, length - at);
        bool utf8 = wari_text_valid_length(line, count) == count;
        if (!utf8 && *latin1_at == SIZE_MAX)
            *latin1_at = converted->length;
        status = convert_line(line, count, utf8, converted, error);
        at += count;
        if (at == length)
            break;
        at += starts_with(text + at, length - at, "\r\n", 2) ? 2 : 1;
        if (status == WARI_OK)
            status = wari_text_add_bytes(converted, "\n", 1, error);
    }
    return status;
}

enum wari_status wari_encoding_convert(const char *text, size_t length, enum wari_encoding encoding,
                                       struct wari_text *converted, size_t *latin1_at,
                                       struct wari_error *error)
{
    *latin1_at = SIZE_MAX;
    if (encoding == WARI_ENCODING_BYTES) {
        size_t mark = wari_encoding_mark_length(text, length);
        return convert_bytes(text + mark, length - mark, converted, latin1_at, error);
    }
    struct source source = {(const unsigned char *)text, 2, length,
                            encoding == WARI_ENCODING_UTF16_LE};
    return convert_utf16(&source, converted, error);
}
