/* What is the same for all columns of a strip is found once, by filling it; the rest are look-ups.
 */
#include "verify/verify_strip.h"

#include <string.h>

#include "index/half.h"

/* The next stored row, or the next full one. */
static void next_row(uint8_t pits[WARI_HALF_PITS], bool full)
{
    do {
        if (!wari_half_next(pits))
            return;
    } while (wari_half_full(pits) != full);
}

static void first_row(const struct wari_verify_piece *piece, uint8_t pits[WARI_HALF_PITS])
{
    if (!piece->full) {
        wari_row_unrank(piece->block, piece->first, pits);
        return;
    }
    wari_half_unrank(piece->block - WARI_HALF_PITS, piece->first, pits);
    for (int pit = 0; pit < WARI_HALF_PITS; pit++)
        pits[pit]++;
}

/* Where the moves of a row of the strip lead, by the seeds they drop into it. */
static void fill_row(struct wari_verify_strip *strip, int row)
{
    const int seeds = strip->level->layout.seeds;
    const bool slam_is_quiet = strip->level->run->slam == WARI_SLAM_NO_CAPTURE;
    uint8_t sown[WARI_HALF_PITS];

    memcpy(sown, strip->pits[row], sizeof sown);
    for (int t = 0; t <= seeds - strip->block; t++) {
        if (t > 0) {
            uint8_t after[WARI_HALF_PITS];
            sown[(t - 1) % WARI_HALF_PITS]++;
            memcpy(after, sown, sizeof after);
            const int captured = wari_verify_capture(after, t);
            const bool quiet = captured == 0 || (slam_is_quiet && captured == strip->block + t);
            strip->quiet[t][row] = quiet ? 0xff : 0;
            strip->any_quiet[t] |= quiet;
        }
        strip->column[t][row] = wari_half_rank(sown);
    }
}

static void find_windows(struct wari_verify_windows *windows, const uint32_t *column, int rows)
{
    struct wari_verify_window *window = windows->window;

    windows->count = 0;
    memset(windows->place, 0, sizeof windows->place);
    for (int row = 0; row < rows; row++) {
        if (windows->count == 0 || column[row] - window->first >= WARI_VERIFY_ROWS) {
            if (windows->count == WARI_VERIFY_WINDOWS) {
                windows->count = 0;
                return;
            }
            window = &windows->window[windows->count++];
            *window = (struct wari_verify_window){.first = column[row]};
        }
        windows->place[row] = (uint8_t)(column[row] - window->first);
        window->bytes |= UINT64_C(1) << windows->place[row];
        window->rows |= UINT64_C(1) << row;
    }
}

void wari_verify_strip_fill(struct wari_verify_strip *strip, const struct wari_verify_level *level,
                            const struct wari_verify_piece *piece)
{
    const uint32_t columns = level->layout.columns[piece->block];
    const uint64_t *offset = piece->full ? level->full_offset : level->layout.block_offset;
    uint8_t pits[WARI_HALF_PITS];

    strip->level = level;
    strip->moves = level->run->columns.of[level->layout.seeds - piece->block];
    strip->columns = columns;
    strip->block = piece->block;
    strip->rows = piece->rows;
    strip->full = piece->full;
    memset(strip->quiet, 0, sizeof strip->quiet);
    memset(strip->any_quiet, 0, sizeof strip->any_quiet);
    first_row(piece, pits);
    for (int row = 0; row < strip->rows; row++) {
        strip->row[row] = piece->first + (uint32_t)row;
        strip->first[row] = offset[piece->block] + (uint64_t)strip->row[row] * columns;
        memcpy(strip->pits[row], pits, sizeof pits);
        fill_row(strip, row);
        next_row(pits, piece->full);
    }
    for (int t = 0; t <= level->layout.seeds - piece->block; t++)
        find_windows(&strip->windows[t], strip->column[t], strip->rows);
}

void wari_verify_strip_hopes(const struct wari_verify_strip *strip,
                             const struct wari_verify_step *step, uint8_t hopes[WARI_VERIFY_ROWS])
{
    const struct wari_verify_hopes *all = &strip->level->hopes;
    const wari_verify_cell *cells = wari_verify_hope_row(all, step->block, step->row);

    memset(hopes, 0, WARI_VERIFY_ROWS);
    if (all->row_bytes[step->block] == 0)
        return;
    for (int row = 0; row < strip->rows; row++) {
        if (!step->lands || strip->quiet[step->t][row])
            hopes[row] = (uint8_t)wari_verify_hope(cells, all->whole[step->block],
                                                   strip->column[step->t][row]);
    }
}
