/* A book in a file. */
#ifndef DB_BOOK_BOOK_FILE_H
#define DB_BOOK_BOOK_FILE_H

#include "db/book/wari_book.h"
#include "db/host/host.h"

struct wari_book_file {
    const struct wari_host *host;
    int fd;
    char path[WARI_PATH_MAX];
    struct wari_book book; /* its source points to the outer struct, which must not be moved */
};

/* Opens a file and the book in it. Returns WARI_IO if the file cannot be opened or is not a regular
 * file; WARI_BAD_INPUT if the path is too long; otherwise fails like wari_book_open(). After a
 * failure there is nothing to close. */
WARI_MUST_CHECK enum wari_status wari_book_file_open(struct wari_book_file *file,
                                                     const struct wari_host *host, const char *path,
                                                     struct wari_error *error);
void wari_book_file_close(struct wari_book_file *file);

#endif
