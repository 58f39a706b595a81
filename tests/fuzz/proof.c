/* Gives arbitrary text to the reader of proof records.
 *
 *     byte 0    bit 0    if set, the hash in the last line is corrected
 *               bit 1    if set, the other bytes are the text of the record; otherwise they
 *                        describe edits of an intact record (edits.h)
 *
 * There is only one text for a record. So if a text is accepted, writing the record that was read
 * must give the same bytes. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "db/catalogue/proof.h"
#include "tests/fuzz/edits.h"
#include "tests/support/memory_host.h"

enum { SEAL = 1, RAW = 2 };

struct proof_base {
    struct wari_proof_record record;
    struct memory_host *intact, *damaged, *again;
};

static const char name[] = "abapa-own.proof";

static struct proof_base *proof_base(void)
{
    static struct proof_base base = {.record = {.variant = {WARI_ABAPA, WARI_OWN}, .seeds_max = 2}};
    if (base.intact != NULL)
        return &base;
    for (int n = 0; n <= base.record.seeds_max; n++)
        base.record.level[n] = (struct wari_proof_level){.payload_hash = 1000 + (unsigned)n,
                                                         .version = "0.1.0",
                                                         .date = "2026-11-23",
                                                         .seconds = 60 * (unsigned)n};
    base.intact = memory_host_create();
    base.damaged = memory_host_create();
    base.again = memory_host_create();
    fuzz_must(wari_proof_write(&base.record, &base.intact->host, "folder", NULL) == WARI_OK,
              "a record can be written");
    return &base;
}

static void read_and_write(const struct proof_base *base, const struct edited *text)
{
    struct wari_proof_record record;
    struct wari_error error;
    const enum wari_status status =
        wari_proof_read(&record, &base->damaged->host, "folder", base->record.variant, &error);
    fuzz_must(status == WARI_OK || status == WARI_CORRUPT || status == WARI_MISMATCH,
              "a text is a record or is not");
    fuzz_must((status == WARI_OK) == (record.seeds_max >= 0), "a record is of some levels");
    if (status != WARI_OK)
        return;
    fuzz_must(wari_proof_write(&record, &base->again->host, "folder", NULL) == WARI_OK,
              "what is read can be written");
    const struct memory_file *again = memory_host_file(base->again, name);
    fuzz_must(again->size == text->size && memcmp(again->bytes, text->bytes, text->size) == 0,
              "there is one text for a record");
}

void fuzz_proof(const uint8_t *data, size_t size)
{
    static struct edited text;
    const struct proof_base *base = proof_base();
    const int control = size > 0 ? data[0] : 0;
    const struct memory_file *intact = memory_host_file(base->intact, name);
    const struct edits_wanted wanted = {data + (size > 0), size - (size > 0), control & RAW};

    edits_change(&text, intact->bytes, intact->size, &wanted, EDITED_MAX);
    if (control & SEAL)
        edits_seal_text(&text);
    memory_host_store(base->damaged, name, text.bytes, text.size);
    read_and_write(base, &text);
}
