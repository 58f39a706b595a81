/* Gives arbitrary text to the reader of catalogues.
 *
 *     byte 0    bit 0    if set, the hash in the last line is corrected
 *               bit 1    if set, the other bytes are the text of the catalogue; otherwise they
 *                        describe edits of an intact catalogue (edits.h)
 *
 * There is only one text for a catalogue. So if a text is accepted, printing the catalogue that was
 * read must give the same bytes. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "db/catalogue/catalogue_text.h"
#include "tests/fuzz/base.h"
#include "tests/fuzz/edits.h"

enum { SEAL = 1, RAW = 2 };

static void read_and_print(const struct base *base, const struct edited *text)
{
    struct wari_catalogue catalogue = {.variant = base->variant, .seeds_max = -1};
    struct wari_error error;
    char *printed = malloc(WARI_CATALOGUE_BYTES_MAX);
    fuzz_must(printed != NULL, "there is memory");
    const enum wari_status status = wari_catalogue_parse(&catalogue, (const char *)text->bytes,
                                                         text->size, "a catalogue", &error);
    fuzz_must(status == WARI_OK || status == WARI_CORRUPT || status == WARI_MISMATCH,
              "a text is a catalogue or is not");
    if (status == WARI_OK) {
        fuzz_must(wari_catalogue_check(&catalogue, NULL) == WARI_OK, "what is read makes sense");
        const size_t size = wari_catalogue_print(&catalogue, printed);
        fuzz_must(size == text->size && memcmp(printed, text->bytes, size) == 0,
                  "there is one text for a catalogue");
    }
    free(printed);
}

void fuzz_catalogue(const uint8_t *data, size_t size)
{
    struct base *base = base_get();
    const int control = size > 0 ? data[0] : 0;
    struct edited text;
    char name[MEMORY_NAME];

    base_catalogue_name(base, name);
    const struct memory_file *intact = memory_host_file(base->intact, name);
    const struct edits_wanted wanted = {data + (size > 0), size - (size > 0), control & RAW};
    edits_change(&text, intact->bytes, intact->size, &wanted, EDITED_MAX);
    if (control & SEAL)
        edits_seal_text(&text);
    read_and_print(base, &text);
    memory_host_store(base->damaged, name, text.bytes, text.size);
    base_probe(base, 3, true);
}
