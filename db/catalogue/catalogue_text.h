/* The text of a catalogue, apart from the file it stands in. */
#ifndef DB_CATALOGUE_CATALOGUE_TEXT_H
#define DB_CATALOGUE_CATALOGUE_TEXT_H

#include "db/catalogue/catalogue.h"

/* Longer than any catalogue: 48 levels of a line below 140 bytes and a histogram of at most 97
 * entries below 18 bytes each come to less than 95,000. */
enum { WARI_CATALOGUE_BYTES_MAX = 128 * 1024 };

/* Writes the text (no final 0) and returns its size. The catalogue must be one that
 * wari_catalogue_check() accepts. */
size_t wari_catalogue_print(const struct wari_catalogue *catalogue,
                            char text[WARI_CATALOGUE_BYTES_MAX]);

/* Reads a text. catalogue->variant says which variant is wanted; `path` is for messages. */
WARI_MUST_CHECK enum wari_status wari_catalogue_parse(struct wari_catalogue *catalogue,
                                                      const char *text, size_t bytes,
                                                      const char *path, struct wari_error *error);

#endif
