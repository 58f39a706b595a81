/* Tables of cells for any processor. */
#include "db/context/cell_tables_find_loop.h"
