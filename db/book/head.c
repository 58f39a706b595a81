/* What reader and writer know of a book before they look into it. */
#include "db/book/head.h"

#include "db/book/cells.h"

void wari_head_count_blocks(int seeds, uint64_t first_block[])
{
    uint64_t blocks = 0;
    for (int n = 0; n <= seeds; n++) {
        first_block[n] = blocks;
        if (n != WARI_SEEDS_MAX - 1)
            blocks += (wari_book_cells_held(n) + WARI_BOOK_CELLS - 1) / WARI_BOOK_CELLS;
    }
    first_block[seeds + 1] = blocks;
}
