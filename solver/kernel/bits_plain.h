/* The inner loops of sweeps by bits: what kernels do (kernel.h), and how in plain C. */
#ifndef SOLVER_KERNEL_BITS_PLAIN_H
#define SOLVER_KERNEL_BITS_PLAIN_H

#include <stdbool.h>
#include <string.h>

#include "solver/rows/tables.h"

enum {
    WARI_BITS_COLUMNS = 512, /* of an item: a cache line of a row of bits */
    WARI_BITS_WORDS = WARI_BITS_COLUMNS / 64,
    WARI_BITS_STRIPS = 32,   /* of an item, at most: what is known of children takes 266 KB */
    WARI_BITS_SNAPSHOTS = 6, /* that are settled together, at most */
    WARI_BITS_WON_CODES = 8, /* more than in how many of these a cell can be decided */
};

/* 64 columns of bits of a child row, from a whole byte on, of which some belong to parents of the
 * same strip: those from place `start` on. The words of a gather (tables.h), cut anew, so that none
 * of them has to be shifted. */
struct wari_bit_word {
    uint64_t mask;
    uint32_t byte;
    uint16_t start, strip; /* counted from the first one of the run of strips */
};

/* Where the children of one mover half and pit are: row m' of the child block in both planes
 * (bits.h), readable for 8 bytes behind its end. */
struct wari_bit_source {
    const uint8_t *won, *lost;
    const struct wari_bit_word *word, *end; /* of a run of strips */
    const uint64_t *quiet; /* of these: where the last seed falls on the opponent's side; or NULL */
};

/* For each parent of up to WARI_BITS_STRIPS strips by the quiet moves of one column: whether a
 * child is lost, and whether one is not won. A word a strip, that of the i-th strip in word i *
 * pitch; bits behind the last parent are undefined. */
typedef void wari_bits_of_column(const struct wari_bit_source *sources, int count, uint32_t strips,
                                 uint64_t *lost_child, uint64_t *open_child, size_t pitch);

/* Parents of one strip (rows) by up to WARI_BITS_COLUMNS columns. */
struct wari_bit_item_strip {
    const uint64_t *lost_child, *open_child; /* [column] */
    uint8_t *won, *lost;                     /* first row of the patch, readable as those above */
    size_t pitch;                            /* bytes from row to row */
    uint32_t rows, columns;
};

/* What is decided now, and was not: a bit a column. */
struct wari_bits_decided {
    uint64_t rows; /* bit set: row has some; only these are filled in */
    uint64_t won[WARI_STRIP][WARI_BITS_WORDS], lost[WARI_STRIP][WARI_BITS_WORDS];
};

/* Decides what the cells' children allow. Into `decided`, or, where that is NULL, into the patch,
 * of which nobody else changes a bit meanwhile; then it returns the number of cells that changed.
 */
typedef uint64_t wari_bits_decide(const struct wari_bit_item_strip *patch,
                                  struct wari_bits_decided *decided);

/* How snapshots become codes (bits_fold.c): a code of a cell that `times` of them have as decided
 * becomes code[times], or code[WARI_BITS_WON_CODES + times] if the cell is won. */
struct wari_settling {
    int8_t code[2 * WARI_BITS_WON_CODES][256];
    int snapshots;
};

/* Cells of one row, from a whole byte of the planes on, and where that is in the snapshots: from
 * the highest bound to the lowest, so that what one has decided those after it have, too. */
struct wari_bit_stretch {
    const uint8_t *won, *snapshot[WARI_BITS_SNAPSHOTS];
    int8_t *cells;
    uint32_t count;
};

/* Makes the cells' codes what they become; returns whether any changed. */
typedef bool wari_bits_fold_row(const struct wari_settling *settling,
                                const struct wari_bit_stretch *stretch);

/* Kernels read bits that other threads may be changing, on purpose (bits.h says why either value
 * serves), which is not for the thread sanitizer to report. */
#define WARI_BITS_RACY __attribute__((no_sanitize("thread")))
#define WARI_BITS_INLINE static inline __attribute__((always_inline)) WARI_BITS_RACY

/* A word of eight bytes of memory, the first one lowest; and back. */
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

/* How an instruction set closes up the bits of a mask. */
typedef uint64_t wari_close_up(uint64_t bits, uint64_t mask);

/* Run by run, where there is no instruction for it: each moves down by the gaps below it. */
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

/* Where wari_bits_of_column() puts its words. */
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

/* Swaps the upper half of each part of a word, `half` bits, with the lower half of that of the word
 * `half` behind it: of so many words the compiler makes vectors. `from` may be `word`. */
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

