/* A temporary folder for each test, or for each group of tests, of one program. */
#ifndef TESTS_SUPPORT_OWN_FOLDER_H
#define TESTS_SUPPORT_OWN_FOLDER_H

#include "tests/support/table_files.h"

/* The path of the folder, valid between make_folder() and remove_folder(). */
extern char folder[TABLE_FOLDER_MAX];

/* Set-up and tear-down functions for cmocka: they return 0, or -1 on failure, and do not change
 * the state. */
int make_folder(void **state);
int remove_folder(void **state);

#endif
