/* Converts a catalogue to text and back. Its file is not needed for this. */
#ifndef DB_CATALOGUE_CATALOGUE_TEXT_H
#define DB_CATALOGUE_CATALOGUE_TEXT_H

#include "db/catalogue/catalogue.h"

/* Exceeds the size of every catalogue: 48 levels, each with one line of less than 140 bytes and
 * at most 97 histogram entries of less than 18 bytes, take less than 95,000 bytes. */
enum { WARI_CATALOGUE_BYTES_MAX = 128 * 1024 };

/* Prints the catalogue as text, without a final 0, and returns the size of the text.
 * wari_catalogue_check() must accept the catalogue. */
size_t wari_catalogue_print(const struct wari_catalogue *catalogue,
                            char text[WARI_CATALOGUE_BYTES_MAX]);

/* Parses the text of a catalogue. catalogue->variant is the expected variant; `path` is for
 * messages. */
WARI_MUST_CHECK enum wari_status wari_catalogue_parse(struct wari_catalogue *catalogue,
                                                      const char *text, size_t bytes,
                                                      const char *path, struct wari_error *error);

#endif
