/* What encoding needs between chunks: the level, what was counted of it, and the room to work in.
 * The output depends on the values alone.
 */
#include "db/format/encoder.h"

#include <string.h>

#include "db/format/context_encode.h"

/* A level has its model from 1024 chunks or a few more, that is 8 million values. */
enum { SURVEYED_CHUNKS = 1024 };

struct wari_encoder {
    const struct wari_host *host;
    struct wari_layout layout;
    struct wari_counts *counts; /* NULL before wari_encoder_begin() */
    struct wari_encode_room room;
};

enum wari_status wari_encoder_create(struct wari_encoder **encoder, const struct wari_host *host,
                                     struct wari_error *error)
{
    void *memory;
    enum wari_status status = wari_allocate(host, sizeof **encoder, "an encoder", &memory, error);
    *encoder = memory;
    if (status != WARI_OK)
        return status;
    (*encoder)->host = host;
    (*encoder)->counts = NULL;
    wari_encode_room_init(&(*encoder)->room);
    return WARI_OK;
}

void wari_encoder_destroy(struct wari_encoder *encoder)
{
    if (encoder == NULL)
        return;
    wari_counts_destroy(encoder->counts);
    wari_release(encoder->host, encoder);
}

enum wari_status wari_encoder_begin(struct wari_encoder *encoder, int seeds,
                                    struct wari_error *error)
{
    wari_counts_destroy(encoder->counts);
    encoder->counts = NULL;
    wari_layout_init(&encoder->layout, seeds);
    return wari_counts_create(&encoder->counts, encoder->host, seeds, error);
}

bool wari_chunk_surveyed(uint64_t chunks, uint64_t chunk)
{
    return chunks <= SURVEYED_CHUNKS || chunk % (chunks / SURVEYED_CHUNKS) == 0;
}

/* What the caller promises, checked: values beyond the tables would be read otherwise. */
static enum wari_status check_chunk(const struct wari_encoder *encoder,
                                    const struct wari_chunk_values *chunk, struct wari_error *error)
{
    const int seeds = encoder->layout.seeds;
    const uint64_t positions = encoder->layout.block_offset[seeds + 1];
    uint8_t most = 0;
    if (chunk->count == 0 || chunk->count > WARI_CHUNK_POSITIONS ||
        chunk->number >= wari_chunk_count(positions) ||
        chunk->count > positions - chunk->number * WARI_CHUNK_POSITIONS)
        return wari_fail(error, WARI_BAD_INPUT, "chunk %llu of level %d cannot hold %zu values",
                         (unsigned long long)chunk->number, seeds, chunk->count);
    for (size_t i = 0; i < chunk->count; i++) { /* compilers make vectors of it */
        const uint8_t raised = (uint8_t)(chunk->values[i] + seeds);
        most = raised > most ? raised : most;
    }
    if (most > 2 * seeds)
        return wari_fail(error, WARI_BAD_INPUT, "a value beyond the level's %d seeds", seeds);
    return WARI_OK;
}

enum wari_status wari_encoder_survey(struct wari_encoder *encoder,
                                     const struct wari_chunk_values *chunk,
                                     struct wari_error *error)
{
    const struct wari_section section =
        wari_chunk_section(&encoder->layout, chunk->number, chunk->count);
    enum wari_status status = check_chunk(encoder, chunk, error);
    if (status == WARI_OK)
        wari_context_count(encoder->counts, &encoder->room, &section, chunk->values);
    return status;
}

enum wari_status wari_encoder_model(struct wari_model **model, struct wari_encoder *const *encoder,
                                    int encoders, struct wari_error *error)
{
    for (int i = 1; i < encoders; i++)
        wari_counts_add(encoder[0]->counts, encoder[i]->counts);
    return wari_model_create(model, encoder[0]->counts, error);
}

uint32_t *wari_encoder_counts(struct wari_encoder *const *encoder, int encoders, size_t *count)
{
    struct wari_counts *counts = encoder[0]->counts;
    *count = wari_counts_size(counts);
    for (int i = 1; i < encoders; i++) {
        wari_counts_add(counts, encoder[i]->counts);
        memset(encoder[i]->counts->count, 0, *count * sizeof counts->count[0]);
    }
    return counts->count;
}

enum wari_status wari_chunk_encode(struct wari_encoder *encoder, const struct wari_model *model,
                                   const struct wari_chunk_values *chunk, void *out, size_t *bytes,
                                   struct wari_error *error)
{
    const struct wari_section section =
        wari_chunk_section(&encoder->layout, chunk->number, chunk->count);
    enum wari_status status = check_chunk(encoder, chunk, error);
    if (status == WARI_OK)
        *bytes = wari_context_encode(model, &encoder->room, &section, chunk->values, out);
    return status;
}
