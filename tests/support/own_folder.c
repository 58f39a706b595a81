/* The folder is a variable of the program, so the test can use its own state for other data. */
#include "tests/support/own_folder.h"

char folder[TABLE_FOLDER_MAX];

int make_folder(void **state)
{
    (void)state;
    return table_folder_make(folder) ? 0 : -1;
}

int remove_folder(void **state)
{
    (void)state;
    return table_folder_remove(folder) ? 0 : -1;
}
