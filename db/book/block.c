/* Reads blocks.
 *
 * The table entry of a block is protected only by the hash of the block itself: if the entry is
 * damaged, the reader reads other bytes, and their hash is not the hash of this block. Bytes with a
 * correct hash may still be forged, so the decoder also checks the sizes and the values, and that
 * the bytes end with the last value. */
#include "db/book/block.h"

#include "db/book/cells.h"
#include "db/book/header.h"
#include "db/host/bytes.h"

enum { ESCAPE_BITS = 7, ESCAPE_BIAS = 64 };

enum wari_status wari_book_read(const struct wari_book *book, uint64_t offset, void *buffer,
                                size_t bytes, struct wari_error *error)
{
    const struct wari_book_source *source = &book->source;
    if (source->read(source->context, offset, buffer, bytes) == 0)
        return WARI_OK;
    return wari_fail(error, WARI_IO, "%s: cannot read %lu bytes at offset %llu", source->name,
                     (unsigned long)bytes, (unsigned long long)offset);
}

uint32_t wari_block_seed(uint32_t book_seed, uint64_t number)
{
    uint8_t bytes[12];
    wari_store32(bytes, book_seed);
    wari_store64(bytes + 4, number);
    return wari_fnv32(WARI_FNV32_BEGIN, bytes, sizeof bytes);
}

static enum wari_status damaged(const struct wari_book *book, const struct wari_block *block,
                                const char *what, struct wari_error *error)
{
    return wari_fail(error, WARI_CORRUPT,
                     "%s: block %llu at offset %llu is damaged: %s; get or make the book again",
                     book->source.name, (unsigned long long)block->number,
                     (unsigned long long)block->offset, what);
}

/* Finds the offset and the size of a block in the table. */
static enum wari_status find_block(const struct wari_book *book, struct wari_block *block,
                                   struct wari_error *error)
{
    uint8_t entry[WARI_INDEX_ENTRY_BYTES];
    const uint64_t place =
        book->table + block->number / WARI_INDEX_ENTRY_BLOCKS * WARI_INDEX_ENTRY_BYTES;
    enum wari_status status = wari_book_read(book, place, entry, sizeof entry, error);
    if (status != WARI_OK)
        return status;
    const unsigned before = (unsigned)(block->number % WARI_INDEX_ENTRY_BLOCKS);
    block->offset = wari_load64(entry);
    if (block->offset > book->record)
        return damaged(book, block, "its entry in the table of blocks is invalid", error);
    for (unsigned i = 0; i < before; i++)
        block->offset += wari_load16(entry + 8 + 2 * i);
    block->size = wari_load16(entry + 8 + 2 * before);
    if (block->size < WARI_BLOCK_HEAD || block->size % 2 != 0 || block->size > WARI_BLOCK_BYTES ||
        block->offset < book->blocks || block->offset > book->record ||
        block->size > book->record - block->offset)
        return damaged(book, block, "its entry in the table of blocks is invalid", error);
    return WARI_OK;
}

enum wari_status wari_block_load(const struct wari_book *book, int seeds, uint64_t cell,
                                 struct wari_block *block, struct wari_error *error)
{
    const uint64_t held = wari_book_cells_held(seeds);
    block->seeds = seeds;
    block->number = book->first_block[seeds] + cell / WARI_BOOK_CELLS;
    block->first = cell / WARI_BOOK_CELLS * WARI_BOOK_CELLS;
    block->cells =
        held - block->first < WARI_BOOK_CELLS ? (int)(held - block->first) : (int)WARI_BOOK_CELLS;
    enum wari_status status = find_block(book, block, error);
    if (status == WARI_OK)
        status = wari_book_read(book, block->offset, block->bytes, block->size, error);
    if (status != WARI_OK)
        return status;
    if (wari_fnv32(wari_block_seed(book->seed, block->number), block->bytes + 4, block->size - 4) !=
        wari_load32(block->bytes))
        return damaged(book, block, "its hash does not match", error);
    return WARI_OK;
}

/* ---- The range coder ---- */

struct decoder {
    uint32_t state;
    const uint8_t *at, *end; /* the words that are not read yet */
    bool short_of;           /* true if the decoder needed a word after the end */
};

static void refill(struct decoder *decoder)
{
    if (decoder->state >= WARI_STATE_LEAST)
        return;
    if (decoder->at == decoder->end) {
        decoder->short_of = true;
        return;
    }
    decoder->state = decoder->state << 16 | wari_load16(decoder->at);
    decoder->at += 2;
}

/* Decodes the value of a cell, given its model entry and its guess. The lower bits of the state
 * are a number in 0..4095; the symbol is the one whose range contains this number. */
static int next_value(struct decoder *decoder, const uint8_t *entry, int guess)
{
    uint32_t place = decoder->state & ((1u << WARI_BOOK_SCALE) - 1);
    uint32_t frequency;
    while (place >= (frequency = wari_load16(entry + 1))) {
        place -= frequency;
        entry += WARI_SYMBOL_BYTES;
    }
    decoder->state = frequency * (decoder->state >> WARI_BOOK_SCALE) + place;
    refill(decoder);
    const int symbol = entry[0] < 128 ? entry[0] : entry[0] - 256;
    if (symbol != WARI_BOOK_ESCAPE)
        return guess + symbol;
    const int value = (int)(decoder->state & ((1u << ESCAPE_BITS) - 1)) - ESCAPE_BIAS;
    decoder->state >>= ESCAPE_BITS;
    refill(decoder);
    return value;
}

enum wari_status wari_block_decode(const struct wari_book *book, const struct wari_block *block,
                                   int count, int8_t *values, struct wari_error *error)
{
    struct decoder decoder;
    struct wari_book_cells cells;
    decoder.state = wari_load32(block->bytes + 4);
    decoder.at = block->bytes + WARI_BLOCK_HEAD;
    decoder.end = block->bytes + block->size;
    decoder.short_of = false;
    wari_book_cells_begin(&cells, block->seeds, block->first);
    for (int i = 0; i < count; i++) {
        wari_book_cells_look(&cells);
        const size_t entry =
            (size_t)WARI_BOOK_CONTEXTS + (size_t)book->first[cells.context] * WARI_SYMBOL_BYTES;
        const int value = next_value(&decoder, book->model + entry, cells.guess);
        if (decoder.short_of || value < -block->seeds || value > block->seeds)
            return damaged(book, block, "its hash matches, but it cannot be decoded", error);
        values[i] = (int8_t)value;
        wari_book_cells_put(&cells, value);
    }
    if (count == block->cells && (decoder.at != decoder.end || decoder.state != WARI_STATE_LEAST))
        return damaged(book, block, "its hash matches, but it continues after its last value",
                       error);
    return WARI_OK;
}
