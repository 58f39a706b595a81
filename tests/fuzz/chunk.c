/* The bytes of a chunk, whatever they are, in a file whose sizes and hashes are all right: what is
 * behind the hashes must stand anything, too.
 *
 *     byte 0    bit 0    0: level 3, 364 values; 1: level 7, 31,812
 *               bit 1    the rest is the encoded chunk, and not edits of the intact one */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "db/bytes.h"
#include "db/level_header.h"
#include "tests/fuzz/base.h"
#include "tests/fuzz/edits.h"

enum { LARGE = 1, RAW = 2 };

/* Byte offsets of FORMAT.md, for a file of one chunk. */
enum { FILE_BYTES = 56, TABLE_HASH = 72, HEADER_HASH = 120, TABLE = 128, CHUNK = 144 };

/* Header and table around the chunk that stands at its place already. */
static void frame(struct edited *file, struct wari_level_key key, const uint8_t *header)
{
    uint8_t *bytes = file->bytes;
    memcpy(bytes, header, TABLE);
    wari_store64(bytes + TABLE, file->size);
    wari_store64(bytes + TABLE + 8, wari_part_hash(key, 0, bytes + CHUNK, file->size - CHUNK));
    wari_store64(bytes + FILE_BYTES, file->size);
    wari_store64(bytes + TABLE_HASH, wari_part_hash(key, WARI_HASH_TABLE, bytes + TABLE, 16));
    wari_store64(bytes + HEADER_HASH, wari_part_hash(key, WARI_HASH_HEADER, bytes, HEADER_HASH));
}

void fuzz_chunk(const uint8_t *data, size_t size)
{
    struct base *base = base_get();
    const int control = size > 0 ? data[0] : 0;
    const struct wari_level_key key = {base->variant, control & LARGE ? 7 : 3};
    struct wari_catalogue catalogue = base->catalogue;
    struct edited chunk, file;
    char name[MEMORY_NAME];

    base_level_name(base, key.seeds, name);
    const struct memory_file *intact = memory_host_file(base->intact, name);
    const uint8_t *rest = data + (size > 0);
    size -= size > 0;
    edits_apply(&chunk, intact->bytes + CHUNK, intact->size - CHUNK, rest,
                control & RAW ? 0 : size);
    if (control & RAW) {
        chunk.size = size;
        memcpy(chunk.bytes, rest, size < EDITED_MAX ? size : EDITED_MAX);
    }
    if (chunk.size > EDITED_MAX - CHUNK)
        chunk.size = EDITED_MAX - CHUNK;
    file.size = CHUNK + chunk.size;
    memcpy(file.bytes + CHUNK, chunk.bytes, chunk.size);
    frame(&file, key, intact->bytes);

    struct wari_level_record *record = &catalogue.level[key.seeds];
    record->file_bytes = file.size;
    record->header_hash = wari_load64(file.bytes + HEADER_HASH);
    fuzz_must(wari_catalogue_write(&catalogue, &base->damaged->host, "folder", NULL) == WARI_OK,
              "a catalogue can be written");
    memory_host_store(base->damaged, name, file.bytes, file.size);
    base_probe(base, key.seeds, false);
}
