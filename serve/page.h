/* The files of the web page, which are embedded in the program. */
#ifndef SERVE_PAGE_H
#define SERVE_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "serve/databases.h"

struct page_file {
    const char *type;     /* value of the header Content-Type */
    const char *encoding; /* value of the header Content-Encoding; NULL if there is none */
    const char *bytes;
    size_t count;
    bool is_start;        /* true for index.html */
    char etag[ETAG_TEXT]; /* made from a hash of the bytes */
};

enum { PAGE_LANGUAGE = 3 }; /* size of "en" */

/* The value of the header Content-Security-Policy, which serve/page.sh writes. It allows only files
 * of this server, and the style and the script inside index.html, whose hashes it contains. */
extern const char page_policy[];

/* Finds the file at a path, compressed or not. For "/" and "/index.html", this is the file with the
 * texts of `language`, which comes from page_language(). Returns false if there is no such file. */
bool page_find(const char *path, const char *language, bool gzip, struct page_file *file);

/* Chooses the language of the page: `selected`, which the reader selected earlier, if the page has
 * texts in it; or else the first of `preferred` that the page has texts in; or else English.
 * `preferred` is the value of the header Accept-Language, in which browsers list the languages in
 * the order of preference. Both may be NULL. */
void page_language(const char *selected, const char *preferred, char language[PAGE_LANGUAGE]);

#endif
