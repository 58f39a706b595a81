/* Gives arbitrary bytes to the reader of level files. A fuzzer would hardly ever find correct
 * hashes, so the input selects the hashes that are corrected after its edits, and whether the
 * catalogue is corrected.
 *
 *     byte 0    bit 0    0: level 3, one chunk; 1: level 8, ten chunks
 *               bit 1    if set, the other bytes are the file; otherwise they describe edits of an
 *                        intact file (edits.h)
 *               bit 2    if set, the hashes of chunks and model are corrected
 *               bit 3    if set, the hash of the offset table is corrected
 *               bit 4    if set, the hash of the header is corrected
 *               bit 5    if set, the catalogue is corrected
 *
 * If neither the header's hash nor the hashes of chunks are corrected, no value may be wrong. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "db/catalogue/catalogue_file.h"
#include "db/format/chunk.h"
#include "db/format/level_header.h"
#include "db/host/bytes.h"
#include "tests/fuzz/base.h"
#include "tests/fuzz/edits.h"

enum { LARGE = 1, RAW = 2, SEAL_CHUNKS = 4, SEAL_TABLE = 8, SEAL_HEADER = 16, SEAL_CATALOGUE = 32 };

/* Byte offsets in a level file, as in FORMAT.md. */
enum { FILE_BYTES = 56, PAYLOAD_HASH = 64, TABLE_HASH = 72, MODEL_BYTES = 80, MODEL_HASH = 88 };
enum { HEADER_HASH = 120, HEADER = 128 };
enum { ENTRY = 16 };

static void seal_chunks(struct edited *file, struct wari_level_key key, uint64_t chunks)
{
    const uint64_t model = wari_load64(file->bytes + MODEL_BYTES);
    uint64_t start = HEADER + ENTRY * chunks;
    if (model > file->size - start)
        return;
    wari_store64(file->bytes + MODEL_HASH,
                 wari_seeded_hash(key, WARI_HASH_MODEL, file->bytes + start, model));
    start += model;
    for (uint64_t chunk = 0; chunk < chunks; chunk++) {
        uint8_t *entry = file->bytes + HEADER + ENTRY * chunk;
        const uint64_t end = wari_load64(entry);
        if (end <= start || end > file->size)
            return;
        wari_store64(entry + 8, wari_seeded_hash(key, chunk, file->bytes + start, end - start));
        start = end;
    }
}

static void seal(struct edited *file, struct wari_level_key key, int control)
{
    const uint64_t chunks = wari_chunk_count(wari_level_positions(key.seeds));
    if (file->size < HEADER + ENTRY * chunks)
        return;
    if (control & SEAL_CHUNKS)
        seal_chunks(file, key, chunks);
    if (control & SEAL_TABLE)
        wari_store64(file->bytes + TABLE_HASH,
                     wari_seeded_hash(key, WARI_HASH_TABLE, file->bytes + HEADER, ENTRY * chunks));
    if (control & SEAL_HEADER)
        wari_store64(file->bytes + HEADER_HASH,
                     wari_seeded_hash(key, WARI_HASH_HEADER, file->bytes, HEADER_HASH));
}

/* Makes the catalogue agree with the header. */
static void seal_catalogue(struct base *base, const struct edited *file, int seeds)
{
    struct wari_catalogue catalogue = base->catalogue;
    struct wari_level_record *record = &catalogue.level[seeds];
    if (file->size < HEADER)
        return;
    record->file_bytes = wari_load64(file->bytes + FILE_BYTES) & INT64_MAX;
    record->payload_hash = wari_load64(file->bytes + PAYLOAD_HASH);
    record->header_hash = wari_load64(file->bytes + HEADER_HASH);
    fuzz_must(wari_catalogue_write(&catalogue, &base->damaged->host, "folder", NULL) == WARI_OK,
              "a catalogue can be written");
}

void fuzz_level_file(const uint8_t *data, size_t size)
{
    struct base *base = base_get();
    const int control = size > 0 ? data[0] : 0;
    const struct wari_level_key key = {base->variant, control & LARGE ? BASE_SEEDS : 3};
    struct edited file;
    char name[MEMORY_NAME];

    base_level_name(base, key.seeds, name);
    const struct memory_file *intact = memory_host_file(base->intact, name);
    const struct edits_wanted wanted = {data + (size > 0), size - (size > 0), control & RAW};
    edits_change(&file, intact->bytes, intact->size, &wanted, EDITED_MAX);
    seal(&file, key, control);
    if (control & SEAL_CATALOGUE)
        seal_catalogue(base, &file, key.seeds);
    memory_host_store(base->damaged, name, file.bytes, file.size);
    base_probe(base, key.seeds, !(control & (SEAL_CHUNKS | SEAL_HEADER)));
}
