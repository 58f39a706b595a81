/* Snapshots of what is decided, and how they become codes.
 *
 * What a threshold has decided stays decided for all thresholds below it. So in some snapshots,
 * from the highest threshold to the lowest, a cell's bit is 0 and then 1; how often it is 1 tells
 * by which threshold the cell was decided, and the planes still tell which way, whatever threshold
 * they are at now.
 *
 * Snapshots are written in long stretches, and read in short ones that begin anywhere: so each unit
 * of transfer has a sum in memory (system/sum.h). */
#include <string.h>

#include "solver/bits/scratch.h"
#include "solver/bits/worker.h"
#include "solver/level/histogram.h"
#include "system/sum.h"

/* ---- Taking ---------------------------------------------------------------------------------- */

/* One after the other, in the place of the stripes of captures: behind the pieces. */
static uint64_t place_of(const struct wari_bits *bits, const struct wari_bits_snapshots *snapshots,
                         int i)
{
    return wari_pieces_file_bytes(&wari_scratch_of(bits->level)->pieces.cut) +
           (uint64_t)((snapshots->first + i) % WARI_BITS_PLACES) *
               wari_whole_units(bits->planes.offset[bits->level->layout.seeds + 1]);
}

/* The sum of a unit at `place`, and where that is in memory. */
static uint32_t sum_of(const uint8_t *unit, uint64_t place)
{
    return (uint32_t)wari_sum(unit, WARI_PIECE_ALIGN, place);
}

static uint32_t *sum_at(const struct wari_bits *bits, uint64_t place)
{
    return &bits->fold
                .sum[(place - wari_pieces_file_bytes(&wari_scratch_of(bits->level)->pieces.cut)) /
                     WARI_PIECE_ALIGN];
}

static void put_sums(struct wari_bits *bits, uint64_t place, const uint8_t *units, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += WARI_PIECE_ALIGN)
        *sum_at(bits, place + i) = sum_of(units + i, place + i);
}

static enum wari_status check_sums(const struct wari_bits *bits, uint64_t place,
                                   const uint8_t *units, size_t bytes, struct wari_error *error)
{
    for (size_t i = 0; i < bytes; i += WARI_PIECE_ALIGN)
        if (*sum_at(bits, place + i) != sum_of(units + i, place + i))
            return wari_sum_is_wrong(error, wari_scratch_of(bits->level)->file.path, place + i,
                                     WARI_PIECE_ALIGN);
    return WARI_OK;
}

static void write_stretch(struct wari_bits *bits, uint64_t from, size_t bytes)
{
    uint8_t *room = wari_bits_room(wari_bits_worker(bits)->worker);
    const uint8_t *won = bits->planes.won + from, *lost = bits->planes.lost + from;
    const uint64_t place = place_of(bits, &bits->fold.taken, bits->fold.taken.count) + from;
    const size_t whole = (size_t)wari_whole_units(bytes);
    struct wari_error error;

    for (size_t i = 0; i < bytes; i++)
        room[i] = won[i] ^ lost[i];
    memset(room + bytes, 0, whole - bytes);
    put_sums(bits, place, room, whole);
    if (wari_scratch_file_bytes(&wari_scratch_of(bits->level)->file, room, whole, place, true,
                                &error) != WARI_OK)
        wari_workers_fail(bits->level->workers, &error);
}

void wari_bits_snapshot(struct wari_bits *bits)
{
    enum { STRETCH = 256 << 10 };
    struct wari_level *level = bits->level;
    const uint64_t all = bits->planes.offset[level->layout.seeds + 1];
    const uint64_t stretches = (all + STRETCH - 1) / STRETCH;

    _Static_assert((int)STRETCH <= (int)WARI_BITS_ROOM, "a stretch fits into a tile");
    if (bits->fold.settled.count + bits->fold.taken.count == WARI_BITS_PLACES)
        wari_bits_await(bits);
#pragma omp parallel for num_threads(level->workers->count) schedule(dynamic)
    for (uint64_t i = 0; i < stretches; i++) {
        const uint64_t left = all - i * STRETCH;
        if (!wari_level_stopped(level))
            write_stretch(bits, i * STRETCH, (size_t)(left < STRETCH ? left : STRETCH));
    }
    bits->fold.taken.threshold[bits->fold.taken.count++] = bits->threshold;
    if (bits->fold.taken.count == (int)wari_bits_of(level)->shape.snapshots)
        wari_bits_fold(bits);
}

/* ---- Settling -------------------------------------------------------------------------------- */

/* A cell that was decided before these snapshots keeps its code: its value is beyond their
 * thresholds, or below 0, where first codes have none. */
static void choose_codes(struct wari_bits *bits)
{
    struct wari_settling *settling = &bits->fold.settling;
    const struct wari_cells *codes = &bits->level->codes;
    const int count = bits->fold.settled.count, highest = bits->fold.settled.threshold[0];

    settling->snapshots = count;
    for (int code = 0; code < 256; code++) {
        const int value = codes->value[code], floor = codes->floor[code];
        settling->code[0][code] = settling->code[WARI_BITS_WON_CODES][code] = (int8_t)code;
        for (int times = 1; times < WARI_BITS_WON_CODES; times++) {
            const int threshold = bits->fold.settled.threshold[times < count ? count - times : 0];
            settling->code[times][code] = value != 0 || (floor > -threshold && floor != codes->none)
                                              ? (int8_t)code
                                              : wari_cell_low(codes, -threshold, floor);
            settling->code[WARI_BITS_WON_CODES + times][code] =
                value > highest ? (int8_t)code : wari_cell_code(codes, threshold, 0);
        }
    }
}

