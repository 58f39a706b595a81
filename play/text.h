/* Text buffers that grow, in memory from the host. */
#ifndef PLAY_TEXT_H
#define PLAY_TEXT_H

#include "db/host/host.h"

struct wari_text {
    const struct wari_host *host;
    char *bytes; /* ends with 0; NULL until something is added */
    size_t length;
    size_t capacity;
};

/* Appends formatted text as printf() does. On failure the text is unchanged. */
WARI_MUST_CHECK enum wari_status wari_text_add(struct wari_text *text, struct wari_error *error,
                                               const char *format, ...)
    __attribute__((format(printf, 3, 4)));
WARI_MUST_CHECK enum wari_status wari_text_add_bytes(struct wari_text *text, const char *bytes,
                                                     size_t count, struct wari_error *error);

/* Frees the memory and makes the text empty. */
void wari_text_free(struct wari_text *text);

/* Copies `count` bytes and adds a final 0. The memory is from the host. On failure *copy is
 * NULL. */
WARI_MUST_CHECK enum wari_status wari_text_copy(const struct wari_host *host, const char *bytes,
                                                size_t count, char **copy,
                                                struct wari_error *error);

/* Copies text of unknown origin for display, into a buffer of `size` bytes; the result ends with
 * 0. Replaces invalid UTF-8 by U+FFFD, and characters that may control a terminal, or change
 * the writing direction of the text after them, by '?'. Truncates the text between characters if
 * the buffer is too small. */
void wari_text_clean(char *to, size_t size, const char *text);

/* Returns true for ASCII white space, whatever the locale. */
static inline bool wari_text_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Converts an ASCII capital letter to a small one; returns other characters unchanged. */
static inline char wari_text_lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Returns true if the complete text is valid UTF-8. */
bool wari_text_is_utf8(const char *text);

/* Returns the number of bytes before the first that is not part of a valid UTF-8 character;
 * `length` if there is none. The text may contain zero bytes. */
size_t wari_text_valid_length(const char *text, size_t length);

/* Returns the number of characters of a UTF-8 text. */
size_t wari_text_characters(const char *text);

/* Returns the length in bytes of the character at `text` (UTF-8, ended by 0) if it may control a
 * terminal: 1 for ASCII control characters, 2 for U+0080 to U+009F, otherwise 0, also at the
 * end. */
size_t wari_text_control(const char *text);

#endif