/* Turns 64 words of 64 bits round. */
WARI_BITS_INLINE void wari_turn_bits_plain(const uint64_t from[64], uint64_t word[64])
{
    wari_swap_bits(from, word, 32, UINT64_C(0x00000000ffffffff));
    wari_swap_bits(word, word, 16, UINT64_C(0x0000ffff0000ffff));
    wari_swap_bits(word, word, 8, UINT64_C(0x00ff00ff00ff00ff));
    wari_swap_bits(word, word, 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    wari_swap_bits(word, word, 2, UINT64_C(0x3333333333333333));
    wari_swap_bits(word, word, 1, UINT64_C(0x5555555555555555));
}

/* In what a patch's rows have in a word, its columns. */
WARI_BITS_INLINE uint64_t wari_bits_wanted(const struct wari_bit_item_strip *patch, uint32_t word)
{
    const uint32_t left = patch->columns - 64 * word;

    return left >= 64 ? UINT64_MAX : (UINT64_C(1) << left) - 1;
}

/* Changes the bits of a word whose bit in `fresh` is set to those of `bits`: whole bytes of it
 * only, since the others may be another row's. */
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

/* A word of a patch: where it is, what it was, which of it are the patch's columns. */
struct wari_bit_cells {
    uint8_t *won_at, *lost_at;
    uint64_t won, lost, wanted;
};

/* Both planes, by what is decided now: returns the number of cells that changed. A word whose cells
 * are all the patch's is in one row, and nobody else writes to it. */
WARI_BITS_INLINE uint64_t wari_bits_change_both(const struct wari_bit_cells *cells, uint64_t won,
                                                uint64_t lost)
{
    if (cells->wanted == UINT64_MAX) {
        wari_bits_store(cells->won_at, cells->won | won);
        wari_bits_store(cells->lost_at, (cells->lost & ~won) | lost);
    } else {
        wari_bits_change(cells->won_at, won, won);
        wari_bits_change(cells->lost_at, lost, won | lost);
    }
    return (uint64_t)__builtin_popcountll(won | lost);
}

/* Word by word: its columns by all rows. */
WARI_BITS_INLINE uint64_t wari_bits_decide_plain(const struct wari_bit_item_strip *patch,
                                                 struct wari_bits_decided *decided)
{
    uint64_t changed = 0, rows = 0;

    for (uint32_t i = 0; 64 * i < patch->columns; i++) {
        const uint64_t wanted = wari_bits_wanted(patch, i);
        uint64_t is_lost[64], is_open[64];
        wari_turn_bits_plain(patch->lost_child + (size_t)64 * i, is_lost);
        wari_turn_bits_plain(patch->open_child + (size_t)64 * i, is_open);
        for (uint32_t row = 0; row < patch->rows; row++) {
            const size_t at = row * patch->pitch + (size_t)8 * i;
            struct wari_bit_cells cells = {patch->won + at, patch->lost + at, .wanted = wanted};
            cells.won = wari_bits_word(cells.won_at);
            cells.lost = wari_bits_word(cells.lost_at);
            const uint64_t undecided = ~(cells.won ^ cells.lost) & wanted;
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
/* Not by <immintrin.h>: most of the solver reads this header, and those 45,000 lines took half of
 * the time of compiling it. */
__attribute__((target("bmi2"))) WARI_BITS_INLINE uint64_t wari_close_up_pext(uint64_t bits,
                                                                             uint64_t mask)
{
    return __builtin_ia32_pext_di(bits, mask);
}
#endif

/* Both loops for a kernel, by what closes bits up there. */
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
        const struct wari_bit_item_strip *patch, struct wari_bits_decided *decided)                \
    {                                                                                              \
        return wari_bits_decide_plain(patch, decided);                                             \
    }

/* Bit i of a byte in byte i. */
WARI_BITS_INLINE uint64_t wari_spread_bits(uint8_t byte)
{
    const uint64_t each = byte * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);

    return (each + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7 & UINT64_C(0x0101010101010101);
}

/* Eight cells at a time, of one byte of the planes: how often each was decided in a byte of a word.
 */
WARI_BITS_INLINE bool wari_bits_fold_plain(const struct wari_settling *settling,
                                           const struct wari_bit_stretch *stretch)
{
    unsigned changed = 0;

    for (uint32_t i = 0; i < stretch->count; i += 8) {
        const uint32_t left = stretch->count - i, end = i + (left < 8 ? left : 8);
        uint64_t which = 0;
        for (int j = 0; j < settling->snapshots; j++)
            which += wari_spread_bits(stretch->snapshot[j][i / 8]);
        if (which == 0)
            continue;
        which += WARI_BITS_WON_CODES * wari_spread_bits(stretch->won[i / 8]);
        for (uint32_t cell = i; cell < end; cell++, which >>= 8) {
            const int8_t code = stretch->cells[cell];
            stretch->cells[cell] = settling->code[which & 0xff][(uint8_t)code];
            changed |= (unsigned)(stretch->cells[cell] ^ code);
        }
    }
    return changed != 0;
}

#endif
