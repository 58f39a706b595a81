/* Gives arbitrary bytes as a chunk to the decoder, in a file whose sizes and hashes are all
 * correct. The decoder must process any bytes without harm.
 *
 *     byte 0    bit 0    0: level 3, with 364 values; 1: level 5, with 4,368 values
 *               bit 1    if set, the other bytes are the encoded chunk; otherwise they describe
 *                        edits of an intact chunk (edits.h)
 *               bit 2    if set, bit 1 and the other bytes apply to the model instead, and the
 *                        chunk is unchanged */
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <zstd.h>

#include "db/catalogue/catalogue_file.h"
#include "db/format/level_header.h"
#include "db/format/model.h"
#include "db/host/bytes.h"
#include "tests/fuzz/base.h"
#include "tests/fuzz/edits.h"

enum { LARGE = 1, RAW = 2, MODEL = 4 };

/* Byte offsets in a file of one chunk, as in FORMAT.md. */
enum { FILE_BYTES = 56, TABLE_HASH = 72, MODEL_BYTES = 80, MODEL_HASH = 88, HEADER_HASH = 120 };
enum { TABLE = 128, AT_MODEL = 144 };

/* Adds header and table before model and chunk. */
static void frame(struct edited *file, struct wari_level_key key, const uint8_t *header,
                  const struct edited *model, const struct edited *chunk)
{
    uint8_t *bytes = file->bytes;
    file->size = AT_MODEL + model->size + chunk->size;
    fuzz_must(file->size <= EDITED_MAX, "the file fits");
    memcpy(bytes, header, TABLE);
    memcpy(bytes + AT_MODEL, model->bytes, model->size);
    memcpy(bytes + AT_MODEL + model->size, chunk->bytes, chunk->size);
    wari_store64(bytes + TABLE, file->size);
    wari_store64(bytes + TABLE + 8, wari_seeded_hash(key, 0, chunk->bytes, chunk->size));
    wari_store64(bytes + FILE_BYTES, file->size);
    wari_store64(bytes + TABLE_HASH, wari_seeded_hash(key, WARI_HASH_TABLE, bytes + TABLE, 16));
    wari_store64(bytes + MODEL_BYTES, model->size);
    wari_store64(bytes + MODEL_HASH,
                 wari_seeded_hash(key, WARI_HASH_MODEL, model->bytes, model->size));
    wari_store64(bytes + HEADER_HASH, wari_seeded_hash(key, WARI_HASH_HEADER, bytes, HEADER_HASH));
}

/* Changes the frequencies before they are compressed, because zstd would refuse changes of the
 * compressed bytes. */
static void change_model(struct edited *model, int seeds, const struct edits_wanted *wanted)
{
    struct edited plain, changed;
    plain.size = ZSTD_decompress(plain.bytes, sizeof plain.bytes, model->bytes, model->size);
    fuzz_must(plain.size == wari_model_plain_bytes(seeds), "an intact model");
    edits_change(&changed, plain.bytes, plain.size, wanted, EDITED_MAX / 4);
    model->size = ZSTD_compress(model->bytes, sizeof model->bytes, changed.bytes, changed.size, 1);
    fuzz_must(!ZSTD_isError(model->size), "a model can be compressed");
}

void fuzz_chunk(const uint8_t *data, size_t size)
{
    struct base *base = base_get();
    const int control = size > 0 ? data[0] : 0;
    const struct wari_level_key key = {base->variant, control & LARGE ? 5 : 3};
    struct wari_catalogue catalogue = base->catalogue;
    struct edited model, chunk, file;
    char name[MEMORY_NAME];

    base_level_name(base, key.seeds, name);
    const struct memory_file *intact = memory_host_file(base->intact, name);
    const uint8_t *rest = data + (size > 0);
    size -= size > 0;
    const struct edits_wanted wanted = {rest, size, control & RAW};
    const uint64_t start = AT_MODEL + wari_load64(intact->bytes + MODEL_BYTES);
    edits_apply(&model, intact->bytes + AT_MODEL, start - AT_MODEL, rest, 0);
    edits_apply(&chunk, intact->bytes + start, intact->size - start, rest, 0);
    if (control & MODEL)
        change_model(&model, key.seeds, &wanted);
    else
        edits_change(&chunk, intact->bytes + start, intact->size - start, &wanted, EDITED_MAX / 2);
    frame(&file, key, intact->bytes, &model, &chunk);

    struct wari_level_record *record = &catalogue.level[key.seeds];
    record->file_bytes = file.size;
    record->header_hash = wari_load64(file.bytes + HEADER_HASH);
    fuzz_must(wari_catalogue_write(&catalogue, &base->damaged->host, "folder", NULL) == WARI_OK,
              "a catalogue can be written");
    memory_host_store(base->damaged, name, file.bytes, file.size);
    base_probe(base, key.seeds, false);
}