/* A stretch of the planes, and of the snapshots. */
struct stretch {
    uint64_t from, bytes;
    const uint8_t *snapshot[WARI_BITS_SNAPSHOTS];
};

/* Reads the snapshots of a stretch, one after the other into `room`: transfers are of whole units.
 */
static enum wari_status read_stretch(const struct wari_bits *bits, struct stretch *stretch,
                                     uint8_t *room, struct wari_error *error)
{
    const uint64_t first = stretch->from / WARI_PIECE_ALIGN * WARI_PIECE_ALIGN;
    const size_t bytes = (size_t)wari_whole_units(stretch->from + stretch->bytes - first);
    enum wari_status status = WARI_OK;

    for (int i = 0; i < bits->fold.settled.count && status == WARI_OK; i++, room += bytes) {
        const uint64_t place = place_of(bits, &bits->fold.settled, i) + first;
        stretch->snapshot[i] = room + (stretch->from - first);
        status = wari_scratch_file_bytes(&wari_scratch_of(bits->level)->file, room, bytes, place,
                                         false, error);
        if (status == WARI_OK)
            status = check_sums(bits, place, room, bytes, error);
    }
    return status;
}

/* The longest stretch whose snapshots fit into a frame wherever it begins. */
static uint64_t longest_stretch(const struct wari_bits *bits)
{
    const uint64_t units =
        bits->shape.scratch.frame_bytes / bits->shape.snapshots / WARI_PIECE_ALIGN;

    return (units - 1) * WARI_PIECE_ALIGN;
}

/* The cells of a stretch, which begins at a place in a row and may end within one; whether any
 * changed. */
static bool settle_stretch(const struct wari_bits *bits, const struct stretch *stretch,
                           const struct wari_row_range *rows, uint32_t *row, uint32_t *column)
{
    const struct wari_level *level = bits->level;
    const uint32_t columns = level->layout.columns[rows->block];
    bool changed = false;

    for (uint64_t at = 0; at < stretch->bytes;) {
        const uint64_t cells = wari_least(columns - *column, 8 * (stretch->bytes - at));
        struct wari_bit_stretch here = {
            .won = bits->planes.won + stretch->from + at,
            .cells = rows->cells + (size_t)*row * rows->pitch + *column,
            .count = (uint32_t)cells,
        };
        for (int i = 0; i < bits->fold.settled.count; i++)
            here.snapshot[i] = stretch->snapshot[i] + at;
        changed |= level->kernel->bits_fold(&bits->fold.settling, &here);
        at += (cells + 7) / 8;
        *column += here.count;
        if (*column == columns) {
            *column = 0;
            ++*row;
        }
    }
    return changed;
}

/* Whether any cell of some rows changed. */
static bool settle_rows(const struct wari_bits *bits, const struct wari_row_range *rows,
                        uint8_t *room)
{
    const uint64_t longest = longest_stretch(bits);
    uint32_t row = 0, column = 0;
    uint64_t from = wari_bits_place(bits, rows->block, rows->first, 0);
    const uint64_t end = from + (uint64_t)rows->count * bits->planes.pitch[rows->block];
    bool changed = false;

    while (from < end) {
        struct stretch stretch = {.from = from, .bytes = wari_least(end - from, longest)};
        struct wari_error error;
        if (read_stretch(bits, &stretch, room, &error) != WARI_OK) {
            wari_workers_fail(bits->level->workers, &error);
            return false;
        }
        changed |= settle_stretch(bits, &stretch, rows, &row, &column);
        from += stretch.bytes;
    }
    return changed;
}

static bool settle_piece(struct wari_level *level, const struct wari_lane *lane, void *context,
                         uint32_t piece)
{
    const struct wari_row_range rows = wari_scratch_rows_of(level, piece, lane->cells);
    struct wari_bits *bits = context;
    const bool changed = settle_rows(bits, &rows, lane->room);

    if (bits->fold.count)
        wari_count_rows(level, NULL, bits->fold.histogram, &rows);
    return changed;
}

static void *settle_all(void *context)
{
    struct wari_bits *bits = context;
    const struct wari_pieces *pieces = &wari_scratch_of(bits->level)->pieces;
    const struct wari_scratch_pass pass = {.from = pieces,
                                           .to = pieces,
                                           .end = pieces->cut.count,
                                           .job = settle_piece,
                                           .context = bits};

    wari_scratch_run(bits->level, &pass);
    bits->fold.counted = bits->fold.count;
    return NULL;
}

void wari_bits_fold(struct wari_bits *bits)
{
    wari_bits_await(bits);
    if (bits->fold.taken.count == 0)
        return;
    bits->fold.settled = bits->fold.taken;
    bits->fold.taken = (struct wari_bits_snapshots){
        .first = (bits->fold.settled.first + bits->fold.settled.count) % WARI_BITS_PLACES};
    choose_codes(bits);
    bits->fold.settles = pthread_create(&bits->fold.settler, NULL, settle_all, bits) == 0;
    if (bits->fold.settles)
        return;
    (void)settle_all(bits); /* then at once */
    bits->fold.settled.count = 0;
}

void wari_bits_await(struct wari_bits *bits)
{
    if (!bits->fold.settles)
        return;
    (void)pthread_join(bits->fold.settler, NULL);
    bits->fold.settles = false;
    bits->fold.settled.count = 0;
}
