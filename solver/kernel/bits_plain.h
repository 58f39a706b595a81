/* The inner loops of the bit backend (bits/bits.h): the function types that every kernel (kernel.h)
 * implements, and their implementation in plain C. */
#ifndef SOLVER_KERNEL_BITS_PLAIN_H
#define SOLVER_KERNEL_BITS_PLAIN_H

#include <stdbool.h>
#include <string.h>

#include "solver/rows/tables.h"

enum {
    WARI_BITS_COLUMNS = 512, /* columns of an item; their bits in one row take one cache line */
    WARI_BITS_WORDS = WARI_BITS_COLUMNS / 64,
    WARI_BITS_STRIPS = 32,   /* maximum number of strips of an item; with this limit the results for
                              * its children take 266 KB */
    WARI_BITS_SNAPSHOTS = 6, /* maximum number of snapshots that are folded together */
    WARI_BITS_WON_CODES = 8, /* index in wari_fold_tables.code of the first table for won cells. It
                              * must be greater than WARI_BITS_SNAPSHOTS, because other cells use
                              * the tables 0 to WARI_BITS_SNAPSHOTS */
};

/* 64 columns of a row of bits of the child block, beginning at a whole byte. The columns whose bit
 * in `mask` is set are the children of parents of one strip, in their order; the first of these
 * parents has offset `start` in the strip. These words hold the same children as the words of a
 * gather (tables.h), but they are aligned to bytes, so that no word has to be shifted after
 * loading. */
struct wari_bit_word {
    uint64_t mask;
    uint32_t byte;
    uint16_t start, strip; /* `strip` counts from the first strip of the range */
};

/* The children of one mover half by one pit: row m' of the child block in both planes
 * (bits/bits.h), each readable for 8 bytes beyond its end. */
struct wari_bit_source {
    const uint8_t *won, *lost;
    const struct wari_bit_word *word, *end; /* the words of a range of strips */
    const uint64_t *quiet; /* [strip of the range]: the bit of a parent is set if its move is quiet
                            * although its last seed falls on the opponent's side; NULL if the moves
                            * of all parents are quiet */
};

/* Examines the children of up to WARI_BITS_STRIPS strips of parents by the quiet moves of one
 * column. For each parent, the bit in lost_child is set if some child is lost, and the bit in
 * open_child is set if some child is not won. Each strip has one word, and the word of strip i is
 * at index i * pitch. Bits after the last parent are undefined. */
typedef void wari_bits_of_column(const struct wari_bit_source *sources, int count, uint32_t strips,
                                 uint64_t *lost_child, uint64_t *open_child, size_t pitch);

/* One strip of an item: up to 64 rows of parents by up to WARI_BITS_COLUMNS columns. */
struct wari_bit_item_strip {
    const uint64_t *lost_child, *open_child; /* [column]: one bit for each row, as computed
                                              * by wari_bits_of_column */
    uint8_t *won, *lost;                     /* the first row of the strip in the planes of won and
                                              * lost cells; each row is readable for 8 bytes beyond
                                              * its end */
    size_t pitch;                            /* bytes from one row to the next */
    uint32_t rows, columns;
};

/* The cells that one call has decided, one bit for each cell. */
struct wari_bits_decided {
    uint64_t rows; /* the bit of a row is set if the call has decided cells of that row; only these
                    * rows have valid entries */
    uint64_t won[WARI_STRIP][WARI_BITS_WORDS], lost[WARI_STRIP][WARI_BITS_WORDS];
};

/* Decides the cells of a strip as far as their children allow. If `decided` is not NULL, stores the
 * decided cells there, leaves the planes unchanged and returns 0. If `decided` is NULL, updates the
 * planes and returns the number of changed cells; the caller guarantees that no other thread
 * changes bits of the strip meanwhile. */
typedef uint64_t wari_bits_decide(const struct wari_bit_item_strip *strip,
                                  struct wari_bits_decided *decided);

