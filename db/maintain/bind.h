/* Writes the levels of a database into a book: one file for programs that must not depend on
 * other libraries (FORMAT.md, "Book"). */
#ifndef DB_MAINTAIN_BIND_H
#define DB_MAINTAIN_BIND_H

#include <stdatomic.h>

#include "db/host/host.h"
#include "db/wari.h"

struct wari_bind {
    struct wari_db *db;
    int seeds;                    /* the book gets levels 0..seeds */
    const char *path;             /* path of the book; an existing file is replaced when the new
                                   * one is complete */
    const struct wari_host *host; /* NULL means the system */
    /* Called from time to time with the amount of work done. NULL means no calls. */
    void (*progress)(void *context, uint64_t done, uint64_t all);
    void *context;
    const atomic_bool *stop; /* set to true to stop; NULL means never */
};

struct wari_bind_report {
    uint64_t positions; /* number of positions of all levels */
    uint64_t held;      /* number of positions whose values are in the book */
    uint64_t bytes;
    uint64_t hash; /* hash of the whole file */
};

/* Writes the book under a temporary name, reads it again and compares every value in it. Only
 * then gives the book its name. Equal values always give equal bytes. A position that the book
 * leaves out must have the value of its best move, as in every database that `wari verify`
 * proves.
 *   WARI_NOT_COVERED   the database has no level `seeds`
 *   WARI_BAD_INPUT     `path` is not a file name
 *   WARI_CORRUPT       a file of the database is damaged
 *   WARI_IO, WARI_NO_MEMORY, WARI_INTERRUPTED */
WARI_MUST_CHECK enum wari_status
wari_bind(const struct wari_bind *bind, struct wari_bind_report *report, struct wari_error *error);

#endif
