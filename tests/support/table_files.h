/* Database folders made of any values a test likes, with hashes and histograms that are right for
 * these values: what a faulty solver would leave behind.
 *
 * Failures come back as a status; the test asserts on it. */
#ifndef TESTS_SUPPORT_TABLE_FILES_H
#define TESTS_SUPPORT_TABLE_FILES_H

#include "db/catalogue/catalogue.h"
#include "index/level.h"
#include "solver/build.h"
#include "tests/reference/reference.h"
#include "verify/verify.h"

/* What the reference solver says of a variant up to at least so many seeds. Solved once for all
 * tests of the program, and not to be freed; NULL without memory. */
const struct ref_table *reference_of(struct wari_variant variant, int seeds_max);

/* The values of levels 0..seeds_max of one variant, to be changed at will. */
struct table {
    struct wari_variant variant;
    int seeds_max;
    struct wari_layout layout[WARI_SEEDS_MAX + 1];
    int8_t *values[WARI_SEEDS_MAX + 1]; /* in index order */
};

/* The value of a stored position. */
typedef int table_value(const void *context, const struct wari_position *position);

/* Fills a table by asking for every stored position; to be freed. */
WARI_MUST_CHECK enum wari_status table_make(struct table *table, struct wari_variant variant,
                                            int seeds_max, table_value *value, const void *context);
void table_free(struct table *table);

/* Fills a table with the true values, by the reference solver. */
WARI_MUST_CHECK enum wari_status table_solve(struct table *table, struct wari_variant variant,
                                             int seeds_max);

/* Where the table keeps a stored position. */
int8_t *table_cell(const struct table *table, const struct wari_position *position);

/* The best move of any position, or its end, by the values of the table. */
int table_best(const struct table *table, const struct wari_position *position);

/* Stored positions of a level whose value is not that of table_best(). */
uint64_t table_inconsistent(const struct table *table, int seeds);

/* What is to be wrong beside the values. */
struct table_flaws {
    int seeds;           /* in this level: */
    uint64_t hash_error; /* added to the payload hash, in the file and in the catalogue */
    int count_from;      /* so many placements of this value ... */
    int count_to;        /* ... are counted as worth this one */
    uint64_t count_error;
};

/* Writes level files and catalogue into an existing folder. `flaws` NULL: none. */
WARI_MUST_CHECK enum wari_status table_write(const struct table *table, const char *folder,
                                             const struct table_flaws *flaws);

/* Writes the table into a folder of its own, verifies it in each of `count` ways (whose folder and
 * variant are ignored), with a status and a report for each, and removes the folder. WARI_IO if
 * that cannot be made, written or removed. */
WARI_MUST_CHECK enum wari_status table_verify_all(const struct table *table,
                                                  const struct table_flaws *flaws, int count,
                                                  const struct wari_verify *verify,
                                                  enum wari_status *status,
                                                  struct wari_verify_report *report);

/* The same in one way: its status, or WARI_IO. */
WARI_MUST_CHECK enum wari_status table_verify(const struct table *table,
                                              const struct table_flaws *flaws,
                                              const struct wari_verify *verify,
                                              struct wari_verify_report *report);

/* Makes an empty folder of its own under $TMPDIR or /tmp; removes one with the files in it. False
 * on failure. */
enum { TABLE_FOLDER_MAX = 256 };
bool table_folder_make(char folder[TABLE_FOLDER_MAX]);
bool table_folder_remove(const char *folder);

#endif
