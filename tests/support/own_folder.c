/* The path is a global variable and not in cmocka's test state, so a test can use that state for
 * other data. */
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