/* The tables by which snapshots are folded into codes (bits_snapshots.c). */
struct wari_fold_tables {
    /* [number of snapshots in which the cell is decided, plus WARI_BITS_WON_CODES if the cell is
     * won][old code of the cell, as an unsigned byte]: new code of the cell. */
    int8_t code[2 * WARI_BITS_WON_CODES][256];
    int snapshots; /* number of snapshots that are folded together */
};

/* A range of cells of one row that begins at a whole byte of the planes, and the same range of each
 * snapshot. Snapshots are in the order of decreasing thresholds, so a cell that is decided in one
 * snapshot is decided in all later snapshots, too. */
struct wari_fold_range {
    const uint8_t *won, *snapshot[WARI_BITS_SNAPSHOTS];
    int8_t *cells;
    uint32_t count;
};

/* Folds the snapshots into the codes of the cells. Returns true if any code changed. */
typedef bool wari_bits_fold_row(const struct wari_fold_tables *tables,
                                const struct wari_fold_range *range);

/* Kernels deliberately read bits that other threads may be changing (bits/bits.h explains why both
 * the old and the new value are correct), so the thread sanitizer must not report these reads. */
#define WARI_BITS_RACY __attribute__((no_sanitize("thread")))
#define WARI_BITS_INLINE static inline __attribute__((always_inline)) WARI_BITS_RACY

