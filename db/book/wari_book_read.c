/* Opens books and looks up positions. A book holds the positions with at most half of the seeds on
 * the opponent's side; partial_file.h describes how the values of all other positions are found. */
#include "db/book/wari_book.h"

#include <string.h>

#include "db/book/block.h"
#include "db/book/cells.h"
#include "db/book/header.h"
#include "db/book/partial_file.h"
#include "db/host/bytes.h"
#include "index/half.h"

/* ---- Opening -------------------------------------------------------------------------------- */

static enum wari_status not_whole(const struct wari_book *book, const char *what,
                                  struct wari_error *error)
{
    return wari_fail(error, WARI_CORRUPT, "%s: %s; get or make the book again", book->source.name,
                     what);
}

/* Reads and checks every field of a header whose hash is correct. */
static enum wari_status read_fields(struct wari_book *book, const uint8_t *header,
                                    struct wari_error *error)
{
    const uint32_t rules = wari_load32(header + WARI_BOOK_HEADER_RULES);
    const uint32_t cycle = wari_load32(header + WARI_BOOK_HEADER_CYCLE);
    const uint32_t seeds = wari_load32(header + WARI_BOOK_HEADER_SEEDS);
    if (rules >= WARI_RULES_COUNT || cycle >= WARI_CYCLE_COUNT || seeds > WARI_SEEDS_MAX ||
        !wari_level_exists((int)seeds) ||
        wari_load32(header + WARI_BOOK_HEADER_CELLS) != WARI_BOOK_CELLS ||
        wari_load64(header + WARI_BOOK_HEADER_RESERVED) != 0 ||
        wari_load32(header + WARI_BOOK_HEADER_RESERVED + 8) != 0)
        return not_whole(book, "the fields of its header contradict each other", error);
    book->variant.rules = (enum wari_rules)rules;
    book->variant.cycle = (enum wari_cycle)cycle;
    book->seeds = (int)seeds;
    wari_book_count_blocks(book->seeds, book->first_block);

    const uint64_t blocks = book->first_block[book->seeds + 1];
    const uint32_t model = wari_load32(header + WARI_BOOK_HEADER_MODEL);
    book->record = wari_load64(header + WARI_BOOK_HEADER_RECORD);
    book->table = WARI_BOOK_HEADER_BYTES + (uint64_t)model;
    book->blocks = book->table + (blocks + WARI_INDEX_ENTRY_BLOCKS - 1) / WARI_INDEX_ENTRY_BLOCKS *
                                     WARI_INDEX_ENTRY_BYTES;
    if (wari_load64(header + WARI_BOOK_HEADER_BLOCKS) != blocks || model <= WARI_BOOK_CONTEXTS ||
        model > WARI_BOOK_MODEL || book->record < book->blocks ||
        wari_load64(header + WARI_BOOK_HEADER_SIZE) < WARI_BOOK_TAIL_BYTES ||
        book->record > wari_load64(header + WARI_BOOK_HEADER_SIZE) - WARI_BOOK_TAIL_BYTES)
        return not_whole(book, "the fields of its header contradict each other", error);
    if (wari_load64(header + WARI_BOOK_HEADER_SIZE) != book->source.size)
        return not_whole(book, "it is longer or shorter than its header says", error);
    return WARI_OK;
}

static enum wari_status read_header(struct wari_book *book, uint32_t *model_hash,
                                    struct wari_error *error)
{
    uint8_t header[WARI_BOOK_HEADER_BYTES];
    if (book->source.size < WARI_BOOK_HEADER_BYTES)
        return not_whole(book, "it is too short for a book", error);
    enum wari_status status = wari_book_read(book, 0, header, sizeof header, error);
    if (status != WARI_OK)
        return status;
    if (memcmp(header, WARI_BOOK_HEADER_MAGIC, sizeof WARI_BOOK_HEADER_MAGIC - 1) != 0)
        return not_whole(book, "it does not begin as a book of 'wari book' does", error);
    book->seed = wari_fnv32(WARI_FNV32_BEGIN, header, WARI_BOOK_HEADER_RECORD);
    if (wari_fnv32(WARI_FNV32_BEGIN, header, WARI_BOOK_HEADER_HASH) !=
            wari_load32(header + WARI_BOOK_HEADER_HASH) ||
        wari_load32(header + WARI_BOOK_HEADER_LENGTH) != WARI_BOOK_HEADER_BYTES)
        return not_whole(book, "its header is damaged", error);
    if (wari_load32(header + WARI_BOOK_HEADER_FORMAT) != WARI_BOOK_FORMAT)
        return wari_fail(error, WARI_MISMATCH,
                         "%s: this book has format %lu, but this version reads only format %d; "
                         "make the book again, or use the version that made it",
                         book->source.name,
                         (unsigned long)wari_load32(header + WARI_BOOK_HEADER_FORMAT),
                         WARI_BOOK_FORMAT);
    *model_hash = wari_load32(header + WARI_BOOK_HEADER_MODEL_HASH);
    return read_fields(book, header, error);
}

