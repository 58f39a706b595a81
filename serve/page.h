/* The files of the web page, which are embedded in the program. */
#ifndef SERVE_PAGE_H
#define SERVE_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "serve/databases.h"

struct page_file {
    const char *type; /* value of the header Content-Type */
    const char *bytes;
    size_t count;
    char etag[ETAG_TEXT]; /* made from a hash of the bytes */
};

/* Finds the file at a path, with index.html for "/". Returns false if there is none. */
bool page_find(const char *path, struct page_file *file);

#endif
