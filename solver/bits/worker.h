/* What each thread has for itself while cells are swept by bits: a page for its news, and in its
 * tile (team.h) what it is at. */
#ifndef SOLVER_BITS_WORKER_H
#define SOLVER_BITS_WORKER_H

#include "solver/bits/bits.h"
#include "solver/level/recheck.h"

enum {
    WARI_BITS_PITCH = WARI_BITS_COLUMNS + 8, /* words from strip to strip of a tile: not a power of
                                              * two, which caches do not like */
    WARI_BITS_BATCH = 64,                    /* cells whose parents are found together */
    WARI_BITS_PARENTS = 768, /* of these, that are looked at together: more than one cell has */
};

struct wari_bits_worker {
    struct wari_worker *worker;
    uint32_t page; /* that its news go to; WARI_NO_EVENT_BUFFER: none */
};

/* A cell that may change. */
struct wari_bits_parent {
    struct wari_board board;
    struct wari_coordinates cell;
    enum wari_bits_news because; /* of what: a child, or the cell itself */
    uint64_t place;
    uint8_t bit;
};

/* One that may be lost, and the child of it that is looked at. */
struct wari_bits_look {
    uint64_t child; /* where it is */
    uint32_t parent;
    uint8_t bit, pit; /* the first pit behind the one that leads there */
};

struct wari_bits_tile {
    uint64_t lost_child[WARI_BITS_STRIPS * WARI_BITS_PITCH];
    uint64_t open_child[WARI_BITS_STRIPS * WARI_BITS_PITCH];
    struct wari_bits_decided decided;
    wari_sowing sowing[WARI_BITS_COLUMNS][WARI_HALF_PITS];
    struct wari_bits_parent parent[WARI_BITS_PARENTS];
    struct wari_bits_look looked_at[WARI_BITS_PARENTS];
};

static inline struct wari_bits_tile *wari_bits_tile(const struct wari_bits_worker *worker)
{
    return (struct wari_bits_tile *)(void *)worker->worker->tile;
}

/* Part of a block. */
struct wari_bits_item {
    int block;
    uint32_t first_column, columns;
    uint32_t first_strip, strips;
};

/* What is done to the cells of a threshold: a rule, which sweeps (bits_sweep.c) and news
 * (bits_news.c) follow. There are two, one to grow by and one to shrink by. */
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
