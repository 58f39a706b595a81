/* Reads an opening book from a file. */
#ifndef TOOLS_COMMON_OPENING_FILE_H
#define TOOLS_COMMON_OPENING_FILE_H

#include "play/engine/opening_book.h"

/* Reads the opening book at `path` into an empty book (wari_opening_book_begin()), whose settings
 * are replaced. On failure the book is empty:
 *   WARI_IO          the file cannot be read, or is not a regular file
 *   WARI_CORRUPT, WARI_MISMATCH, WARI_NO_MEMORY   as for wari_opening_book_read() */
WARI_MUST_CHECK enum wari_status opening_file_read(const char *path, struct wari_opening_book *book,
                                                   struct wari_error *error);

#endif
