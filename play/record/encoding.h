/* Converts the text of records, which may come from any system, to UTF-8 with lines that end in LF.
 */
#ifndef PLAY_RECORD_ENCODING_H
#define PLAY_RECORD_ENCODING_H

#include "play/text.h"

enum wari_encoding {
    WARI_ENCODING_BYTES,    /* UTF-8, Latin-1, or a mixture of lines in both */
    WARI_ENCODING_UTF16_LE, /* with a byte order mark */
    WARI_ENCODING_UTF16_BE, /* with a byte order mark */
    WARI_ENCODING_UNMARKED, /* UTF-16 without a byte order mark, or UTF-32 */
};

/* Detects the encoding of a text. */
enum wari_encoding wari_encoding_detect(const char *text, size_t length);

/* Returns the length of the byte order mark of UTF-8 at the start of the text; 0 if there is none.
 */
size_t wari_encoding_mark_length(const char *text, size_t length);

/* Appends the text in UTF-8 to *converted: without its byte order mark, and with LF in place of CR
 * and CRLF. The encoding must not be WARI_ENCODING_UNMARKED. A line that is not valid UTF-8 is read
 * as Windows-1252, a superset of Latin-1, as browsers do; *latin1_at receives the offset of the
 * first such line in *converted, SIZE_MAX if there is none. Incomplete characters of UTF-16 become
 * U+FFFD. */
WARI_MUST_CHECK enum wari_status wari_encoding_convert(const char *text, size_t length,
                                                       enum wari_encoding encoding,
                                                       struct wari_text *converted,
                                                       size_t *latin1_at, struct wari_error *error);

#endif
