/* What is done to the cells of a bound: a rule, which sweeps (bits_sweep.c) and news (bits_news.c)
 * follow. There are two, one to grow by and one to shrink by. */
#ifndef SOLVER_BITS_RULE_H
#define SOLVER_BITS_RULE_H

#include "solver/bits/worker.h"

/* Part of a block. */
struct wari_bits_item {
    int block;
    uint32_t first_column, columns;
    uint32_t first_strip, strips;
};

struct wari_bits_rule {
    /* Whether any cell of a block may change. */
    bool (*concerns)(const struct wari_bits *bits, int block);

    /* Where the cells of a block look up children in a row of block `child`, which begins at byte
     * `place` of a plane: source->won and source->lost. */
    void (*find_rows)(const struct wari_bits *bits, int block, int child, uint64_t place,
                      struct wari_bit_source *source);

    /* Changes the cells of an item, of whose children the worker's tile knows. `tell`: puts those
     * that changed among the news, and others may be changing some, too. Returns their number. */
    uint64_t (*decide)(struct wari_bits *bits, struct wari_bits_worker *worker,
                       const struct wari_bits_item *item, bool tell);

    /* Changes so many cells of the tile, whose children news were about, and puts those that
     * changed among the news. Returns their number. */
    uint64_t (*follow)(struct wari_bits *bits, struct wari_bits_worker *worker, uint32_t parents);
};

#endif
