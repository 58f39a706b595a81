/* The codec: the time to encode and decode the chunks of a level, by one thread. */
#include <stdlib.h>
#include <string.h>

#include "db/format/decoder.h"
#include "db/format/encoder.h"
#include "db/wari.h"
#include "system/clock.h"
#include "tests/bench/bench.h"

enum { TRIALS = 7 };

struct codec {
    int seeds;
    struct wari_layout layout;
    uint64_t positions, chunks;
    int8_t *values;
    struct wari_encoder *encoder;
    struct wari_decoder *decoder;
    struct wari_model *model;
    uint8_t *encoded; /* chunk i begins at i * WARI_CHUNK_BYTES_MAX */
    size_t *bytes;
    double *seconds; /* [chunk] */
    int8_t decoded[WARI_CHUNK_POSITIONS];
};

static bool read_values(struct codec *codec, const char *folder)
{
    const struct wari_variant variant = {WARI_AWARI, WARI_EVEN};
    struct wari_db *db;

    if (wari_open(&db, folder, &variant, NULL, NULL) != WARI_OK)
        return false;
    const enum wari_status status =
        wari_values(db, codec->seeds, 0, codec->positions, codec->values, NULL);
    wari_close(db);
    return status == WARI_OK;
}

/* Surveys, encodes or decodes one chunk. Returns false on failure. */
typedef bool run_chunk(struct codec *codec, const struct wari_chunk_values *chunk);

static bool survey(struct codec *codec, const struct wari_chunk_values *chunk)
{
    return wari_encoder_survey(codec->encoder, chunk, NULL) == WARI_OK;
}

static bool encode(struct codec *codec, const struct wari_chunk_values *chunk)
{
    return wari_chunk_encode(codec->encoder, codec->model, chunk,
                             codec->encoded + chunk->number * WARI_CHUNK_BYTES_MAX,
                             &codec->bytes[chunk->number], NULL) == WARI_OK;
}

static bool decode(struct codec *codec, const struct wari_chunk_values *chunk)
{
    const struct wari_chunk_range range =
        wari_whole_chunk_range(&codec->layout, chunk->number, chunk->count);
    const size_t bytes = codec->bytes[chunk->number];

    memcpy(wari_decoder_buffer(codec->decoder),
           codec->encoded + chunk->number * WARI_CHUNK_BYTES_MAX, bytes);
    return wari_chunk_decode(codec->decoder, codec->model, &range, bytes, codec->decoded, NULL) ==
               WARI_OK &&
           memcmp(codec->decoded, chunk->values, chunk->count) == 0;
}

/* Adds up the shortest of several times of each chunk, in nanoseconds a position, so that the
 * result hardly depends on other programs. Returns false if a run fails. */
static bool time_of(run_chunk *run, struct codec *codec, double *nanoseconds)
{
    double sum = 0;

    for (uint64_t i = 0; i < codec->chunks; i++)
        codec->seconds[i] = 1e9;
    for (int trial = 0; trial < TRIALS; trial++) {
        for (uint64_t i = 0; i < codec->chunks; i++) {
            const struct wari_chunk_values chunk = {i, codec->values + i * WARI_CHUNK_POSITIONS,
                                                    wari_chunk_size(i, codec->positions)};
            const double start = wari_seconds_now();
            if (!run(codec, &chunk))
                return false;
            const double seconds = wari_seconds_now() - start;
            if (seconds < codec->seconds[i])
                codec->seconds[i] = seconds;
        }
    }
    for (uint64_t i = 0; i < codec->chunks; i++)
        sum += codec->seconds[i];
    *nanoseconds = sum * 1e9 / (double)codec->positions;
    return true;
}

static bool measure(struct codec *codec, const char *folder, struct bench_codec *result)
{
    const struct wari_host *host = wari_host_system();

    return wari_encoder_create(&codec->encoder, host, NULL) == WARI_OK &&
           wari_decoder_create(&codec->decoder, host, NULL) == WARI_OK &&
           wari_encoder_begin(codec->encoder, codec->seeds, NULL) == WARI_OK &&
           read_values(codec, folder) && time_of(survey, codec, &result->survey) &&
           wari_encoder_model(&codec->model, &codec->encoder, 1, NULL) == WARI_OK &&
           time_of(encode, codec, &result->encode) && time_of(decode, codec, &result->decode);
}

bool bench_codec_of_level(const char *folder, int seeds, struct bench_codec *result)
{
    struct codec codec = {.seeds = seeds, .positions = wari_level_positions(seeds)};

    codec.chunks = wari_chunk_count(codec.positions);
    codec.values = malloc(codec.positions);
    codec.encoded = malloc(codec.chunks * WARI_CHUNK_BYTES_MAX);
    codec.bytes = malloc(codec.chunks * sizeof *codec.bytes);
    codec.seconds = malloc(codec.chunks * sizeof *codec.seconds);
    wari_layout_init(&codec.layout, seeds);
    const bool done = codec.values && codec.encoded && codec.bytes && codec.seconds &&
                      measure(&codec, folder, result);
    wari_model_destroy(codec.model);
    wari_decoder_destroy(codec.decoder);
    wari_encoder_destroy(codec.encoder);
    free(codec.seconds);
    free(codec.bytes);
    free(codec.encoded);
    free(codec.values);
    return done;
}
