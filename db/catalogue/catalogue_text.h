/* The text of a catalogue, independent of its file. */
#ifndef DB_CATALOGUE_CATALOGUE_TEXT_H
#define DB_CATALOGUE_CATALOGUE_TEXT_H

#include "db/catalogue/catalogue.h"

/* Longer than any catalogue: 48 levels with a line below 140 bytes, and a histogram of at most 97
 * entries below 18 bytes each, take less than 95,000 bytes. */
enum { WARI_CATALOGUE_BYTES_MAX = 128 * 1024 };

/* Prints the text, without a final 0, and returns its size. wari_catalogue_check() must accept the
 * catalogue. */
size_t wari_catalogue_print(const struct wari_catalogue *catalogue,
                            char text[WARI_CATALOGUE_BYTES_MAX]);

/* Parses a text. catalogue->variant is the expected variant; `path` is for messages. */
WARI_MUST_CHECK enum wari_status wari_catalogue_parse(struct wari_catalogue *catalogue,
                                                      const char *text, size_t bytes,
                                                      const char *path, struct wari_error *error);

#endif
