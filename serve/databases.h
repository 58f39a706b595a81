/* The databases that a server answers from, opened once. Only read afterwards, by any thread. */
#ifndef SERVE_DATABASES_H
#define SERVE_DATABASES_H

#include "answer/answer.h"
#include "db/catalogue/variants.h"
#include "db/wari.h"

enum { ETAG_TEXT = 20 }; /* "\"0123456789abcdef\"" */

struct database {
    struct wari_db *db;
    struct wari_info info;
    struct answer_proof proof; /* on record when the database was opened */
    char etag[ETAG_TEXT]; /* of all that is said about its values: a hash of the levels' payload
                           * hashes, the variant, the proof on record and the program's version */
};

struct databases {
    struct database list[WARI_VARIANTS]; /* in the order of the enums */
    int count;
};

/* Opens all these variants; `cache_bytes` is for all together. Fails like wari_open(), with nothing
 * left open. */
WARI_MUST_CHECK enum wari_status databases_open(struct databases *databases, const char *folder,
                                                const struct wari_variant *variants, int count,
                                                size_t cache_bytes, struct wari_error *error);

/* Takes over one handle that is open, and that databases_close() closes: here, too, on failure. */
WARI_MUST_CHECK enum wari_status
databases_from_handle(struct databases *databases, struct wari_db *db, struct wari_error *error);
void databases_close(struct databases *databases);

/* The only database that fits the names, each of which may be NULL: the name of a rule set or
 * preset, and of a cycle rule. WARI_BAD_INPUT: an unknown name, a contradiction, or several fit;
 * WARI_NOT_COVERED: none fits. */
WARI_MUST_CHECK enum wari_status databases_choose(const struct databases *databases,
                                                  const char *rules, const char *cycle,
                                                  const struct database **database,
                                                  struct wari_error *error);

/* The variants that fit the names, in the order of the enums, at least one: fails like
 * databases_choose() but for several. */
WARI_MUST_CHECK enum wari_status databases_match(const struct databases *databases,
                                                 const char *rules, const char *cycle,
                                                 struct wari_variant variants[WARI_VARIANTS],
                                                 int *count, struct wari_error *error);

/* Whether both are the same game. */
static inline bool is_same_variant(struct wari_variant one, struct wari_variant other)
{
    return one.rules == other.rules && one.cycle == other.cycle;
}

/* The database of a variant; NULL: there is none. */
const struct database *databases_find(const struct databases *databases,
                                      struct wari_variant variant);

/* Whether its tables have this position. NULL: there are none. */
bool database_covers(const struct database *database, const struct wari_setup *setup);

/* As databases_choose(), but where no database fits and both names are given, or a preset that says
 * both, it is that variant and *database is NULL. */
WARI_MUST_CHECK enum wari_status databases_choose_variant(const struct databases *databases,
                                                          const char *rules, const char *cycle,
                                                          struct wari_variant *variant,
                                                          const struct database **database,
                                                          struct wari_error *error);

/* The quoted text for an ETag header. */
void etag_write(uint64_t hash, char etag[ETAG_TEXT]);

#endif
