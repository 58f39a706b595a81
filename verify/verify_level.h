/* The level that is being proved: its positions in memory, and what is known of them.
 *
 * Positions whose opponent half is full are not stored in the file, but the catalogue counts them;
 * they are called **full** here, and have a byte each, too: the worth of the best move found so
 * far.
 */
#ifndef VERIFY_LEVEL_VERIFY_LEVEL_H
#define VERIFY_LEVEL_VERIFY_LEVEL_H

#include "db/catalogue/catalogue.h"
#include "index/level.h"
#include "verify/verify_cell.h"
#include "verify/verify_columns.h"
#include "verify/verify_request.h"

/* What holds for a whole run. */
struct wari_verify_run {
    const struct wari_verify *verify;
    const struct wari_host *host;
    struct wari_error *error;
    int threads;
    struct wari_catalogue catalogue;
    enum wari_slam slam;
    struct wari_decoder **decoders; /* one for each thread */
    struct wari_verify_columns columns;
    int8_t *below; /* room for positions of the levels below */
    uint64_t below_bytes;
    atomic_uint_fast64_t chunks_read; /* of those */
};

/* `own` only: how large a surplus the leader, who has more seeds in its row, may hope to hold,
 * where that is more than the value is worth to it; 0 where there is no hope. Half a byte for each
 * position of a block, a whole one where the surplus is more than 15, and nothing where both rows
 * hold as many. Every row begins with a byte of its own. */
struct wari_verify_hopes {
    wari_verify_cell *bytes;                /* NULL: `even` */
    uint64_t offset[WARI_SEEDS_MAX + 2];    /* of block s */
    uint32_t row_bytes[WARI_SEEDS_MAX + 1]; /* of a row of block s; 0: none */
    bool whole[WARI_SEEDS_MAX + 1];         /* a byte each */
};

/* Up to so many rows of one block, all stored or all full: what a thread works on. */
enum { WARI_VERIFY_ROWS = 64 };
struct wari_verify_piece {
    uint8_t block;
    bool full;
    uint16_t rows;
    uint32_t first; /* row; a full one by the number of the half with a seed less in each pit */
};

struct wari_verify_level {
    struct wari_verify_run *run;
    struct wari_layout layout;
    wari_verify_cell *cells;
    wari_verify_cell *full;                   /* worth + MIDDLE, 0: no move found */
    uint64_t full_offset[WARI_SEEDS_MAX + 2]; /* of block s */
    wari_verify_cell *kept;                   /* `own`: a set of positions; in the memory of full */
    struct wari_verify_hopes hopes;
    wari_verify_cell *wrong; /* positions that a capture or an end proves wrong; NULL: not asked */
    atomic_bool exceeded;    /* whether there are any */
    struct wari_verify_piece *pieces;
    uint64_t piece_count;
};

/* Memory that a level takes, and what of it is room for pieces. */
struct wari_verify_room {
    uint64_t cells, full, hopes, pieces;
};
struct wari_verify_room wari_verify_level_room(int seeds, enum wari_cycle cycle, bool proves_all);

/* Sets up a level in memory of these sizes, one after the other. Nothing is read yet. */
void wari_verify_level_begin(struct wari_verify_level *level, struct wari_verify_run *run,
                             int seeds, void *memory);

/* Seeds in the mover's row less those in the opponent's. */
static inline int wari_verify_lead(const struct wari_verify_level *level, int block)
{
    return level->layout.seeds - 2 * block;
}

/* ---- Hopes ---- */

/* Of column m in a row, which begins at `row`. */
static inline int wari_verify_hope(const wari_verify_cell *row, bool whole, uint32_t column)
{
    if (whole)
        return wari_verify_read(&row[column]);
    return wari_verify_read(&row[column / 2]) >> column % 2 * 4 & 15;
}

static inline wari_verify_cell *wari_verify_hope_row(const struct wari_verify_hopes *hopes,
                                                     int block, uint32_t row)
{
    return hopes->bytes + hopes->offset[block] + (uint64_t)row * hopes->row_bytes[block];
}

/* Lowers a hope, never raises it; whether that changed anything. */
bool wari_verify_lower(wari_verify_cell *row, bool whole, uint32_t column, int hope);

#endif
