/* Tables of moves, computed for each half of the board on its own.
 *
 * A move that drops t seeds into the opponent's row adds a pattern to the opponent's half that
 * depends on t alone. The mover's own half after the move becomes the row of the position reached.
 * So the pair (row reached, t) describes a move of a **column** (a mover half) completely, and the
 * effect of t seeds on an opponent half has to be computed once for all columns. */
#ifndef VERIFY_VERIFY_COLUMNS_H
#define VERIFY_VERIFY_COLUMNS_H

#include "db/host/host.h"

enum {
    WARI_VERIFY_LANDS = 64,     /* added to t if the last seed falls into the opponent's row */
    WARI_VERIFY_NO_MOVE = 0xff, /* the pit is empty */
};

struct wari_verify_column {
    uint32_t row[WARI_HALF_PITS]; /* row of the position reached, if nothing is captured */
    uint8_t sown[8];              /* [pit]: number t of seeds that the move drops into the
                                   * opponent's row, plus WARI_VERIFY_LANDS if the last seed falls
                                   * there; WARI_VERIFY_NO_MOVE in the last two entries, which are
                                   * no pits */
};

/* The tables of all halves with 0..seeds_max seeds; of[n][i] is the half with n seeds and number
 * i. */
struct wari_verify_columns {
    struct wari_verify_column *of[WARI_SEEDS_MAX + 1];
};

uint64_t wari_verify_columns_bytes(int seeds_max);

/* Fills the tables in `memory`, a buffer of wari_verify_columns_bytes() bytes. */
void wari_verify_columns_fill(struct wari_verify_columns *columns, int seeds_max, void *memory);

/* Drops t seeds into an opponent half, in place. */
void wari_verify_sow(uint8_t pits[WARI_HALF_PITS], int t);

/* Captures from an opponent half into which the last of t > 0 seeds has just fallen: removes the
 * captured seeds and returns their number. Treats a grand slam like any other capture. */
int wari_verify_capture(uint8_t pits[WARI_HALF_PITS], int t);

#endif
