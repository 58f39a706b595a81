/* What moves do to the two halves of the board, each on its own.
 *
 * A move that drops t seeds into the opponent's row adds a pattern to that half that depends on t
 * alone. The other half, the mover's own after the move, becomes the row of the position reached.
 * So all moves of a **column**, a mover half, are known as (row reached, t); and what t seeds make
 * of an opponent half has to be found once for all columns.
 */
#ifndef VERIFY_LEVEL_VERIFY_COLUMNS_H
#define VERIFY_LEVEL_VERIFY_COLUMNS_H

#include "db/host/host.h"

enum {
    WARI_VERIFY_LANDS = 64,     /* added to t: the last seed falls into the opponent's row */
    WARI_VERIFY_NO_MOVE = 0xff, /* an empty pit */
};

struct wari_verify_column {
    uint32_t row[WARI_HALF_PITS]; /* of the position reached, if nothing is captured */
    uint8_t sown[8];              /* t, with LANDS; NO_MOVE behind the sixth */
};

/* Of all halves with 0..seeds_max seeds, by their numbers. */
struct wari_verify_columns {
    struct wari_verify_column *of[WARI_SEEDS_MAX + 1];
};

uint64_t wari_verify_columns_bytes(int seeds_max);

/* `memory`: room for wari_verify_columns_bytes(). */
void wari_verify_columns_fill(struct wari_verify_columns *columns, int seeds_max, void *memory);

/* What t seeds make of an opponent half, in place. */
void wari_verify_sow(uint8_t pits[WARI_HALF_PITS], int t);

/* Seeds that are captured where the last of t > 0 seeds has just fallen into this half, grand slam
 * or not; takes them out. */
int wari_verify_capture(uint8_t pits[WARI_HALF_PITS], int t);

#endif