/* Finds the symbols of each context. Returns false unless the frequencies of every context add up
 * to 4096, which guarantees that a decoder always finds a symbol. */
static bool index_model(struct wari_book *book, size_t bytes)
{
    const uint8_t *entry = book->model + WARI_BOOK_CONTEXTS;
    unsigned entries = 0;
    for (int context = 0; context < WARI_BOOK_CONTEXTS; context++) {
        uint32_t sum = 0;
        book->first[context] = (uint16_t)entries;
        entries += book->model[context];
        if (WARI_BOOK_CONTEXTS + (size_t)entries * WARI_SYMBOL_BYTES > bytes)
            return false;
        for (int i = 0; i < book->model[context]; i++, entry += WARI_SYMBOL_BYTES)
            sum += wari_load16(entry + 1);
        if (sum != 1u << WARI_BOOK_SCALE)
            return false;
    }
    book->first[WARI_BOOK_CONTEXTS] = (uint16_t)entries;
    return WARI_BOOK_CONTEXTS + (size_t)entries * WARI_SYMBOL_BYTES == bytes;
}

enum wari_status wari_book_open(struct wari_book *book, const struct wari_book_source *source,
                                struct wari_error *error)
{
    uint32_t hash = 0;
    book->source = *source;
    enum wari_status status = read_header(book, &hash, error);
    if (status != WARI_OK)
        return status;
    const size_t model = (size_t)(book->table - WARI_BOOK_HEADER_BYTES);
    status = wari_book_read(book, WARI_BOOK_HEADER_BYTES, book->model, model, error);
    if (status != WARI_OK)
        return status;
    if (wari_fnv32(WARI_FNV32_BEGIN, book->model, model) != hash || !index_model(book, model))
        return not_whole(book, "its model is damaged", error);
    return WARI_OK;
}

static int read_memory(void *context, uint64_t offset, void *buffer, size_t bytes)
{
    memcpy(buffer, (const uint8_t *)context + offset, bytes);
    return 0;
}

enum wari_status wari_book_open_memory(struct wari_book *book, const void *bytes, size_t size,
                                       struct wari_error *error)
{
    struct wari_book_source source;
    source.read = read_memory;
    /* The cast removes the const; this is safe, because read_memory() only reads. */
    source.context = (void *)(uintptr_t)bytes;
    source.size = size;
    source.name = "book in memory";
    return wari_book_open(book, &source, error);
}

enum wari_status wari_book_expect(const struct wari_book *book, struct wari_variant wanted,
                                  struct wari_error *error)
{
    if (book->variant.rules == wanted.rules && book->variant.cycle == wanted.cycle)
        return WARI_OK;
    return wari_fail(error, WARI_MISMATCH, "%s is a book of %s %s, not of %s %s", book->source.name,
                     wari_get_rules_info(book->variant.rules)->name,
                     wari_cycle_name(book->variant.cycle), wari_get_rules_info(wanted.rules)->name,
                     wari_cycle_name(wanted.cycle));
}

/* ---- Values --------------------------------------------------------------------------------- */

uint64_t wari_book_held(const struct wari_book *book, int seeds)
{
    if (!wari_level_exists(seeds) || seeds > book->seeds)
        return 0;
    return wari_book_cells_held(seeds);
}

enum wari_status wari_book_block(const struct wari_book *book, int seeds, uint64_t block,
                                 int8_t values[WARI_BOOK_CELLS], struct wari_error *error)
{
    struct wari_block loaded;
    const uint64_t held = wari_book_held(book, seeds);
    if (block >= (held + WARI_BOOK_CELLS - 1) / WARI_BOOK_CELLS)
        return wari_fail(error, WARI_BAD_INPUT, "%s: level %d has no block %llu", book->source.name,
                         seeds, (unsigned long long)block);
    enum wari_status status = wari_block_load(book, seeds, block * WARI_BOOK_CELLS, &loaded, error);
    return status == WARI_OK ? wari_block_decode(book, &loaded, loaded.cells, values, error)
                             : status;
}

static bool is_in_book(const void *book, const struct wari_position *position)
{
    const uint8_t *opponent = position->pits + WARI_HALF_PITS;
    (void)book;
    return wari_half_seeds(opponent) <= wari_seeds(position) / 2 && !wari_half_full(opponent);
}

