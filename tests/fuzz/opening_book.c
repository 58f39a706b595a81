/* Gives arbitrary bytes to the reader of opening books. If the first byte is odd, a last line with
 * the correct hash is appended. A book that is read has only legal moves, and is the same after
 * writing and reading it. */
#include "tests/fuzz/fuzz.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/book/header.h"
#include "play/engine/opening_book.h"
#include "tests/fuzz/edits.h"

enum { HASH_LINE = 22 };

static void check_scores(const struct wari_opening_book *book)
{
    for (int i = 0; i < book->count; i++) {
        const struct wari_opening *opening = &book->openings[i];
        const int most = 100 * wari_seeds(&opening->position);
        fuzz_must(opening->count > 0 && opening->best < opening->count, "a position has a move");
        fuzz_must(wari_opening_book_find(book, &opening->position) == opening,
                  "a position of the book is found");
        for (int k = 0; k < opening->count; k++)
            fuzz_must(opening->moves[k].score >= -most && opening->moves[k].score <= most,
                      "nobody gets more seeds than there are");
    }
}

static void write_and_read(struct wari_opening_book *book)
{
    struct wari_text text = {.host = wari_host_system()}, text_again = {.host = text.host};
    struct wari_opening_book again;
    struct wari_position next, next_again;
    wari_opening_book_begin(&again, text.host, &book->settings);
    fuzz_must(wari_opening_book_write(book, &text, NULL) == WARI_OK, "a book can be written");
    fuzz_must(wari_opening_book_read(&again, text.bytes, text.length, "again", NULL) == WARI_OK,
              "a book that is written can be read");
    fuzz_must(wari_opening_book_write(&again, &text_again, NULL) == WARI_OK &&
                  text_again.length == text.length &&
                  memcmp(text_again.bytes, text.bytes, text.length) == 0,
              "a book is the same after writing and reading it");
    const bool found = wari_opening_book_next(book, &next);
    fuzz_must(wari_opening_book_next(&again, &next_again) == found &&
                  (!found || memcmp(&next, &next_again, sizeof next) == 0),
              "equal books grow in the same way");
    wari_opening_book_free(&again);
    wari_text_free(&text);
    wari_text_free(&text_again);
}

void fuzz_opening_book(const uint8_t *data, size_t size)
{
    struct wari_opening_book book;
    const bool adds_hash = size > 0 && data[0] % 2 == 1;
    const size_t length = size > 0 ? size - 1 : 0;
    char *text = malloc(length + HASH_LINE + 1);
    fuzz_must(text != NULL, "there is memory");
    if (length > 0)
        memcpy(text, data + 1, length);
    if (adds_hash)
        snprintf(text + length, HASH_LINE + 1, "hash %016" PRIx64 "\n",
                 wari_fnv64(WARI_FNV64_BEGIN, (const uint8_t *)text, length));
    const struct wari_opening_settings settings = {.nodes = 1};
    wari_opening_book_begin(&book, wari_host_system(), &settings);
    if (wari_opening_book_read(&book, text, length + (adds_hash ? HASH_LINE : 0), "book", NULL) ==
        WARI_OK) {
        check_scores(&book);
        write_and_read(&book);
    } else {
        fuzz_must(book.count == 0, "a book that is refused is empty");
    }
    wari_opening_book_free(&book);
    free(text);
}
