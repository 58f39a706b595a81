/* The planes: computes their layout, fills them from codes, and makes the tables by which children
 * are gathered from them. */
#include "solver/bits/bits.h"

#include <string.h>

#include "db/host/bytes.h"
#include "solver/bits/scratch.h"
#include "system/huge_pages.h"

/* Returns the size of a plane, rounded up so that the next plane is aligned. */
static uint64_t plane_bytes(const struct wari_layout *layout)
{
    uint64_t bytes = 0;

    for (int block = 0; block <= layout->seeds; block++)
        bytes += (uint64_t)layout->rows[block] * ((layout->columns[block] + 7) / 8);
    return (bytes + 7) / 8 * 8;
}

/* Returns the size of a snapshot in pages of WARI_TRANSFER_ALIGN bytes. */
static uint64_t snapshot_pages(const struct wari_layout *layout)
{
    return wari_align_transfer(plane_bytes(layout)) / WARI_TRANSFER_ALIGN;
}

uint64_t wari_bits_planes_bytes(const struct wari_layout *layout, int planes)
{
    uint64_t bytes = (uint64_t)planes * (plane_bytes(layout) + WARI_BITS_PADDING);

    if (planes > 2)
        bytes += (layout->columns[0] + 7) / 8 + WARI_BITS_PADDING;
    return bytes + snapshot_pages(layout) * WARI_BITS_SNAPSHOTS_STORED * sizeof(uint32_t);
}

uint64_t wari_bits_snapshot_bytes(const struct wari_layout *layout)
{
    return wari_align_transfer(plane_bytes(layout)) * WARI_BITS_SNAPSHOTS_STORED;
}

void wari_bits_lay_out(struct wari_bits *bits, const struct wari_layout *layout)
{
    uint64_t offset = 0;

    for (int block = 0; block <= layout->seeds; block++) {
        bits->planes.offset[block] = offset;
        bits->planes.pitch[block] = (layout->columns[block] + 7) / 8;
        offset += (uint64_t)layout->rows[block] * bits->planes.pitch[block];
    }
    bits->planes.offset[layout->seeds + 1] = offset;
}

enum wari_status wari_bits_make_planes(struct wari_bits *bits, struct wari_error *error)
{
    const struct wari_level *level = bits->level;
    const uint64_t used = bits->planes.offset[level->layout.seeds + 1];
    const uint64_t plane = plane_bytes(&level->layout) + WARI_BITS_PADDING;
    const int planes = bits->shape.planes;
    const uint64_t sums = snapshot_pages(&level->layout) * WARI_BITS_SNAPSHOTS_STORED;
    const uint64_t bytes = wari_bits_planes_bytes(&level->layout, planes);
    void *memory;
    const enum wari_status status =
        bytes > SIZE_MAX
            ? wari_fail(error, WARI_NO_MEMORY,
                        "the bits of a level's cells do not fit into the address space")
            : wari_allocate(level->host, (size_t)bytes, "the bits of a level's cells", &memory,
                            error);

    if (status != WARI_OK)
        return status;
    wari_ask_for_huge_pages(memory, bytes);
    bits->fold.sum = memory;
    bits->planes.won = (uint8_t *)(bits->fold.sum + sums);
    bits->planes.lost = bits->planes.won + plane;
    if (planes > 2) {
        bits->planes.kept = bits->planes.lost + plane;
        bits->planes.zeros = bits->planes.kept + plane;
    }
    for (int i = 0; i < planes; i++)
        memset(bits->planes.won + i * plane + used, 0, plane - used);
    memset(bits->planes.won + (uint64_t)planes * plane, 0,
           bytes - (uint64_t)planes * plane - sums * sizeof *bits->fold.sum);
    return WARI_OK;
}

void wari_bits_free_planes(struct wari_bits *bits)
{
    wari_release(bits->level->host, bits->fold.sum);
    bits->fold.sum = NULL;
    bits->planes.won = bits->planes.lost = bits->planes.kept = NULL;
    bits->planes.zeros = NULL;
}

/* ---- From codes ------------------------------------------------------------------------------ */

