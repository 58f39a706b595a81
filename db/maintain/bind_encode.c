/* The range coder's other direction: a decoder's steps undone, from the last cell to the first.
 *
 * The words come out last one first. At most 19 bits a cell and 16 in the state make 314 bytes
 * of a block of 128 cells, head included; WARI_BLOCK_BYTES has room for that.
 */
#include "db/maintain/bind_encode.h"

#include "db/host/bytes.h"

enum { ESCAPE_BITS = 7, ESCAPE_BIAS = 64 };

struct step {
    struct wari_book_share share;
    bool escape;
};

struct encoder {
    uint32_t state;
    uint16_t word[WARI_BLOCK_BYTES / 2];
    int words;
};

void wari_book_count(struct wari_book_counts *counts, int seeds, uint64_t first,
                     const int8_t *values, int count)
{
    struct wari_book_cells cells;
    wari_book_cells_begin(&cells, seeds, first);
    for (int i = 0; i < count; i++) {
        wari_book_cells_look(&cells);
        counts->count[cells.context][values[i] - cells.guess + WARI_DIFFERENCE_MAX]++;
        wari_book_cells_put(&cells, values[i]);
    }
}

/* The state may grow by a factor of 2^16 at most; what is below leaves as a word. */
static void make_room(struct encoder *encoder, uint64_t limit)
{
    if (encoder->state < limit)
        return;
    encoder->word[encoder->words++] = (uint16_t)encoder->state;
    encoder->state >>= 16;
}

static void put_share(struct encoder *encoder, struct wari_book_share share)
{
    const uint32_t frequency = share.frequency;
    make_room(encoder, (uint64_t)frequency << (32 - WARI_BOOK_SCALE));
    encoder->state =
        (encoder->state / frequency << WARI_BOOK_SCALE) + encoder->state % frequency + share.start;
}

static void put_plain(struct encoder *encoder, int value)
{
    make_room(encoder, UINT64_C(1) << (32 - ESCAPE_BITS));
    encoder->state = encoder->state << ESCAPE_BITS | (uint32_t)(value + ESCAPE_BIAS);
}

void wari_book_encode(const struct wari_book_shares *shares, int seeds, uint64_t first,
                      const int8_t *values, int count, struct wari_block *block)
{
    struct step step[WARI_BOOK_CELLS];
    struct encoder encoder = {.state = WARI_STATE_LEAST};
    struct wari_book_cells cells;
    wari_book_cells_begin(&cells, seeds, first);
    for (int i = 0; i < count; i++) {
        wari_book_cells_look(&cells);
        step[i].share = shares->of[cells.context][values[i] - cells.guess + WARI_DIFFERENCE_MAX];
        step[i].escape = step[i].share.frequency == 0;
        if (step[i].escape)
            step[i].share = shares->escape[cells.context];
        wari_book_cells_put(&cells, values[i]);
    }
    for (int i = count - 1; i >= 0; i--) {
        if (step[i].escape)
            put_plain(&encoder, values[i]);
        put_share(&encoder, step[i].share);
    }
    wari_store32(block->bytes + 4, encoder.state);
    for (int i = 0; i < encoder.words; i++)
        wari_store16(block->bytes + WARI_BLOCK_HEAD + 2 * i, encoder.word[encoder.words - 1 - i]);
    block->size = WARI_BLOCK_HEAD + 2 * (size_t)encoder.words;
}
