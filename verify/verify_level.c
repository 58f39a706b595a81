/* Memory of a level, and how it is cut into pieces of work. */
#include "verify/verify_level.h"

#include <stdlib.h>
#include <string.h>

#include "index/half.h"

enum { HALF_BYTE = 15 };

static uint64_t full_rows(int block)
{
    return block < WARI_HALF_PITS ? 0 : wari_half_count(block - WARI_HALF_PITS);
}

static uint64_t pieces_of(uint64_t rows)
{
    return (rows + WARI_VERIFY_ROWS - 1) / WARI_VERIFY_ROWS;
}

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Where hopes are; returns how many bytes they take. */
static uint64_t lay_out_hopes(struct wari_verify_hopes *hopes, const struct wari_layout *layout)
{
    hopes->offset[0] = 0;
    for (int s = 0; s <= layout->seeds; s++) {
        const int lead = abs(layout->seeds - 2 * s);
        hopes->whole[s] = lead > HALF_BYTE;
        hopes->row_bytes[s] = lead == 0         ? 0
                              : hopes->whole[s] ? layout->columns[s]
                                                : (layout->columns[s] + 1) / 2;
        hopes->offset[s + 1] = hopes->offset[s] + (uint64_t)layout->rows[s] * hopes->row_bytes[s];
    }
    return hopes->offset[layout->seeds + 1];
}

struct wari_verify_room wari_verify_level_room(int seeds, enum wari_cycle cycle, bool proves_all)
{
    struct wari_verify_room room = {0};
    struct wari_verify_hopes hopes;
    struct wari_layout layout;
    uint64_t pieces = 0;

    wari_layout_init(&layout, seeds);
    room.cells = round_up(wari_level_positions(seeds));
    for (int s = 0; s <= seeds; s++) {
        room.full += full_rows(s) * layout.columns[s];
        pieces += pieces_of(layout.rows[s]) + pieces_of(full_rows(s));
    }
    room.full = round_up(room.full);
    room.pieces = round_up(pieces * sizeof(struct wari_verify_piece));
    if (cycle == WARI_OWN && proves_all) {
        const uint64_t kept = room.cells / 8;
        room.full = room.full > kept ? room.full : round_up(kept);
        room.hopes = round_up(lay_out_hopes(&hopes, &layout));
    }
    return room;
}

static void add_pieces(struct wari_verify_level *level, int block, uint64_t rows, bool full)
{
    for (uint64_t first = 0; first < rows; first += WARI_VERIFY_ROWS) {
        const uint64_t left = rows - first;
        level->pieces[level->piece_count++] = (struct wari_verify_piece){
            .block = (uint8_t)block,
            .full = full,
            .rows = (uint16_t)(left < WARI_VERIFY_ROWS ? left : WARI_VERIFY_ROWS),
            .first = (uint32_t)first,
        };
    }
}

void wari_verify_level_begin(struct wari_verify_level *level, struct wari_verify_run *run,
                             int seeds, void *memory)
{
    const bool proves_all = run->verify->mode == WARI_VERIFY_FULL;
    const struct wari_verify_room room =
        wari_verify_level_room(seeds, run->verify->variant.cycle, proves_all);
    char *next = memory;

    memset(level, 0, sizeof *level);
    level->run = run;
    wari_layout_init(&level->layout, seeds);
    level->cells = (wari_verify_cell *)next;
    next += room.cells;
    level->full = level->kept = (wari_verify_cell *)next;
    memset(next, 0, room.full);
    next += room.full;
    level->hopes.bytes = room.hopes ? (wari_verify_cell *)next : NULL;
    lay_out_hopes(&level->hopes, &level->layout);
    next += room.hopes;
    level->pieces = (struct wari_verify_piece *)(void *)next;

    for (int s = 0; s <= seeds; s++) {
        const uint64_t full = full_rows(s);
        level->full_offset[s + 1] = level->full_offset[s] + full * level->layout.columns[s];
        add_pieces(level, s, level->layout.rows[s], false);
        add_pieces(level, s, full, true);
        if (level->hopes.bytes && level->hopes.row_bytes[s] != 0) {
            const int lead = abs(wari_verify_lead(level, s));
            memset((void *)(level->hopes.bytes + level->hopes.offset[s]),
                   level->hopes.whole[s] ? lead : lead * 17,
                   level->hopes.offset[s + 1] - level->hopes.offset[s]);
        }
    }
}

bool wari_verify_lower(wari_verify_cell *row, bool whole, uint32_t column, int hope)
{
    wari_verify_cell *cell = whole ? &row[column] : &row[column / 2];
    const int shift = whole ? 0 : (int)(column % 2) * 4;
    const int mask = whole ? 0xff : HALF_BYTE << shift;
    uint8_t before = wari_verify_read(cell);

    while ((before & mask) >> shift > hope) {
        const uint8_t after = (uint8_t)((before & ~mask) | hope << shift);
        if (atomic_compare_exchange_weak_explicit(cell, &before, after, memory_order_relaxed,
                                                  memory_order_relaxed))
            return true;
    }
    return false;
}
