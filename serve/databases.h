/* The databases that a server answers from. They are opened once and then only read, by any thread.
 * In a server without tables, the list has variants that have no database. */
#ifndef SERVE_DATABASES_H
#define SERVE_DATABASES_H

#include "answer/answer.h"
#include "db/catalogue/variants.h"
#include "db/wari.h"

enum { ETAG_TEXT = 20 }; /* size of "\"0123456789abcdef\"" */

struct database {
    struct wari_db *db;        /* NULL if the variant has no tables */
    const char *folder;        /* folder of the database; NULL for a book, and without tables */
    struct wari_info info;     /* without tables, seeds_max is -1 */
    struct answer_proof proof; /* the proof record when the database was opened */
    char etag[ETAG_TEXT];      /* ETag of every response made from the values: a hash of the levels'
                                * payload hashes, the missing levels, the variant, the proof record
                                * and the program's version */
};

struct databases {
    struct database list[WARI_VARIANT_COUNT]; /* databases in the order of the enumerators of their
                                               * variants */
    int count;
};

/* Adds the `count` variants of a folder to the list, which is empty at first; they share
 * `cache_bytes`. Fails like wari_open(), and with WARI_BAD_INPUT if a variant is in another folder,
 * too. A failure closes all databases of the list, also those of other folders. */
WARI_MUST_CHECK enum wari_status databases_open(struct databases *databases, const char *folder,
                                                const struct wari_variant *variants, int count,
                                                size_t cache_bytes, struct wari_error *error);

/* Makes a list of variants without tables. */
WARI_MUST_CHECK enum wari_status databases_without_tables(struct databases *databases,
                                                          const struct wari_variant *variants,
                                                          int count, struct wari_error *error);

/* Makes a list of the one open handle `db` and takes ownership of it: databases_close() closes the
 * handle, as does this function if it fails. */
WARI_MUST_CHECK enum wari_status
databases_from_handle(struct databases *databases, struct wari_db *db, struct wari_error *error);
void databases_close(struct databases *databases);

/* Finds the only database that matches the names, each of which may be NULL: the name of a rule set
 * or preset, and the name of a cycle rule. Fails with WARI_BAD_INPUT if a name is unknown, if the
 * names contradict each other, or if several databases match; with WARI_NOT_COVERED if none
 * matches. */
WARI_MUST_CHECK enum wari_status databases_choose(const struct databases *databases,
                                                  const char *rules, const char *cycle,
                                                  const struct database **database,
                                                  struct wari_error *error);

/* Lists all variants in `databases` that match the names, in the order of the enumerators. On
 * success there is at least one. Fails like databases_choose(), except that several variants may
 * match. */
WARI_MUST_CHECK enum wari_status databases_match(const struct databases *databases,
                                                 const char *rules, const char *cycle,
                                                 struct wari_variant variants[WARI_VARIANT_COUNT],
                                                 int *count, struct wari_error *error);

/* Returns true if both are the same variant. */
static inline bool is_same_variant(struct wari_variant one, struct wari_variant other)
{
    return one.rules == other.rules && one.cycle == other.cycle;
}

/* Returns the database of a variant, or NULL if there is none. */
const struct database *databases_find(const struct databases *databases,
                                      struct wari_variant variant);

/* Returns true if the tables of the database contain the position; false if `database` is NULL. */
bool database_covers(const struct database *database, const struct wari_setup *setup);

/* Like databases_choose(), with one difference: if the names select a variant completely, and there
 * is no database for this variant, *database is NULL and the call succeeds. Names select a variant
 * completely if they are a rule set and a cycle rule, or a preset that fixes both. */
WARI_MUST_CHECK enum wari_status databases_choose_variant(const struct databases *databases,
                                                          const char *rules, const char *cycle,
                                                          struct wari_variant *variant,
                                                          const struct database **database,
                                                          struct wari_error *error);

/* Writes a hash as the value of an ETag header, with its quotes. */
void etag_write(uint64_t hash, char etag[ETAG_TEXT]);

#endif
