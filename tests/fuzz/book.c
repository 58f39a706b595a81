/* Gives arbitrary bytes to the reader of books in the two files of `make amalgamation`.
 *
 *     byte 0    bit 0    if set, the other bytes are the book; otherwise they describe edits of an
 *                        intact book (edits.h)
 *               bit 1    if set, the hash of the model is corrected
 *               bit 2    if set, the hash of the header is corrected
 *               bit 3    if set, the hash of every block is corrected
 *
 * If no hash is corrected, no value may be wrong. */
#include "db/book/wari_book.h"

#include <stdlib.h>
#include <string.h>

#include "db/book/block.h"
#include "db/book/header.h"
#include "db/host/bytes.h"
#include "db/maintain/bind.h"
#include "tests/fuzz/base.h"
#include "tests/fuzz/edits.h"
#include "tests/fuzz/fuzz.h"

enum { RAW = 1, SEAL_MODEL = 2, SEAL_HEAD = 4, SEAL_BLOCKS = 8 };
enum { SEEDS = 6, BLOCKS = 200 };

static const char name[] = "fuzz.book";

static const struct memory_file *intact_book(struct base *base)
{
    const struct memory_file *file = memory_host_file(base->intact, name);
    if (file != NULL)
        return file;
    struct wari_bind_report report;
    const struct wari_options options = {.host = &base->intact->host};
    struct wari_bind bind = {
        .seeds = SEEDS, .path = "folder/fuzz.book", .host = &base->intact->host};
    fuzz_must(wari_open(&bind.db, "folder", &base->variant, &options, NULL) == WARI_OK,
              "an intact database opens");
    fuzz_must(wari_bind(&bind, &report, NULL) == WARI_OK, "a book can be made");
    wari_close(bind.db);
    return memory_host_file(base->intact, name);
}

/* Corrects the hash of each block that is inside the file according to the table. */
static void seal_blocks(struct edited *file, uint64_t table)
{
    const uint32_t seed = wari_fnv32(WARI_FNV32_BEGIN, file->bytes, WARI_BOOK_HEADER_RECORD);
    for (uint64_t number = 0; number < BLOCKS; number++) {
        const uint64_t entry = table + number / WARI_INDEX_ENTRY_BLOCKS * WARI_INDEX_ENTRY_BYTES;
        if (entry + WARI_INDEX_ENTRY_BYTES > file->size)
            return;
        uint64_t at = wari_load64(file->bytes + entry);
        for (uint64_t i = 0; i <= number % WARI_INDEX_ENTRY_BLOCKS && at < file->size; i++) {
            const uint64_t bytes = wari_load16(file->bytes + entry + 8 + 2 * i);
            if (i == number % WARI_INDEX_ENTRY_BLOCKS && bytes >= WARI_BLOCK_HEAD &&
                bytes <= file->size - at)
                wari_store32(file->bytes + at, wari_fnv32(wari_block_seed(seed, number),
                                                          file->bytes + at + 4, bytes - 4));
            at += bytes;
        }
    }
}

static void seal(struct edited *file, int control)
{
    if (file->size < WARI_BOOK_HEADER_BYTES)
        return;
    const uint64_t model = wari_load32(file->bytes + WARI_BOOK_HEADER_MODEL);
    const bool inside = model <= file->size - WARI_BOOK_HEADER_BYTES;
    if ((control & SEAL_MODEL) && inside)
        wari_store32(file->bytes + WARI_BOOK_HEADER_MODEL_HASH,
                     wari_fnv32(WARI_FNV32_BEGIN, file->bytes + WARI_BOOK_HEADER_BYTES, model));
    if (control & SEAL_HEAD)
        wari_store32(file->bytes + WARI_BOOK_HEADER_HASH,
                     wari_fnv32(WARI_FNV32_BEGIN, file->bytes, WARI_BOOK_HEADER_HASH));
    if ((control & SEAL_BLOCKS) && inside)
        seal_blocks(file, WARI_BOOK_HEADER_BYTES + model);
}

static void probe(const struct base *base, const struct wari_book *book, int seeds, bool honest)
{
    const uint64_t last = wari_level_positions(seeds) - 1;
    for (uint64_t i = 0; i < 16; i++) {
        struct wari_position position;
        struct wari_analysis analysis;
        int value = 99;
        wari_layout_unrank(&base->layout[seeds], last * i / 15, &position);
        const enum wari_status status = wari_book_value(book, &position, &value, NULL);
        fuzz_must(status == WARI_OK || (status == WARI_CORRUPT && value == 99),
                  "a probe gives a value or finds damage");
        fuzz_must(status != WARI_OK || (value >= -seeds && value <= seeds),
                  "a value is one the level allows");
        fuzz_must(status != WARI_OK || !honest || value == base->truth[seeds][last * i / 15],
                  "a value is the true one");
        if (wari_book_analyse(book, &position, &analysis, NULL) == WARI_OK)
            fuzz_must(!honest || status != WARI_OK || analysis.value == value,
                      "moves say what a probe says");
    }
}

void fuzz_book(const uint8_t *data, size_t size)
{
    static struct wari_book book;
    static struct edited file;
    struct base *base = base_get();
    const struct memory_file *intact = intact_book(base);
    const int control = size > 0 ? data[0] : 0;
    const struct edits_wanted wanted = {data + (size > 0), size - (size > 0), control & RAW};
    edits_change(&file, intact->bytes, intact->size, &wanted, EDITED_MAX);
    seal(&file, control);

    uint8_t *bytes = malloc(
        file.size + 1); /* a separate allocation, so that sanitizers detect a read after its end */
    fuzz_must(bytes != NULL, "there is memory");
    memcpy(bytes, file.bytes, file.size);
    if (wari_book_open_memory(&book, bytes, file.size, NULL) == WARI_OK) {
        const bool honest = !(control & (SEAL_MODEL | SEAL_HEAD | SEAL_BLOCKS));
        for (int seeds = 0; seeds <= book.seeds && seeds <= SEEDS; seeds++)
            probe(base, &book, seeds, honest);
        if (wari_book_check(&book, NULL, NULL) == WARI_OK)
            fuzz_must(!honest || (file.size == intact->size &&
                                  memcmp(bytes, intact->bytes, file.size) == 0),
                      "a check finds each change");
    }
    free(bytes);
}
