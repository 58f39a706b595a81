/* A folder of its own with the true values of one variant, by the reference solver, and an open
 * database of it. */
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
    struct wari_db *db; /* may be closed and opened again */
};

/* False on failure, which leaves nothing to be discarded but a folder. */
bool solved_make(struct solved *solved, enum wari_rules rules, enum wari_cycle cycle,
                 int seeds_max);

/* The same, made once for all tests of the program, which only read it; NULL on failure. It goes
 * when the program ends. */
const struct solved *solved_of(enum wari_rules rules, enum wari_cycle cycle, int seeds_max);

/* Closes and removes everything; false if the folder cannot be removed. */
bool solved_discard(struct solved *solved);

#endif
