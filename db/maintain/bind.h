/* Binds the levels of a database into a book: one file for programs that take nothing else along
 * (FORMAT.md, "Book"). */
#ifndef DB_BIND_BIND_H
#define DB_BIND_BIND_H

#include <stdatomic.h>

#include "db/host/host.h"
#include "db/wari.h"

struct wari_bind {
    struct wari_db *db;
    int seeds;                    /* levels 0..seeds */
    const char *path;             /* of the book; what stands there is replaced in the end */
    const struct wari_host *host; /* NULL: the system */
    /* Called now and then with how much of the work is done; NULL: not at all. */
    void (*progress)(void *context, uint64_t done, uint64_t all);
    void *context;
    const atomic_bool *stop; /* NULL: never */
};

struct wari_bind_report {
    uint64_t positions; /* of all levels */
    uint64_t held;      /* of these in the book */
    uint64_t bytes;
    uint64_t hash; /* of the whole */
};

/* Writes the book under a temporary name, reads it again and compares every value that it holds,
 * and only then puts it in place. The same bytes come out of the same values. Positions that a book
 * leaves out are worth the best of their moves, as they are in every database that `wari verify`
 * proves.
 *   WARI_NOT_COVERED   the database has no level `seeds`
 *   WARI_BAD_INPUT     `path` is no name for a file
 *   WARI_CORRUPT       a file of it is damaged
 *   WARI_IO, WARI_NO_MEMORY, WARI_INTERRUPTED */
WARI_MUST_CHECK enum wari_status
wari_bind(const struct wari_bind *bind, struct wari_bind_report *report, struct wari_error *error);

#endif