/* Converts between a word loaded from memory and a word whose lowest byte is the first one. */
WARI_BITS_INLINE uint64_t wari_bits_ordered(uint64_t word)
{
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

WARI_BITS_INLINE uint64_t wari_bits_word(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return wari_bits_ordered(word);
}

/* Moves the bits of `bits` that are set in `mask` to the lowest bits of the result, in their order,
 * like PEXT. Each instruction set has its own function. */
typedef uint64_t wari_close_up(uint64_t bits, uint64_t mask);

/* Compacts bits without PEXT: each run of adjacent mask bits moves down by the number of clear mask
 * bits below it. */
WARI_BITS_INLINE uint64_t wari_close_up_runs(uint64_t bits, uint64_t mask)
{
    uint64_t starts = mask & ~(mask << 1), ends = ~mask & mask << 1, closed = 0;
    int gaps = 0, stop = 0;

    for (; starts != 0; starts &= starts - 1, ends &= ends - 1) {
        const uint64_t run = (ends & -ends) - (starts & -starts);
        gaps += __builtin_ctzll(starts) - stop;
        stop = ends != 0 ? __builtin_ctzll(ends) : 64;
        closed |= (bits & run) >> gaps;
    }
    return closed;
}

/* The output of wari_bits_of_column(). */
struct wari_bit_children {
    uint64_t *lost, *open;
    size_t pitch;
};

WARI_BITS_INLINE void wari_bits_of_column_plain(const struct wari_bit_source *sources, int count,
                                                uint32_t strips, struct wari_bit_children children,
                                                wari_close_up *close_up)
{
    uint64_t is_lost[WARI_BITS_STRIPS], is_open[WARI_BITS_STRIPS];

    memset(is_lost, 0, strips * sizeof *is_lost);
    memset(is_open, 0, strips * sizeof *is_open);
    for (int s = 0; s < count; s++) {
        const uint8_t *won_row = sources[s].won, *lost_row = sources[s].lost;
        const struct wari_bit_word *end = sources[s].end;
        const uint64_t *quiet = sources[s].quiet;

        for (const struct wari_bit_word *word = sources[s].word; word < end; word++) {
            const uint64_t won = wari_bits_word(won_row + word->byte);
            const uint64_t lost = wari_bits_word(lost_row + word->byte);
            const uint64_t moves = quiet ? quiet[word->strip] : UINT64_MAX;
            is_lost[word->strip] |= close_up(lost & ~won, word->mask) << word->start & moves;
            is_open[word->strip] |= close_up(lost | ~won, word->mask) << word->start & moves;
        }
    }
    for (uint32_t i = 0; i < strips; i++) {
        children.lost[i * children.pitch] = is_lost[i];
        children.open[i * children.pitch] = is_open[i];
    }
}

/* One round of the transposition of 64 words of 64 bits. For each pair of words that are `half`
 * apart, exchanges the upper `half` bits of each field of 2 * half bits in the first word with the
 * lower `half` bits of the same field in the second word. `low` masks the lower halves of the
 * fields. The compiler vectorises the loop. `from` may be `word`. */
WARI_BITS_INLINE void wari_swap_bits(const uint64_t from[64], uint64_t word[64], int half,
                                     uint64_t low)
{
    for (int i = 0; i < 64; i += 2 * half)
        for (int j = i; j < i + half; j++) {
            const uint64_t swap = (from[j] >> half ^ from[j + half]) & low;
            word[j] = from[j] ^ swap << half;
            word[j + half] = from[j + half] ^ swap;
        }
}

/* Transposes 64 words of 64 bits. */
WARI_BITS_INLINE void wari_transpose_bits_plain(const uint64_t from[64], uint64_t word[64])
{
    wari_swap_bits(from, word, 32, UINT64_C(0x00000000ffffffff));
    wari_swap_bits(word, word, 16, UINT64_C(0x0000ffff0000ffff));
    wari_swap_bits(word, word, 8, UINT64_C(0x00ff00ff00ff00ff));
    wari_swap_bits(word, word, 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    wari_swap_bits(word, word, 2, UINT64_C(0x3333333333333333));
    wari_swap_bits(word, word, 1, UINT64_C(0x5555555555555555));
}

/* Returns the mask of the columns of a strip that lie in word `word` of a row. */
WARI_BITS_INLINE uint64_t wari_bits_strip_columns(const struct wari_bit_item_strip *strip,
                                                  uint32_t word)
{
    const uint32_t left = strip->columns - 64 * word;

    return left >= 64 ? UINT64_MAX : (UINT64_C(1) << left) - 1;
}

/* For each bit that is set in `fresh`, replaces the bit of the word by the bit of `bits`. Only the
 * bytes that contain such bits are written, since the other bytes may belong to another row. */
WARI_BITS_INLINE void wari_bits_change(uint8_t *bytes, uint64_t bits, uint64_t fresh)
{
    for (; fresh != 0; bytes++, bits >>= 8, fresh >>= 8)
        if (fresh & 0xff)
            *bytes = (uint8_t)((*bytes & ~fresh) | (bits & fresh & 0xff));
}

WARI_BITS_INLINE void wari_bits_store(uint8_t *bytes, uint64_t word)
{
    word = wari_bits_ordered(word);
    memcpy(bytes, &word, sizeof word);
}

/* A word of a strip: its addresses in both planes, its old values, and the mask of the columns that
 * belong to the strip. */
struct wari_bit_cells {
    uint8_t *won_at, *lost_at;
    uint64_t won, lost, columns;
};

/* Stores the newly decided cells of a word in both planes. Returns the number of cells that
 * changed. If all 64 columns of the word belong to the strip, the word lies within one row and no
 * other thread writes to it, so it is stored as a whole. */
WARI_BITS_INLINE uint64_t wari_bits_change_both(const struct wari_bit_cells *cells, uint64_t won,
                                                uint64_t lost)
{
    if (cells->columns == UINT64_MAX) {
        wari_bits_store(cells->won_at, cells->won | won);
        wari_bits_store(cells->lost_at, (cells->lost & ~won) | lost);
    } else {
        wari_bits_change(cells->won_at, won, won);
        wari_bits_change(cells->lost_at, lost, won | lost);
    }
    return (uint64_t)__builtin_popcountll(won | lost);
}

/* Implements wari_bits_decide(). Takes 64 columns at a time and transposes the bits of their
 * children, so that each row has one word for these columns. */
WARI_BITS_INLINE uint64_t wari_bits_decide_plain(const struct wari_bit_item_strip *strip,
                                                 struct wari_bits_decided *decided)
{
    uint64_t changed = 0, rows = 0;

    for (uint32_t i = 0; 64 * i < strip->columns; i++) {
        const uint64_t columns = wari_bits_strip_columns(strip, i);
        uint64_t is_lost[64], is_open[64];
        wari_transpose_bits_plain(strip->lost_child + (size_t)64 * i, is_lost);
        wari_transpose_bits_plain(strip->open_child + (size_t)64 * i, is_open);
        for (uint32_t row = 0; row < strip->rows; row++) {
            const size_t at = row * strip->pitch + (size_t)8 * i;
            struct wari_bit_cells cells = {strip->won + at, strip->lost + at, .columns = columns};
            cells.won = wari_bits_word(cells.won_at);
            cells.lost = wari_bits_word(cells.lost_at);
            const uint64_t undecided = ~(cells.won ^ cells.lost) & columns;
            const uint64_t new_won = undecided & is_lost[row];
            const uint64_t new_lost = undecided & ~(cells.won | is_open[row] | is_lost[row]);
            if ((new_won | new_lost) == 0)
                continue;
            if (!decided) {
                changed += wari_bits_change_both(&cells, new_won, new_lost);
                continue;
            }
            if (!(rows >> row & 1)) {
                memset(decided->won[row], 0, sizeof decided->won[row]);
                memset(decided->lost[row], 0, sizeof decided->lost[row]);
            }
            rows |= UINT64_C(1) << row;
            decided->won[row][i] = new_won;
            decided->lost[row][i] = new_lost;
        }
    }
    if (decided)
        decided->rows = rows;
    return changed;
}

#if defined(__x86_64__)
/* Uses the builtin instead of <immintrin.h>: most files of the solver include this header, and the
 * 45,000 lines of <immintrin.h> doubled the time to compile them. */
__attribute__((target("bmi2"))) WARI_BITS_INLINE uint64_t wari_close_up_pext(uint64_t bits,
                                                                             uint64_t mask)
{
    return __builtin_ia32_pext_di(bits, mask);
}
#endif

/* Defines bits_of_column_<kernel>() and bits_decide_<kernel>() with the function attributes
 * `target`. bits_of_column_<kernel>() calls `close_up`, a function of type wari_close_up. */
#define WARI_BITS_LOOPS(target, kernel, close_up)                                                  \
    target WARI_BITS_RACY static void bits_of_column_##kernel(                                     \
        const struct wari_bit_source *sources, int count, uint32_t strips, uint64_t *lost_child,   \
        uint64_t *open_child, size_t pitch)                                                        \
    {                                                                                              \
        wari_bits_of_column_plain(sources, count, strips,                                          \
                                  (struct wari_bit_children){lost_child, open_child, pitch},       \
                                  close_up);                                                       \
    }                                                                                              \
    target WARI_BITS_RACY static uint64_t bits_decide_##kernel(                                    \
        const struct wari_bit_item_strip *strip, struct wari_bits_decided *decided)                \
    {                                                                                              \
        return wari_bits_decide_plain(strip, decided);                                             \
    }