static enum wari_status find_in_book(const void *file, const struct wari_position *position,
                                     int *value, struct wari_error *error)
{
    const struct wari_book *book = (const struct wari_book *)file;
    const int seeds = wari_seeds(position);
    const int across = wari_half_seeds(position->pits + WARI_HALF_PITS);
    const uint64_t cell = wari_cell_number(position, seeds, across);
    const int place = (int)(cell % WARI_BOOK_CELLS);
    struct wari_block block;
    int8_t values[WARI_BOOK_CELLS];
    enum wari_status status = wari_block_load(book, seeds, cell, &block, error);
    if (status == WARI_OK)
        status = wari_block_decode(book, &block, place + 1, values, error);
    if (status == WARI_OK)
        *value = values[place];
    return status;
}

/* Describes a book for partial_file.h. */
static void describe_book(struct wari_partial_file *partial, const struct wari_book *book)
{
    partial->rules = book->variant.rules;
    partial->file = book;
    partial->holds = is_in_book;
    partial->find = find_in_book;
}

static enum wari_status check_covered(const struct wari_book *book,
                                      const struct wari_position *position,
                                      struct wari_error *error)
{
    const int seeds = wari_seeds(position);
    if (seeds > WARI_SEEDS_MAX)
        return wari_fail(error, WARI_BAD_INPUT, "a position has at most %d seeds, not %d",
                         WARI_SEEDS_MAX, seeds);
    if (!wari_level_exists(seeds))
        return wari_fail(error, WARI_NOT_COVERED,
                         "%s: no game reaches a position with 47 seeds (a capture takes at least "
                         "2), so no book has a value for it",
                         book->source.name);
    if (wari_book_held(book, seeds) == 0)
        return wari_fail(error, WARI_NOT_COVERED,
                         "%s: the position has %d seeds; the book goes up to %d", book->source.name,
                         seeds, book->seeds);
    return WARI_OK;
}

enum wari_status wari_book_value(const struct wari_book *book, const struct wari_position *position,
                                 int *value, struct wari_error *error)
{
    struct wari_partial_file partial;
    enum wari_status status = check_covered(book, position, error);
    describe_book(&partial, book);
    return status == WARI_OK ? wari_partial_value(&partial, position, value, error) : status;
}

enum wari_status wari_book_analyse(const struct wari_book *book,
                                   const struct wari_position *position,
                                   struct wari_analysis *analysis, struct wari_error *error)
{
    struct wari_partial_file partial;
    enum wari_status status = check_covered(book, position, error);
    describe_book(&partial, book);
    return status == WARI_OK ? wari_partial_analyse(&partial, position, analysis, error) : status;
}

/* ---- Checking a whole book ------------------------------------------------------------------ */

static enum wari_status check_hash(const struct wari_book *book, uint64_t *hash,
                                   struct wari_error *error)
{
    uint8_t buffer[2048];
    const uint64_t end = book->source.size - WARI_BOOK_TAIL_BYTES;
    *hash = WARI_FNV64_BEGIN;
    for (uint64_t at = 0; at < end; at += sizeof buffer) {
        const size_t bytes = end - at < sizeof buffer ? (size_t)(end - at) : sizeof buffer;
        enum wari_status status = wari_book_read(book, at, buffer, bytes, error);
        if (status != WARI_OK)
            return status;
        *hash = wari_fnv64(*hash, buffer, bytes);
    }
    enum wari_status status = wari_book_read(book, end, buffer, WARI_BOOK_TAIL_BYTES, error);
    if (status == WARI_OK && wari_load64(buffer) != *hash)
        status = not_whole(book, "the hash of the whole file does not match", error);
    return status;
}

/* Decodes all blocks of a level. They must follow each other, beginning at *offset. */
static enum wari_status check_level(const struct wari_book *book, int seeds, uint64_t *offset,
                                    struct wari_error *error)
{
    const uint64_t held = wari_book_held(book, seeds);
    for (uint64_t cell = 0; cell < held; cell += WARI_BOOK_CELLS) {
        struct wari_block block;
        int8_t values[WARI_BOOK_CELLS];
        enum wari_status status = wari_block_load(book, seeds, cell, &block, error);
        if (status == WARI_OK)
            status = wari_block_decode(book, &block, block.cells, values, error);
        if (status == WARI_OK && block.offset != *offset)
            status = not_whole(book, "its blocks overlap, or there is a gap between them", error);
        if (status != WARI_OK)
            return status;
        *offset += block.size;
    }
    return WARI_OK;
}

enum wari_status wari_book_check(const struct wari_book *book, uint64_t *hash,
                                 struct wari_error *error)
{
    uint64_t offset = book->blocks;
    uint64_t found = 0;
    enum wari_status status = WARI_OK;
    for (int seeds = 0; seeds <= book->seeds && status == WARI_OK; seeds++)
        status = check_level(book, seeds, &offset, error);
    if (status == WARI_OK && offset != book->record)
        status = not_whole(book, "its blocks do not end where its record begins", error);
    if (status == WARI_OK)
        status = check_hash(book, &found, error);
    if (status == WARI_OK && hash != NULL)
        *hash = found;
    return status;
}