enum { IS_WON = 1, IS_LOST = 2, IS_KEPT = 4 };

struct filling {
    const struct wari_bits *bits;
    int8_t state[3][256]; /* [kind of block][code]: set of IS_WON, IS_LOST and IS_KEPT. The kind is
                           * 0 if no surplus can be kept in the block, 1 if a positive surplus can
                           * be kept, and 2 if a negative surplus can be kept */
    atomic_uint_fast64_t candidates;
};

/* Collects the lowest bit of each of eight bytes into one byte. The bit of the first byte becomes
 * the lowest bit. */
static uint8_t pack(uint64_t bytes)
{
    return (uint8_t)((bytes & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56);
}

/* Fills a row. Returns the number of cells that are kept, but neither won nor lost. */
static uint64_t fill_row(const struct wari_bits *bits, const int8_t state[256], const int8_t *cells,
                         uint32_t columns, uint64_t at)
{
    enum { CELLS_AT_ONCE = 512 };
    const struct wari_kernel_ops *kernel = bits->level->kernel;
    int8_t states[CELLS_AT_ONCE];
    uint64_t candidates = 0;

    for (uint32_t column = 0; column < columns; column += CELLS_AT_ONCE) {
        const uint32_t left = columns - column, count = left < CELLS_AT_ONCE ? left : CELLS_AT_ONCE;
        memset(states, 0, sizeof states);
        kernel->look_up(state, cells + column, count, states);
        for (uint32_t i = 0; i < count; i += 8, at++) {
            const uint64_t eight = wari_load64((const uint8_t *)states + i);
            bits->planes.won[at] = pack(eight);
            bits->planes.lost[at] = pack(eight >> 1);
            if (!bits->planes.kept)
                continue;
            bits->planes.kept[at] = pack(eight >> 2);
            /* a cell that is won or lost has exactly one of the bits `won` and `lost` */
            candidates += (uint64_t)__builtin_popcount(
                bits->planes.kept[at] & ~(unsigned)(bits->planes.won[at] ^ bits->planes.lost[at]));
        }
    }
    return candidates;
}

static void fill_rows(struct wari_level *level, struct wari_worker *worker, void *context,
                      const struct wari_row_range *rows)
{
    struct filling *filling = context;
    const struct wari_bits *bits = filling->bits;
    const int surplus = level->layout.seeds - 2 * rows->block;
    const int8_t *state = filling->state[surplus >= bits->threshold    ? 1
                                         : surplus <= -bits->threshold ? 2
                                                                       : 0];
    uint64_t candidates = 0;

    (void)worker;
    for (uint32_t row = 0; row < rows->count; row++)
        candidates += fill_row(bits, state, rows->cells + (size_t)row * rows->pitch,
                               level->layout.columns[rows->block],
                               wari_bits_offset(bits, rows->block, rows->first + row, 0));
    atomic_fetch_add_explicit(&filling->candidates, candidates, memory_order_relaxed);
}

uint64_t wari_bits_fill_planes(struct wari_bits *bits)
{
    struct wari_level *level = bits->level;
    const struct wari_cells *codes = &level->codes;
    struct filling filling = {.bits = bits, .candidates = 0};

    for (int code = 0; code < 256; code++) {
        const int value = codes->value[code], floor = codes->floor[code];
        int state = 0;
        if (value >= bits->threshold)
            state = IS_WON;
        else if (value <= -bits->threshold)
            state = IS_LOST;
        else if (floor > -bits->threshold)
            state = IS_WON | IS_LOST; /* safe */
        for (int i = 0; i < 3; i++)
            filling.state[i][code] = (int8_t)state;
        if (value >= bits->threshold - 1)
            filling.state[1][code] |= IS_KEPT;
        if (value <= 1 - bits->threshold && state != (IS_WON | IS_LOST))
            filling.state[2][code] |= IS_KEPT;
    }
    wari_scratch_each_rows(level, WARI_READS, fill_rows, &filling);
    return atomic_load_explicit(&filling.candidates, memory_order_relaxed);
}

/* ---- Words of gathers ------------------------------------------------------------------------
 *
 * A gather is the table that finds the children of a column in one child row. Its words are masks
 * of up to 64 consecutive columns of the child row, whose bits are set for the children. */

/* Upper bound on the number of words (struct wari_bit_word) for each hundred strips of a gather.
 * For all gathers of a level together, the number is 220 at 24 seeds, 250 at 36, and 280 at 48. A
 * small gather may need one word more. */
enum { WORDS_A_HUNDRED_STRIPS = 290 };

/* Returns an upper bound on the number of words of a level, and stores the number of first_word
 * entries in *ends. */
static uint64_t max_words(const struct wari_layout *layout, uint64_t *ends)
{
    uint64_t words = 0;

    *ends = 0;
    for (int block = 0; block <= layout->seeds; block++) {
        const uint32_t strips = wari_bits_strips(layout, block);
        for (int sown = 0; sown <= WARI_SOWN_MAX && wari_pair_occurs(layout->seeds, block, sown);
             sown++) {
            words += (uint64_t)strips * WORDS_A_HUNDRED_STRIPS / 100 + 2;
            *ends += wari_bits_runs(layout, block) + 1;
        }
    }
    return words;
}

#define GATHERS_BYTES ((WARI_SEEDS_MAX + 1) * sizeof(struct wari_bit_gather[WARI_SOWN_MAX + 1]))

uint64_t wari_bits_words_bytes(const struct wari_layout *layout)
{
    uint64_t ends;
    const uint64_t words = max_words(layout, &ends);

    return GATHERS_BYTES + words * sizeof(struct wari_bit_word) + ends * sizeof(uint32_t);
}

/* Computes the words of one strip. Each word begins at a whole byte of the child row. Returns the
 * number of words. */
static uint32_t make_words_of_strip(const struct wari_gather *gather, uint32_t strip,
                                    struct wari_bit_word *words)
{
    struct wari_bit_word *word = words - 1;
    uint16_t parent = 0;

    for (uint32_t i = gather->first_word[strip]; i < gather->first_word[strip + 1]; i++) {
        for (uint64_t mask = gather->word[i].mask; mask != 0; mask &= mask - 1, parent++) {
            const uint32_t column = gather->word[i].column + (uint32_t)__builtin_ctzll(mask);
            if (word < words || column - 8 * word->byte >= 64)
                *++word = (struct wari_bit_word){.byte = column / 8,
                                                 .start = parent,
                                                 .strip = (uint16_t)(strip % WARI_BITS_STRIPS)};
            word->mask |= UINT64_C(1) << (column - 8 * word->byte);
        }
    }
    return (uint32_t)(word + 1 - words);
}

enum wari_status wari_bits_make_words(struct wari_bits *bits, struct wari_error *error)
{
    const struct wari_level *level = bits->level;
    const struct wari_layout *layout = &level->layout;
    uint64_t ends, words = max_words(layout, &ends);
    struct wari_bit_word *word;
    uint32_t *end;
    void *memory;
    enum wari_status status =
        wari_allocate(level->host, (size_t)wari_bits_words_bytes(layout),
                      "the sowing maps of a level that is solved by bits", &memory, error);

    if (status != WARI_OK)
        return status;
    bits->gather = memory;
    word = (void *)((char *)memory + GATHERS_BYTES);
    end = (void *)(word + words);
    for (int block = 0; block <= layout->seeds; block++)
        for (int sown = 0; sown <= WARI_SOWN_MAX && wari_pair_occurs(layout->seeds, block, sown);
             sown++) {
            const struct wari_gather *gather =
                &level->tables->gather[WARI_PARENTS_ROWS][block][sown];
            uint32_t count = 0;
            bits->gather[block][sown] = (struct wari_bit_gather){end, word};
            for (uint32_t strip = 0; strip < gather->strips; strip++) {
                if (strip % WARI_BITS_STRIPS == 0)
                    *end++ = count;
                count += make_words_of_strip(gather, strip, word + count);
            }
            *end++ = count;
            word += count;
        }
    return WARI_OK;
}