/* Returns a word whose byte i is bit i of `byte`, 0 or 1. */
WARI_BITS_INLINE uint64_t wari_spread_bits(uint8_t byte)
{
    const uint64_t each = byte * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);

    return (each + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7 & UINT64_C(0x0101010101010101);
}

/* Folds eight cells at a time: one byte of each plane and snapshot. Byte j of `which` selects the
 * table for cell j: it is the number of snapshots in which that cell is decided, plus
 * WARI_BITS_WON_CODES if the cell is won. */
WARI_BITS_INLINE bool wari_bits_fold_plain(const struct wari_fold_tables *tables,
                                           const struct wari_fold_range *range)
{
    unsigned changed = 0;

    for (uint32_t i = 0; i < range->count; i += 8) {
        const uint32_t left = range->count - i, end = i + (left < 8 ? left : 8);
        uint64_t which = 0;
        for (int j = 0; j < tables->snapshots; j++)
            which += wari_spread_bits(range->snapshot[j][i / 8]);
        if (which == 0)
            continue;
        which += WARI_BITS_WON_CODES * wari_spread_bits(range->won[i / 8]);
        for (uint32_t cell = i; cell < end; cell++, which >>= 8) {
            const int8_t code = range->cells[cell];
            range->cells[cell] = tables->code[which & 0xff][(uint8_t)code];
            changed |= (unsigned)(range->cells[cell] ^ code);
        }
    }
    return changed != 0;
}

#endif
