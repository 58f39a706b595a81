/* A book in a file. */
#ifndef DB_BOOK_BOOK_FILE_H
#define DB_BOOK_BOOK_FILE_H

#include "db/book/wari_book.h"
#include "db/host/host.h"

struct wari_book_file {
    const struct wari_host *host;
    int fd;
    char path[WARI_PATH_MAX];
    struct wari_book book; /* reads from this struct, which must therefore stay where it is */
};

/* Opens file and book. WARI_IO where the file cannot be opened or is none, WARI_BAD_INPUT where the
 * path is too long; else like wari_book_open(). On failure there is nothing to close. */
WARI_MUST_CHECK enum wari_status wari_book_file_open(struct wari_book_file *file,
                                                     const struct wari_host *host, const char *path,
                                                     struct wari_error *error);
void wari_book_file_close(struct wari_book_file *file);

#endif
