/* The range encoder for books: reverses the steps of a decoder, from the last cell to the first.
 *
 * The words are produced in reverse order. With at most 19 bits for each cell and 16 bits in the
 * state, a block of 128 cells takes at most 314 bytes, hash and state included, which is less than
 * WARI_BLOCK_BYTES.
 */
#include "db/maintain/bind_encode.h"

#include "db/host/bytes.h"

enum { ESCAPE_BITS = 7, ESCAPE_BIAS = 64 };

struct step {
    struct wari_book_symbol symbol;
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

/* Writes a word if the next step would make the state exceed 32 bits, that is, if the state is at
 * least `limit`. */
static void write_word_if_full(struct encoder *encoder, uint64_t limit)
{
    if (encoder->state < limit)
        return;
    encoder->word[encoder->words++] = (uint16_t)encoder->state;
    encoder->state >>= 16;
}

static void encode_symbol(struct encoder *encoder, struct wari_book_symbol symbol)
{
    const uint32_t frequency = symbol.frequency;
    write_word_if_full(encoder, (uint64_t)frequency << (32 - WARI_BOOK_SCALE));
    encoder->state =
        (encoder->state / frequency << WARI_BOOK_SCALE) + encoder->state % frequency + symbol.start;
}

static void encode_raw(struct encoder *encoder, int value)
{
    write_word_if_full(encoder, UINT64_C(1) << (32 - ESCAPE_BITS));
    encoder->state = encoder->state << ESCAPE_BITS | (uint32_t)(value + ESCAPE_BIAS);
}

void wari_book_encode(const struct wari_book_symbols *symbols, int seeds, uint64_t first,
                      const int8_t *values, int count, struct wari_block *block)
{
    struct step step[WARI_BOOK_CELLS];
    struct encoder encoder = {.state = WARI_STATE_LEAST};
    struct wari_book_cells cells;
    wari_book_cells_begin(&cells, seeds, first);
    for (int i = 0; i < count; i++) {
        wari_book_cells_look(&cells);
        step[i].symbol = symbols->of[cells.context][values[i] - cells.guess + WARI_DIFFERENCE_MAX];
        step[i].escape = step[i].symbol.frequency == 0;
        if (step[i].escape)
            step[i].symbol = symbols->escape[cells.context];
        wari_book_cells_put(&cells, values[i]);
    }
    for (int i = count - 1; i >= 0; i--) {
        if (step[i].escape)
            encode_raw(&encoder, values[i]);
        encode_symbol(&encoder, step[i].symbol);
    }
    wari_store32(block->bytes + 4, encoder.state);
    for (int i = 0; i < encoder.words; i++)
        wari_store16(block->bytes + WARI_BLOCK_HEAD + 2 * i, encoder.word[encoder.words - 1 - i]);
    block->size = WARI_BLOCK_HEAD + 2 * (size_t)encoder.words;
}
