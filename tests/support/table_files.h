/* Database folders with any values that a test chooses, and with hashes and histograms that match
 * these values, as a faulty solver would write them.
 *
 * Failures are returned as a status, which the test checks. */
#ifndef TESTS_SUPPORT_TABLE_FILES_H
#define TESTS_SUPPORT_TABLE_FILES_H

#include "db/catalogue/catalogue.h"
#include "index/level.h"
#include "solver/build.h"
#include "tests/reference/reference.h"
#include "verify/verify.h"

/* Returns the values of the reference solver for a variant, up to at least `seeds_max` seeds.
 * They are computed once for all tests of the program. The caller must not free them; NULL means
 * that there was not enough memory. */
const struct ref_table *reference_of(struct wari_variant variant, int seeds_max);

/* The values of levels 0..seeds_max of one variant; tests may change them. */
struct table {
    struct wari_variant variant;
    int seeds_max;
    struct wari_layout layout[WARI_SEEDS_MAX + 1];
    int8_t *values[WARI_SEEDS_MAX + 1]; /* in index order */
};

/* The value of a stored position. */
typedef int table_value(const void *context, const struct wari_position *position);

/* Fills a table by calling the function for every stored position; table_free() frees the table. */
WARI_MUST_CHECK enum wari_status table_make(struct table *table, struct wari_variant variant,
                                            int seeds_max, table_value *value, const void *context);
void table_free(struct table *table);

/* Fills a table with the exact values, computed by the reference solver. */
WARI_MUST_CHECK enum wari_status table_solve(struct table *table, struct wari_variant variant,
                                             int seeds_max);

/* Returns the address of the value of a stored position. */
int8_t *table_cell(const struct table *table, const struct wari_position *position);

/* Returns the value of the best move by the values of the table; if there is no move, the value of
 * the end of the game. The position need not be a stored one. */
int table_best(const struct table *table, const struct wari_position *position);

/* Returns the number of stored positions of a level whose value differs from that of
 * table_best(). */
uint64_t table_inconsistent(const struct table *table, int seeds);

/* Errors in addition to wrong values. */
struct table_flaws {
    int seeds;           /* the level with the errors */
    uint64_t hash_error; /* this number is added to the payload hash, in the file and in the
                          * catalogue */
    int count_from;      /* the histogram counts count_error placements of this value */
    int count_to;        /* as placements of this value instead */
    uint64_t count_error;
};

/* Writes level files and catalogue into an existing folder. NULL for `flaws` means no errors. */
WARI_MUST_CHECK enum wari_status table_write(const struct table *table, const char *folder,
                                             const struct table_flaws *flaws);

/* Writes the table into a temporary folder, verifies it in each of `count` ways (whose folder
 * and variant are ignored), stores a status and a report for each, and removes the folder.
 * Returns WARI_IO if the folder cannot be created, written or removed. */
WARI_MUST_CHECK enum wari_status table_verify_all(const struct table *table,
                                                  const struct table_flaws *flaws, int count,
                                                  const struct wari_verify *verify,
                                                  enum wari_status *status,
                                                  struct wari_verify_report *report);

/* Like table_verify_all(), but verifies the table in one way. Returns the status of this
 * verification, or WARI_IO. */
WARI_MUST_CHECK enum wari_status table_verify(const struct table *table,
                                              const struct table_flaws *flaws,
                                              const struct wari_verify *verify,
                                              struct wari_verify_report *report);

/* table_folder_make() creates an empty temporary folder under $TMPDIR or /tmp.
 * table_folder_remove() removes a folder with its files. Both return false on failure. */
enum { TABLE_FOLDER_MAX = 256 };
bool table_folder_make(char folder[TABLE_FOLDER_MAX]);
bool table_folder_remove(const char *folder);

#endif
