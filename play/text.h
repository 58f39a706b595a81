/* Text that grows, in memory from the host. */
#ifndef PLAY_TEXT_H
#define PLAY_TEXT_H

#include "db/host/host.h"

struct wari_text {
    const struct wari_host *host;
    char *bytes; /* ended by 0; NULL while nothing was added */
    size_t length;
    size_t capacity;
};

/* Appends what printf would print. On failure the text is as it was. */
WARI_MUST_CHECK enum wari_status wari_text_add(struct wari_text *text, struct wari_error *error,
                                               const char *format, ...)
    __attribute__((format(printf, 3, 4)));
WARI_MUST_CHECK enum wari_status wari_text_add_bytes(struct wari_text *text, const char *bytes,
                                                     size_t count, struct wari_error *error);

/* Gives back the memory; the text is empty then. */
void wari_text_free(struct wari_text *text);

/* A copy of `count` bytes with a 0 behind them, from the host; *copy is NULL on failure. */
WARI_MUST_CHECK enum wari_status wari_text_copy(const struct wari_host *host, const char *bytes,
                                                size_t count, char **copy,
                                                struct wari_error *error);

/* Copies foreign text for people, into `size` bytes, ended by 0: what is no UTF-8 becomes U+FFFD,
 * characters that may command a terminal '?'. What does not fit is cut between characters. */
void wari_text_clean(char *to, size_t size, const char *text);

/* White space of ASCII, whatever the locale. */
static inline bool wari_text_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* A capital letter of ASCII as a small one; others as they are. */
static inline char wari_text_lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Whether all of a text is UTF-8. */
bool wari_text_is_utf8(const char *text);

/* The characters of a text in UTF-8. */
size_t wari_text_characters(const char *text);

/* The length in bytes of the character at `text` (UTF-8, ended by 0) if it may command a terminal:
 * 1 for those of ASCII, 2 for U+0080 to U+009F; 0 for all others and at the end. */
size_t wari_text_control(const char *text);

#endif
