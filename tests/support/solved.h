/* A temporary folder with the exact values of one variant, computed by the reference solver, and
 * an open database of this folder. */
#ifndef TESTS_SUPPORT_SOLVED_H
#define TESTS_SUPPORT_SOLVED_H

#include "db/wari.h"
#include "tests/support/table_files.h"

struct solved {
    struct wari_variant variant;
    int seeds_max;
    const struct ref_table *reference;
    struct table table;
    char folder[TABLE_FOLDER_MAX];
    struct wari_db *db; /* the test may close it and open it again */
};

/* Computes the values, writes them into a new folder and opens it. Returns false on failure; then
 * at most an unused folder remains. */
bool solved_make(struct solved *solved, enum wari_rules rules, enum wari_cycle cycle,
                 int seeds_max);

/* Returns a folder that is made once for all tests of the program and removed when the program
 * ends. Tests must not change it. Returns NULL on failure. */
const struct solved *solved_of(enum wari_rules rules, enum wari_cycle cycle, int seeds_max);

/* Closes and removes everything; returns false if the folder cannot be removed. */
bool solved_discard(struct solved *solved);

#endif
