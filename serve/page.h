/* The files of the page, as parts of the program. */
#ifndef SERVE_PAGE_H
#define SERVE_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "serve/databases.h"

struct page_file {
    const char *type; /* for Content-Type */
    const char *bytes;
    size_t count;
    char etag[ETAG_TEXT]; /* a hash of the bytes */
};

/* The file at a path; false if there is none. */
bool page_find(const char *path, struct page_file *file);

#endif
