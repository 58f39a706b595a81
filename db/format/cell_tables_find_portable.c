/* Tables of cells for any processor. */
#include "db/format/cell_tables_find_loop.h"
